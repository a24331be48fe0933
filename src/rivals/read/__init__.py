"""Readers of losses: one file per kind of input, imported when it is first asked for; heavy libraries only when used."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rivals.read.arviz import arviz_tree
    from rivals.read.cross_validation import cross_validated
    from rivals.read.curve_fits import curve
    from rivals.read.distributions import distribution
    from rivals.read.estimators import classifier, regressor
    from rivals.read.files import losses_from_files
    from rivals.read.networks import network
    from rivals.read.npz_files import npz
    from rivals.read.posteriors import posterior
    from rivals.read.scores import simulator, summaries
    from rivals.read.statsmodels import forecast, regression
    from rivals.read.tables import long_table, wide_tables
    from rivals.read.xarrays import dataset

HOMES = {
    "arviz_tree": "arviz", "classifier": "estimators", "cross_validated": "cross_validation", "curve": "curve_fits", "dataset": "xarrays",
    "distribution": "distributions", "forecast": "statsmodels", "long_table": "tables", "losses_from_files": "files", "network": "networks",
    "npz": "npz_files", "posterior": "posteriors", "regression": "statsmodels", "regressor": "estimators", "simulator": "scores", "summaries": "scores",
    "wide_tables": "tables",
}  # fmt: skip

__all__ = [
    "arviz_tree",
    "classifier",
    "cross_validated",
    "curve",
    "dataset",
    "distribution",
    "forecast",
    "long_table",
    "losses_from_files",
    "network",
    "npz",
    "posterior",
    "regression",
    "regressor",
    "simulator",
    "summaries",
    "wide_tables",
]


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'rivals.read' has no attribute {name!r}")
    thing = globals()[name] = getattr(import_module(f"rivals.read.{HOMES[name]}"), name)
    return thing


def __dir__() -> list[str]:
    return __all__
