"""`arviz_stats.compare` of pointwise log scores that were held out, as of k-fold validation."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import xarray as xr
from arviz_stats import compare
from arviz_stats.utils import ELPDData


def table(points: Any) -> Any:
    """Its table for models × points of losses, models called by their numbers, best first."""
    models = {}
    for place, one in enumerate(points):
        scores = xr.DataArray(-one, dims="point")
        models[str(place)] = ELPDData(
            kind="loo",
            elpd=float(-one.sum()),
            se=float(np.sqrt(one.size) * one.std()),
            p=0.0,
            n_samples=1,
            n_data_points=one.size,
            scale="log",
            warning=False,
            good_k=0.7,
            elpd_i=scores,
            pareto_k=xr.zeros_like(scores),
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compare(models)
