"""First contact: what people hold goes into `compare` as it is."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

import rivals

sklearn = pytest.importorskip("sklearn")

from sklearn.datasets import load_breast_cancer, make_regression  # noqa: E402
from sklearn.linear_model import LinearRegression, Ridge  # noqa: E402
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold  # noqa: E402
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor  # noqa: E402
from sklearn.tree import DecisionTreeClassifier  # noqa: E402

X, Y = make_regression(120, 5, noise=5.0, random_state=0)
GROUPS = np.repeat(np.arange(12), 10)


# ---------------------------------------------------------------- estimators


def test_a_list_of_estimators_with_x_and_y():
    models = [LinearRegression(), Ridge(100.0), Ridge(1000.0)]
    result = rivals.compare(models, X=X, y=Y, groups=GROUPS, loss="squared", rng=0)
    assert set(result.risk) == {"LinearRegression", "Ridge 1", "Ridge 2"}
    named = dict(zip(result.risk, models, strict=True))
    pred = rivals.read.cross_validated(named, X, Y, groups=GROUPS, loss="squared", rng=0)
    assert result.risk == pytest.approx(rivals.compare(pred).risk)
    with pytest.raises(ValueError, match="estimators need both X= and y="):
        rivals.compare(models, X=X)


def test_groups_may_be_a_column_of_x():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcde")).assign(school=GROUPS)
    models = {"line": LinearRegression(), "ridge": Ridge(100.0)}
    by_name = rivals.compare(models, X=frame, y=Y, groups="school", loss="squared", rng=0)
    by_label = rivals.compare(models, X=X, y=Y, groups=GROUPS, loss="squared", rng=0)
    assert by_name.risk == pytest.approx(by_label.risk)
    assert "school" in str(by_name)


def test_classifiers_with_zeros_are_told_of_the_brier_score():
    data = load_breast_cancer()
    models = {"tree": DecisionTreeClassifier(random_state=0), "kNN": KNeighborsClassifier()}
    with pytest.raises(ValueError, match=r"floor=.*loss='brier'"):
        rivals.compare(models, X=data.data, y=data.target, rng=0)
    result = rivals.compare(models, X=data.data, y=data.target, loss="brier", rng=0)
    assert result.best == "kNN"


def test_groups_reach_the_search_within_a_fit():
    """Without them GroupKFold raises; with them no inner training set has a group of its test."""
    seen = []

    class WatchedGroups(GroupKFold):
        def split(self, X, y=None, groups=None):
            for train, test in super().split(X, y, groups):
                seen.append(np.intersect1d(groups[train], groups[test]).size)
                yield train, test

    search = GridSearchCV(Ridge(), {"alpha": [0.1, 10.0]}, cv=WatchedGroups(3))
    models = {"search": search, "kNN": KNeighborsRegressor()}
    pred = rivals.read.cross_validated(models, X, Y, groups=GROUPS, loss="squared", rng=0)
    assert len(pred["search"].observed) == 120
    assert len(seen) == 12 * 3
    assert set(seen) == {0}
    plain = {"search": GridSearchCV(Ridge(), {"alpha": [0.1]}, cv=KFold(3)), "line": Ridge()}
    rivals.read.cross_validated(plain, X, Y, groups=GROUPS, loss="squared", rng=0)


def test_weights_of_rows_reach_the_fits():
    weights = np.random.default_rng(0).random(120)
    models = {"a": Ridge(1.0), "b": Ridge(50.0)}
    pred = rivals.read.cross_validated(
        models, X, Y, groups=GROUPS, sample_weight=weights, loss="squared", rng=0
    )
    out = GROUPS == 3
    fitted = Ridge(50.0).fit(X[~out], Y[~out], sample_weight=weights[~out])
    np.testing.assert_allclose(pred["b"].observed[out], (Y[out] - fitted.predict(X[out])) ** 2)
    with pytest.raises(TypeError, match="KNeighborsRegressor takes none"):
        rivals.read.cross_validated(
            {"kNN": KNeighborsRegressor(), "b": Ridge()}, X, Y, sample_weight=weights, rng=0
        )
    with pytest.raises(ValueError, match="for each of 120 rows"):
        rivals.read.cross_validated(models, X, Y, sample_weight=weights[:3], rng=0)


def test_reports_of_skore():
    """By what they offer: the splits, the data and the estimator."""
    splits = list(GroupKFold(12).split(X, Y, GROUPS))

    def report(alpha, splits=splits):
        return SimpleNamespace(
            estimator_=Ridge(alpha), X=X, y=Y, split_indices=splits, ml_task="regression"
        )

    reports = {"weak": report(1e-3), "strong": report(1e3)}
    comparison = SimpleNamespace(reports_=reports)
    for held in (reports, comparison):
        result = rivals.compare(held, groups=GROUPS, loss="squared")
        assert (result.best, result.summary.n_groups) == ("weak", 12)
    other = {**reports, "other": report(1.0, splits[::-1])}
    with pytest.raises(ValueError, match="'other' was judged on other splits"):
        rivals.compare(other, groups=GROUPS)
    single = {"one": SimpleNamespace(ml_task="regression"), "two": report(1.0)}
    with pytest.raises(TypeError, match="has one split alone"):
        rivals.compare({"a": single["one"], "b": single["one"]})


# ---------------------------------------------------------------- trees of ArviZ


def trees(school=None):
    xarray = pytest.importorskip("xarray")
    rng = np.random.default_rng(0)
    y = rng.normal(size=60)
    found = {}
    for name, shift in (("good", 0.0), ("poor", 1.5)):
        mean = rng.normal(shift, 0.1, size=(2, 200, 1))
        values = stats.norm(mean, 1.0).logpdf(y)
        held_out = xarray.Dataset({"y": (("chain", "draw", "point"), values)})
        groups = {"log_likelihood_held_out": held_out}
        if school is not None:
            groups["constant_data"] = xarray.Dataset({"school": (("point",), school)})
        found[name] = xarray.DataTree.from_dict(groups)
    return found


def test_trees_by_name_and_from_files(tmp_path):
    school = np.repeat([f"s{k}" for k in range(6)], 10)
    held = trees(school)
    result = rivals.compare(held, groups="school")
    assert result.best == "good"
    assert "6 schools" in str(result)
    pytest.importorskip("netCDF4", reason="xarray writes trees by it")
    paths = {}
    for name, tree in held.items():
        paths[name] = tmp_path / f"{name}.nc"
        tree.to_netcdf(paths[name])
    assert rivals.compare(paths, groups="school").risk == pytest.approx(result.risk)


def test_what_trees_lack_is_told(tmp_path):
    with pytest.raises(ValueError, match="the tree keeps no 'school' for each point"):
        rivals.compare(trees(), groups="school")
    with pytest.raises(TypeError, match="must be one of a tree of ArviZ"):
        rivals.compare({"a": "losses.csv", "b": "losses.csv"})


def test_points_that_were_left_out_alone_are_marked_everywhere():
    pytest.importorskip("arviz_stats")
    xarray = pytest.importorskip("xarray")
    held = {
        name: xarray.DataTree.from_dict({"log_likelihood": tree["log_likelihood_held_out"].dataset})
        for name, tree in trees().items()
    }
    with pytest.warns(rivals.RivalsWarning, match="seen the other points of its group"):
        result = rivals.compare(held, groups=np.repeat(np.arange(6), 10))
    for shown in (str(result), result.details(), result.methods()):
        assert "left out alone" in shown
    with pytest.raises(ValueError, match="left_out"):
        result.gate("poor")


# ---------------------------------------------------------------- counts of statsmodels


def test_zero_inflated_counts_by_their_own_distribution():
    discrete = pytest.importorskip("statsmodels.discrete.count_model")
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    y = np.where(rng.random(400) < 0.3, 0, rng.poisson(np.exp(0.5 + 0.5 * x)))
    frame = pandas.DataFrame({"y": y, "one": 1.0, "x": x, "site": np.repeat(np.arange(4), 100)})

    def inflated(rows):
        return discrete.ZeroInflatedPoisson.from_formula("y ~ x", rows).fit(disp=0)

    found = rivals.read.leave_out({"inflated": inflated}, frame, groups="site")["inflated"]
    out = frame["site"] == 2
    results = inflated(frame[~out])
    own = results.get_distribution(frame[out])
    np.testing.assert_allclose(found.observed[out], -own.logpmf(frame["y"][out]), rtol=1e-6)
