"""Cells as a table: on a terminal, as HTML, as a data frame.

What the cells contain is up to the result.
"""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from rivals._say.optional import need

# Columns if the width of the terminal is unknown, and the most for sentences: longer lines are
# hard to read.
WIDTH = 100
NARROWEST = 40
NO_BREAK = "\N{NO-BREAK SPACE}"

Row = Mapping[str, Any]
Line = Sequence[str]


def text(headings: Line, body: Sequence[Line]) -> str:
    """Aligned columns, for a terminal.

    The last column continues on further lines if it is too long.
    """
    widths = _widths(headings, body)
    others = widths[:-1]
    room = max(terminal_width() - sum(others) - 2 * len(others), NARROWEST // 2)
    widths[-1] = min(widths[-1], room)
    lines = []
    for row in (headings, *body):
        for line in _continued(row, room):
            padded = [cell.ljust(width) for cell, width in zip(line, widths, strict=True)]
            lines.append("  ".join(padded).rstrip())
    rule = "  ".join("─" * width for width in widths)
    return "\n".join([lines[0], rule, *lines[1:]])


def wrap(sentence: str, width: int | None = None, *, indent: str = "") -> str:
    """A sentence in lines that fit the terminal; further lines begin with the indent.

    "P = 0.975" and "5 ± 1 %" stay in one line.

    Examples
    --------
    >>> print(wrap("If the study were repeated, it would be better (P = 0.975).", 52))
    If the study were repeated, it would be better
    (P = 0.975).
    """
    columns = min(terminal_width(), WIDTH) if width is None else width
    joined = re.sub(r" ([=<>±]) (?=\S)", f"{NO_BREAK}\\1{NO_BREAK}", sentence)
    joined = re.sub(r"(?<=\d) %", f"{NO_BREAK}%", joined)
    lines = textwrap.fill(
        joined, columns, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return lines.replace(NO_BREAK, " ")


def terminal_width() -> int:
    """Columns of the terminal.

    100 where the output goes elsewhere, so that files look the same everywhere.
    """
    if not sys.stdout.isatty():
        return WIDTH
    return max(shutil.get_terminal_size((WIDTH, 24)).columns, NARROWEST)


def width_of(headings: Line, body: Sequence[Line]) -> int:
    """Columns that the table takes."""
    widths = _widths(headings, body)
    return sum(widths) + 2 * (len(widths) - 1)


def _widths(headings: Line, body: Sequence[Line]) -> list[int]:
    columns = zip(headings, *body, strict=True)
    return [max(map(len, column)) for column in columns]


def _continued(row: Line, room: int) -> list[list[str]]:
    """A row as lines: the first has all its cells, the others the rest of its last cell alone."""
    first, *rest = textwrap.wrap(row[-1], room, break_on_hyphens=False) or [""]
    empty = [""] * (len(row) - 1)
    return [[*row[:-1], first], *([*empty, part] for part in rest)]


def html(headings: Line, body: Sequence[Line], *, before: str = "", after: str = "") -> str:
    """A table between two sentences, for a notebook."""
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    lines = []
    for line in body:
        cells = "".join(f"<td>{escape(cell)}</td>" for cell in line)
        lines.append(f"<tr>{cells}</tr>")
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    # The class keeps notebooks from taking dollar signs in names for mathematics.
    return (
        '<div class="tex2jax_ignore mathjax_ignore">'
        f"{_paragraph(before)}{table}{_paragraph(after)}</div>"
    )


def _paragraph(sentence: str) -> str:
    return f"<p>{escape(sentence)}</p>" if sentence else ""


def dataframe(rows: Sequence[Row], index: str) -> Any:
    """For pandas, with one column as the index."""
    pandas = need("pandas", extra="pandas", purpose="to_dataframe")
    return pandas.DataFrame(list(rows)).set_index(index)
