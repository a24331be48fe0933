"""The cells of a table as numbers and text: what is refused names its row, as do columns
that cannot be losses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from rivals._say.labels import is_missing
from rivals._say.samples import (
    FEW_ROWS,
    MANY_NAMES,
    as_numbers,
    find_not_finite,
    is_running_number,
    is_whole,
)
from rivals._say.warn import warn
from rivals._say.words import show
from rivals._types import FloatArray, IntArray
from rivals.read.columns import Column

# What pandas calls an index in a Parquet file, and a column without a name.
INDEX_NAME = re.compile(r"__index_level_\d+__|Unnamed: (\d+)")
NUMBERS = (int, float, np.integer, np.floating, np.bool_, Decimal, Fraction)


def as_losses(column: Column, where: str, name: str | None = None) -> FloatArray:
    """A column as numbers; an error names the row of the first cell that is not a number. A
    column with a name may be no model.
    """
    if np.ma.isMaskedArray(column) or column.dtype.kind == "c":
        return as_numbers(column, where)
    if column.dtype.kind in "iufb":
        return np.asarray(column, dtype=np.float64)
    cells = column.tolist()
    if column.dtype.kind in "mM":  # of some times this makes numbers
        cells = [str(time) for time in column]
    values = np.empty(column.size)
    for row, cell in enumerate(cells):
        try:
            values[row] = _as_number(cell)
        except (TypeError, ValueError, ArithmeticError):
            raise at_row(where, row, _why_no_number(cell, row, name)) from None
    return values


def _as_number(cell: Any) -> float:
    if not isinstance(cell, (str, *NUMBERS)):
        raise TypeError
    if isinstance(cell, str) and "_" in cell:  # only Python reads "1_234" as a number
        raise ValueError
    return float(cell)


def _why_no_number(cell: Any, row: int, name: str | None) -> str:
    """What was found in place of a number, and what to do."""
    if is_missing(cell):
        return "the cell is empty; fill it; models with fewer simulated points go into a long table"
    remedy = "correct it, or remove this point for all models"
    if "," in str(cell):
        remedy = "write decimals with a point"
    elif name is not None and row == 0:
        remedy = f"if the column is an id, {_leave_out(name)}"
    return f"expected a number; got {show(repr(str(cell)[:60]))}; {remedy}"


def as_text(cell: Any) -> str:
    """A cell as text. If some cells are empty, data frames turn whole numbers into
    floating-point numbers: 1.0 is called 1.
    """
    if is_missing(cell):
        return ""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


def finite(
    losses: FloatArray, rows: IntArray | slice, what: str, where: str, *, simulated: bool = False
) -> FloatArray:
    """Some losses of a column; an error names the row of the first one that is not finite."""
    sample = losses[rows]
    culprit = find_not_finite(sample, simulated=simulated)
    if culprit is not None:
        row = int(np.arange(losses.size)[rows][culprit.first])
        raise at_row(where, row, f"{what}: {culprit.found}; {culprit.remedy}")
    return sample


def check_names(names: Iterable[str], where: str) -> None:
    """Refuse the index of a data frame."""
    for name in names:
        match = INDEX_NAME.fullmatch(name)
        if match:
            found = f"column {name!r} is the index of a data frame"
            if match[1]:
                found = f"column {int(match[1]) + 1} has no name"
            raise ValueError(f"{where}: {found}; {_leave_out(name)} (pandas: index=False)")


def check_values(
    observed: Mapping[str, FloatArray], synthetic: Mapping[str, FloatArray], where: str
) -> None:
    """Refuse columns that cannot be losses, and warn about those that hardly are."""
    same = []
    whole = []
    for name, column in observed.items():
        if column.size < FEW_ROWS:
            return
        if is_running_number(column):
            raise ValueError(
                f"{where}: column {show(name)!r} is a running number; {_leave_out(name)}"
            )
        if name in synthetic and np.ptp(column) > 0 and _same(column, synthetic[name]):
            same.append(name)
        if is_whole(column):
            whole.append(name)
    if 0 < len(same) < len(observed):
        raise ValueError(
            f"{where}: column {show(same[0])!r} is the same in the observed and the "
            f"synthetic table; {_leave_out(same[0])}"
        )
    if len(whole) < len(observed):
        for name in whole[:MANY_NAMES]:
            warn(
                f"{where}: column {show(name)!r} holds whole numbers only, unlike the others; "
                f"if it is an id or a fold, {_leave_out(name)}"
            )


def _same(column: FloatArray, other: FloatArray) -> bool:
    beginning = np.array_equal(column[:FEW_ROWS], other[:FEW_ROWS])
    return beginning and np.array_equal(column, other[: column.size])


def at_row(where: str, row: int, what: str) -> ValueError:
    """An error that names a row as an editor or a spreadsheet counts them, with the header
    in row 1.
    """
    return ValueError(f"{where}, row {row + 2}: {what}")


def _leave_out(name: str) -> str:
    word = show(name)
    quoted = f"'{word}'" if " " in word else word
    return (
        f"leave it out by ignore=[{word!r}] (--ignore {quoted}), align rows by it with "
        f"index={word!r} (--index {quoted}), or name the models by models=[...] (--models)"
    )
