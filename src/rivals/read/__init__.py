"""Doors: losses, or summaries of groups, from whatever a study has. Each loads on first use."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rivals.read._cross_validation import cross_validated
    from rivals.read._distributions import distribution
    from rivals.read._evaluations import evaluations
    from rivals.read._fitted import fitted
    from rivals.read._leave_groups_out import leave_groups_out
    from rivals.read._leave_out import leave_out
    from rivals.read._left_out_posterior import left_out_posterior
    from rivals.read._posterior import posterior
    from rivals.read._predictions import predictions
    from rivals.read._search_results import search_results
    from rivals.read._summaries import summaries
    from rivals.read._table import table

# The module of each door.
HOMES = {
    "cross_validated": "_cross_validation",
    "distribution": "_distributions",
    "evaluations": "_evaluations",
    "fitted": "_fitted",
    "leave_groups_out": "_leave_groups_out",
    "leave_out": "_leave_out",
    "left_out_posterior": "_left_out_posterior",
    "posterior": "_posterior",
    "predictions": "_predictions",
    "search_results": "_search_results",
    "summaries": "_summaries",
    "table": "_table",
}

__all__ = [
    "cross_validated",
    "distribution",
    "evaluations",
    "fitted",
    "leave_groups_out",
    "leave_out",
    "left_out_posterior",
    "posterior",
    "predictions",
    "search_results",
    "summaries",
    "table",
]


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
