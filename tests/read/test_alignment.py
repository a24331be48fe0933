"""An index column puts rows into one order, and refuses tables that are not of the same points."""

from __future__ import annotations

import numpy as np
import pytest

from rivals.read import long_table, losses_from_files, wide_tables

rng = np.random.default_rng(0)
POINTS = np.array([f"p{index}" for index in range(12)])
OBSERVED = {"point": POINTS, "A": rng.exponential(size=12), "B": rng.exponential(size=12)}
SYNTHETIC = {"point": POINTS, "A": rng.exponential(size=12), "B": rng.exponential(size=12)}


def shuffled(table, seed=1):
    order = np.random.default_rng(seed).permutation(len(POINTS))
    return {name: column[order] for name, column in table.items()}


def test_rows_of_wide_tables_are_aligned():
    expected = wide_tables(OBSERVED, SYNTHETIC, ignore=["point"])
    found = wide_tables(OBSERVED, shuffled(SYNTHETIC), index="point")
    assert list(found) == ["A", "B"]
    for name, losses in expected.items():
        np.testing.assert_array_equal(found[name].observed, losses.observed)
        np.testing.assert_array_equal(found[name].synthetic, losses.synthetic)


def test_each_simulation_is_aligned():
    parts = [shuffled(SYNTHETIC, seed) for seed in (1, 2)]
    together = {name: np.concatenate([part[name] for part in parts]) for name in SYNTHETIC}
    found = wide_tables(OBSERVED, together | {"simulation": np.repeat([1, 2], 12)}, index="point")
    np.testing.assert_array_equal(found["B"].synthetic, np.stack([SYNTHETIC["B"]] * 2))


def test_numbers_and_text_name_the_same_points(tmp_path):
    """An index is text in a CSV file and a number in a data frame, floating where pandas
    made it so.
    """
    lines = [
        f"{index},{a},{b}"
        for index, (a, b) in enumerate(zip(OBSERVED["A"], OBSERVED["B"], strict=True))
    ]
    (tmp_path / "o.csv").write_text("\n".join(["id,A,B", *lines]), encoding="utf-8")
    order = np.arange(12.0)[::-1]
    synthetic = {"id": order, "A": SYNTHETIC["A"][::-1], "B": SYNTHETIC["B"][::-1]}
    found = wide_tables(tmp_path / "o.csv", synthetic, index="id")
    np.testing.assert_array_equal(found["A"].synthetic, SYNTHETIC["A"])
    np.testing.assert_array_equal(found["A"].observed, OBSERVED["A"])


@pytest.mark.parametrize(
    ("row", "point", "message"),
    [
        (4, "q", r"column 'point', row 6: the point 'q' is not among those of the mapping"),
        (4, "p0", r"column 'point', row 6: the point 'p0' occurs twice"),
        (4, "", r"column 'point', row 6: the cell of the index is empty"),
    ],
)
def test_the_first_row_that_disagrees_is_named(row, point, message):
    points = POINTS.copy()
    points[row] = point
    with pytest.raises(ValueError, match=message):
        wide_tables(OBSERVED, SYNTHETIC | {"point": points}, index="point")


def test_points_that_are_absent_are_named():
    fewer = {name: column[:-1] for name, column in SYNTHETIC.items()}
    with pytest.raises(ValueError, match="no row for the point 'p11' of the mapping"):
        wide_tables(OBSERVED, fewer, index="point")
    with pytest.raises(
        ValueError, match="index: the mapping has no column 'id'; it has point, A, B"
    ):
        wide_tables(OBSERVED, SYNTHETIC, index="id")


def long(order_of_b, simulated):
    """Observed losses of A in order, those of B in another; synthetic ones with points, or
    without.
    """
    blocks = [("A", "observed", np.arange(12)), ("B", "observed", order_of_b)]
    blocks += [(name, "synthetic", order_of_b) for name in "AB"]
    losses = {"observed": OBSERVED, "synthetic": SYNTHETIC}
    rows = []
    for name, kind, order in blocks:
        named = kind == "observed" or simulated
        for point in order:
            label = POINTS[point] if named else ""
            rows.append((name, kind, label, losses[kind][name][point]))
    return dict(
        zip(("model", "kind", "point", "loss"), map(np.array, zip(*rows, strict=True)), strict=True)
    )


def test_rows_of_a_long_table_are_aligned(tmp_path):
    order = np.random.default_rng(3).permutation(12)
    found = long_table(long(order, simulated=True), index="point")
    for name in "AB":
        np.testing.assert_array_equal(found[name].observed, OBSERVED[name])
        np.testing.assert_array_equal(found[name].synthetic, SYNTHETIC[name])
    found = long_table(long(order, simulated=False), index="point")
    np.testing.assert_array_equal(found["B"].observed, OBSERVED["B"])
    np.testing.assert_array_equal(found["B"].synthetic, SYNTHETIC["B"][order])


def test_a_long_table_of_other_points_is_refused():
    table = long(np.arange(12), simulated=True)
    table["point"][15] = "p77"
    with pytest.raises(
        ValueError,
        match=r"model 'B', observed, row 17: the point 'p77' is not among those of the "
        r"observed losses of 'A'",
    ):
        long_table(table, index="point")


def test_errors_name_the_rows_of_the_file():
    """A wrong loss is named by the row where it stands, not by the one to which the index
    moves it.
    """
    table = long(np.arange(12)[::-1], simulated=True)
    table["loss"][12] = np.nan
    with pytest.raises(ValueError, match="model 'B', row 14: observed losses: 1 of 12 are NaN"):
        long_table(table, index="point")


def test_archives_have_no_index(tmp_path):
    np.savez(tmp_path / "a.npz", **{"A/observed": np.arange(3.0)})
    with pytest.raises(ValueError, match="is not a table"):
        losses_from_files(tmp_path / "a.npz", index="point")
