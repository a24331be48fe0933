"""Cells as a table: on a terminal, as HTML, as a data frame. What the cells contain is up to the result."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from rivals._say.optional import need
from rivals._say.words import probability_text, shortened, show
from rivals._types import FloatArray

# Columns if the width of the terminal is unknown, and the most for sentences: longer lines are hard to read.
WIDTH = 100
NARROWEST = 40
# In a table of pairs, above the columns and before the rows.
LONGEST_HEADING, LONGEST_FIRST = 20, 30

Row = Mapping[str, Any]


def text(headings: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """Aligned columns, for a terminal; the last column continues on further lines if it is too long."""
    widths = _widths(headings, body)
    room = max(terminal_width() - sum(widths[:-1]) - 2 * len(widths[:-1]), NARROWEST // 2)
    widths[-1] = min(widths[-1], room)
    lines = [
        part
        for line in (headings, *body)
        for part in _continued(line, textwrap.wrap(line[-1], room, break_on_hyphens=False) or [""])
    ]
    aligned = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
    return "\n".join([aligned[0], "  ".join("─" * width for width in widths), *aligned[1:]])


def wrap(sentence: str, width: int | None = None, *, indent: str = "") -> str:
    """A sentence in lines that fit the terminal; further lines begin with the indent."""
    columns = min(terminal_width(), WIDTH) if width is None else width
    return textwrap.fill(
        sentence, columns, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def terminal_width() -> int:
    """Columns of the terminal; 100 where the output goes elsewhere, so that files look the same everywhere."""
    return (
        max(shutil.get_terminal_size((WIDTH, 24)).columns, NARROWEST)
        if sys.stdout.isatty()
        else WIDTH
    )


def _widths(headings: Sequence[str], body: Sequence[Sequence[str]]) -> list[int]:
    return [max(len(line[column]) for line in (headings, *body)) for column in range(len(headings))]


def width_of(headings: Sequence[str], body: Sequence[Sequence[str]]) -> int:
    widths = _widths(headings, body)
    return sum(widths) + 2 * (len(widths) - 1)


def _continued(line: Sequence[str], last: Sequence[str]) -> list[list[str]]:
    """The cells of a row with the first line of its last cell, and rows that have the other lines of it alone."""
    return [
        [*(line[:-1] if index == 0 else [""] * (len(line) - 1)), part]
        for index, part in enumerate(last)
    ]


def html(
    headings: Sequence[str], body: Sequence[Sequence[str]], *, before: str = "", after: str = ""
) -> str:
    """A table between two sentences, for a notebook."""
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    lines = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in body
    )
    sentences = [f"<p>{escape(sentence)}</p>" if sentence else "" for sentence in (before, after)]
    # The class keeps notebooks from taking dollar signs in names for mathematics.
    return (
        f'<div class="tex2jax_ignore mathjax_ignore">{sentences[0]}'
        f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>{sentences[1]}</div>"
    )


@dataclass(frozen=True, eq=False)
class PairTable:
    """A number for every pair of models, with names on both axes: that the row beats the column.

    Examples
    --------
    >>> import numpy as np
    >>> pairs = PairTable(("A", "B"), np.array([[0.5, 0.9], [0.1, 0.5]]))
    >>> pairs["A", "B"]
    0.9
    >>> print(pairs)
       A      B
    ─  ─────  ─────
    A         0.900
    B  0.100
    """

    names: tuple[str, ...]
    values: FloatArray

    def __getitem__(self, pair: tuple[str, str]) -> float:
        for name in pair:
            if name not in self.names:
                raise KeyError(
                    f"unknown model {show(name)!r}; there are {', '.join(map(show, self.names))}"
                )
        row, column = (self.names.index(name) for name in pair)
        return float(self.values[row, column])

    def cells(self) -> list[list[str]]:
        """The rows as text, each with its name first; nothing on the diagonal."""
        return [
            [
                show(name),
                *(
                    "" if row == column else probability_text(self.values[row, column])
                    for column in range(len(self.names))
                ),
            ]
            for row, name in enumerate(self.names)
        ]

    def to_dataframe(self) -> Any:
        """For pandas, with the names on both axes."""
        pandas = need("pandas", extra="pandas", purpose="to_dataframe")
        return pandas.DataFrame(self.values, index=list(self.names), columns=list(self.names))

    def __str__(self) -> str:
        """As many columns side by side as fit the terminal, the others below."""
        headings = [shortened(show(name), LONGEST_HEADING) for name in self.names]
        names, cells = [shortened(show(name), LONGEST_FIRST) for name in self.names], self.cells()
        room = terminal_width() - max(map(len, names))
        step = max(room // (2 + max(map(len, [*headings, "> .999"]))), 1)
        tables = []
        for begin in range(0, len(names), step):
            body = [
                [name, *row[begin + 1 : begin + 1 + step]]
                for name, row in zip(names, cells, strict=True)
            ]
            tables.append(text(["", *headings[begin : begin + step]], body))
        return "\n\n".join(tables)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html(
            ["", *map(show, self.names)],
            self.cells(),
            after="The probability that the row has a lower risk than the column.",
        )


def dataframe(rows: Sequence[Row], index: str) -> Any:
    """For pandas, with one column as the index."""
    return (
        need("pandas", extra="pandas", purpose="to_dataframe")
        .DataFrame(list(rows))
        .set_index(index)
    )
