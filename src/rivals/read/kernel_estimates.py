"""Kernel density estimates of many points: the log density by bins, in place of a sum over all
points for each value.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rivals._types import FloatArray

# Bins in a bandwidth. Interpolation then errs by at most (1/200)²/8 = 3e-6 in the log density, and
# d bandwidths from a point, shared by two bins, this errs by at most (d/200)²/8.
BINS = 200
# How far a kernel reaches, in bandwidths: exp(−8²/2) is 1e-14.
REACH = 8
# Fourier transforms err by 1e-16 of the highest density; below this part of it, bins are summed.
LOWEST = 1e-8
# Numbers in memory at once.
AT_ONCE = 2**22


def binned_log_density(
    points: FloatArray, weights: FloatArray, bandwidth: float
) -> Callable[[FloatArray], FloatArray]:
    """The log density of a Gaussian kernel estimate, as a function of values.

    Each point is shared by the two bins beside it, in proportion to how near it is; the bins are
    convolved with the kernel, and the log density is interpolated. Values in the tails, where
    rounding would show, are summed over the bins.

    Examples
    --------
    >>> points = np.random.default_rng(0).normal(size=3000)
    >>> weights = np.full(3000, 1 / 3000)
    >>> log_density = binned_log_density(points, weights, 0.2)
    >>> by_hand = np.exp(-((0.5 - points) ** 2) / (2 * 0.2**2)).mean() / np.sqrt(2 * np.pi) / 0.2
    >>> bool(abs(log_density(np.array([0.5])) - np.log(by_hand)) < 1e-4)
    True
    """
    step = bandwidth / BINS
    first = points.min() - REACH * bandwidth
    n_bins = int((np.ptp(points) + 2 * REACH * bandwidth) / step) + 2
    mass = _binned((points - first) / step, weights, n_bins)
    grid = first + step * np.arange(n_bins)
    known = _log_convolved(mass, step, bandwidth)
    occupied = np.flatnonzero(mass)

    def log_density(values: FloatArray) -> FloatArray:
        found = np.interp(values, grid, known, left=np.nan, right=np.nan)
        in_tails = np.isnan(found)
        found[in_tails] = _log_sums(values[in_tails], grid[occupied], mass[occupied], bandwidth)
        return found

    return log_density


def _binned(places: FloatArray, weights: FloatArray, n_bins: int) -> FloatArray:
    """The mass of each bin; places are in bins, from the first."""
    left = places.astype(np.intp)
    to_right = places - left
    to_the_left = np.bincount(left, weights * (1 - to_right), n_bins)
    to_the_right = np.bincount(left + 1, weights * to_right, n_bins)
    return np.asarray(to_the_left + to_the_right, dtype=np.float64)


def _log_convolved(mass: FloatArray, step: float, bandwidth: float) -> FloatArray:
    """The log density at each bin; NaN where it is too low for a Fourier transform."""
    from scipy import signal

    reach = REACH * BINS
    distances = np.arange(-reach, reach + 1) * (step / bandwidth)
    # Sharing a point between two bins widens it by a sixth of a squared step, on average.
    narrowed = 1 - (step / bandwidth) ** 2 / 6
    kernel = np.exp(-(distances**2) / (2 * narrowed)) / np.sqrt(2 * np.pi * narrowed)
    density = signal.oaconvolve(mass, kernel, mode="same") / bandwidth
    density[density < LOWEST * density.max()] = np.nan
    return np.asarray(np.log(density))


def _log_sums(
    values: FloatArray, centres: FloatArray, mass: FloatArray, bandwidth: float
) -> FloatArray:
    """The log density at each value, by sums over bins that do not underflow."""
    from scipy.special import logsumexp

    norm = bandwidth * np.sqrt(2 * np.pi)
    found = np.empty(values.size)
    rows = max(1, AT_ONCE // centres.size)
    for begin in range(0, values.size, rows):
        part = slice(begin, begin + rows)
        distances = (values[part, None] - centres) / bandwidth
        found[part] = logsumexp(-(distances**2) / 2, axis=1, b=mass / norm)
    return found
