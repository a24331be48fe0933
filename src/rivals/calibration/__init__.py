"""Simulated experiments with a known truth, from which the sensitivity c is chosen."""

from __future__ import annotations

from rivals.calibration._curve import Curve, calibration_curve, wilson_interval
from rivals.calibration._experiment import Conditions
from rivals.calibration._promise import State
from rivals.calibration._result import Calibration
from rivals.calibration._run import CalibrationInterrupted, calibrate
from rivals.calibration._states import States, judge_experiments
from rivals.calibration._store import Failure, StoreError
from rivals.scenarios import Experiment

__all__ = [
    "Calibration",
    "CalibrationInterrupted",
    "Conditions",
    "Curve",
    "Experiment",
    "Failure",
    "State",
    "States",
    "StoreError",
    "calibrate",
    "calibration_curve",
    "judge_experiments",
    "wilson_interval",
]
