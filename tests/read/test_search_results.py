"""Scores of folds, as scikit-learn's validations and searches return them."""

from __future__ import annotations

import numpy as np
import pytest

import rivals
from rivals.read import search_results

sklearn = pytest.importorskip("sklearn")

from sklearn.datasets import make_regression  # noqa: E402
from sklearn.linear_model import Ridge  # noqa: E402
from sklearn.model_selection import (  # noqa: E402
    GridSearchCV,
    GroupKFold,
    KFold,
    ShuffleSplit,
    cross_validate,
)

X, Y = make_regression(120, 5, noise=5.0, random_state=0)
GROUPS = np.repeat(np.arange(12), 10)


def validated(alpha, cv=None, **options):
    return cross_validate(
        Ridge(alpha),
        X,
        Y,
        cv=cv or GroupKFold(12),
        groups=None if cv else GROUPS,
        return_indices=True,
        **options,
    )


def test_a_fold_is_a_group_of_one_point():
    found = {"weak": validated(1e-3), "strong": validated(1e3)}
    losses = search_results(found)
    np.testing.assert_array_equal(losses["weak"].observed, -found["weak"]["test_score"])
    result = rivals.compare(losses)
    assert result.best == "weak"
    assert result._decided.n_groups == 12
    assert result.summary.source.left_out is True
    assert result.summary.source.library == "scikit-learn"


def test_a_search_names_candidates_by_what_differs():
    grid = {"alpha": [1e-3, 1e3], "solver": ["cholesky"]}
    search = GridSearchCV(Ridge(), grid, cv=KFold(6)).fit(X, Y)
    losses = search_results(search.cv_results_)
    assert list(losses) == ["alpha=0.001", "alpha=1000.0"]
    scores = [search.cv_results_[f"split{k}_test_score"][1] for k in range(6)]
    np.testing.assert_array_equal(losses["alpha=1000.0"].observed, -np.array(scores))


def test_several_scorers_are_chosen_by_name():
    scoring = ("r2", "neg_mean_absolute_error")
    found = {"a": validated(1e-3, scoring=scoring), "b": validated(1e3, scoring=scoring)}
    assert search_results(found, score="r2")["a"].source.loss == "negative r2"
    with pytest.raises(ValueError, match="'r2', 'neg_mean_absolute_error'"):
        search_results(found)
    search = GridSearchCV(Ridge(), {"alpha": [1.0, 2.0]}, cv=3, scoring=scoring, refit=False)
    with pytest.raises(ValueError, match="'r2', 'neg_mean_absolute_error'"):
        search_results(search.fit(X, Y).cv_results_)


def test_other_splits_are_refused():
    found = {
        "a": validated(1.0, cv=KFold(6, shuffle=True, random_state=0)),
        "b": validated(1.0, cv=KFold(6, shuffle=True, random_state=1)),
    }
    with pytest.raises(ValueError, match="'b' was judged on other splits"):
        search_results(found)
    with pytest.raises(ValueError, match="different numbers of splits"):
        search_results({"a": validated(1.0), "b": {"test_score": np.ones(3)}})


def test_splits_that_share_points_are_no_replications():
    shared = validated(1.0, cv=ShuffleSplit(6, random_state=0))
    with pytest.raises(ValueError, match="share test points"):
        search_results({"a": shared, "b": shared})


def test_a_fit_that_failed_is_named():
    broken = {"test_score": np.array([1.0, np.nan, 1.0])}
    with pytest.raises(ValueError, match="'b': split 1"):
        search_results({"a": {"test_score": np.ones(3)}, "b": broken})


@pytest.mark.parametrize("found", [None, 3, {}, {"train_score": [1.0]}])
def test_what_is_no_validation_is_told(found):
    with pytest.raises(ValueError, match="'b': expected what cross_validate returned"):
        search_results({"a": {"test_score": np.ones(3)}, "b": found})


def test_candidates_that_are_alike_are_refused():
    twice = {"params": [{"alpha": 1.0}, {"alpha": 1.0}], "split0_test_score": np.ones(2)}
    with pytest.raises(ValueError, match="alike"):
        search_results(twice)


def test_a_search_itself_is_told_what_is_read():
    search = GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]})
    with pytest.raises(TypeError, match=r"cv_results_.*GridSearchCV"):
        search_results(search)
