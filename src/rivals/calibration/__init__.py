"""Calibration: find a valid c from simulated experiments with known truth."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rivals.calibration.calibrate import CalibrationInterrupted, calibrate
from rivals.calibration.curve import CalibrationCurve
from rivals.calibration.experiment import Experiment, ExperimentLosses
from rivals.calibration.records import Failure
from rivals.calibration.replications import Replications, replications
from rivals.calibration.result import Calibration
from rivals.calibration.validity import Validity, ValidRange, judge_experiments

if TYPE_CHECKING:
    from rivals.calibration.sqlite_file import StoreError
    from rivals.calibration.store import open_store

__all__ = [
    "Calibration",
    "CalibrationCurve",
    "CalibrationInterrupted",
    "Experiment",
    "ExperimentLosses",
    "Failure",
    "Replications",
    "StoreError",
    "ValidRange",
    "Validity",
    "calibrate",
    "judge_experiments",
    "open_store",
    "replications",
]
# What needs SQLite, when it is asked for: workers, which import this package too, need not have it.
IN_STORE = ("StoreError", "open_store")


def __getattr__(name: str) -> Any:
    if name not in IN_STORE:
        raise AttributeError(f"module 'rivals.calibration' has no attribute {name!r}")
    return getattr(import_module("rivals.calibration.store"), name)


def __dir__() -> list[str]:
    return __all__
