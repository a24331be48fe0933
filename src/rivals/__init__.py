"""Which of several fitted models would win again if the study were repeated?"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rivals._version import __version__

if TYPE_CHECKING:
    from rivals import calibration, laws, plots, read, report, testbeds, testing
    from rivals._compare import compare
    from rivals._warnings import RivalsWarning
    from rivals.calibration import Calibration, Experiment, calibrate
    from rivals.laws import HierarchicalBetaProcess, TransportLaw
    from rivals.losses import Losses, Provenance
    from rivals.method.quantiles import QuantileFunction
    from rivals.models import Candidate
    from rivals.result import Comparison, load
    from rivals.summaries import GroupSummaries

# Everything is imported when it is first asked for: `rivals --version` needs none of it, and most
# programs a part.
HOMES = {
    "Calibration": "calibration",
    "Candidate": "models",
    "Comparison": "result",
    "Experiment": "calibration",
    "GroupSummaries": "summaries",
    "HierarchicalBetaProcess": "laws",
    "Losses": "losses",
    "Provenance": "losses",
    "QuantileFunction": "method.quantiles",
    "RivalsWarning": "_warnings",
    "TransportLaw": "laws",
    "calibrate": "calibration",
    "compare": "_compare",
    "load": "result",
}
PACKAGES = ("calibration", "laws", "plots", "read", "report", "testbeds", "testing")

__all__ = [
    "Calibration",
    "Candidate",
    "Comparison",
    "Experiment",
    "GroupSummaries",
    "HierarchicalBetaProcess",
    "Losses",
    "Provenance",
    "QuantileFunction",
    "RivalsWarning",
    "TransportLaw",
    "__version__",
    "calibrate",
    "calibration",
    "compare",
    "laws",
    "load",
    "plots",
    "read",
    "report",
    "testbeds",
    "testing",
]


def __getattr__(name: str) -> Any:
    if name in PACKAGES:
        return import_module(f"rivals.{name}")
    if name not in HOMES:
        raise AttributeError(f"module 'rivals' has no attribute {name!r}")
    thing = globals()[name] = getattr(import_module(f"rivals.{HOMES[name]}"), name)
    return thing


def __dir__() -> list[str]:
    return __all__
