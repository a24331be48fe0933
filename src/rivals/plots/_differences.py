"""Every model beside the best: how much worse, and with what P."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rivals._result import account, tables
from rivals._result import sentences as say
from rivals.plots._style import (
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

    from rivals._result.comparison import Comparison

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
    decided = result._decided
    ax = axes_or_new(ax, width=7.0, height=1.5 + 0.28 * min(len(decided.names), MOST_ROWS))
    lines = 2 if is_narrow(ax) else 1
    names = decided.ranking[: min(len(decided.names), MOST_ROWS, room_for_rows(ax, lines * ROW))]
    best = decided.ranking[0]
    beside = decided.beside(best, names)
    chances = tables.chances(decided, beside)
    for place, (name, decision) in enumerate(
        zip(names, tables.decisions(decided, names), strict=True)
    ):
        colour = ink(ax, 0.55) if name in decided.rejections else COLOURS[0]
        row = None if name == best else beside.row(name)
        if row is not None:
            ax.hlines(place, beside.low[row], beside.high[row], color=colour, linewidth=3)
        gap = 0.0 if row is None else float(beside.gap[row])
        ax.plot(gap, place, "o", color=colour, markersize=5)
        cells = [] if row is None else [say.probability(float(each[row])) for *_, each in chances]
        _write(ax, place, cells, decision)
    ax.axvline(0.0, color=ink(ax, 0.5), linewidth=0.9, zorder=0)
    ax.set_yticks(range(len(names)), names_of(ax, list(names)), fontsize=small(ax))
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.grid(axis="x", color=ink(ax, 0.12), linewidth=0.7)
    ax.set_axisbelow(True)
    source = decided.summary.source
    unit = f" ({source.unit})" if source.unit else ""
    of = f"{say.measure(source)}, " if source.metric else ""
    heads = [head for head, _, _ in chances]
    wins = chances[0][1] or heads.pop()
    cut = len(decided.names) - len(names)
    caption = say.picture_of_differences(decided.setting.level, wins, heads, cut)
    whole = " ".join([caption, *account.covered(decided, "difference")])
    return finish(ax, f"{of}worse than the best{unit}", "", whole)


def _write(ax: Axes, row: int, cells: list[str], decision: str) -> None:
    """P and the decision, at the right of the row; below each other where there is little room."""
    narrow = is_narrow(ax)
    text = " / ".join(cells) if set(cells) != {"–"} else ""
    look: dict[str, Any] = {
        "va": "center",
        "fontsize": small(ax),
        "transform": ax.get_yaxis_transform(),
    }
    word = decision.split(" by ")[0] if narrow else literal(decision)
    ax.text(1.02, row, ("\n" if narrow else "  ").join(filter(None, [text, word])), **look)
