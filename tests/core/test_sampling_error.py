"""Sampling errors of means: known variances of dependent series and groups, exact symmetries."""

import numpy as np
import pytest
from scipy import stats
from scipy.signal import lfilter

from rivals.core.sampling_error import MeanErrors, mean_covariance


def autoregressive(rho, shape, rng):
    """Stationary AR(1) with innovations of variance 1: the long-run variance is 1 / (1 − ρ)²."""
    noise = rng.standard_normal(shape)
    noise[..., 0] /= np.sqrt(1.0 - rho**2)
    return lfilter([1.0], [1.0, -rho], noise, axis=-1)


def kinds(rng, n=240):
    """One set of arguments for each kind of dependence."""
    return [{}, {"order": "time"}, {"clusters": rng.integers(0, 12, n)}]


def variance_of_difference(covariance):
    return covariance[0, 0] + covariance[1, 1] - 2.0 * covariance[0, 1]


def test_independent_points_have_the_sample_covariance():
    losses = np.random.default_rng(0).exponential(size=(3, 500))
    np.testing.assert_allclose(mean_covariance(losses), np.cov(losses) / 500, rtol=1e-12)


@pytest.mark.parametrize("rho", [-0.5, 0.3, 0.6])
def test_long_run_variance_of_autoregressive_series(rho):
    """200 series of 4 000 points. Bartlett's bias, of order 1/bandwidth, is below 10 % here; Monte
    Carlo error 1 %.
    """
    series = autoregressive(rho, (200, 4000), np.random.default_rng(1))
    estimates = [mean_covariance(one[None, :], order="time")[0, 0] * 4000 for one in series]
    assert np.mean(estimates) == pytest.approx(1.0 / (1.0 - rho) ** 2, rel=0.10)
    naive = [mean_covariance(one[None, :])[0, 0] * 4000 for one in series]
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
    np.testing.assert_allclose(mean_covariance(series, order="time"), expected, rtol=1e-10)


def covered(samples, **how):
    """The part of the intervals from Student's quantiles, nominally nine in ten, that hold the
    mean, which is zero.
    """
    errors = [MeanErrors.of(one[None, :], **how) for one in samples]
    widths = [stats.t.ppf(0.95, each.degrees) * np.sqrt(each.variance[0]) for each in errors]
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
    estimates = [
        mean_covariance(rng.standard_normal((1, 400)), order="time")[0, 0] * 400
        for _ in range(1000)
    ]
    assert np.mean(estimates) == pytest.approx(1.0, abs=0.03)


def test_what_is_slow_in_all_models_alike_cancels():
    """A common slow component must not widen the window for differences that are white."""
    rng = np.random.default_rng(4)
    common = 5.0 * autoregressive(0.95, 2000, rng)
    white = rng.standard_normal((2, 2000))
    with_common = variance_of_difference(mean_covariance(white + common, order="time"))
    assert with_common == pytest.approx(
        variance_of_difference(mean_covariance(white, order="time")), rel=1e-6
    )


def test_groups_with_known_correlation_within():
    """x = u_group + v: the variance of the mean is (σ_u² + σ_v² / m) / G. 400 sets of 50 groups:
    standard error 1 %.
    """
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(50), 20)
    estimates = [
        mean_covariance(
            (rng.standard_normal(50)[groups] + rng.standard_normal(1000))[None, :], clusters=groups
        )[0, 0]
        for _ in range(400)
    ]
    assert np.mean(estimates) == pytest.approx((1.0 + 1.0 / 20) / 50, rel=0.05)


def test_every_point_its_own_group_is_independence():
    losses = np.random.default_rng(6).standard_normal((3, 100))
    np.testing.assert_allclose(
        mean_covariance(losses, clusters=np.arange(100)), mean_covariance(losses), rtol=1e-12
    )


def test_groups_outrank_order_and_labels_are_names():
    losses = np.random.default_rng(7).standard_normal((2, 60))
    groups = np.repeat([7, -3, 100], 20)
    expected = mean_covariance(losses, clusters=groups)
    np.testing.assert_array_equal(mean_covariance(losses, clusters=groups, order="time"), expected)
    np.testing.assert_allclose(
        mean_covariance(losses, clusters=np.repeat([0, 1, 2], 20)), expected, rtol=1e-12
    )


def test_one_group_is_refused():
    with pytest.raises(ValueError, match="need at least two"):
        mean_covariance(np.ones((2, 5)), clusters=np.zeros(5, dtype=int))


@pytest.mark.parametrize("case", range(3))
def test_positive_semi_definite_and_symmetric(case):
    rng = np.random.default_rng(8)
    losses = rng.standard_normal((6, 4)) @ autoregressive(0.8, (4, 240), rng)  # of rank 4
    covariance = mean_covariance(losses, **kinds(rng)[case])
    np.testing.assert_array_equal(covariance, covariance.T)
    eigenvalues = np.linalg.eigvalsh(covariance)
    assert eigenvalues.min() > -1e-12 * eigenvalues.max()
    np.testing.assert_allclose(eigenvalues[:2], 0.0, atol=1e-12 * eigenvalues.max())


@pytest.mark.parametrize("case", range(3))
def test_identical_models_have_no_error_of_their_difference(case):
    rng = np.random.default_rng(9)
    one = autoregressive(0.5, 240, rng)
    covariance = mean_covariance(np.stack([one, one, one + 3.0]), **kinds(rng)[case])
    assert np.ptp(covariance) <= 1e-14 * covariance[0, 0]


@pytest.mark.parametrize("case", range(3))
@pytest.mark.parametrize("factor", [2.0**-40, 0.125, 2.0**500])
def test_scale(case, factor):
    """Powers of two are exact, however large."""
    rng = np.random.default_rng(10)
    losses = rng.exponential(size=(3, 240))
    arguments = kinds(rng)[case]
    np.testing.assert_array_equal(
        mean_covariance(factor * losses, **arguments),
        mean_covariance(losses, **arguments) * factor**2,
    )


@pytest.mark.parametrize("case", range(3))
def test_offset(case):
    """At 1e12 losses are rounded to 1.2e-4: that error, and no more, may come out. Exact for losses
    on that grid.
    """
    rng = np.random.default_rng(11)
    losses = np.round(rng.exponential(size=(3, 240)) * 2**10) / 2**10
    arguments = kinds(rng)[case]
    np.testing.assert_allclose(
        mean_covariance(losses + 1e12, **arguments),
        mean_covariance(losses, **arguments),
        rtol=1e-12,
    )


@pytest.mark.parametrize("case", range(3))
def test_constant_losses(case):
    rng = np.random.default_rng(12)
    np.testing.assert_array_equal(
        mean_covariance(np.full((2, 240), 7.0), **kinds(rng)[case]), np.zeros((2, 2))
    )
