"""Pictures of the paper's principle on real groups: principle.png, and those of its page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

COLOURS = {"real": "#4a8fd0", "positive": "#d9812e", "count": "#2f9e8f", "binary": "#8f8fd6"}
GREY = "#7d828a"


def draw(found: dict[str, Any], path: Path) -> None:
    """All four."""
    figure, axes = plt.subplots(2, 2, figsize=(10.0, 9.0), layout="constrained")
    for panel, ax in zip((spread, sensitivity, coverage, together), axes.flat, strict=True):
        panel(ax, found)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def spread(ax: Any, found: dict[str, Any]) -> None:
    """The misfit in one group against the spread of the risk between the others."""
    for kind, colour in COLOURS.items():
        own = [row for row in found["of candidates"] if row["kind"] == kind]
        ax.plot(
            [row["W"] for row in own],
            [row["tau"] for row in own],
            "o",
            ms=3.5,
            alpha=0.6,
            color=colour,
            label=f"{kind} responses",
        )
    ax.set(xscale="log", yscale="log", xlabel="misfit W in one group, nats")
    ax.set_ylabel("spread τ of the risk between the others, nats")
    ends = np.array(ax.get_xlim())
    for c, style in ((0.25, ":"), (1.0, "-"), (4.0, ":")):
        ax.plot(ends, np.sqrt(c) * ends, style, color=GREY, lw=0.8)
        ax.annotate(f"c = {c:g}", (ends[1], np.sqrt(c) * ends[1]), fontsize=8, ha="right")
    ax.set_xlim(ends)
    ax.legend(frameon=False, fontsize="small", loc="lower right")


def sensitivity(ax: Any, found: dict[str, Any]) -> None:
    """c by kind of data and by candidate: the median over data sets, and the middle half."""
    rows = [
        *[(f"{row['kind']} responses", row) for row in found["c by kind of data"]],
        *[(row["candidate"], row) for row in found["c by candidate"]],
    ][::-1]
    for place, (_, row) in enumerate(rows):
        _, low, middle, high, _ = row["quantiles 10, 25, 50, 75, 90"]
        ax.plot([max(low, 1e-2), high], [place, place], color=GREY, lw=1.5)
        ax.plot(middle, place, "o", color=COLOURS.get(row.get("kind"), GREY))
    ax.axvline(1.0, color=GREY, lw=0.8)
    ax.set_yticks(range(len(rows)), [name for name, _ in rows], fontsize=8)
    ax.set(xscale="log", xlabel="c = τ²/W²: median and middle half of the data sets")


def coverage(ax: Any, found: dict[str, Any]) -> None:
    """How often intervals of the risk hold the mean loss of another group, by c."""
    rows = found["coverage"]
    places = range(len(rows))
    for level, colour in (("90 %", COLOURS["real"]), ("50 %", COLOURS["positive"])):
        values, errors = zip(*(row[level] for row in rows), strict=True)
        ax.errorbar(places, values, errors, fmt="o-", ms=4, color=colour, label=f"nominal {level}")
        ax.axhline(float(level[:2]), color=colour, lw=0.8, ls=":")
    ax.set_xticks(places, [f"{row['c']:g}" for row in rows], fontsize=8)
    ax.set(xlabel="c", ylabel="another group inside, %", ylim=(0, 100))
    ax.legend(frameon=False, fontsize="small", loc="lower right")


def together(ax: Any, found: dict[str, Any]) -> None:
    """The correlation of risks between groups against that of pointwise losses."""
    for kind, colour in COLOURS.items():
        own = [
            row
            for row in found["of data sets"]
            if row["kind"] == kind and row["correlation of risks"] is not None
        ]
        ax.plot(
            [row["correlation of pointwise losses"] for row in own],
            [row["correlation of risks"] for row in own],
            "o",
            ms=4,
            alpha=0.7,
            color=colour,
        )
    ax.plot([-0.2, 1.0], [-0.2, 1.0], color=GREY, lw=0.8)
    ax.set(xlabel="correlation of pointwise losses of two candidates")
    ax.set_ylabel("correlation of their risks between groups")
