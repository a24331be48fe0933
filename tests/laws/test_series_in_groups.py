"""Groups that are series, of few points perhaps: the sampling error is of the pair alone."""

import numpy as np
import pytest
from scipy.signal import lfilter
from scipy.special import stdtrit

import rivals
from rivals.core.short_series import autocorrelation_of_series, means_of_series
from rivals.method.probability import probability_over
from rivals.method.spread import spread_between_groups

REPEATS = 4000  # a standard error of 0.5 %: four of them from 10 % to either limit


def autoregressions(rho, shape, rng):
    """Series along the last axis, from their stationary law."""
    noise = rng.standard_normal(shape)
    noise[..., 0] /= np.sqrt(1.0 - rho**2)
    return lfilter([1.0], [1.0, -rho], noise, axis=-1)


def repeated_studies(n_groups, n_points, rho):
    """Means and variances of the groups of many studies whose true mean is 0, and degrees."""
    rng = np.random.default_rng(0)
    series = autoregressions(rho, (REPEATS, n_groups, n_points), rng).reshape(REPEATS, -1)
    sizes = np.full(n_groups, n_points)
    found = autocorrelation_of_series(series, sizes)
    degrees = 0.5 * n_groups * n_points * (1.0 - found) / (1.0 + found)
    return *means_of_series(series, sizes), degrees


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
@pytest.mark.parametrize(("n_groups", "n_points"), [(50, 10), (10, 50), (5, 200)])
def test_size_of_a_test_of_ten_percent(n_groups, n_points, rho):
    """An error estimated from a slow series is known with n (1 − ρ) / (2 (1 + ρ)) degrees of
    freedom, as in docs/theory.md.
    """
    means, variances, degrees = repeated_studies(n_groups, n_points, rho)
    error = np.sqrt(variances.sum(axis=1)) / n_groups
    rejected = np.abs(means.mean(axis=1)) > stdtrit(degrees, 0.95) * error
    assert 0.08 < rejected.mean() < 0.12


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.9])
@pytest.mark.parametrize(("n_groups", "n_points"), [(50, 10), (10, 50), (5, 200)])
def test_law_of_the_groups_states_too_much_in_none_of_these(n_groups, n_points, rho):
    """The law takes the error as known. That τ is unknown more than makes up for it: of models
    that are equal in every group, at most one in ten is stated better or worse, over the same
    number of new groups and over all groups.
    """
    means, variances, _ = repeated_studies(n_groups, n_points, rho)
    spread = spread_between_groups(means, variances, np.zeros((1, REPEATS)))
    for new_groups in (float(n_groups), np.inf):
        probability = probability_over(spread, new_groups)[0]
        stated = np.abs(probability - 0.5) > 0.45
        assert stated.mean() < 0.1


def test_what_an_autoregression_misses_is_left_to_the_spread_between_groups():
    """Under as much white noise the first lag shows half of a slow series: the error is three
    times too small, and the law states no more than it should. Seen are 9.3 %, ± 0.5 %.
    """
    rng = np.random.default_rng(1)
    slow = autoregressions(0.9, (REPEATS, 50, 10), rng)
    series = (slow + slow.std() * rng.standard_normal(slow.shape)).reshape(REPEATS, -1)
    means, variances = means_of_series(series, np.full(50, 10))
    error = np.sqrt(variances.sum(axis=1)) / 50
    assert np.mean(np.abs(means.mean(axis=1)) > 1.645 * error) > 0.3
    spread = spread_between_groups(means, variances, np.zeros((1, REPEATS)))
    assert np.mean(np.abs(probability_over(spread, np.inf)[0] - 0.5) > 0.45) < 0.12


def models(n_models, n_groups, n_points, rho=0.0):
    rng = np.random.default_rng(3)
    shared = rng.exponential(size=n_groups * n_points)
    own = autoregressions(rho, (n_models, n_groups, n_points), rng).reshape(n_models, -1)
    return {f"m{index}": shared + 0.3 * row + 0.01 * index for index, row in enumerate(own)}


def test_independent_points_lose_little():
    """The largest autocorrelation of many pairs in short groups made variances 54 times larger."""
    losses = models(5, 50, 10)
    groups = np.repeat(np.arange(50), 10)
    plain = rivals.compare(losses, groups=groups).applied.grouped
    series = rivals.compare(losses, groups=groups, order="time").applied.grouped
    first, second = np.triu_indices(5, 1)
    ratio = series.pairs(first, second).variances / plain.pairs(first, second).variances
    # ρ is known to 1/√500, and the variance of a mean grows by 2ρ: four of these errors.
    assert np.all((ratio > 0.9) & (ratio < 1.4))


@pytest.mark.parametrize("scale", [1.0, 1e6])
@pytest.mark.parametrize("sizes", [[10] * 50, [3, 5, 8, 13, 21] * 5])
def test_other_models_change_no_bit_of_a_pair(sizes, scale):
    groups = np.repeat(np.arange(len(sizes)), sizes)
    losses = models(5, 1, groups.size, rho=0.5)
    losses["m4"] = scale * losses["m4"]
    among = rivals.compare(losses, groups=groups, order="time").probability
    for a in range(5):
        for b in range(a + 1, 5):
            pair = {name: losses[name] for name in (f"m{a}", f"m{b}")}
            alone = rivals.compare(pair, groups=groups, order="time").probability
            assert among[a, b] == alone[0, 1], (a, b)


def test_groups_of_two_points_say_that_they_show_nothing():
    losses = models(2, 30, 2)
    result = rivals.compare(losses, groups=np.repeat(np.arange(30), 2), order="time")
    assert "order='time' changes nothing" in " ".join(result.applied.remarks(result.names))


def test_groups_of_unequal_sizes():
    """Expected values are of all groups together, whatever their sizes."""
    rng = np.random.default_rng(4)
    sizes = np.array([1, 2, 3, 10, 40, 100])
    parts = [autoregressions(0.6, (2000, size), rng) for size in sizes]
    means, variances = means_of_series(np.hstack(parts), sizes)
    seen = means.var(axis=0)
    # Variances of 2 000 normal numbers are known to 3 %, and ρ of 156 points to 0.06.
    np.testing.assert_allclose(np.median(variances, axis=0), seen, rtol=0.15)
