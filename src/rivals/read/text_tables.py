"""Tables in text files: CSV with any of the usual delimiters, compressed by gzip or not, and
what `np.savetxt` writes.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from rivals._files import check_memory, reading
from rivals._say.words import show
from rivals._types import FloatArray

Columns = list[tuple[str, npt.NDArray[Any]]]

DELIMITERS = (",", ";", "\t", "|")
# More models than anybody compares; a file with more columns is not a table of losses.
MAX_COLUMNS = 100_000
CHUNK = 2**20
# Characters of a line, which is in memory as a whole.
LONGEST = 2**24
# Bytes that a line counts for, since it takes time even if it is empty.
LINE = 64
# Bytes that a number, and a text that was not there before, take in memory.
NUMBER = 8
TEXT = 160
# Cells that are read at a time.
BLOCK = 2**18
# Characters that NumPy takes for blanks, and Python does not.
NO_BLANKS = "\x1c\x1d\x1e\x1f"
# As `np.savetxt` marks lines that hold no numbers; a name may begin with a hash.
COMMENT = re.compile("# |#\r?\n")


def read_text(path: Path, labels: Collection[str] = ()) -> Columns:
    """The columns of a text file with a header: those called `labels` as text, the others as
    numbers.

    A column of numbers with a cell that is not a number stays text from there on: whoever
    needs numbers reports the cell.
    """
    packed = path.suffix.lower() == ".gz"
    with reading(path, "a table compressed by gzip" if packed else "a table"):
        check_memory(path, path.stat().st_size)
        if packed:
            _check_unpacked(path)
    opened: Any = gzip.open if packed else open
    with opened(path, "rt", encoding="utf-8-sig", newline="") as file:
        try:
            names, columns = _read(file, path, labels)
        except UnicodeDecodeError as error:
            found = f"{error.reason} at byte {error.start}"
            raise ValueError(
                f"{show(path)}: not text in UTF-8 ({found}); save it as UTF-8"
            ) from None
    if not columns.parts[0]:
        raise ValueError(f"{show(path)}: no rows below the header; write one loss per row")
    return list(zip(names, map(np.concatenate, columns.parts), strict=True))


def _read(file: IO[str], path: Path, labels: Collection[str]) -> tuple[list[str], _Columns]:
    """The names of the columns, and the columns.

    A table of numbers alone is read by NumPy, which is faster. Where that finds
    fault with anything, or where there is text, the csv module reads it.
    """
    where = show(path)
    delimiter = None
    if ".tsv" in path.name.lower()[-7:]:
        delimiter = "\t"
    comments, delimiter = _look(_lines(file, where), delimiter)

    def rows_of_file() -> tuple[Iterator[str], Iterator[list[str]]]:
        file.seek(0)
        lines = _lines(file, where)
        return lines, _rows(lines, comments, delimiter, where)

    lines, rows = rows_of_file()
    names = header_names(next(rows, []), where)
    is_label = [name in labels for name in names]
    # The lines stand behind the header now.
    columns = _Columns(path, is_label)
    if not any(is_label) and fill_by_numpy(columns, lines, delimiter):
        return names, columns

    columns = _Columns(path, is_label)
    _, rows = rows_of_file()
    next(rows, None)
    while block := list(islice(rows, columns.rows_at_once)):
        columns.add(zip(*block, strict=True))
    return names, columns


def header_names(header: Sequence[str], where: str) -> list[str]:
    """The names of the columns, if the first row holds names, and none is a number."""
    names = [name.strip() for name in header]
    if not names or names == [""]:
        raise ValueError(
            f"{where}: the file is empty; expected a header with the names of the columns"
        )
    if len(names) > MAX_COLUMNS:
        raise ValueError(
            f"{where}: {len(names)} columns, but at most {MAX_COLUMNS} are read; write a "
            "long table, with the columns model, kind, loss"
        )
    for name in names:
        try:
            float(name)
        except ValueError:
            continue
        raise ValueError(
            f"{where}: the first row holds the number {show(name)[:60]}, so that the header "
            "is missing; write the names of the columns into the first row (a model that "
            "is called by a number needs a letter, too)"
        )
    # The names that pandas gives them; they are refused as models.
    return [name or f"Unnamed: {index}" for index, name in enumerate(names)]


def _check_unpacked(path: Path) -> None:
    """A compressed file states its size only at its end, if at all: decompress it once, and
    keep nothing.
    """
    with gzip.open(path, "rb") as file:
        unpacked = 0
        while chunk := file.read(CHUNK):
            unpacked += len(chunk) + LINE * max(chunk.count(b"\n"), chunk.count(b"\r"))
            check_memory(path, unpacked)


def _lines(file: IO[str], where: str) -> Iterator[str]:
    while line := file.readline(LONGEST):
        if len(line) == LONGEST:
            raise ValueError(
                f"{where}: a line has {LONGEST} characters or more; write one row of the "
                "table per line"
            )
        yield line


def _look(lines: Iterator[str], delimiter: str | None) -> tuple[int, str]:
    """How many lines of comment come before the header, and the delimiter.

    That is the one that splits header and first row into as many cells, the most. `np.savetxt`
    writes its header behind a hash, as the last of the lines that begin so, and blanks between
    numbers.
    """
    comments = 0
    header = next(lines, "")
    row = next(lines, "")
    while COMMENT.match(header) and COMMENT.match(row):
        comments += 1
        header = row
        row = next(lines, "")
    if delimiter is not None:
        return comments, delimiter

    def score(delimiter: str) -> tuple[bool, float]:
        try:
            in_header = _n_cells(header, delimiter)
            in_row = _n_cells(row, delimiter)
        except csv.Error:
            # A cell of more than 131 072 characters: the whole line, if the delimiter does not
            # occur.
            return False, 0
        count: float = in_header
        if delimiter == " " and not COMMENT.match(header):
            # Names may have blanks in them, so that these count only where nothing else
            # separates.
            count = min(count, 1.5)
        return in_header == in_row, count

    return comments, max((*DELIMITERS, " "), key=score)


def _n_cells(line: str, delimiter: str) -> int:
    return len(next(_reader([line.strip("# \r\n")], delimiter), []))


def _reader(lines: Iterable[str], delimiter: str, *, strict: bool = False) -> Any:
    return csv.reader(lines, delimiter=delimiter, strict=strict, skipinitialspace=delimiter == " ")


def _rows(lines: Iterator[str], comments: int, delimiter: str, where: str) -> Iterator[list[str]]:
    """Rows that are not empty, each with as many cells as the first, which is the header."""
    for _ in range(comments):
        next(lines, "")
    header = next(lines, "")
    if COMMENT.match(header):  # without the hash, but for one that begins a name
        header = header[2:]
    rows = _reader(chain([header], lines), delimiter, strict=True)
    number = comments
    width = 0
    try:
        for row in rows:
            number = comments + rows.line_num  # as an editor counts them
            if not row:  # an empty line, as at the end of many files
                continue
            width = width or len(row)
            if len(row) != width:
                raise ValueError(
                    f"{where}, row {number}: expected {width} cells, as the header has; got "
                    f"{len(row)}"
                )
            yield row
    except csv.Error as error:
        raise ValueError(
            f"{where}, row {number + 1}: {error}; are quotation marks closed, and cells separated "
            "by commas, semicolons, tabs or bars?"
        ) from None


class _Columns:
    """Columns that grow by blocks of rows. Numbers take eight bytes each; the texts of all
    cells would take ten times that.
    """

    def __init__(self, path: Path, is_label: list[bool]) -> None:
        self.path = path
        self.is_label = is_label
        self.parts: list[list[npt.NDArray[Any]]] = [[] for _ in is_label]
        self.words: dict[str, str] = {}
        self.needed = 0

    @property
    def rows_at_once(self) -> int:
        """How many rows are read at a time."""
        return max(16, BLOCK // len(self.is_label))

    def add(self, columns: Iterable[Sequence[str] | FloatArray]) -> None:
        """Some rows more, column by column."""
        for is_label, parts, cells in zip(self.is_label, self.parts, columns, strict=True):
            if isinstance(cells, np.ndarray):
                parts.append(cells)
            elif is_label:
                parts.append(self._texts(cells))
            else:
                parts.append(self._numbers(cells))
            self.needed += NUMBER * len(cells)
        with reading(self.path, "a table"):
            check_memory(self.path, self.needed)

    def _numbers(self, cells: Sequence[str]) -> npt.NDArray[Any]:
        if "_" in "".join(cells):  # only Python reads "1_234" as a number
            return self._texts(cells)
        try:
            return np.array([float(cell) for cell in cells])
        except ValueError:
            return self._texts(cells)

    def _texts(self, cells: Sequence[str]) -> npt.NDArray[Any]:
        """Equal texts are one object: the name of a model stands in many rows."""
        known = len(self.words)
        texts = np.array([self.words.setdefault(cell, cell) for cell in cells], dtype=object)
        self.needed += TEXT * (len(self.words) - known)
        return texts


def fill_by_numpy(columns: _Columns, lines: Iterator[str], delimiter: str) -> bool:
    """Fill columns of numbers; False if there is anything but rows of numbers, or no row.

    What NumPy finds fault with is left to the csv module, which may find another fault before it:
    so are lines that are too long, and bytes that are not text.
    """
    width = len(columns.is_label)
    try:
        while block := list(islice(lines, columns.rows_at_once)):
            written = [line for line in block if line.strip("\r\n")]
            if not written:
                continue
            if _is_for_csv(written):
                return False
            values = np.loadtxt(written, delimiter=delimiter, comments=None, ndmin=2)
            if values.shape[1] != width:
                return False
            columns.add(values.T)
    except ValueError:
        return False
    return bool(columns.parts[0])


def _is_for_csv(lines: list[str]) -> bool:
    """Whether only the csv module reads these lines as it should."""
    if max(map(len, lines)) > csv.field_size_limit():
        return True  # perhaps of one cell, which it refuses
    text = "".join(lines)
    return any(blank in text for blank in NO_BLANKS)
