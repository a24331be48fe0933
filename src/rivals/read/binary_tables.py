"""Tables in Parquet, Feather and Excel files."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._checks import need, show
from rivals._files import allowed_bytes, check_memory, reading
from rivals.read.arrow import values_of
from rivals.read.text_tables import MAX_COLUMNS, header_names

Columns = dict[str, npt.NDArray[Any]]

# Bytes of a number or of a reference to a text, and of a cell that is an object of its own.
CELL, EXCEL_CELL = 8, 64


def read_parquet(path: Path) -> Columns:
    """The columns of a Parquet file."""
    parquet = need("pyarrow.parquet", extra="parquet", purpose="Parquet files")
    pyarrow = need("pyarrow", extra="parquet", purpose="Parquet files")
    with reading(path, "a Parquet file"):
        with parquet.ParquetFile(path) as file:
            schema, n_rows = file.schema_arrow, file.metadata.num_rows
            _check_shape(path, n_rows, len(schema.names))
            text = [field.name for field in schema if pyarrow.types.is_string(field.type)]
        # Kept as a dictionary: a long name that occurs in every row is stored once.
        return _from_arrow(parquet.read_table(path, read_dictionary=text, partitioning=None))


def read_feather(path: Path) -> Columns:
    """The columns of a Feather (Arrow IPC) file."""
    ipc = need("pyarrow.ipc", extra="parquet", purpose="Feather files")
    pyarrow = need("pyarrow", extra="parquet", purpose="Feather files")
    with reading(path, "a Feather file"), ipc.open_file(path) as source:
        batches, needed = [], 0
        for index in range(source.num_record_batches):
            batches.append(source.get_batch(index))
            batches[-1].validate(full=True)  # the positions of texts come from the file, and may be wrong
            needed += batches[-1].nbytes
            check_memory(path, needed)
        return _from_arrow(pyarrow.Table.from_batches(batches, source.schema))


def read_excel(path: Path) -> Columns:
    """The columns of the one sheet of an Excel file that has cells; of formulas, the values last shown."""
    openpyxl = need("openpyxl", extra="excel", purpose="Excel files")
    with reading(path, "an Excel file"):
        with zipfile.ZipFile(path) as archive:
            check_memory(path, sum(member.file_size for member in archive.infolist()))
        book = openpyxl.load_workbook(path, read_only=True, data_only=True, keep_links=False)
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


def _cells(sheet: Any, path: Path) -> list[tuple[Any, ...]]:
    """The rows of a sheet down to the last that has cells, each up to its last cell."""
    sheet.reset_dimensions()  # the size stated in the file may be wrong
    rows: list[tuple[Any, ...]] = []
    needed, allowed = 0, allowed_bytes(path)
    for row in sheet.iter_rows(values_only=True):
        length = max((index for index, cell in enumerate(row, start=1) if cell is not None), default=0)
        needed += EXCEL_CELL * (length + 1)
        if needed > allowed:
            check_memory(path, needed)
        rows.append(row[:length])
    while rows and not rows[-1]:
        rows.pop()
    return rows


def _from_arrow(table: Any) -> Columns:
    names = table.column_names
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"two columns are called {show(name)!r}; names must differ")
        seen.add(name)
    return {name: values_of(column) for name, column in zip(names, table.columns, strict=True)}


def _check_shape(path: Path, n_rows: int, n_columns: int) -> None:
    if n_columns > MAX_COLUMNS:
        raise ValueError(f"{n_columns} columns, but at most {MAX_COLUMNS} are read")
    check_memory(path, CELL * n_rows * n_columns)
