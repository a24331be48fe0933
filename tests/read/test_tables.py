"""Tables: every source gives the same losses, and errors say which row, which column, which
model.
"""

from __future__ import annotations

import gzip
import re
import sys
import time
from importlib.util import find_spec

import numpy as np
import pytest

import rivals
from rivals import Losses
from rivals.read import long_table, losses_from_files, text_tables, wide_tables
from rivals.read.columns import columns_of

WIDE = {"A": np.array([1.0, 2.0, 2.5]), "B, the other": np.array([3.0, 1e-300, -4.25])}
LONG = {
    "loss": np.array([1.0, 2.0, 1.5, 0.5, 7.0, 8.0, 9.0, 9.5]),
    "model": np.array(["A", "A", "A", "A", "B", "B", "B", "B"]),
    "kind": np.array(["observed", "observed", "synthetic", "synthetic"] * 2),
}


def csv_text(columns, delimiter=","):
    quoted = [f'"{name}"' if delimiter in name else name for name in columns]
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return (
        "\n".join([delimiter.join(quoted), *(delimiter.join(map(str, row)) for row in rows)]) + "\n"
    )


def sources(columns, folder):
    """The same columns as files and frames of every make."""
    for suffix, delimiter in [("csv", ","), ("csv", ";"), ("tsv", "\t"), ("txt", ",")]:
        path = folder / f"table{ord(delimiter)}.{suffix}"
        path.write_text(csv_text(columns, delimiter), encoding="utf-8")
        yield path
        packed = path.with_name(path.name + ".gz")
        packed.write_bytes(gzip.compress(path.read_bytes()))
        yield packed
    yield columns
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    yield pandas.DataFrame(columns)
    yield polars.DataFrame(columns)
    yield polars.LazyFrame(columns)
    yield pyarrow.table(columns)
    pandas.DataFrame(columns).to_parquet(folder / "table.parquet")
    yield folder / "table.parquet"
    if find_spec("openpyxl"):
        pandas.DataFrame(columns).to_excel(folder / "table.xlsx", index=False)
        yield folder / "table.xlsx"


def equal(found: Losses, observed, synthetic) -> bool:
    return np.array_equal(found.observed, observed) and np.array_equal(found.synthetic, synthetic)


def test_wide_tables_from_every_source(tmp_path):
    for source in sources(WIDE, tmp_path):
        found = wide_tables(source, {name: column[::-1] + 1 for name, column in WIDE.items()})
        assert list(found) == list(WIDE)
        for name, column in WIDE.items():
            assert equal(found[name], column, column[::-1] + 1)


def test_long_table_from_every_source(tmp_path):
    for source in sources(LONG, tmp_path):
        found = long_table(source)
        assert list(found) == ["A", "B"]
        assert equal(found["A"], [1.0, 2.0], [1.5, 0.5])
        assert equal(found["B"], [7.0, 8.0], [9.0, 9.5])


def test_a_mark_of_byte_order_windows_ends_of_line_and_a_last_empty_line_are_read(tmp_path):
    path = tmp_path / "windows.csv"
    path.write_bytes(b"\xef\xbb\xbf" + csv_text(LONG).replace("\n", "\r\n").encode() + b"\r\n")
    assert equal(long_table(path)["A"], [1.0, 2.0], [1.5, 0.5])


def test_unequal_numbers_of_losses_go_into_a_long_table():
    table = {
        "model": ["A"] * 5,
        "kind": ["observed"] * 3 + ["Synthetic "] * 2,
        "loss": [1, 2, 3, 4, 5],
    }
    assert equal(long_table(table)["A"], [1.0, 2.0, 3.0], [4.0, 5.0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"t\.csv: the file is empty"),
        ("A,B\n", r"t\.csv: no rows below the header"),
        ("A,B\n1,2\n1\n", r"t\.csv, row 3: expected 2 cells, as the header has; got 1"),
        (
            "A,B\n1,2\n1,x\n",
            r"t\.csv, column 'B', row 3: expected a number; got 'x'; correct it, or remove "
            r"this point",
        ),
        (
            "B,A\nx,2\ny,1\n",
            r"column 'B', row 2: expected a number; got 'x'; if the column is an id, "
            r".*--ignore B.*--index B",
        ),
        ("A,B\n1,2\n1,\n", r"t\.csv, column 'B', row 3: the cell is empty"),
        ("A;B\n1,5;2\n1;2\n", r"column 'A', row 2: expected a number.*decimals with a point"),
        ("A,A\n1,2\n", r"two columns are called 'A'"),
        (",A\n0,1\n1,2\n", r"column 1 has no name.*--ignore 'Unnamed: 0'.*index=False"),
        (
            "5.264,1e-3\n1,2\n2,3\n",
            r"t\.csv: the first row holds the number 5.264, so that the header is missing",
        ),
        ("A,B\n1,2\nnan,3\n", r"t\.csv, column 'A', row 3: observed losses: 1 of 2 are NaN"),
        ("A,B\n1,2\ninf,3\n", r"column 'A', row 3: .*assigns zero probability"),
        ("A,B\n1,2\n", r"model 'A'.*needs at least two"),
        ("A,C\n1,2\n2,3\n", r"'C' has a column in .*t\.csv"),
        ('A,B\n1,2\n"1,2\n', r"t\.csv, row \d: "),
    ],
)
def test_errors_of_wide_tables_name_the_place(tmp_path, text, message):
    path = tmp_path / "t.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        wide_tables(path, {"A": [1.0, 2.0], "B": [1.0, 2.0]})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"kind": ["observed", "mixed", "synthetic", "synthetic"]},
            r"column 'kind', row 3: expected observed or synthetic",
        ),
        ({"kind": ["observed"] * 3 + ["synthetic"]}, r"model 'A': synthetic losses: found 1 value"),
        (
            {"model": ["A", "A", None, "A"]},
            r"column 'model', row 4: the name of the model is empty",
        ),
        ({"loss": [1.0, "two", 3.0, 4.0]}, r"column 'loss', row 3: expected a number; got 'two'"),
    ],
)
def test_errors_of_long_tables_name_the_place(change, message):
    table = {
        "model": ["A"] * 4,
        "kind": ["observed", "observed", "synthetic", "synthetic"],
        "loss": [1.0, 2, 3, 4],
    }
    with pytest.raises(ValueError, match=message):
        long_table(
            {name: np.array(column, dtype=object) for name, column in (table | change).items()}
        )


def test_missing_columns_are_listed_and_the_way_out_is_told(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("A,B\n1,2\n3,4\n", encoding="utf-8")
    with pytest.raises(
        ValueError,
        match=r"no column 'model', 'kind', 'loss'.*this one has A, B.*give a second file",
    ):
        losses_from_files(path)


def test_text_in_another_encoding_is_refused_with_its_place(tmp_path):
    path = tmp_path / "latin.csv"
    path.write_bytes("Modèle,B\n1,2\n".encode("latin-1"))
    with pytest.raises(ValueError, match="not text in UTF-8"):
        wide_tables(path, path)


SEVERAL = {
    "model": np.array(["A"] * 6 + ["B"] * 6),
    "kind": np.array((["observed"] * 2 + ["synthetic"] * 4) * 2),
    "simulation": np.array([None, None, 1.0, 2.0, 1.0, 2.0] * 2, dtype=object),
    "loss": np.arange(12.0),
}


def test_several_simulations_in_a_long_table(tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(SEVERAL)
    frame.to_csv(tmp_path / "long.csv", index=False)
    frame.to_parquet(tmp_path / "long.parquet")
    for source in (SEVERAL, frame, tmp_path / "long.csv", tmp_path / "long.parquet"):
        found = long_table(source)
        assert equal(found["A"], [0.0, 1.0], [[2.0, 4.0], [3.0, 5.0]])
        assert equal(found["B"], [6.0, 7.0], [[8.0, 10.0], [9.0, 11.0]])
    assert losses_from_files(tmp_path / "long.csv")["B"].n_simulations == 2


def test_several_simulations_in_wide_tables(tmp_path):
    synthetic = {"simulation": ["one", "one", "two", "two"], "A": [1, 2, 3, 4], "B": [5, 6, 7, 8]}
    observed = {"A": [1.0, 2.0], "B": [3.0, 4.0]}
    for name, columns in (("observed", observed), ("synthetic", synthetic)):
        text = csv_text({key: np.array(column) for key, column in columns.items()})
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    for found in (
        wide_tables(observed, synthetic),
        losses_from_files(tmp_path / "observed.csv", tmp_path / "synthetic.csv"),
    ):
        assert list(found) == ["A", "B"]
        assert equal(found["B"], [3.0, 4.0], [[5.0, 6.0], [7.0, 8.0]])


def test_one_simulation_with_a_name_is_a_vector():
    assert equal(
        wide_tables({"A": [1.0, 2.0]}, {"A": [1.0, 3.0], "simulation": [1, 1]})["A"],
        [1.0, 2.0],
        [1.0, 3.0],
    )


def test_a_model_may_be_called_simulation():
    columns = {"A": [1.0, 2.0], "simulation": [3.0, 4.0]}
    assert list(wide_tables(columns, columns)) == ["A", "simulation"]


def test_observed_losses_alone_are_read_as_such():
    losses = long_table({"model": list("AABB"), "kind": ["observed"] * 4, "loss": np.arange(4.0)})
    assert [sample.n_simulations for sample in losses.values()] == [0, 0]
    with pytest.raises(ValueError, match="model 'A': no synthetic losses"):
        rivals.compare(losses)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {8: 3.0},
            r"model 'B': simulation '2' has 2 losses, but simulation '3' has 1; all "
            r"simulations of a model",
        ),
        ({2: None}, r"column 'simulation', row 4: the cell is empty"),
        (
            {8: 5.0, 9: 5.0, 10: 5.0, 11: 5.0},
            r"model 'B' has 1 simulation\(s\), but model 'A' has 2; give all models",
        ),
    ],
)
def test_simulations_that_do_not_fit_together_are_refused(change, message):
    labels = SEVERAL["simulation"].copy()
    for row, label in change.items():
        labels[row] = label
    with pytest.raises(ValueError, match=message):
        rivals.compare(long_table(SEVERAL | {"simulation": labels}))


@pytest.mark.parametrize("pair", [("1", "1.0"), ("é", "e\u0301"), ("a b", "a\u00a0b")])
def test_one_simulation_in_two_spellings_is_refused(pair):
    """They would be two simulations of half the points."""
    one, other = pair
    message = r"column 'simulation': the labels .* (look alike|mean the same)"
    labels = np.array([None, None, one, other, one, other] * 2, dtype=object)
    with pytest.raises(ValueError, match=message):
        long_table(SEVERAL | {"simulation": labels})
    columns = {"A": [1.0, 2.0], "B": [3.0, 4.0]}
    with pytest.raises(ValueError, match=message):
        wide_tables(columns, columns | {"simulation": [one, other]})


def test_unequal_simulations_in_a_wide_table_are_refused():
    with pytest.raises(
        ValueError, match=r"column 'A': simulation '2' has 1 losses, but simulation '1' has 2"
    ):
        wide_tables({"A": [1.0, 2.0]}, {"A": [1.0, 3.0, 4.0], "simulation": [1, 1, 2]})


@pytest.mark.parametrize("name", ["table.ods", "table"])
def test_unknown_kinds_of_files_are_named(tmp_path, name):
    (tmp_path / name).write_text("A\n1\n", encoding="utf-8")
    with pytest.raises(
        ValueError, match=r"unknown kind of file '.*'; tables are read from \.csv, \.tsv.*\.xlsx"
    ):
        losses_from_files(tmp_path / name)


def test_damaged_parquet_is_refused(tmp_path):
    pytest.importorskip("pyarrow")
    (tmp_path / "t.parquet").write_bytes(b"PAR1 but not really")
    with pytest.raises(ValueError, match=r"t\.parquet: cannot be read as a Parquet file"):
        long_table(tmp_path / "t.parquet")


def test_parquet_without_pyarrow_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=re.escape('pip install "rivals[parquet]"')):
        long_table(tmp_path / "t.parquet")


def test_what_is_no_table_is_refused():
    with pytest.raises(TypeError, match=r"data frame .* got int"):
        long_table(5)


def test_masked_losses_are_refused():
    masked = np.ma.array([1.0, 2.0, 3.0], mask=[False, True, False])
    with pytest.raises(ValueError, match="column 'A': 1 of 3 values are masked"):
        wide_tables({"A": masked}, {"A": [1.0, 2.0, 3.0]})
    models = {"A": masked, "B": np.arange(3.0)}
    with pytest.raises(ValueError, match="model 'A': observed losses: 1 of 3 values are masked"):
        rivals.compare(models, law="groups", groups=[0, 0, 1])
    with pytest.raises(ValueError, match="synthetic losses: 1 of 6 values are masked"):
        Losses(np.arange(3.0), [masked, np.arange(3.0)])


def test_complex_losses_are_refused():
    with pytest.raises(TypeError, match="column 'A': complex numbers cannot be ordered"):
        wide_tables({"A": np.array([1 + 2j, 2.0])}, {"A": [1.0, 2.0]})
    with pytest.raises(ValueError, match="column 'A', row 2: expected a number"):
        wide_tables({"A": np.array([1 + 2j, 2.0], dtype=object)}, {"A": [1.0, 2.0]})


def test_names_that_become_one_are_refused():
    with pytest.raises(ValueError, match="the mapping: two columns are called '1'"):
        wide_tables({1: [1.0, 2.0], "1": [2.0, 3.0]}, {"1": [1.0, 2.0]})
    table = LONG | {"model": np.array([1, 1, 1, 1, "1", "1", "1", "1"], dtype=object)}
    with pytest.raises(
        ValueError, match="column 'model', row 6: '1' is written 1 elsewhere; use one of the two"
    ):
        long_table(table)
    with pytest.raises(ValueError, match="column 'model', row 6: 'A ' is written 'A' elsewhere"):
        long_table(LONG | {"model": ["A"] * 4 + ["A "] * 4})
    pandas = pytest.importorskip("pandas")
    twice = pandas.DataFrame([[1.0, 2.0], [3.0, 4.0]], columns=["A", "A"])
    with pytest.raises(ValueError, match=r"the data frame: .*'A' 2 times"):
        wide_tables(twice, twice)


def test_underscores_are_no_part_of_numbers(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("A,B\n1,2\n1_234,3\n", encoding="utf-8")
    with pytest.raises(ValueError, match="column 'A', row 3: expected a number; got '1_234'"):
        wide_tables(path, {"A": [1.0, 2.0], "B": [1.0, 2.0]})


@pytest.mark.parametrize("first", ["0.5,0.7,0.1", "s1,0.5,0.7", "0.5,,0.7", "1_000,B,C"])
def test_a_first_row_of_losses_is_not_taken_for_a_header(tmp_path, first):
    path = tmp_path / "t.csv"
    path.write_text(f"{first}\n1,2,3\n2,3,4\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"the first row holds .*number.*the header is missing"):
        wide_tables(path, path, ignore=["s1", "Unnamed: 1"] if first.startswith("s1") else ())


def test_columns_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match="columns of a table must have the same length"):
        long_table(LONG | {"loss": [1.0, 2.0]})
    with pytest.raises(
        ValueError, match=r"column 'A': expected one value per row; got an array of shape \(2, 2\)"
    ):
        wide_tables({"A": np.ones((2, 2))}, {"A": np.ones(2)})


@pytest.mark.parametrize(
    "options", [{}, {"delimiter": ","}, {"delimiter": ";", "header": "made by us\nA;B"}]
)
def test_what_savetxt_writes_is_read(tmp_path, options):
    """The header stands behind a hash; blanks are between the numbers by default."""
    separator = options.get("delimiter", " ")
    table = np.column_stack([WIDE["A"], WIDE["B, the other"]])
    np.savetxt(tmp_path / "t.txt", table, **{"header": f"A{separator}B"} | options)
    found = wide_tables(tmp_path / "t.txt", {"A": [1.0, 2.0, 3.0], "B": [1.0, 2.0, 3.0]})
    assert list(found) == ["A", "B"]
    np.testing.assert_array_equal(found["B"].observed, table[:, 1])


def test_a_hash_of_a_name_is_kept_behind_that_of_savetxt(tmp_path):
    np.savetxt(tmp_path / "t.csv", [[1.0, 2.0], [3.0, 4.0]], delimiter=",", header="#A,B")
    assert list(columns_of(tmp_path / "t.csv")[1]) == ["#A", "B"]


@pytest.mark.parametrize(
    "text", ["A B\n1 2\n3 4\n", '"A" "B"\n1 2\n3 4\n', "   A    B\n 1.0  2.0\n 3.0  4.0\n"]
)
def test_blanks_separate_where_nothing_else_does(tmp_path, text):
    (tmp_path / "t.txt").write_text(text, encoding="utf-8")
    found = columns_of(tmp_path / "t.txt")[1]
    assert {name: column.tolist() for name, column in found.items()} == {
        "A": [1.0, 3.0],
        "B": [2.0, 4.0],
    }
    (tmp_path / "t.csv").write_text("model A,the model B\n1, 2\n3, 4\n", encoding="utf-8")
    assert list(columns_of(tmp_path / "t.csv")[1]) == ["model A", "the model B"]


def test_row_names_of_r_are_said_in_a_sentence(tmp_path):
    (tmp_path / "t.txt").write_text('"A" "B"\n"1" 1 2\n"2" 3 4\n', encoding="utf-8")
    with pytest.raises(
        ValueError,
        match=r"t\.txt, row 1: .*are quotation marks closed, and cells separated by commas",
    ):
        columns_of(tmp_path / "t.txt")


@pytest.mark.parametrize("first", [b"1,2\n", b'"1",2\n'])  # read by NumPy, or by csv
def test_a_line_without_end_is_refused(tmp_path, first):
    """It would be in memory as a whole."""
    (tmp_path / "t.csv").write_bytes(b"A,B\n" + first + b"3," * 2**23 + b"\n")
    with pytest.raises(ValueError, match=r"t\.csv: a line has 16777216 characters or more"):
        columns_of(tmp_path / "t.csv")


@pytest.mark.parametrize("kind", ["M8[ns]", "M8[us]", "M8[D]", "m8[ns]", "m8[s]", "m8[M]"])
def test_times_are_no_losses(kind):
    """As lists of Python, some of them are whole numbers."""
    times = np.array([5, 7, 4], dtype=kind)
    with pytest.raises(ValueError, match="column 'B', row 2: expected a number"):
        wide_tables({"A": [1.0, 2.0, 2.5], "B": times}, {"A": [1.0, 2.0, 2.5], "B": times})
    with pytest.raises(ValueError, match="column 'loss', row 2: expected a number"):
        long_table({"model": ["A"] * 3, "kind": ["observed"] * 3, "loss": times})


def test_series_in_a_mapping_are_put_into_one_order():
    pandas = pytest.importorskip("pandas")
    first = pandas.Series([1.0, 2.0, 3.0], index=["x", "y", "z"])
    other = pandas.Series([30.0, 10.0, 20.0], index=["z", "x", "y"])
    with pytest.warns(
        rivals.RivalsWarning, match="column 'B' stand in another order than those of column 'A'"
    ):
        found = columns_of({"A": first, "n": [0, 1, 2], "B": other})[1]
    assert found["B"].tolist() == [10.0, 20.0, 30.0]
    with pytest.raises(
        ValueError, match="column 'B' and column 'A' have rows with different labels"
    ):
        columns_of({"A": first, "B": other.rename({"z": "w"})})


def test_groups_may_be_missing_for_one_model_alone():
    """pandas.NA cannot be compared with anything."""
    pandas = pytest.importorskip("pandas")
    groups = np.array(["x", "y", "x", "y", pandas.NA, "y", "x", "y"], dtype=object)
    with pytest.raises(ValueError, match="column 'session', row 6: the cell is empty"):
        long_table(LONG | {"session": groups}, groups="session")


@pytest.mark.parametrize("text", ["NA", "nan", "?"])
def test_text_that_means_a_missing_label_is_quoted(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(f"A,B,school\n1,2,n\n2,3,{text}\n1.5,2,s\n")
    with pytest.raises(ValueError, match=rf"row 3: '{re.escape(text)}' is a missing label"):
        losses_from_files(path, groups="school")


def test_two_columns_of_one_name_in_parquet_are_named(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table([[1.0, 2.0], [3.0, 4.0]], names=["A", "A"])
    pytest.importorskip("pyarrow.parquet").write_table(table, tmp_path / "t.parquet")
    with pytest.raises(
        ValueError, match=r"t\.parquet: two columns are called 'A'; names must differ"
    ):
        wide_tables(tmp_path / "t.parquet", tmp_path / "t.parquet")


def test_a_header_of_many_names_is_read_in_time(tmp_path):
    """It is longer than the 131 072 characters that one cell may have; looking for
    duplicates takes no time.
    """
    names = [f"model {index}" for index in range(20_000)]
    path = tmp_path / "wide.csv"
    rows = ["0.5,1.5" + ",0.25" * (len(names) - 2), "0.75,2.5" + ",0.5" * (len(names) - 2)]
    path.write_text("\n".join([",".join(names), *rows]), encoding="utf-8")
    begin = time.process_time()
    found = wide_tables(path, path, models=names[:3])
    assert list(found) == names[:3]
    assert found["model 1"].observed.tolist() == [1.5, 2.5]
    assert (
        time.process_time() - begin < 2.0
    )  # about 0.2 s; the search that compares all pairs took a minute


def test_a_million_columns_are_refused_at_once(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"m{index}" for index in range(1_000_000)) + "\n", encoding="utf-8")
    begin = time.process_time()
    with pytest.raises(ValueError, match="1000000 columns, but at most 100000 are read"):
        wide_tables(path, path)
    assert time.process_time() - begin < 5.0


def test_a_cell_that_is_too_long_is_said_in_a_sentence(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("A,B\n1,2\n1," + "2" * 200_000 + "\n", encoding="utf-8")
    with pytest.raises(
        ValueError,
        match=r"t\.csv, row 3: field larger than field limit \(131072\); are quotation marks",
    ):
        wide_tables(path, path)


def test_many_models_in_a_long_table_take_time_in_proportion():
    """1 500 models of 40 rows: comparing the names of all rows with each model would take
    90 million comparisons of text.
    """
    n = 1500
    table = {
        "model": np.repeat([f"model {index}" for index in range(n)], 40),
        "kind": np.tile(["observed"] * 20 + ["synthetic"] * 20, n),
        "loss": np.random.default_rng(0).exponential(size=40 * n),
    }
    begin = time.process_time()
    found = long_table(table)
    assert time.process_time() - begin < 3.0
    np.testing.assert_array_equal(
        found["model 1234"].synthetic, table["loss"][1234 * 40 + 20 : 1235 * 40]
    )


def test_missing_cells_of_frames_are_named():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {key: column.tolist() for key, column in LONG.items()}
    ).convert_dtypes()
    for name, message in (
        ("model", "the name of the model is empty"),
        ("kind", "expected observed or synthetic"),
    ):
        wrong = frame.copy()
        wrong.loc[3, name] = pandas.NA
        with pytest.raises(ValueError, match=f"column '{name}', row 5: {message}"):
            long_table(wrong)


def test_a_library_that_is_no_data_frame_is_named():
    pytest.importorskip("narwhals")

    class Odd:
        columns = ("A",)

    with pytest.raises(TypeError, match="Odd is not a known kind of data frame"):
        long_table(Odd())


@pytest.mark.skipif(
    not find_spec("openpyxl"), reason='Excel files need openpyxl: pip install "rivals[excel]"'
)
class TestExcel:
    def write(self, path, *sheets):
        import openpyxl

        book = openpyxl.Workbook()
        book.remove(book.active)
        for index, rows in enumerate(sheets):
            sheet = book.create_sheet(f"sheet {index}")
            for row in rows:
                sheet.append(row)
        book.save(path)

    def test_empty_sheets_and_rows_below_are_no_matter(self, tmp_path):
        self.write(tmp_path / "t.xlsx", [], [["A", "B"], [1.5, 2], [2, 3], [None, None]])
        found = wide_tables(tmp_path / "t.xlsx", {"A": [1.0, 2.0], "B": [1.0, 2.0]})
        assert equal(found["A"], [1.5, 2.0], [1.0, 2.0])

    @pytest.mark.parametrize(
        ("sheets", "message"),
        [
            ([[["A"], [1], [2]], [["B"], [1]]], "2 of its sheets have cells"),
            ([[["A", "B"], [1, None], [2, 3]]], "column 'B', row 2: the cell is empty"),
            ([[["A", "B"], [1, "x"], [2, 3]]], "column 'B', row 2: expected a number; got 'x'"),
            ([[[0.5, 0.7], [1, 2]]], "the header is missing"),
            ([[]], "the file is empty"),
        ],
    )
    def test_mistakes_are_named(self, tmp_path, sheets, message):
        self.write(tmp_path / "t.xlsx", *sheets)
        with pytest.raises(ValueError, match=message):
            wide_tables(tmp_path / "t.xlsx", {"A": [1.0, 2.0], "B": [1.0, 2.0]})


def test_hostile_names_are_spelled_out_in_messages(tmp_path):
    with pytest.raises(ValueError, match=re.escape(r"column 'bad\\x1b[31m\\n'")):
        wide_tables({"bad\x1b[31m\n": [1.0, np.nan]}, {"bad\x1b[31m\n": [1.0, 2.0]})


def with_column(name, column):
    """Observed and synthetic losses of two models, of 20 points, and a column that is none."""
    rng = np.random.default_rng(0)
    return [
        {"A": rng.exponential(size=20), "B": rng.exponential(size=20), name: column}
        for _ in range(2)
    ]


NUMBERS = np.arange(20)


@pytest.mark.parametrize(
    ("name", "column", "message"),
    [
        (
            "__index_level_0__",
            NUMBERS[::-1],
            "column '__index_level_0__' is the index of a data frame",
        ),
        ("Unnamed: 2", NUMBERS[::-1], "column 3 has no name"),
        ("id", NUMBERS + 7, "column 'id' is a running number"),
        ("fold", NUMBERS % 2, "column 'fold' is the same in the observed and the synthetic table"),
    ],
)
def test_a_column_that_is_no_model_is_refused_and_left_out_on_request(name, column, message):
    tables = with_column(name, column)
    with pytest.raises(ValueError, match=message + ".*--ignore"):
        wide_tables(*tables)
    for wanted in (
        wide_tables(*tables, ignore=[name]),
        wide_tables(*tables, models=["A", "B"]),
        wide_tables(*tables, ignore=name),
    ):
        assert list(wanted) == ["A", "B"]
        np.testing.assert_array_equal(wanted["B"].synthetic, tables[1]["B"])
    assert list(wide_tables(*tables, models=["A", name])) == ["A", name]


def test_whole_numbers_among_others_are_said():
    observed, synthetic = with_column("fold", NUMBERS % 2)
    synthetic["fold"] = NUMBERS % 3
    with pytest.warns(
        rivals.RivalsWarning, match="column 'fold' holds whole numbers only, unlike the others"
    ):
        assert len(wide_tables(observed, synthetic)) == 3
    for table in (observed, synthetic):
        table["A"], table["B"] = np.round(table["A"]), np.round(table["B"])
    assert len(wide_tables(observed, synthetic)) == 3  # as absolute errors of counts


def test_columns_of_one_table_may_be_left_out():
    observed, synthetic = with_column("note", np.array(["x"] * 20))
    del synthetic["note"]
    with pytest.raises(ValueError, match=r"'note' has a column in .*--ignore"):
        wide_tables(observed, synthetic)
    assert list(wide_tables(observed, synthetic, ignore=["note"])) == ["A", "B"]


def test_models_of_a_long_table(tmp_path):
    assert list(long_table(LONG, models=["B"])) == ["B"]
    (tmp_path / "t.csv").write_text(csv_text(LONG), encoding="utf-8")
    assert list(losses_from_files(tmp_path / "t.csv", ignore=["B"])) == ["A"]
    with pytest.raises(ValueError, match="models: the mapping has no 'C'; it has A, B"):
        long_table(LONG, models=["C"])


def test_unknown_columns_get_a_hint():
    tables = [{"gauss": [1.0, 2.0], "laplace": [3.0, 4.0]}] * 2
    with pytest.raises(ValueError, match=r"models: .* has no 'Laplace'; did you mean 'laplace'"):
        wide_tables(*tables, models=["gauss", "Laplace"])
    with pytest.raises(ValueError, match=r"ignore: .* has no 'gaus'; did you mean 'gauss'"):
        wide_tables(*tables, ignore=["gaus"])


def test_an_infinite_value_is_blamed_on_its_file_and_row(tmp_path):
    for name, text in (("o", "A,B\n1,2\n2,3\n3,1\n"), ("s", "A,B\n1,2\n2,3\n3,inf\n")):
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    paths = tmp_path / "o.csv", tmp_path / "s.csv"
    with pytest.raises(
        ValueError, match=r"s\.csv, column 'B', row 4: synthetic losses: 1 of 3 are infinite"
    ):
        wide_tables(*paths)
    with pytest.raises(
        ValueError, match=r"s\.csv, column 'B', row 4: synthetic losses: 1 of 3 are −inf"
    ):
        wide_tables(*paths, log_likelihood=True)
    table = LONG | {"loss": np.array([1.0, 2.0, 1.5, np.inf, 7.0, 8.0, 9.0, 9.5])}
    with pytest.raises(
        ValueError, match=r"model 'A', row 5: synthetic losses: 1 of 2 are infinite"
    ):
        long_table(table)
    assert list(long_table(table, models=["B"])) == ["B"]


ROWS = "".join(f"{index / 7},{index / 3 + 1}\n" for index in range(40))
LARGE = np.nextafter(1e300, 0)
MANY_DIGITS = "".join(f"{1 / (3 + index)!r},{LARGE / (1 + index)!r}\n" for index in range(60))
# fmt: off
NO_NUMBERS = (
    "1-2", "1+2", "1+", "1.2.3", "1e5e5", "1e5.5", "1e", "1e-", "1e+", "--1", "e5", ".", "-",
    "1 2", "1e--5", "1e-.5", "1.-2",
)
# fmt: on


def long_text(*models):
    """A long table of three losses of each kind of each model."""
    rows = ["model,kind,loss"]
    for model in models:
        for kind in ("observed", "synthetic"):
            rows += [f"{model},{kind},{index}.5" for index in range(3)]
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize(
    "text",
    [
        f"A,B\n{ROWS}",
        f'"A","B, the other"\n{ROWS}',
        f"# A,B\n{ROWS}",
        f"#A,B\n{ROWS}",
        f"A,B\n\n{ROWS}\n\n",
        f"A;B\n{ROWS.replace(',', ';')}",
        f"A,B\r\n{ROWS}".replace("\n", "\r\n"),
        f"A,B\r{ROWS}".replace("\n", "\r"),
        f"A,B\n{MANY_DIGITS}",
        f"A,B\n{ROWS}nan,1\n",
        f"A,B\n{ROWS}1e999,1\n",
        f"A,B\n{ROWS}1e-999,1\n",
        f"A,B\n{ROWS}1_0,1\n",
        f"A,B\n{ROWS}+1, 2 \n",
        f"A,B\n{ROWS}１,0x10\n",
        f"A,B\n{ROWS},1\n",
        f"A,B\n{ROWS}1\n",
        f"A,B\n{ROWS}1,2,3\n",
        f'A,B\n{ROWS}"1","2"\n',
        f'A,B\n{ROWS}"1,2\n',
        f"A,B\n{ROWS}\x00,2\n",
        f"A,B\n{ROWS}#,2\n",
        f"A,B\n{ROWS}-0,-0.0\n-.5,+1\n",
        f"A,B\n{ROWS}1.e-3,5E+02\n.5e1,2.\n",
        *(f"A,B\n{ROWS}{cell},2\n" for cell in NO_NUMBERS),
        "A,B\n",
        "A,B\n\x1c1,2\n3,4\x1f\n",
        "A,B\n1,2\n3\n4,\udce9",
        long_text("A", "B"),
        long_text('"A"', '"B"'),
        long_text("é", " "),
    ],
    ids=range(47),
)
def test_numpy_and_csv_agree(tmp_path, monkeypatch, text):
    """The same losses to the last bit, or the same message."""
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode(errors="surrogateescape"))

    def found():
        try:
            columns = columns_of(path, {"model", "kind"})[1]
            return {name: (column.dtype, repr(column.tolist())) for name, column in columns.items()}
        except ValueError as error:
            return str(error)

    by_numpy = found()
    monkeypatch.setattr(text_tables, "fill_by_numpy", lambda *_: False)
    assert by_numpy == found()


def test_numbers_alone_are_read_by_numpy(tmp_path, monkeypatch):
    """Nothing but the header is left to the csv module."""
    read_by_csv = []
    monkeypatch.setattr(text_tables._Columns, "_numbers", read_by_csv.append)
    for delimiter in ",;\t|":
        for header in ("A,B\n", '"A","B"\n', "# A,B\n", "\ufeffA,B\r\n"):
            (tmp_path / "t.csv").write_text(
                (header + ROWS).replace(",", delimiter), encoding="utf-8"
            )
            found = columns_of(tmp_path / "t.csv")[1]
            assert found["B"].tolist() == [index / 3 + 1 for index in range(40)]
    assert read_by_csv == []


def test_a_hash_may_begin_a_name(tmp_path):
    (tmp_path / "t.csv").write_text("#A,B\n1,2\n3,4\n", encoding="utf-8")
    assert list(wide_tables(tmp_path / "t.csv", {"#A": [1.0, 2.0], "B": [1.0, 2.0]})) == ["#A", "B"]


def test_where_there_are_no_rows_the_reader_says_why(tmp_path):
    (tmp_path / "t.csv").write_bytes(b'\r\n\r\r\n"a"\r\n"')
    with pytest.raises(ValueError, match="row 5: unexpected end of data"):
        long_table(tmp_path / "t.csv")
