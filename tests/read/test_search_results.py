"""What scikit-learn's `cross_validate` returned: groups, rows, or nothing that can be judged."""

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
    LeaveOneGroupOut,
    RepeatedKFold,
    cross_validate,
)

X, Y = make_regression(120, 5, noise=5.0, random_state=0)
GROUPS = np.repeat(np.arange(12), 10)


def validated(alpha, cv, **options):
    kept = {"return_indices": True, "return_estimator": True}
    groups = GROUPS if "Group" in type(cv).__name__ else None
    return cross_validate(Ridge(alpha), X, Y, cv=cv, groups=groups, **kept, **options)


def both(cv, **options):
    return {"weak": validated(1e-3, cv, **options), "strong": validated(1e3, cv, **options)}


def test_scores_of_one_group_each_are_those_of_groups():
    found = both(LeaveOneGroupOut())
    losses = search_results(found, groups=GROUPS)
    np.testing.assert_array_equal(losses["weak"].observed, -found["weak"]["test_score"])
    result = rivals.compare(losses)
    assert result.best == "weak"
    assert result.summary.n_groups == 12
    assert result.summary.source.left_out is True


@pytest.mark.parametrize("cv", [KFold(6, shuffle=True, random_state=0), GroupKFold(4)])
def test_scores_of_folds_alone_cannot_be_judged(cv):
    """Random folds were once taken for left-out groups, and named winners that failed."""
    found = both(cv)
    with pytest.raises(ValueError, match=r"scores of .* folds alone cannot be judged"):
        search_results(found)
    with pytest.raises(ValueError, match="scores of folds are not those of groups"):
        search_results(found, groups=GROUPS)


def test_with_the_data_rows_are_judged():
    cv = KFold(6, shuffle=True, random_state=0)
    losses = search_results(both(cv), X=X, y=Y, loss="squared")
    expected = np.empty(120)
    for train, test in cv.split(X):
        expected[test] = (Y[test] - Ridge(1e-3).fit(X[train], Y[train]).predict(X[test])) ** 2
    np.testing.assert_allclose(losses["weak"].observed, expected, rtol=1e-9)
    assert losses["weak"].groups is None
    result = rivals.compare(losses)
    assert "120 new rows" in str(result) or "120 new points" in str(result)


def test_repeated_folds_are_averaged_for_each_row():
    cv = RepeatedKFold(n_splits=5, n_repeats=4, random_state=0)
    losses = search_results(both(cv), X=X, y=Y, loss="squared")
    total = np.zeros(120)
    for train, test in cv.split(X):
        fitted = Ridge(1e-3).fit(X[train], Y[train])
        total[test] += (Y[test] - fitted.predict(X[test])) ** 2 / 4
    np.testing.assert_allclose(losses["weak"].observed, total, rtol=1e-9)
    assert losses["weak"].n_points == 120


def test_with_the_data_and_groups_groups_are_judged():
    losses = search_results(both(GroupKFold(4)), X=X, y=Y, groups=GROUPS, loss="squared")
    assert rivals.compare(losses).summary.n_groups == 12
    with pytest.raises(ValueError, match=r"in the training set of fold 0, and in its test set"):
        search_results(both(KFold(6, shuffle=True, random_state=0)), X=X, y=Y, groups=GROUPS)


def test_what_cannot_be_read_is_told():
    cv = KFold(6, shuffle=True, random_state=0)
    search = GridSearchCV(Ridge(), {"alpha": [0.1, 1.0]}, cv=3).fit(X, Y)
    with pytest.raises(ValueError, match=r"pass its candidates to rivals.read.cross_validated"):
        search_results(search.cv_results_)
    with pytest.raises(TypeError, match="a mapping of names"):
        search_results(search)
    other = validated(1.0, KFold(6, shuffle=True, random_state=1))
    with pytest.raises(ValueError, match="'b' was judged on other splits"):
        search_results({"a": validated(1.0, cv), "b": other}, X=X, y=Y)
    without = cross_validate(Ridge(), X, Y, cv=cv, return_indices=True)
    with pytest.raises(ValueError, match="return_estimator=True"):
        search_results({"a": without, "b": without}, X=X, y=Y)
    for found in (None, 3, {}, {"test_score": [1.0]}):
        with pytest.raises(ValueError, match=r"'b': expected what cross_validate"):
            search_results({"a": without, "b": found}, X=X, y=Y)
    bad = both(LeaveOneGroupOut(), scoring=("r2", "neg_mean_absolute_error"))
    with pytest.raises(ValueError, match="'r2', 'neg_mean_absolute_error'"):
        search_results(bad, groups=GROUPS)
    broken = both(LeaveOneGroupOut())
    broken["weak"]["test_score"][1] = np.nan
    with pytest.raises(ValueError, match="'weak': split 1"):
        search_results(broken, groups=GROUPS)
