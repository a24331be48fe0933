"""What is checked at the border of the criteria: every error says what was found and what to do."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rivals._types import FloatArray


def check_log_likelihood(values: ArrayLike, what: str = "log likelihood") -> FloatArray:
    """Return the log likelihood of each data point as a vector, or explain what is wrong with it."""
    array = np.atleast_1d(np.asarray(values, dtype=np.float64))
    if array.ndim != 1:
        raise ValueError(f"The {what} must have one number for each data point, found shape {array.shape}.")
    return _check_finite(array, what)


def check_draws(values: ArrayLike, what: str = "pointwise log likelihood") -> FloatArray:
    """Return the log likelihoods of shape (draws, points), or explain what is wrong with them."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 2 or array.shape[0] < 2:
        raise ValueError(
            f"The {what} must be a matrix with one row for each of several draws of the posterior and one "
            f"column for each data point, found shape {array.shape}. Stack chains first."
        )
    return _check_finite(array, what)


def check_weights(weights: ArrayLike | None, n_draws: int) -> FloatArray:
    """Return normalised weights of the draws, equal ones for None."""
    if weights is None:
        return np.full(n_draws, 1 / n_draws)
    array = np.asarray(weights, dtype=np.float64)
    if array.shape != (n_draws,):
        raise ValueError(f"There are {n_draws} draws, but the weights have shape {array.shape}.")
    if not (np.isfinite(array).all() and (array >= 0).all() and array.sum() > 0):
        raise ValueError("The weights of the draws must be finite, non-negative and not all zero.")
    return np.asarray(array / array.sum())


def check_count(value: int, what: str, least: int) -> int:
    """Return a whole number that is large enough."""
    if int(value) != value or value < least:
        raise ValueError(f"The {what} must be a whole number of at least {least}, but {value!r} was given.")
    return int(value)


def missing(extra: str, error: ImportError) -> ImportError:
    """Return an error that says which extra to install."""
    return ImportError(f'This needs {error.name}: pip install "rivals[{extra}]"')


def _check_finite(array: FloatArray, what: str) -> FloatArray:
    if array.size == 0:
        raise ValueError(f"The {what} is empty.")
    bad: Any = ~np.isfinite(array)
    if bad.any():
        impossible = int(np.isneginf(array).sum())
        reason = (
            f"the model assigns zero probability to {impossible} of them: give it wider tails"
            if impossible == bad.sum()
            else "check the model and the data at these points"
        )
        raise ValueError(f"The {what} has {int(bad.sum())} non-finite values among {array.size}; {reason}.")
    return array
