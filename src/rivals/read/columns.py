"""Named columns from files and data frames of any library."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._checks import is_missing, need, show
from rivals._types import FloatArray
from rivals.read.binary_tables import read_excel, read_feather, read_parquet
from rivals.read.text_tables import read_text

Column = npt.NDArray[Any]

TEXT = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
BINARY: dict[str, Callable[[Path], dict[str, Column]]] = {
    ".parquet": read_parquet, ".pq": read_parquet, ".feather": read_feather, ".arrow": read_feather, ".xlsx": read_excel,
}  # fmt: skip
TABLES = (*TEXT, *BINARY)

# narwhals recognises data frames; without it, these attributes of the class hint at one.
FRAME = ("columns", "column_names", "__dataframe__", "__arrow_c_stream__")
NUMBERS = (int, float, np.integer, np.floating, np.bool_, Decimal, Fraction)


def columns_of(source: Any, labels: Collection[str] = ()) -> tuple[str, dict[str, Column]]:
    """What to call the source in messages, and its columns by name.

    In text files the columns called `labels` are text, and so are others where a cell is not a number.

    Examples
    --------
    >>> columns_of({"A": [1.0, 2.0], "B": [3.0, 4.0]})[1]["B"]
    array([3., 4.])
    """
    if isinstance(source, (str, PathLike)):
        return show(fspath(source)), _from_file(Path(source), labels)
    if isinstance(source, Mapping):
        # Masks are kept: masked losses are refused, not used.
        return "the mapping", _named(((key, np.asanyarray(column)) for key, column in source.items()), "the mapping")
    if any(hasattr(type(source), name) for name in FRAME):
        return "the data frame", _from_frame(source)
    raise TypeError(
        f"expected the path of a table ({', '.join(TABLES)}), a data frame (pandas, polars, pyarrow, …) or a mapping of columns; "
        f"got {type(source).__name__}"
    )


def suffix_of(path: str | PathLike[str]) -> str:
    """The ending of the name of a file; `.csv.gz` is one ending."""
    *_, before, last = ["", "", *Path(path).suffixes]
    return (before + last if last.lower() == ".gz" else last).lower()


def numbers(column: Column, where: str, *, first_row: int, otherwise: str = "") -> FloatArray:
    """A column as numbers; an error names the row of the first cell that is not a number, and adds `otherwise` if none is one."""
    mask = np.ma.getmaskarray(column) if np.ma.isMaskedArray(column) else None
    if mask is not None and mask.any():
        raise ValueError(
            f"{where}, row {int(mask.argmax()) + first_row}: {int(mask.sum())} of {column.size} values are masked; remove these "
            "points for all models"
        )
    if column.dtype.kind == "c":
        raise TypeError(f"{where}: complex numbers cannot be ordered; pass real losses")
    if column.dtype.kind in "iufb":
        return np.asarray(column, dtype=np.float64)
    values = np.empty(column.size)
    for index, cell in enumerate(column.tolist()):
        try:
            values[index] = _number(cell)
        except (TypeError, ValueError, ArithmeticError):
            hint = "" if any(map(_is_number, column.tolist())) else otherwise
            raise ValueError(f"{where}, row {index + first_row}: {_complaint(cell)}{hint}") from None
    return values


def _number(cell: Any) -> float:
    # Only Python reads "1_234" as a number.
    if not isinstance(cell, (str, *NUMBERS)) or (isinstance(cell, str) and "_" in cell):
        raise ValueError
    return float(cell)


def _is_number(cell: Any) -> bool:
    try:
        _number(cell)
    except (TypeError, ValueError, ArithmeticError):
        return False
    return True


def _complaint(cell: Any) -> str:
    if is_missing(cell):
        return (
            "the cell is empty; fill it with a loss (models with different numbers of synthetic losses go into a "
            "long table with the columns model, kind, loss)"
        )
    hint = "; write decimals with a point" if "," in str(cell) else ""
    return f"expected a number; got {show(repr(str(cell)[:60]))}{hint}"


def _from_file(path: Path, labels: Collection[str]) -> dict[str, Column]:
    suffix = suffix_of(path)
    if suffix in TEXT:
        return read_text(path, labels)
    if suffix not in BINARY:
        raise ValueError(f"{show(path)}: unknown kind of file {suffix!r}; tables are read from {', '.join(TABLES)}")
    return BINARY[suffix](path)


def _from_frame(source: Any) -> dict[str, Column]:
    narwhals = need("narwhals", extra="table", purpose="data frames")
    try:
        frame = narwhals.from_native(source)
        frame = frame.collect() if isinstance(frame, narwhals.LazyFrame) else frame
        pairs = [(series.name, np.asarray(series.to_numpy())) for series in frame.iter_columns()]
    except narwhals.exceptions.NarwhalsError as error:
        raise ValueError(f"the data frame: {' '.join(str(error).split())}") from None
    except TypeError as error:
        raise TypeError(
            f"{type(source).__name__} is not a known kind of data frame ({error}); pass a mapping of columns"
        ) from None
    return _named(pairs, "the data frame")


def _named(pairs: Iterable[tuple[Any, Column]], where: str) -> dict[str, Column]:
    """Columns by names that are text: 1 and "1" would be the same."""
    columns: dict[str, Column] = {}
    for key, column in pairs:
        name = str(key)
        if name in columns:
            raise ValueError(f"{where}: two columns are called {show(name)!r}; names must differ")
        if column.ndim != 1:
            raise ValueError(
                f"{where}, column {show(name)!r}: expected one value per row; got an array of shape {column.shape}"
            )
        columns[name] = column
    return columns
