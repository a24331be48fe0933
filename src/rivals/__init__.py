"""Which of several fitted models would still be worth keeping if the experiment were repeated?"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rivals._version import __version__

if TYPE_CHECKING:
    from rivals import calibration, criteria, laws, plots, read, report, testbeds
    from rivals._say.warn import RivalsWarning
    from rivals.calibration import Calibration, Experiment, calibrate
    from rivals.comparison import (
        Baseline,
        Comparison,
        GroupsTable,
        Plan,
        Rejection,
        Sweep,
        Undecided,
        compare,
        load,
    )
    from rivals.core.quantiles import QuantileFunction
    from rivals.laws import HierarchicalBetaProcess, TransportLaw
    from rivals.losses import Losses
    from rivals.models import Candidate

# Everything is imported when it is first asked for: `rivals --version` needs none of it, and most
# programs a part.
HOMES = {
    "RivalsWarning": "_say.warn",
    **dict.fromkeys(("Calibration", "Experiment", "calibrate"), "calibration"),
    **dict.fromkeys(
        (
            "Baseline",
            "Comparison",
            "GroupsTable",
            "Plan",
            "Rejection",
            "Sweep",
            "Undecided",
            "compare",
            "load",
        ),
        "comparison",
    ),
    "QuantileFunction": "core.quantiles",
    **dict.fromkeys(("HierarchicalBetaProcess", "TransportLaw"), "laws"),
    "Losses": "losses",
    "Candidate": "models",
}
PACKAGES = (
    "calibration",
    "comparison",
    "core",
    "criteria",
    "laws",
    "losses",
    "models",
    "plots",
    "read",
    "report",
    "testbeds",
)

__all__ = [
    "Baseline",
    "Calibration",
    "Candidate",
    "Comparison",
    "Experiment",
    "GroupsTable",
    "HierarchicalBetaProcess",
    "Losses",
    "Plan",
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
