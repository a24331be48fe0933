"""Columns of long tables (model, kind, loss) as losses, of one simulation or of several; and what all tables share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._checks import check_losses, is_missing, show
from rivals._types import FloatArray, IntArray
from rivals.losses import Losses
from rivals.read.alignment import FIRST_ROW, in_order, index_of, label, places_of
from rivals.read.columns import Column, numbers
from rivals.read.selection import Selection, listed

LONG = ("model", "kind", "loss")
SIMULATION = "simulation"  # the optional column that tells simulations apart
KINDS = ("observed", "synthetic")


def losses_from_columns(
    where: str, columns: Mapping[str, Column], selection: Selection, otherwise: str = ""
) -> dict[str, Losses]:
    """Losses from the columns of a long table; `otherwise` says what to do if it is not one."""
    absent = [name for name in LONG if name not in columns]
    if absent:
        raise ValueError(
            f"{where}: no column {', '.join(map(repr, absent))}; a long table needs {', '.join(LONG)}, and this one has "
            f"{listed(columns)}{otherwise}"
        )
    rows = rows_of(where, columns, selection)
    loss = selection.signed(numbers(columns["loss"], f"{where}, column 'loss'", first_row=FIRST_ROW))
    losses = {}
    for name, (observed, simulations) in rows.items():
        place = f"{where}, model {show(name)!r}"
        for kind, own in (("observed", [observed]), ("synthetic", list(simulations.values()))):
            for part in own:
                check_finite(loss[part], f"{kind} losses", place, part)
        synthetic = by_simulation({label: loss[part] for label, part in simulations.items()}, place)
        losses[name] = make_losses(name, loss[observed], synthetic, where)
    return check_equally_many(losses, where)


def rows_of(
    where: str, columns: Mapping[str, Column], selection: Selection
) -> dict[str, tuple[IntArray, dict[str, IntArray]]]:
    """Model → the rows of its observed losses, and those of each simulation: of the same points, where an index names them."""
    index = selection.index
    lengths = {name: len(columns[name]) for name in (*LONG, SIMULATION, index or SIMULATION) if name in columns}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"{where}: columns of a table must have the same length; got {lengths}")
    simulated = np.array(
        [_kind(cell, where, row) for row, cell in enumerate(columns["kind"], start=FIRST_ROW)], dtype=bool
    )
    models, names = _coded(_models(columns["model"], where))
    chosen = selection.of(names, where)
    by_model = dict(zip(names, _split(models, len(names)), strict=True))
    labels = simulations_of(columns.get(SIMULATION), simulated, where)
    observed = {name: by_model[name][~simulated[by_model[name]]] for name in chosen}
    synthetic = {name: rows_by_label(by_model[name][simulated[by_model[name]]], labels) for name in chosen}
    if index is None or not chosen:
        return {name: (observed[name], synthetic[name]) for name in chosen}
    points = index_of(columns, index, where)
    reference = f"the observed losses of {show(chosen[0])!r}"
    places = places_of(
        points, observed[chosen[0]].tolist(), f"{where}, column {show(index)!r}, model {show(chosen[0])!r}"
    )
    aligned = {}
    for name in chosen:
        place = f"{where}, column {show(index)!r}, model {show(name)!r}"
        own = in_order(points, observed[name], places, f"{place}, observed", reference)
        aligned[name] = (
            own,
            {
                simulation: in_order(points, part, places, f"{place}, synthetic", reference)
                if any(points[row] for row in part.tolist())
                else part
                for simulation, part in synthetic[name].items()
            },
        )
    return aligned


def check_finite(losses: FloatArray, what: str, where: str, rows: IntArray | None = None) -> None:
    """Refuse values that are not finite, and name the row of the first one in the table, of which these may be some rows."""
    if np.isfinite(losses).all():
        return
    for bad in (np.isnan(losses), losses == np.inf, losses == -np.inf):
        if np.any(bad):
            first = int(np.argmax(bad))
            try:
                check_losses(losses, what)
            except ValueError as error:
                raise ValueError(
                    f"{where}, row {(first if rows is None else int(rows[first])) + FIRST_ROW}: {error}"
                ) from None


def by_simulation(parts: Mapping[str, FloatArray], where: str) -> FloatArray:
    """Synthetic losses as a matrix, one row per simulation; one alone as a vector."""
    samples = list(parts.values())
    if len(samples) < 2:
        return samples[0] if samples else np.empty(0)
    first = next(iter(parts))
    for name, part in parts.items():
        if part.size != parts[first].size:
            raise ValueError(
                f"{where}: simulation {show(name)!r} has {part.size} losses, but simulation {show(first)!r} has {parts[first].size}; "
                "all simulations of a model must have the same number of points"
            )
    return np.stack(samples)


def check_equally_many(losses: dict[str, Losses], where: str) -> dict[str, Losses]:
    """The losses, if all models have the same number of simulations."""
    first = next(iter(losses), "")
    for name in losses:
        if losses[name].n_simulations != losses[first].n_simulations:
            raise ValueError(
                f"{where}: model {show(name)!r} has {losses[name].n_simulations} simulation(s), but model {show(first)!r} has "
                f"{losses[first].n_simulations}; give all models the same number"
            )
    return losses


def make_losses(name: str, observed: npt.NDArray[Any], synthetic: npt.NDArray[Any], where: str) -> Losses:
    """Losses of one model, without simulations if there are no synthetic losses; errors name the model."""
    try:
        return Losses(observed, synthetic) if synthetic.size else Losses(observed)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{where}, model {show(name)!r}: {error}") from None


def simulations_of(column: Column | None, needed: Any, where: str) -> list[str] | None:
    """The simulation that each row belongs to, as text; it must not be empty where it is needed."""
    if column is None:
        return None
    labels = [label(cell) for cell in column.tolist()]
    for index, name in enumerate(labels):
        if not name and (needed is None or needed[index]):
            raise ValueError(
                f"{where}, column {SIMULATION!r}, row {index + FIRST_ROW}: the cell is empty; say which simulation this loss belongs to"
            )
    return labels


def rows_by_label(rows: IntArray, labels: list[str] | None) -> dict[str, IntArray]:
    """The rows of each simulation, in the order of first appearance; all rows, if there are no labels."""
    if not rows.size:
        return {}
    if labels is None:
        return {"": rows}
    codes, names = _coded(labels[row] for row in rows.tolist())
    return {name: rows[part] for name, part in zip(names, _split(codes, len(names)), strict=True)}


def _coded(names: Iterable[str]) -> tuple[IntArray, list[str]]:
    """A number for each name. An array of names would take the memory of the longest name in every row."""
    numbers: dict[str, int] = {}
    codes = np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.intp)
    return codes, list(numbers)


def _split(codes: IntArray, n: int) -> list[IntArray]:
    """Where each of the first n whole numbers stands."""
    ends = np.cumsum(np.bincount(codes, minlength=n))
    return np.split(np.argsort(codes, kind="stable"), ends[:-1]) if n else []


def _kind(cell: Any, where: str, row: int) -> bool:
    """Whether a loss is synthetic."""
    kind = str(cell).strip().lower()
    if kind not in KINDS:
        raise ValueError(
            f"{where}, column 'kind', row {row}: expected observed or synthetic; got {show(repr(str(cell)[:60]))}"
        )
    return kind == "synthetic"


def _models(column: Column, where: str) -> Iterator[str]:
    """The model of each row; 1 and "1" would be the same."""
    is_text: dict[str, bool] = {}
    for row, cell in enumerate(column.tolist(), start=FIRST_ROW):
        if is_missing(cell):
            raise ValueError(f"{where}, column 'model', row {row}: the name of the model is empty; fill it in")
        name = str(cell).strip()
        if is_text.setdefault(name, isinstance(cell, str)) != isinstance(cell, str):
            raise ValueError(
                f"{where}, column 'model', row {row}: {show(name)!r} is a number here and text elsewhere; use one of the two"
            )
        yield name
