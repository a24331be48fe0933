"""What happened in each group, beside what the law expects of a new one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rivals._say.arguments import check_choice
from rivals._say.words import probability_text, show
from rivals.comparison import Comparison
from rivals.laws.differences import quantile
from rivals.plots.style import COLOURS, axes_or_new, finish, ink, is_narrow, literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Of more groups than this, names are not written.
MOST_NAMES = 24
HIGHEST = 6.0
LEVEL = 0.9


def plot_groups(
    result: Comparison,
    model: str | None = None,
    *,
    rival: str | None = None,
    title: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw the difference of two models in each group with its error, and the law of the difference
    in a new group.

    Parameters
    ----------
    result : Comparison
        Under law "groups".
    model : str, optional
        By default the model of second lowest mean loss.
    rival : str, optional
        The model that it is compared with; by default the best.
    title : bool
        Whether to write above the picture how to read it.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes

    See Also
    --------
    rivals.Comparison.won : in how many groups each model has the lower mean loss.
    plot_intervals : all models in one picture.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> from rivals.plots import plot_groups
    >>> rng = np.random.default_rng(0)
    >>> school = np.repeat([f"school {i}" for i in range(8)], 100)
    >>> a = rng.exponential(size=800)
    >>> offset = np.repeat(0.15 * rng.standard_normal(8), 100)
    >>> b = a + 0.2 + offset + 0.3 * rng.standard_normal(800)
    >>> ax = plot_groups(rivals.compare({"line": a, "mean": b}, groups=school))
    """
    groups = result.applied.setting.groups
    applied: Any = result.applied
    if groups is None or result.won is None:
        raise ValueError(
            "plot_groups draws groups, and this comparison has none; compare with groups=, the "
            "replication of each point"
        )
    rival = result.ranking[0] if rival is None else check_choice(rival, "rival", result.names)
    others = [name for name in result.ranking if name != rival]
    if model == rival:
        raise ValueError(
            f"plot_groups draws the difference of two models: got {show(model)!r} as model and as "
            f"rival, which is the best model unless you name one; pass rival={show(others[0])!r}, "
            "or another model"
        )
    model = others[0] if model is None else check_choice(model, "model", others)
    a = result.names.index(model)
    b = result.names.index(rival)
    difference, error = applied.in_each_group(a, b)
    order = np.argsort(difference)
    ax = axes_or_new(ax, height=min(1.8 + 0.2 * order.size, HIGHEST))
    rows = np.arange(order.size)
    colours = [COLOURS[0] if difference[group] > 0 else COLOURS[1] for group in order]
    ax.axvline(0.0, color=ink(ax, 0.4), linewidth=1)
    many = order.size > MOST_NAMES
    thin: dict[str, Any] = {"linewidth": 0.7, "alpha": 0.45} if many else {"linewidth": 1.4}
    ax.hlines(rows, (difference - error)[order], (difference + error)[order], color=colours, **thin)
    ax.scatter(difference[order], rows, color=colours, s=5 if many else 18, zorder=3)
    place = -1.2 - 0.05 * order.size
    _draw_new(ax, applied, a, b, place)
    named = order[:0] if many else order
    names = [f"a new {literal(groups.kind)}", *(literal(groups.names[group]) for group in named)]
    ax.set_yticks(
        [place, *rows[: named.size]], names, fontsize="x-small" if is_narrow(ax) else "small"
    )
    won = int(result.won[b, a])
    probability = probability_text(applied.better_in_next(b, a))
    where = f"in {won} of {order.size}; in a new {literal(groups.kind)} with P = {probability}"
    x = f"mean loss of {literal(model, 20)} less that of {literal(rival, 20)}"
    return finish(ax, x, "", f"Right of zero {literal(rival, 16)} is better, {where}", title=title)


def _draw_new(ax: Axes, applied: Any, a: int, b: int, place: float) -> None:
    """The central nine tenths of the law of a new group, and its middle half."""
    law = applied.new_difference(a, b)
    for level, width in ((LEVEL, 3.0), (0.5, 7.0)):
        low, high = (float(quantile(law, 0.5 + sign * level / 2)[0]) for sign in (-1, 1))
        ax.hlines(place, low, high, color=ink(ax, 0.65), linewidth=width)
