"""Tables in text files: CSV with any of the usual delimiters, compressed by gzip or not, and what `np.savetxt` writes."""

from __future__ import annotations

import csv
import gzip
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from rivals._checks import show
from rivals._files import check_memory, check_plain_file, reading
from rivals.read.fast_text import read_fast

DELIMITERS = (",", ";", "\t", "|")
# More models than anybody compares; a file with more columns is not a table of losses.
MAX_COLUMNS = 100_000
CHUNK = 2**20
# Bytes that a number, and a text that was not there before, take in memory.
NUMBER, TEXT = 8, 160
# Smaller files are read before a fast reader would be imported.
LARGE = 2**21
# As `np.savetxt` marks lines that hold no numbers; a name may begin with a hash.
COMMENT = re.compile("# |#\r?\n")


def read_text(path: Path, labels: Collection[str] = ()) -> dict[str, npt.NDArray[Any]]:
    """The columns of a text file with a header: those called `labels` as text, the others as numbers.

    A column of numbers with a cell that is not a number stays text from there on: whoever needs numbers reports the cell.
    A large file is first tried by a fast reader; if that finds fault with anything, a careful one reads it again.
    """
    check_plain_file(path)
    if path.suffix.lower() == ".gz":
        _check_unpacked(path)
    else:
        with reading(path, "a table"):
            check_memory(path, path.stat().st_size)
    opened: Any = gzip.open if path.suffix.lower() == ".gz" else open
    with opened(path, "rt", encoding="utf-8-sig", newline="") as file:
        try:
            return _columns(file, path, labels, lambda: opened(path, "rb"))
        except UnicodeDecodeError as error:
            raise ValueError(
                f"{show(path)}: not text in UTF-8 ({error.reason} at byte {error.start}); save it as UTF-8"
            ) from None


def header_names(header: Sequence[str], where: str) -> list[str]:
    """The names of the columns, if the first row holds names: all different, and none a number."""
    names = [name.strip() for name in header]
    if not names or names == [""]:
        raise ValueError(f"{where}: the file is empty; expected a header with the names of the columns")
    if len(names) > MAX_COLUMNS:
        raise ValueError(
            f"{where}: {len(names)} columns, but at most {MAX_COLUMNS} are read; write models into rows: a long table has the "
            "columns model, kind, loss"
        )
    wrong = next((name for name in names if _is_number(name)), None)
    if wrong is not None:
        raise ValueError(
            f"{where}: the first row holds {'numbers only' if all(map(_is_number, names)) else f'the number {show(wrong)[:60]}'}, so "
            "that the header is missing; write the names of the columns into the first row (a model that is called by a number "
            "needs a letter, too)"
        )
    # The names that pandas gives them; they are refused as models.
    names = [name or f"Unnamed: {index}" for index, name in enumerate(names)]
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"{where}: two columns are called {show(name)!r}; names must differ")
        seen.add(name)
    return names


def _check_unpacked(path: Path) -> None:
    """A compressed file states its size only at its end, if at all: decompress it once, and keep nothing."""
    with reading(path, "a table compressed by gzip"), gzip.open(path, "rb") as file:
        unpacked = 0
        while chunk := file.read(CHUNK):
            unpacked += len(chunk)
            check_memory(path, unpacked)


def _columns(
    file: IO[str], path: Path, labels: Collection[str], opened: Callable[[], IO[bytes]]
) -> dict[str, npt.NDArray[Any]]:
    comments, delimiter = _look(file, "\t" if ".tsv" in path.name.lower()[-7:] else None)
    file.seek(0)
    rows = _rows(file, comments, delimiter)
    row, names = 0, []
    try:
        row, header = next(rows, (1, []))
        names = header_names(header, show(path))
        if path.stat().st_size >= LARGE:
            with opened() as packed:
                found = read_fast(packed, row, delimiter, names, labels)
            if found is not None:
                return found
        blocks = _Blocks(path, [name in labels for name in names])
        for row, cells in rows:
            if len(cells) != len(names):
                raise ValueError(
                    f"{show(path)}, row {row}: expected {len(names)} cells, as the header has; got {len(cells)}"
                )
            blocks.add(cells)
    except csv.Error as error:
        reason = f"{error}"
        if "field limit" in reason:
            reason = f"a cell has more than {csv.field_size_limit()} characters; is a quotation mark missing?"
        raise ValueError(f"{show(path)}, row {row + 1}: {reason}") from None
    columns = blocks.columns()
    if not columns[0].size:
        raise ValueError(f"{show(path)}: no rows below the header; write one loss per row")
    return dict(zip(names, columns, strict=True))


class _Blocks:
    """Columns that grow by blocks of rows. Numbers take eight bytes each; the texts of all cells would take ten times that."""

    def __init__(self, path: Path, is_label: list[bool]) -> None:
        self.path, self.is_label = path, is_label
        self.rows: list[list[str]] = []
        self.parts: list[list[npt.NDArray[Any]]] = [[] for _ in is_label]
        self.words: dict[str, str] = {}
        self.needed = 0

    def add(self, cells: list[str]) -> None:
        self.rows.append(cells)
        if len(self.rows) >= max(16, 2**18 // len(cells)):
            self.convert()

    def convert(self) -> None:
        for is_label, parts, cells in zip(self.is_label, self.parts, zip(*self.rows, strict=True), strict=False):
            part = self._texts(cells) if is_label else self._numbers(cells)
            self.needed += NUMBER * part.size
            parts.append(part)
        self.rows = []
        with reading(self.path, "a table"):
            check_memory(self.path, self.needed)

    def columns(self) -> list[npt.NDArray[Any]]:
        self.convert()
        return [np.concatenate(parts) if parts else np.empty(0) for parts in self.parts]

    def _numbers(self, cells: Sequence[str]) -> npt.NDArray[Any]:
        try:
            values = np.array([*map(float, cells)])
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


def _look(file: IO[str], delimiter: str | None) -> tuple[int, str]:
    """How many lines of comment come before the header, and the delimiter.

    `np.savetxt` writes its header behind a hash, as the last of the lines that begin so, and blanks between numbers.
    """
    first = file.readline()
    comments = 0
    while COMMENT.match(first):
        following = file.readline()
        if not COMMENT.match(following):
            return comments, delimiter or _delimiter([first.lstrip("# "), following], (*DELIMITERS, " "))
        first, comments = following, comments + 1
    return comments, delimiter or _delimiter([first, file.readline()], DELIMITERS)


def _rows(file: IO[str], comments: int, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not empty, with their numbers as an editor counts them."""
    for _ in range(comments):
        file.readline()
    header = file.readline()
    lines = chain([header.lstrip("# ") if COMMENT.match(header) else header], file)
    rows = csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=delimiter == " ")
    for row in rows:
        if row:  # an empty line, as at the end of many files
            yield comments + rows.line_num, row


def _delimiter(first: list[str], delimiters: Sequence[str]) -> str:
    """The delimiter that splits header and first row into the same number of cells, and into the most."""

    def score(delimiter: str) -> tuple[bool, int]:
        try:
            header, row = (
                len(next(csv.reader([line.rstrip("\r\n")], delimiter=delimiter, skipinitialspace=delimiter == " "), []))
                for line in first
            )
        except csv.Error:  # a cell of more than 131 072 characters: the whole line, if the delimiter does not occur
            return False, 0
        return header == row, header

    return max(delimiters, key=score)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
