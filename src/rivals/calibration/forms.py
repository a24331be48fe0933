"""Forms of data: how to reach the responses and the rows of what candidates simulate and judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rivals._checks import as_numbers, show
from rivals._types import FloatArray, IntArray, Model

Get: TypeAlias = Callable[[Any], npt.ArrayLike]
Set: TypeAlias = Callable[[Any, FloatArray], Any]


def form_of(data: Any, response: tuple[Get, Set] | None, model: Model) -> Form:
    """The form of a data set. Whether the points of a matrix are its rows or its columns, the losses of a model on it tell.

    Examples
    --------
    >>> from rivals.testbeds.toys import gaussian
    >>> form_of(np.zeros(3), None, gaussian()).set(np.zeros(3), np.ones(3))
    array([1., 1., 1.])
    """
    if response is not None:
        if len(response) != 2 or not all(callable(function) for function in response):
            raise TypeError(f"response must be a pair of functions (get, set): got {show(repr(response))}")
        return OtherForm(*response)
    if isinstance(data, tuple) and len(data) > 1:
        return Form(_parts, tuple)
    if isinstance(data, np.ndarray) and data.ndim == 2 and min(data.shape) > 1:
        n_points, (rows, columns) = np.size(model.loss(data)), data.shape
        if n_points == rows:
            return Form(_matrix_columns, np.column_stack)
        if n_points == columns:
            return Form(tuple, np.stack)
    if np.ndim(data) == 1 and not isinstance(data, tuple):
        return Form(_alone, _first)
    raise TypeError(
        f"data of an unknown form: {type(data).__name__} of shape {np.shape(data) if not isinstance(data, tuple) else len(data)}; pass a "
        "vector, (inputs, response), a matrix with the response in its last column (or row, where columns are points), or response=(get, set)"
    )


class Form:
    """Data as columns, of which the last is the response: how to take them apart, and how to join them again."""

    def __init__(self, split: Callable[[Any], tuple[Any, ...]], join: Callable[[Sequence[Any]], Any]) -> None:
        self._split, self._join = split, join

    def get(self, data: Any) -> FloatArray:
        """The responses."""
        return as_vector(self._split(data)[-1])

    def set(self, data: Any, response: FloatArray) -> Any:
        """The same data with other responses."""
        return self._join((*self._split(data)[:-1], response))

    def take(self, data: Any, rows: IntArray) -> Any:
        """Some points."""
        return self._join(tuple(_rows(column, rows) for column in self._split(data)))

    def pick(self, parts: Sequence[Any], which: IntArray) -> Any:
        """Point i of `parts[which[i]]`, for every i."""
        return self._join(tuple(_mixed(columns, which) for columns in zip(*map(self._split, parts), strict=True)))

    def check_size(self, data: Any, n: int, what: str) -> None:
        """Refuse data of another size than requested."""
        size = self.get(data).size
        if size != n:
            raise ValueError(
                f"{what} {size} points where {n} were asked for; if candidates are tied to the inputs of the data, use as many "
                "points for n_data and n_truth, or design='resample'"
            )


class OtherForm(Form):
    """Data that only the user's functions understand. They have no rows: the inputs of all sources must be the same."""

    def __init__(self, get: Get, set: Set) -> None:
        self._get, self._set = get, set

    def get(self, data: Any) -> FloatArray:
        return as_vector(self._get(data))

    def set(self, data: Any, response: FloatArray) -> Any:
        return self._set(data, response)

    def take(self, data: Any, rows: IntArray) -> Any:
        if not np.array_equal(rows, np.arange(self.get(data).size)):
            raise ValueError(
                f"rows cannot be selected from data of a custom form: {rows.size} points were requested; use as many for "
                "n_data and n_truth as the data have"
            )
        return data

    def pick(self, parts: Sequence[Any], which: IntArray) -> Any:
        return self.set(parts[0], np.choose(which, [self.get(part) for part in parts]))


def _alone(vector: Any) -> tuple[Any, ...]:
    return (vector,)


def _first(columns: Sequence[Any]) -> Any:
    return np.asarray(columns[0])


def _matrix_columns(matrix: Any) -> tuple[Any, ...]:
    if np.ndim(matrix) != 2:
        raise TypeError(f"expected a matrix with the response in its last column: got shape {np.shape(matrix)}")
    return tuple(np.transpose(matrix))


def _parts(data: Any) -> tuple[Any, ...]:
    if not isinstance(data, (tuple, list)) or len(data) < 2:
        raise TypeError(f"expected data of the form (inputs, ..., response): got {type(data).__name__}")
    return tuple(data)


def _rows(column: Any, rows: IntArray) -> Any:
    return column.iloc[rows] if hasattr(column, "iloc") else np.asarray(column)[rows]


def _mixed(columns: Sequence[Any], which: IntArray) -> Any:
    """Row i of `columns[which[i]]`, for every i."""
    first = columns[0]
    if not hasattr(first, "iloc"):
        return np.stack([np.asarray(column) for column in columns])[which, np.arange(which.size)]
    mixed = first.copy()
    for place, other in enumerate(columns[1:], start=1):
        mixed.iloc[which == place] = other.iloc[which == place].to_numpy()
    return mixed


def as_vector(response: Any) -> FloatArray:
    vector = as_numbers(response, "response of the data")
    if vector.ndim != 1 or vector.size < 2 or not np.isfinite(vector).all():
        raise ValueError(
            f"response of the data: expected two or more finite numbers in a vector; got shape {vector.shape}"
            + (", some not finite" if vector.ndim == 1 and vector.size > 1 else "")
        )
    return vector
