"""Tables in Parquet and Feather files. What their columns take in memory is checked before they are unpacked."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._checks import need, show
from rivals._files import check_memory, reading
from rivals.read.text_tables import MAX_COLUMNS, Columns

# Bytes of a cell: a number, or a reference to a text that is shared, and what it is made from; and one that is an object of its own.
CELL, OBJECT = 16, 128
FEATHER = b"ARROW1\0\0"  # before the messages


def read_parquet(path: Path) -> Columns:
    """The columns of a Parquet file."""
    need("pyarrow", extra="parquet", purpose="Parquet files")
    parquet = need("pyarrow.parquet", extra="parquet", purpose="Parquet files")
    with reading(path, "a Parquet file"):
        with parquet.ParquetFile(path) as file:
            schema, content = file.schema_arrow, file.metadata
            groups = [content.row_group(index) for index in range(content.num_row_groups)]
            n_rows = sum(max(group.num_rows, 0) for group in groups)
            _check_table(path, schema, n_rows, sum(max(group.total_byte_size, 0) for group in groups))
            text = [field.name for field in schema if str(field.type) in ("string", "large_string")]
        # Kept as a dictionary: a long name that occurs in every row is stored once.
        return _columns(parquet.read_table(path, read_dictionary=text, partitioning=None))


def read_feather(path: Path) -> Columns:
    """The columns of a Feather (Arrow IPC) file, which is a stream of messages between marks."""
    pyarrow = need("pyarrow", extra="parquet", purpose="Feather files")
    ipc = need("pyarrow.ipc", extra="parquet", purpose="Feather files")
    with reading(path, "a Feather file"), pyarrow.memory_map(str(path)) as file:
        if file.read(len(FEATHER)) != FEATHER:
            raise ValueError("it does not begin as one")
        messages = file.read_buffer()
        sizes = [
            _stated_size(message)
            for message in ipc.MessageReader.open_stream(messages)
            if message.type in ("record batch", "dictionary")
        ]
        schema = ipc.open_stream(messages).schema
        _check_table(path, schema, sum(rows for rows, _ in sizes), sum(unpacked for _, unpacked in sizes))
        table = ipc.open_stream(messages).read_all()
        table.validate(full=True)  # the positions of texts come from the file, and may be wrong
        return _columns(table)


def _check_table(path: Path, schema: Any, n_rows: int, n_bytes: int) -> None:
    """Refuse a table that would take too much memory: a row may take no space in a file. `n_bytes` is what is unpacked."""
    from pyarrow import types

    if len(schema) > MAX_COLUMNS:
        raise ValueError(f"{len(schema)} columns, but at most {MAX_COLUMNS} are read")
    cells = 0
    for field in schema:
        kind = field.type.value_type if types.is_dictionary(field.type) else field.type
        text = types.is_string(kind) or types.is_large_string(kind)
        simple = text or types.is_floating(kind) or types.is_integer(kind) or types.is_null(kind)
        if not (simple or types.is_primitive(kind) or types.is_decimal(kind)):
            raise ValueError(f"column {show(field.name)!r} holds {kind}; write numbers and text alone, or leave it out")
        cells += CELL if simple else OBJECT
    check_memory(path, max(n_rows * cells, n_bytes))


def _stated_size(message: Any) -> tuple[int, int]:
    """Rows of an IPC message, and bytes that its buffers say they unpack to; pyarrow tells neither before it has unpacked them.

    A message is a flatbuffer, in which a field of a table is found by the number of its slot. Of a compressed buffer, the
    first eight bytes are its size.
    """
    content, body = memoryview(message.metadata), memoryview(message.body or b"")
    batch = _follow(content, _slot(content, _follow(content, 0), 2))
    if message.type == "dictionary":
        batch = _follow(content, _slot(content, batch, 1))
    rows, buffers, packed = (_slot(content, batch, slot) for slot in (0, 2, 3))
    if buffers is None:
        return 0, 0
    start = _follow(content, buffers)
    (count,) = struct.unpack_from("<I", content, start)
    sizes = 0
    for place, length in struct.iter_unpack("<qq", content[start + 4 : start + 4 + 16 * count]):
        stated = struct.unpack_from("<q", body, place)[0] if packed is not None and length >= 8 else 0
        sizes += max(length, stated, 0)
    return max(struct.unpack_from("<q", content, rows)[0], 0) if rows is not None else 0, sizes


def _follow(content: memoryview, place: int | None) -> int:
    """Where the offset at this place points to."""
    if place is None:
        raise ValueError("a part of it is missing")
    return place + int(struct.unpack_from("<I", content, place)[0])


def _slot(content: memoryview, table: int, slot: int) -> int | None:
    """Where a field of a table is; None if it has its default."""
    fields = table - int(struct.unpack_from("<i", content, table)[0])
    (size,) = struct.unpack_from("<H", content, fields)
    offset = struct.unpack_from("<H", content, fields + 4 + 2 * slot)[0] if 4 + 2 * slot < size else 0
    return table + int(offset) if offset else None


def _columns(table: Any) -> Columns:
    return [(name, _values(column)) for name, column in zip(table.column_names, table.columns, strict=True)]


def _values(column: Any) -> npt.NDArray[Any]:
    """A column as an array; equal texts are one object."""
    if str(column.type) in ("string", "large_string"):
        column = column.dictionary_encode()
    if hasattr(column.type, "index_type"):
        parts = [_words(chunk) for chunk in column.chunks]
    elif str(column.type) == "double" and not column.null_count:
        parts = [np.from_dlpack(chunk) for chunk in column.chunks]  # `to_numpy` would import pandas
    else:
        return np.asarray(column.to_numpy())
    return parts[0] if len(parts) == 1 else np.concatenate(parts) if parts else np.empty(0)


def _words(chunk: Any) -> npt.NDArray[Any]:
    words = np.array([*chunk.dictionary.to_pylist(), None], dtype=object)
    places = chunk.indices.cast("int64").fill_null(len(words) - 1)
    return np.asarray(words[np.from_dlpack(places)])
