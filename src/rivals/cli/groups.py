"""`--groups`: the group of each observed point, from a column of the table of losses or from a file of its own."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import Any

from rivals._checks import show
from rivals._types import IntArray
from rivals.losses import Losses
from rivals.read import losses_from_files
from rivals.read.alignment import FIRST_ROW, index_of
from rivals.read.columns import TABLES, Column, columns_of, numbers, suffix_of
from rivals.read.loss_tables import LONG, check_finite, labels_of, losses_from_columns, losses_from_wide, rows_of
from rivals.read.selection import Selection, listed, no_numbers

Labels = list[Any]


def read_losses(
    observed: Path,
    synthetic: Path | None,
    groups: str | None,
    *,
    law: str | None,
    selection: Selection,
    index: str | None = None,
    log_likelihood: bool = False,
) -> tuple[dict[str, Losses], Labels | None]:
    """Losses by model, and the label of the group of each observed point, if groups are given."""
    is_table = suffix_of(observed) in TABLES
    if groups is not None and not is_table:
        _check_file(groups, observed, [])
    if not is_table or (groups is None and law != "groups"):
        losses = losses_from_files(
            observed,
            synthetic,
            models=selection.models,
            ignore=selection.ignore,
            index=index,
            log_likelihood=log_likelihood,
        )
        return losses, None if groups is None else _from_file(groups)
    labels = labels_of(index, groups)
    where, columns = columns_of(observed, labels)
    is_long = synthetic is None and all(name in columns for name in LONG)
    column = columns.pop(groups, None) if groups is not None else None
    if groups is not None and column is None:
        _check_file(groups, observed, list(columns))
    if is_long:
        losses = losses_from_columns(where, columns, selection, index=index, log_likelihood=log_likelihood)
    elif synthetic is not None:
        second = columns_of(synthetic, labels)
        losses = losses_from_wide((where, columns), second, selection, index=index, log_likelihood=log_likelihood)
    elif law == "groups":
        if index is not None:  # a single table keeps its own order
            index_of(columns, index, where)
            columns.pop(index)
        losses = _observed_only(where, columns, selection, -1.0 if log_likelihood else 1.0)
    else:
        losses = losses_from_files(observed)  # which says what is missing
    if groups is None:
        return losses, None
    if column is None:
        return losses, _from_file(groups)
    if not is_long:
        return losses, _labels(column)
    rows = {name: own for name, (own, _) in rows_of(where, columns, selection, index).items()}
    return losses, _from_long_column(where, rows, _labels(column), groups)


def _observed_only(where: str, columns: dict[str, Column], selection: Selection, sign: float) -> dict[str, Losses]:
    names = selection.of(columns, where)
    selection.check_names(names, where)
    points = {
        name: numbers(columns[name], f"{where}, column {show(name)!r}", first_row=FIRST_ROW, otherwise=no_numbers(name))
        for name in names
    }
    selection.check_values(points, {}, where)
    for name, column in points.items():
        check_finite(sign * column, "observed losses", f"{where}, column {show(name)!r}")
    return {name: Losses(sign * column) for name, column in points.items()}


def _check_file(path: str, observed: Path, columns: list[str]) -> None:
    """What is no column must be a file; said before the columns are taken for models."""
    if Path(path).is_file():
        return
    has = f" ({listed(columns)})" if columns else ""
    near = get_close_matches(path, columns, n=1)
    raise ValueError(
        f"--groups is neither a column of {show(observed)}{has} nor a file: got {show(path)!r}; "
        + (f"did you mean {show(near[0])!r}?" if near else "name the column, or a file with one column")
    )


def _from_file(path: str) -> Labels:
    where, table = columns_of(path)
    if len(table) != 1:
        raise ValueError(
            f"--groups: {where} has {len(table)} columns ({listed(table)}); give a file with one, "
            "the label of each observed point"
        )
    return _labels(next(iter(table.values())))


def _from_long_column(where: str, rows: dict[str, IntArray], labels: Labels, name: str) -> Labels:
    """In a long table the rows of observed losses count, and all models must have the same groups in the same order."""
    by_model = {model: [labels[row] for row in own.tolist()] for model, own in rows.items()}
    first, *others = by_model
    for model in others:
        if by_model[model] != by_model[first]:
            raise ValueError(
                f"{where}, column {show(name)!r}: the groups of model {show(model)!r} are not those of {show(first)!r}; list the "
                "observed points of all models in the same order, or name the points in a column and pass --index"
            )
    return by_model[first]


def _labels(column: Column) -> Labels:
    """The cells, None for empty ones."""
    cells = [cell.strip() if isinstance(cell, str) else cell for cell in column.tolist()]
    return [None if cell == "" else cell for cell in cells]
