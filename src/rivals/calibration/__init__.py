"""Calibration: find a valid c from simulated experiments with known truth."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rivals.calibration.calibrate import CalibrationInterrupted, calibrate
from rivals.calibration.curve import CalibrationCurve
from rivals.calibration.experiment import Experiment, ExperimentLosses
from rivals.calibration.replications import Replications, replications
from rivals.calibration.validity import Validity, ValidRange, judge_experiments

if TYPE_CHECKING:
    from rivals.calibration.result import Calibration, open_store
    from rivals.calibration.store import Failure, StoreError

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


def __getattr__(name: str) -> Any:
    """What needs SQLite, when it is asked for: workers, which import this package too, need not have it."""
    if name not in __all__:
        raise AttributeError(f"module 'rivals.calibration' has no attribute {name!r}")
    home = "store" if name in ("Failure", "StoreError") else "result"
    return getattr(import_module(f"rivals.calibration.{home}"), name)


def __dir__() -> list[str]:
    return __all__
