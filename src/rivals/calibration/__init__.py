"""Calibration: which c is valid, found out on simulated experiments whose truth is known."""

from rivals.calibration.calibrate import CalibrationInterrupted, calibrate
from rivals.calibration.curve import CalibrationCurve
from rivals.calibration.experiment import Experiment
from rivals.calibration.result import Calibration, ValidRange, open_store
from rivals.calibration.store import Failure
from rivals.calibration.store_file import StoreError

__all__ = [
    "Calibration",
    "CalibrationCurve",
    "CalibrationInterrupted",
    "Experiment",
    "Failure",
    "StoreError",
    "ValidRange",
    "calibrate",
    "open_store",
]
