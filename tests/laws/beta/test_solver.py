"""The solver (ln r, ln v) → (α, β): residuals, an independent solution, limits."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import psi

from rivals.laws.beta.solver import _trigamma, beta_moments, beta_parameters

LOG10 = np.log(10.0)


def residuals(log_ratio, log_variance):
    alpha, beta = beta_parameters(log_ratio, log_variance)
    first = psi(alpha) - psi(beta) - log_ratio
    second = np.log(_trigamma(alpha) + _trigamma(beta)) - log_variance
    return np.abs(first), np.abs(second)


def test_residuals_on_a_dense_grid():
    grid = np.meshgrid(np.linspace(-12, 12, 241) * LOG10, np.linspace(-10, 6, 161) * LOG10)
    first, second = residuals(*(axis.ravel() for axis in grid))
    assert first.max() < 1e-10
    assert second.max() < 1e-10


def test_residuals_at_random():
    rng = np.random.default_rng(1)
    first, second = residuals(
        rng.uniform(-12, 12, 50_000) * LOG10, rng.uniform(-10, 6, 50_000) * LOG10
    )
    assert max(first.max(), second.max()) < 1e-10


@pytest.mark.parametrize("log10_v", [-10, -4, -1, 0, 1, 3, 6])
@pytest.mark.parametrize("log10_r", [-12, -3, -0.4, 0, 5])
def test_agrees_with_an_independent_solution_in_high_precision(log10_r, log10_v):
    """mpmath at 40 digits, a plain secant iteration from a rough start: nothing in common with our
    code.
    """
    with mpmath.workdps(40):
        log_r = mpmath.mpf(log10_r) * mpmath.log(10)
        log_v = mpmath.mpf(log10_v) * mpmath.log(10)
        start = np.log(beta_parameters(float(log_r), float(log_v))) + np.array([0.02, -0.03])

        def equations(log_alpha, log_beta):
            alpha = mpmath.exp(log_alpha)
            beta = mpmath.exp(log_beta)
            return (
                mpmath.psi(0, alpha) - mpmath.psi(0, beta) - log_r,
                mpmath.log(mpmath.psi(1, alpha) + mpmath.psi(1, beta)) - log_v,
            )

        expected = mpmath.findroot(equations, tuple(map(mpmath.mpf, start)))
        ours = beta_parameters(float(log_r), float(log_v))
        for value, exact in zip(ours, expected, strict=True):
            assert abs(mpmath.log(mpmath.mpf(float(value))) - exact) < 1e-9


def test_our_trigamma_is_that_of_mpmath():
    points = [1e-8, 0.01, 0.3, 1.0, 2.5, 7.9, 8.1, 40.0, 1e4, 1e12]
    for point, ours in zip(points, _trigamma(np.array(points)), strict=True):
        assert ours == pytest.approx(float(mpmath.psi(1, point)), rel=1e-14)


def test_limits_of_the_ratio():
    """r → 0: x = 0; r → ∞: x = 1 ; the peer has them the wrong way round. 0/0 is r = 1."""
    alpha, beta = beta_parameters([-np.inf, np.inf], 0.0)
    draws = np.random.default_rng(0).beta(alpha, beta, size=(100, 2))
    assert (draws[:, 0] == 0).all()
    assert (draws[:, 1] == 1).all()
    assert beta_parameters(np.nan, 0.3) == beta_parameters(0.0, 0.3)


@pytest.mark.parametrize("ratio", [1e-6, 1 / 3, 1.0, 3.0, 1e6])
def test_no_variance_gives_the_centre(ratio):
    """v → 0: x = r / (1 + r), not 1 / (1 + r) as the peer has it."""
    for log_variance in (-np.inf, -60.0, np.log(1e-9)):
        mean, variance, *_ = beta_moments(*beta_parameters(np.log(ratio), log_variance))
        assert mean == pytest.approx(ratio / (1 + ratio), rel=1e-6)
        assert variance < 1e-8


@pytest.mark.parametrize("log_variance", [np.log(1e12), 200.0, np.inf])
def test_huge_variance_gives_a_fair_coin(log_variance):
    alpha, beta = beta_parameters([-5.0, 0.0, 5.0], log_variance)
    mean, variance, *_ = beta_moments(alpha, beta)
    assert mean == pytest.approx(0.5, abs=1e-4)
    assert variance == pytest.approx(0.25, abs=1e-4)


def test_continuous_across_the_border_of_the_box():
    ratio = np.log(3.0)
    inside = beta_moments(*beta_parameters(ratio, -30 * LOG10 + 1e-6))[0]
    outside = beta_moments(*beta_parameters(ratio, -30 * LOG10 - 1e-6))[0]
    assert inside == pytest.approx(float(outside), rel=1e-12)
    inside, outside = (
        beta_moments(*beta_parameters(sign * 500.0, 0.0))[0] for sign in (-0.999999, -1.000001)
    )
    assert inside == pytest.approx(float(outside), abs=1e-200)


@given(log_ratio=st.floats(-60, 60), log_variance=st.floats(-40, 30))
def test_swapping_the_halves_swaps_the_parameters(log_ratio, log_variance):
    alpha, beta = beta_parameters(log_ratio, log_variance)
    mirrored_beta, mirrored_alpha = beta_parameters(-log_ratio, log_variance)
    np.testing.assert_allclose([mirrored_alpha, mirrored_beta], [alpha, beta], rtol=1e-12)


def test_moments_and_shape_against_draws():
    alpha = np.array([0.3, 2.0, 40.0])
    beta = np.array([1.7, 0.5, 60.0])
    draws = np.random.default_rng(3).beta(alpha, beta, size=(400_000, 3))
    mean, variance, skewness, kurtosis = beta_moments(alpha, beta)
    standardised = (draws - mean) / np.sqrt(variance)
    np.testing.assert_allclose(draws.mean(axis=0), mean, atol=4 * np.sqrt(variance.max() / 4e5))
    np.testing.assert_allclose((standardised**2).mean(axis=0), 1, atol=0.01)
    np.testing.assert_allclose((standardised**3).mean(axis=0), skewness, atol=0.05)
    np.testing.assert_allclose((standardised**4).mean(axis=0) - 3, kurtosis, atol=0.15)
