"""Every model beside the best: how much worse, and with what P."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rivals import sentences as say
from rivals import told
from rivals.plots.style import (
    COLOURS,
    ROW,
    axes_or_new,
    finish,
    ink,
    is_narrow,
    literal,
    names_of,
    room_for_rows,
    small,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rivals.result import Comparison
    from rivals.table import Column

MOST_ROWS = 40


def plot_differences(result: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw how much worse each model is than the best.

    With P and the decision.

    The numbers are those of `result.table`.

    Parameters
    ----------
    result : Comparison
        Of more than 40 models, or more than fit into `ax`, the best are drawn.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    See Also
    --------
    rivals.Comparison.table : the same as a table.
    plot_forest : one difference, in each group.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> ax = rivals.plots.plot_differences(rivals.compare(toys.losses(), rng=0))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['A', 'B']
    """
    ax = axes_or_new(ax, width=7.0, height=1.5 + 0.28 * min(len(result.names), MOST_ROWS))
    lines = 2 if is_narrow(ax) else 1
    rows = result.table.first(min(MOST_ROWS, room_for_rows(ax, lines * ROW)))
    model, _, behind, interval, *chances, decision = rows.columns
    names = list(model.values)
    for row, name in enumerate(names):
        colour = ink(ax, 0.55) if name in result.rejections else COLOURS[0]
        ends = interval.values[row]
        if ends is not None:
            ax.hlines(row, *ends, color=colour, linewidth=3)
        ax.plot(behind.values[row] or 0.0, row, "o", color=colour, markersize=5)
        _write(ax, row, chances, decision)
    ax.axvline(0.0, color=ink(ax, 0.5), linewidth=0.9, zorder=0)
    ax.set_yticks(range(len(names)), names_of(ax, names), fontsize=small(ax))
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.grid(axis="x", color=ink(ax, 0.12), linewidth=0.7)
    ax.set_axisbelow(True)
    unit = result.summary.source.unit
    heads = [column.head for column in chances]
    wins = chances[0].over or heads.pop()
    cut = len(result.names) - len(names)
    level = None if result.correction is not None else result.setting.level
    caption = say.picture_of_differences(level, wins, heads, cut)
    whole = " ".join([caption, *told.covered(result, "difference")])
    return finish(ax, f"worse than the best{f' ({unit})' if unit else ''}", "", whole)


def _write(ax: Axes, row: int, chances: list[Column], decision: Column) -> None:
    """P and the decision, at the right of the row; below each other where there is little room."""
    narrow = is_narrow(ax)
    cells = [column.cells[row] for column in chances]
    text = " / ".join(cells) if set(cells) != {"–"} else ""
    look: dict[str, Any] = {
        "va": "center",
        "fontsize": small(ax),
        "transform": ax.get_yaxis_transform(),
    }
    word = decision.cells[row].split(" by ")[0] if narrow else literal(decision.cells[row])
    ax.text(1.02, row, ("\n" if narrow else "  ").join(filter(None, [text, word])), **look)
