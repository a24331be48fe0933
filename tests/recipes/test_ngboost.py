# needs: ngboost, scikit-learn
"""What NGBoost predicts, on real data."""

from __future__ import annotations

import numpy as np
import pytest
from ngboost import NGBClassifier, NGBRegressor
from ngboost.distns import LogNormal, MultivariateNormal, Normal
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import train_test_split

import rivals
from rivals.read import classifier, distribution, regressor

pytestmark = pytest.mark.filterwarnings("default", "error::rivals.RivalsWarning")
FIT_X, NEW_X, FIT_Y, NEW_Y = train_test_split(
    *load_diabetes(return_X_y=True), test_size=0.5, random_state=0
)


@pytest.mark.parametrize("family", [Normal, LogNormal])
def test_predicted_distributions(family):
    fitted = NGBRegressor(Dist=family, n_estimators=50, verbose=False, random_state=0).fit(
        FIT_X, FIT_Y
    )
    predicted = fitted.pred_dist(NEW_X)
    at_points = distribution(predicted)
    by_estimator = regressor(fitted, NEW_X, noise="predicted")
    by_hand = -predicted.dist.logpdf(NEW_Y)
    np.testing.assert_allclose(at_points.loss(NEW_Y), by_hand, rtol=1e-12)
    np.testing.assert_allclose(by_estimator.loss((NEW_X, NEW_Y)), by_hand, rtol=1e-12)
    drawn = by_estimator.simulate(len(NEW_X), np.random.default_rng(0))[1]
    assert stats.kstest(predicted.dist.cdf(drawn), "uniform").pvalue > 1e-3
    np.testing.assert_array_equal(at_points.simulate(len(NEW_X), np.random.default_rng(0)), drawn)
    assert len(by_estimator.simulate(30, np.random.default_rng(0))[1]) == 30


def test_several_targets():
    targets = (
        np.column_stack([FIT_Y, FIT_Y + 30 * np.random.default_rng(0).normal(size=len(FIT_Y))]) / 50
    )
    fitted = NGBRegressor(
        Dist=MultivariateNormal(2), n_estimators=30, verbose=False, random_state=0
    ).fit(FIT_X, targets)
    predicted = fitted.pred_dist(NEW_X)
    model = regressor(fitted, NEW_X, noise="predicted")
    at, drawn = model.simulate(len(NEW_X), np.random.default_rng(0))
    by_hand = [
        -stats.multivariate_normal(mean, cov).logpdf(row)
        for mean, cov, row in zip(predicted.loc, predicted.cov, drawn, strict=True)
    ]
    np.testing.assert_allclose(model.loss((at, drawn)), by_hand, rtol=1e-9)
    # Standardised by their own covariances, the draws are standard normal.
    standard = np.linalg.solve(
        np.linalg.cholesky(predicted.cov), (drawn - predicted.loc)[..., None]
    ).ravel()
    assert stats.kstest(standard, "norm").pvalue > 1e-3
    np.testing.assert_array_equal(model.simulate(len(NEW_X), np.random.default_rng(0))[1], drawn)


def test_a_classifier_has_no_classes():
    x, x_new, y, y_new = train_test_split(
        *load_breast_cancer(return_X_y=True), test_size=0.5, random_state=0
    )
    fitted = NGBClassifier(n_estimators=50, verbose=False, random_state=0).fit(x, y)
    with pytest.raises(TypeError, match=r"NGBClassifier has no classes_: .* classes=\[0, 1\]"):
        classifier(fitted, x_new)
    model = classifier(fitted, x_new, classes=[0, 1])
    probabilities = fitted.predict_proba(x_new)
    by_hand = -np.log(probabilities[np.arange(len(y_new)), y_new])
    np.testing.assert_allclose(model.loss((x_new, y_new)), by_hand, rtol=1e-12)
    drawn = np.concatenate(
        [model.simulate(len(x_new), np.random.default_rng(seed))[1] for seed in range(8)]
    )
    assert stats.binomtest(int(drawn.sum()), drawn.size, probabilities[:, 1].mean()).pvalue > 1e-3


def test_the_whole_way():
    fitted = {
        name: NGBRegressor(n_estimators=n, verbose=False, random_state=0).fit(FIT_X, FIT_Y)
        for name, n in [("boosted", 100), ("constant", 1)]
    }
    models = {name: regressor(model, NEW_X, noise="predicted") for name, model in fitted.items()}
    assert rivals.compare(models, (NEW_X, NEW_Y), rng=0).ranking == ("boosted", "constant")
