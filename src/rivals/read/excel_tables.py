"""Tables in Excel files, checked before they are unpacked."""

from __future__ import annotations

import zipfile
from itertools import zip_longest
from pathlib import Path
from typing import Any

import numpy as np

from rivals._files import check_memory, reading
from rivals._say.optional import need
from rivals._say.words import show
from rivals.read.text_tables import CHUNK, Columns, header_names

# Bytes of a cell that is an object of its own, and of one that is empty; a cell takes up to
# four tags of XML.
CELL = 64
EMPTY = 8
TAG = 16


def read_excel(path: Path) -> Columns:
    """The columns of the one sheet of an Excel file that has cells; of formulas, the values
    last shown.
    """
    openpyxl = need("openpyxl", extra="excel", purpose="Excel files")
    # The file is opened here, so that it is closed whatever is left of a sheet that is refused.
    with reading(path, "an Excel file"), path.open("rb") as file:
        with zipfile.ZipFile(file) as archive:
            _check_size(path, archive)
        book = openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)
        try:
            sheets = {
                sheet.title: found for sheet in book.worksheets if (found := _cells(sheet, path))
            }
        finally:
            book.close()
        if len(sheets) > 1:
            which = f"{len(sheets)} of its sheets have cells: {', '.join(map(show, sheets))}"
            raise ValueError(f"{which}; keep only the one with losses")
    rows = next(iter(sheets.values()), [()])
    columns = list(zip_longest(*rows))
    names = header_names(
        ["" if cells[0] is None else str(cells[0]) for cells in columns], show(path)
    )
    if len(rows) < 2:
        raise ValueError(f"{show(path)}: no rows below the header; write one loss per row")
    return [
        (name, np.array(cells[1:], dtype=object))
        for name, cells in zip(names, columns, strict=True)
    ]


def _check_size(path: Path, archive: zipfile.ZipFile) -> None:
    """Refuse what unpacks to too much, and too many cells: an empty one takes four bytes of
    XML, and much more here.
    """
    check_memory(path, sum(member.file_size for member in archive.infolist()))
    tags = 0
    for member in archive.infolist():
        with archive.open(member) as file:
            while chunk := file.read(CHUNK):
                tags += chunk.count(b"<")
                check_memory(path, TAG * tags)


def _cells(sheet: Any, path: Path) -> list[tuple[Any, ...]]:
    """The rows of a sheet down to the last that has cells, each up to its last cell."""
    sheet.reset_dimensions()  # the size stated in the file may be wrong
    rows: list[tuple[Any, ...]] = []
    cells = width = 0
    for row in sheet.iter_rows(values_only=True):
        length = max(
            (index for index, cell in enumerate(row, start=1) if cell is not None), default=0
        )
        cells += length + 1
        width = max(width, length)
        check_memory(path, CELL * cells + EMPTY * width * len(rows))
        rows.append(row[:length])
    while rows and not rows[-1]:
        rows.pop()
    return rows
