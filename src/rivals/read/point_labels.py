"""Labels of the observed points, such as their groups, from columns of the tables of losses."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from rivals._checks import show
from rivals._types import IntArray
from rivals.read.columns import Column
from rivals.read.selection import listed

# The label of each observed point; None where there is none.
Labels = list[Any]


def take_labels(where: str, columns: dict[str, Column], wanted: Mapping[str, str]) -> dict[str, Labels]:
    """Option → the labels in the column that it names; these columns are taken out, because they are no models.

    Examples
    --------
    >>> import numpy as np
    >>> take_labels("t.csv", {"session": np.array(["one", " "])}, {"groups": "session"})
    {'groups': ['one', None]}
    """
    for option, name in wanted.items():
        if name not in columns:
            near = get_close_matches(name, columns, n=1)
            hint = f"did you mean {show(near[0])!r}?" if near else f"it has {listed(columns)}"
            raise ValueError(f"{option}: {where} has no column {show(name)!r}; {hint}")
    labels = {option: _cells(columns[name]) for option, name in wanted.items()}
    for name in set(wanted.values()):
        del columns[name]
    return labels


def labels_of_rows(where: str, option: str, labels: Labels, rows: Mapping[str, IntArray]) -> Labels:
    """In a long table the rows of observed losses count; all models must have the same labels in the same order."""
    by_model = {model: [labels[row] for row in own.tolist()] for model, own in rows.items()}
    first = next(iter(by_model), "")
    for model in by_model:
        if by_model[model] != by_model[first]:
            raise ValueError(
                f"{where}: the {option} of model {show(model)!r} are not those of {show(first)!r}; list the observed points of all "
                "models in the same order, or name the points in a column and pass index (--index)"
            )
    return by_model.get(first, [])


def _cells(column: Iterable[Any]) -> Labels:
    cells = (cell.strip() if isinstance(cell, str) else cell for cell in column)
    return [None if isinstance(cell, str) and not cell else cell for cell in cells]
