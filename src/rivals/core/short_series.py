"""Sampling errors of the means of groups, each of which is a series, of few points perhaps.

One autoregression x_t = ρ x_{t−1} + u_t for all groups of a row, since a short one alone does not
tell ρ. Deviations are from the mean of each group, which takes away part of the autocorrelation:
all of it where a group has two points. What is left is known exactly for an autoregression, as a
function of ρ and of the sizes, and is inverted.
"""

from __future__ import annotations

import numpy as np

from rivals._types import FloatArray, IntArray

# Beyond this a series cannot be told from a trend.
LARGEST_AUTOCORRELATION = 0.97
# Values of ρ between which it is interpolated.
GRID = np.linspace(0.0, LARGEST_AUTOCORRELATION, 389)
# Groups of fewer points do not tell ρ.
SHORTEST = 3


def means_of_series(series: FloatArray, sizes: IntArray) -> tuple[FloatArray, FloatArray]:
    """Mean of each group, and its sampling variance; both rows × groups.

    Parameters
    ----------
    series : array, shape (rows, n)
        The points of the first group in their order, those of the second, and so on.
    sizes : array of int
        Points in each group.

    Examples
    --------
    >>> series = np.array([[1.0, 3.0, 2.0, 2.0, 4.0, 6.0]])
    >>> means_of_series(series, np.array([3, 3]))[0]
    array([[2., 4.]])
    """
    means, squares, lagged = _sums(series, sizes)
    rho = _autocorrelation(squares, lagged, sizes)
    kinds, kind = np.unique(sizes, return_inverse=True)
    # `take` makes rows that are contiguous: sums along them then add in the same order, however
    # many rows there are.
    shares = np.take(np.stack([_share(rho, size) for size in kinds.tolist()], axis=1), kind, axis=1)
    expected = np.sum(sizes * (1.0 - shares), axis=1)
    variance = np.divide(squares, expected, out=np.zeros_like(squares), where=expected > 0.0)
    return means, variance[:, None] * shares


def autocorrelation_of_series(series: FloatArray, sizes: IntArray) -> FloatArray:
    """ρ of each row, pooled over its groups.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> bool(autocorrelation_of_series(rng.normal(size=(1, 4000)), np.full(400, 10))[0] < 0.05)
    True
    """
    _, squares, lagged = _sums(series, sizes)
    return _autocorrelation(squares, lagged, sizes)


def _sums(series: FloatArray, sizes: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Mean of each group; Σ x_t² and Σ x_t x_{t+1} of deviations from it, over all groups."""
    begins = np.cumsum(sizes) - sizes
    group = np.repeat(np.arange(sizes.size), sizes)
    means = np.add.reduceat(series, begins, axis=1) / sizes
    deviations = series - np.take(means, group, axis=1)
    squares = np.sum(deviations * deviations, axis=1)
    products = deviations[:, 1:] * deviations[:, :-1]
    products[:, group[1:] != group[:-1]] = 0.0
    lagged = np.sum(products, axis=1)
    return means, squares, lagged


def _autocorrelation(squares: FloatArray, lagged: FloatArray, sizes: IntArray) -> FloatArray:
    """ρ of each row: at which Σ x_t x_{t+1} / Σ x_t² is expected to be what it is."""
    if sizes.max() < SHORTEST:
        return np.zeros(squares.size)
    kinds, counts = np.unique(sizes, return_counts=True)
    above = np.zeros(GRID.size)
    below = np.zeros(GRID.size)
    for size, count in zip(kinds.tolist(), counts.tolist(), strict=True):
        above += count * _expected_product(GRID, size)
        below += count * size * (1.0 - _share(GRID, size))
    found = np.divide(lagged, squares, out=np.zeros_like(squares), where=squares > 0.0)
    return np.interp(found, above / below, GRID)


def _share(rho: FloatArray, size: int) -> FloatArray:
    """Variance of the mean of so many points of an autoregression of variance 1."""
    left = 1.0 - rho
    total = size * left * (1.0 + rho) - 2.0 * rho * (1.0 - _power(rho, size))
    return np.asarray(total / (size * left) ** 2)


def _expected_product(rho: FloatArray, size: int) -> FloatArray:
    """E Σ_t x_t x_{t+1} of deviations from the mean, of an autoregression of variance 1."""
    with_first = (1.0 - _power(rho, size)) / (
        size * (1.0 - rho)
    )  # covariance of the mean and an end
    return np.asarray((size - 1) * rho - (size + 1) * _share(rho, size) + 2.0 * with_first)


def _power(rho: FloatArray, exponent: int) -> FloatArray:
    """ρ to a whole power by products, whose bits do not depend on where in an array ρ stands."""
    found = np.ones_like(rho)
    square = rho
    while exponent:
        if exponent % 2:
            found = found * square
        square = square * square
        exponent //= 2
    return found
