"""Tables of any origin, opened once; what is wrong in one is said with its column and row."""

from __future__ import annotations

import gzip
import io
import sys
from datetime import date

import numpy as np
import pandas
import polars
import pyarrow
import pytest

import rivals
from rivals.read._frames import opened, scanned

TABLE = "site,line,step\nb,1.5,2\na,2,2.5\nb,1,3\n"
LABELS = ["b", "a", "b"]


def written(folder, text, name="losses.csv"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def sources(tmp_path):
    """The same table in every form."""
    frame = polars.read_csv(io.StringIO(TABLE))
    path = written(tmp_path, TABLE)
    packed = tmp_path / "losses.csv.gz"
    packed.write_bytes(gzip.compress(TABLE.encode()))
    parquet = tmp_path / "losses.parquet"
    frame.write_parquet(parquet)
    text = frame["site"].cast(polars.Categorical)
    return {
        "csv": path,
        "text": str(path),
        "gz": packed,
        "tsv": written(tmp_path, TABLE.replace(",", "\t"), "losses.tsv"),
        "semicolons": written(tmp_path, TABLE.replace(",", ";"), "losses.txt"),
        "windows": written(tmp_path, "\ufeff" + TABLE.replace("\n", "\r\n"), "windows.csv"),
        "empty lines": written(tmp_path, TABLE + "\n\n", "lines.csv"),
        "parquet": parquet,
        "bytes": io.BytesIO(TABLE.encode()),
        "packed bytes": io.BytesIO(gzip.compress(TABLE.encode())),
        "parquet bytes": io.BytesIO(parquet.read_bytes()),
        "string": io.StringIO(TABLE),
        "polars": frame,
        "polars lazy": frame.lazy(),
        "polars categories": frame.with_columns(text),
        "pandas": pandas.read_csv(path),
        "pandas categories": pandas.read_csv(path, dtype={"site": "category"}),
        "arrow": frame.to_arrow(),
        "arrow dictionary": frame.with_columns(text).to_arrow(),
    }


def test_a_table_is_the_same_from_every_source(sources):
    for name, source in sources.items():
        losses = rivals.read.table(source, groups="site")
        assert list(losses) == ["line", "step"], name
        assert losses["line"].observed.tolist() == [1.5, 2.0, 1.0], name
        assert losses["step"].observed.tolist() == [2.0, 2.5, 3.0], name
        assert losses["line"].groups.codes.tolist() == [0, 1, 0], name
        assert losses["line"].groups.names == ("b", "a"), name
        assert losses["line"].groups.noun == "site", name


def test_standard_input_is_a_source(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TABLE.encode())))
    assert len(opened("-").data) == 3


def test_groups_are_factorised_once_and_shared_by_all_models(sources):
    losses = rivals.read.table(sources["csv"], groups="site")
    assert losses["line"].groups is losses["step"].groups


@pytest.mark.parametrize("kind", ["whole", "float", "text", "date", "boolean"])
@pytest.mark.parametrize("library", ["polars", "pandas", "pyarrow"])
def test_labels_of_every_kind_have_codes_by_first_appearance(kind, library):
    values = {
        "whole": [7, 3, 7, 10**12],
        "float": [0.5, 2.0, 0.5, -1.0],
        "text": ["b", "a", "b", "ä ö"],
        "date": [date(2020, 1, day) for day in (2, 1, 2, 3)],
        "boolean": [True, False, True, False],
    }[kind]
    make = {"polars": polars.DataFrame, "pandas": pandas.DataFrame, "pyarrow": pyarrow.table}
    frame = make[library]({"label": values})
    grouping = opened(frame).grouping("label")
    first = list(dict.fromkeys(values))
    assert [first[code] for code in grouping.codes] == values
    assert len(grouping.names) == len(first)
    if kind == "float":
        assert grouping.names == ("0.5", "2", "-1")


def test_labels_of_text_files_stay_as_they_are_written(tmp_path):
    path = written(tmp_path, "site,line,step\n001,1,2\n002,2,3\n001,3,4\n")
    assert rivals.read.table(path, groups="site")["line"].groups.names == ("001", "002")


def test_two_spellings_of_one_label_are_refused(tmp_path):
    path = written(tmp_path, "site,line,step\n1,1,2\n01,2,3\n1,3,4\n")
    with pytest.raises(ValueError, match=r"'1' and '01' are two spellings"):
        rivals.read.table(path, groups="site")


@pytest.mark.parametrize("frame", ["csv", "polars", "pandas"])
def test_a_missing_label_is_named_with_its_row(frame, tmp_path):
    text = "site,line,step\na,1,2\n,2,3\n,3,4\n"
    path = written(tmp_path, text)
    source = {"csv": path, "polars": polars.read_csv(path), "pandas": pandas.read_csv(path)}[frame]
    where = "line 3" if frame == "csv" else r"row 1 \(from 0\)"
    with pytest.raises(ValueError, match=rf"'site'.*missing in 2 of 3 rows.*first in {where}"):
        rivals.read.table(source, groups="site")


BAD_TEXT = {
    "": "the file is empty",
    "\n": "empty",
    "a,b\n": "no row below",
    "1,2\n3,4\n5,6\n": "number 1",
    "a,a\n1,2\n3,4\n": "two columns are called 'a'",
    "a,b\n1,2\n3\n": "line 3 has 1 cells, but the header has 2",
    "a,b\n1,2\n3,4,5\n": "line 3 has 3 cells, but the header has 2",
    "a;b\n0,5;1\n0,7;2\n": "decimals are written with a comma",
    "a,b\n1,2\n,3\n": "model 'a': 1 of 2 values are missing, the first in line 3",
    "a,b\n1,2\nNA,3\n": "model 'a': 1 of 2 values are missing, the first in line 3",
    "a,b\n1,2\nnan,3\n": "model 'a': 1 of 2 values are missing, the first in line 3",
    "a,b\n1,2\n4.O,3\n": "model 'a': 1 of 2 cells are no numbers, the first in line 3: '4.O'",
    "a,b\n1,2\ninf,3\n": "model 'a'.*zero probability to 1 of 2",
    "a,b,name\n1,2,x\n3,4,y\n": "'name' holds text",
    "y,a,b\n1,2,3\n2,3,4\n": r"called 'y'.*predictions.*target='y'",
    "site,mean,sem\n1,2,3\n2,3,4\n": "'mean', 'sem' are no model",
    "Unnamed: 0,a,b\n0,2,3\n1,3,4\n": "index of a data frame",
    ",a,b\n0,2,3\n1,3,4\n": "column without a name",
    "model,loss\na,1\nb,2\n": "one row per model and point",
}


@pytest.mark.parametrize("text", BAD_TEXT, ids=repr)
def test_a_text_file_with_a_fault_is_refused_and_told(text, tmp_path):
    with pytest.raises((ValueError, TypeError), match=BAD_TEXT[text]) as caught:
        rivals.read.table(written(tmp_path, text))
    assert "losses.csv" in str(caught.value)


def test_what_is_no_text_and_no_parquet_is_said(tmp_path):
    latin = tmp_path / "latin.csv"
    latin.write_bytes("a,b\nä,1\n".encode("latin-1"))
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 nothing PAR1")
    cut = tmp_path / "cut.csv.gz"
    cut.write_bytes(gzip.compress(TABLE.encode() * 100)[:40])
    for path, said in ((latin, "UTF-8"), (broken, "Parquet"), (cut, "cut.csv.gz")):
        with pytest.raises(ValueError, match=said):
            rivals.read.table(path)
    with pytest.raises(ValueError, match=r"\.xlsx"):
        rivals.read.table(tmp_path / "book.xlsx")
    for name in ("none.csv", "none.parquet"):
        with pytest.raises(FileNotFoundError, match=name):
            rivals.read.table(tmp_path / name)


def test_late_text_in_a_column_of_numbers_is_found(tmp_path):
    rows = "".join(f"{i}.5,1\n" for i in range(500))
    path = written(tmp_path, f"a,b\n{rows}oops,1\n")
    with pytest.raises(ValueError, match=r"1 of 501 cells are no numbers, the first in line 502"):
        rivals.read.table(path)


def test_frames_with_odd_columns_are_refused():
    levels = pandas.DataFrame(
        np.ones((3, 2)), columns=pandas.MultiIndex.from_tuples([("a", "x"), ("a", "y")])
    )
    with pytest.raises(ValueError, match="2 levels"):
        rivals.read.table(levels)
    with pytest.raises(TypeError, match="called 0"):
        rivals.read.table(pandas.DataFrame(np.ones((3, 2))))
    with pytest.raises(TypeError, match="got int"):
        rivals.read.table(3)
    with pytest.raises(TypeError, match=r"'b' holds (str|object|string|text)"):
        rivals.read.table(pandas.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}))


def test_a_column_that_is_not_there_is_guessed():
    frame = polars.DataFrame({"school": ["a", "b"], "line": [1.0, 2.0], "step": [1.0, 3.0]})
    with pytest.raises(ValueError, match="did you mean 'school'"):
        rivals.read.table(frame, groups="schol")
    with pytest.raises(ValueError, match=r"models: .* did you mean 'line'"):
        rivals.read.table(frame, models=["lime", "step"])


def test_simulations_may_stand_in_a_second_table():
    observed = polars.DataFrame({"a": [1.0, 2.0], "b": [2.0, 3.0]})
    drawn = polars.DataFrame({"simulation": [1, 2, 1, 2], "a": [1, 2, 3, 4], "b": [5, 6, 7, 8]})
    losses = rivals.read.table(observed, drawn)
    assert losses["a"].simulated.tolist() == [[1, 3], [2, 4]]
    with pytest.raises(ValueError, match="different numbers of rows"):
        rivals.read.table(observed, drawn.head(3))


def test_log_likelihoods_are_turned_round_and_say_so():
    frame = polars.DataFrame({"a": [-1.0, -2.0], "b": [-2.0, -3.0]})
    losses = rivals.read.table(frame, log_likelihood=True)["a"]
    assert losses.observed.tolist() == [1.0, 2.0]
    assert (losses.source.loss, losses.source.unit) == ("negative log likelihood", "nats")


def test_a_data_frame_of_summaries_or_predictions_is_not_compared_as_losses():
    rows = {"school": ["a", "b", "c"], "mean": [1.0, 2.0, 3.0], "sem": [1.0, 2.0, 3.0]}
    with pytest.raises(ValueError, match=r"rivals.read.summaries"):
        rivals.compare(pandas.DataFrame(rows), groups="school")
    rows = {"school": ["a", "b", "c"], "y": [1.0, 2.0, 3.0], "line": [1.0, 2.0, 3.0]}
    with pytest.raises(ValueError, match=r"rivals.read.predictions"):
        rivals.compare(polars.DataFrame(rows), groups="school")


def test_files_are_scanned_lazily(tmp_path):
    where, lazy = scanned(written(tmp_path, TABLE), labels=["site"])
    assert isinstance(lazy, polars.LazyFrame)
    assert where.endswith("losses.csv")


@pytest.mark.parametrize("read", [rivals.read.table, rivals.read.summaries])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_name_is_no_pattern(tmp_path, read, ending):
    polars = pytest.importorskip("polars")
    n_rows = 30_000  # of text, more than is read without polars
    for name, loss in (("glob[1]", 1.0), ("glob1", 2.0)):
        frame = polars.DataFrame(
            {"a": [loss] * n_rows, "b": [0.25] * n_rows, "g": ["x", "y"] * (n_rows // 2)}
        )
        getattr(frame, f"write_{ending}")(tmp_path / f"{name}.{ending}")
    found = read(tmp_path / f"glob[1].{ending}", groups="g")
    means = found["a"].mean if isinstance(found, dict) else found.means[0]
    assert np.all(means == 1.0)
    (tmp_path / f"glob[1].{ending}").unlink()
    with pytest.raises(FileNotFoundError, match="no such file"):
        read(tmp_path / f"glob[1].{ending}", groups="g")


def test_a_packed_file_that_is_no_table_is_not_unpacked(tmp_path):
    path = tmp_path / "bomb.csv.gz"
    with gzip.open(path, "wb", compresslevel=9) as file:
        file.write(b"a,b\n")
        for _ in range(300):  # 300 MB in .3 MB
            file.write(b"1,2\n" * 250_000)
    raw = io.BytesIO(path.read_bytes())
    for read in (rivals.read.table, rivals.read.summaries):
        with pytest.raises(ValueError, match="unpack into more than"):
            read(path, **({"groups": "a"} if read is rivals.read.summaries else {}))
    with pytest.raises(ValueError, match="unpack into more than"):
        rivals.read.table(raw)
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(ValueError, match="a part of one"):
        rivals.read.table(path)


def test_a_header_that_no_table_has_is_refused_with_a_sentence():
    with pytest.raises(ValueError, match="the header cannot be read"):
        rivals.read.table(io.BytesIO(b"a," + b"b" * 3_000_000 + b"\n1,2\n2,3\n"))


def test_codes_for_terminals_in_names_are_written_out(tmp_path):
    path = tmp_path / "x\x1b[31m.csv"
    path.write_text("a,b\n1,2\nx,3\n", encoding="utf-8")
    for name in (path, tmp_path / "y\x1b[31m.csv"):
        with pytest.raises((ValueError, FileNotFoundError)) as caught:
            rivals.read.table(name)
        assert "\x1b" not in str(caught.value)
        assert "\\x1b[31m.csv" in str(caught.value)
    with pytest.raises(ValueError, match=r"columns: .* has letters that cannot be printed"):
        rivals.read.table(polars.DataFrame({"a\x1b": [1.0, 2.0], "b": [1.0, 2.5]}))
