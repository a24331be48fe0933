"""Densities of several samples over the range where they lie together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from rivals_paper.arrays import FloatArray


def common_range(
    samples: Sequence[FloatArray], *, left_out: float, margin: float, n_points: int
) -> FloatArray:
    """Return even points from the lowest to the highest quantile, `left_out` of all beyond each,
    and a margin.
    """
    low, high = np.quantile(np.concatenate(samples), [left_out, 1 - left_out])
    return np.linspace(low - margin * (high - low), high + margin * (high - low), n_points)


def density(sample: FloatArray, points: FloatArray, *, long_tailed: bool = False) -> FloatArray:
    """Return a Gaussian kernel density, of Scott's bandwidth.

    Of a long-tailed sample, of that of its middle half.
    """
    from scipy.stats import gaussian_kde

    kernel = gaussian_kde(sample)
    if long_tailed:
        low, high = np.quantile(sample, [0.25, 0.75])
        kernel.set_bandwidth(kernel.scotts_factor() * min((high - low) / 1.349 / sample.std(), 1.0))
    return np.asarray(kernel(points))
