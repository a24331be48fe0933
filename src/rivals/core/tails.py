"""The heaviest losses: how heavy their tail is, in a word, and which data points they are."""

from __future__ import annotations

from math import ceil, inf, nan, sqrt
from typing import Literal

import numpy as np

from rivals._types import FloatArray, IntArray

TailWord = Literal["good", "look", "do not trust", "too few to tell"]

# The tail is the largest min(n/5, 3√n) losses, as for the k̂ of Pareto-smoothed importance
# sampling.
TAIL_PART = 0.2
TAIL_ROOT = 3.0
FEWEST = 5
# The prior of arviz-stats, which steadies the shape of short tails: as ten more excesses of shape
# ½.
PRIOR_SIZE = 10
PRIOR_SHAPE = 0.5

# A generalised Pareto tail of shape k has moments below order 1/k. From k = ½ on the variance of
# the mean loss is infinite, and its standard error means nothing. The number of losses that a mean
# then needs, 10^(1/(1 − k)), is two thousand at 0.7 and grows without bound (Vehtari et al.,
# Pareto smoothed importance sampling, 2024).
LOOK = 0.5
DO_NOT_TRUST = 0.7


def tail_shape(values: FloatArray) -> float:
    """Shape k of a generalised Pareto distribution for the largest values, by the method of Zhang
    and Stephens (2009).

    It is the k̂ of arviz-stats, to rounding, written out here because the core needs NumPy alone.
    Unit and offset of the values do not matter. k = 0 is an exponential tail, k = 1/α that of a
    Pareto distribution of index α; k < 0 is a tail that ends.

    Parameters
    ----------
    values : array, shape (n,)

    Returns
    -------
    float
        −inf where the five largest values are equal, so that nothing lies beyond: losses that are
        bounded, such as those of a classifier whose probabilities have a floor. nan with fewer
        than five values in the tail.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> round(tail_shape(rng.uniform(size=100_000)), 1)
    -1.0
    >>> round(tail_shape(rng.pareto(2.0, 100_000)), 1)
    0.5
    """
    n_tail = ceil(min(TAIL_PART * values.size, TAIL_ROOT * sqrt(values.size)))
    if n_tail < FEWEST:
        return nan
    tail = np.sort(
        np.partition(values, -n_tail - 1)[-n_tail - 1 :]
    )  # sorting all values would be slow
    excess = tail[1:] - tail[0]
    excess = excess[excess > 0.0]  # what is tied with the threshold is not beyond it
    if excess.size == 0 or excess[max(-FEWEST, -excess.size)] == excess[-1]:
        return -inf
    return _shape(excess / excess[-1]) if excess.size >= FEWEST else nan


def tail_word(shape: float) -> TailWord:
    """What a shape means for averages of the losses: "good" below 0.5, "look" from there to 0.7,
    "do not trust" above.

    Examples
    --------
    >>> [tail_word(shape) for shape in (0.1, 0.6, 0.9)]
    ['good', 'look', 'do not trust']
    """
    if shape != shape:
        return "too few to tell"
    return "good" if shape < LOOK else "look" if shape <= DO_NOT_TRUST else "do not trust"


def extremes(observed: FloatArray, n: int = 5) -> IntArray:
    """Positions of the n largest losses, the largest first; ties in order of position.

    Examples
    --------
    >>> extremes(np.array([0.3, 7.0, 0.1, 2.0]), n=2)
    array([1, 3])
    """
    least = np.partition(observed, -n)[-n] if n < observed.size else -inf
    large = np.flatnonzero(observed >= least)
    return large[np.argsort(-observed[large], kind="stable")][:n].astype(np.intp)


def _shape(excess: FloatArray) -> float:
    """Posterior mean of b = −k/σ under a weak prior, on a grid, and from it k.

    The excesses are sorted, the last is 1.
    """
    n = excess.size
    n_grid = 30 + int(sqrt(excess.size))
    quartile = excess[int(n / 4 + 0.5) - 1]
    grid = 1.0 + (1.0 - np.sqrt(n_grid / (np.arange(1, n_grid + 1) - 0.5))) / (3.0 * quartile)
    shapes = np.mean(np.log1p(-grid[:, None] * excess), axis=1)
    # −b/k → 1/mean for b → 0, the exponential tail.
    rate = -np.divide(grid, shapes, out=np.full(n_grid, -1.0 / excess.mean()), where=shapes != 0.0)
    log_likelihood = n * (np.log(rate) - shapes - 1.0)
    weight = np.exp(log_likelihood - log_likelihood.max())
    shape = np.mean(np.log1p(-(grid @ weight) / weight.sum() * excess))
    return float((n * shape + PRIOR_SIZE * PRIOR_SHAPE) / (n + PRIOR_SIZE))
