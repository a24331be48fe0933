"""Calibration: find a valid c from simulated experiments with known truth."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Imported at once, unlike the others: these functions must replace the modules of the same names.
from rivals.calibration.calibrate import CalibrationInterrupted, calibrate
from rivals.calibration.replications import Replications, replications

if TYPE_CHECKING:
    from rivals.calibration.curve import CalibrationCurve
    from rivals.calibration.experiment import Experiment, ExperimentLosses
    from rivals.calibration.result import Calibration, open_store
    from rivals.calibration.store import Failure, StoreError
    from rivals.calibration.validity import Validity, ValidRange, judge_experiments

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

# Where a name is defined. Workers import this package, and need neither SQLite nor the results.
MODULES = {
    "Calibration": "result",
    "CalibrationCurve": "curve",
    "Experiment": "experiment",
    "ExperimentLosses": "experiment",
    "Failure": "store",
    "StoreError": "store",
    "ValidRange": "validity",
    "Validity": "validity",
    "judge_experiments": "validity",
    "open_store": "result",
}


def __getattr__(name: str) -> Any:
    if name not in MODULES:
        raise AttributeError(f"module 'rivals.calibration' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"rivals.calibration.{MODULES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
