"""Tables in Parquet, Feather and Excel files, checked before they are unpacked."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._checks import need, show
from rivals._files import check_memory, reading
from rivals.read.arrow import check_table, stated_size, values_of
from rivals.read.text_tables import MAX_COLUMNS, header_names

Columns = dict[str, npt.NDArray[Any]]

# Bytes of a cell that is an object of its own, and of one that is empty; a cell takes up to four tags of XML.
EXCEL_CELL, EXCEL_EMPTY, EXCEL_TAG = 64, 8, 16
CHUNK = 2**20
FEATHER = b"ARROW1\0\0"  # before the messages


def read_parquet(path: Path) -> Columns:
    """The columns of a Parquet file."""
    need("pyarrow", extra="parquet", purpose="Parquet files")
    parquet = need("pyarrow.parquet", extra="parquet", purpose="Parquet files")
    with reading(path, "a Parquet file"):
        with parquet.ParquetFile(path) as file:
            schema, content = file.schema_arrow, file.metadata
            groups = [content.row_group(index) for index in range(content.num_row_groups)]
            _check_columns(schema.names)
            n_rows = sum(max(group.num_rows, 0) for group in groups)
            check_table(path, schema, n_rows, sum(max(group.total_byte_size, 0) for group in groups))
            text = [field.name for field in schema if str(field.type) in ("string", "large_string")]
        # Kept as a dictionary: a long name that occurs in every row is stored once.
        return _from_arrow(parquet.read_table(path, read_dictionary=text, partitioning=None))


def read_feather(path: Path) -> Columns:
    """The columns of a Feather (Arrow IPC) file, which is a stream of messages between marks."""
    ipc = need("pyarrow.ipc", extra="parquet", purpose="Feather files")
    pyarrow = need("pyarrow", extra="parquet", purpose="Feather files")
    with reading(path, "a Feather file"), pyarrow.memory_map(str(path)) as file:
        if file.read(len(FEATHER)) != FEATHER:
            raise ValueError("it does not begin as one")
        messages = file.read_buffer()
        schema = ipc.open_stream(messages).schema
        _check_columns(schema.names)
        n_rows = n_bytes = 0
        for message in ipc.MessageReader.open_stream(messages):
            if message.type in ("record batch", "dictionary"):
                rows, size = stated_size(message)
                n_rows, n_bytes = n_rows + rows, n_bytes + size
        check_table(path, schema, n_rows, n_bytes)
        table = ipc.open_stream(messages).read_all()
        table.validate(full=True)  # the positions of texts come from the file, and may be wrong
        return _from_arrow(table)


def read_excel(path: Path) -> Columns:
    """The columns of the one sheet of an Excel file that has cells; of formulas, the values last shown."""
    openpyxl = need("openpyxl", extra="excel", purpose="Excel files")
    # The file is opened here, so that it is closed whatever is left of a sheet that is refused.
    with reading(path, "an Excel file"), path.open("rb") as file:
        with zipfile.ZipFile(file) as archive:
            check_memory(path, sum(member.file_size for member in archive.infolist()))
            _check_tags(path, archive)
        book = openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
        try:
            sheets = {sheet.title: cells for sheet in book.worksheets if (cells := _cells(sheet, path))}
        finally:
            book.close()
        if len(sheets) > 1:
            raise ValueError(
                f"{len(sheets)} of its sheets have cells: {', '.join(map(show, sheets))}; keep only the one with losses"
            )
    rows = next(iter(sheets.values()), [()])
    width = max(map(len, rows))
    header, *body = ((*row, *[None] * (width - len(row))) for row in rows)
    names = header_names(["" if cell is None else str(cell) for cell in header], show(path))
    if not body:
        raise ValueError(f"{show(path)}: no rows below the header; write one loss per row")
    columns = {}
    for name, column in zip(names, zip(*body, strict=True), strict=True):
        columns[name] = np.empty(len(column), dtype=object)
        columns[name][:] = column
    return columns


def _check_tags(path: Path, archive: zipfile.ZipFile) -> None:
    """An empty cell takes four bytes of XML, and much more here."""
    tags = 0
    for member in archive.infolist():
        with archive.open(member) as file:
            while chunk := file.read(CHUNK):
                tags += chunk.count(b"<")
                check_memory(path, EXCEL_TAG * tags)


def _cells(sheet: Any, path: Path) -> list[tuple[Any, ...]]:
    """The rows of a sheet down to the last that has cells, each up to its last cell."""
    sheet.reset_dimensions()  # the size stated in the file may be wrong
    rows: list[tuple[Any, ...]] = []
    cells = width = 0
    for row in sheet.iter_rows(values_only=True):
        length = max((index for index, cell in enumerate(row, start=1) if cell is not None), default=0)
        cells, width = cells + length + 1, max(width, length)
        check_memory(path, EXCEL_CELL * cells + EXCEL_EMPTY * width * len(rows))
        rows.append(row[:length])
    while rows and not rows[-1]:
        rows.pop()
    return rows


def _from_arrow(table: Any) -> Columns:
    return {name: values_of(column) for name, column in zip(table.column_names, table.columns, strict=True)}


def _check_columns(names: list[str]) -> None:
    if len(names) > MAX_COLUMNS:
        raise ValueError(f"{len(names)} columns, but at most {MAX_COLUMNS} are read")
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"two columns are called {show(name)!r}; names must differ")
        seen.add(name)
