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


def pupils(n_groups, seed=0, per_group=20):
    """Inputs, targets and groups of different sizes."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(n_groups), rng.integers(per_group // 2, per_group, size=n_groups))
    X = rng.normal(size=(group.size, 3))
    y = X[:, 0] + np.sin(X[:, 1]) + 0.3 * rng.normal(size=n_groups)[group]
    return X, y + 0.5 * rng.normal(size=group.size), group


def models():
    pytest.importorskip("sklearn")
    from sklearn.linear_model import LinearRegression
    from sklearn.neighbors import KNeighborsRegressor

    return {"line": LinearRegression(), "kNN": KNeighborsRegressor(5)}


@pytest.mark.parametrize(
    ("n_groups", "repeats"), [(30, 1), (30, 3), (8, None), (None, 1), (None, 3)]
)
def test_the_order_of_rows_changes_nothing(n_groups, repeats):
    """Neither folds nor P, beyond rounding of sums in another order."""
    X, y, group = pupils(n_groups or 10)
    found = []
    for seed in range(3):
        rows = np.random.default_rng(seed).permutation(y.size) if seed else np.arange(y.size)
        labels = None if n_groups is None else group[rows]
        read = rivals.read.cross_validated(
            models(), X[rows], y[rows], groups=labels, repeats=repeats, loss="squared", rng=0
        )
        back = np.argsort(rows)
        result = rivals.compare(read, rng=0)
        found.append((read["line"].observed[back], float(result.probability["line", "kNN"])))
    for losses, p in found[1:]:
        np.testing.assert_allclose(losses, found[0][0], atol=1e-9)
        assert p == pytest.approx(found[0][1], abs=1e-6)


def test_refoldings_are_averaged():
    X, y, group = pupils(30)
    options = {"groups": group, "loss": "squared", "rng": 3}
    five = rivals.read.cross_validated(models(), X, y, **options)
    assert five["line"].source.repeats == 5
    assert five.folds.shape == (5, y.size)
    assert len(five["line"].fits) == 5
    errors = [(y - each) ** 2 for each in five.predicted["kNN"]]
    np.testing.assert_allclose(five["kNN"].observed, np.mean(errors, axis=0), rtol=1e-12)
    assert not np.array_equal(five.folds[0], five.folds[1])
    one = rivals.read.cross_validated(models(), X, y, repeats=1, **options)
    # What fits share is measured five times.
    shared = [rivals.compare(each, rng=0).summary.shared[0, 1] for each in (one, five)]
    assert shared[1] != shared[0]
    with pytest.raises(ValueError, match="left out alone"):
        rivals.read.cross_validated(models(), X, y, groups=group % 7, repeats=2)


@pytest.mark.parametrize("grouped", [True, False])
@pytest.mark.parametrize("loss", ["log", "squared", "crps", "rmse"])
def test_fits_of_folds_are_judged_in_all_units(grouped, loss):
    """The matrix is that of a loop, where the fits of folds predict all rows."""
    X, y, group = pupils(6)
    noise = {"noise": "laplace"} if loss == "log" else {}
    labels = group if grouped else None
    repeats = None if grouped else 1
    read = rivals.read.cross_validated(
        models(), X, y, groups=labels, loss=loss, repeats=repeats, rng=0, **noise
    )
    fits = read["line"].fits[0]
    fold = read.folds[0]
    n_folds = fold.max() + 1
    assert fits.of_rows is not grouped
    unit = group if grouped else fold
    assert fits.means.shape == (n_folds, unit.max() + 1)
    own = fits.means[fits.fold[:6] if grouped else np.arange(n_folds), np.arange(unit.max() + 1)]
    expected = np.bincount(unit, read["line"].observed) / np.bincount(unit)
    np.testing.assert_allclose(own, expected, rtol=1e-9)
    if loss != "squared":
        return
    model = models()["line"]
    for each in range(n_folds):
        error = (y - model.fit(X[fold != each], y[fold != each]).predict(X)) ** 2
        by_hand = np.bincount(unit, error) / np.bincount(unit)
        np.testing.assert_allclose(fits.means[each], by_hand, rtol=1e-9)


def test_splitters_that_repeat_stratify_or_shuffle():
    selection = pytest.importorskip("sklearn.model_selection")
    X, y, _ = pupils(10)
    repeated = selection.RepeatedKFold(n_splits=4, n_repeats=3, random_state=0)
    read = rivals.read.cross_validated(models(), X, y, cv=repeated, loss="absolute", rng=0)
    assert (read["line"].source.n_folds, read["line"].source.repeats) == (4, 3)
    assert len(read["line"].fits) == 3
    shuffled = selection.ShuffleSplit(4, random_state=0)
    with pytest.raises(ValueError, match="not tested equally often"):
        rivals.read.cross_validated(models(), X, y, cv=shuffled, loss="absolute")
    with pytest.raises(ValueError, match="says how often rows are divided"):
        rivals.read.cross_validated(models(), X, y, cv=repeated, repeats=2, loss="absolute")
    halves = rivals.read.cross_validated(models(), X, y, cv=2, repeats=1, loss="absolute")
    assert halves["line"].fits == ()


def test_all_doors_measure_the_same_fits():
    X, y, group = pupils(7)
    data = {"x": X[:, 0], "y": y, "group": group}

    def fit(rows):
        slope = np.sum(rows["x"] * rows["y"]) / np.sum(rows["x"] ** 2)
        return lambda new: stats.norm(slope * new["x"], 1.0)

    def build(rows):
        slope = np.sum(rows["x"] * rows["y"]) / np.sum(rows["x"] ** 2)
        return lambda new: stats.norm(slope * new["x"], 1.0).logpdf(new["y"])[None]

    stats = pytest.importorskip("scipy.stats")
    first = rivals.read.leave_out({"a": fit}, data, groups="group", target="y")["a"]
    second = rivals.read.left_out_posterior({"a": build}, data, groups="group")["a"]
    np.testing.assert_allclose(first.fits[0].means, second.fits[0].means, rtol=1e-9)
    joint = rivals.read.leave_out({"a": fit}, data, groups="group", target="y", joint=True)["a"]
    sums = first.fits[0].means * np.bincount(group)
    np.testing.assert_allclose(joint.fits[0].means, sums, rtol=1e-9)

    def predicts(rows):
        slope = np.sum(rows["x"] * rows["y"]) / np.sum(rows["x"] ** 2)
        return lambda new: slope * new["x"]

    kept = rivals.read.leave_out({"a": predicts}, data, groups="group", target="y", loss="rmse")
    assert kept["a"].source.metric == "lower"
    assert kept.judged("squared")["a"].fits


def test_a_fit_that_holds_for_the_rows_left_out_alone_is_no_error():
    _, y, group = pupils(5)
    data = {"y": y, "group": group, "row": np.arange(y.size)}

    def fit(rows):
        seen = set(rows["row"].tolist())

        def at(new):
            if seen & set(new["row"].tolist()):
                raise ValueError("a fitted row")
            return np.zeros(len(new["y"]))

        return at

    losses = rivals.read.leave_out(fit, data, groups="group", target="y", loss="squared")
    assert losses.fits == ()


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
