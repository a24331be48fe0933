"""Rows as a table: on a terminal, as HTML, as a data frame. What the rows contain is up to the result."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

import numpy as np

from rivals._checks import need, show
from rivals._types import FloatArray
from rivals.core.tails import extremes, tail_shape, tail_word
from rivals.losses import Losses

HEADINGS = ("model", "mean loss", "difference to best", "risk, 90 % interval", "rejected by", "stable", "notes")
NARROW_HEADINGS = ("model", "mean loss", "to best", "risk (90 %)", "rejected by", "stable")

# Columns if the width of the terminal is unknown, and the most for sentences: longer lines are hard to read.
WIDTH = 100
NARROWEST = 40
# A name is never cut to less than this, even if the table is then wider than the terminal.
SHORTEST_NAME = 8
# Printed tables end with at most this many lines of notes.
MOST_NOTES = 12
LISTED = 3
# In a table of pairs, above the columns and before the rows.
LONGEST_HEADING, LONGEST_FIRST = 20, 30

Row = Mapping[str, Any]


class Note(NamedTuple):
    """What to know before you trust the numbers of a model: a code for programs, a text for people.

    Examples
    --------
    >>> Note("ties", "ties 12%").to_dict()
    {'code': 'ties', 'text': 'ties 12%'}
    """

    code: str
    text: str

    def to_dict(self) -> dict[str, str]:
        """For JSON."""
        return self._asdict()


def cells(rows: Sequence[Row], longest: int | None = None) -> list[list[str]]:
    """The rows of a comparison as text, one list per model in the order of `HEADINGS`; longer names are cut."""
    number = _number_format(rows)
    mean = _mean_format(rows) or number

    def name(model: str) -> str:
        return show(model) if longest is None else shortened(show(model), longest)

    return [
        [
            name(row["model"]),
            mean(row["empirical_risk"]),
            "best" if index == 0 else f"{mean(row['difference'])} ± {mean(row['difference_error'])}",
            f"{number(row['risk_5'])} … {number(row['risk_95'])}",
            ""
            if row["survives"]
            else f"{name(row['rejected_by'])} ({probability_text(row['rejected_with_probability'])})",
            "?" if row["stability"] is None else f"{row['stability']:.0%}",
            "; ".join(note["text"] for note in row["diagnostics"]),
        ]
        for index, row in enumerate(rows)
    ]


def comparison_text(rows: Sequence[Row]) -> str:
    """The rows of a comparison for a terminal: aligned columns that fit it, and the notes below them."""
    # The notes would make most tables wider than a screen.
    longest = max(len(show(name)) for row in rows for name in (row["model"], row["rejected_by"] or ""))
    longest = min(longest, terminal_width())
    for headings, shortest in ((HEADINGS[:-1], 2 * SHORTEST_NAME), (NARROW_HEADINGS, SHORTEST_NAME)):
        for length in range(longest, min(shortest, longest) - 1, -2):
            body = [line[:-1] for line in cells(rows, length)]
            if _width(headings, body) <= terminal_width():
                return "\n".join([text(headings, body), *footnotes(rows)])
    return "\n".join([text(headings, body), *footnotes(rows)])


def footnotes(rows: Sequence[Row], width: int | None = None) -> list[str]:
    """The notes of all rows as lines, each text once with the models that it belongs to; nothing where there are none."""
    models: dict[str, list[str]] = {}
    for row in rows:
        for note in row["diagnostics"]:
            models.setdefault(note["text"], []).append(row["model"])
    lines = [
        f"{'all models' if len(names) == len(rows) > LISTED else listed(names, LISTED)}: {note}"
        for note, names in models.items()
    ]
    if len(lines) > MOST_NOTES:
        lines = [*lines[:MOST_NOTES], f"{len(lines) - MOST_NOTES} more notes: see `diagnostics` of the result"]
    return ["Notes", *(wrap(f"  {line}", width, indent="    ") for line in lines)] if lines else []


def probability_text(probability: float) -> str:
    """Three decimals, but never a claim of certainty.

    Examples
    --------
    >>> probability_text(0.98), probability_text(0.99999)
    ('0.980', '> .999')
    """
    return "< .001" if probability < 0.0005 else "> .999" if probability > 0.9995 else f"{probability:.3f}"


def listed(names: Sequence[str], most: int = 12) -> str:
    """Names for a sentence, cut short if there are many.

    Examples
    --------
    >>> listed(["A", "B", "C", "D"], most=2)
    'A, B and 2 more'
    """
    rest = len(names) - most
    return ", ".join(map(show, names[:most])) + (f" and {rest} more" if rest > 0 else "")


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
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    ]
    return "\n".join([aligned[0], "  ".join("─" * width for width in widths), *aligned[1:]])


def wrap(sentence: str, width: int | None = None, *, indent: str = "") -> str:
    """A sentence in lines that fit the terminal; further lines begin with the indent."""
    columns = min(terminal_width(), WIDTH) if width is None else width
    return textwrap.fill(sentence, columns, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def terminal_width() -> int:
    """Columns of the terminal; 100 where the output goes elsewhere, so that files look the same everywhere."""
    return max(shutil.get_terminal_size((WIDTH, 24)).columns, NARROWEST) if sys.stdout.isatty() else WIDTH


def shortened(text: str, longest: int) -> str:
    """Text cut in the middle: names of variants often differ only at their end.

    Examples
    --------
    >>> shortened("gradient boosting, depth 12", 15)
    'gradien…epth 12'
    """
    if len(text) <= longest:
        return text
    tail = (longest - 1) // 2
    return text[: longest - 1 - tail] + "…" + text[len(text) - tail :]


def _widths(headings: Sequence[str], body: Sequence[Sequence[str]]) -> list[int]:
    return [max(len(line[column]) for line in (headings, *body)) for column in range(len(headings))]


def _width(headings: Sequence[str], body: Sequence[Sequence[str]]) -> int:
    widths = _widths(headings, body)
    return sum(widths) + 2 * (len(widths) - 1)


def _continued(line: Sequence[str], last: Sequence[str]) -> list[list[str]]:
    """The cells of a row with the first line of its last cell, and rows that have the other lines of it alone."""
    return [[*(line[:-1] if index == 0 else [""] * (len(line) - 1)), part] for index, part in enumerate(last)]


def html(headings: Sequence[str], body: Sequence[Sequence[str]], *, before: str = "", after: str = "") -> str:
    """A table between two sentences, for a notebook."""
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    lines = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in body)
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
                raise KeyError(f"unknown model {show(name)!r}; there are {', '.join(map(show, self.names))}")
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
        return "\n\n".join(text(["", *self._headings(columns)], self._lines(columns)) for columns in self._blocks())

    def _headings(self, columns: Sequence[int]) -> list[str]:
        return [shortened(show(self.names[column]), LONGEST_HEADING) for column in columns]

    def _lines(self, columns: Sequence[int]) -> list[list[str]]:
        return [
            [shortened(name, LONGEST_FIRST), *(cells[column] for column in columns)] for name, *cells in self.cells()
        ]

    def _blocks(self) -> list[list[int]]:
        """The columns, as many at a time as fit the terminal."""
        room = terminal_width() - min(max(len(show(name)) for name in self.names), LONGEST_FIRST)
        blocks: list[list[int]] = [[]]
        for column, heading in enumerate(self._headings(range(len(self.names)))):
            taken = 2 + max(len(heading), len("> .999"))
            if blocks[-1] and taken > room - sum(2 + max(len(other), 6) for other in self._headings(blocks[-1])):
                blocks.append([])
            blocks[-1].append(column)
        return blocks

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html(
            ["", *map(show, self.names)],
            self.cells(),
            after="The probability that the row has a lower risk than the column.",
        )


def dataframe(rows: Sequence[Row], index: str) -> Any:
    """For pandas, with one column as the index."""
    return need("pandas", extra="pandas", purpose="to_dataframe").DataFrame(list(rows)).set_index(index)


def notes(losses: Losses, *, in_time: bool) -> tuple[Note, ...]:
    """What to know before you trust the numbers of a model, in short; empty for a healthy one.

    Points are counted from 0, as arrays are; messages about files count rows as an editor does, the header as row 1.
    """
    found = []
    shape = tail_shape(losses.observed)
    code = {"look": "heavy_tail", "do not trust": "very_heavy_tail"}.get(tail_word(shape))
    if code is not None:
        points = ", ".join(map(str, extremes(losses.observed, 3).tolist()))
        advice = "do not trust the mean" if code == "very_heavy_tail" else "look at them"
        found.append(Note(code, f"few losses dominate: {advice} (tail {shape:.2f}; points {points}, counted from 0)"))
    if losses.tie_fraction > 0.01:
        found.append(Note("ties", f"{losses.tie_fraction:.0%} of the losses are tied"))
    if in_time and losses.effective_size < 0.5 * losses.n_observed:
        found.append(
            Note(
                "autocorrelated",
                f"autocorrelated: {losses.n_observed} losses are worth {losses.effective_size:.0f} independent ones",
            )
        )
    if losses.n_simulations and losses.n_synthetic != losses.n_observed:
        found.append(Note("unequal_sizes", f"{losses.n_synthetic} synthetic but {losses.n_observed} observed losses"))
    return tuple(found)


def _mean_format(rows: Sequence[Row]) -> Callable[[float], str] | None:
    """For mean losses and their differences, if these are known far better than the risks; else None."""
    errors = [row["difference_error"] for row in rows if row["difference_error"] > 0.0]
    narrowest = min(row["risk_95"] - row["risk_5"] for row in rows)
    largest = max(abs(row["empirical_risk"]) for row in rows)
    if not errors or not 1e-4 < largest < 1e7 or narrowest < 10.0 * np.median(errors):
        return None
    decimals = int(np.clip(np.ceil(-np.log10(np.median(errors))) + 1, 0, 12))
    return lambda value: f"{value:.{decimals}f}"


def _number_format(rows: Sequence[Row]) -> Callable[[float], str]:
    """As many digits, for all rows alike, as the narrowest distribution gives meaning to."""
    largest = max(max(abs(row["risk_5"]), abs(row["risk_95"])) for row in rows)
    widths = [row["risk_95"] - row["risk_5"] for row in rows]
    narrowest = min((width for width in widths if width > 1e-13 * largest), default=1e-4 * largest)
    if not 1e-4 < largest < 1e7:
        # The narrowest of denormal numbers may be zero.
        digits = int(np.clip(np.ceil(np.log10(largest / narrowest)) + 2, 6, 16)) if narrowest > 0 else 6
        finest = np.log10(narrowest) - 2 if narrowest > 0 else -np.inf
        return lambda value: f"{value:.{_significant(value, finest, digits)}g}"
    decimals = int(np.clip(np.ceil(-np.log10(narrowest)) + 2, 0, 12))
    return lambda value: f"{value:.{decimals}f}"


def _significant(value: float, finest: float, most: int) -> int:
    """Digits of a value down to a power of ten, four at least: beside one that is huge, a small one has fewer that mean something."""
    if value == 0.0 or not np.isfinite([value, finest]).all():
        return most
    return int(np.clip(np.floor(np.log10(abs(value))) + 1 - np.floor(finest), min(4, most), most))
