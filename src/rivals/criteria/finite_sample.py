"""Uncertainty of the risk due to few data; unlike the risk distribution, it vanishes with more data."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rivals._checks import check_model, check_size
from rivals._types import RNG, FloatArray, Model
from rivals.criteria.checks import check_point_losses


def bootstrap_risk(losses: ArrayLike, *, n_resamples: int = 1200, rng: RNG = None) -> FloatArray:
    """Return the risks of data sets resampled from the observed one, with replacement.

    Parameters
    ----------
    losses : array_like
        Loss of each data point.
    n_resamples : int
    rng : int, SeedSequence, Generator or None

    Returns
    -------
    ndarray, shape (n_resamples,)

    See Also
    --------
    synthetic_risk : over data that the model simulates.
    risk : the mean and its standard error.

    Examples
    --------
    >>> bootstrap_risk([1.0, 2.0, 3.0], n_resamples=4, rng=0).shape
    (4,)
    """
    array = check_point_losses(losses)
    n_resamples = check_size(n_resamples, "n_resamples")
    generator = np.random.default_rng(rng)
    return np.array([array[generator.integers(array.size, size=array.size)].mean() for _ in range(n_resamples)])


def synthetic_risk(candidate: Model, n: int, *, n_repeats: int = 400, rng: RNG = None) -> FloatArray:
    """Return the risks of data sets of size `n` simulated by the model itself.

    Parameters
    ----------
    candidate : rivals.Candidate or similar
        With ``simulate(n, rng)`` and ``loss(data)``.
    n : int
        Number of data points in each.
    n_repeats : int
    rng : int, SeedSequence, Generator or None

    Returns
    -------
    ndarray, shape (n_repeats,)

    See Also
    --------
    bootstrap_risk : over resamples of the observed data.

    Examples
    --------
    >>> from rivals.testbeds import toys
    >>> risks = synthetic_risk(toys.gaussian(), 100, n_repeats=200, rng=0)
    >>> risks.shape, round(float(risks.mean()), 1)
    ((200,), 0.5)
    """
    check_model(candidate, "candidate: ")
    n, n_repeats = check_size(n, "n"), check_size(n_repeats, "n_repeats")
    generator = np.random.default_rng(rng)
    return np.array(
        [
            check_point_losses(candidate.loss(candidate.simulate(n, generator)), "losses of simulated data").mean()
            for _ in range(n_repeats)
        ]
    )
