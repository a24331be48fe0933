"""Tables of losses: long (model, kind, loss) or wide pairs (one column per model), of one simulation or of several."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._checks import check_losses, show, warn
from rivals._types import FloatArray, IntArray
from rivals.losses import Losses
from rivals.read.alignment import FIRST_ROW, in_order, index_of, label, places_of
from rivals.read.columns import Column, columns_of, is_missing, numbers
from rivals.read.selection import Selection, listed, no_numbers
from rivals.read.swapped import look_swapped

LONG = ("model", "kind", "loss")
SIMULATION = "simulation"  # the optional column that tells simulations apart
LABELS = ("model", "kind", SIMULATION)
KINDS = ("observed", "synthetic")


def long_table(
    table: Any, *, models: Iterable[str] | None = None, index: str | None = None, log_likelihood: bool = False
) -> dict[str, Losses]:
    """Losses from a table with one loss per row: columns `model`, `kind` (observed or synthetic) and `loss`.

    Parameters
    ----------
    table : path, data frame or mapping
        A file (.csv, .csv.gz, .tsv, .parquet, .feather, .xlsx), a data frame (pandas, polars, also lazy, pyarrow, and
        others that narwhals supports), or a mapping of columns. With several
        simulations a column `simulation` says which one a synthetic loss belongs to, by a number or a name; for
        observed losses it is ignored, and so are columns of other names. Law "groups" needs no synthetic losses.
    models : iterable of str, optional
        The models to read; all by default.
    index : str, optional
        The column that names the data points. The rows of every model, and of every simulation whose cells in it are
        not empty, are put into the order of the observed rows of the first model; they must be of the same points.
    log_likelihood : bool
        Whether the table holds log likelihoods (higher is better); losses are their negatives.

    Returns
    -------
    dict
        Name → `Losses`, in the order in which the models first appear; simulations likewise.

    Examples
    --------
    >>> table = {"model": ["A"] * 4, "kind": ["observed", "observed", "synthetic", "synthetic"], "loss": [1.0, 2.0, 1.5, 1.0]}
    >>> long_table(table)
    {'A': Losses(2 observed, 2 synthetic, empirical risk 1.5)}
    """
    return losses_from_columns(
        *columns_of(table, labels_of(index)),
        Selection.checked(models, ()),
        index=index,
        log_likelihood=log_likelihood,
    )


def labels_of(*columns: str | None) -> set[str]:
    """The columns that are always text: names, and those that the user names."""
    return {*LABELS, *(name for name in columns if name is not None)}


def losses_from_columns(
    where: str,
    columns: Mapping[str, Column],
    selection: Selection,
    *,
    index: str | None = None,
    log_likelihood: bool = False,
    otherwise: str = "",
) -> dict[str, Losses]:
    """Losses from the columns of a long table; `otherwise` says what to do if it is not one."""
    absent = [name for name in LONG if name not in columns]
    if absent:
        raise ValueError(
            f"{where}: no column {', '.join(map(repr, absent))}; a long table needs {', '.join(LONG)}, and this one has "
            f"{listed(columns)}{otherwise}"
        )
    rows = rows_of(where, columns, selection, index)
    loss = numbers(columns["loss"], f"{where}, column 'loss'", first_row=FIRST_ROW)
    loss = -loss if log_likelihood else loss
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
    where: str, columns: Mapping[str, Column], selection: Selection, index: str | None = None
) -> dict[str, tuple[IntArray, dict[str, IntArray]]]:
    """Model → the rows of its observed losses, and those of each simulation: of the same points, where an index names them."""
    lengths = {name: len(columns[name]) for name in (*LONG, SIMULATION, index or SIMULATION) if name in columns}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"{where}: columns of a table must have the same length; got {lengths}")
    simulated = np.array(
        [_kind(cell, where, row) for row, cell in enumerate(columns["kind"], start=FIRST_ROW)], dtype=bool
    )
    models, names = _coded(_models(columns["model"], where))
    chosen = selection.of(names, where)
    by_model = dict(zip(names, _split(models, len(names)), strict=True))
    labels = _simulations(columns.get(SIMULATION), simulated, where)
    observed = {name: by_model[name][~simulated[by_model[name]]] for name in chosen}
    synthetic = {name: _by_label(by_model[name][simulated[by_model[name]]], labels) for name in chosen}
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


def wide_tables(
    observed: Any,
    synthetic: Any,
    *,
    models: Iterable[str] | None = None,
    ignore: Iterable[str] = (),
    index: str | None = None,
    log_likelihood: bool = False,
) -> dict[str, Losses]:
    """Losses from two tables with one column per model, the same models in both.

    Parameters
    ----------
    observed, synthetic : path, data frame or mapping
        Losses on held-out data, and on the model's own simulations: files (.csv, .csv.gz, .tsv, .parquet, .feather,
        .xlsx), data frames (pandas, polars, also lazy, pyarrow, and others that narwhals supports), or mappings of columns.
        With several simulations a column `simulation` of the synthetic table says which one a row belongs to, by a
        number or a name; each has the same number of rows.
    models : iterable of str, optional
        The columns that are models; all by default, and then a column that looks like an index is refused.
    ignore : iterable of str
        Columns to leave out, such as an id or a fold.
    index : str, optional
        The column of both tables that names the data points. The rows of every simulation are put into the order of the
        observed ones; they must be of the same points.
    log_likelihood : bool
        Whether the table holds log likelihoods (higher is better); losses are their negatives.

    Returns
    -------
    dict
        Name → `Losses`, in the order of the columns of `observed`.

    Examples
    --------
    >>> wide_tables({"A": [1.0, 2.0], "B": [2.0, 2.5]}, {"A": [1.5, 1.0], "B": [2.2, 2.1]})["B"]
    Losses(2 observed, 2 synthetic, empirical risk 2.25)
    """
    labels = labels_of(index)
    return losses_from_wide(
        columns_of(observed, labels),
        columns_of(synthetic, labels),
        Selection.checked(models, ignore),
        index=index,
        log_likelihood=log_likelihood,
    )


def losses_from_wide(
    observed: tuple[str, Mapping[str, Column]],
    synthetic: tuple[str, Mapping[str, Column]],
    selection: Selection,
    *,
    index: str | None = None,
    log_likelihood: bool = False,
) -> dict[str, Losses]:
    """Losses from the columns of two wide tables, each with its name for messages."""
    (where, first), (where_too, second) = observed, synthetic
    # A model may be called "simulation" if both tables have it.
    several = SIMULATION in second and SIMULATION not in first
    labels = _simulations(second[SIMULATION], None, where_too) if several else None
    simulations = _by_label(np.arange(max(map(len, second.values()), default=0)), labels)
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
    points = {
        name: numbers(first[name], f"{where}, column {show(name)!r}", first_row=FIRST_ROW, otherwise=no_numbers(name))
        for name in names
    }
    simulated = {
        name: numbers(second[name], f"{where_too}, column {show(name)!r}", first_row=FIRST_ROW) for name in names
    }
    selection.check_values(points, simulated, where)
    if look_swapped(points, simulated):
        warn(
            f"{where} and {where_too} look swapped: losses on the same held-out points are correlated, but here only the synthetic ones "
            "are; the observed table comes first"
        )
    sign = -1.0 if log_likelihood else 1.0
    losses = {}
    for name in names:
        observations, own = sign * points[name], sign * simulated[name]
        check_finite(observations, "observed losses", f"{where}, column {show(name)!r}")
        check_finite(own, "synthetic losses", f"{where_too}, column {show(name)!r}")
        if labels is not None or index is not None:
            _check_rows(own, second, where_too, name)
            own = by_simulation(
                {label: own[rows] for label, rows in simulations.items()}, f"{where_too}, column {show(name)!r}"
            )
        losses[name] = make_losses(name, observations, own, where)
    return losses


def _check_rows(column: FloatArray, columns: Mapping[str, Column], where: str, name: str) -> None:
    for other, labels in columns.items():
        if len(labels) != column.size:
            raise ValueError(
                f"{where}: column {show(name)!r} has {column.size} rows, but {show(other)!r} has {len(labels)}; columns of a table "
                "must have the same length"
            )


def _aligned(
    observed: tuple[str, Mapping[str, Column]],
    synthetic: tuple[str, Mapping[str, Column]],
    simulations: dict[str, IntArray],
    index: str,
) -> dict[str, IntArray]:
    """The rows of each simulation in the order of the observed points."""
    (where, first), (where_too, second) = observed, synthetic
    points = index_of(first, index, where)
    places = places_of(points, range(len(points)), f"{where}, column {show(index)!r}")
    others = index_of(second, index, where_too)
    return {
        simulation: in_order(others, rows, places, f"{where_too}, column {show(index)!r}", where)
        for simulation, rows in simulations.items()
    }


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


def _simulations(column: Column | None, needed: Any, where: str) -> list[str] | None:
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


def _by_label(rows: IntArray, labels: list[str] | None) -> dict[str, IntArray]:
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
