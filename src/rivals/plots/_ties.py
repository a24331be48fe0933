"""Ranks of many models: between which places each lies, and in which tier."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rivals._result import sentences as say
from rivals.plots._style import (
    COLOURS,
    ROW,
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

    from rivals._result.comparison import Comparison

MOST_ROWS = 100
MOST_LARGE = 30
LARGE_ROW, SMALL_ROW = 0.22, 0.125  # inches


def plot_ties(result: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw between which ranks each model lies, tier by tier.

    Parameters
    ----------
    result : Comparison
        Of more than 100 models, or more than fit into `ax`, the best are drawn.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default, whose height grows with the number of models.

    See Also
    --------
    rivals.Comparison.ranks : the numbers.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> losses = np.random.default_rng(0).exponential(size=(20, 12, 30)).reshape(20, -1)
    >>> models = {f"model {i}": each + 0.05 * i for i, each in enumerate(losses)}
    >>> ax = rivals.plots.plot_ties(rivals.compare(models, groups=np.repeat(np.arange(12), 30)))
    >>> len(ax.get_yticklabels())
    20
    """
    ranks = result.ranks()
    n_rows = min(len(ranks.models), MOST_ROWS)
    many = n_rows > MOST_LARGE
    height = SMALL_ROW if many else LARGE_ROW
    ax = axes_or_new(ax, width=6.0, height=1.4 + height * n_rows)
    n_rows = min(n_rows, room_for_rows(ax, SMALL_ROW if many else ROW))
    order = np.argsort(ranks.tier, kind="stable")[:n_rows]
    names = [ranks.models[place] for place in order.tolist()]
    rows = np.arange(len(names))
    tier = ranks.tier[order]
    colours = [COLOURS[0] if odd else ink(ax, 0.6) for odd in tier % 2 == 1]
    width = 2.0 if many else 4.0
    ax.hlines(rows, ranks.low[order], ranks.high[order], color=colours, linewidth=width)
    ax.scatter(order + 1, rows, s=6 if many else 18, color=ink(ax), zorder=3)
    for last in np.flatnonzero(np.diff(tier)):
        ax.axhline(last + 0.5, color=ink(ax, 0.3), linewidth=0.7)
    labels = [f"{name}  {number}" for name, number in zip(names_of(ax, names), tier, strict=True)]
    ax.set_yticks(rows, labels)
    ax.tick_params(axis="y", length=0)
    ax.locator_params(axis="x", integer=True)
    ax.set_ylim(len(names) - 0.2, -0.8)
    ax.grid(axis="x", color=ink(ax, 0.12), linewidth=0.7)
    ax.set_axisbelow(True)
    cut = len(ranks.models) - len(names)
    first = [literal(name) for name in ranks.first_tier]
    finish(ax, "rank", "", say.picture_of_ranks(ranks.level, first, len(ranks.models), cut))
    ax.tick_params(axis="y", labelsize=6.0 if many else small(ax))
    return ax
