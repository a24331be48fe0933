"""scikit-learn's estimators, left out by groups: equal to loops by hand, and mistakes named."""

from __future__ import annotations

from functools import wraps

import numpy as np
import pytest
from scipy import stats

pytest.importorskip("sklearn")

from sklearn.base import clone
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import BayesianRidge, LinearRegression, LogisticRegression
from sklearn.metrics import (
    brier_score_loss,
    make_scorer,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_gamma_deviance,
    mean_pinball_loss,
    mean_poisson_deviance,
    mean_squared_log_error,
    mean_tweedie_deviance,
    median_absolute_error,
    r2_score,
    root_mean_squared_error,
)
from sklearn.model_selection import GroupKFold, KFold, LeaveOneGroupOut, TimeSeriesSplit

import rivals
from rivals.read import cross_validated

LINE = {"line": LinearRegression()}
BOTH = {"line": LinearRegression(), "mean": DummyRegressor()}


def problem(n_groups=6, size=40, seed=0):
    """Groups whose intercepts differ."""
    rng = np.random.default_rng(seed)
    group = np.repeat([f"school {each}" for each in range(n_groups)], size)
    X = rng.normal(size=(group.size, 2))
    own = np.repeat(rng.normal(size=n_groups), size)
    y = X[:, 0] + 0.5 * own + 0.3 * rng.normal(size=group.size)
    return X, y, group


def predicted_by_hand(model, X, y, splits):
    """Each point by the model that did not see it, and its fold."""
    found, fold = np.empty(len(y)), np.empty(len(y), dtype=int)
    for place, (train, test) in enumerate(splits):
        found[test] = clone(model).fit(X[train], y[train]).predict(X[test])
        fold[test] = place
    return found, fold


@pytest.mark.parametrize("n_groups", [6, 20, 33])
def test_log_losses_are_those_of_a_loop(n_groups):
    X, y, group = problem(n_groups)
    splitter = LeaveOneGroupOut() if n_groups <= 20 else GroupKFold(10)
    codes = np.unique(group, return_inverse=True)[1]
    predicted, fold = predicted_by_hand(LINE["line"], X, y, splitter.split(X, y, codes))
    expected = np.empty(y.size)
    for each in range(fold.max() + 1):
        scale = np.sqrt(np.mean((y - predicted)[fold != each] ** 2))
        own = fold == each
        expected[own] = -stats.norm(predicted[own], scale).logpdf(y[own])
    # GroupKFold may divide groups of one size otherwise: folds then differ, and only the mean is
    # near. The folds themselves have a test of their own.
    found = cross_validated(LINE, X, y, groups=group, repeats=1, n_simulations=16, rng=0)["line"]
    if n_groups <= 20:
        np.testing.assert_allclose(found.observed, expected, atol=1e-10)
    else:
        np.testing.assert_allclose(found.mean, expected.mean(), rtol=0.01)
    assert found.groups.names == tuple(dict.fromkeys(group.tolist()))
    assert found.source.left_out is True
    assert found.source.n_folds == min(n_groups, 10 if n_groups > 20 else 20)
    assert (found.source.unit, found.source.noise) == ("nats", "gaussian")
    assert found.source.library == "scikit-learn"
    assert found.n_simulations == 16


def test_the_result_does_not_depend_on_workers():
    joblib = pytest.importorskip("joblib")
    X, y, group = problem(4)
    models = {"forest": RandomForestRegressor(5), "line": LinearRegression()}
    alone = cross_validated(models, X, y, groups=group, rng=1)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        both = cross_validated(models, X, y, groups=group, rng=1)
    again = cross_validated(models, X, y, groups=group, rng=2)
    for name in models:
        assert np.array_equal(alone[name].observed, both[name].observed)
        assert np.array_equal(alone[name].simulated, both[name].simulated)
    assert not np.array_equal(alone["forest"].observed, again["forest"].observed)


@pytest.mark.parametrize(
    ("loss", "metric"),
    [
        ("squared", lambda y, p: (y - p) ** 2),
        ("absolute", lambda y, p: np.abs(y - p)),
        ("pinball", lambda y, p: np.abs(y - p) / 2),
        ("neg_mean_squared_error", lambda y, p: (y - p) ** 2),
        (lambda y, p: np.maximum(0.9 * (y - p), 0.1 * (p - y)), None),
    ],
)
def test_losses_of_predictions_are_those_of_a_loop(loss, metric):
    X, y, group = problem(5)
    found = cross_validated(BOTH, X, y, groups=group, loss=loss)
    predicted, _ = predicted_by_hand(
        LINE["line"], X, y, LeaveOneGroupOut().split(X, y, groups=group)
    )
    if metric is None:
        error = y - predicted
        metric = lambda y, p: np.maximum(0.9 * error, -0.1 * error)  # noqa: E731
    np.testing.assert_allclose(found["line"].observed, metric(y, predicted), atol=1e-12)
    assert found["line"].n_simulations == 0
    assert rivals.compare(found).best == "line"


@pytest.mark.parametrize(
    ("loss", "metric"),
    [
        ("poisson deviance", mean_poisson_deviance),
        ("gamma deviance", mean_gamma_deviance),
        ("neg_mean_poisson_deviance", mean_poisson_deviance),
        (
            make_scorer(mean_tweedie_deviance, greater_is_better=False, power=1.5),
            lambda y, p: mean_tweedie_deviance(y, p, power=1.5),
        ),
    ],
)
def test_deviances_are_those_of_scikit_learn(loss, metric):
    X, y, group = problem(5)
    y = np.exp(y)
    found = cross_validated({"mean": DummyRegressor()}, X, y, groups=group, loss=loss)["mean"]
    predicted, _ = predicted_by_hand(
        DummyRegressor(), X, y, LeaveOneGroupOut().split(X, y, groups=group)
    )
    assert found.mean == pytest.approx(metric(y, predicted), rel=1e-12)


@pytest.mark.parametrize(
    ("metric", "options"),
    [
        (mean_pinball_loss, {"alpha": 0.9}),
        (mean_absolute_percentage_error, {}),
        (mean_squared_log_error, {}),
        (mean_absolute_error, {}),
    ],
)
def test_a_scorer_that_is_a_mean_over_rows_is_called_for_all_rows_at_once(metric, options):
    X, y, group = problem(5)
    y = np.exp(y)
    calls = []

    @wraps(metric)
    def counted(*args, **named):
        calls.append(1)
        return metric(*args, **named)

    loss = make_scorer(counted, greater_is_better=False, **options)
    found = cross_validated({"mean": DummyRegressor()}, X, y, groups=group, loss=loss)["mean"]
    predicted, _ = predicted_by_hand(
        DummyRegressor(), X, y, LeaveOneGroupOut().split(X, y, groups=group)
    )
    loop = [metric(y[[i]], predicted[[i]], **options) for i in range(y.size)]
    np.testing.assert_array_equal(found.observed, loop)  # to the last bit
    assert len(calls) < 30 < y.size


def test_a_scorer_that_is_no_mean_is_not_taken_for_one():
    X, y, group = problem(5)
    rows = LeaveOneGroupOut().split(X, y, groups=group)
    predicted, _ = predicted_by_hand(DummyRegressor(), X, y, rows)
    for metric in (root_mean_squared_error, median_absolute_error):
        loss = make_scorer(metric, greater_is_better=False)
        found = cross_validated({"mean": DummyRegressor()}, X, y, groups=group, loss=loss)
        risk = rivals.compare({"a": found["mean"], "b": found["mean"]}).risk["a"]
        # With weights, as it is asked: before 1.7 the median of an even number knew two answers.
        own = [
            metric(y[group == g], predicted[group == g], sample_weight=np.ones((group == g).sum()))
            for g in np.unique(group)
        ]
        assert risk == pytest.approx(np.mean(own), rel=1e-9)


@pytest.mark.parametrize(("loss", "least"), [("poisson deviance", -1.0), ("gamma deviance", 0.0)])
def test_targets_that_have_no_deviance_are_named(loss, least):
    X, y, group = problem(5)
    y = np.exp(y)
    y[3] = least
    with pytest.raises(ValueError, match=f"targets .*; got {least:g}"):
        _ = cross_validated({"mean": DummyRegressor()}, X, y, groups=group, loss=loss)["mean"]


def labelled(seed=0):
    """Three classes, of which only the last hospital has the third."""
    rng = np.random.default_rng(seed)
    hospital = np.repeat(np.arange(5), 40)
    X = rng.normal(size=(200, 2))
    y = np.array(["a", "b"])[(X[:, 0] + rng.normal(size=200) > 0).astype(int)]
    y[hospital == 4] = np.where(rng.random(40) < 0.5, "c", y[hospital == 4])
    return X, y, hospital


def test_brier_scores_are_of_the_classes_of_all_data_in_every_fold():
    X, y, hospital = labelled()
    found = cross_validated(
        {"logistic": LogisticRegression()}, X, y, groups=hospital, loss="brier"
    )["logistic"]
    expected = np.empty(y.size)
    for train, test in LeaveOneGroupOut().split(X, y, hospital):
        fitted = LogisticRegression().fit(X[train], y[train])
        of_all = np.zeros((test.size, 3))
        of_all[:, np.searchsorted(["a", "b", "c"], fitted.classes_)] = fitted.predict_proba(X[test])
        expected[test] = np.sum(
            (np.eye(3)[np.searchsorted(["a", "b", "c"], y[test])] - of_all) ** 2, 1
        )
    np.testing.assert_allclose(found.observed, expected, atol=1e-12)
    # The hospital with the unseen class is the hardest, not the easiest.
    means = [found.observed[hospital == each].mean() for each in range(5)]
    assert np.argmax(means) == 4


def test_brier_scores_of_two_classes_are_those_of_scikit_learn():
    X, y, hospital = labelled()
    y = (y == "a").astype(int)
    found = cross_validated({"prior": DummyClassifier()}, X, y, groups=hospital, loss="brier")
    probability = np.empty(y.size)
    for train, test in LeaveOneGroupOut().split(X, y, hospital):
        probability[test] = y[train].mean()
    assert found["prior"].mean == pytest.approx(brier_score_loss(y, probability), rel=1e-12)


def test_a_label_that_a_fold_has_not_seen_needs_a_floor():
    X, y, hospital = labelled()
    models = {"logistic": LogisticRegression()}
    with pytest.raises(ValueError, match=r"'logistic'.*'c'.*floor="):
        cross_validated(models, X, y, groups=hospital)
    options = {"groups": hospital, "floor": 0.01, "n_simulations": 16, "rng": 0}
    found = cross_validated(models, X, y, **options)["logistic"]
    assert found.observed[y == "c"].max() < -np.log(0.01 / 1.01) + 1e-9
    assert found.source.noise == ""
    # Where the third class was not seen, it is simulated by the floor alone: 6 of 640 expected.
    assert np.mean(found.simulated[:, hospital == 4] > 4.0) < 0.03


def test_simulations_follow_the_noise():
    X, y, group = problem(5, 400)
    found = cross_validated(LINE, X, y, groups=group, rng=0, n_simulations=20)["line"]
    # Losses of its own simulations: entropy of a Gaussian of the fitted scale, fold by fold.
    entropy = [
        0.5 * np.log(2 * np.pi * np.e * scale**2)
        for scale in np.exp(found.simulated.min(axis=0) - 0.5 * np.log(2 * np.pi))
    ]
    # 40 000 losses of standard deviation √½.
    assert found.simulated.mean() == pytest.approx(np.mean(entropy), abs=0.02)


def test_deviations_that_an_estimator_predicts():
    X, y, group = problem(5)
    found = cross_validated(
        {"bayes": BayesianRidge()}, X, y, groups=group, noise="predicted", rng=0
    )["bayes"]
    expected = np.empty(y.size)
    for train, test in LeaveOneGroupOut().split(X, y, group):
        mean, deviation = BayesianRidge().fit(X[train], y[train]).predict(X[test], return_std=True)
        expected[test] = -stats.norm(mean, deviation).logpdf(y[test])
    np.testing.assert_allclose(found.observed, expected, atol=1e-10)
    with pytest.raises(TypeError, match=r"'line'.*return_std"):
        cross_validated(LINE, X, y, groups=group, noise="predicted")


def test_crps_of_a_gaussian_is_its_closed_form():
    X, y, group = problem(4, 60)
    noise = stats.norm(0.0, 0.6)
    found = cross_validated(LINE, X, y, groups=group, loss="crps", noise=noise, rng=0)["line"]
    predicted, _ = predicted_by_hand(
        LINE["line"], X, y, LeaveOneGroupOut().split(X, y, groups=group)
    )
    z = (y - predicted) / 0.6
    exact = 0.6 * (z * (2 * stats.norm.cdf(z) - 1) + 2 * stats.norm.pdf(z) - 1 / np.sqrt(np.pi))
    np.testing.assert_allclose(found.observed, exact, rtol=1e-9)


def test_counts_under_gaussian_noise_are_questioned():
    X, _, group = problem(4)
    y = np.random.default_rng(0).poisson(3.0, size=len(X))
    X = np.abs(X) * 0.01
    with pytest.warns(rivals.RivalsWarning, match="negative binomial"):
        cross_validated(BOTH, X, y, groups=group, rng=0)
    both = {"line": "gaussian", "mean": "poisson"}
    found = cross_validated(BOTH, X, y, groups=group, noise=both, rng=0)
    # A density beside a probability: both are likelihoods.
    assert {each.source.loss for each in found.values()} == {"negative log likelihood"}
    assert "under gaussian or poisson noise" in rivals.compare(found).methods()
    found = cross_validated(BOTH, X, y, groups=group, noise="negative binomial", rng=0)
    assert found["mean"].source.loss == "negative log probability"


def test_data_frames_lists_and_sparse_inputs_give_the_same():
    import pandas
    import polars
    from scipy.sparse import coo_array

    X, y, group = problem(4)
    expected = cross_validated(LINE, X, y, groups=group, rng=0)["line"]
    frame = pandas.DataFrame(X, columns=["a", "b"])
    forms = [
        (frame, pandas.Series(y), pandas.Series(group, name="School")),
        (polars.DataFrame(X, schema=["a", "b"]), polars.Series(y), polars.Series(group)),
        (X.tolist(), y.tolist(), group.tolist()),
        (coo_array(X), y[:, None], group),
    ]
    for each in forms:
        found = cross_validated(LINE, each[0], each[1], groups=each[2], rng=0)["line"]
        np.testing.assert_allclose(found.observed, expected.observed, atol=1e-10)
    named = cross_validated(LINE, *forms[0][:2], groups=forms[0][2], rng=0)["line"]
    assert named.groups.noun == "school"
    assert named.index.equals(frame.index)


def test_folds_of_points_carry_no_groups():
    X, y, _ = problem(4)
    found = cross_validated(BOTH, X, y, cv=KFold(4, shuffle=True), rng=0)
    assert found["line"].groups is None
    source = found["line"].source
    assert (source.left_out, source.n_folds, source.repeats) == (True, 4, 1)
    again = cross_validated(BOTH, X, y, cv=KFold(4, shuffle=True), rng=0)
    assert np.array_equal(found["line"].observed, again["line"].observed)
    later = cross_validated(LINE, X, y, cv=TimeSeriesSplit(3), rng=0)["line"]
    assert later.n_points == 120
    X, y, group = problem(4)
    with pytest.warns(rivals.RivalsWarning, match="groups that they were fitted to"):
        mixed = cross_validated(LINE, X, y, groups=group, cv=KFold(4, shuffle=True), rng=0)
    assert mixed["line"].groups is None


def test_folds_of_whole_groups_may_be_given():
    X, y, group = problem(6)
    found = cross_validated(LINE, X, y, groups=group, cv=GroupKFold(3), rng=0)["line"]
    assert (found.source.left_out, found.source.n_folds) == (True, 3)
    assert len(found.groups.names) == 6
    some = [(np.arange(120, 240), np.arange(120)), (np.arange(120), np.arange(120, 200))]
    part = cross_validated(LINE, X, y, groups=group, cv=some, loss="squared")["line"]
    assert part.groups.names == tuple(f"school {each}" for each in range(5))
    assert part.groups.noun == found.groups.noun


def test_a_score_is_not_taken_for_a_loss():
    X, y, group = problem(4)
    for loss in ("r2", make_scorer(r2_score), r2_score):
        found = cross_validated(LINE, X, y, groups=group, loss=loss, rng=0)
        assert found["line"].source.metric == "higher"
        assert found["line"].mean < -0.5
    labels = (y > 0).astype(int)
    logistic = {"logistic": LogisticRegression()}
    with pytest.raises(ValueError, match=r"ZeroDivisionError.*called as loss"):
        _ = cross_validated(LINE, X, y, groups=group, loss=lambda y, p: 1 / 0)["line"]
    found = cross_validated(logistic, X, labels, groups=group, loss=lambda y, p: y == p)
    with pytest.warns(rivals.RivalsWarning, match="is it a score"):
        _ = found["logistic"]


class Failing(LinearRegression):
    """Cannot be fitted without the third group."""

    def fit(self, X, y):
        if len(X) and X[:, 0].max() < 50:
            raise ValueError("no point in sight")
        return super().fit(X, y)


def test_errors_name_the_model_the_fold_and_its_groups():
    X, y, group = problem(4)
    X[group == "school 2", 0] += 100
    with pytest.raises(ValueError, match=r"'bad', fold 3 of 4, without group school 2: no point"):
        cross_validated({"bad": Failing()}, X, y, groups=group)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"groups": "School"}, r"frame\['School'\]"),
        ({"groups": np.zeros(240)}, "none can be left out"),
        ({"groups": np.zeros(10)}, "10 labels for 240"),
        ({"y": np.zeros(10)}, "10 targets for 240"),
        ({"y": np.full(240, np.nan)}, "leave these points out"),
        ({"y": np.zeros((240, 2))}, "one target"),
        ({"noise": "gauss"}, "there is no 'gauss'"),
        ({"noise": {"line": "gaussian"}}, "'mean' is missing"),
        ({"loss": "squared", "noise": "student"}, "leave it out"),
        ({"loss": "brier"}, "there is no 'brier'"),
        ({"floor": 0.1}, "leave it out"),
        ({"models": {"a": LinearRegression}}, "not its class"),
        ({"models": {"a": LinearRegression(), "b": LogisticRegression()}}, "cannot be compared"),
        ({"models": {"a": 3}}, "leave_out"),
        ({"models": {}}, "mapping"),
        ({"noise": "poisson"}, "of counts"),
        ({"cv": [(np.arange(120), np.arange(100, 240))]}, "trains on 20 of its 140"),
    ],
)
def test_what_is_refused_says_why(change, message):
    X, y, group = problem(6)
    given = {"models": BOTH, "X": X, "y": y, "groups": group} | change
    with pytest.raises((TypeError, ValueError), match=message):
        cross_validated(**given)


def test_without_scikit_learn_the_extra_is_named(monkeypatch):
    import sys

    X, y, group = problem(3)
    monkeypatch.setitem(sys.modules, "sklearn.base", None)
    with pytest.raises(ImportError, match=r"rivals\[sklearn\]"):
        cross_validated(LINE, X, y, groups=group)
