"""AIC, BIC, DIC, likelihood ratio: against statsmodels and closed forms."""

import numpy as np
import pytest

from rivals import criteria


@pytest.fixture(scope="module")
def regression():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    return x, 1 + x @ [0.5, -1.0] + rng.normal(size=60)


def test_aic_and_bic_agree_with_statsmodels(regression):
    sm = pytest.importorskip("statsmodels.api")
    x, y = regression
    model = sm.OLS(y, sm.add_constant(x)).fit()
    residual = model.resid
    variance = np.mean(
        residual**2
    )  # statsmodels profiles the variance out and does not count it as a parameter
    pointwise = -0.5 * np.log(2 * np.pi * variance) - residual**2 / (2 * variance)
    assert criteria.log_likelihood(pointwise).value == pytest.approx(-model.llf, rel=1e-12)
    assert criteria.aic(pointwise, 3).value == pytest.approx(model.aic, rel=1e-12)
    assert criteria.bic(pointwise, 3).value == pytest.approx(model.bic, rel=1e-12)
    assert criteria.bic(pointwise.sum(), 3, n_data=60).value == pytest.approx(model.bic, rel=1e-12)


def test_dic_counts_the_parameters_of_a_gaussian_posterior():
    # Mean of n unit Gaussians, flat prior: 2 Var(log likelihood) = 1 exactly (twice the variance of
    # χ²/2).
    rng = np.random.default_rng(1)
    n, draws = 40, 200_000
    y = rng.normal(size=n)
    mu = y.mean() + rng.normal(size=(draws, 1)) / np.sqrt(n)
    total = -0.5 * n * (np.mean((y - y.mean()) ** 2) + (mu - y.mean()) ** 2) - n / 2 * np.log(
        2 * np.pi
    )
    at_best = -0.5 * n * np.mean((y - y.mean()) ** 2) - n / 2 * np.log(2 * np.pi)
    # Var of the sample variance of χ²₁/2 over 2e5 draws: relative error sqrt(14/2e5) = 0.8 %.
    assert criteria.dic(at_best, total).value == pytest.approx(-2 * at_best + 2, abs=4 * 2 * 0.0084)


def test_dic_takes_weights():
    draws = np.array([[-1.0, -2.0], [-1.5, -2.5], [-9.0, -9.0]])
    assert (
        criteria.dic([-1, -2], draws, weights=[1, 1, 0]).value
        == criteria.dic([-1, -2], draws[:2]).value
    )
    assert "effective draws" in criteria.dic([-1, -2], draws[:2]).diagnostics[0]


def test_difference_of_exact_scores_is_exact():
    assert criteria.difference(criteria.aic([-1.0], 3), criteria.aic([-2.0], 1)) == (2.0, None)
    with pytest.raises(ValueError, match="AIC and log likelihood"):
        criteria.difference(criteria.aic([-1.0], 3), criteria.log_likelihood([-2.0]))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([0.0, -np.inf, -np.inf], "zero probability to 2 of 3"),
        ([0.0, np.nan], "1 of 2 are missing"),
        ([[0.0, 1.0]], "one number for each point"),
        ([], "one number for each point"),
    ],
)
def test_impossible_log_likelihoods_are_named(values, message):
    with pytest.raises(ValueError, match=message):
        criteria.aic(values, 1)


def test_counts_are_checked():
    for wrong in (1.5, -1):
        with pytest.raises(ValueError, match="n_parameters"):
            criteria.aic([-1.0, -2.0], wrong)
    with pytest.raises(ValueError, match="n_data is needed"):
        criteria.bic(-3.0, 1)
