"""Uncertainty of the risk because data are few; unlike the risk distribution, it vanishes with more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from rivals._types import RNG, FloatArray
from rivals.criteria.checks import check_count, check_log_likelihood


class SimulatesAndScores(Protocol):
    """What a candidate must offer here."""

    @property
    def loss(self) -> Callable[[Any], Any]:
        """Losses of the points of a data set."""

    @property
    def simulate(self) -> Callable[[int, np.random.Generator], Any]:
        """Simulated data of a given size."""


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

    Examples
    --------
    >>> bootstrap_risk([1.0, 2.0, 3.0], n_resamples=4, rng=0).shape
    (4,)
    """
    array = check_log_likelihood(losses, "loss")
    check_count(n_resamples, "number of resamples", 1)
    generator = np.random.default_rng(rng)
    return np.array([array[generator.integers(array.size, size=array.size)].mean() for _ in range(n_resamples)])


def synthetic_risk(candidate: SimulatesAndScores, n: int, *, n_repeats: int = 400, rng: RNG = None) -> FloatArray:
    """Return the risks of data sets of size `n` which the model simulated itself.

    Parameters
    ----------
    candidate : rivals.Candidate or alike
        With ``simulate(n, rng)`` and ``loss(data)``.
    n : int
        Number of data points of each.
    n_repeats : int
    rng : int, SeedSequence, Generator or None

    Returns
    -------
    ndarray, shape (n_repeats,)

    Examples
    --------
    >>> import rivals
    >>> model = rivals.Candidate(loss=lambda y: y**2 / 2, simulate=lambda n, rng: rng.standard_normal(n))
    >>> risks = synthetic_risk(model, 100, n_repeats=200, rng=0)
    >>> risks.shape, round(float(risks.mean()), 1)
    ((200,), 0.5)
    """
    check_count(n, "number of data points", 1)
    check_count(n_repeats, "number of repeats", 1)
    generator = np.random.default_rng(rng)
    return np.array(
        [
            check_log_likelihood(candidate.loss(candidate.simulate(n, generator)), "loss of simulated data").mean()
            for _ in range(n_repeats)
        ]
    )
