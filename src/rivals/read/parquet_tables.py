"""Tables in Parquet files. What their columns take in memory is checked before they are
unpacked.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._files import check_memory, reading
from rivals._say.optional import need
from rivals._say.words import show
from rivals.read.text_tables import MAX_COLUMNS, Columns

# Bytes of a cell: a number, or a reference to a text that is shared, and what it is made
# from; and one that is an object of its own.
CELL = 16
OBJECT = 128


def read_parquet(path: Path) -> Columns:
    """The columns of a Parquet file."""
    need("pyarrow", extra="parquet", purpose="Parquet files")
    parquet = need("pyarrow.parquet", extra="parquet", purpose="Parquet files")
    with reading(path, "a Parquet file"):
        with parquet.ParquetFile(path) as file:
            schema = file.schema_arrow
            content = file.metadata
            groups = [content.row_group(index) for index in range(content.num_row_groups)]
            n_rows = sum(max(group.num_rows, 0) for group in groups)
            _check_table(
                path, schema, n_rows, sum(max(group.total_byte_size, 0) for group in groups)
            )
            text = [field.name for field in schema if str(field.type) in ("string", "large_string")]
        # Kept as a dictionary: a long name that occurs in every row is stored once.
        with parquet.ParquetFile(path, read_dictionary=text) as file:
            table = file.read()
        return [
            (name, _values(column))
            for name, column in zip(table.column_names, table.columns, strict=True)
        ]


def _check_table(path: Path, schema: Any, n_rows: int, n_bytes: int) -> None:
    """Refuse a table that would take too much memory: a row may take no space in a file.
    `n_bytes` is what is unpacked.
    """
    from pyarrow import types

    if len(schema) > MAX_COLUMNS:
        raise ValueError(f"{len(schema)} columns, but at most {MAX_COLUMNS} are read")
    cells = 0
    for field in schema:
        kind = field.type
        if types.is_dictionary(kind):
            kind = kind.value_type
        text = types.is_string(kind) or types.is_large_string(kind)
        simple = text or types.is_floating(kind) or types.is_integer(kind) or types.is_null(kind)
        if not (simple or types.is_primitive(kind) or types.is_decimal(kind)):
            raise ValueError(
                f"column {show(field.name)!r} holds {kind}; write numbers and text alone, "
                "or leave it out"
            )
        cells += CELL if simple else OBJECT
    check_memory(path, max(n_rows * cells, n_bytes))


def _values(column: Any) -> npt.NDArray[Any]:
    """A column as an array; equal texts are one object."""
    if hasattr(column.type, "index_type"):
        parts = [_words(chunk) for chunk in column.chunks]
    elif str(column.type) == "double" and not column.null_count:
        parts = [np.from_dlpack(chunk) for chunk in column.chunks]  # `to_numpy` would import pandas
    else:
        return np.asarray(column.to_numpy())
    if len(parts) == 1:
        return parts[0]
    return np.concatenate(parts) if parts else np.empty(0)


def _words(chunk: Any) -> npt.NDArray[Any]:
    words = np.array([*chunk.dictionary.to_pylist(), None], dtype=object)
    places = chunk.indices.cast("int64").fill_null(len(words) - 1)
    return np.asarray(words[np.from_dlpack(places)])
