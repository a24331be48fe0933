"""The distance W against SciPy, and exactly where it is known."""

import numpy as np
import pytest
from scipy import stats

from rivals.method.distance import both_grids, wasserstein_distances


@pytest.mark.parametrize("sizes", [(50, 50), (50, 51), (60, 40), (7, 1000), (2, 3)])
def test_distance_against_scipy(sizes):
    rng = np.random.default_rng(0)
    observed = rng.exponential(size=sizes[0])
    simulated = rng.normal(1.0, 1.0, (4, sizes[1]))
    expected = [stats.wasserstein_distance(observed, one) ** 2 for one in simulated]
    np.testing.assert_allclose(
        wasserstein_distances(observed, simulated) ** 2, expected, rtol=1e-12
    )


def test_distance_of_equal_sizes_is_that_of_order_statistics():
    rng = np.random.default_rng(1)
    observed = rng.standard_normal(100)
    simulated = rng.standard_normal((3, 100))
    expected = np.mean(np.abs(np.sort(simulated, axis=1) - np.sort(observed)), axis=1) ** 2
    np.testing.assert_allclose(
        wasserstein_distances(observed, simulated) ** 2, expected, rtol=1e-12
    )


@pytest.mark.parametrize(
    ("n", "m"), [(1, 1), (2, 2), (49, 49), (1000, 1000), (1, 5), (6, 4), (1000, 999), (128, 96)]
)
def test_grids_are_merged_as_by_union1d_to_the_last_bit(n, m):
    edges = np.union1d(m * np.arange(1, n + 1), n * np.arange(1, m + 1))
    plain = (edges - 1) // m, (edges - 1) // n, np.diff(edges, prepend=0) / (float(n) * m)
    for found, expected in zip(both_grids(n, m), plain, strict=True):
        np.testing.assert_array_equal(found, expected, strict=True)


def test_distance_of_a_shift_and_of_the_same_sample():
    sample = np.random.default_rng(2).exponential(size=64)
    distances = wasserstein_distances(
        sample, np.stack([sample, sample[::-1] + 0.5, np.repeat(sample, 1)])
    )
    np.testing.assert_allclose(distances, [0.0, 0.5, 0.0], atol=1e-15)
    assert (
        wasserstein_distances(sample, np.repeat(sample, 3)[None, :])[0] == 0.0
    )  # the same law, another size


def test_an_offset_costs_no_digits():
    rng = np.random.default_rng(3)
    observed, simulated = rng.integers(0, 1000, 50) / 8, rng.integers(0, 1000, (2, 50)) / 8
    near = wasserstein_distances(observed, simulated)
    np.testing.assert_array_equal(wasserstein_distances(observed + 1e12, simulated + 1e12), near)
