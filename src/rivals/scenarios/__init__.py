"""Scenarios Ω by building blocks: who makes the data, and what happens to the signal."""

from __future__ import annotations

from rivals.scenarios._blocks import (
    Block,
    drift,
    gain,
    jitter,
    missing,
    noise,
    offset,
    outliers,
    tilt,
)
from rivals.scenarios._data import form_of as form_of
from rivals.scenarios._draws import Draw, choice, lognormal, loguniform, normal, uniform
from rivals.scenarios._experiment import Experiment
from rivals.scenarios._instruments import PLATE_READER
from rivals.scenarios._scenario import Scenario
from rivals.scenarios._truth import Truth, mixture, one_of_them, own, simulator

__all__ = [
    "PLATE_READER",
    "Block",
    "Draw",
    "Experiment",
    "Scenario",
    "Truth",
    "choice",
    "drift",
    "gain",
    "jitter",
    "lognormal",
    "loguniform",
    "missing",
    "mixture",
    "noise",
    "normal",
    "offset",
    "one_of_them",
    "outliers",
    "own",
    "simulator",
    "tilt",
    "uniform",
]
