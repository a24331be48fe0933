"""Data of any form, as their parts and their rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from rivals._core.texts import Refusal
from rivals._core.types import FloatArray, IntArray

Part = int | str


def parts_of(data: Any) -> list[Part] | None:
    """What the parts of data are called; None of an array of numbers, which is its own signal."""
    if isinstance(data, tuple):
        return list(range(len(data)))
    if isinstance(data, Mapping):
        return list(data)
    if isinstance(data, np.ndarray):
        if data.dtype.names is not None:
            return list(data.dtype.names)
        return None if data.ndim == 1 else list(range(data.shape[1]))
    if is_dataclass(data):
        return [each.name for each in fields(data)]
    if hasattr(data, "columns"):
        return [str(name) for name in data.columns]
    raise Refusal(
        "a scenario by blocks needs data whose parts it can name: an array, a tuple or mapping of "
        f"arrays, a structured array, a data frame, or a dataclass; got {type(data).__name__}"
    )


def part_of(data: Any, name: Part | None, option: str = "signal") -> FloatArray:
    """One part of the data, as numbers."""
    names = parts_of(data)
    if names is None and name is None:
        found = data
    elif names is None:
        raise Refusal(f"the data are one array, without a part {name!r}; leave {option}= out")
    elif name is None:
        raise Refusal(
            f"which part of the data is the {option}? name its column, {option}=…; the data have "
            f"{_listed(names)}"
        )
    elif name not in names:
        raise Refusal(f"{option}={name!r} is not in the data; they have {_listed(names)}")
    elif is_dataclass(data):
        found = getattr(data, str(name))
    else:
        found = data[:, int(name)] if _is_matrix(data) else data[name]
    try:
        return np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError):
        raise Refusal(f"{option}={name!r}: this part of the data holds no numbers") from None


def with_part(data: Any, name: Part | None, values: FloatArray) -> Any:
    """The data with another signal."""
    if name is None:
        return values
    if isinstance(data, tuple):
        place = int(name)
        return (*data[:place], values, *data[place + 1 :])
    if isinstance(data, Mapping):
        return {**data, name: values}
    if is_dataclass(data) and not isinstance(data, type):
        return replace(data, **{str(name): values})
    if isinstance(data, np.ndarray):
        copy = data.copy()
        if _is_matrix(data):
            copy[:, int(name)] = values
        else:
            copy[name] = values
        return copy
    if hasattr(data, "assign"):  # pandas
        return data.assign(**{str(name): values})
    return data.with_columns(type(data[name])(name, values))  # polars


def rows_of(data: Any, rows: IntArray) -> Any:
    """Some of the points, of all parts."""
    if isinstance(data, tuple):
        return tuple(part[rows] for part in data)
    if isinstance(data, Mapping):
        return {name: part[rows] for name, part in data.items()}
    if is_dataclass(data) and not isinstance(data, type):
        parts = {each.name: getattr(data, each.name)[rows] for each in fields(data)}
        return replace(data, **parts)
    return data.iloc[rows] if hasattr(data, "iloc") else data[rows]


def form_of(data: Any) -> str:
    """What data are, for a message: as "a tuple of 2 parts" or "an array of shape (300,)"."""
    if isinstance(data, np.ndarray):
        return f"an array of shape {data.shape}"
    try:
        names = parts_of(data)
    except Refusal:
        names = None
    kind = type(data).__name__
    if names is None:
        return f"a {kind}"
    if isinstance(data, tuple):
        return f"a tuple of {len(names)} parts"
    return f"a {kind} with {_listed(names)}"


def _is_matrix(data: Any) -> bool:
    return isinstance(data, np.ndarray) and data.dtype.names is None


def _listed(names: list[Part]) -> str:
    return ", ".join(repr(name) for name in names)
