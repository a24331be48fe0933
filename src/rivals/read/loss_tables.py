"""Tables of losses: long (model, kind, loss) or wide pairs (one column per model), of one simulation or of several."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._checks import check_losses, show, warn
from rivals._types import BoolArray, FloatArray
from rivals.losses import Losses
from rivals.read.columns import Column, columns_of, numbers
from rivals.read.selection import Selection
from rivals.read.swapped import look_swapped

LONG = ("model", "kind", "loss")
SIMULATION = "simulation"  # the optional column that tells simulations apart
KINDS = ("observed", "synthetic")
# Messages count rows as an editor or a spreadsheet does: the header is row 1.
FIRST_ROW = 2


def long_table(table: Any, *, models: Iterable[str] | None = None, log_likelihood: bool = False) -> dict[str, Losses]:
    """Losses from a table with one loss per row: columns `model`, `kind` (observed or synthetic) and `loss`.

    Parameters
    ----------
    table : path, data frame or mapping
        A .csv, .tsv or .parquet file, a pandas, polars or pyarrow table, or a mapping of columns. With several
        simulations a column `simulation` says which one a synthetic loss belongs to, by a number or a name; for
        observed losses it is not looked at. Nor are columns of other names. A model without synthetic losses has none,
        which is enough for law "groups".
    models : iterable of str, optional
        The models to read; all by default.
    log_likelihood : bool
        Whether the table holds log likelihoods, higher is better; their signs are changed.

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
    return losses_from_columns(*columns_of(table), Selection.checked(models, ()), log_likelihood=log_likelihood)


def losses_from_columns(
    where: str,
    columns: Mapping[str, Column],
    selection: Selection,
    *,
    log_likelihood: bool = False,
    otherwise: str = "",
) -> dict[str, Losses]:
    """Losses from the columns of a long table; `otherwise` says what to do if it turns out to be none."""
    absent = [name for name in LONG if name not in columns]
    if absent:
        raise ValueError(
            f"{where}: no column {', '.join(map(repr, absent))}; a long table needs {', '.join(LONG)}, and this one has "
            f"{', '.join(show(name) for name in columns)}{otherwise}"
        )
    loss = numbers(columns["loss"], f"{where}, column 'loss'", first_row=FIRST_ROW)
    loss = -loss if log_likelihood else loss
    kind = np.array([_kind(cell, where, row) for row, cell in enumerate(columns["kind"], start=FIRST_ROW)])
    model = np.array([_model(cell, where, row) for row, cell in enumerate(columns["model"], start=FIRST_ROW)])
    simulated = kind == "synthetic"
    labels = _simulations(columns.get(SIMULATION), simulated, where)
    losses = {}
    for name in selection.of(model.tolist(), where):
        own = model == name
        for each in KINDS:
            check_finite(loss, f"{each} losses", f"{where}, model {show(name)!r}", own & (kind == each))
        synthetic = loss[own & simulated]
        if labels is not None:
            synthetic = by_simulation(synthetic, labels[own & simulated], f"{where}, model {show(name)!r}")
        losses[name] = make_losses(name, loss[own & (kind == "observed")], synthetic, where)
    return check_equally_many(losses, where)


def wide_tables(
    observed: Any,
    synthetic: Any,
    *,
    models: Iterable[str] | None = None,
    ignore: Iterable[str] = (),
    log_likelihood: bool = False,
) -> dict[str, Losses]:
    """Losses from two tables with one column per model, the same models in both.

    Parameters
    ----------
    observed, synthetic : path, data frame or mapping
        Losses on held-out data, and on the model's own simulations: .csv, .tsv or .parquet files, pandas, polars or
        pyarrow tables, or mappings of columns. With several simulations a column `simulation` of the synthetic table
        says which one a row belongs to, by a number or a name; each has equally many rows.
    models : iterable of str, optional
        The columns that are models; all by default, and then a column that looks like an index is refused.
    ignore : iterable of str
        Columns to leave out, such as an id or a fold.
    log_likelihood : bool
        Whether the table holds log likelihoods, higher is better; their signs are changed.

    Returns
    -------
    dict
        Name → `Losses`, in the order of the columns of `observed`.

    Examples
    --------
    >>> wide_tables({"A": [1.0, 2.0], "B": [2.0, 2.5]}, {"A": [1.5, 1.0], "B": [2.2, 2.1]})["B"]
    Losses(2 observed, 2 synthetic, empirical risk 2.25)
    """
    selection = Selection.checked(models, ignore)
    return losses_from_wide(columns_of(observed), columns_of(synthetic), selection, log_likelihood=log_likelihood)


def losses_from_wide(
    observed: tuple[str, Mapping[str, Column]],
    synthetic: tuple[str, Mapping[str, Column]],
    selection: Selection,
    *,
    log_likelihood: bool = False,
) -> dict[str, Losses]:
    """Losses from the columns of two wide tables, each with what to call it in messages."""
    (where, first), (where_too, second) = observed, synthetic
    # A model may be called "simulation" where both tables have it.
    several = SIMULATION in second and SIMULATION not in first
    labels = _simulations(second[SIMULATION], None, where_too) if several else None
    names = selection.of(
        (name for name in (*first, *second) if not (several and name == SIMULATION)), f"{where}, {where_too}"
    )
    selection.check_names(names, where)
    for name in names:
        if name not in first or name not in second:
            raise ValueError(
                f"model {show(name)!r} has a column in {where if name in first else where_too}, but none in "
                f"{where_too if name in first else where}; observed and synthetic tables must have the same columns, but for those "
                "that are left out (--ignore)"
                + ("; or are the tables swapped?" if name == SIMULATION and name in first else "")
            )
    points = {name: numbers(first[name], f"{where}, column {show(name)!r}", first_row=FIRST_ROW) for name in names}
    simulated = {
        name: numbers(second[name], f"{where_too}, column {show(name)!r}", first_row=FIRST_ROW) for name in names
    }
    selection.check_values(points, simulated, where)
    if look_swapped(points, simulated):
        warn(
            f"{where} and {where_too} look swapped: losses on the same held-out points go together, and here the synthetic ones do, "
            "but the observed ones do not; the observed table comes first"
        )
    sign = -1.0 if log_likelihood else 1.0
    losses = {}
    for name in names:
        observations, own = sign * points[name], sign * simulated[name]
        check_finite(observations, "observed losses", f"{where}, column {show(name)!r}")
        check_finite(own, "synthetic losses", f"{where_too}, column {show(name)!r}")
        if labels is not None:
            own = by_simulation(own, labels, f"{where_too}, column {show(name)!r}")
        losses[name] = make_losses(name, observations, own, where)
    return losses


def check_finite(losses: FloatArray, what: str, where: str, rows: BoolArray | None = None) -> None:
    """Refuse what is not finite in these rows, or in all of them, and say in which row of the table the first one is."""
    counted = np.ones(losses.shape, dtype=bool) if rows is None else rows
    for bad in (np.isnan(losses), losses == np.inf, losses == -np.inf):
        if np.any(bad & counted):
            row = int(np.argmax(bad & counted)) + FIRST_ROW
            try:
                check_losses(losses[counted], what)
            except ValueError as error:
                raise ValueError(f"{where}, row {row}: {error}") from None


def by_simulation(losses: FloatArray, labels: npt.NDArray[np.str_], where: str) -> FloatArray:
    """Synthetic losses as a matrix, one row per simulation in the order of first appearance; one alone as a vector."""
    names = list(dict.fromkeys(labels.tolist()))
    parts = [losses[labels == name] for name in names]
    if len(parts) < 2:
        return losses
    for name, part in zip(names, parts, strict=True):
        if part.size != parts[0].size:
            raise ValueError(
                f"{where}: simulation {show(name)!r} has {part.size} losses, but simulation {show(names[0])!r} has {parts[0].size}; "
                "all simulations of a model must have equally many points"
            )
    return np.stack(parts)


def check_equally_many(losses: dict[str, Losses], where: str) -> dict[str, Losses]:
    """The losses, if all models have equally many simulations."""
    first = next(iter(losses), "")
    for name in losses:
        if losses[name].n_simulations != losses[first].n_simulations:
            raise ValueError(
                f"{where}: model {show(name)!r} has {losses[name].n_simulations} simulation(s), but model {show(first)!r} has "
                f"{losses[first].n_simulations}; give all models equally many"
            )
    return losses


def make_losses(name: str, observed: npt.NDArray[Any], synthetic: npt.NDArray[Any], where: str) -> Losses:
    """Losses of one model, without simulations where there are no synthetic ones; errors say whose they are."""
    try:
        return Losses(observed, synthetic) if synthetic.size else Losses(observed)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{where}, model {show(name)!r}: {error}") from None


def _simulations(column: Column | None, needed: BoolArray | None, where: str) -> npt.NDArray[np.str_] | None:
    """The simulation that each row belongs to, as text; it must not be empty where it is needed."""
    if column is None:
        return None
    labels = [_simulation(cell) for cell in column.tolist()]
    for index, label in enumerate(labels):
        if not label and (needed is None or needed[index]):
            raise ValueError(
                f"{where}, column {SIMULATION!r}, row {index + FIRST_ROW}: the cell is empty; say which simulation this loss belongs to"
            )
    return np.array(labels)


def _simulation(cell: Any) -> str:
    # Where some cells are empty, as those of observed losses, data frames make whole numbers floating.
    if cell is None or cell != cell:
        return ""
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell).strip()


def _kind(cell: Any, where: str, row: int) -> str:
    kind = str(cell).strip().lower()
    if kind not in KINDS:
        raise ValueError(
            f"{where}, column 'kind', row {row}: expected observed or synthetic; got {show(repr(str(cell)[:60]))}"
        )
    return kind


def _model(cell: Any, where: str, row: int) -> str:
    # NaN is how data frames spell an empty cell.
    if cell is None or cell != cell or not str(cell).strip():
        raise ValueError(f"{where}, column 'model', row {row}: the name of the model is empty; fill it in")
    return str(cell).strip()
