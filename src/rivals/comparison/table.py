"""The columns of a comparison: one list for the terminal, notebooks, the page, JSON and data frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np

from rivals._say.words import all_shortened, probability_text, show, told_apart
from rivals.comparison.answers import Answers, AnswersOverC
from rivals.comparison.notes import Note, by_text
from rivals.comparison.rendering import terminal_width, text, width_of, wrap

# A name is never cut to less than this, even if the table is then wider than the terminal.
SHORTEST_NAME = 8
# Printed tables end with at most this many lines of notes.
MOST_NOTES = 12
# A sweep over more values of c is printed by ranges.
MANY_VALUES = 40
SWEEP_HEADINGS = ("c", "survivors")

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Column:
    """What a column is called, what it means, what it is made from, and how a cell looks.

    Parameters
    ----------
    heading : str
        Above the column.
    note : str
        What the column means.
    values : callable
        (result, name) → what JSON and data frames have of it, by key.
    cell : callable
        (row, format) → text.
    shown : callable
        rows → whether the column has anything to show.
    short : str
        The heading where there is little room; the same by default.
    """

    heading: str
    note: str
    values: Callable[[Answers, str], dict[str, Any]]
    cell: Callable[[Row, Format], str]
    shown: Callable[[Sequence[Row]], bool] = lambda rows: True
    short: str = ""


@dataclass(frozen=True)
class Format:
    """How numbers and names of one table look: as many digits as mean something, for all rows alike."""

    name: Callable[[str], str]
    mean: Callable[[float], str]
    number: Callable[[float], str]
    best: str


def _values_of_risk(result: Answers, name: str) -> dict[str, Any]:
    low, high = result.risk_interval(name)
    std = result.risk_std[name]
    return {
        "risk_mean": result.risk_mean[name],
        "risk_std": std if np.isfinite(std) else None,
        "risk_5": low,
        "risk_95": high,
    }


def _values_of_verdict(result: Answers, name: str) -> dict[str, Any]:
    rejection = result.rejections.get(name)
    return {
        "survives": rejection is None,
        "rejected_by": None if rejection is None else rejection.by,
        "rejected_with_probability": None if rejection is None else rejection.probability,
    }


def _won(result: Answers, name: str) -> dict[str, Any]:
    """In how many groups the best model has the lower mean loss, and how probably its risk is lower in a new one."""
    groups = result.applied.setting.groups
    if result.won is None or groups is None:
        return {"groups_lost_to_best": None, "groups": None, "best_is_better": None}
    best, own = result.names.index(result.ranking[0]), result.names.index(name)
    return {
        "groups_lost_to_best": int(result.won[best, own]),
        "groups": len(groups.names),
        "best_is_better": float(result.probability[best, own]),
    }


# A cell of these would make most tables wider than a screen; the terminal and the page have another place for them.
NOTES = Column(
    "notes",
    "What to know before you trust its numbers.",
    lambda result, name: {"diagnostics": [note.to_dict() for note in result.diagnostics[name]]},
    lambda row, form: "; ".join(note["text"] for note in row["diagnostics"]),
    lambda rows: any(row["diagnostics"] for row in rows),
)
COLUMNS = (
    Column(
        "model",
        "Its name.",
        lambda result, name: {"model": name},
        lambda row, form: form.name(row["model"]),
    ),
    Column(
        "mean loss",
        "Mean of the losses on the data.",
        lambda result, name: {"empirical_risk": result.empirical_risk[name]},
        lambda row, form: form.mean(row["empirical_risk"]),
    ),
    Column(
        "difference to best",
        "Difference between its mean loss and that of the best model, paired point by point, ± standard error.",
        lambda result, name: dict(
            zip(("difference", "difference_error"), result.difference[name], strict=True)
        ),
        lambda row, form: (
            "best"
            if row["model"] == form.best
            else f"{form.mean(row['difference'])} ± {form.mean(row['difference_error'])}"
        ),
        short="to best",
    ),
    Column(
        "best won",
        "In how many groups the best model has the lower mean loss of the two, and how probably its risk is lower in a new group.",
        _won,
        lambda row, form: (
            ""
            if row["model"] == form.best
            else f"{row['groups_lost_to_best']} of {row['groups']}, P {probability_text(row['best_is_better'])}"
        ),
        lambda rows: rows[0]["groups"] is not None,
    ),
    Column(
        "risk, 90 % interval",
        "The risk in a replication lies in this interval with probability 0.9.",
        _values_of_risk,
        lambda row, form: f"{form.number(row['risk_5'])} … {form.number(row['risk_95'])}",
        short="risk (90 %)",
    ),
    Column(
        "rejected by",
        "By which rival it is rejected, and how probably that rival is better.",
        _values_of_verdict,
        lambda row, form: (
            ""
            if row["survives"]
            else f"{form.name(row['rejected_by'])} ({probability_text(row['rejected_with_probability'])})"
        ),
    ),
    Column(
        "stable",
        "Fraction of the single simulations that would give the same verdict.",
        lambda result, name: {
            "stability": None if np.isnan(result.stability[name]) else float(result.stability[name])
        },
        lambda row, form: "?" if row["stability"] is None else f"{row['stability']:.0%}",
        lambda rows: any(row["stability"] is not None for row in rows),
    ),
    NOTES,
)


def rows_of(result: Answers) -> list[dict[str, Any]]:
    """One row per model, best first, as plain numbers and text."""
    return [
        {key: value for column in COLUMNS for key, value in column.values(result, name).items()}
        for name in result.ranking
    ]


def shown_columns(rows: Sequence[Row], *, notes: bool) -> list[Column]:
    """The columns that have something to show; with or without the notes."""
    return [column for column in COLUMNS if column.shown(rows) and (notes or column is not NOTES)]


def cells_of(
    rows: Sequence[Row], columns: Sequence[Column], longest: int | None = None
) -> list[list[str]]:
    """The rows as text; longer names are cut."""
    models = [row["model"] for row in rows]
    shown = [show(model) for model in models]
    names = dict(
        zip(models, shown if longest is None else all_shortened(shown, longest), strict=True)
    )
    number = _number_format(rows)
    form = Format(names.__getitem__, _mean_format(rows) or number, number, rows[0]["model"])
    return [[column.cell(row, form) for column in columns] for row in rows]


def comparison_text(rows: Sequence[Row]) -> str:
    """The rows of a comparison for a terminal: aligned columns that fit it, and the notes below them."""
    columns = shown_columns(rows, notes=False)
    longest = max(
        len(show(name)) for row in rows for name in (row["model"], row["rejected_by"] or "")
    )
    longest = min(longest, terminal_width())
    wide, narrow = (
        [column.heading for column in columns],
        [column.short or column.heading for column in columns],
    )
    for headings, shortest in ((wide, 2 * SHORTEST_NAME), (narrow, SHORTEST_NAME)):
        length, excess = longest, 1
        while excess > 0 and length > 0:
            body = cells_of(rows, columns, length)
            excess = width_of(headings, body) - terminal_width()
            # A name stands in one column or in two; below the shortest there is no further try.
            length = max(length - max(excess // 2, 1), shortest) if length > shortest else 0
        if excess <= 0:
            break
    return "\n".join([text(headings, body), *footnotes(rows)])


def footnotes(rows: Sequence[Row]) -> list[str]:
    """The notes of all rows as lines, each text once with the models that it belongs to; nothing where there are none."""
    found = {row["model"]: tuple(Note(**note) for note in row["diagnostics"]) for row in rows}
    lines = [f"{names}: {note.text}" for note, names in by_text(found)]
    if len(lines) > MOST_NOTES:
        lines = [
            *lines[:MOST_NOTES],
            f"{len(lines) - MOST_NOTES} more notes: see `diagnostics` of the result",
        ]
    return ["Notes", *(wrap(f"  {line}", indent="    ") for line in lines)] if lines else []


def sweep_rows(sweep: AnswersOverC) -> list[dict[str, Any]]:
    """One row per c, in increasing order, as plain numbers and text."""
    pairs = sorted(zip(sweep.c, sweep.survivors, strict=True))
    return [{"c": c, "survivors": ", ".join(map(show, survivors))} for c, survivors in pairs]


def sweep_cells(sweep: AnswersOverC) -> list[list[str]]:
    """One row for each c as text; of many values of c one for each range with one verdict."""
    key = "survivors" if len(sweep.c) > MANY_VALUES else "c"
    as_text = told_apart(sweep.c)
    cells = []
    for _, rows in groupby(sweep_rows(sweep), key=lambda row: row[key]):
        alike = list(rows)
        ends = dict.fromkeys([as_text[alike[0]["c"]], as_text[alike[-1]["c"]]])
        cells.append([" … ".join(ends), alike[0]["survivors"]])
    return cells


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
        digits = (
            int(np.clip(np.ceil(np.log10(largest / narrowest)) + 2, 6, 16)) if narrowest > 0 else 6
        )
        finest = np.log10(narrowest) - 2 if narrowest > 0 else -np.inf
        return lambda value: f"{value:.{_significant(value, finest, digits)}g}"
    decimals = int(np.clip(np.ceil(-np.log10(narrowest)) + 2, 0, 12))
    return lambda value: f"{value:.{decimals}f}"


def _significant(value: float, finest: float, most: int) -> int:
    """Digits of a value down to a power of ten, four at least: beside one that is huge, a small one has fewer that mean something."""
    if value == 0.0 or not np.isfinite([value, finest]).all():
        return most
    return int(np.clip(np.floor(np.log10(abs(value))) + 1 - np.floor(finest), min(4, most), most))
