"""Which of several fitted models would still be worth keeping if the experiment were repeated?"""

from typing import TYPE_CHECKING, Any

from rivals._checks import RivalsWarning
from rivals._version import __version__
from rivals.comparison import Comparison, Rejection, Sweep, Undecided, compare, load
from rivals.core.process import HierarchicalBetaProcess
from rivals.core.quantiles import QuantileFunction
from rivals.losses import Candidate, Losses

if TYPE_CHECKING:
    from rivals.calibration import Calibration, Experiment, calibrate

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
    "Undecided",
    "__version__",
    "calibrate",
    "compare",
    "load",
]


def __getattr__(name: str) -> Any:
    # Calibration brings SQLite and more with it; `import rivals` alone must stay light.
    if name in ("Calibration", "Experiment", "calibrate"):
        from rivals import calibration

        return getattr(calibration, name)
    raise AttributeError(f"module 'rivals' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
