"""Named columns out of files and data frames of any make."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._checks import need, show
from rivals._types import FloatArray

Column = npt.NDArray[Any]

DELIMITERS = (",", ";", "\t", "|")


def columns_of(source: Any) -> tuple[str, dict[str, Column]]:
    """What to call the source in messages, and its columns by name.

    Text columns of CSV files are returned as text; who wants numbers calls `numbers`.

    Examples
    --------
    >>> columns_of({"A": [1.0, 2.0], "B": [3.0, 4.0]})[1]["B"]
    array([3., 4.])
    """
    if isinstance(source, (str, PathLike)):
        return show(fspath(source)), _from_file(Path(source))
    if isinstance(source, Mapping):
        # Masks are kept, so that masked losses are refused, not used.
        return "the mapping", {str(name): np.asanyarray(column) for name, column in source.items()}
    if hasattr(source, "column_names") and hasattr(source, "column"):  # pyarrow.Table
        return "the table", {
            name: source.column(name).to_numpy() for name in _distinct(source.column_names, "the table")
        }
    if hasattr(source, "columns") and hasattr(source, "__getitem__"):  # pandas and polars
        names = [str(name) for name in source.columns]
        _distinct(names, "the data frame")
        pairs = zip(names, source.columns, strict=True)
        return "the data frame", {name: np.asarray(source[label].to_numpy()) for name, label in pairs}
    raise TypeError(
        f"expected the path of a CSV, TSV or Parquet file, a data frame (pandas, polars, pyarrow) or a mapping of columns; "
        f"got {type(source).__name__}"
    )


def numbers(column: Column, where: str, *, first_row: int) -> FloatArray:
    """A column as numbers; what is not one is named by its row."""
    if column.dtype.kind in "iufb":
        return column.astype(np.float64)
    values = np.empty(column.size)
    for index, cell in enumerate(column):
        try:
            if cell is None or (isinstance(cell, str) and not cell.strip()):
                raise ValueError
            values[index] = float(cell)
        except (TypeError, ValueError):
            raise ValueError(f"{where}, row {index + first_row}: {_complaint(cell)}") from None
    return values


def _complaint(cell: Any) -> str:
    if cell is None or not str(cell).strip():
        return (
            "the cell is empty; every cell needs a loss (models with different numbers of synthetic losses go into a "
            "long table with the columns model, kind, loss)"
        )
    hint = "; write decimals with a point" if "," in str(cell) else ""
    return f"expected a number; got {show(repr(str(cell)[:60]))}{hint}"


def _from_file(path: Path) -> dict[str, Column]:
    suffix = path.suffix.lower()
    if suffix in (".parquet", ".pq"):
        return _from_parquet(path)
    if suffix in (".csv", ".tsv", ".txt"):
        return _from_text(path, "\t" if suffix == ".tsv" else None)
    raise ValueError(
        f"{show(path)}: unknown kind of file {suffix!r}; tables are read from .csv, .tsv, .txt and .parquet"
    )


def _from_parquet(path: Path) -> dict[str, Column]:
    pyarrow = need("pyarrow", extra="table", purpose="Parquet files")
    parquet = need("pyarrow.parquet", extra="table", purpose="Parquet files")
    try:
        table = parquet.read_table(path)
    except pyarrow.ArrowInvalid as error:
        raise ValueError(f"{show(path)}: not a Parquet file, or damaged ({error}); write it anew") from None
    return {name: table.column(name).to_numpy() for name in _distinct(table.column_names, show(path))}


def _from_text(path: Path, delimiter: str | None) -> dict[str, Column]:
    with open(path, encoding="utf-8-sig", newline="") as file:
        try:
            first = [file.readline(), file.readline()]
            file.seek(0)
            rows = csv.reader(file, delimiter=delimiter or _delimiter(first), strict=True)
            names = _named(next(rows, []), show(path))
            cells: list[list[str]] = []
            for row in rows:
                if not row:  # an empty line, as at the end of many files
                    continue
                if len(row) != len(names):
                    raise ValueError(
                        f"{show(path)}, row {rows.line_num}: expected {len(names)} cells, as the header has; got {len(row)}"
                    )
                cells.append(row)
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{show(path)}: not text in UTF-8 ({error.reason} at byte {error.start}); save it as UTF-8"
            ) from None
        except csv.Error as error:
            raise ValueError(f"{show(path)}, row {rows.line_num}: {error}") from None
    if not cells:
        raise ValueError(f"{show(path)}: no rows below the header; write one loss per row")
    return {name: np.array(column, dtype=object) for name, column in zip(names, zip(*cells, strict=True), strict=True)}


def _delimiter(first: list[str]) -> str:
    """The delimiter that splits header and first row into equally many cells, and into the most."""

    def score(delimiter: str) -> tuple[bool, int]:
        header, row = (len(next(csv.reader([line], delimiter=delimiter), [])) for line in first)
        return header == row, header

    return max(DELIMITERS, key=score)


def _named(header: list[str], where: str) -> list[str]:
    names = [name.strip() for name in header]
    if not names or names == [""]:
        raise ValueError(f"{where}: the file is empty; expected a header with the names of the columns")
    if all(_is_number(name) for name in names):
        raise ValueError(
            f"{where}: the first row holds numbers only, so that the header is missing; write the names of the columns into the "
            "first row (a model that is called by a number needs a letter, too)"
        )
    # As pandas calls them; who takes them for models refuses them.
    names = [name or f"Unnamed: {index}" for index, name in enumerate(names)]
    return _distinct(names, where)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _distinct(names: list[str], where: str) -> list[str]:
    for index, name in enumerate(names):
        if name in names[:index]:
            raise ValueError(f"{where}: two columns are called {show(name)!r}; names must differ")
    return names
