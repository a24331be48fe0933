# needs: xgboost-cpu, lightgbm, catboost, scikit-learn
"""XGBoost, LightGBM and CatBoost, on real data."""

from __future__ import annotations

import numpy as np
import pytest
from catboost import CatBoostClassifier, CatBoostRegressor
from lightgbm import LGBMClassifier, LGBMRegressor
from scipy import sparse, stats
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import train_test_split
from xgboost import XGBClassifier, XGBRegressor

import rivals
from rivals.read import classifier, regressor
from rivals.read.noise import noise_of, out_of_fold_residuals

pytestmark = pytest.mark.filterwarnings("default", "error::rivals.RivalsWarning")
QUIET = {"iterations": 40, "verbose": 0, "allow_writing_files": False, "random_seed": 0}
CLASSIFIERS = {
    "XGBoost": lambda: XGBClassifier(n_estimators=30),
    "LightGBM": lambda: LGBMClassifier(n_estimators=30, verbose=-1, min_child_samples=5),
    "CatBoost": lambda: CatBoostClassifier(**QUIET),
}
REGRESSORS = {
    "XGBoost": lambda: XGBRegressor(n_estimators=30, max_depth=3),
    "LightGBM": lambda: LGBMRegressor(n_estimators=30, verbose=-1),
    "CatBoost": lambda: CatBoostRegressor(**QUIET),
}


@pytest.mark.parametrize("library", CLASSIFIERS)
def test_classifiers(library):
    x, x_new, y, y_new = train_test_split(
        *load_iris(return_X_y=True), test_size=0.5, random_state=0
    )
    fitted = CLASSIFIERS[library]().fit(x, y)
    model = classifier(fitted, x_new)
    probabilities = fitted.predict_proba(x_new).astype(np.float64)
    probabilities /= probabilities.sum(axis=1, keepdims=True)  # they have 32 bits in XGBoost
    by_hand = -np.log(probabilities[np.arange(len(y_new)), y_new])
    np.testing.assert_allclose(model.loss((x_new, y_new)), by_hand, rtol=1e-12)
    drawn = np.concatenate(
        [model.simulate(len(x_new), np.random.default_rng(seed))[1] for seed in range(20)]
    )
    found = [np.sum(drawn == label) for label in range(3)]
    assert stats.chisquare(found, 20 * probabilities.sum(axis=0)).pvalue > 1e-3
    np.testing.assert_array_equal(
        model.simulate(len(x_new), np.random.default_rng(0))[1], drawn[: len(x_new)]
    )


@pytest.mark.parametrize("library", REGRESSORS)
@pytest.mark.parametrize("residuals", ["gaussian", "student"])
def test_regressors(library, residuals):
    x, x_new, y, y_new = train_test_split(
        *load_diabetes(return_X_y=True), test_size=0.5, random_state=0
    )
    fitted = REGRESSORS[library]().fit(x, y)
    noise = noise_of(out_of_fold_residuals(fitted, (x, y), rng=0), residuals)
    assert np.std(y - fitted.predict(x)) < 0.8 * noise.std()
    model = regressor(
        fitted, x_new, noise="cross-validated", training=(x, y), residuals=residuals, rng=0
    )
    mean = fitted.predict(x_new).astype(np.float64)
    np.testing.assert_allclose(model.loss((x_new, y_new)), -noise.logpdf(y_new - mean), rtol=1e-12)
    drawn = model.simulate(len(x_new), np.random.default_rng(0))[1]
    assert stats.kstest(drawn - mean, noise.cdf).pvalue > 1e-3
    np.testing.assert_array_equal(model.simulate(len(x_new), np.random.default_rng(0))[1], drawn)


def test_catboost_with_uncertainty():
    x, x_new, y, y_new = train_test_split(
        *load_diabetes(return_X_y=True), test_size=0.5, random_state=0
    )
    fitted = CatBoostRegressor(loss_function="RMSEWithUncertainty", **QUIET).fit(x, y)
    mean, variance = fitted.predict(x_new).T
    model = regressor(fitted, x_new, noise="predicted")
    by_hand = -stats.norm(mean, np.sqrt(variance)).logpdf(y_new)
    np.testing.assert_allclose(model.loss((x_new, y_new)), by_hand, rtol=1e-12)
    drawn = model.simulate(len(x_new), np.random.default_rng(0))[1]
    assert stats.kstest((drawn - mean) / np.sqrt(variance), "norm").pvalue > 1e-3
    with pytest.raises(TypeError, match="CatBoostRegressor does not predict a standard deviation"):
        regressor(REGRESSORS["CatBoost"]().fit(x, y), x_new, noise="predicted").loss((x_new, y_new))


def test_sparse_inputs():
    x, x_new, y, y_new = train_test_split(
        *load_diabetes(return_X_y=True), test_size=0.5, random_state=0
    )
    fitted = REGRESSORS["LightGBM"]().fit(sparse.csr_matrix(x), y)
    model = regressor(
        fitted,
        sparse.csr_matrix(x_new),
        noise="cross-validated",
        training=(sparse.csr_matrix(x), y),
        rng=0,
    )
    assert model.losses((sparse.csr_matrix(x_new), y_new), rng=0).n_observed == len(y_new)


def test_the_whole_way():
    x, x_new, y, y_new = train_test_split(
        *load_diabetes(return_X_y=True), test_size=0.5, random_state=0
    )
    models = {
        name: regressor(make().fit(x, y), x_new, noise="cross-validated", training=(x, y), rng=0)
        for name, make in REGRESSORS.items()
    }
    result = rivals.compare(models, (x_new, y_new), rng=0)
    assert set(result.survivors) <= set(REGRESSORS)
    assert set(result.names) == set(REGRESSORS)


def test_early_stopping_and_boosters_say_what_to_do():
    x, x_new, y, y_new = train_test_split(
        *load_diabetes(return_X_y=True), test_size=0.5, random_state=0
    )
    stopped = XGBRegressor(early_stopping_rounds=3).fit(x, y, eval_set=[(x, y)], verbose=False)
    noise = stats.norm(scale=60.0)
    expected = -noise.logpdf(y_new - stopped.predict(x_new).astype(np.float64))
    np.testing.assert_allclose(
        regressor(stopped, x_new, noise=noise).loss((x_new, y_new)), expected, rtol=1e-9
    )
    with pytest.raises(
        ValueError,
        match=r"XGBRegressor could not be fitted to a part.*n_estimators=best_iteration \+ 1",
    ):
        regressor(stopped, x_new, noise="cross-validated", training=(x, y), rng=0)
    with pytest.raises(
        TypeError,
        match=r"a Booster of xgboost says neither.*XGBRegressor, into which load_model reads",
    ):
        regressor(stopped.get_booster(), x_new, noise=noise)
    with pytest.raises(TypeError, match=r"a Booster of lightgbm says neither.*LGBMClassifier"):
        classifier(LGBMRegressor(n_estimators=2, verbose=-1).fit(x, y).booster_, x_new)
