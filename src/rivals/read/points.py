"""The points that rows of a table belong to: their order, by an index, and their labels."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any, TypeVar

import numpy as np

from rivals._say.labels import is_missing_label
from rivals._say.words import show
from rivals._types import IntArray
from rivals.read.cells import as_text, at_row
from rivals.read.columns import Column
from rivals.read.selection import Selection, check_there

Key = TypeVar("Key", bound=Hashable)


def rows_by(keys: Iterable[Key]) -> dict[Key, IntArray]:
    """The rows of each key, in the order of first appearance.

    An array of names would take the memory of the longest in every row.

    Examples
    --------
    >>> rows_by(["B", "A", "B"])
    {'B': array([0, 2]), 'A': array([1])}
    """
    numbers: dict[Key, int] = {}
    codes = np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.intp)
    ends = np.cumsum(np.bincount(codes, minlength=len(numbers)))
    rows = np.split(np.argsort(codes, kind="stable"), ends[:-1])
    return dict(zip(numbers, rows, strict=False))


def index_of(columns: Mapping[str, Column], index: str, where: str) -> list[str]:
    """The cells of the index column as text; empty cells stay empty."""
    check_there("index", index, columns, where)
    return [as_text(cell) for cell in columns[index].tolist()]


def by_point(points: list[str], rows: Iterable[int], where: str) -> dict[str, int]:
    """Point → its row among these: an index names each point once."""
    found: dict[str, int] = {}
    for row in rows:
        point = points[row]
        if not point:
            raise at_row(where, row, "the cell of the index is empty; name the point")
        if point in found:
            twice = f"the point {show(point)!r} occurs twice; an index names each point once"
            raise at_row(where, row, twice)
        found[point] = row
    return found


def in_order(
    own: Mapping[str, int], reference: Mapping[str, int], where: str, whose: str
) -> IntArray:
    """These rows in the order of the reference, if they are of the same points."""
    for point, row in own.items():
        if point not in reference:
            found = (
                f"the point {show(point)!r} is not among those of {whose}; all must have the "
                "same points"
            )
            raise at_row(where, row, found)
    for point in reference:
        if point not in own:
            raise ValueError(
                f"{where}: no row for the point {show(point)!r} of {whose}; all must have the "
                "same points"
            )
    return np.array([own[point] for point in reference], dtype=np.intp)


def labels_of_points(
    where: str, columns: Mapping[str, Column], selection: Selection, rows: Mapping[str, IntArray]
) -> dict[str, list[Any]]:
    """Option → the label of each observed point, in the column that it names.

    `rows` are those of the observed losses of each model. Labels are the same for all models,
    and none is missing.
    """
    labels: dict[str, list[Any]] = {}
    for option, column in selection.labels.items():
        check_there(option, column, columns, where)
        cells = [cell.strip() if isinstance(cell, str) else cell for cell in columns[column]]
        for name, own in rows.items():
            found = [cells[row] for row in own.tolist()]
            missing = own[[is_missing_label(label) for label in found]]  # and cannot be compared
            if missing.size:
                first = int(missing[0])
                empty = (
                    f"{_without_label(cells[first])}, as are {missing.size} of {own.size}; say to "
                    f"which of the {option} each point belongs"
                )
                raise at_row(f"{where}, column {show(column)!r}", first, empty)
            if found != labels.setdefault(option, found):
                raise ValueError(
                    f"{where}: the {option} of model {show(name)!r} are not those of "
                    f"{show(next(iter(rows)))!r}; list the observed points of all models in the "
                    "same order, or name the points in a column and pass index (--index)"
                )
    return labels


def _without_label(cell: Any) -> str:
    """What was found in place of a label."""
    if isinstance(cell, str) and cell:
        return f"{show(cell)!r} is a missing label"
    return "the cell is empty"
