"""Forms of data: how to reach the responses and the rows of what candidates simulate and judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from rivals._checks import as_numbers, show
from rivals._types import FloatArray, IntArray

Get: TypeAlias = Callable[[Any], npt.ArrayLike]
Set: TypeAlias = Callable[[Any, FloatArray], Any]


def form_of(data: Any, response: tuple[Get, Set] | None) -> Form:
    """The form of a data set.

    Examples
    --------
    >>> type(form_of((np.zeros((3, 2)), np.zeros(3)), None)).__name__
    'TupleForm'
    """
    if response is not None:
        if len(response) != 2 or not all(callable(function) for function in response):
            raise TypeError(f"response must be a pair of functions (get, set): got {show(repr(response))}")
        return OtherForm(*response)
    if isinstance(data, tuple) and len(data) > 1:
        return TupleForm()
    if isinstance(data, np.ndarray) and data.ndim == 2 and data.shape[1] > 1:
        return MatrixForm()
    if np.ndim(data) == 1 and not isinstance(data, tuple):
        return Form()
    raise TypeError(
        f"data of an unknown form: {type(data).__name__} of shape {np.shape(data) if not isinstance(data, tuple) else len(data)}; "
        "pass a vector, (inputs, response), a matrix with the response in its last column, or response=(get, set)"
    )


class Form:
    """How to reach the responses and the rows of data; here a vector of responses."""

    def get(self, data: Any) -> FloatArray:
        """The responses."""
        return as_vector(data)

    def set(self, data: Any, response: FloatArray) -> Any:
        """The same data with other responses."""
        return response

    def take(self, data: Any, rows: IntArray) -> Any:
        """Some rows."""
        return self.get(data)[rows]

    def pick(self, parts: Sequence[Any], which: IntArray) -> Any:
        """Row i of `parts[which[i]]`, for every i."""
        return np.choose(which, [self.get(part) for part in parts])

    def check_size(self, data: Any, n: int, what: str) -> None:
        """Refuse data of another size than requested."""
        size = self.get(data).size
        if size != n:
            raise ValueError(
                f"{what} {size} points where {n} were asked for; if candidates are tied to the inputs of the data, use as many "
                "points for n_data and n_truth, or design='resample'"
            )


class TupleForm(Form):
    """(inputs, ..., responses)."""

    def get(self, data: Any) -> FloatArray:
        if not isinstance(data, (tuple, list)) or len(data) < 2:
            raise TypeError(f"expected data of the form (inputs, ..., response): got {type(data).__name__}")
        return as_vector(data[-1])

    def set(self, data: Any, response: FloatArray) -> Any:
        return (*data[:-1], response)

    def take(self, data: Any, rows: IntArray) -> Any:
        return tuple(part.iloc[rows] if hasattr(part, "iloc") else np.asarray(part)[rows] for part in data)

    def pick(self, parts: Sequence[Any], which: IntArray) -> Any:
        columns = []
        for column in zip(*parts, strict=True):
            merged = column[0].copy() if hasattr(column[0], "iloc") else np.array(column[0])
            for place, other in enumerate(column[1:], start=1):
                if hasattr(merged, "iloc"):
                    merged.iloc[which == place] = other.iloc[which == place].to_numpy()
                else:
                    merged[which == place] = np.asarray(other)[which == place]
            columns.append(merged)
        return tuple(columns)


class MatrixForm(Form):
    """One row per point, the response in the last column."""

    def get(self, data: Any) -> FloatArray:
        if np.ndim(data) != 2:
            raise TypeError(f"expected a matrix with the response in its last column: got shape {np.shape(data)}")
        return as_vector(data[:, -1])

    def set(self, data: Any, response: FloatArray) -> Any:
        return np.column_stack([data[:, :-1], response])

    def take(self, data: Any, rows: IntArray) -> Any:
        return data[rows]

    def pick(self, parts: Sequence[Any], which: IntArray) -> Any:
        return np.stack(parts)[which, np.arange(which.size)]


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


def as_vector(response: Any) -> FloatArray:
    vector = as_numbers(response, "response of the data")
    if vector.ndim != 1 or vector.size < 2 or not np.isfinite(vector).all():
        raise ValueError(
            f"response of the data: expected two or more finite numbers in a vector; got shape {vector.shape}"
            + (", some not finite" if vector.ndim == 1 and vector.size > 1 else "")
        )
    return vector
