"""Tables in text files: CSV with any of the usual delimiters, compressed by gzip or not,
and what `np.savetxt` writes.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from io import BytesIO
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
# Characters of a line, which is in memory as a whole; and bytes that a line counts for,
# since it takes time even if it is empty.
LONGEST, LINE = 2**24, 64
# Bytes that a number, and a text that was not there before, take in memory.
NUMBER, TEXT = 8, 160
# Smaller files are read before the fast reader would be imported; and how much it reads at once.
LARGE, BLOCK = 2**21, 2**22
# As `np.savetxt` marks lines that hold no numbers; a name may begin with a hash.
COMMENT = re.compile("# |#\r?\n")
DIGITS = b"0123456789"
PLAIN = DIGITS + b"+-"


def read_text(path: Path, labels: Collection[str] = ()) -> Columns:
    """The columns of a text file with a header: those called `labels` as text, the others
    as numbers.

    A column of numbers with a cell that is not a number stays text from there on: whoever
    needs numbers reports the cell. A large file is first tried by a fast reader; if that
    finds fault with anything, a careful one reads it again.
    """
    packed = path.suffix.lower() == ".gz"
    with reading(path, "a table compressed by gzip" if packed else "a table"):
        check_memory(path, path.stat().st_size)
        if packed:
            _check_unpacked(path)
    opened: Any = gzip.open if packed else open
    with opened(path, "rt", encoding="utf-8-sig", newline="") as file:
        try:
            comments, delimiter = _look(
                _lines(file, show(path)), "\t" if ".tsv" in path.name.lower()[-7:] else None
            )
            file.seek(0)
            rows = _rows(file, comments, delimiter, show(path))
            row, header = next(rows, (1, []))
            names = header_names(header, show(path))
            columns = _Columns(path, [name in labels for name in names])
            fast = path.stat().st_size >= LARGE and _read_fast(
                lambda: opened(path, "rb"), row, delimiter, columns
            )
            if not (fast and columns.parts[0]):  # the careful reader says why there are no rows
                columns = _Columns(path, columns.is_label)
                while block := [cells for _, cells in islice(rows, max(16, 2**18 // len(names)))]:
                    columns.add(zip(*block, strict=True))
        except UnicodeDecodeError as error:
            found = f"{error.reason} at byte {error.start}"
            raise ValueError(
                f"{show(path)}: not text in UTF-8 ({found}); save it as UTF-8"
            ) from None
    if not columns.parts[0]:
        raise ValueError(f"{show(path)}: no rows below the header; write one loss per row")
    return list(zip(names, map(np.concatenate, columns.parts), strict=True))


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
    """How many lines of comment come before the header, and the delimiter: it splits header
    and first row into as many cells, the most.

    `np.savetxt` writes its header behind a hash, as the last of the lines that begin so,
    and blanks between numbers.
    """
    first, second, comments = next(lines, ""), next(lines, ""), 0
    while COMMENT.match(first) and COMMENT.match(second):
        first, second, comments = second, next(lines, ""), comments + 1

    def score(delimiter: str) -> tuple[bool, float]:
        try:
            header, row = (
                len(next(_reader([line.strip("# \r\n")], delimiter), []))
                for line in (first, second)
            )
        # a cell of more than 131 072 characters: the whole line, if the delimiter does not
        # occur
        except csv.Error:
            return False, 0
        # Names may have blanks in them, so that these count only where nothing else separates.
        return header == row, min(header, 1.5) if delimiter == " " and not COMMENT.match(
            first
        ) else header

    return comments, delimiter or max((*DELIMITERS, " "), key=score)


def _reader(lines: Iterable[str], delimiter: str, *, strict: bool = False) -> Any:
    return csv.reader(lines, delimiter=delimiter, strict=strict, skipinitialspace=delimiter == " ")


def _rows(
    file: IO[str], comments: int, delimiter: str, where: str
) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not empty, each with as many cells as the first, and their numbers as
    an editor counts them.
    """
    lines = _lines(file, where)
    *_, header = (next(lines, "") for _ in range(comments + 1))
    # Without the hash, but for one that begins a name.
    rows = _reader(
        chain([header[2:] if COMMENT.match(header) else header], lines), delimiter, strict=True
    )
    number, width = comments, 0
    try:
        for row in rows:
            number, width = comments + rows.line_num, width or len(row)
            if row and len(row) != width:
                raise ValueError(
                    f"{where}, row {number}: expected {width} cells, as the header has; got "
                    f"{len(row)}"
                )
            if row:  # and not an empty line, as at the end of many files
                yield number, row
    except csv.Error as error:
        reason = (
            f"{error}; are quotation marks closed, and cells separated by commas, "
            "semicolons, tabs or bars?"
        )
        if "field limit" in reason:
            reason = (
                f"a cell has more than {csv.field_size_limit()} characters; is a quotation "
                "mark missing?"
            )
        raise ValueError(f"{where}, row {number + 1}: {reason}") from None


class _Columns:
    """Columns that grow by blocks of rows. Numbers take eight bytes each; the texts of all
    cells would take ten times that.
    """

    def __init__(self, path: Path, is_label: list[bool]) -> None:
        self.path, self.is_label = path, is_label
        self.parts: list[list[npt.NDArray[Any]]] = [[] for _ in is_label]
        self.words: dict[str, str] = {}
        self.needed = 0

    def add(self, columns: Iterable[Sequence[str] | FloatArray]) -> None:
        """Some rows more, column by column."""
        for is_label, parts, cells in zip(self.is_label, self.parts, columns, strict=True):
            read = self._texts if is_label else self._numbers
            parts.append(cells if isinstance(cells, np.ndarray) else read(cells))
            self.needed += NUMBER * len(cells)
        with reading(self.path, "a table"):
            check_memory(self.path, self.needed)

    def _numbers(self, cells: Sequence[str]) -> npt.NDArray[Any]:
        try:
            values = (
                np.array([*map(float, cells)]) + 0.0
            )  # there is no −0 among numbers that are read fast
        except ValueError:
            return self._texts(cells)
        # Only Python reads "1_234" as a number.
        return self._texts(cells) if "_" in "".join(cells) else values

    def _texts(self, cells: Sequence[str]) -> npt.NDArray[Any]:
        """Equal texts are one object: the name of a model stands in many rows."""
        known = len(self.words)
        texts = np.array([self.words.setdefault(cell, cell) for cell in cells], dtype=object)
        self.needed += TEXT * (len(self.words) - known)
        return texts


def _read_fast(
    opened: Callable[[], IO[bytes]], skip: int, delimiter: str, columns: _Columns
) -> bool:
    """Fill the columns from what is below `skip` lines; False if there is anything but
    plain text and finite numbers.
    """
    end, is_label = delimiter.encode(), columns.is_label
    others = bytes(set(range(256)) - {*end, *b"\n"})
    with opened() as file:
        if any(b"\r" in file.readline().rstrip(b"\r\n") for _ in range(skip)) or delimiter == " ":
            return False  # lines end otherwise, or several blanks are one
        while block := file.read(BLOCK) + file.readline(LONGEST):
            block = (block.replace(b"\r\n", b"\n") if b"\r" in block else block).strip(b"\n")
            if not block:
                continue
            marks = block.translate(None, PLAIN)
            ends = marks.translate(None, others) + b"\n"
            rows = (end * (len(is_label) - 1) + b"\n") * ends.count(b"\n")
            if b'"' in marks or b"\r" in marks or ends != rows or len(block) >= LONGEST:
                return False
            lines, marks = block.replace(end, b"\n"), marks.replace(end, b"\n")
            try:
                columns.add(
                    _with_labels(lines, is_label)
                    if any(is_label)
                    else _numbers(lines, marks, len(is_label)).T
                )
            except ValueError:
                return False
    return True


def _with_labels(lines: bytes, is_label: list[bool]) -> Iterator[list[str] | FloatArray]:
    """The columns of a block with one cell per line, row after row."""
    cells = lines.split(b"\n")
    columns = [(cells[place :: len(is_label)], label) for place, label in enumerate(is_label)]
    others = b"\n".join(chain(*(own for own, label in columns if not label)))
    numbers = iter(_numbers(others, others.translate(None, PLAIN), len(columns[0][0])))
    return ([cell.decode() for cell in own] if label else next(numbers) for own, label in columns)


def _numbers(lines: bytes, marks: bytes, width: int) -> FloatArray:
    """One finite number per line, as `float` reads them, in rows of a width; or a
    ValueError. `marks` are the lines without `PLAIN`.

    The reader of SciPy is quick and exact, but ignores what follows a number. So each has
    at most one point and then one mark of an exponent, which digits follow, and a sign only
    begins it or its exponent.
    """
    from scipy.io import mmread

    marks = marks.lower()
    if marks.translate(None, b".e\n") or any(pair in marks for pair in (b"..", b"ee", b"e.")):
        raise ValueError
    header = b"%%%%MatrixMarket matrix array real general\n%d 1\n" % (marks.count(b"\n") + 1)
    content = header + lines + b"\n"
    if b"-" in lines or b"+" in lines or b"e" in marks:
        letters = np.frombuffer(content, dtype=np.uint8, offset=len(header) - 1)
        # Of all that is left, signs are 43 and 45, and only the marks of exponents are
        # above the digits.
        signs, exponents = np.flatnonzero(letters - 43 < 3), np.flatnonzero(letters > 57)
        beside = (
            (letters[signs - 1], b"\neE"),
            (letters[signs + 1], DIGITS + b"."),
            (letters[exponents + 1], PLAIN),
        )
        if not all(np.isin(found, list(allowed)).all() for found, allowed in beside):
            raise ValueError
    values: FloatArray = mmread(BytesIO(content))
    if not np.isfinite(values).all():
        raise ValueError
    return values.reshape(-1, width)
