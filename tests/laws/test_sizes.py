"""Sampling errors of clusters and series are right: a nominal 10 % test has a size of 8 to 12 %."""

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.special import stdtr

from rivals.core.sampling_error import MeanErrors

REPEATS = 4000  # a standard error of 0.5 %: four of them from 10 % to either limit


def size(draw):
    """How often the mean of a sample whose true mean is 0 is called different from 0 at the 10 %
    level.
    """
    rng = np.random.default_rng(0)
    rejected = 0
    for _ in range(REPEATS):
        sample, how = draw(rng)
        errors = MeanErrors.of(sample[None, :], **how)
        rejected += (
            2.0 * stdtr(errors.degrees, -abs(sample.mean()) / np.sqrt(errors.variance[0])) < 0.1
        )
    return rejected / REPEATS


@pytest.mark.parametrize("autocorrelation", [0.0, 0.5, 0.9, 0.95])
def test_series_of_a_thousand_points(autocorrelation):
    def draw(rng):
        return lfilter([1.0], [1.0, -autocorrelation], rng.standard_normal(1300))[300:], {
            "order": "time"
        }

    assert 0.08 < size(draw) < 0.12


@pytest.mark.parametrize("n_clusters", [3, 5, 10])
def test_few_clusters(n_clusters):
    cluster = np.repeat(np.arange(n_clusters), 1000 // n_clusters)

    def draw(rng):
        return rng.standard_normal(n_clusters)[cluster] + rng.standard_normal(cluster.size), {
            "clusters": cluster
        }

    assert 0.08 < size(draw) < 0.12


def test_the_error_of_a_pair_in_a_series_is_that_of_its_difference():
    """Two models share a slow component, which cancels; the rest has its own autocorrelation."""
    rng = np.random.default_rng(1)
    slow = lfilter([1.0], [1.0, -0.95], rng.standard_normal(2000))
    pair = np.stack([slow + rng.standard_normal(2000), slow + rng.standard_normal(2000)])
    covariance = MeanErrors.of(pair, order="time").covariance()
    error = np.sqrt(covariance[0, 0] + covariance[1, 1] - 2.0 * covariance[0, 1])
    assert error == pytest.approx(np.sqrt(2.0 / 2000), rel=0.15)
