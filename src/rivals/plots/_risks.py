"""The distribution of the risk of each model, one below the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rivals._core.decided import Decided
from rivals._core.reduced import quantile
from rivals._core.types import FloatArray
from rivals._result import account
from rivals._result import sentences as say
from rivals.plots._style import COLOURS, axes_or_new, finish, ink, names_of, room_for_rows, small

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rivals._result.comparison import Comparison

MOST_ROWS = 30
# Points of a curve; one that is counted in draws is smoothed, over this part of its middle half.
POINTS = 161
SMOOTH = 0.12
TAIL = 0.002


def plot_risks(result: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw the distribution of the risk of each model.

    Each is as high as its row, with the mean loss and the interval of the risk on the baseline. Of
    one data set without calibration, the thin line is the interval with c unknown.

    Parameters
    ----------
    result : Comparison
        Of more than 30 models, or more than fit into `ax`, the best are drawn.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    See Also
    --------
    plot_differences : differences from the best, which are often better known.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> ax = rivals.plots.plot_risks(rivals.compare(toys.losses(), rng=0))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['A', '✗ B']
    """
    decided = result._decided
    n_rows = min(len(decided.names), MOST_ROWS)
    ax = axes_or_new(ax, height=1.5 + min(0.75 * n_rows, 0.3 * n_rows + 2.0))
    names = list(decided.ranking[: min(n_rows, room_for_rows(ax))])
    places = [decided.place[name] for name in names]
    grids, densities = density(decided)
    at_c = decided.reduced.risk_interval(decided.setting)
    honest = at_c
    if decided.c_is_unknown:
        honest = decided.reduced.risk_interval(decided.setting, without_c=True)
    for row, (name, place) in enumerate(zip(names, places, strict=True)):
        colour = ink(ax, 0.5) if name in decided.rejections else COLOURS[0]
        heights = row - 0.8 * densities[place]
        ax.fill_between(grids[place], row, heights, color=colour, alpha=0.3, linewidth=0)
        ax.plot(grids[place], heights, color=colour, linewidth=1.2)
        ax.hlines(row, honest[0][place], honest[1][place], color=ink(ax), linewidth=0.9)
        ax.hlines(row, at_c[0][place], at_c[1][place], color=colour, linewidth=3.5)
        ax.plot(decided.evidence.risk[place], row, "o", color=ink(ax), markersize=4)
    labels = [f"{'✗ ' if name in decided.rejections else ''}{name}" for name in names]
    ax.set_yticks(range(len(names)), names_of(ax, labels), fontsize=small(ax))
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(names) - 0.6, -1.0)
    source = decided.summary.source
    caption = say.picture_of_risks(
        say.new(decided.new_groups, decided.noun) if decided.new_groups else "",
        decided.c if decided.c_is_unknown else None,
        decided.setting.level,
        bool(decided.rejections),
        len(decided.names) - len(names),
        say.measure(source),
    )
    whole = " ".join([caption, *account.covered(decided, "risk")])
    return finish(ax, say.scale(source), "", whole)


def density(result: Decided) -> tuple[FloatArray, FloatArray]:
    """Of the risk of each model, as a part of its highest, models × points."""
    law = result.method.risks(result.summary, result.setting)
    n_models = len(result.names)
    low = quantile(law, np.full(n_models, TAIL))
    high = quantile(law, np.full(n_models, 1.0 - TAIL))
    grid = np.linspace(low, high, POINTS, axis=1)
    below = np.array([law.below(values)[0] for values in grid.T]).T
    rise = np.diff(below, axis=1)
    middle = 0.5 * (grid[:, 1:] + grid[:, :-1])
    if law.error(low).any():  # draws were counted
        half = quantile(law, np.full(n_models, 0.75)) - quantile(law, np.full(n_models, 0.25))
        rise = _smoothed(rise, middle, SMOOTH * half)
    heights = rise / np.maximum(rise.max(axis=1, keepdims=True), 1e-300)
    # Curves begin and end on the baseline.
    closed = np.concatenate([grid[:, :1], middle, grid[:, -1:]], axis=1)
    return closed, np.pad(heights, ((0, 0), (1, 1)))


def _smoothed(rise: FloatArray, middle: FloatArray, width: FloatArray) -> FloatArray:
    """By a normal kernel of this width, one of each model, that loses nothing at the ends."""
    spread = np.where(width > 0.0, width, 1.0)[:, None, None]
    kernel = np.exp(-0.5 * ((middle[:, :, None] - middle[:, None, :]) / spread) ** 2)
    kernel /= kernel.sum(axis=2, keepdims=True)
    return np.asarray(np.einsum("mi,mij->mj", rise, kernel))
