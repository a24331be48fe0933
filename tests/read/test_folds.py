"""One maker of folds: whole groups, alike behind every door."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import rivals
from rivals._core.grouping import Grouping
from rivals.read._folds import (
    foldings_of_groups,
    grouping_of,
    warn_of_predictors_of_groups,
)


@pytest.mark.parametrize("n_groups", [2, 7, 20, 21, 60])
def test_whole_groups_are_left_out_each_once(n_groups):
    rng = np.random.default_rng(n_groups)
    grouping = Grouping.of(np.concatenate([np.arange(n_groups), rng.integers(n_groups, size=500)]))
    folds = foldings_of_groups(grouping)[0]
    assert len(folds) == (n_groups if n_groups <= 20 else 10)
    tested = np.concatenate([fold.test for fold in folds])
    assert np.array_equal(np.sort(tested), np.arange(grouping.codes.size))
    for fold in folds:
        own = set(grouping.codes[fold.test].tolist())
        assert not own & set(grouping.codes[fold.train].tolist())
        assert {grouping.names[code] for code in own} == set(fold.groups)
        assert fold.train.size + fold.test.size == grouping.codes.size


def test_many_groups_are_divided_as_by_scikit_learn():
    selection = pytest.importorskip("sklearn.model_selection")
    rng = np.random.default_rng(0)
    # Sizes that are all different: ties are broken at will.
    codes = np.repeat(np.arange(40), rng.permutation(40) + 1)
    grouping = Grouping.of(codes)
    splits = selection.GroupKFold(10).split(codes, groups=grouping.codes)
    expected = {tuple(test.tolist()) for _, test in splits}
    assert {tuple(fold.test.tolist()) for fold in foldings_of_groups(grouping)[0]} == expected


def test_folds_are_of_about_as_many_points():
    sizes = np.random.default_rng(1).integers(1, 60, size=160)
    folds = foldings_of_groups(Grouping.of(np.repeat(np.arange(160), sizes)))[0]
    tested = [fold.test.size for fold in folds]
    assert max(tested) - min(tested) <= sizes.max()


@pytest.mark.parametrize("n_groups", [5, 30])
def test_all_doors_have_the_same_folds(n_groups):
    """Each loss is the mean of the training targets, which tells the folds."""
    pytest.importorskip("sklearn")
    from sklearn.dummy import DummyRegressor

    rng = np.random.default_rng(2)
    group = rng.permutation(np.repeat(np.arange(n_groups), rng.integers(5, 30, size=n_groups)))
    y = rng.normal(size=group.size)
    data = {"y": y, "group": group}

    def prediction(y, predicted):
        return predicted

    found = rivals.read.cross_validated(
        {"mean": DummyRegressor()}, y[:, None], y, groups=group, repeats=1, loss=prediction
    )
    with pytest.warns(rivals.RivalsWarning, match="is it a score"):
        first = found["mean"].observed

    def fit(rows):
        mean = rows["y"].mean()
        return rivals.Candidate(lambda rows: np.full(len(rows["y"]), mean), lambda n, rng: None)

    second = rivals.read.leave_out(fit, data, groups="group", n_simulations=0).observed

    def build(rows):
        mean = rows["y"].mean()
        return lambda rows: np.full((3, len(rows["y"])), -mean)

    third = rivals.read.left_out_posterior(build, data, groups="group").observed
    np.testing.assert_allclose(second, first, atol=1e-12)
    np.testing.assert_allclose(third, first, atol=1e-12)


def test_what_is_no_grouping_is_refused():
    with pytest.raises(TypeError, match=r"frame\['site'\]"):
        grouping_of("site", np.zeros(3))
    with pytest.raises(ValueError, match="2 labels for 3"):
        grouping_of(["a", "b"], np.zeros(3))
    with pytest.raises(ValueError, match="all points are in one"):
        grouping_of(["a", "a"], np.zeros(2))
    assert grouping_of(["a", "b"], np.zeros(2), "site").noun == "site"


def test_as_many_predictors_of_groups_as_groups_are_warned_of():
    rng = np.random.default_rng(0)
    grouping = Grouping.of(np.repeat(list("abcdef"), 5), "site")
    of_sites = rng.normal(size=(6, 6))[grouping.codes]
    own = rng.normal(size=(30, 4))
    with pytest.warns(rivals.RivalsWarning, match="6 of 10 columns are the same throughout each"):
        warn_of_predictors_of_groups(np.hstack([own, of_sites]), grouping)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_predictors_of_groups(np.hstack([own, of_sites[:, :5]]), grouping)
        warn_of_predictors_of_groups(np.hstack([own, np.ones((30, 9))]), grouping)
