"""Long tables of losses: one loss per row, with its model, its kind and its simulation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import repeat
from typing import Any

import numpy as np

from rivals._say.labels import check_alike, is_missing
from rivals._say.words import listed, show
from rivals._types import IntArray
from rivals.read.cells import as_losses, as_text, at_row, finite
from rivals.read.columns import Column, columns_of
from rivals.read.points import by_point, in_order, index_of, labels_of_points, rows_by
from rivals.read.selection import SIMULATION, Selection
from rivals.read.two_samples import KINDS, Found, make_losses, stacked
from rivals.read.wide_format import NO_SIMULATION, losses_by_column

LONG = ("model", "kind", "loss")

# Of a model: kind → simulation → rows. Observed losses have one simulation, called "".
Rows = dict[str, dict[str, IntArray]]


def read_long(table: Any, selection: Selection) -> Found:
    """A long table. If it is a wide one, and the replications of its points are named, that is
    enough.
    """
    where, columns = columns_of(table, selection.text)
    absent = [name for name in LONG if name not in columns]
    if absent:
        _check_is_wide(where, columns, absent, selection)
        return losses_by_column([(where, columns)], selection)

    rows = _rows_of_models(where, columns, selection)
    loss = selection.signed(as_losses(columns["loss"], f"{where}, column 'loss'"))
    losses = {}
    observed = {}
    for name, kinds in rows.items():
        place = f"{where}, model {show(name)!r}"
        observed[name] = kinds["observed"].get("", np.empty(0, dtype=np.intp))
        points = finite(loss, observed[name], "observed losses", place)
        synthetic = stacked(loss, kinds["synthetic"], place)
        losses[name] = make_losses(name, points, synthetic, where)
    return losses, labels_of_points(where, columns, selection, observed)


def _check_is_wide(
    where: str, columns: Mapping[str, Column], absent: list[str], selection: Selection
) -> None:
    """A table without the columns of a long one may be wide: then it names its replications."""
    missing = ", ".join(map(repr, absent))
    beside = {*selection.ignore, *selection.labels.values(), selection.index}
    with_text = [name for name, column in columns.items() if column.dtype.kind in "OUST"]
    text = [name for name in with_text if name not in beside]
    if "loss" in columns and text:
        raise ValueError(
            f"{where}: no column {missing}, but one called 'loss', and text in {listed(text)}; a "
            "long table has the columns model (its name), kind (observed or synthetic) and loss: "
            "rename or add what is missing"
        )
    if not selection.labels:
        raise ValueError(
            f"{where}: no column {missing}; a long table needs {', '.join(LONG)}, and this one "
            f"has {listed(list(columns))}; if it has one column per model, give a second file "
            "with the synthetic losses in the same columns (wide_tables), or name the column of "
            "the replications (groups), which need none"
        )


def _rows_of_models(
    where: str, columns: Mapping[str, Column], selection: Selection
) -> dict[str, Rows]:
    """The rows of each model: of the same points in the same order, where an index names them."""
    found: dict[str, Rows] = {}
    for (model, kind, simulation), rows in rows_by(_keys(where, columns)).items():
        of_model = found.setdefault(model, {each: {} for each in KINDS})
        of_model[kind][simulation] = rows
    named = {simulation for kinds in found.values() for simulation in kinds["synthetic"]}
    check_alike(sorted(named), f"{where}, column {SIMULATION!r}")
    selected = {name: found[name] for name in selection.of(found, where)}
    if selection.index is None:
        return selected

    points = index_of(columns, selection.index, where)
    whose = f"the observed losses of {show(next(iter(selected), ''))!r}"
    reference: dict[str, int] = {}

    def in_order_of_points(name: str, kind: str, rows: IntArray) -> IntArray:
        nonlocal reference
        named = any(points[row] for row in rows.tolist())
        if kind == "synthetic" and not named:
            return rows  # a simulation of other points
        place = f"{where}, column {show(selection.index)!r}, model {show(name)!r}, {kind}"
        own = by_point(points, rows.tolist(), place)
        reference = reference or own
        return in_order(own, reference, place, whose)

    ordered: dict[str, Rows] = {}
    for name, kinds in selected.items():
        ordered[name] = {}
        for kind in KINDS:
            ordered[name][kind] = {
                simulation: in_order_of_points(name, kind, rows)
                for simulation, rows in kinds[kind].items()
            }
    return ordered


def _keys(where: str, columns: Mapping[str, Column]) -> Iterator[tuple[str, str, str]]:
    """The model, the kind and the simulation of each row; that of observed losses is ignored."""
    written: dict[str, Any] = {}
    simulations = columns[SIMULATION].tolist() if SIMULATION in columns else repeat("1")
    cells = zip(columns["model"].tolist(), columns["kind"], simulations, strict=False)
    for row, (model, kind_cell, simulation) in enumerate(cells):
        name = str(model).strip()
        if is_missing(model):
            empty = "the name of the model is empty; fill it in"
            raise at_row(f"{where}, column 'model'", row, empty)
        if written.setdefault(name, model) != model:
            # 1 and "1", or "A" and "A ", would be the same.
            found = (
                f"{show(repr(model))} is written {show(repr(written[name]))} elsewhere; use one "
                "of the two"
            )
            raise at_row(f"{where}, column 'model'", row, found)
        kind = str(kind_cell).strip().lower()
        if kind not in KINDS:
            found = f"expected observed or synthetic; got {show(repr(str(kind_cell)[:60]))}"
            raise at_row(f"{where}, column 'kind'", row, found)
        label = ""
        if kind == "synthetic":
            label = as_text(simulation)
            if not label:
                raise at_row(f"{where}, column {SIMULATION!r}", row, NO_SIMULATION)
        yield name, kind, label
