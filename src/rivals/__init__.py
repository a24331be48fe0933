"""Which of several fitted models would win again if the study were repeated?"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from rivals._version import __version__

if TYPE_CHECKING:
    from rivals import laws, plots, read, report, testbeds
    from rivals._warnings import RivalsWarning
    from rivals.calibrate import Calibration, Experiment, calibrate
    from rivals.compare import compare
    from rivals.laws import HierarchicalBetaProcess, TransportLaw
    from rivals.losses import Losses, Provenance
    from rivals.method.quantiles import QuantileFunction
    from rivals.models import Candidate
    from rivals.result import Comparison, load
    from rivals.summaries import GroupSummaries

# Everything is imported when it is first asked for: `rivals --version` needs none of it, and most
# programs a part.
HOMES = {
    "Calibration": "calibrate",
    "Candidate": "models",
    "Comparison": "result",
    "Experiment": "calibrate",
    "GroupSummaries": "summaries",
    "HierarchicalBetaProcess": "laws",
    "Losses": "losses",
    "Provenance": "losses",
    "QuantileFunction": "method.quantiles",
    "RivalsWarning": "_warnings",
    "TransportLaw": "laws",
    "calibrate": "calibrate",
    "compare": "compare",
    "load": "result",
}
PACKAGES = ("laws", "plots", "read", "report", "testbeds")

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
    "compare",
    "laws",
    "load",
    "plots",
    "read",
    "report",
    "testbeds",
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


class _Rivals(ModuleType):
    """The package, in which `compare` and `calibrate` remain functions.

    Python sets the attribute of a package to a module that is imported from it.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        is_home = isinstance(value, ModuleType) and HOMES.get(name) == name
        super().__setattr__(name, getattr(value, name) if is_home else value)


sys.modules[__name__].__class__ = _Rivals
