"""Sampling errors of means: known variances of dependent series and groups, exact symmetries."""

import numpy as np
import pytest
from scipy import stats
from scipy.signal import lfilter

from rivals.method.error import WHOLE, PairSums, mean_errors


def autoregressive(rho, shape, rng):
    """Stationary AR(1) with innovations of variance 1: the long-run variance is 1 / (1 − ρ)²."""
    noise = rng.standard_normal(shape)
    noise[..., 0] /= np.sqrt(1.0 - rho**2)
    return lfilter([1.0], [1.0, -rho], noise, axis=-1)


def kinds(rng, n=240):
    """One set of arguments for each kind of dependence."""
    return [{}, {"order": "time"}, {"clusters": rng.integers(0, 12, n)}]


def own(losses, **how):
    """The variance of the mean of the only series."""
    return mean_errors(np.atleast_2d(losses), **how).own[0]


def pairs(losses, **how):
    """The variance of each difference of two means, as a matrix."""
    return mean_errors(losses, **how).sums.whole()


def of_pairs(covariance):
    diagonal = np.diagonal(covariance)
    return diagonal[:, None] + diagonal[None, :] - 2.0 * covariance


def test_independent_points_have_the_sample_variance_of_the_difference():
    losses = np.random.default_rng(0).exponential(size=(3, 500))
    covariance = np.cov(losses) / 500
    np.testing.assert_allclose(pairs(losses), of_pairs(covariance), rtol=1e-12, atol=1e-18)
    np.testing.assert_allclose(mean_errors(losses).own, np.diagonal(covariance), rtol=1e-12)


@pytest.mark.parametrize("rho", [-0.5, 0.3, 0.6])
def test_long_run_variance_of_autoregressive_series(rho):
    """200 series of 4 000 points. Bartlett's bias, of order 1/bandwidth, is below 10 % here; Monte
    Carlo error 1 %.
    """
    series = autoregressive(rho, (200, 4000), np.random.default_rng(1))
    estimates = [own(one, order="time") * 4000 for one in series]
    assert np.mean(estimates) == pytest.approx(1.0 / (1.0 - rho) ** 2, rel=0.10)
    naive = [own(one) * 4000 for one in series]
    assert np.mean(naive) == pytest.approx(1.0 / (1.0 - rho**2), rel=0.02)


def autocorrelation(series):
    return series[1:] @ series[:-1] / (series @ series)


def by_lags(series):
    """Bartlett's kernel by the textbook's sum over lags, with Andrews' bandwidth, for the
    covariance of the means.
    """
    n = series.shape[1]
    rho = autocorrelation(series[0] - series[1])
    m = max(int(np.ceil(1.1447 * (4 * rho**2 / (1 - rho**2) ** 2 * n) ** (1 / 3))), 1)
    sums = series @ series.T
    for lag in range(1, m):
        product = series[:, lag:] @ series[:, :-lag].T
        sums += (1.0 - lag / m) * (product + product.T)
    length = np.minimum(np.arange(1, n + m), n) - np.maximum(np.arange(1, n + m) - m, 0)
    return sums / (n * (1.0 - np.sum(length**2) / (m * n**2))) / n


@pytest.mark.parametrize("rho", [-0.5, 0.2, 0.7])
def test_windows_are_bartletts_kernel_on_whitened_series(rho):
    """x_t − ρ x_{t−1} with ρ corrected for its bias (1 + 3 ρ)/n, recoloured by 1/(1 − ρ)²; no
    whitening where ρ < 0.
    """
    n = 300
    series = autoregressive(rho, (2, n), np.random.default_rng(2))
    series -= series.mean(axis=1, keepdims=True)
    found = autocorrelation(series[0] - series[1])
    if found < 0:
        expected = by_lags(series)
    else:
        found += (1 + 3 * found) / n
        white = series[:, 1:] - found * series[:, :-1]
        white -= white.mean(axis=1, keepdims=True)
        expected = by_lags(white) * (n - 1) / n / (1 - found) ** 2
    expected = of_pairs(expected)[0, 1]
    assert pairs(series, order="time")[0, 1] == pytest.approx(expected, rel=1e-10)


def covered(samples, **how):
    """The part of the intervals from Student's quantiles, nominally nine in ten, that hold the
    mean, which is zero.
    """
    errors = [mean_errors(one[None, :], **how) for one in samples]
    widths = [stats.t.ppf(0.95, each.degrees) * np.sqrt(each.own[0]) for each in errors]
    return np.mean(np.abs(np.mean(samples, axis=1)) < widths)


@pytest.mark.parametrize(("rho", "n"), [(0.8, 200), (0.5, 1000), (0.95, 1000)])
def test_intervals_of_slow_series_cover(rho, n):
    """To 3 standard errors of 2 000 series."""
    assert covered(
        autoregressive(rho, (2000, n), np.random.default_rng(13)), order="time"
    ) == pytest.approx(0.9, abs=0.02)


@pytest.mark.parametrize("n_clusters", [3, 10])
def test_intervals_of_few_clusters_cover(n_clusters):
    rng = np.random.default_rng(14)
    labels = np.repeat(np.arange(n_clusters), 20)
    samples = rng.standard_normal((2000, n_clusters))[:, labels] + rng.standard_normal(
        (2000, labels.size)
    )
    assert covered(samples, clusters=labels) == pytest.approx(0.9, abs=0.02)


def test_time_order_costs_nothing_where_points_are_independent():
    """Unbiased for white noise whatever the bandwidth: 1 000 series, standard error of the mean
    below 1 %.
    """
    rng = np.random.default_rng(3)
    estimates = [own(rng.standard_normal(400), order="time") * 400 for _ in range(1000)]
    assert np.mean(estimates) == pytest.approx(1.0, abs=0.03)


def test_what_is_slow_in_all_models_alike_cancels():
    """A common slow component must not widen the window for differences that are white."""
    rng = np.random.default_rng(4)
    common = 5.0 * autoregressive(0.95, 2000, rng)
    white = rng.standard_normal((2, 2000))
    with_common = pairs(white + common, order="time")[0, 1]
    assert with_common == pytest.approx(pairs(white, order="time")[0, 1], rel=1e-6)


def test_groups_with_known_correlation_within():
    """x = u_group + v: the variance of the mean is (σ_u² + σ_v² / m) / G. 400 sets of 50 groups:
    standard error 1 %.
    """
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(50), 20)
    estimates = [
        own(rng.standard_normal(50)[groups] + rng.standard_normal(1000), clusters=groups)
        for _ in range(400)
    ]
    assert np.mean(estimates) == pytest.approx((1.0 + 1.0 / 20) / 50, rel=0.05)


def test_every_point_its_own_cluster_is_independence():
    losses = np.random.default_rng(6).standard_normal((3, 100))
    found = pairs(losses, clusters=np.arange(100))
    np.testing.assert_allclose(found, pairs(losses), rtol=1e-12)


@pytest.mark.parametrize("case", range(3))
def test_identical_models_have_no_error_of_their_difference(case):
    rng = np.random.default_rng(9)
    one = autoregressive(0.5, 240, rng)
    losses = np.stack([one, one, one + 3.0])
    found = mean_errors(losses, **kinds(rng)[case])
    assert found.sums.whole().max() <= 1e-14 * found.own[0]


@pytest.mark.parametrize("case", range(3))
@pytest.mark.parametrize("factor", [2.0**-40, 0.125, 2.0**300])
def test_scale(case, factor):
    """Powers of two are exact, however large."""
    rng = np.random.default_rng(10)
    losses = rng.exponential(size=(3, 240))
    how = kinds(rng)[case]
    np.testing.assert_array_equal(pairs(factor * losses, **how), pairs(losses, **how) * factor**2)


@pytest.mark.parametrize("case", range(3))
def test_an_offset_costs_no_digits(case):
    """Losses on a grid that 1e12 leaves as it is."""
    rng = np.random.default_rng(11)
    losses = np.round(rng.exponential(size=(3, 240)) * 2**10) / 2**10
    how = kinds(rng)[case]
    np.testing.assert_allclose(pairs(losses + 1e12, **how), pairs(losses, **how), rtol=1e-12)


@pytest.mark.parametrize("case", range(3))
def test_constant_losses(case):
    rng = np.random.default_rng(12)
    np.testing.assert_array_equal(pairs(np.full((2, 240), 7.0), **kinds(rng)[case]), 0.0)


def test_sums_of_many_models_are_made_when_asked_for():
    """From differences, as the lines say; of few models they stand in a matrix."""
    rng = np.random.default_rng(13)
    first = rng.standard_normal(6)
    gaps = rng.standard_normal((WHOLE + 1, 6))
    gaps[0] = 0.0
    many, few = PairSums.of(first, gaps), PairSums.of(first, gaps[:5])
    assert many.matrix is None
    assert few.matrix is not None
    a, b = np.triu_indices(5, k=1)
    expected = np.sum((gaps[a] - gaps[b]) ** 2, axis=1)
    np.testing.assert_allclose(many.of_pairs(a, b), expected, rtol=1e-12)
    np.testing.assert_allclose(few.of_pairs(a, b), expected, rtol=1e-12)
    np.testing.assert_allclose(few.own, np.sum((first + gaps[:5]) ** 2, axis=1), rtol=1e-12)


def test_what_models_share_costs_no_digits():
    rng = np.random.default_rng(14)
    losses = rng.integers(0, 8, (3, 50)) / 8.0
    shared = 2.0**40 * rng.integers(0, 8, 50)
    np.testing.assert_allclose(pairs(losses + shared), pairs(losses), rtol=1e-12)
