"""Rows put into one order, by their labels: whatever has an index is put into it, or refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rivals._say.warn import warn
from rivals._types import IntArray

REMEDY = (
    "give both the labels of their points, or pass .to_numpy() of both if their rows are of "
    "the same points in the same order"
)


class OneOrder:
    """The order of the points of a comparison: that of the first losses that have labels.

    What has no labels has no order that anyone could know, once others stand in two: it is then
    refused, whichever model comes first.

    Parameters
    ----------
    beside : mapping
        What stands beside the losses → the labels of its rows, or None.
    series : bool
        Whether the points are a series: then the order has a meaning, and all models need the same.
    """

    def __init__(self, beside: Mapping[str, Any], *, series: bool = False) -> None:
        self._series = series
        self._reference: tuple[str, Any] | None = None
        self._orders: list[tuple[str, Any]] = []  # at most two, which differ
        self._without: str | None = None
        for who, labels in beside.items():
            self._meet(who, labels)

    def rows(self, who: str, labels: Any) -> IntArray | None:
        """Where the rows of some losses stand, in the one order; None if they are in it."""
        if labels is None:
            self._without = self._without or who
        self._meet(who, labels)
        if self._without is not None and len(self._orders) == 2:
            (one, _), (other, _) = self._orders
            raise ValueError(
                f"the rows of {one} and of {other} stand in different orders, and those of "
                f"{self._without} have no labels that say in which of the two they are; "
                "give all of them an index, or pass .to_numpy() of all if their rows are of the "
                "same points in the same order"
            )
        if labels is None:
            return None
        if self._reference is None:
            self._reference = (who, labels)
            return None
        whose, reference = self._reference
        if self._series and not labels.equals(reference):
            raise ValueError(
                f"the rows of {who} stand in another order than those of {whose}, or are of other "
                "points, and with order='time' the order counts; sort all of them by time"
            )
        return rows_in_order(labels, reference, who, whose)

    @property
    def reference(self) -> tuple[str, Any]:
        """Whose order it is, and its labels; None if no losses have any yet."""
        return self._reference or ("", None)

    def _meet(self, who: str, labels: Any) -> None:
        if labels is None or len(self._orders) == 2:
            return
        if not self._orders or not labels.equals(self._orders[0][1]):
            self._orders.append((who, labels))


def name_of(values: Any) -> str | None:
    """The name of a Series; None for what has none."""
    name = getattr(values, "name", None)
    return name if isinstance(name, str) else None


def row_labels(values: Any) -> Any:
    """The labels of the rows of a Series, a data frame or a DataArray; None for an array, whose
    rows have none.
    """
    if hasattr(values, "iloc"):
        return values.index
    dims = getattr(values, "dims", None)
    if hasattr(values, "isel") and isinstance(dims, tuple) and dims:  # of a Dataset it is no tuple
        return values.indexes.get(dims[0])
    return None


def in_index_order(values: Any, reference: Any, who: str, whose: str) -> Any:
    """The values in the order of the labels `reference`, if both have labels."""
    rows = rows_in_order(row_labels(values), reference, who, whose)
    if rows is None:
        return values
    return values.iloc[rows] if hasattr(values, "iloc") else values[rows]


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
    if not (own.is_unique and reference.is_unique):
        raise ValueError(
            f"the index of {who} and that of {whose} differ, and a label in them occurs twice; "
            f"{REMEDY}"
        )
    rows = np.asarray(own.get_indexer(reference), dtype=np.intp)
    if len(own) != len(reference) or np.any(rows < 0):
        missing = reference[rows < 0].tolist()
        found = f"{who} has {len(own)} rows, {whose} {len(reference)}"
        if missing:
            found = f"the label {missing[0]!r} of {whose} is not among those of {who}"
        raise ValueError(f"{who} and {whose} have rows with different labels: {found}; {REMEDY}")
    warn(
        f"the rows of {who} stand in another order than those of {whose}; "
        "they were put into that order by their index"
    )
    return rows
