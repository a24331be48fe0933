"""Wide tables of losses: one column per model, and a table for each kind of losses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rivals._say.labels import check_alike
from rivals._say.words import show
from rivals._types import FloatArray, IntArray
from rivals.read.cells import as_losses, as_text, at_row, check_names, check_values, finite
from rivals.read.columns import Column, columns_of
from rivals.read.points import by_point, in_order, index_of, labels_of_points, rows_by
from rivals.read.selection import SIMULATION, Selection
from rivals.read.two_samples import Found, make_losses, stacked

Table = tuple[str, dict[str, Column]]  # its name for messages, and its columns

NO_SIMULATION = "the cell is empty; say which simulation this loss belongs to"


def read_wide(observed: Any, synthetic: Any, selection: Selection) -> Found:
    """One wide table or two."""
    tables = [columns_of(observed, selection.text)]
    if synthetic is not None:
        tables.append(columns_of(synthetic, selection.text))
    return losses_by_column(tables, selection)


def losses_by_column(tables: list[Table], selection: Selection) -> Found:
    """Losses from the columns of wide tables: the observed one, and mostly a synthetic one."""
    where, first = tables[0]
    where_too, second = tables[-1]
    # A model may be called "simulation" if both tables have it.
    several = SIMULATION in second and SIMULATION not in first
    simulations = _simulations(tables, selection.index, several=several)
    n_points = len(next(iter(first.values()), ()))
    labels = labels_of_points(where, first, selection, {"": np.arange(n_points)})

    beside = {selection.index, *selection.labels.values()}
    if several:
        beside.add(SIMULATION)
    names = _names(tables, selection, beside)
    values = [_values(table, names) for table in tables]
    if selection.models is None:
        check_values(values[0], values[1] if len(values) > 1 else {}, where)

    losses = {}
    for name in names:
        column = f"column {show(name)!r}"
        observed = selection.signed(values[0][name])
        points = finite(observed, slice(None), "observed losses", f"{where}, {column}")
        simulated = selection.signed(values[-1][name])
        synthetic = stacked(simulated, simulations, f"{where_too}, {column}")
        losses[name] = make_losses(name, points, synthetic, where)
    return losses, labels


def _names(tables: list[Table], selection: Selection, beside: set[str | None]) -> list[str]:
    """The columns that are models, the same in all tables."""
    there = [name for _, columns in tables for name in columns if name not in beside]
    names = selection.of(there, ", ".join(where for where, _ in tables))
    if selection.models is None:
        check_names(names, tables[0][0])
    for name in names:
        for (where, columns), (other, _) in zip(tables, reversed(tables), strict=True):
            if name not in columns:
                raise ValueError(
                    f"model {show(name)!r} has a column in {other}, but none in {where}; "
                    "observed and synthetic tables must have the same columns, but for those "
                    "that are left out (--ignore); or are the tables swapped?"
                )
    return names


def _values(table: Table, names: list[str]) -> dict[str, FloatArray]:
    where, columns = table
    return {
        name: as_losses(columns[name], f"{where}, column {show(name)!r}", name) for name in names
    }


def _simulations(
    tables: list[Table], index: str | None, *, several: bool
) -> Mapping[str, IntArray | slice]:
    """The rows of each simulation in the synthetic table, in the order of the observed points
    where an index names them.
    """
    points: list[list[str]] = []
    if index is not None:
        points = [index_of(columns, index, where) for where, columns in tables]
    if len(tables) < 2:
        return {}
    (where, _), (where_too, second) = tables
    simulations: Mapping[str, IntArray | slice] = {"": slice(None)}
    if several:
        labels = [as_text(cell) for cell in second[SIMULATION].tolist()]
        if "" in labels:
            raise at_row(f"{where_too}, column {SIMULATION!r}", labels.index(""), NO_SIMULATION)
        simulations = rows_by(labels)
        check_alike(simulations, f"{where_too}, column {SIMULATION!r}")
    if not points:
        return simulations

    observed, simulated = points
    reference = by_point(observed, range(len(observed)), f"{where}, column {show(index)!r}")
    place = f"{where_too}, column {show(index)!r}"
    everything = np.arange(len(simulated))
    ordered = {}
    for label, rows in simulations.items():
        own = by_point(simulated, everything[rows].tolist(), place)
        ordered[label] = in_order(own, reference, place, where)
    return ordered
