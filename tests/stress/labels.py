"""Labels of points in every form, through every way into a comparison: one probability, or a
refusal.

Six groups are labelled by text, numbers, times, categories or a mixture, whole, masked or with
gaps, and stand in the order of the losses or in another one. What is right does not depend on the
labels: it is the probability with the groups 0 to 5, which tests/laws compares with a plain
formula.
`tests/test_labels.py` runs two thousand cases, `make stress` as many as its time allows.
"""

from __future__ import annotations

import csv
import json
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import xarray

import rivals
from rivals import Losses, compare
from rivals.read import long_table

N = 60
GROUPS = np.arange(N) % 6
EFFECTS = np.array([0.9, -0.4, 0.1, 0.5, -0.2, 0.3])
A = np.random.default_rng(1).exponential(size=N)
B = A + 0.5 * EFFECTS[GROUPS] + 0.1 * np.random.default_rng(2).standard_normal(N)
MODELS = {"A": A, "B": B}


# ---------------------------------------------------------------- labels


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


def dates_and_midnights(rng):
    days = [date(2024, 1, 1 + group) for group in GROUPS.tolist()]
    midnight = rng.random(N) < 0.5
    return [
        datetime(day.year, day.month, day.day) if m else day
        for day, m in zip(days, midnight, strict=True)
    ]


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
    written = np.array([None, np.nan, "NA", "", ".", pandas.NA], object)
    labels[rng.integers(N)] = rng.choice(written)
    return labels.tolist()


def masked(rng):
    return np.ma.array(GROUPS, mask=np.arange(N) == rng.integers(N))


def look_alike(rng):
    return [str(g) if flip else g for g, flip in zip(GROUPS, rng.random(N) < 0.5, strict=True)]


def clocks_and_instants(rng):
    """Times without a time zone beside times with one."""
    times = [datetime(2024, 1, 1 + group) for group in GROUPS.tolist()]
    with_zone = rng.permutation(np.arange(N) < N // 2)
    return [
        time.replace(tzinfo=UTC) if z else time for time, z in zip(times, with_zone, strict=True)
    ]


def look_alike_letters(rng):
    """A micro sign and a Greek mu."""
    micro = rng.permutation(np.arange(N) < N // 2)
    return [("µ" if m else "\u03bc") + "abcdef"[g] for g, m in zip(GROUPS, micro, strict=True)]


RIGHT = (
    texts, numbers, mixed_numbers, mixed_letters, dates, dates_and_midnights, instants, categories,
    several_kinds, unmasked,
)  # fmt: skip
WRONG = (missing, masked, look_alike, clocks_and_instants, look_alike_letters)
# In a text file a number beside text is text, so that these are equal.
EQUAL_AS_TEXT = (look_alike,)
# In a text file these differ and mean the same, which only their author knows: refused.
DIFFERENT_AS_TEXT = (mixed_numbers, dates_and_midnights, instants)
# A column of a Parquet file has one type.
OF_SEVERAL_TYPES = (several_kinds, look_alike, dates_and_midnights, clocks_and_instants)


# ---------------------------------------------------------------- ways into a comparison


def probability(models: Any, **options: Any) -> float:
    result = compare(models, **options)
    a = result.names.index("A")
    return float(result.probability[a, 1 - a])


def cross_validated(labels: Any, X: Any = None) -> float:
    from sklearn.dummy import DummyRegressor
    from sklearn.linear_model import LinearRegression

    models = {"A": LinearRegression(), "B": DummyRegressor()}
    inputs = A[:, None] if X is None else X
    losses = rivals.read.cross_validated(models, inputs, B, groups=labels, loss="absolute")
    return probability(losses)


@cache
def expected(way: str) -> float:
    """The right probability."""
    if way.startswith("cross_validated"):
        return cross_validated(GROUPS)
    return probability(MODELS, groups=GROUPS)


def with_index(labels: Any, order: Any) -> pandas.Series:
    """The labels as a Series, in another order than the losses."""
    cells = list(labels)
    return pandas.Series(cells, dtype=object).iloc[order]


def with_coordinates(values: Any, order: Any) -> xarray.DataArray:
    """Losses as an array of xarray, in another order."""
    return xarray.DataArray(values, dims="point", coords={"point": np.arange(N)})[order]


Ways = dict[str, Callable[[], float]]


def short_ways(labels: Any, order: Any) -> Ways:
    """The same comparison on several ways, each as a function without arguments."""
    series = {name: pandas.Series(losses) for name, losses in MODELS.items()}
    cells = np.array([*labels, None], dtype=object)[:-1]
    shuffled = partial(with_index, labels, order)
    return {
        "compare": lambda: probability(MODELS, groups=labels),
        "Losses": lambda: probability({"A": Losses(A, groups=labels), "B": B}),
        "index": lambda: probability(series, groups=shuffled()),
        "carried": lambda: probability(
            {name: Losses(column, groups=shuffled()) for name, column in series.items()}
        ),
        "reverse": lambda: probability({"B": B, "A": A}, groups=labels),
        "coordinates": lambda: probability(
            {"A": with_coordinates(A, order), "B": series["B"]}, groups=shuffled()
        ),
        "table": lambda: probability(long_table({**MODELS, "school": cells}, groups="school")),
    }


def long_ways(labels: Any, order: Any, folder: Path) -> Ways:
    """Those that take ten times as long."""
    shuffled = partial(with_index, labels, order)
    frame = pandas.DataFrame({"x": A})
    return {
        "cross_validated": lambda: cross_validated(labels),
        "cross_validated, index": lambda: cross_validated(shuffled(), frame),
        "command line, CSV": lambda: command_line(wide_csv(labels, folder)),
        "command line, long CSV": lambda: command_line(long_csv(labels, order, folder), "point"),
        "command line, Parquet": lambda: command_line(parquet(labels, folder)),
    }


def wide_csv(labels: Any, folder: Path) -> Path:
    rows = zip(A.tolist(), B.tolist(), list(labels), strict=True)
    return write_csv(folder / "wide.csv", [["A", "B", "school"], *rows])


def long_csv(labels: Any, order: Any, folder: Path) -> Path:
    """One loss per row, with those of B in another order: a column names the points."""
    cells = list(labels)
    rows = [["A", "observed", A[point], cells[point], f"p{point}"] for point in range(N)]
    rows += [["B", "observed", B[point], cells[point], f"p{point}"] for point in order]
    return write_csv(folder / "long.csv", [["model", "kind", "loss", "school", "point"], *rows])


def write_csv(path: Path, rows: list[Any]) -> Path:
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


def parquet(labels: Any, folder: Path) -> Path:
    import pyarrow
    from pyarrow import parquet

    cells = labels
    hidden = None
    if isinstance(labels, np.ndarray):
        cells = np.ma.getdata(labels)
        hidden = np.ma.getmaskarray(labels)
    column = pyarrow.array(cells, mask=hidden, from_pandas=True)
    path = folder / "wide.parquet"
    parquet.write_table(pyarrow.table({"A": A, "B": B, "school": column}), path)
    return path


def command_line(path: Path, index: str | None = None) -> float:
    """What `rivals compare` prints, in this process; its refusals are raised."""
    from typer.testing import CliRunner

    from rivals.cli.app import app

    words = ["compare", str(path), "--groups", "school", "--json"]
    if index is not None:
        words += ["--index", index]
    shown = CliRunner().invoke(app, words)
    if shown.exception is not None:
        raise shown.exception
    found = json.loads(shown.stdout)
    a = found["names"].index("A")
    return float(found["probability"][a][1 - a])


# ---------------------------------------------------------------- cases


def must_be(make: Any, way: str) -> str:
    """What has to come of labels of this kind on this way."""
    if "CSV" in way and make in EQUAL_AS_TEXT:
        return "one probability"
    if "CSV" in way and make in DIFFERENT_AS_TEXT:
        return "a refusal"
    return "a refusal" if make in WRONG else "one probability"


def one_case(seed: int, case: int, folder: Path) -> tuple[int, list[str]]:
    """Labels of one kind on all short ways and a long one: how many ways, and what went wrong."""
    rng = np.random.default_rng([seed, case])
    kinds = WRONG if rng.random() < 0.25 else RIGHT
    make = kinds[rng.integers(len(kinds))]
    labels = make(rng)
    order = rng.permutation(N)
    long = long_ways(labels, order, folder)
    if make in OF_SEVERAL_TYPES:
        del long["command line, Parquet"]
    chosen = list(long)[rng.integers(len(long))]
    calls = short_ways(labels, order) | {chosen: long[chosen]}
    wrong = []
    for way, call in calls.items():
        found = "one probability"
        said = ""
        try:
            value = call()
        except ValueError as error:
            found = "a refusal"
            said = str(error)
        else:
            if abs(value - expected(way)) > 1e-9:
                found = f"the probability {value} in place of {expected(way)}"
        if found != must_be(make, way):
            wrong.append(
                f"case {case} of seed {seed}: {make.__name__}, {way}: {found}, not "
                f"{must_be(make, way)} {said}"
            )
    return len(calls), wrong


def fuzz_labels(seconds: float, seed: int, *, n_cases: int = 2000) -> dict[str, Any]:
    """Cases for so many seconds; how many ways were tried, and what went wrong."""
    end = time.monotonic() + seconds
    inputs = 0
    wrong: list[str] = []
    # Rows that are put into order are warned of.
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as name:
        warnings.simplefilter("ignore")
        for case in range(n_cases):
            if time.monotonic() > end:
                break
            tried, found = one_case(seed, case, Path(name))
            inputs += tried
            wrong += found
    return {"inputs": inputs, "wrong": wrong, "raw_errors": 0}


if __name__ == "__main__":
    print(json.dumps(fuzz_labels(float(sys.argv[1]), 34), indent=1))
