"""Rows put into one order by an index column, to pair the losses of the same point."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from rivals._checks import is_missing, show
from rivals._types import IntArray
from rivals.read.columns import Column
from rivals.read.selection import listed

# Messages count rows as an editor or a spreadsheet does: the header is row 1.
FIRST_ROW = 2


def index_of(columns: Mapping[str, Column], index: str, where: str) -> list[str]:
    """The cells of the index column as text; empty cells stay empty."""
    if index not in columns:
        raise ValueError(f"index: {where} has no column {show(index)!r}; it has {listed(columns)}")
    return [label(cell) for cell in columns[index].tolist()]


def label(cell: Any) -> str:
    """A cell as text. If some cells are empty, data frames turn whole numbers into floating-point numbers: 1.0 is called 1."""
    if is_missing(cell):
        return ""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell).strip()


def places_of(points: list[str], rows: Iterable[int], where: str) -> dict[str, int]:
    """Point → its place in these rows, which set the order."""
    places: dict[str, int] = {}
    for row in rows:
        _check_new(points[row], places, row, where)
        places[points[row]] = len(places)
    return places


def in_order(points: list[str], rows: IntArray, places: Mapping[str, int], where: str, reference: str) -> IntArray:
    """These rows in the order of the reference, if they are of the same points, each once."""
    there: dict[str, int] = {}
    for row in rows.tolist():
        _check_new(points[row], there, row, where)
        if points[row] not in places:
            raise ValueError(
                f"{where}, row {row + FIRST_ROW}: the point {show(points[row])!r} is not among those of {reference}; all must have the same points"
            )
        there[points[row]] = row
    for point in places:
        if point not in there:
            raise ValueError(
                f"{where}: no row for the point {show(point)!r} of {reference}; all must have the same points"
            )
    return np.array([there[point] for point in places], dtype=np.intp)


def _check_new(point: str, before: Mapping[str, int], row: int, where: str) -> None:
    if not point:
        raise ValueError(f"{where}, row {row + FIRST_ROW}: the cell of the index is empty; name the point")
    if point in before:
        raise ValueError(
            f"{where}, row {row + FIRST_ROW}: the point {show(point)!r} occurs twice; an index names each point once"
        )
