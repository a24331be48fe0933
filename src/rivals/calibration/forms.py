"""The forms that a data set may have: how its responses and its points are reached."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rivals._say.samples import as_numbers
from rivals._say.words import show
from rivals._types import FloatArray, IntArray, Model

Get: TypeAlias = Callable[[Any], npt.ArrayLike]
Set: TypeAlias = Callable[[Any, FloatArray], Any]


def form_of(data: Any, response: tuple[Get, Set] | None, model: Model) -> Form:
    """The form of a data set.

    Whether the points of a matrix are its rows or its columns, the losses of a model on it tell.

    Examples
    --------
    >>> from rivals.testbeds.toys import gaussian
    >>> form_of(np.zeros(3), None, gaussian()).set(np.zeros(3), np.ones(3))
    array([1., 1., 1.])
    """
    if response is not None:
        return _custom_form(response)
    if isinstance(data, tuple) and len(data) > 1:
        return Form(_parts, tuple)
    if isinstance(data, np.ndarray) and data.ndim == 2 and min(data.shape) > 1:
        n_points = np.size(model.loss(data))
        rows, columns = data.shape
        if n_points == rows:
            return Form(np.transpose, np.column_stack)
        if n_points == columns:
            return Form(tuple, np.stack)
    if np.ndim(data) == 1 and not isinstance(data, tuple):
        return Form(np.atleast_2d, np.concatenate)
    shape = len(data) if isinstance(data, tuple) else np.shape(data)
    raise TypeError(
        f"data of an unknown form: {type(data).__name__} of shape {shape}; pass a vector, "
        "(inputs, response), a matrix with the response in its last column (or row, where columns "
        "are points), or response=(get, set)"
    )


def _custom_form(response: tuple[Get, Set]) -> Form:
    """The form of data that only the user's functions understand."""
    if len(response) != 2 or not all(callable(function) for function in response):
        raise TypeError(
            f"response must be a pair of functions (get, set): got {show(repr(response))}"
        )
    get, set_ = response
    return Form(partial(_whole, get), partial(_replaced, set_), has_points=False)


@dataclass(frozen=True)
class Form:
    """Data as columns, of which the last is the response: how to take them apart and join them.

    Where only the user's functions understand the data, the columns are the data as a whole and the
    response. Such data have no points that could be selected: the inputs of all sources must be the
    same.
    """

    split: Callable[[Any], Any]
    join: Callable[[Any], Any]
    has_points: bool = True

    def get(self, data: Any) -> FloatArray:
        """The responses."""
        return as_vector(self.split(data)[-1])

    def set(self, data: Any, response: FloatArray) -> Any:
        """The same data with other responses."""
        return self.join((*self.split(data)[:-1], response))

    def take(self, data: Any, rows: IntArray) -> Any:
        """Some points."""
        if self.has_points:
            return self.join(tuple(_rows(column, rows) for column in self.split(data)))
        if not np.array_equal(rows, np.arange(self.get(data).size)):
            raise ValueError(
                f"rows cannot be selected from data of a custom form: {rows.size} points were "
                "requested; use as many for n_data and n_truth as the data have"
            )
        return data

    def pick(self, parts: Sequence[Any], which: IntArray) -> Any:
        """Point i of `parts[which[i]]`, for every i."""
        if not self.has_points:
            return self.set(parts[0], np.choose(which, [self.get(part) for part in parts]))
        columns = zip(*map(self.split, parts), strict=True)
        return self.join(tuple(_mixed(column, which) for column in columns))

    def check_size(self, data: Any, n: int, what: str) -> None:
        """Refuse data of another size than requested."""
        size = self.get(data).size
        if size != n:
            raise ValueError(
                f"{what} {size} points where {n} were asked for; if candidates are tied to the "
                "inputs of the data, use as many points for n_data and n_truth, or "
                "design='resample'"
            )


def _whole(get: Get, data: Any) -> tuple[Any, Any]:
    return data, get(data)


def _replaced(set: Set, columns: tuple[Any, FloatArray]) -> Any:
    return set(*columns)


def _parts(data: Any) -> tuple[Any, ...]:
    if not isinstance(data, (tuple, list)) or len(data) < 2:
        raise TypeError(
            f"expected data of the form (inputs, ..., response): got {type(data).__name__}"
        )
    return tuple(data)


def _rows(column: Any, rows: IntArray) -> Any:
    if hasattr(column, "iloc"):
        return column.iloc[rows]
    return np.asarray(column)[rows]


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
    """Two or more finite numbers."""
    vector = as_numbers(response, "response of the data")
    is_vector = vector.ndim == 1 and vector.size >= 2
    if not is_vector or not np.isfinite(vector).all():
        not_finite = ", some not finite" if is_vector else ""
        raise ValueError(
            "response of the data: expected two or more finite numbers in a vector; got shape "
            f"{vector.shape}{not_finite}"
        )
    return vector
