"""Which of several fitted models would still be worth keeping if the experiment were repeated?"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rivals._checks import RivalsWarning
from rivals._version import __version__
from rivals.comparison import Comparison, Rejection, Sweep, Undecided, compare, load
from rivals.core import HierarchicalBetaProcess, QuantileFunction, TransportLaw
from rivals.losses import Candidate, Losses

if TYPE_CHECKING:
    from rivals import calibration, criteria, plots, read, report, testbeds
    from rivals.calibration import Calibration, Experiment, calibrate

# `import rivals` stays light: these are imported when they are first asked for.
PACKAGES = ("calibration", "criteria", "plots", "read", "report", "testbeds")
FROM_CALIBRATION = ("Calibration", "Experiment", "calibrate")

__all__ = [
    "Calibration",
    "Candidate",
    "Comparison",
    "Experiment",
    "HierarchicalBetaProcess",
    "Losses",
    "QuantileFunction",
    "Rejection",
    "RivalsWarning",
    "Sweep",
    "TransportLaw",
    "Undecided",
    "__version__",
    "calibrate",
    "calibration",
    "compare",
    "criteria",
    "load",
    "plots",
    "read",
    "report",
    "testbeds",
]


def __getattr__(name: str) -> Any:
    if name in PACKAGES:
        return import_module(f"rivals.{name}")
    if name in FROM_CALIBRATION:
        return getattr(import_module("rivals.calibration"), name)
    raise AttributeError(f"module 'rivals' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
