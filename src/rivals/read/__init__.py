"""Readers of losses: one file per kind of input; heavy libraries are imported only when used."""

from rivals.read.arviz import arviz_tree
from rivals.read.cross_validation import cross_validated
from rivals.read.curve_fits import curve
from rivals.read.distributions import distribution
from rivals.read.elpd import kfold_elpd
from rivals.read.estimators import classifier, regressor
from rivals.read.files import losses_from_files
from rivals.read.left_out_groups import left_out_posterior
from rivals.read.networks import network
from rivals.read.npz_files import npz
from rivals.read.posteriors import posterior
from rivals.read.simulators import simulator, summaries
from rivals.read.statsmodels_forecasts import forecast
from rivals.read.statsmodels_regressions import regression
from rivals.read.tables import long_table, wide_tables
from rivals.read.xarrays import dataset

__all__ = [
    "arviz_tree",
    "classifier",
    "cross_validated",
    "curve",
    "dataset",
    "distribution",
    "forecast",
    "kfold_elpd",
    "left_out_posterior",
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
