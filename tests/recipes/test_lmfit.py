# needs: lmfit
"""Curves fitted with lmfit."""

from __future__ import annotations

import numpy as np
import pytest
from lmfit import Model
from lmfit.models import ExponentialModel, GaussianModel, LinearModel
from scipy import stats

import rivals
from rivals.read import curve

# Enzyme kinetics with puromycin: rate against concentration (Bates and Watts 1988, Treloar
# 1974), the treated cells.
CONCENTRATION = np.array([0.02, 0.02, 0.06, 0.06, 0.11, 0.11, 0.22, 0.22, 0.56, 0.56, 1.10, 1.10])
RATE = np.array([76.0, 47, 97, 107, 123, 139, 159, 152, 191, 201, 207, 200])

RNG = np.random.default_rng(0)
X = RNG.uniform(0, 10, 400)
Y = 5 * np.exp(-X / 3) + 0.3 * RNG.normal(size=400)
FIT, NEW = slice(None, None, 2), slice(1, None, 2)


def michaelis(x, vmax, km):
    return vmax * x / (km + x)


def test_the_sigma_of_an_unweighted_fit():
    fit = ExponentialModel().fit(Y[FIT], x=X[FIT], amplitude=3.0, decay=2.0)
    model = curve(fit, X[NEW])
    residuals = Y[FIT] - fit.best_fit
    sigma = np.sqrt(np.sum(residuals**2) / (200 - 2))
    law = stats.norm(fit.eval(x=X[NEW]), sigma)
    np.testing.assert_allclose(
        model.loss((X[NEW], Y[NEW])), -law.logpdf(Y[NEW]), rtol=1e-11, atol=1e-12
    )
    drawn = model.simulate(200, np.random.default_rng(0))[1]
    assert stats.kstest(law.cdf(drawn), "uniform").pvalue > 1e-3
    np.testing.assert_array_equal(model.simulate(200, np.random.default_rng(0))[1], drawn)


def test_a_weighted_fit_needs_sigma():
    fit = ExponentialModel().fit(
        Y[FIT], x=X[FIT], weights=1 / 0.3, scale_covar=False, amplitude=3.0, decay=2.0
    )
    with pytest.raises(ValueError, match="the fit was weighted, so the σ of new points is unknown"):
        curve(fit, X[NEW])
    model = curve(fit, X[NEW], sigma=0.3)
    by_hand = -stats.norm(fit.eval(x=X[NEW]), 0.3).logpdf(Y[NEW])
    np.testing.assert_allclose(model.loss((X[NEW], Y[NEW])), by_hand, rtol=1e-12, atol=1e-12)


def test_few_measurements_are_named():
    with pytest.warns(rivals.RivalsWarning, match="2 parameters for 12 training points"):
        curve(Model(michaelis).fit(RATE, x=CONCENTRATION, vmax=200.0, km=0.1), CONCENTRATION)


def test_several_independent_variables():
    def plane(x, y, a, b):
        return a * x + b * y

    other = RNG.normal(size=400)
    targets = 2 * X - other + 0.1 * RNG.normal(size=400)
    fit = Model(plane, independent_vars=["x", "y"]).fit(
        targets[FIT], x=X[FIT], y=other[FIT], a=1.0, b=0.0
    )
    new = {"x": X[NEW], "y": other[NEW]}
    model = curve(fit, new)
    by_hand = -stats.norm(fit.eval(**new), np.sqrt(fit.redchi)).logpdf(targets[NEW])
    np.testing.assert_allclose(model.loss((new, targets[NEW])), by_hand, rtol=1e-12, atol=1e-12)
    assert set(model.simulate(20, np.random.default_rng(0))[0]) == {"x", "y"}
    with pytest.raises(TypeError, match="independent variables x, y; pass inputs as a mapping"):
        curve(fit, X[NEW]).loss((X[NEW], Y[NEW]))


def test_the_whole_way():
    fits = {
        "exponential": ExponentialModel().fit(Y[FIT], x=X[FIT], amplitude=3.0, decay=2.0),
        "line": LinearModel().fit(Y[FIT], x=X[FIT], slope=-1.0, intercept=3.0),
        "bell": GaussianModel().fit(Y[FIT], x=X[FIT], amplitude=20.0, center=0.0, sigma=3.0),
    }
    models = {name: curve(fit, X[NEW]) for name, fit in fits.items()}
    result = rivals.compare(models, (X[NEW], Y[NEW]), rng=0)
    assert result.ranking[0] == "exponential"
    assert "line" in result.rejections
