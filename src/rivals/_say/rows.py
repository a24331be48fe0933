"""Labels of points: their groups, and rows put into one order."""

from __future__ import annotations

from typing import Any

import numpy as np

from rivals._say.warn import warn
from rivals._types import IntArray


def is_missing(cell: Any) -> bool:
    """Whether a cell is empty, in any library's way: None, NaN, NA, NaT, blanks."""
    if cell is None:
        return True
    if isinstance(cell, str):
        return not cell.strip()
    try:
        return bool(cell != cell)
    except (TypeError, ValueError):  # pandas.NA is neither equal nor different
        return True


def read_groups(
    values: Any, n_points: int, what: str = "groups"
) -> tuple[IntArray, tuple[str, ...]]:
    """The group of each point as whole numbers from 0, and the names of the groups.

    Labels may be of any kind.

    Examples
    --------
    >>> read_groups(["b", "a", "b"], 3)
    (array([1, 0, 1]), ('a', 'b'))
    """
    labels = np.asarray(values)
    if labels.ndim != 1 or labels.size != n_points:
        raise ValueError(
            f"{what}: got shape {labels.shape}; pass one label for each of {n_points} observed "
            "points"
        )
    missing = np.array([is_missing(label) for label in labels.tolist()])
    if missing.any():
        raise ValueError(
            f"{what}: {int(missing.sum())} of {n_points} points have no label, the first at "
            f"position {int(missing.argmax())} (from 0); name their group, or remove these points "
            "for all models"
        )
    if labels.dtype == object:
        labels = labels.astype(str)
    names, codes = np.unique(labels, return_inverse=True)
    return np.asarray(codes, dtype=np.intp), tuple(map(str, names.tolist()))


def name_of(values: Any) -> str | None:
    """The name of a Series; None for what has none."""
    name = getattr(values, "name", None)
    return name if isinstance(name, str) else None


def row_labels(values: Any) -> Any:
    """The labels of the rows of a Series or data frame; None for an array, whose rows have none."""
    return values.index if hasattr(values, "iloc") else None


def in_index_order(values: Any, reference: Any, who: str, whose: str) -> Any:
    """The values in the order of the labels `reference`, if both have labels."""
    rows = rows_in_order(row_labels(values), reference, who, whose)
    return values if rows is None else values.iloc[rows]


def rows_in_order(own: Any, reference: Any, who: str, whose: str) -> IntArray | None:
    """Where the rows of `own` stand that have the labels of `reference`, in that order.

    None if they are so already.

    Examples
    --------
    >>> import pandas
    >>> rows_in_order(pandas.Index(["a", "b"]), pandas.Index(["a", "b"]), "B", "A") is None
    True
    """
    if own is None or reference is None or own.equals(reference):
        return None
    remedy = (
        "give both the labels of their points, or pass .to_numpy() of both if their rows are of "
        "the same points in the same order"
    )
    if not (own.is_unique and reference.is_unique):
        raise ValueError(
            f"the index of {who} and that of {whose} differ, and a label in them occurs twice; "
            f"{remedy}"
        )
    rows = np.asarray(own.get_indexer(reference), dtype=np.intp)
    if len(own) != len(reference) or np.any(rows < 0):
        missing = reference[rows < 0].tolist()
        found = f"{who} has {len(own)} rows, {whose} {len(reference)}"
        if missing:
            found = f"the label {missing[0]!r} of {whose} is not among those of {who}"
        raise ValueError(f"{who} and {whose} have rows with different labels: {found}; {remedy}")
    warn(
        f"the rows of {who} stand in another order than those of {whose}; "
        "they were put into that order by their index"
    )
    return rows
