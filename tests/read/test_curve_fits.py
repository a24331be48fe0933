"""Curves of SciPy's curve_fit; those of lmfit are in tests/recipes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import curve_fit

import rivals
from rivals.read import curve


def decay(x, height, rate):
    return height * np.exp(-rate * x)


RNG = np.random.default_rng(0)
X = RNG.uniform(0, 3, 400)
SIGMA = 0.05 + 0.1 * X
Y = decay(X, 2.0, 1.3) + SIGMA * RNG.normal(size=400)
FIT, NEW = slice(None, None, 2), slice(1, None, 2)


def test_sigma_that_is_known():
    fit = curve_fit(decay, X[FIT], Y[FIT], p0=[1.0, 1.0], sigma=SIGMA[FIT], absolute_sigma=True)
    model = curve(fit, X[NEW], function=decay, sigma=SIGMA[NEW])
    law = stats.norm(decay(X[NEW], *fit[0]), SIGMA[NEW])
    np.testing.assert_allclose(
        model.loss((X[NEW], Y[NEW])), -law.logpdf(Y[NEW]), rtol=1e-12, atol=1e-12
    )
    _, drawn = model.simulate(200, np.random.default_rng(0))
    assert stats.kstest(law.cdf(drawn), "uniform").pvalue > 1e-3
    np.testing.assert_array_equal(model.simulate(200, np.random.default_rng(0))[1], drawn)
    with pytest.raises(
        ValueError, match=r"means of shape \(5,\), but standard deviations of shape \(200,\)"
    ):
        model.simulate(5, np.random.default_rng(0))


def test_sigma_from_the_residuals_is_the_one_that_scales_the_errors():
    fit = curve_fit(decay, X[FIT], Y[FIT], p0=[1.0, 1.0])
    model = curve(fit, X[NEW], function=decay, training=(X[FIT], Y[FIT]))
    # An absolute sigma of this size gives the covariance that curve_fit gives without sigma.
    residuals = Y[FIT] - decay(X[FIT], *fit[0])
    sigma = np.sqrt(np.sum(residuals**2) / 198)
    absolute = curve_fit(
        decay, X[FIT], Y[FIT], p0=[1.0, 1.0], sigma=np.full(200, sigma), absolute_sigma=True
    )
    np.testing.assert_allclose(absolute[1], fit[1], rtol=1e-5)
    by_hand = -stats.norm(decay(X[NEW], *fit[0]), sigma).logpdf(Y[NEW])
    np.testing.assert_allclose(model.loss((X[NEW], Y[NEW])), by_hand, rtol=1e-12, atol=1e-12)
    assert len(model.simulate(7, np.random.default_rng(0))[1]) == 7


def test_a_constant_curve_may_return_a_number():
    fit = curve_fit(lambda x, a: np.full(x.shape, a), X[FIT], Y[FIT])
    model = curve(fit, X[NEW], function=lambda x, a: a, sigma=0.5)
    assert model.loss((X[NEW], Y[NEW])).shape == (200,)


def test_what_is_missing_is_named():
    fit = curve_fit(decay, X[FIT], Y[FIT], p0=[1.0, 1.0])
    for arguments, message in [
        ({"sigma": 0.1}, "pass it as function="),
        ({"function": decay}, r"pass sigma=, or training=\(x, y\)"),
        (
            {"function": decay, "training": (X[:2], Y[:2])},
            "2 parameters leave no residuals in 2 training points",
        ),
    ]:
        with pytest.raises((TypeError, ValueError), match=message):
            curve(fit, X[NEW], **arguments)
    for sigma, message in [
        (0.0, "1 of 1 standard deviations are not above zero"),
        (np.ones(3), r"of shape \(3,\); pass one for"),
    ]:
        with pytest.raises(ValueError, match=message):
            curve(fit, X[NEW], function=decay, sigma=sigma).loss((X[NEW], Y[NEW]))
    with pytest.raises(TypeError, match="or the tuple of curve_fit"):
        curve(fit[0], X[NEW], function=decay, sigma=0.1)
    with pytest.raises(
        ValueError, match=r"the curve predicts shape \(200,\), the targets have shape \(200, 1\)"
    ):
        curve(fit, X[NEW], function=decay, sigma=0.1).loss((X[NEW], Y[NEW][:, None]))
    with pytest.warns(rivals.RivalsWarning, match="2 parameters for 10 training points"):
        curve(fit, X[NEW], function=decay, training=(X[:10], Y[:10]))


def test_sigma_with_an_index_is_put_into_the_order_of_the_inputs():
    pandas = pytest.importorskip("pandas")
    fit = curve_fit(decay, X[FIT], Y[FIT], p0=[1.0, 1.0])
    x, sigma = pandas.Series(X)[NEW], pandas.Series(SIGMA)[NEW]
    with pytest.warns(
        rivals.RivalsWarning,
        match="the rows of sigma stand in another order than those of the inputs",
    ):
        model = curve(fit, x, function=decay, sigma=sigma.iloc[::-1])
    law = stats.norm(decay(X[NEW], *fit[0]), SIGMA[NEW])
    np.testing.assert_allclose(model.loss((x, Y[NEW])), -law.logpdf(Y[NEW]), rtol=1e-12, atol=1e-12)
