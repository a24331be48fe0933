"""A comparison as a table: on a terminal, as HTML, as a data frame."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from rivals._checks import show
from rivals.losses import Losses

if TYPE_CHECKING:
    from rivals.comparison import Comparison
    from rivals.comparison.sweep import Sweep

HEADINGS = ("model", "empirical risk", "mean R", "90 % of R", "rejected by", "notes")


def rows(result: Comparison) -> list[dict[str, Any]]:
    """One row per model, best first."""
    found = []
    for name in result.ranking:
        place = result.names.index(name)
        low, high = result.reference + np.quantile(result.excess_risks[place], [0.05, 0.95])
        rejection = result.rejections.get(name)
        found.append(
            {
                "model": name,
                "empirical_risk": result.empirical_risk[name],
                "risk_mean": result.risk_mean[name],
                "risk_std": result.risk_std[name],
                "risk_5": float(low),
                "risk_95": float(high),
                "survives": rejection is None,
                "rejected_by": None if rejection is None else rejection.by,
                "rejected_with_probability": None if rejection is None else rejection.probability,
                "diagnostics": "; ".join(result.diagnostics[name]),
            }
        )
    return found


def diagnostics(losses: Losses, end_point_share: float) -> tuple[str, ...]:
    """What one should know before believing the numbers of a model, shortly."""
    notes = [f"end points {end_point_share:.0%} of Var R"]
    if losses.tie_fraction > 0.01:
        notes.append(f"ties {losses.tie_fraction:.0%}")
    if losses.effective_size < 0.5 * losses.n_observed:
        notes.append(f"effective size {losses.effective_size:.0f} of {losses.n_observed}")
    if losses.n_synthetic != losses.n_observed:
        notes.append(f"{losses.n_synthetic} synthetic, {losses.n_observed} observed")
    return tuple(notes)


def verdict(result: Comparison) -> str:
    """The answer in a sentence or two."""
    survivors = ", ".join(show(name) for name in result.survivors)
    if not result.rejections:
        sentence = f"No model is rejected: all of them may be worth keeping ({survivors})."
    else:
        sentence = f"Worth keeping: {survivors}. Rejected: {len(result.rejections)} of {len(result.names)}."
    for duel in result.undecided:
        sentence += (
            f" Undecided: P({show(duel.by)} better than {show(duel.model)}) = {duel.probability:.4f} ± {duel.standard_error:.4f}"
            " is too close to the threshold; raise max_draws, or take it as a tie."
        )
    return sentence


def text(result: Comparison) -> str:
    """For a terminal: verdict, table, and what it was computed with."""
    cells = [list(HEADINGS), *_cells(rows(result))]
    settings = (
        f"c = {result.c:g}, threshold = {result.threshold:g}, {result.n_draws} draws or more, rng = {result.entropy}"
    )
    return "\n".join([_align(cells), "", verdict(result), settings])


def html(result: Comparison) -> str:
    """For a notebook."""
    head = "".join(f"<th>{escape(heading)}</th>" for heading in HEADINGS)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>" for cells in _cells(rows(result))
    )
    # The class keeps notebooks from taking dollar signs in names for mathematics.
    return (
        f'<div class="tex2jax_ignore mathjax_ignore"><p>{escape(verdict(result))}</p>'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        f"<p>c = {result.c:g}, threshold = {result.threshold:g}</p></div>"
    )


def dataframe(result: Comparison) -> Any:
    """For pandas."""
    try:
        import pandas
    except ImportError:
        raise ImportError('to_dataframe needs pandas: pip install "rivals[table]"') from None
    return pandas.DataFrame(rows(result)).set_index("model")


def sweep_text(sweep: Sweep) -> str:
    """One line per c, and where the verdict changes."""
    cells = [["c", "survivors"]]
    for c, survivors in sorted(zip(sweep.c, sweep.survivors, strict=True)):
        cells.append([f"{c:g}", ", ".join(show(name) for name in survivors)])
    if sweep.changes:
        between = "; ".join(f"{low:g} and {high:g}" for low, high in sweep.changes)
        closing = f"The verdict changes between c = {between}."
    else:
        closing = "The verdict is the same for all these c."
    return "\n".join([_align(cells), "", closing])


def _cells(rows: list[dict[str, Any]]) -> list[list[str]]:
    number = _number_format(rows)
    return [
        [
            show(row["model"]),
            number(row["empirical_risk"]),
            number(row["risk_mean"]),
            f"{number(row['risk_5'])} … {number(row['risk_95'])}",
            "" if row["survives"] else f"{show(row['rejected_by'])} ({row['rejected_with_probability']:.3f})",
            row["diagnostics"],
        ]
        for row in rows
    ]


def _number_format(rows: list[dict[str, Any]]) -> Callable[[float], str]:
    """As many digits, for all rows alike, as the narrowest distribution gives meaning to."""
    largest = max(max(abs(row["risk_5"]), abs(row["risk_95"])) for row in rows)
    widths = [row["risk_95"] - row["risk_5"] for row in rows]
    narrowest = min((width for width in widths if width > 1e-13 * largest), default=1e-4 * largest)
    if not 1e-4 < largest < 1e7:
        digits = int(np.clip(np.ceil(np.log10(largest / narrowest)) + 2, 6, 16)) if largest > 0 else 6
        return lambda value: f"{value:.{digits}g}"
    decimals = int(np.clip(np.ceil(-np.log10(narrowest)) + 2, 0, 12))
    return lambda value: f"{value:.{decimals}f}"


def _align(cells: list[list[str]]) -> str:
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    return "\n".join([lines[0], "  ".join("─" * width for width in widths), *lines[1:]])
