"""Rows as a table: on a terminal, as HTML, as a data frame. What the rows say is the result's to know."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from rivals._checks import need, show
from rivals._types import FloatArray
from rivals.core.tails import extremes, tail_shape, tail_word
from rivals.losses import Losses

HEADINGS = ("model", "mean loss", "difference to best", "risk, 90 % interval", "rejected by", "stable", "notes")

Row = Mapping[str, Any]


def cells(rows: Sequence[Row]) -> list[list[str]]:
    """The rows of a comparison as text, one list per model in the order of `HEADINGS`."""
    number = _number_format(rows)
    return [
        [
            show(row["model"]),
            number(row["empirical_risk"]),
            "best" if index == 0 else f"{number(row['difference'])} ± {number(row['difference_error'])}",
            f"{number(row['risk_5'])} … {number(row['risk_95'])}",
            "" if row["survives"] else f"{show(row['rejected_by'])} ({row['rejected_with_probability']:.3f})",
            "?" if row["stability"] is None else f"{row['stability']:.0%}",
            row["diagnostics"],
        ]
        for index, row in enumerate(rows)
    ]


def text(headings: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """Aligned columns, for a terminal."""
    lines = [list(headings), *body]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headings))]
    aligned = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
    ]
    return "\n".join([aligned[0], "  ".join("─" * width for width in widths), *aligned[1:]])


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
                *("" if row == column else f"{self.values[row, column]:.3f}" for column in range(len(self.names))),
            ]
            for row, name in enumerate(self.names)
        ]

    def to_dataframe(self) -> Any:
        """For pandas, with the names on both axes."""
        pandas = need("pandas", extra="table", purpose="to_dataframe")
        return pandas.DataFrame(self.values, index=list(self.names), columns=list(self.names))

    def __str__(self) -> str:
        return text(["", *map(show, self.names)], self.cells())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html(
            ["", *map(show, self.names)],
            self.cells(),
            after="The probability that the row has a lower risk than the column.",
        )


def dataframe(rows: Sequence[Row], index: str) -> Any:
    """For pandas, with one column as the index."""
    return need("pandas", extra="table", purpose="to_dataframe").DataFrame(list(rows)).set_index(index)


def notes(losses: Losses, *, in_time: bool) -> tuple[str, ...]:
    """What one should know before believing the numbers of a model, shortly; nothing about a healthy one."""
    sentences = []
    shape = tail_shape(losses.observed)
    if tail_word(shape) in ("look", "do not trust"):
        rows = ", ".join(map(str, extremes(losses.observed, 3).tolist()))
        sentences.append(f"largest losses: {tail_word(shape)} (tail {shape:.2f}; rows {rows} …)")
    if losses.tie_fraction > 0.01:
        sentences.append(f"ties {losses.tie_fraction:.0%}")
    if in_time and losses.effective_size < 0.5 * losses.n_observed:
        sentences.append(f"effective size {losses.effective_size:.0f} of {losses.n_observed}")
    if losses.n_simulations and losses.n_synthetic != losses.n_observed:
        sentences.append(f"{losses.n_synthetic} synthetic, {losses.n_observed} observed")
    return tuple(sentences)


def _number_format(rows: Sequence[Row]) -> Callable[[float], str]:
    """As many digits, for all rows alike, as the narrowest distribution gives meaning to."""
    largest = max(max(abs(row["risk_5"]), abs(row["risk_95"])) for row in rows)
    widths = [row["risk_95"] - row["risk_5"] for row in rows]
    narrowest = min((width for width in widths if width > 1e-13 * largest), default=1e-4 * largest)
    if not 1e-4 < largest < 1e7:
        # The narrowest of denormal numbers may be zero.
        digits = int(np.clip(np.ceil(np.log10(largest / narrowest)) + 2, 6, 16)) if narrowest > 0 else 6
        return lambda value: f"{value:.{digits}g}"
    decimals = int(np.clip(np.ceil(-np.log10(narrowest)) + 2, 0, 12))
    return lambda value: f"{value:.{decimals}f}"
