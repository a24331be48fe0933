"""The columns of a comparison: one list for terminal, notebooks, page, JSON and data frames."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from math import inf
from typing import Any

import numpy as np

from rivals._say.words import all_shortened, probability_text, show, told_apart
from rivals.comparison.answers import Answers, AnswersOverC
from rivals.comparison.digits import Number, format_of_means, format_of_risks
from rivals.comparison.expectation import question_of
from rivals.comparison.notes import Note, by_text
from rivals.comparison.rendering import Row, terminal_width, text, width_of, wrap

# A name is never cut to less than this, even if the table is then wider than the terminal.
SHORTEST_NAME = 8
# Printed tables end with at most this many lines of notes.
MOST_NOTES = 12
SWEEP_HEADINGS = ("c", "survivors")
HORIZONS = ("best_is_better_next", "best_is_better_study", "best_is_better_all")


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
    telling : callable
        rows → whether that tells anything.
    short : str
        The heading where there is little room; the same by default.
    varies : {"", "c", "threshold"}
        Whether it changes with c, or with c and the threshold.
    """

    heading: str
    note: str
    values: Callable[[Answers, str], dict[str, Any]]
    cell: Callable[[Row, Format], str]
    shown: Callable[[Sequence[Row]], bool] = lambda rows: True
    telling: Callable[[Sequence[Row]], bool] = lambda rows: True
    short: str = ""
    varies: str = ""


@dataclass(frozen=True)
class Format:
    """How names and numbers of one table look, and which model is the best."""

    name: Callable[[str], str]
    mean: Number
    number: Number
    best: str


# ---------------------------------------------------------------- what columns are made from


def _difference(result: Answers, name: str) -> dict[str, Any]:
    difference, error = result.difference[name]
    return {"difference": difference, "difference_error": error}


def _difference_cell(row: Row, form: Format) -> str:
    if row["model"] == form.best:
        return "best"
    return f"{form.mean(row['difference'])} ± {form.mean(row['difference_error'])}"


def _won(result: Answers, name: str) -> dict[str, Any]:
    groups = result.applied.setting.groups
    won = result.applied.won_by_best
    if won is None or groups is None:
        return {"groups_lost_to_best": None, "groups": None}
    return {"groups_lost_to_best": int(won[result.place[name]]), "groups": len(groups.names)}


def _won_cell(row: Row, form: Format) -> str:
    if row["model"] == form.best:
        return ""
    return f"{row['groups_lost_to_best']} of {row['groups']}"


def _horizons(result: Answers, name: str) -> dict[str, Any]:
    """How probably the best is better: as asked, in the next group, the study repeated, in all."""
    own = result.place[name]
    asked = {
        "best_is_better": float(result.best_is_better[own]),
        "decides": _decides(result),
    }
    groups = result.applied.setting.groups
    if groups is None or not result.applied.law.needs_groups:
        return {**asked, **dict.fromkeys(HORIZONS)}
    horizons = (1.0, float(len(groups.names)), inf)
    at_each = [float(result.applied.over_best(new_groups)[own]) for new_groups in horizons]
    return {**asked, **dict(zip(HORIZONS, at_each, strict=True))}


def _decides(result: Answers) -> str | None:
    """Which of the columns that tell how probably the best is better decides, if there are any."""
    setting = result.applied.setting
    if setting.margin > 0.0:
        return "margin"
    if not result.applied.law.needs_groups:
        return None
    return question_of(setting) or "asked"


def _of_groups(rows: Sequence[Row]) -> bool:
    return rows[0]["groups"] is not None


def _asked_apart(rows: Sequence[Row]) -> bool:
    """Whether the verdict is about another number of new groups than the three that are shown."""
    if not _of_groups(rows):
        return False
    return any(row["best_is_better"] not in [row[key] for key in HORIZONS] for row in rows)


def _cell_of_best(key: str, column: str) -> Callable[[Row, Format], str]:
    """A probability that the best is better; beside the best itself, whether it decides."""

    def cell(row: Row, form: Format) -> str:
        if row["model"] != form.best:
            return probability_text(row[key])
        return "counts" if row["decides"] == column else ""

    return cell


def _margins(result: Answers, name: str) -> dict[str, Any]:
    exceeds = None
    if result.applied.setting.margin > 0.0 and name != result.ranking[0]:
        exceeds = float(result.best_decides[result.place[name]])
    return {
        "best_exceeds_margin": exceeds,
        "better_by": result.better_by.get(name),
        "equivalent_within": result.equivalent_within.get(name),
        "best_is": result.best_is.get(name),
    }


def _risk(result: Answers, name: str) -> dict[str, Any]:
    low, high = result.risk_interval(name)
    std = result.risk_std[name]
    return {
        "risk_mean": result.risk_mean[name],
        "risk_std": std if np.isfinite(std) else None,
        "risk_5": low,
        "risk_95": high,
    }


def _verdict(result: Answers, name: str) -> dict[str, Any]:
    rejection = result.rejections.get(name)
    if rejection is None:
        return {"survives": True, "rejected_by": None, "rejected_with_probability": None}
    return {
        "survives": False,
        "rejected_by": rejection.by,
        "rejected_with_probability": rejection.probability,
    }


def _verdict_cell(row: Row, form: Format) -> str:
    if row["survives"]:
        return ""
    # With groups, how probably the best is better stands in columns of its own.
    if row["groups"] is not None and row["rejected_by"] == form.best:
        return form.name(row["rejected_by"])
    probability = probability_text(row["rejected_with_probability"])
    return f"{form.name(row['rejected_by'])} ({probability})"


def _stability(result: Answers, name: str) -> dict[str, Any]:
    fraction = result.stability[name]
    return {"stability": None if np.isnan(fraction) else float(fraction)}


def _stability_cell(row: Row, form: Format) -> str:
    if row["stability"] is None:
        return "?"
    return "" if row["stability"] == 1.0 else f"{row['stability']:.0%}"


def _diagnostics(result: Answers, name: str) -> dict[str, Any]:
    return {"diagnostics": [note.to_dict() for note in result.diagnostics[name]]}


# A cell of these would make most tables wider than a screen; the terminal and the page have another
# place for them.
NOTES = Column(
    "notes",
    "What to know before you trust its numbers.",
    _diagnostics,
    lambda row, form: "; ".join(note["text"] for note in row["diagnostics"]),
    shown=lambda rows: any(row["diagnostics"] for row in rows),
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
        "Difference between its mean loss and that of the best model, paired point by point, "
        "± standard error.",
        _difference,
        _difference_cell,
        short="to best",
    ),
    Column(
        "best won",
        "In how many of the groups at hand the best model has the lower mean loss of the two.",
        _won,
        _won_cell,
        shown=_of_groups,
    ),
    Column(
        "next group",
        "How probably the best has the lower risk in one new group.",
        _horizons,
        _cell_of_best("best_is_better_next", "next"),
        shown=_of_groups,
        short="next",
        varies="c",
    ),
    Column(
        "study repeated",
        "How probably the best has the lower mean risk in as many new groups as there are.",
        lambda result, name: {},
        _cell_of_best("best_is_better_study", "study"),
        shown=_of_groups,
        short="study",
        varies="c",
    ),
    Column(
        "all groups",
        "How probably the best has the lower mean risk over all groups to come. It decides only if "
        "asked: a rare kind of group may reverse it.",
        lambda result, name: {},
        _cell_of_best("best_is_better_all", "all"),
        shown=_of_groups,
        short="all",
        varies="c",
    ),
    Column(
        "as asked",
        "How probably the best has the lower mean risk in as many new groups as were asked for.",
        lambda result, name: {},
        _cell_of_best("best_is_better", "asked"),
        shown=_asked_apart,
        short="asked",
        varies="c",
    ),
    Column(
        "by the margin",
        "How probably the best is better by more than the margin, which decides.",
        lambda result, name: {},
        _cell_of_best("best_exceeds_margin", "margin"),
        shown=lambda rows: any(row["best_is"] for row in rows),
        short="by margin",
    ),
    Column(
        "best is",
        "What the best model is beside it, with the margin: better by more than it, equivalent, "
        "not worse, or undecided.",
        _margins,
        lambda row, form: row["best_is"] or "",
        shown=lambda rows: any(row["best_is"] for row in rows),
        varies="threshold",
    ),
    Column(
        "risk, 90 % interval",
        "The risk in a replication lies in this interval with probability 0.9; with groups, the "
        "mean risk over the new groups.",
        _risk,
        lambda row, form: f"{form.number(row['risk_5'])} … {form.number(row['risk_95'])}",
        short="risk (90 %)",
        varies="c",
    ),
    Column(
        "rejected by",
        "By which rival it is rejected, and how probably that rival is better.",
        _verdict,
        _verdict_cell,
        short="loses to",
        varies="threshold",
    ),
    Column(
        "stable",
        "Fraction of the single simulations that would give the same verdict.",
        _stability,
        _stability_cell,
        shown=lambda rows: any(row["stability"] is not None for row in rows),
        telling=lambda rows: any(row["stability"] != 1.0 for row in rows),
        varies="threshold",
    ),
    NOTES,
)


# ---------------------------------------------------------------- rows, and cells of them


def rows_of(result: Answers) -> list[dict[str, Any]]:
    """One row per model, best first, as plain numbers and text."""
    rows = []
    for name in result.ranking:
        row: dict[str, Any] = {}
        for column in COLUMNS:
            row.update(column.values(result, name))
        rows.append(row)
    return rows


def shown_columns(rows: Sequence[Row], *, notes: bool) -> list[Column]:
    """The columns that have something to tell; with or without the notes."""
    columns = [column for column in COLUMNS if notes or column is not NOTES]
    columns = [column for column in columns if column.shown(rows)]
    return [column for column in columns if column.telling(rows)]


def cells_of(
    rows: Sequence[Row], columns: Sequence[Column], longest: int | None = None
) -> list[list[str]]:
    """The rows as text; longer names are cut."""
    models = [row["model"] for row in rows]
    shown = [show(model) for model in models]
    if longest is not None:
        shown = all_shortened(shown, longest)
    names = dict(zip(models, shown, strict=True))
    number = format_of_risks(rows)
    mean = format_of_means(rows) or number
    form = Format(names.__getitem__, mean, number, best=models[0])
    return [[column.cell(row, form) for column in columns] for row in rows]


# ---------------------------------------------------------------- for a terminal


def comparison_text(rows: Sequence[Row]) -> str:
    """The rows of a comparison: aligned columns that fit the terminal, and notes below them."""
    columns = shown_columns(rows, notes=False)
    headings = [column.heading for column in columns]
    body = _fitted(rows, columns, headings, shortest=2 * SHORTEST_NAME)
    if width_of(headings, body) > terminal_width():
        headings = [column.short or column.heading for column in columns]
        body = _fitted(rows, columns, headings, shortest=SHORTEST_NAME)
    return "\n".join([text(headings, body), *footnotes(rows)])


def _fitted(
    rows: Sequence[Row], columns: Sequence[Column], headings: Sequence[str], *, shortest: int
) -> list[list[str]]:
    """The cells, with names cut so far that the table fits the terminal, but no further."""
    names = [row["model"] for row in rows]
    names += [row["rejected_by"] for row in rows if row["rejected_by"] is not None]
    length = min(max(len(show(name)) for name in names), terminal_width())
    while True:
        body = cells_of(rows, columns, length)
        excess = width_of(headings, body) - terminal_width()
        if excess <= 0 or length <= shortest:
            return body
        # A name stands in one column or in two.
        length = max(length - max(excess // 2, 1), shortest)


def footnotes(rows: Sequence[Row]) -> list[str]:
    """The notes of all rows as lines; nothing where there are none.

    Each text stands once, with the models that it belongs to.
    """
    lines = _notes(rows)
    n_more = len(lines) - MOST_NOTES
    if n_more > 0:
        lines = [*lines[:MOST_NOTES], f"{n_more} more notes: see `diagnostics` of the result"]
    if not lines:
        return []
    return ["Notes", *(wrap(f"  {line}", indent="    ") for line in lines)]


def _notes(rows: Sequence[Row]) -> list[str]:
    found = {row["model"]: tuple(Note(**note) for note in row["diagnostics"]) for row in rows}
    return [f"{names}: {note.text}" for note, names in by_text(found)]


# ---------------------------------------------------------------- to paste


def to_paste(result: Answers) -> tuple[list[str], list[list[str]], list[str]]:
    """Headings, cells with whole names, and the notes as lines."""
    rows = rows_of(result)
    columns = shown_columns(rows, notes=False)
    return [column.heading for column in columns], cells_of(rows, columns), _notes(rows)


# ---------------------------------------------------------------- of a sweep


def sweep_rows(sweep: AnswersOverC) -> list[dict[str, Any]]:
    """One row per c, in increasing order, as plain numbers and text."""
    pairs = sorted(zip(sweep.c, sweep.survivors, strict=True))
    return [{"c": c, "survivors": ", ".join(map(show, survivors))} for c, survivors in pairs]


def sweep_cells(sweep: AnswersOverC) -> list[list[str]]:
    """One row as text for each range of c with one verdict."""
    as_text = told_apart(sweep.c)
    cells = []
    for _, rows in groupby(sweep_rows(sweep), key=lambda row: row["survivors"]):
        alike = list(rows)
        ends = dict.fromkeys([as_text[alike[0]["c"]], as_text[alike[-1]["c"]]])
        cells.append([" … ".join(ends), alike[0]["survivors"]])
    return cells
