"""WAIC and LOO: against the closed form of a conjugate model and ArviZ's stored example."""

import numpy as np
import pytest

from rivals import criteria

pytest.importorskip("arviz_stats")


@pytest.fixture(scope="module")
def gaussian():
    """Unit Gaussian data, flat prior on the mean: everything is known in closed form."""
    rng = np.random.default_rng(2)
    y = rng.normal(size=80)
    mu = y.mean() + rng.normal(size=(20_000, 1)) / np.sqrt(y.size)
    return y, -0.5 * (y - mu) ** 2 - 0.5 * np.log(2 * np.pi)


def leave_one_out(y):
    """The exact log predictive density of each point given the others."""
    n = y.size
    others = (y.sum() - y) / (n - 1)
    variance = 1 + 1 / (n - 1)
    return -0.5 * (y - others) ** 2 / variance - 0.5 * np.log(2 * np.pi * variance)


def test_loo_agrees_with_the_closed_form(gaussian):
    y, draws = gaussian
    score = criteria.loo(draws)
    # Monte Carlo error of each point's log density is about |y_i|/√n/√S: 1e-3; 80 of them,
    # correlated.
    np.testing.assert_allclose(score.pointwise, leave_one_out(y), atol=0.01)
    assert score.value == pytest.approx(leave_one_out(y).sum(), abs=0.05)
    assert score.standard_error == pytest.approx(
        np.sqrt(80 * np.var(leave_one_out(y), ddof=1)), rel=0.01
    )
    assert score.diagnostics == ()


def test_waic_agrees_with_its_closed_form_and_nearly_with_loo(gaussian):
    y, draws = gaussian
    n, d = y.size, y - y.mean()
    density = -0.5 * d**2 / (1 + 1 / n) - 0.5 * np.log(2 * np.pi * (1 + 1 / n))
    variance = d**2 / n + 1 / (2 * n**2)  # of −(y − μ)²/2 for μ ~ N(ȳ, 1/n)
    score = criteria.waic(draws)
    # Relative Monte Carlo error of a variance from 2e4 draws: 1 %, of at most 0.1 per point.
    np.testing.assert_allclose(score.pointwise, density - variance, atol=0.005)
    assert score.value == pytest.approx(leave_one_out(y).sum(), abs=0.1)


def test_waic_of_weighted_draws_is_that_of_resampled_ones(gaussian):
    y, _ = gaussian
    rng = np.random.default_rng(3)
    mu = y.mean() + rng.normal(size=40_000) * 2 / np.sqrt(
        y.size
    )  # too wide by two, mended by weights
    weights = np.exp(-0.5 * y.size * (mu - y.mean()) ** 2 * (1 - 1 / 4))
    wide = criteria.waic(-0.5 * (y - mu[:, None]) ** 2 - 0.5 * np.log(2 * np.pi), weights=weights)
    assert wide.value == pytest.approx(criteria.waic(gaussian[1]).value, abs=0.06)


def test_eight_schools():
    """ArviZ's stored `centered_eight`: elpd −30.8 ± 1.4, by LOO and WAIC alike."""
    y = np.array([28.0, 8, -3, 7, -1, 1, 18, 12])
    sigma = np.array([15.0, 10, 16, 11, 9, 11, 10, 18])
    rng = np.random.default_rng(4)
    # Exact posterior draws: τ on a grid with μ and θ integrated out, then μ | τ, then θ | μ, τ.
    tau = np.linspace(0.01, 60, 6000)
    total = sigma**2 + tau[:, None] ** 2
    precision = (1 / total).sum(1) + 1 / 25  # μ ~ N(0, 5²)
    mean = (y / total).sum(1) / precision
    log_density = (
        -0.5 * np.log(total).sum(1)
        - 0.5 * (y**2 / total).sum(1)
        + 0.5 * mean**2 * precision
        - 0.5 * np.log(precision)
        - np.log1p((tau / 5) ** 2)  # τ ~ half-Cauchy(5)
    )
    chosen = rng.choice(
        tau.size, size=8000, p=np.exp(log_density - np.logaddexp.reduce(log_density))
    )
    mu = mean[chosen] + rng.normal(size=8000) / np.sqrt(precision[chosen])
    spread = 1 / (1 / sigma**2 + 1 / tau[chosen, None] ** 2)
    theta = spread * (y / sigma**2 + mu[:, None] / tau[chosen, None] ** 2)
    theta += np.sqrt(spread) * rng.normal(size=theta.shape)
    draws = -0.5 * ((y - theta) / sigma) ** 2 - 0.5 * np.log(2 * np.pi * sigma**2)
    for score in (criteria.loo(draws), criteria.waic(draws)):
        assert score.value == pytest.approx(-30.8, abs=0.25)
        assert score.standard_error == pytest.approx(1.4, abs=0.1)


def test_paired_errors_are_smaller_than_independent_ones(gaussian):
    _, draws = gaussian
    a, b = criteria.waic(draws), criteria.waic(draws - 0.01)
    value, error = criteria.difference(a, b)
    assert value == pytest.approx(0.8, rel=1e-9)
    assert error < 1e-6 < a.standard_error


def test_doubts_are_reported():
    draws = np.random.default_rng(5).normal(scale=3, size=(400, 5))
    assert "use LOO" in criteria.waic(draws).diagnostics[0]
    assert "Pareto shape" in criteria.loo(draws * 2).diagnostics[0]


def test_shapes_are_checked(gaussian):
    with pytest.raises(ValueError, match=r"got shape \(3,\); stack chains"):
        criteria.waic([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match=r"need 20000.*got shape \(3,\)"):
        criteria.waic(gaussian[1], weights=[1, 2, 3])
    with pytest.raises(ValueError, match="not all 0"):
        criteria.waic(gaussian[1][:2], weights=[0.0, 0.0])
    with pytest.raises(ValueError, match="80 points, the other on 79"):
        criteria.difference(criteria.waic(gaussian[1]), criteria.waic(gaussian[1][:, 1:]))
