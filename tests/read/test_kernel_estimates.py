"""Kernel density estimates of many points: bins against the sum over all points."""

from __future__ import annotations

import time

import numpy as np
import pytest
from scipy import stats

from rivals.read import distribution

RNG = np.random.default_rng(0)
SAMPLES = {
    "gaussian": RNG.normal(size=4000),
    "heavy tails": stats.t(3).rvs(size=4000, random_state=1),
    "no variance": stats.cauchy.rvs(size=4000, random_state=2),
    "an edge": 1e-9 * RNG.exponential(size=4000),
    "far apart": np.concatenate([RNG.normal(size=3000), 1e3 + RNG.normal(size=3000)]),
    "few values": RNG.integers(0, 3, size=3000).astype(float),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_bins_give_the_sum_over_all_points(name):
    """Five bandwidths from all points, which is rare, two bins in place of a point err by
    (5/200)²/8 = 8e-5. A mean over 10⁵ points has a Monte Carlo error of 3e-3.
    """
    kernel = stats.gaussian_kde(SAMPLES[name])
    values = kernel.resample(500, seed=3)[0]
    difference = -distribution(kernel).loss(values) - kernel.logpdf(values)
    assert np.abs(difference).max() < 8e-5
    assert abs(difference.mean()) < 1e-5


@pytest.mark.parametrize("name", SAMPLES)
def test_bins_in_the_tails(name):
    """A point is shared by two bins; at a distance of d bandwidths the log density, −d²/2, errs by
    up to (d/200)²/8, which is 6e-6 of it.
    """
    kernel = stats.gaussian_kde(SAMPLES[name])
    bandwidth = np.sqrt(kernel.covariance[0, 0])
    low = SAMPLES[name].min() - 30 * bandwidth
    high = SAMPLES[name].max() + 30 * bandwidth
    values = np.linspace(low, high, 300)
    found = -distribution(kernel).loss(values)
    exact = kernel.logpdf(values)
    peak = exact.max()
    assert np.all(np.abs(found - exact) < 1e-5 * (1 + peak - exact))


def test_weights_count():
    points = RNG.normal(size=3000)
    kernel = stats.gaussian_kde(points, weights=np.where(points > 0, 3.0, 1.0))
    values = np.linspace(-3, 3, 100)
    np.testing.assert_allclose(
        -distribution(kernel).loss(values), kernel.logpdf(values), atol=1e-4, rtol=0
    )


def test_a_tiny_bandwidth_takes_no_memory():
    """There would be 10¹² bins."""
    kernel = stats.gaussian_kde(RNG.normal(size=3000), bw_method=1e-9)
    values = kernel.dataset[0, :5]
    np.testing.assert_array_equal(-distribution(kernel).loss(values), kernel.logpdf(values))


def test_time_does_not_grow_with_the_square():
    """The sum over all points took minutes."""
    points = RNG.normal(size=100_000)
    begin = time.process_time()
    distribution(stats.gaussian_kde(points)).loss(points)
    assert time.process_time() - begin < 2.0
