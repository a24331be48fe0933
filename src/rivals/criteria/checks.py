"""Checks of the input of criteria: log likelihoods, losses, posterior draws and their weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rivals._say.samples import as_numbers, check_finite
from rivals._types import FloatArray


def check_log_likelihood(values: ArrayLike) -> FloatArray:
    """The log likelihood of each data point (or their sum alone) as a vector."""
    return _finite(_one_per_point(values, "log likelihood"), "log likelihood", sign=-1)


def check_point_losses(values: ArrayLike, what: str = "losses") -> FloatArray:
    """The loss of each data point as a vector.

    Unlike for a quantile function, one point is enough.
    """
    return _finite(_one_per_point(values, what), what)


def check_draws(values: ArrayLike) -> FloatArray:
    """Log likelihoods of shape (draws, points)."""
    what = "pointwise log likelihood"
    # No copy where none is needed: draws times points may be gigabytes.
    plain = type(values) is np.ndarray and values.dtype == np.float64
    array = np.asarray(values) if plain else as_numbers(values, what)
    if array.ndim != 2 or array.shape[0] < 2:
        raise ValueError(
            f"{what}: expected a matrix with one row for each of several draws of the posterior "
            f"and one column for each data point; got shape {array.shape}; stack chains first"
        )
    return _finite(array, what, sign=-1)


def check_weights(weights: ArrayLike | None, n_draws: int) -> FloatArray:
    """Normalised weights of the draws, equal ones for None."""
    if weights is None:
        return np.full(n_draws, 1 / n_draws)
    array = as_numbers(weights, "weights")
    if array.shape != (n_draws,):
        raise ValueError(
            f"weights: expected one for each of {n_draws} draws; got shape {array.shape}"
        )
    if not (np.isfinite(array).all() and (array >= 0).all() and array.sum() > 0):
        raise ValueError(
            "weights must be finite, non-negative and not all zero; pass None for equal ones"
        )
    return np.asarray(array / array.sum())


def _one_per_point(values: ArrayLike, what: str) -> FloatArray:
    array = np.atleast_1d(as_numbers(values, what))
    if array.ndim != 1:
        raise ValueError(
            f"{what}: expected one number for each data point; got shape {array.shape}; flatten it"
        )
    return array


def _finite(array: FloatArray, what: str, *, sign: int = 1) -> FloatArray:
    """At least one number, all of them finite; with `sign` they are losses."""
    if array.size == 0:
        raise ValueError(f"{what}: expected at least one number; got none")
    if not np.isfinite(array).all():
        check_finite(sign * array, what)
    return array
