"""Columns of wide tables, one per model, as losses: of an observed table, and mostly of a synthetic one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from rivals._checks import show
from rivals._types import FloatArray, IntArray
from rivals.losses import Losses
from rivals.read.alignment import FIRST_ROW, in_order, index_of, places_of
from rivals.read.columns import Column, numbers
from rivals.read.loss_tables import (
    SIMULATION,
    by_simulation,
    check_finite,
    make_losses,
    rows_by_label,
    simulations_of,
)
from rivals.read.selection import Selection, no_numbers

# Its name for messages, and its columns.
Table = tuple[str, Mapping[str, Column]]


def losses_from_wide(observed: Table, synthetic: Table, selection: Selection) -> dict[str, Losses]:
    """Losses from the columns of two wide tables, each with its name for messages."""
    (where, first), (where_too, second) = observed, synthetic
    index = selection.index
    # A model may be called "simulation" if both tables have it.
    several = SIMULATION in second and SIMULATION not in first
    labels = simulations_of(second[SIMULATION], None, where_too) if several else None
    simulations = rows_by_label(np.arange(max(map(len, second.values()), default=0)), labels)
    if index is not None:
        simulations = _aligned(observed, synthetic, simulations, index)
    beside = {index, SIMULATION if several else None}
    names = selection.of((name for name in (*first, *second) if name not in beside), f"{where}, {where_too}")
    selection.check_names(names, where)
    for name in names:
        if name not in first or name not in second:
            raise ValueError(
                f"model {show(name)!r} has a column in {where if name in first else where_too}, but none in "
                f"{where_too if name in first else where}; observed and synthetic tables must have the same columns, but for those "
                "that are left out (--ignore)"
                + ("; or are the tables swapped?" if name == SIMULATION and name in first else "")
            )
    points, simulated = _numbers(first, names, where), _numbers(second, names, where_too)
    selection.check_values(points, simulated, where)
    losses = {}
    for name in names:
        observations, own = selection.signed(points[name]), selection.signed(simulated[name])
        check_finite(observations, "observed losses", f"{where}, column {show(name)!r}")
        check_finite(own, "synthetic losses", f"{where_too}, column {show(name)!r}")
        if labels is not None or index is not None:
            _check_rows(own, second, where_too, name)
            own = by_simulation(
                {label: own[rows] for label, rows in simulations.items()}, f"{where_too}, column {show(name)!r}"
            )
        losses[name] = make_losses(name, observations, own, where)
    return losses


def losses_from_observed(observed: Table, selection: Selection) -> dict[str, Losses]:
    """Losses from one wide table, for laws that need no simulations; it keeps its order."""
    where, columns = observed
    if selection.index is not None:
        index_of(columns, selection.index, where)
    names = selection.of((name for name in columns if name != selection.index), where)
    selection.check_names(names, where)
    points = _numbers(columns, names, where)
    selection.check_values(points, {}, where)
    losses = {name: selection.signed(points[name]) for name in names}
    for name in names:
        check_finite(losses[name], "observed losses", f"{where}, column {show(name)!r}")
    return {name: make_losses(name, losses[name], np.empty(0), where) for name in names}


def _numbers(columns: Mapping[str, Column], names: Iterable[str], where: str) -> dict[str, FloatArray]:
    return {
        name: numbers(columns[name], f"{where}, column {show(name)!r}", first_row=FIRST_ROW, otherwise=no_numbers(name))
        for name in names
    }


def _check_rows(column: FloatArray, columns: Mapping[str, Column], where: str, name: str) -> None:
    for other, labels in columns.items():
        if len(labels) != column.size:
            raise ValueError(
                f"{where}: column {show(name)!r} has {column.size} rows, but {show(other)!r} has {len(labels)}; columns of a table "
                "must have the same length"
            )


def _aligned(observed: Table, synthetic: Table, simulations: dict[str, IntArray], index: str) -> dict[str, IntArray]:
    """The rows of each simulation in the order of the observed points."""
    (where, first), (where_too, second) = observed, synthetic
    points = index_of(first, index, where)
    places = places_of(points, range(len(points)), f"{where}, column {show(index)!r}")
    others = index_of(second, index, where_too)
    return {
        simulation: in_order(others, rows, places, f"{where_too}, column {show(index)!r}", where)
        for simulation, rows in simulations.items()
    }
