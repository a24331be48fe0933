"""What anything that was fitted says of rows it has not seen: a distribution, or predictions."""

from __future__ import annotations

from typing import Any

import numpy as np

from rivals._core.types import FloatArray, IntArray
from rivals.read._densities import Density, density_of, density_of_labels, is_distribution
from rivals.read._estimators import probabilities_of
from rivals.read._rows import numbers_of
from rivals.read._statsmodels_fits import is_result, is_unfitted, response_of, statsmodels_density

WHAT = (
    "a distribution (as scipy.stats.norm(mean, sigma)), results of statsmodels, a fitted "
    "classifier, a rivals.Candidate, or a function of the rows that gives one of these"
)


def is_candidate(model: Any) -> bool:
    """Whether it has a loss and simulates."""
    return callable(getattr(model, "loss", None)) and callable(getattr(model, "simulate", None))


def at_rows(fitted: Any, rows: Any) -> Any:
    """What a function of the rows gives; anything else as it is."""
    is_model = (
        is_candidate(fitted)
        or is_distribution(fitted)
        or callable(getattr(fitted, "predict", None))
        or isinstance(fitted, type)
    )
    return fitted if is_model or not callable(fitted) else fitted(rows)


def density_at(fitted: Any, rows: Any, n_points: int, units: IntArray) -> Density:
    """The distribution of the targets at rows; `units` are the groups of these."""
    if is_distribution(fitted):
        return density_of(fitted, n_points)
    if is_result(fitted):
        return statsmodels_density(fitted, rows, n_points, units)
    if hasattr(fitted, "predict_proba") and hasattr(fitted, "classes_"):
        classes = np.asarray(fitted.classes_)
        at = inputs_of(fitted, rows)
        return density_of_labels(classes, probabilities_of(fitted, at, classes))
    name = type(fitted).__name__
    if is_unfitted(fitted):
        raise TypeError(f"{name} of statsmodels is not fitted; return what its fit() gives")
    if hasattr(fitted, "predict") or hasattr(fitted, "__array__") or isinstance(fitted, float):
        raise TypeError(
            f"{name} gives numbers, and says nothing of how targets are distributed about them; "
            'pass noise=, as noise="gaussian", or judge predictions by loss=, as loss="absolute"; '
            f"or return {WHAT}"
        )
    raise TypeError(f"expected {WHAT}; got {name}")


def predictions_at(fitted: Any, rows: Any, n_points: int) -> FloatArray:
    """Predicted numbers at rows."""
    who = type(fitted).__name__
    if hasattr(fitted, "predict"):
        return numbers_of(fitted.predict(inputs_of(fitted, rows)), n_points, who)
    if is_distribution(fitted):
        return numbers_of(np.broadcast_to(fitted.mean(), n_points), n_points, who)
    return numbers_of(fitted, n_points, who)


def inputs_of(fitted: Any, rows: Any) -> Any:
    """The columns that an estimator was fitted to, where it knows their names."""
    names = getattr(fitted, "feature_names_in_", None)
    return rows if names is None or not hasattr(rows, "columns") else rows[list(names)]


def target_of(fitted: Any) -> str:
    """The name of the response of a formula; "" of anything else."""
    return response_of(fitted) if is_result(fitted) else ""
