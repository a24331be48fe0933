"""Rows of data in any form: arrays, sparse matrices, data frames, lists, mappings of columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._core.arrays import common_index, numbers
from rivals._core.types import FloatArray, IntArray


def take(values: Any, rows: IntArray) -> Any:
    """Some rows, in the form of the values.

    Examples
    --------
    >>> take({"x": np.array([1.0, 2.0, 3.0])}, np.array([2, 0]))
    {'x': array([3., 1.])}
    """
    if isinstance(values, Mapping):
        n_points = n_rows(values, "data")
        return {
            name: take(column, rows) if _is_column(column) and len(column) == n_points else column
            for name, column in values.items()
        }
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if hasattr(values, "tocsr"):  # not all sparse formats can be indexed
        return values.tocsr()[rows]
    if isinstance(values, (list, tuple)):
        return [values[row] for row in rows]
    return values[rows]


def n_rows(values: Any, what: str) -> int:
    """The number of points; of a mapping, that of its longest column."""
    if isinstance(values, Mapping):
        columns = [column for column in values.values() if _is_column(column)]
        if not columns:
            raise ValueError(f"{what}: none of {', '.join(map(str, values))} has a row for a point")
        return max(len(column) for column in columns)
    shape = getattr(values, "shape", None)
    if isinstance(shape, tuple) and shape:  # sparse matrices have no length
        return int(shape[0])
    if not hasattr(values, "__len__") or isinstance(values, str):
        raise TypeError(
            f"{what}: expected an array or a data frame, a row for each point; got "
            f"{type(values).__name__}"
        )
    return len(values)


def by_content(X: Any, y: npt.NDArray[Any]) -> IntArray:
    """The rows in an order that does not depend on the one they came in: by target, then by column
    after column until no two are alike. What has no columns stays in its order.

    Examples
    --------
    >>> by_content(np.array([[2.0], [1.0], [5.0]]), np.array([1, 1, 0])).tolist()
    [2, 1, 0]
    """
    place = np.zeros(y.size, dtype=np.intp)
    for values in (y, *_columns(X)):
        found = np.asarray(values)
        if found.dtype.kind == "O":
            found = found.astype(str)
        code = np.unique(found, return_inverse=True)[1]
        place = np.unique(place * (code.max() + 1) + code, return_inverse=True)[1]
        if place.max() == y.size - 1:
            break
    return np.argsort(place, kind="stable")


def _columns(X: Any) -> Iterator[Any]:
    """Of an array, a data frame, or lists of numbers; none of anything else."""
    if hasattr(X, "columns"):
        return (X[name] for name in X.columns)
    if isinstance(X, (list, tuple)):
        X = np.asarray(X)
    return iter(X.T) if isinstance(X, np.ndarray) and X.ndim == 2 else iter(())


def _is_column(values: Any) -> bool:
    has_rows = hasattr(values, "__len__") and not isinstance(values, str)
    return has_rows and getattr(values, "ndim", 1) > 0


def column(data: Any, name: Any, what: str) -> Any:
    """A column of a data frame or mapping by its name, or what was given in its place."""
    if not isinstance(name, str):
        return name
    names = list(data if isinstance(data, Mapping) else getattr(data, "columns", ()))
    if name not in names:
        raise ValueError(
            f"{what}: the data have no column {name!r}; they have "
            f"{', '.join(map(str, names)) or 'no names of columns'}"
        )
    return data[name]


def index_of_rows(data: Any, **beside: Any) -> Any:
    """The index that the data and what belongs to their rows have in common."""
    columns = {"data": data}
    if isinstance(data, Mapping):
        n_points = n_rows(data, "data")
        columns = {
            f"column {name!r}": each
            for name, each in data.items()
            if _is_column(each) and len(each) == n_points
        }
    return common_index({**columns, **beside})


def numbers_of(predicted: Any, n_points: int, who: str) -> FloatArray:
    """One predicted number for each point."""
    found = numbers(predicted, f"predictions of {who}")
    if found.shape == (n_points, 1):
        found = found[:, 0]
    if found.shape != (n_points,):
        raise ValueError(
            f"{who} predicts an array of shape {found.shape} for {n_points} points; it must give "
            "one number for each"
        )
    if not np.isfinite(found).all():
        raise ValueError(
            f"{who} predicts {np.count_nonzero(~np.isfinite(found))} of {n_points} numbers that "
            "are not finite; are inputs missing there?"
        )
    return found
