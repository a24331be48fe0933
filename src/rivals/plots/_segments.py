"""The forest of segments: a difference within each, over new groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rivals._core.setting import one_of
from rivals._result import sentences as say
from rivals.plots._style import (
    COLOURS,
    axes_or_new,
    finish,
    ink,
    literal,
    names_of,
    room_for_rows,
    small,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rivals._questions.segments import Segments
    from rivals._result.comparison import Comparison

MOST_ROWS = 40


def plot_segments(
    result: Comparison | Segments, model: str | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw a difference within each segment, and over all rows.

    Parameters
    ----------
    result : Comparison or Segments
        With segments: `compare(…, by=)`, or what `result.by(column)` returned. Of more than 40, or
        more than fit into `ax`, those where the best is worst off are drawn.
    model : str, optional
        The model beside the best; by default the second best.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    See Also
    --------
    rivals.Comparison.by : the numbers.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> rng = np.random.default_rng(0)
    >>> shop, device = np.repeat(np.arange(12), 40), np.tile(["phone", "desk"], 240)
    >>> old = rng.exponential(size=480)
    >>> new = old + np.where(device == "phone", 0.2, -0.3) + 0.1 * rng.standard_normal(480)
    >>> found = rivals.compare({"old": old, "new": new}, groups=shop).by(device)
    >>> ax = rivals.plots.plot_segments(found)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['phone (50 %)', 'desk (50 %)', 'all rows']
    """
    found: Segments = result.by() if hasattr(result, "by") else result
    other = one_of(*found.models)("model", found.models[0] if model is None else model)
    rows = sorted(
        (row for row in found.to_records() if row["model"] == other), key=lambda r: r["p_better"]
    )
    ax = axes_or_new(ax, height=1.8 + 0.22 * min(len(rows) + 1, MOST_ROWS))
    drawn = rows[: max(min(MOST_ROWS, room_for_rows(ax)) - 1, 1)]
    whole = found.whole.beside(found.own, (other,)).records()[0]
    names = [f"{row['segment']} ({say.percent(row['share'])})" for row in drawn]
    look: dict[str, Any] = {"va": "center", "fontsize": small(ax)}
    for place, row in enumerate([*drawn, whole]):
        colour = ink(ax) if row is whole else COLOURS[row["outcome"] == "worse"]
        width = 3.0 if row is whole else 1.4
        ax.hlines(place, row["low"], row["high"], color=colour, linewidth=width)
        ax.plot([row["difference"]], [place], "D" if row is whole else "o", color=colour, ms=4)
        text = say.p_is(row["p_better"])
        ax.text(1.01, place, text, transform=ax.get_yaxis_transform(), **look)
    ax.axvline(0.0, color=ink(ax, 0.5), linewidth=0.9, zorder=0)
    ax.axhline(len(drawn) - 0.5, color=ink(ax, 0.25), linewidth=0.7)
    ax.set_yticks(range(len(drawn) + 1), names_of(ax, [*names, "all rows"]), fontsize=small(ax))
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(drawn) + 0.6, -0.6)
    setting, source = found.whole.setting, found.whole.summary.source
    caption = say.picture_of_segments(
        literal(found.own), literal(other), found.noun, setting.level, len(rows) - len(drawn)
    )
    return finish(ax, say.difference(source), "", caption)
