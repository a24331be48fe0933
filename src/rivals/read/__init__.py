"""Doors: losses, or summaries of groups, from whatever a study has. Each loads on first use."""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rivals.read.cross_validation import cross_validated
    from rivals.read.distributions import distribution
    from rivals.read.evaluations import evaluations
    from rivals.read.fitted import fitted
    from rivals.read.left_out import left_out
    from rivals.read.left_out_posterior import left_out_posterior
    from rivals.read.posterior import posterior
    from rivals.read.predictions import predictions
    from rivals.read.search_results import search_results
    from rivals.read.summaries import summaries
    from rivals.read.table import table

# The module of each door.
HOMES = {
    "cross_validated": "cross_validation",
    "distribution": "distributions",
    "evaluations": "evaluations",
    "fitted": "fitted",
    "left_out": "left_out",
    "left_out_posterior": "left_out_posterior",
    "posterior": "posterior",
    "predictions": "predictions",
    "search_results": "search_results",
    "summaries": "summaries",
    "table": "table",
}

__all__ = [
    "cross_validated",
    "distribution",
    "evaluations",
    "fitted",
    "left_out",
    "left_out_posterior",
    "posterior",
    "predictions",
    "search_results",
    "summaries",
    "table",
]


class _Doors(ModuleType):
    """A package where a door that is called as its module is remains the function.

    Python sets the attribute of a package to a module that is imported from it.
    """

    def __setattr__(self, name: str, value: Any) -> None:
        is_home = isinstance(value, ModuleType) and HOMES.get(name) == name
        super().__setattr__(name, getattr(value, name) if is_home else value)


sys.modules[__name__].__class__ = _Doors


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
