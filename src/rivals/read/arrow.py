"""Columns of Arrow tables as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def values_of(column: Any) -> npt.NDArray[Any]:
    """A column as an array; equal texts are one object."""
    if hasattr(column.type, "index_type"):
        parts = [_words(chunk) for chunk in column.chunks]
    elif str(column.type) == "double" and not column.null_count:
        parts = [np.from_dlpack(chunk) for chunk in column.chunks]  # `to_numpy` would import pandas
    else:
        return np.asarray(column.to_numpy())
    return np.concatenate(parts) if parts else np.empty(0)


def _words(chunk: Any) -> npt.NDArray[Any]:
    words = np.array([*chunk.dictionary.to_pylist(), None], dtype=object)
    places = chunk.indices.cast("int64").fill_null(len(words) - 1)
    return np.asarray(words[np.from_dlpack(places)])
