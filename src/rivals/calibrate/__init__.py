"""Simulated experiments with a known truth, from which the sensitivity c is chosen."""

from __future__ import annotations

from rivals.calibrate.curve import Curve, calibration_curve
from rivals.calibrate.experiment import Conditions, Experiment
from rivals.calibrate.result import Calibration
from rivals.calibrate.run import CalibrationInterrupted, calibrate
from rivals.calibrate.store import Failure, StoreError
from rivals.calibrate.validity import Finding, Validity, judge_c, judge_experiments

__all__ = [
    "Calibration",
    "CalibrationInterrupted",
    "Conditions",
    "Curve",
    "Experiment",
    "Failure",
    "Finding",
    "StoreError",
    "Validity",
    "calibrate",
    "calibration_curve",
    "judge_c",
    "judge_experiments",
]
