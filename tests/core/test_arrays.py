"""Every kind of array through every door: what it means, or refused, and nothing in silence."""

from __future__ import annotations

import array
import enum
import uuid
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

import rivals
from rivals import Candidate, GroupSummaries, Losses, compare
from rivals._core.arrays import numbers
from rivals._core.grouping import Grouping

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")
pa = pytest.importorskip("pyarrow")
nw = pytest.importorskip("narwhals")

N = 24
rng = np.random.default_rng(5)
# Whole numbers from 0 to 9, which every type of number holds exactly.
LINE, STEP, TARGET = rng.integers(0, 10, size=(3, N)).astype(float)
DRAWN = rng.integers(0, 10, size=(2, N)).astype(float)
ROWS = pd.Index([f"row {i}" for i in range(N)])
ORDER = np.roll(np.arange(N), 5)
MASK = np.arange(N) == 7
WITH_NONE = [None if hidden else value for value, hidden in zip(LINE.tolist(), MASK, strict=True)]
UNITS = ("D", "h", "ms", "us", "ns")


def days(values):
    return (values * 10).astype("m8[D]")


def in_type(kind, values):
    return values.astype(kind)


def in_unit(kind, values):
    return days(values).astype(kind)


# How the same numbers come: from an array of whole numbers. What is hidden, shuffled, or of another
# meaning has to be refused; the rest has to mean the same.
EQUAL_NUMBERS = {
    "list": lambda x: x.tolist(),
    "tuple": lambda x: tuple(x.tolist()),
    "list of numpy": list,
    "list of decimals": lambda x: [Decimal(int(each)) for each in x],
    "list of fractions": lambda x: [Fraction(int(each)) for each in x],
    "list with a bool": lambda x: [*x.tolist()[:-1], np.float64(x[-1])],
    "array.array": lambda x: array.array("d", x),
    "memoryview": lambda x: memoryview(x.copy()),
    **{
        str(np.dtype(kind)): partial(in_type, kind)
        for kind in ("f2", "f4", "f8", "g", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">f8")
    },
    "object": lambda x: x.astype(object),
    "object of int": lambda x: np.array([int(each) for each in x], dtype=object),
    "strided": lambda x: np.repeat(x, 3)[::3],
    "read-only": lambda x: _closed(x),
    "subclass": lambda x: x.view(np.recarray),
    "masked, nothing hidden": lambda x: np.ma.array(x, mask=False),
    "Series": lambda x: pd.Series(x, index=ROWS),
    "Series of object": lambda x: pd.Series(x.tolist(), index=ROWS, dtype=object),
    "Series, own rows": lambda x: pd.Series(x, index=ROWS.copy()),
    "nullable": lambda x: pd.Series(x, index=ROWS, dtype="Float64"),
    "nullable int": lambda x: pd.Series(x, index=ROWS).astype("Int16"),
    "arrow in pandas": lambda x: pd.Series(x, index=ROWS, dtype=pd.ArrowDtype(pa.float64())),
    "sparse": lambda x: pd.Series(x, index=ROWS).astype(pd.SparseDtype("float")),
    "categorical numbers": lambda x: pd.Series(
        pd.Categorical(x, categories=[*sorted(set(x), reverse=True), 99.0]), index=ROWS
    ),
    "Index": lambda x: pd.Index(x),
    "pandas array": lambda x: pd.array(x, dtype="Float64"),
    "polars": lambda x: pl.Series(x),
    "polars int": lambda x: pl.Series(x.astype("i1")),
    "polars decimal": lambda x: pl.Series([Decimal(int(each)) for each in x]),
    "polars in chunks": lambda x: pl.concat([pl.Series(x[:5]), pl.Series(x[5:])], rechunk=False),
    "narwhals": lambda x: nw.from_native(pl.Series(x), series_only=True),
    "arrow": lambda x: pa.array(x),
    "arrow int": lambda x: pa.array(x.astype("i8")),
    "arrow in chunks": lambda x: pa.chunked_array([x[:9], x[9:]]),
    "arrow dictionary": lambda x: pa.array(x).dictionary_encode(),
    "arrow decimal": lambda x: pa.array([Decimal(int(each)) for each in x]),
}
REFUSED_NUMBERS = {
    "masked": lambda x: np.ma.array(x, mask=MASK),
    "masked, integers": lambda x: np.ma.array(x.astype(int), mask=MASK),
    "list of masked": lambda x: [np.ma.masked if m else e for e, m in zip(x, MASK, strict=True)],
    "None": lambda x: _hidden(x, None),
    "nan": lambda x: np.where(MASK, np.nan, x),
    "nullable, NA": lambda x: pd.Series(x, index=ROWS, dtype="Float64").mask(MASK),
    "nullable int, NA": lambda x: pd.Series(x, index=ROWS).astype("Int16").mask(MASK),
    "arrow in pandas, null": lambda x: pd.Series(
        pa.array(x, mask=MASK), index=ROWS, dtype=pd.ArrowDtype(pa.float64())
    ),
    "Series, shuffled": lambda x: pd.Series(x, index=ROWS).iloc[ORDER],
    "Series, other rows": lambda x: pd.Series(x, index=ROWS.str.upper()),
    "Series, reversed": lambda x: pd.Series(x, index=ROWS).iloc[::-1],
    "Series, rows twice": lambda x: pd.Series(x, index=ROWS[[0, *range(N - 1)]]),
    "nullable, shuffled": lambda x: pd.Series(x, index=ROWS, dtype="Float64").iloc[ORDER],
    "polars, null": lambda x: pl.Series(_hidden(x, None)),
    "polars int, null": lambda x: pl.Series(_hidden(x.astype(int), None)),
    "polars duration": lambda x: pl.Series(days(x).astype("m8[us]")),
    "polars date": lambda x: pl.Series([date(2020, 1, 1 + int(each)) for each in x]),
    "arrow, null": lambda x: pa.array(x, mask=MASK),
    "arrow int, null": lambda x: pa.array(x.astype(int), mask=MASK),
    "arrow duration": lambda x: pa.array(days(x).astype("m8[s]")),
    "arrow time": lambda x: pa.array(days(x).astype("m8[s]").astype(int), pa.timestamp("s")),
    **{
        f"{code}[{unit}]": partial(in_unit, f"{code}[{unit}]")
        for code in ("m8", "M8")
        for unit in UNITS
    },
    "NaT": lambda x: np.where(MASK, np.timedelta64("NaT", "D"), days(x)),
    "pandas durations": lambda x: pd.Series(days(x).astype("m8[ns]"), index=ROWS),
    "pandas dates": lambda x: pd.Series(days(x).astype("M8[ns]"), index=ROWS),
    "pandas periods": lambda x: pd.Series(days(x).astype("M8[ns]"), index=ROWS).dt.to_period("D"),
    "list of timedelta": lambda x: [timedelta(days=each) for each in x],
    "list of datetime": lambda x: [datetime(2020, 1, 1 + int(each)) for each in x],
    "complex": lambda x: x.astype(complex),
    "text": lambda x: [f"loss {each}" for each in x],
    "structured": lambda x: x.view([("loss", "f8")]),
    "mapping": lambda x: dict(enumerate(x.tolist())),
    "set": lambda x: set(range(N)),
    "generator": lambda x: (each for each in x.tolist()),
    "two columns": lambda x: np.stack([x, x], axis=1),
    "ragged": lambda x: [[each] * (1 + i % 2) for i, each in enumerate(x.tolist())],
}


def _closed(x):
    x = x.copy()
    x.setflags(write=False)
    return x


def _hidden(values, instead):
    return [instead if hide else each for each, hide in zip(values.tolist(), MASK, strict=True)]


WORD = np.array(["b", "a", "c", "d"])[np.arange(N) % 4]
CODE = np.unique(WORD, return_inverse=True)[1]
DAYS = np.array(["2020-03-01", "2020-01-31", "2021-01-01", "1999-12-31"], dtype="M8[D]")[
    np.arange(N) % 4
]
WHOLE = np.array([3, 1, 2**53, 2**53 + 1])[np.arange(N) % 4]
Kind = enum.Enum("Kind", ["a", "b", "c", "d"])


EQUAL_LABELS = {
    "list": lambda: WORD.tolist(),
    "tuple": lambda: tuple(WORD.tolist()),
    "text": lambda: WORD,
    "object": lambda: WORD.astype(object),
    "bytes": lambda: WORD.astype("S"),
    "whole": lambda: WHOLE,
    "list of whole": lambda: WHOLE.tolist(),
    "unsigned": lambda: WHOLE.astype("u8"),
    "whole as fractions": lambda: CODE.astype(float),
    "far exponents": lambda: np.array(["7e123456", "8e123456", "-7e123456", "a"])[np.arange(N) % 4],
    "mixed": lambda: [1 if each == "a" else each for each in WORD.tolist()],
    "masked, nothing hidden": lambda: np.ma.array(CODE, mask=False),
    "days": lambda: DAYS,
    "days, ns": lambda: DAYS.astype("M8[ns]"),
    "list of dates": lambda: DAYS.tolist(),
    "durations": lambda: DAYS - DAYS.min(),
    "durations, ns": lambda: (DAYS - DAYS.min()).astype("m8[ns]"),
    "list of durations": lambda: (DAYS - DAYS.min()).tolist(),
    "decimals": lambda: [Decimal(int(each)) for each in WHOLE],
    "uuid": lambda: [uuid.UUID(int=int(each)) for each in CODE],
    "enum": lambda: [list(Kind)[each] for each in CODE],
    "Series": lambda: pd.Series(WORD, index=ROWS),
    "Series of object": lambda: pd.Series(WORD, index=ROWS, dtype=object),
    "Series of string": lambda: pd.Series(WORD, index=ROWS, dtype="string"),
    "Series of whole": lambda: pd.Series(WHOLE, index=ROWS),
    "nullable": lambda: pd.Series(WHOLE, index=ROWS, dtype="Int64"),
    "arrow in pandas": lambda: pd.Series(WORD, index=ROWS, dtype=pd.ArrowDtype(pa.string())),
    "categorical": lambda: pd.Series(pd.Categorical(WORD), index=ROWS),
    "categorical, unused levels": lambda: pd.Series(
        pd.Categorical(WORD, categories=["z", "d", "c", "y", "b", "a"]), index=ROWS
    ),
    "ordered": lambda: pd.Categorical(WORD, categories=list("dcbaxy"), ordered=True),
    "pandas days": lambda: pd.Series(DAYS.astype("M8[ns]"), index=ROWS),
    "pandas durations": lambda: pd.Series((DAYS - DAYS.min()).astype("m8[ns]"), index=ROWS),
    "Index": lambda: pd.Index(WORD),
    "polars": lambda: pl.Series(WORD),
    "polars categorical": lambda: pl.Series(WORD, dtype=pl.Categorical),
    "polars enum": lambda: pl.Series(WORD, dtype=pl.Enum(list("zdcbay"))),
    "polars whole": lambda: pl.Series(WHOLE),
    "polars days": lambda: pl.Series(DAYS),
    "polars datetimes": lambda: pl.Series(DAYS.astype("M8[us]")),
    "polars durations": lambda: pl.Series((DAYS - DAYS.min()).astype("m8[us]")),
    "polars decimals": lambda: pl.Series([Decimal(int(each)) for each in WHOLE]),
    "polars binary": lambda: pl.Series([each.encode() for each in WORD]),
    "narwhals": lambda: nw.from_native(pl.Series(WORD), series_only=True),
    "arrow": lambda: pa.array(WORD),
    "arrow in chunks": lambda: pa.chunked_array([WORD[:7].tolist(), WORD[7:].tolist()]),
    "arrow dictionary": lambda: pa.DictionaryArray.from_arrays(
        pa.array((CODE + 1).tolist()), pa.array(["z", "a", "b", "c", "d", "y"])
    ),
    "arrow days": lambda: pa.array(DAYS.tolist()),
    "arrow whole": lambda: pa.array(WHOLE),
}
REFUSED_LABELS = {
    "masked": lambda: np.ma.array(CODE, mask=MASK),
    "masked text": lambda: np.ma.array(WORD, mask=MASK),
    "list with nan": lambda: _hidden(WORD, float("nan")),
    "list with None": lambda: _hidden(WORD, None),
    "list with masked": lambda: _hidden(WORD, np.ma.masked),
    "list with NA": lambda: _hidden(WORD, pd.NA),
    "list with NaT": lambda: _hidden(WORD, pd.NaT),
    "empty text": lambda: _hidden(WORD, ""),
    "object with nan": lambda: np.array(_hidden(WORD, float("nan")), dtype=object),
    "numbers with nan": lambda: np.where(MASK, np.nan, CODE),
    "NaT": lambda: np.where(MASK, np.datetime64("NaT", "D"), DAYS),
    "Series with None": lambda: pd.Series(_hidden(WORD, None), index=ROWS),
    "Series of string, NA": lambda: pd.Series(_hidden(WORD, None), index=ROWS, dtype="string"),
    "nullable, NA": lambda: pd.Series(_hidden(WHOLE, None), index=ROWS, dtype="Int64"),
    "categorical, nothing": lambda: pd.Categorical(_hidden(WORD, None)),
    "Series, shuffled": lambda: pd.Series(WORD, index=ROWS).iloc[ORDER],
    "Series, rows twice": lambda: pd.Series(WORD, index=ROWS[[0, *range(N - 1)]]),
    "categorical, shuffled": lambda: pd.Series(pd.Categorical(WORD), index=ROWS).iloc[ORDER],
    "polars, null": lambda: pl.Series(_hidden(WORD, None)),
    "polars days, null": lambda: pl.Series(_hidden(DAYS, None)),
    "polars, nan": lambda: pl.Series(np.where(MASK, np.nan, CODE)),
    "arrow, null": lambda: pa.array(_hidden(WORD, None)),
    "arrow dictionary, null": lambda: pa.array(_hidden(WORD, None)).dictionary_encode(),
    "mapping": lambda: dict(enumerate(WORD.tolist())),
    "empty mapping": dict,
    "set": lambda: set(range(N)),
    "generator": lambda: (each for each in WORD.tolist()),
    "tuples": lambda: [(each, 1) for each in WORD.tolist()],
    "lists": lambda: [[each] for each in WORD.tolist()],
    "two columns": lambda: np.stack([WORD, WORD], axis=1),
    "two spellings": lambda: ["1.0" if each == "a" else "1" for each in WORD.tolist()],
    "polars lists": lambda: pl.Series([[each] for each in WORD.tolist()]),
    "number": lambda: 3,
    "one short": lambda: WORD[1:],
}


# ---------------------------------------------------------------- doors


def indexed(values):
    """Beside what goes through the door: rows of pandas, so that no order is a secret."""
    return pd.Series(values, index=ROWS)


def numbers_of(result):
    risks = [result.risk[name] for name in result.risk]
    return np.array([*risks, *np.ravel(result.probability.matrix)])


def loss_of(losses):
    return np.array([losses.mean, *losses.observed])


def by_groups(models, **options):
    return numbers_of(compare(models, groups=indexed(WORD), **options))


def by_transport(models, **options):
    return numbers_of(compare(models, method="transport", rng=0, **options))


def normal(fit):
    return rivals.read.leave_out(
        lambda rows: __import__("scipy.stats").stats.norm(3.0, 2.0), rng=0, n_simulations=0, **fit
    )


def crossed(X, y, groups):
    linear = pytest.importorskip("sklearn.linear_model")
    dummy = pytest.importorskip("sklearn.dummy")
    models = {"line": linear.LinearRegression(), "mean": dummy.DummyRegressor()}
    found = rivals.read.cross_validated(
        models, X, y, groups=groups, loss="squared", n_simulations=0, rng=0
    )
    return np.concatenate([loss_of(each) for each in found.values()])


def fitted(y, groups):
    linear = pytest.importorskip("sklearn.linear_model")
    line = linear.LinearRegression().fit(LINE[:, None], STEP)
    X = pd.DataFrame({"x": STEP}, index=ROWS)
    found = rivals.read.fitted(line, X.to_numpy(), indexed(TARGET) if y is None else y,
                               groups=groups, loss="squared", rng=0)  # fmt: skip
    return loss_of(found)


def posterior(groups):
    xarray = pytest.importorskip("xarray")
    values = xarray.Dataset({"y": (("chain", "draw", "point"), np.log(LINE + 1.0)[None, None])})
    tree = {"log_likelihood_held_out": values}
    found = rivals.read.posterior(tree, groups=groups)
    return numbers_of(compare({"a": found, "b": Losses(STEP, groups=indexed(WORD))}))


def left_out_posterior(groups):
    def build(rows):
        return lambda new: -np.asarray(new["y"])[None, :]

    data = pd.DataFrame({"y": TARGET}, index=ROWS)
    return loss_of(rivals.read.left_out_posterior(build, data, groups=groups))


NUMBER_DOORS = {
    "compare": lambda x: by_groups({"a": indexed(STEP), "b": x}),
    "compare, an array first": lambda x: by_groups({"a": STEP, "b": indexed(STEP + 1), "c": x}),
    "compare, first": lambda x: by_groups({"b": x, "a": indexed(STEP)}),
    "Losses": lambda x: by_groups({"a": indexed(STEP), "b": Losses(x, unit="")}),
    "Losses with groups": lambda x: loss_of(Losses(x, groups=indexed(WORD))),
    "log likelihoods": lambda x: by_groups(
        {"a": indexed(STEP), "b": Losses.from_log_likelihood(x)}
    ),
    "sites": lambda x: GroupSummaries.of_losses(
        {"a": Losses(indexed(STEP)), "b": Losses(x)}, WORD
    ).means.ravel(),
    "observed, of a pair": lambda x: by_transport(
        {"a": (indexed(STEP), DRAWN), "b": (x, DRAWN + 1)}
    ),
    "candidate": lambda x: numbers_of(
        compare(
            {"a": indexed(STEP), "b": Candidate(loss=lambda data: x, simulate=lambda n, rng: None)},
            data=1,
            groups=WORD,
            n_simulations=0,
        )
    ),
    "target, left out": lambda x: loss_of(
        normal({"data": pd.DataFrame({"z": STEP}, index=ROWS), "groups": WORD, "target": x})
    ),
    "target, fitted": lambda x: fitted(x, indexed(WORD)),
    "target, cross-validated": lambda x: crossed(LINE[:, None], x, indexed(WORD)),
    "column of a mapping": lambda x: loss_of(
        normal({"data": {"y": x, "z": indexed(STEP)}, "groups": WORD, "target": "y"})
    ),
}


def test_tables_keep_the_labels_of_their_rows():
    frame = pd.DataFrame({"a": LINE, "b": STEP, "school": WORD}, index=ROWS)
    shuffled = frame.iloc[ORDER]
    found = rivals.read.table(frame, ignore="school")
    with pytest.raises(ValueError, match="groups: the index differs from that of model 'a'"):
        compare(found, groups=shuffled["school"])
    with pytest.raises(ValueError, match="clusters: the index differs"):
        compare(frame[["a", "b"]], groups=frame["school"], clusters=shuffled["school"])


# Simulations have points of their own: an index says nothing there.
ROLES_WITHOUT_ROWS = {
    "simulated, of a pair": lambda x: by_transport({"a": (STEP, DRAWN[0]), "b": (LINE, x)}),
}
LABEL_DOORS = {
    "compare": lambda g: numbers_of(compare({"a": indexed(STEP), "b": LINE}, groups=g)),
    "compare, an array first": lambda g: numbers_of(
        compare({"a": LINE, "b": indexed(STEP)}, groups=g)
    ),
    "Losses": lambda g: numbers_of(
        compare({"a": Losses(indexed(STEP), groups=g), "b": Losses(LINE, groups=g)})
    ),
    "sites": lambda g: GroupSummaries.of_losses(
        {"a": Losses(indexed(STEP)), "b": Losses(LINE)}, g
    ).means.ravel(),
    "clusters": lambda g: by_transport(
        {"a": (indexed(STEP), DRAWN[0]), "b": (LINE, DRAWN[1])}, clusters=g
    ),
    "cross-validated": lambda g: crossed(LINE[:, None], indexed(TARGET), g),
    "left out": lambda g: loss_of(
        normal({"data": pd.DataFrame({"y": TARGET}, index=ROWS), "groups": g, "target": "y"})
    ),
    "left out, posterior": left_out_posterior,
    "fitted": lambda g: fitted(indexed(TARGET), g),
    "posterior": posterior,
}
# A refusal names what it refuses; a raw error of a library does not.
NAMED = ("loss", "likelihood", "target", "y:", "y ", "group", "cluster", "model", "column", "data")


# What reads rows of a mapping itself may know fewer kinds of arrays.
CHOOSY = ("column of a mapping",)


def outcome(door, given, reference):
    """ "equal", "refused", or what went wrong."""
    try:
        found = door(given)
    except (TypeError, ValueError) as error:
        named = any(each in str(error) for each in NAMED)
        return "refused" if named else f"raw: {type(error).__name__}: {error}"
    except Exception as error:
        return f"raw: {type(error).__name__}: {error}"
    same = np.shape(found) == np.shape(reference)
    same = same and np.allclose(found, reference, rtol=1e-12, atol=1e-12)
    return "equal" if same else "silently wrong"


def wrong_cases(doors, equal, refused, plain):
    """Of all kinds through all doors, those that are neither equal nor refused as they should."""
    wrong, count = [], 0
    for place, door in doors.items():
        reference = door(plain)
        for kinds, expected in ((equal, "equal"), (refused, "refused")):
            for kind, made in kinds.items():
                count += 1
                found = outcome(door, made(), reference)
                if found not in (expected, "refused" if place in CHOOSY else expected):
                    wrong.append(f"{place} <- {kind}: {found}")
    return wrong, count


# Whole numbers as targets of a density, and the like, are warned of.
WARNS = pytest.mark.filterwarnings("ignore::rivals.RivalsWarning")


@WARNS
def test_numbers_of_every_kind_through_every_door():
    made = {
        name: {kind: partial(make, LINE) for kind, make in kinds.items()}
        for name, kinds in (("equal", EQUAL_NUMBERS), ("refused", REFUSED_NUMBERS))
    }
    wrong, count = wrong_cases(NUMBER_DOORS, made["equal"], made["refused"], LINE)
    print(count, "cases")
    assert not wrong, "\n".join(wrong)


def test_simulations_of_every_kind():
    rows = [kind for kind in REFUSED_NUMBERS if kind.startswith(("Series", "nullable, shuffled"))]
    refused = {kind: make for kind, make in REFUSED_NUMBERS.items() if kind not in rows}
    made = [
        {kind: partial(make, DRAWN[1]) for kind, make in kinds.items()}
        for kinds in (EQUAL_NUMBERS, refused)
    ]
    wrong, count = wrong_cases(ROLES_WITHOUT_ROWS, *made, DRAWN[1])
    print(count, "cases")
    # Rows of a matrix are simulations: two columns are simulations of two points.
    assert [each for each in wrong if "two columns" not in each] == []


@WARNS
def test_labels_of_every_kind_through_every_door():
    wrong, count = wrong_cases(LABEL_DOORS, EQUAL_LABELS, REFUSED_LABELS, WORD)
    print(count, "cases")
    assert not wrong, "\n".join(wrong)


def test_labels_have_one_name_whatever_holds_them():
    names = {kind: Grouping.of(made()).names for kind, made in EQUAL_LABELS.items()}
    days_of = {
        kind: found for kind, found in names.items() if "day" in kind or kind == "polars datetimes"
    }
    assert set(days_of.values()) == {("2020-03-01", "2020-01-31", "2021-01-01", "1999-12-31")}
    durations = {found for kind, found in names.items() if "duration" in kind}
    assert len(durations) == 1
    assert names["bytes"] == names["list"] == names["polars binary"] == ("b", "a", "c", "d")
    assert names["whole"] == names["decimals"] == names["polars decimals"] == names["nullable"]
    assert names["whole"][2:] == (str(2**53), str(2**53 + 1))


def test_nobody_else_can_write_to_what_was_given():
    buffer = LINE.copy()
    losses = Losses(buffer, groups=WORD)
    buffer[:] = -1.0
    np.testing.assert_array_equal(losses.observed, LINE)
    with pytest.raises(ValueError, match="read-only"):
        losses.observed[0] = 0.0
    series = indexed(LINE.copy())
    losses = Losses(series)
    series.iloc[0] = -5.0
    assert losses.observed[0] == LINE[0]


def test_memory_of_arrow_is_not_copied():
    series = pl.Series(LINE)
    assert np.shares_memory(numbers(series, "losses"), series.to_numpy())
