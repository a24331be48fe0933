"""Fast readers of large text tables. They find fault with anything unusual, and leave it to the careful reader."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from rivals.read.arrow import values_of

QUOTE = '"'


def read_fast(
    file: IO[bytes], skip: int, delimiter: str, names: list[str], labels: Collection[str]
) -> dict[str, npt.NDArray[Any]] | None:
    """The columns below `skip` lines, those called `labels` as text and the others as finite numbers; None if that is not all.

    PyArrow reads numbers as Python does, to the last bit. Without it NumPy reads tables of numbers alone.
    """
    if any(b"\r" in file.readline().rstrip(b"\r\n") for _ in range(skip)) or delimiter == " ":
        return None  # lines end otherwise, or several blanks are one
    try:
        columns = _by_pyarrow(file, delimiter, names, labels)
    except ImportError:
        columns = _by_numpy(file, delimiter, names) if not set(labels) & set(names) else None
    except ValueError:
        columns = None
    usual = columns is not None and all(map(_is_usual, columns.values()))
    return columns if usual else None


def _by_pyarrow(file: IO[bytes], delimiter: str, names: list[str], labels: Collection[str]) -> Any:
    import pyarrow
    from pyarrow import csv

    text = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
    table = csv.read_csv(
        file,
        read_options=csv.ReadOptions(column_names=names),
        parse_options=csv.ParseOptions(delimiter=delimiter, quote_char=False),
        convert_options=csv.ConvertOptions(
            column_types={name: text if name in labels else pyarrow.float64() for name in names},
            null_values=[],
        ),
    )
    return {name: values_of(column) for name, column in zip(names, table.columns, strict=True)}


def _by_numpy(file: IO[bytes], delimiter: str, names: list[str]) -> Any:
    try:
        with warnings.catch_warnings(action="ignore"):  # that there are no rows
            table = np.loadtxt(file, delimiter=delimiter, comments=None, ndmin=2, encoding="utf-8")
    except ValueError:
        return None
    return dict(zip(names, table.T, strict=True)) if table.shape[1] == len(names) else None


def _is_usual(column: npt.NDArray[Any]) -> bool:
    """Whether there are rows, no number is infinite or missing, and no text is quoted."""
    if column.dtype == object:
        return column.size > 0 and not any(QUOTE in word for word in set(column.tolist()))
    return column.size > 0 and bool(np.isfinite(column).all())
