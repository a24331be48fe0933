"""Ranks of many models: between which places each lies, and in which tier."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rivals import sentences as say
from rivals.plots.style import COLOURS, axes_or_new, finish, ink, names_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rivals.result import Comparison

MOST_ROWS = 100
MOST_LARGE = 30


def plot_ties(result: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw between which ranks each model lies, tier by tier.

    Parameters
    ----------
    result : Comparison
        Of more than 100 models, the best 100 are drawn.
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
    order = np.argsort(ranks.tier, kind="stable")[:MOST_ROWS]
    names = [ranks.models[place] for place in order.tolist()]
    many = len(names) > MOST_LARGE
    ax = axes_or_new(ax, width=6.0, height=1.4 + (0.125 if many else 0.22) * len(names))
    rows = np.arange(len(names))
    tier = ranks.tier[order]
    colours = [COLOURS[0] if odd else ink(ax, 0.6) for odd in tier % 2 == 1]
    width = 2.0 if many else 4.0
    ax.hlines(rows, ranks.low[order], ranks.high[order], color=colours, linewidth=width)
    ax.scatter(order + 1, rows, s=6 if many else 18, color=ink(ax), zorder=3)
    for last in np.flatnonzero(np.diff(tier)):
        ax.axhline(last + 0.5, color=ink(ax, 0.3), linewidth=0.7)
    labels = [f"{name}  {number}" for name, number in zip(names_of(ax, names), tier, strict=True)]
    ax.set_yticks(rows, labels, fontsize=6.0 if many else "small")
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(names) - 0.2, -0.8)
    ax.grid(axis="x", color=ink(ax, 0.12), linewidth=0.7)
    ax.set_axisbelow(True)
    cut = len(ranks.models) - len(names)
    caption = say.picture_of_ranks(ranks.level, ranks.first_tier, len(ranks.models), cut)
    return finish(ax, "rank", "model, tier", caption)
