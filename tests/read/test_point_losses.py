"""Any loss of points: the mean is that of scikit-learn's scorer, fold by fold."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="needs scikit-learn (group `recipes`)")

from scipy import stats
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import log_loss, make_scorer
from sklearn.model_selection import LeaveOneGroupOut, cross_val_score
from sklearn.svm import LinearSVC

import rivals
from rivals.read import cross_validated

GROUPS = np.repeat(np.arange(5), 40)


def regression() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    return X, X[:, 0] + 0.5 * rng.normal(size=200)


def classification(n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    noisy = X[:, 0] + 0.5 * rng.normal(size=200)
    edges = np.quantile(noisy, np.arange(1, n_classes) / n_classes)
    return X, np.searchsorted(edges, noisy)


def scored(estimator, X, y, scoring):
    """Groups are of one size, so that the mean over folds is that over points."""
    cv = LeaveOneGroupOut()
    return cross_val_score(estimator, X, y, groups=GROUPS, cv=cv, scoring=scoring).mean()


@pytest.mark.parametrize(
    ("loss", "scoring"),
    [
        ("squared", "neg_mean_squared_error"),
        ("absolute", "neg_mean_absolute_error"),
        ("neg_mean_squared_error", "neg_mean_squared_error"),
        ("neg_mean_absolute_error", "neg_mean_absolute_error"),
    ],
)
def test_losses_of_regressors_are_those_of_the_scorer(loss, scoring):
    X, y = regression()
    models = {"line": LinearRegression(), "mean": DummyRegressor()}
    losses = cross_validated(models, X, y, groups=GROUPS, loss=loss)
    for name, estimator in models.items():
        expected = -scored(estimator, X, y, scoring)
        assert losses[name].empirical_risk == pytest.approx(expected, rel=1e-12)
        assert losses[name].n_simulations == 0
        assert losses[name].unit is None
    result = rivals.compare(losses)
    assert result.law == "groups"
    assert result.survivors == ("line",)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("scoring", ["neg_brier_score", "neg_log_loss", "accuracy"])
def test_losses_of_classifiers_are_those_of_the_scorer(n_classes, scoring):
    X, y = classification(n_classes)
    models = {"logistic": LogisticRegression(), "prior": DummyClassifier(strategy="prior")}
    losses = cross_validated(models, X, y, groups=GROUPS, loss=scoring, n_simulations=2, rng=0)
    estimator = models["logistic"]
    if scoring == "neg_brier_score" and n_classes == 3:  # scikit-learn has it since 1.7
        copies = [
            LogisticRegression().fit(X[group != GROUPS], y[group != GROUPS]) for group in range(5)
        ]
        parts = []
        for group, fitted in enumerate(copies):
            inside = group == GROUPS
            hot = y[inside][:, None] == fitted.classes_
            parts.append(np.sum((hot - fitted.predict_proba(X[inside])) ** 2, axis=1))
        expected = np.concatenate(parts).mean()
    elif scoring == "accuracy":
        expected = 1.0 - scored(estimator, X, y, scoring)
    else:
        expected = -scored(estimator, X, y, scoring)
    assert losses["logistic"].empirical_risk == pytest.approx(expected, rel=1e-12)
    assert losses["logistic"].unit == ("nats" if scoring == "neg_log_loss" else None)


def test_a_function_gets_targets_and_predictions():
    X, y = regression()
    models = {"line": LinearRegression(), "mean": DummyRegressor()}
    by_name = cross_validated(models, X, y, groups=GROUPS, loss="squared")
    own = cross_validated(models, X, y, groups=GROUPS, loss=lambda y, at: (y - at) ** 2)
    for name in models:
        assert np.array_equal(own[name].observed, by_name[name].observed)


@pytest.mark.parametrize(
    "score",
    [lambda y, at: y - at, lambda y, at: -np.abs(y - at), lambda y, at: np.exp(-((y - at) ** 2))],
)
def test_a_score_in_place_of_a_loss_is_said(score):
    X, y = regression()
    models = {"line": LinearRegression(), "mean": DummyRegressor()}
    with pytest.warns(rivals.RivalsWarning, match="lower must be better: is it a score"):
        cross_validated(models, X, y, groups=GROUPS, loss=score)


@pytest.mark.parametrize(
    "loss",
    [
        lambda y, at: np.maximum(0.9 * (y - at), 0.1 * (at - y)),  # of a quantile
        lambda y, at: np.logaddexp(y - at, at - y),
        lambda y, at: np.abs(y - at) / (1.0 + np.abs(y)),
        lambda y, at: (np.abs(y - at) > 0.5).astype(float),
    ],
)
def test_losses_of_other_forms_are_no_scores(loss):
    X, y = regression()
    models = {"line": LinearRegression(), "mean": DummyRegressor()}
    with warnings.catch_warnings():
        warnings.simplefilter("error", rivals.RivalsWarning)
        cross_validated(models, X, y, groups=GROUPS, loss=loss)


def test_crps_of_gaussian_noise_is_the_closed_form():
    """From 400 draws, to ± σ/√400 at a point and so ± σ/√(400 · 200) in the mean."""
    X, y = regression()
    noise = stats.norm(scale=0.5)
    models = {"line": LinearRegression(), "mean": DummyRegressor()}
    losses = cross_validated(
        models, X, y, groups=GROUPS, loss="crps", noise=noise, n_simulations=2, rng=0
    )
    parts = []
    for group in range(5):
        inside = group == GROUPS
        fitted = LinearRegression().fit(X[~inside], y[~inside])
        z = (y[inside] - fitted.predict(X[inside])) / 0.5
        exact = z * (2 * stats.norm.cdf(z) - 1) + 2 * stats.norm.pdf(z) - 1 / np.sqrt(np.pi)
        parts.append(0.5 * exact)
    expected = np.concatenate(parts)
    assert losses["line"].observed == pytest.approx(expected, abs=5 * 0.5 / 20)
    error = 0.5 / np.sqrt(400 * 200)
    assert losses["line"].empirical_risk == pytest.approx(expected.mean(), abs=4 * error)
    assert losses["line"].n_simulations == 2
    assert losses["line"].unit is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"loss": "brier"}, "loss 'brier' is not for regressors; pass 'log', 'squared'"),
        ({"loss": "r2"}, "no mean over points"),
        ({"loss": "squared", "noise": stats.norm()}, "noise= belongs to the distribution"),
        ({"loss": lambda y, at: np.mean((y - at) ** 2)}, "one number for each of 40 points"),
    ],
)
def test_what_cannot_be_is_refused(settings, message):
    X, y = regression()
    models = {"line": LinearRegression(), "mean": DummyRegressor()}
    with pytest.raises(ValueError, match=message):
        cross_validated(models, X, y, groups=GROUPS, **settings)


@pytest.mark.parametrize("loss", ["squared", "crps"])
def test_losses_of_numbers_are_not_for_labels(loss):
    X, y = classification(2)
    models = {"logistic": LogisticRegression(), "prior": DummyClassifier()}
    with pytest.raises(ValueError, match="is not for classifiers; pass 'log', 'brier'"):
        cross_validated(models, X, y, groups=GROUPS, loss=loss)


def test_brier_needs_probabilities_and_accuracy_does_not():
    X, y = classification(2)
    models = {"svc": LinearSVC(), "prior": DummyClassifier()}
    with pytest.raises(TypeError, match="has no predict_proba"):
        cross_validated(models, X, y, groups=GROUPS, loss="brier", rng=0)
    losses = cross_validated(models, X, y, groups=GROUPS, loss="accuracy", rng=0)
    assert set(losses["svc"].observed) == {0.0, 1.0}


@pytest.mark.parametrize(
    "loss",
    [
        lambda y, at: -np.log(at[:, 1]),  # takes labels for probabilities
        log_loss,
        make_scorer(log_loss),
    ],
)
def test_a_function_that_fails_is_told_what_it_was_given(loss):
    X, y = classification(2)
    y = np.where(y == 0, "no", "yes")
    models = {"logistic": LogisticRegression(), "prior": DummyClassifier()}
    message = "estimator 'logistic', fold 1 of 5: loss .*labels, not probabilities"
    with pytest.raises(ValueError, match=message):
        cross_validated(models, X, y, groups=GROUPS, loss=loss)
