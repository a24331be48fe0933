"""Which of several fitted models would win again if the study were repeated?"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rivals._version import __version__

if TYPE_CHECKING:
    from rivals import (
        calibration,
        criteria,
        laws,
        plots,
        read,
        report,
        scenarios,
        testbeds,
        testing,
    )
    from rivals._compare import compare
    from rivals._core.candidates import Candidate
    from rivals._core.cautions import RivalsWarning
    from rivals._core.cells import CellSummaries
    from rivals._core.losses import Losses, Provenance
    from rivals._core.summaries import GroupSummaries
    from rivals._result.comparison import Comparison, load
    from rivals.calibration import Calibration, calibrate
    from rivals.laws import HierarchicalBetaProcess, TransportLaw, process
    from rivals.method.quantiles import QuantileFunction
    from rivals.scenarios import Experiment

# Everything is imported when it is first asked for: `rivals --version` needs none of it, and most
# programs a part.
HOMES = {
    "Calibration": "calibration",
    "Candidate": "_core.candidates",
    "CellSummaries": "_core.cells",
    "Comparison": "_result.comparison",
    "Experiment": "scenarios",
    "GroupSummaries": "_core.summaries",
    "HierarchicalBetaProcess": "laws",
    "Losses": "_core.losses",
    "Provenance": "_core.losses",
    "QuantileFunction": "method.quantiles",
    "RivalsWarning": "_core.cautions",
    "TransportLaw": "laws",
    "calibrate": "calibration",
    "compare": "_compare",
    "load": "_result.comparison",
    "process": "laws",
}
PACKAGES = (
    "calibration",
    "criteria",
    "laws",
    "plots",
    "read",
    "report",
    "scenarios",
    "testbeds",
    "testing",
)

__all__ = [
    "Calibration",
    "Candidate",
    "CellSummaries",
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
    "criteria",
    "laws",
    "load",
    "plots",
    "process",
    "read",
    "report",
    "scenarios",
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
