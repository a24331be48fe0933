"""Labels of points, in any form and order: one answer, or one refusal."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import pytest

import rivals
from rivals import Losses, compare
from rivals._say.labels import read_groups
from rivals.read import long_table

pytest.importorskip("pandas")
import pandas

from stress import labels
from stress.labels import GROUPS, MODELS, A, B, N, probability

# Rows that are put into order are warned of.
pytestmark = pytest.mark.filterwarnings("ignore:the rows of .* stand in another order")

ORDER = np.random.default_rng(0).permutation(N)
EXPECTED = probability(MODELS, groups=GROUPS)


def shuffled(values):
    return pandas.Series(values).iloc[ORDER]


# ---------------------------------------------------------------- one order


def test_groups_are_put_into_the_order_of_the_losses_that_carry_them():
    models = {
        name: Losses(pandas.Series(losses), groups=shuffled(GROUPS))
        for name, losses in (("A", A), ("B", B))
    }
    assert probability(models) == pytest.approx(EXPECTED, rel=1e-12)


def test_groups_label_the_points_of_an_array():
    """Losses without labels are of the points that their groups name."""
    models = {
        "A": Losses(A[ORDER], groups=shuffled(GROUPS)),
        "B": Losses(pandas.Series(B), groups=GROUPS),
    }
    assert probability(models) == pytest.approx(EXPECTED, rel=1e-12)


@pytest.mark.parametrize("keep_simulations", [True, False])
@pytest.mark.parametrize("first", ["A", "B"])
def test_an_array_among_two_orders_is_refused_whichever_model_is_first(first, keep_simulations):
    losses = {"A": A, "B": pandas.Series(B)}
    models = {first: losses.pop(first)} | losses
    with pytest.raises(ValueError, match="those of model 'A' have no labels that say in which"):
        compare(models, groups=shuffled(GROUPS), keep_simulations=keep_simulations)


@pytest.mark.parametrize("first", ["A", "B"])
def test_groups_of_any_model_count(first):
    losses = {"A": A, "B": Losses(B, groups=GROUPS)}
    models = {first: losses.pop(first)} | losses
    assert probability(models) == pytest.approx(EXPECTED, rel=1e-12)


def test_the_order_of_a_series_is_not_that_of_the_first_model():
    models = {"A": shuffled(A), "B": pandas.Series(B)}
    with pytest.raises(ValueError, match="order='time' the order counts; sort"):
        compare(models, groups=pandas.Series(GROUPS), order="time")


def labelled(values, order):
    """An array of xarray with the labels of its points, in this order."""
    xarray = pytest.importorskip("xarray")
    points = np.arange(N)
    return xarray.DataArray(values, dims="point", coords={"point": points})[order]


def test_labelled_arrays_are_put_into_one_order():
    """Their coordinates were dropped, and the losses of different points were paired."""
    models = {"A": labelled(A, ORDER), "B": pandas.Series(B)}
    assert probability(models, groups=GROUPS[ORDER]) == pytest.approx(EXPECTED, rel=1e-12)
    models = {"A": labelled(A, slice(None)), "B": labelled(B, ORDER)}
    groups = labelled(GROUPS, ORDER[::-1])
    assert probability(models, groups=groups) == pytest.approx(EXPECTED, rel=1e-12)
    with pytest.raises(ValueError, match="those of model 'B' have no labels that say in which"):
        compare({"A": labelled(A, slice(None)), "B": B}, groups=groups)


def test_data_of_candidates_may_be_labelled_arrays():
    xarray = pytest.importorskip("xarray")
    models = {
        "A": rivals.Candidate(lambda d: np.abs(d["x"]), lambda n, rng: {"x": rng.normal(size=n)}),
        "B": rivals.Candidate(lambda d: d["x"] ** 2, lambda n, rng: {"x": rng.normal(size=n)}),
    }
    expected = probability(models, data={"x": A}, groups=GROUPS, rng=0)
    dataset = xarray.Dataset({"x": labelled(A, slice(None))})
    assert probability(models, data=dataset, groups=GROUPS, rng=0) == expected
    # The losses that come back are labelled, too, and groups are put into their order.
    groups = labelled(GROUPS, ORDER)
    assert probability(models, data=dataset, groups=groups, rng=0) == expected


def test_columns_of_every_library_are_losses():
    pyarrow = pytest.importorskip("pyarrow")
    polars = pytest.importorskip("polars")
    models = {"A": pyarrow.array(A), "B": polars.Series(B)}
    assert probability(models, groups=pyarrow.array(GROUPS)) == EXPECTED
    pieces = pyarrow.chunked_array([B[:7], B[7:]])
    assert probability({"A": A, "B": pieces}, groups=polars.Series(GROUPS)) == EXPECTED
    with pytest.raises(ValueError, match=r"model 'A': .*1 of 60 are NaN, .* position 0 \(from"):
        compare({"A": pyarrow.array([None, *A[1:]]), "B": B}, groups=GROUPS)


def test_candidates_have_the_labels_of_their_data():
    data = pandas.Series(A)
    models = {
        "A": rivals.Candidate(lambda y: np.asarray(y), lambda n, rng: rng.exponential(size=n)),
        "B": rivals.Candidate(
            lambda y: 0.5 * np.asarray(y) ** 2, lambda n, rng: rng.exponential(size=n)
        ),
    }
    expected = probability(models, data=data, groups=GROUPS, rng=0)
    assert probability(models, data=data, groups=shuffled(GROUPS), rng=0) == expected


def test_cross_validation_knows_the_labels_of_its_inputs():
    pytest.importorskip("sklearn")
    from sklearn.dummy import DummyRegressor
    from sklearn.linear_model import LinearRegression

    X = pandas.DataFrame({"x": A})
    models = {"A": LinearRegression(), "B": DummyRegressor()}
    options = {"n_simulations": 2, "rng": 0}
    expected = rivals.read.cross_validated(models, X, B, groups=GROUPS, **options)
    with pytest.warns(rivals.RivalsWarning, match="put into that order by their index"):
        found = rivals.read.cross_validated(models, X, B, groups=shuffled(GROUPS), **options)
    for name, losses in expected.items():
        np.testing.assert_array_equal(found[name].observed, losses.observed)
        np.testing.assert_array_equal(found[name].groups, losses.groups)
        assert found[name].index.equals(X.index)


# ---------------------------------------------------------------- what groups are of


@pytest.fixture(scope="module")
def by_points():
    """Losses of a cross-validation whose folds are not of whole groups."""
    pytest.importorskip("sklearn")
    from scipy.stats import norm
    from sklearn.dummy import DummyRegressor
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import TimeSeriesSplit

    models = {"A": LinearRegression(), "B": DummyRegressor()}

    def losses(**options):
        return rivals.read.cross_validated(
            models, A[:, None], B, noise=norm(), n_simulations=2, rng=0, **options
        )

    return {"points": losses(), "series": losses(cv=TimeSeriesSplit(5))}


def test_folds_of_points_are_not_judged_by_groups(by_points):
    losses = by_points["points"]
    with pytest.raises(ValueError, match=r"model 'A'.*cross_validated\(\.\.\., groups=groups\)"):
        compare(losses, groups=GROUPS)
    assert compare(losses, clusters=GROUPS, rng=0).law == "transport"
    # Nor where the losses of one model carry the groups.
    carried = losses | {"B": Losses(losses["B"].observed, losses["B"].synthetic, groups=GROUPS)}
    with pytest.raises(ValueError, match=r"model 'A'.*cross_validated\(\.\.\., groups=groups\)"):
        compare(carried)


def test_folds_of_a_series_are_judged_as_one(by_points):
    losses = by_points["series"]
    with pytest.warns(rivals.RivalsWarning, match="stretches of a series .* pass order='time'"):
        result = compare(losses, rng=0)
    assert "series" in [note.code for note in result.diagnostics["A"]]
    assert "series" not in [
        note.code for note in compare(losses, order="time", rng=0).diagnostics["A"]
    ]


def test_clusters_have_no_place_beside_groups():
    with pytest.raises(ValueError, match="leave clusters out"):
        compare({"A": A, "B": B}, groups=GROUPS, clusters=np.arange(N) // 2)


# ---------------------------------------------------------------- what labels are


BERLIN = timezone(timedelta(hours=1))


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        ([1, 1.0, 2, np.int8(1)], ("1", "2")),
        (["é", "e\u0301", "a", "é "], ("a", "é")),
        ([datetime(2024, 1, 1, 10, tzinfo=UTC), datetime(2024, 1, 1, 11, tzinfo=BERLIN)] * 2, 1),
        (
            np.array(["2024-03-01", "2023-03-01"] * 2, "datetime64[ns]"),
            ("2023-03-01", "2024-03-01"),
        ),
        (np.array(["2024-03-01T10:30"] * 4, "datetime64[ns]"), ("2024-03-01 10:30:00",)),
        (
            [datetime(2024, 3, 1), date(2024, 3, 2), np.datetime64("2024-03-01"), date(2024, 3, 1)],
            2,
        ),
        ([10, 9, 10, 9.5], ("9", "9.5", "10")),
        (pandas.Categorical(["b", "a", "b", "c"]), ("a", "b", "c")),
        ([2**70, 2**70 + 1, 1, 2**70], ("1", str(2**70), str(2**70 + 1))),
        ([True, False, True, True], ("False", "True")),
        # Numbers of more digits than a float has, and times of more than Python has.
        ([str(2**60), str(2**60 + 1)] * 2, 2),
        (["2024-01-01 10:00:00.123456781", "2024-01-01 10:00:00.123456782"] * 2, 2),
        (["1-2", "2-1", "1_0", "10"], 4),
        ([np.array(1), np.array(2), 1, 2.0], ("1", "2")),
        # A raised digit does not look like another one.
        (["x²", "x2", "x①", "x1"], 4),
        # A month of pandas is its first day.
        ([pandas.Period("2024-03", "M"), date(2024, 3, 1)] * 2, 1),
        (
            [pandas.Period("2024-03", "M"), pandas.Period("2024-04", "M")] * 2,
            ("2024-03", "2024-04"),
        ),
    ],
)
def test_equal_labels_are_one_group(labels, names):
    codes, found = read_groups(labels, 4)
    if isinstance(names, int):
        assert len(found) == names
    else:
        assert found == names
    assert codes.max() + 1 == len(found)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a", float("nan"), "b"], r"1 of 3 points have no label, the first at position 1 .*: nan"),
        (["a", "b", "NA"], r"the first at position 2 \(from 0\): 'NA'; name their group"),
        (["a", None, "b"], "position 1"),
        (np.ma.array([1, 2, 3], mask=[False, False, True]), "position 2 .*: masked"),
        (np.ma.array(["a", "b", "c"], mask=[True, False, True]), "2 of 3 .* position 0"),
        (pandas.array([1, None, 2], dtype="Int64"), "position 1"),
        (np.array(["2024-01-01", "NaT", "2024-01-01"], "datetime64[D]"), "position 1"),
        ([1, "1", 2], "the labels 1 and '1' look alike but differ"),
        (["a b", "a\u00a0b", "c"], r"look alike but differ"),
        (["1", "1.0", "2"], "'1' and '1.0' mean the same but are written differently"),
        ([7, "7.0", 8], "7 and '7.0' mean the same"),
        (["2024-01-01", "2024-01-01 00:00:00", "x"], "mean the same"),
        (["2024-01-01 00:00+00:00", "2024-01-01T01:00+01:00", "x"], "mean the same"),
        (["a", "b", "--"], "position 2 .*: '--'"),
        # What cannot be seen, and the same in bytes.
        (["a", "\u200b", "b"], "1 of 3 points have no label.* position 1"),
        (["a", "b", "\ufeffNA"], "1 of 3 points have no label.* position 2"),
        (["a", b"", "b"], "1 of 3 points have no label.* position 1"),
        (np.array([b"a", b"b", b"NA"]), "1 of 3 points have no label.* position 2"),
        ([Decimal(1), Decimal("sNaN"), Decimal(2)], "1 of 3 points have no label.* position 1"),
        (["a", "a\u200b", "c"], r"look alike but differ"),
        # One letter for another that looks like it: a micro sign and a mu, two letters and one.
        (["µm", "\u03bcm", "nm"], r"look alike but differ"),
        (["fit", "\ufb01t", "c"], r"look alike but differ"),
        ([datetime(2024, 1, 1), datetime(2024, 1, 1, tzinfo=UTC), date(2023, 1, 1)], "time zone"),
        (["2024-01-01 10:00", "2024-01-01 09:00Z", "x"], "time zone.* a zone, or none"),
        (["a", "b", "."], "1 of 3 points have no label.* position 2"),
        (["a", np.ma.masked, "b"], "1 of 3 points have no label.* position 1"),
        ([np.array(1), np.ma.array(2, mask=True), 3], "1 of 3 points have no label.* position 1"),
        ([1, np.array([2, 3]), 4], "position 1 .* several parts"),
        ([("a", 1), ("a", 2), ("b", 1)], "several parts.*join them into one text"),
        (pandas.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)]), "several parts"),
        (["a", "\ud800", "b"], "position 1 .* is not valid Unicode"),
    ],
)
@pytest.mark.parametrize("enter", ["Losses", "compare"])
def test_labels_that_are_none_are_refused(labels, message, enter):
    losses = np.array([0.3, 0.1, 0.7])
    enters = {
        "Losses": lambda: Losses(losses, groups=labels),
        "compare": lambda: compare({"A": losses, "B": losses[::-1]}, groups=labels),
    }
    with pytest.raises(ValueError, match=message):
        enters[enter]()


@pytest.mark.parametrize("written", ["NA", "nan", "", "<NA>"])
def test_missing_labels_in_a_file_name_their_row(tmp_path, written):
    rows = [
        f"{a},{b},{'x' if row != 3 else written}"
        for row, (a, b) in enumerate(zip(A, B, strict=True))
    ]
    (tmp_path / "o.csv").write_text("\n".join(["A,B,school", *rows]), encoding="utf-8")
    with pytest.raises(ValueError, match="column 'school', row 5"):
        long_table(tmp_path / "o.csv", groups="school")


def test_masked_targets_are_refused():
    pytest.importorskip("sklearn")
    from sklearn.linear_model import LinearRegression

    y = np.ma.array(B, mask=np.arange(N) == 7)
    with pytest.raises(ValueError, match=r"1 of 60 values are masked, the first at position 7 "):
        rivals.read.cross_validated({"A": LinearRegression()}, A[:, None], y)


@pytest.mark.parametrize("kind", [float, object, "Float64"])
def test_missing_targets_are_refused(kind):
    """Estimators said so of a fold, if at all, and not of which point."""
    pytest.importorskip("sklearn")
    from sklearn.linear_model import LinearRegression

    y = pandas.Series(B, dtype=kind).mask(np.arange(N) == 7)
    with pytest.raises(ValueError, match=r"y: 1 of 60 points have no label .* position 7 \(from"):
        rivals.read.cross_validated({"A": LinearRegression()}, A[:, None], y)


def test_missing_class_labels_are_refused():
    pytest.importorskip("sklearn")
    from sklearn.linear_model import LogisticRegression

    y = pandas.Series(B > 1.0, dtype="boolean").mask(np.arange(N) == 7)
    with pytest.raises(ValueError, match=r"y: 1 of 60 points have no label .* position 7 \(from"):
        rivals.read.cross_validated({"A": LogisticRegression()}, A[:, None], y)


def test_groups_are_read_only():
    groups = GROUPS.copy()
    losses = Losses(A, groups=groups)
    with pytest.raises(ValueError, match="read-only"):
        losses.groups[0] = 3
    groups[0] = 5
    assert losses.groups[0] == 0


@pytest.mark.parametrize("unit", ["D", "h", "ns"])
def test_durations_are_labels(unit):
    """They ended in a TypeError of float(), or would be named by nanoseconds."""
    days = (10 * GROUPS).astype("timedelta64[D]").astype(f"timedelta64[{unit}]")
    codes, names = read_groups(days, N)
    np.testing.assert_array_equal(codes, GROUPS)
    assert names[:3] == ("0:00:00", "10 days, 0:00:00", "20 days, 0:00:00")
    same = [timedelta(days=10 * int(group)) for group in GROUPS]
    np.testing.assert_array_equal(read_groups(same, N)[0], GROUPS)
    fine = GROUPS.astype("timedelta64[ns]")
    np.testing.assert_array_equal(read_groups(fine, N)[0], GROUPS)


# ---------------------------------------------------------------- random labels


def check_random_labels(first, last, folder):
    for needed in ("sklearn", "typer", "pyarrow"):
        pytest.importorskip(needed)
    wrong = []
    for case in range(first, last):
        wrong += labels.one_case(34, case, folder)[1]
    assert not wrong


def test_random_labels_give_one_answer_or_one_refusal(tmp_path):
    check_random_labels(0, 100, tmp_path)


@pytest.mark.slow
def test_two_thousand_random_labels(tmp_path):
    check_random_labels(100, 2000, tmp_path)
