"""Tables of losses: long (model, kind, loss) or wide pairs (one column per model)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._checks import show
from rivals.losses import Losses
from rivals.read.columns import Column, columns_of, numbers

LONG = ("model", "kind", "loss")
KINDS = ("observed", "synthetic")
# Messages count rows as an editor or a spreadsheet does: the header is row 1.
FIRST_ROW = 2


def long_table(table: Any) -> dict[str, Losses]:
    """Losses from a table with one loss per row: columns `model`, `kind` (observed or synthetic) and `loss`.

    Parameters
    ----------
    table : path, data frame or mapping
        A .csv, .tsv or .parquet file, a pandas, polars or pyarrow table, or a mapping of columns. Columns of other names
        are not looked at.

    Returns
    -------
    dict
        Name → `Losses`, in the order in which the models first appear.

    Examples
    --------
    >>> table = {"model": ["A"] * 4, "kind": ["observed", "observed", "synthetic", "synthetic"], "loss": [1.0, 2.0, 1.5, 1.0]}
    >>> long_table(table)
    {'A': Losses(2 observed, 2 synthetic, empirical risk 1.5)}
    """
    return losses_from_columns(*columns_of(table))


def losses_from_columns(where: str, columns: Mapping[str, Column], *, otherwise: str = "") -> dict[str, Losses]:
    """Losses from the columns of a long table; `otherwise` says what to do if it turns out to be none."""
    absent = [name for name in LONG if name not in columns]
    if absent:
        raise ValueError(
            f"{where}: no column {', '.join(map(repr, absent))}; a long table needs {', '.join(LONG)}, and this one has "
            f"{', '.join(show(name) for name in columns)}{otherwise}"
        )
    loss = numbers(columns["loss"], f"{where}, column 'loss'", first_row=FIRST_ROW)
    kind = np.array([_kind(cell, where, row) for row, cell in enumerate(columns["kind"], start=FIRST_ROW)])
    model = np.array([_model(cell, where, row) for row, cell in enumerate(columns["model"], start=FIRST_ROW)])
    return {
        str(name): make_losses(
            str(name),
            loss[(model == name) & (kind == "observed")],
            loss[(model == name) & (kind == "synthetic")],
            where,
        )
        for name in dict.fromkeys(model.tolist())
    }


def wide_tables(observed: Any, synthetic: Any) -> dict[str, Losses]:
    """Losses from two tables with one column per model, the same models in both.

    Parameters
    ----------
    observed, synthetic : path, data frame or mapping
        Losses on held-out data, and on the model's own simulations: .csv, .tsv or .parquet files, pandas, polars or
        pyarrow tables, or mappings of columns.

    Returns
    -------
    dict
        Name → `Losses`, in the order of the columns of `observed`.

    Examples
    --------
    >>> wide_tables({"A": [1.0, 2.0], "B": [2.0, 2.5]}, {"A": [1.5, 1.0], "B": [2.2, 2.1]})["B"]
    Losses(2 observed, 2 synthetic, empirical risk 2.25)
    """
    (where, first), (where_too, second) = columns_of(observed), columns_of(synthetic)
    for name in (*first, *second):
        if name not in first or name not in second:
            raise ValueError(
                f"model {show(name)!r} has a column in {where if name in first else where_too}, but none in "
                f"{where_too if name in first else where}; observed and synthetic tables must have the same columns"
            )
    return {
        name: make_losses(
            name,
            numbers(first[name], f"{where}, column {show(name)!r}", first_row=FIRST_ROW),
            numbers(second[name], f"{where_too}, column {show(name)!r}", first_row=FIRST_ROW),
            where,
        )
        for name in first
    }


def make_losses(name: str, observed: npt.NDArray[Any], synthetic: npt.NDArray[Any], where: str) -> Losses:
    """Losses of one model; errors say whose they are and where they come from."""
    try:
        return Losses(observed, synthetic)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{where}, model {show(name)!r}: {error}") from None


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
