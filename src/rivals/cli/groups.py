"""`--groups`: the group of each observed point, from a column of the table of losses or from a file of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rivals._checks import show
from rivals.losses import Losses
from rivals.read import losses_from_files
from rivals.read.columns import Column, columns_of, numbers
from rivals.read.loss_tables import FIRST_ROW, LONG, check_finite, losses_from_columns, losses_from_wide
from rivals.read.selection import Selection

Labels = list[Any]


def read_losses(
    observed: Path,
    synthetic: Path | None,
    groups: str | None,
    *,
    law: str | None,
    selection: Selection,
    log_likelihood: bool = False,
) -> tuple[dict[str, Losses], Labels | None]:
    """Losses by model, and the label of the group of each observed point, if groups are given."""
    if observed.suffix.lower() == ".npz" or (groups is None and law != "groups"):
        losses = losses_from_files(
            observed,
            synthetic,
            models=selection.models,
            ignore=selection.ignore,
            log_likelihood=log_likelihood,
        )
        return losses, None if groups is None else _from_file(groups, observed, [])
    where, columns = columns_of(observed)
    is_long = synthetic is None and all(name in columns for name in LONG)
    column = columns.pop(groups, None) if groups is not None else None
    if is_long:
        losses = losses_from_columns(where, columns, selection, log_likelihood=log_likelihood)
    elif synthetic is not None:
        losses = losses_from_wide((where, columns), columns_of(synthetic), selection, log_likelihood=log_likelihood)
    elif law == "groups":
        losses = _observed_only(where, columns, selection, -1.0 if log_likelihood else 1.0)
    else:
        losses = losses_from_files(observed)  # which says what is missing
    if groups is None:
        return losses, None
    if column is None:
        return losses, _from_file(groups, observed, list(columns))
    return losses, _from_long_column(where, columns, column, groups) if is_long else _labels(column)


def _observed_only(where: str, columns: dict[str, Column], selection: Selection, sign: float) -> dict[str, Losses]:
    names = selection.of(columns, where)
    selection.check_names(names, where)
    points = {name: numbers(columns[name], f"{where}, column {show(name)!r}", first_row=FIRST_ROW) for name in names}
    selection.check_values(points, {}, where)
    for name, column in points.items():
        check_finite(sign * column, "observed losses", f"{where}, column {show(name)!r}")
    return {name: Losses(sign * column) for name, column in points.items()}


def _from_file(path: str, observed: Path, columns: list[str]) -> Labels:
    if not Path(path).is_file():
        has = f" ({', '.join(show(name) for name in columns)})" if columns else ""
        raise ValueError(
            f"--groups is neither a column of {show(observed)}{has} nor a file: got {show(path)!r}; name the column, or a file "
            "with one column"
        )
    where, table = columns_of(path)
    if len(table) != 1:
        raise ValueError(
            f"--groups: {where} has {len(table)} columns ({', '.join(show(name) for name in table)}); give a file with one, "
            "the label of each observed point"
        )
    return _labels(next(iter(table.values())))


def _from_long_column(where: str, columns: dict[str, Column], column: Column, name: str) -> Labels:
    """Of a long table the rows of observed losses count, and all models must have the same groups in the same order."""
    by_model: dict[str, Labels] = {}
    for model, kind, label in zip(columns["model"], columns["kind"], _labels(column), strict=True):
        if str(kind).strip().lower() == "observed":
            by_model.setdefault(str(model).strip(), []).append(label)
    first, *others = by_model
    for model in others:
        if by_model[model] != by_model[first]:
            raise ValueError(
                f"{where}, column {show(name)!r}: the groups of model {show(model)!r} are not those of {show(first)!r}; list the "
                "observed points of all models in the same order"
            )
    return by_model[first]


def _labels(column: Column) -> Labels:
    """The cells, None for empty ones."""
    cells = [cell.strip() if isinstance(cell, str) else cell for cell in column.tolist()]
    return [None if cell == "" else cell for cell in cells]
