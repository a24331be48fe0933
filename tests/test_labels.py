"""Labels of points, in any form and order: one answer, or one refusal."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pytest

import rivals
from rivals import Losses, compare
from rivals._say.labels import read_groups
from rivals.read import long_table

pandas = pytest.importorskip("pandas")
# Rows that are put into order are warned of.
pytestmark = pytest.mark.filterwarnings("ignore:the rows of .* stand in another order")

N = 60
GROUPS = np.arange(N) % 6
ORDER = np.random.default_rng(0).permutation(N)
EFFECTS = np.array([0.9, -0.4, 0.1, 0.5, -0.2, 0.3])
A = np.random.default_rng(1).exponential(size=N)
B = A + 0.5 * EFFECTS[GROUPS] + 0.1 * np.random.default_rng(2).standard_normal(N)
EXPECTED = compare({"A": A, "B": B}, groups=GROUPS).probability[0, 1]


def probability(*args, **options):
    result = compare(*args, **options)
    a = result.names.index("A")
    return result.probability[a, 1 - a]


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


def test_candidates_have_the_labels_of_their_data():
    data = pandas.Series(A)
    models = {
        "A": rivals.Candidate(lambda y: np.asarray(y), lambda n, rng: rng.exponential(size=n)),
        "B": rivals.Candidate(
            lambda y: 0.5 * np.asarray(y) ** 2, lambda n, rng: rng.exponential(size=n)
        ),
    }
    expected = probability(models, data, groups=GROUPS, rng=0)
    assert probability(models, data, groups=shuffled(GROUPS), rng=0) == expected


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
        (["a", "a\u200b", "c"], r"look alike but differ"),
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


def test_groups_are_read_only():
    groups = GROUPS.copy()
    losses = Losses(A, groups=groups)
    with pytest.raises(ValueError, match="read-only"):
        losses.groups[0] = 3
    groups[0] = 5
    assert losses.groups[0] == 0


# ---------------------------------------------------------------- random labels


def texts(rng):
    return np.array([f"{letter}é" for letter in "abcdef"], dtype=object)[GROUPS]


def numbers(rng):
    return GROUPS.astype(rng.choice(["i1", "u8", "f4", "f8"]))


def mixed_numbers(rng):
    floating = rng.random(N) < 0.5
    return [float(g) if f else int(g) for g, f in zip(GROUPS, floating, strict=True)]


def mixed_letters(rng):
    decomposed = rng.random(N) < 0.5
    return [
        "abcdef"[g] + ("e\u0301" if d else "é") for g, d in zip(GROUPS, decomposed, strict=True)
    ]


def dates(rng):
    days = np.datetime64("2024-01-01") + GROUPS
    return days.astype(f"datetime64[{rng.choice(['D', 's', 'ns'])}]")


def instants(rng):
    zones = rng.integers(-11, 12, size=N)
    return [
        datetime(2024, 1, 1 + g, tzinfo=UTC).astimezone(timezone(timedelta(hours=int(zone))))
        for g, zone in zip(GROUPS.tolist(), zones, strict=True)
    ]


def categories(rng):
    return pandas.Categorical(texts(rng), ordered=bool(rng.random() < 0.5))


def several_kinds(rng):
    kinds = ["a", 7, 2.5, date(2024, 1, 1), True, "7.0 b"]
    return [kinds[group] for group in GROUPS]


def unmasked(rng):
    return np.ma.array(GROUPS, mask=np.zeros(N, dtype=bool))


def missing(rng):
    labels = np.array(list("abcdef"), dtype=object)[GROUPS]
    labels[rng.integers(N)] = rng.choice(np.array([None, np.nan, "NA", "", pandas.NA], object))
    return labels.tolist()


def masked(rng):
    return np.ma.array(GROUPS, mask=np.arange(N) == rng.integers(N))


def look_alike(rng):
    return [str(g) if flip else g for g, flip in zip(GROUPS, rng.random(N) < 0.5, strict=True)]


RIGHT = [
    texts, numbers, mixed_numbers, mixed_letters, dates, instants, categories, several_kinds,
    unmasked,
]  # fmt: skip
WRONG = [missing, masked, look_alike]


def with_index(labels, order):
    """The labels as a Series, in another order than the losses."""
    cells = list(labels)
    return pandas.Series(cells, dtype=object).iloc[order]


def ways(labels, order):
    """The same comparison on several ways, each as a function without arguments."""
    series = {name: pandas.Series(losses) for name, losses in (("A", A), ("B", B))}
    cells = np.array([*labels, None], dtype=object)[:-1]
    reverse = {"B": B, "A": A}
    return {
        "groups": lambda: probability({"A": A, "B": B}, groups=labels),
        "losses": lambda: probability({"A": Losses(A, groups=labels), "B": B}),
        "index": lambda: probability(series, groups=with_index(labels, order)),
        "carried": lambda: probability(
            {
                name: Losses(column, groups=with_index(labels, order))
                for name, column in series.items()
            }
        ),
        "reverse": lambda: probability(reverse, groups=labels),
        "table": lambda: probability(
            long_table({"A": A, "B": B, "school": cells}, groups="school")
        ),
    }


def check_random_labels(first, last):
    for case in range(first, last):
        rng = np.random.default_rng([34, case])
        wrong = rng.random() < 0.25
        kinds = WRONG if wrong else RIGHT
        make = kinds[rng.integers(len(kinds))]
        labels = make(rng)
        found = ways(labels, rng.permutation(N))
        way = list(found)[rng.integers(len(found))]
        said = f"case {case}: {make.__name__}, {way}"
        try:
            value = found[way]()
        except ValueError:
            assert wrong, said
            continue
        assert not wrong, said
        assert value == pytest.approx(EXPECTED, rel=1e-10), said


def test_random_labels_give_one_answer_or_one_refusal():
    check_random_labels(0, 400)


@pytest.mark.slow
def test_more_random_labels():
    check_random_labels(400, 2000)
