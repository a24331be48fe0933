# needs: skpro, scikit-learn
"""Probabilistic regressors and distributions of skpro, on real data."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split
from skpro.distributions import Laplace, Normal, Poisson
from skpro.regression.residual import ResidualDouble

import rivals
from rivals.read import distribution, regressor

pytestmark = pytest.mark.filterwarnings("default", "error::rivals.RivalsWarning")
X, Y = load_diabetes(return_X_y=True, as_frame=True)
FIT_X, NEW_X, FIT_Y, NEW_Y = train_test_split(X, Y.to_frame(), test_size=0.5, random_state=0)
N = len(NEW_X)


@pytest.mark.parametrize("estimator", [LinearRegression(), RandomForestRegressor(20, random_state=0)])
def test_predicted_distributions(estimator):
    fitted = ResidualDouble(estimator, cv=None).fit(FIT_X, FIT_Y)
    predicted = fitted.predict_proba(NEW_X)
    y = NEW_Y.to_numpy().ravel()
    by_hand = -predicted.log_pdf(NEW_Y).to_numpy().ravel()
    np.testing.assert_allclose(distribution(predicted).loss(y), by_hand, rtol=1e-12)
    model = regressor(fitted, NEW_X, noise="predicted")
    np.testing.assert_allclose(model.loss((NEW_X, y)), by_hand, rtol=1e-12)
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    drawn = model.simulate(N, np.random.default_rng(0))[1]
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002
    assert stats.kstest(predicted.cdf(drawn[:, None]).to_numpy().ravel(), "uniform").pvalue > 1e-3
    np.testing.assert_array_equal(model.simulate(N, np.random.default_rng(0))[1], drawn)


def test_tables_of_distributions():
    mean = np.random.default_rng(0).normal(size=(200, 2))
    model = distribution(Normal(mean, 0.5))
    y = model.simulate(200, np.random.default_rng(1))
    assert y.shape == (200, 2)
    np.testing.assert_allclose(model.loss(y), -stats.norm(mean, 0.5).logpdf(y).sum(axis=1), rtol=1e-12)
    counts = distribution(Poisson(np.full((200, 1), 3.0)))
    y = counts.simulate(200, np.random.default_rng(1))
    np.testing.assert_allclose(counts.loss(y), -stats.poisson(3.0).logpmf(y), rtol=1e-10)


def test_one_distribution_for_all():
    model = distribution(Laplace(1.0, 2.0))
    y = model.simulate(300, np.random.default_rng(0))
    np.testing.assert_allclose(model.loss(y), -stats.laplace(1.0, 2.0).logpdf(y), rtol=1e-12)
    assert stats.kstest(y, stats.laplace(1.0, 2.0).cdf).pvalue > 1e-3


def test_the_whole_way():
    fits = {"line": ResidualDouble(LinearRegression()), "one column": ResidualDouble(LinearRegression())}
    columns = {"line": list(X.columns), "one column": ["age"]}
    models = {
        name: distribution(fit.fit(FIT_X[columns[name]], FIT_Y).predict_proba(NEW_X[columns[name]]))
        for name, fit in fits.items()
    }
    assert rivals.compare(models, NEW_Y.to_numpy().ravel(), rng=0).ranking == ("line", "one column")
