"""Named columns from files and data frames of any library."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from os import PathLike, fsdecode
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._say.optional import need
from rivals._say.rows import row_labels, rows_in_order
from rivals._say.words import show
from rivals.read.excel_tables import read_excel
from rivals.read.parquet_tables import read_parquet
from rivals.read.text_tables import read_text

Column = npt.NDArray[Any]

TEXT = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
BINARY = {".parquet": read_parquet, ".pq": read_parquet, ".xlsx": read_excel}
TABLES = ", ".join((*TEXT, *BINARY))

# narwhals recognises data frames; without it, these attributes of the class hint at one.
FRAME = ("columns", "column_names", "__dataframe__", "__arrow_c_stream__")


def columns_of(source: Any, labels: Collection[str] = ()) -> tuple[str, dict[str, Column]]:
    """What to call the source in messages, and its columns by name, all of one length.

    In text files the columns called `labels` are text, and so are others where a cell is
    not a number.

    Examples
    --------
    >>> columns_of({"A": [1.0, 2.0], "B": [3.0, 4.0]})[1]["B"]
    array([3., 4.])
    """
    if isinstance(source, (str, bytes, PathLike)):
        path = Path(fsdecode(source))
        where = show(path)
        pairs = _from_file(path, labels)
    elif isinstance(source, Mapping):
        where = "the mapping"
        pairs = _from_mapping(source)
    elif any(hasattr(type(source), name) for name in FRAME):
        where = "the data frame"
        pairs = _from_frame(source)
    else:
        raise TypeError(
            f"expected the path of a table ({TABLES}), a data frame (pandas, polars, …) or "
            f"a mapping of columns; got {type(source).__name__}"
        )
    columns: dict[str, Column] = {}
    for key, column in pairs:
        name = str(key)  # 1 and "1" would be the same
        if name in columns:
            raise ValueError(f"{where}: two columns are called {show(name)!r}; names must differ")
        if column.ndim != 1:
            found = f"expected one value per row; got an array of shape {column.shape}"
            raise ValueError(f"{where}, column {show(name)!r}: {found}")
        columns[name] = column
        first = next(iter(columns))
        if len(column) != len(columns[first]):
            raise ValueError(
                f"{where}: columns of a table must have the same length, but "
                f"{show(first)!r} has {len(columns[first])} rows and {show(name)!r} has "
                f"{len(column)}; write a long table"
            )
    return where, columns


def _from_file(path: Path, labels: Collection[str]) -> Iterable[tuple[str, Column]]:
    suffix = path.suffix.lower()
    if suffix == ".gz":
        suffix = "".join(path.suffixes[-2:]).lower()
    if suffix in TEXT:
        return read_text(path, labels)
    if suffix not in BINARY:
        raise ValueError(
            f"{show(path)}: unknown kind of file {suffix!r}; tables are read from {TABLES}"
        )
    return BINARY[suffix](path)


def _from_mapping(source: Mapping[Any, Any]) -> Iterable[tuple[str, Column]]:
    """The columns, with those that have labels in the order of the first of them. Masks are
    kept: masked losses are refused, not used.
    """
    labelled = [(f"column {show(key)!r}", row_labels(column)) for key, column in source.items()]
    whose, reference = next((each for each in labelled if each[1] is not None), ("", None))
    for (who, labels), (key, column) in zip(labelled, source.items(), strict=True):
        rows = rows_in_order(labels, reference, f"the mapping, {who}", whose)
        if rows is not None:
            column = column.iloc[rows]
        yield key, np.asanyarray(column)


def _from_frame(source: Any) -> Iterable[tuple[str, Column]]:
    narwhals = need("narwhals", extra="table", purpose="data frames")
    try:
        frame = narwhals.from_native(source)
        if isinstance(frame, narwhals.LazyFrame):
            frame = frame.collect()
        return [(series.name, np.asarray(series.to_numpy())) for series in frame.iter_columns()]
    except narwhals.exceptions.NarwhalsError as error:
        raise ValueError(f"the data frame: {' '.join(str(error).split())}") from None
    except TypeError as error:
        found = f"{type(source).__name__} is not a known kind of data frame"
        raise TypeError(f"{found} ({error}); pass a mapping of columns") from None
