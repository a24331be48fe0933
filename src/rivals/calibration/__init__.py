"""Simulated experiments with a known truth, from which the sensitivity c is chosen."""

from __future__ import annotations

from rivals.calibration.curve import Curve, calibration_curve
from rivals.calibration.experiment import Conditions, Experiment
from rivals.calibration.result import Calibration
from rivals.calibration.run import CalibrationInterrupted, calibrate
from rivals.calibration.store import Failure, StoreError
from rivals.calibration.validity import Finding, Validity, judge_c, judge_experiments

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
