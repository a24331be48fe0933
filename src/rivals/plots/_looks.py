"""A difference as the study grew, and its confidence sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rivals._core.checks import place_of
from rivals._core.types import FloatArray
from rivals._questions.looks import looks
from rivals._result import sentences as say
from rivals.plots._style import COLOURS, axes_or_new, finish, ink, legend_below, literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rivals._result.comparison import Comparison


NO_ENTRY = "_"  # in the legend


def plot_looks(result: Comparison, model: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw a difference after each group, as they came.

    The band is its confidence sequence, which may be looked at as often as one likes. Full points
    are looks at which a winner is named; hollow ones, those at which P alone passes the threshold.

    Parameters
    ----------
    result : Comparison
        With three groups or more.
    model : str, optional
        The model beside the best; by default the second best.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    See Also
    --------
    rivals.Comparison.looks : the numbers.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> rng = np.random.default_rng(0)
    >>> site = np.repeat(np.arange(30), 20)
    >>> a = rng.exponential(size=600)
    >>> models = {"line": a, "mean": a + 0.1 + 0.1 * rng.standard_normal(30)[site]}
    >>> rivals.plots.plot_looks(rivals.compare(models, groups=site)).get_xlabel()
    'groups so far, in their order'
    """
    decided = result._decided
    found = looks(decided)
    name = model or found.models[0]
    if name == found.lowest:
        raise ValueError(f"{name!r} is the best; name the model to draw beside it")
    row = place_of(name, found.models)
    ax = axes_or_new(ax)
    x = found.n_groups
    difference = found.difference[row]
    band: dict[str, Any] = {"color": COLOURS[0], "alpha": 0.2, "linewidth": 0}
    ax.fill_between(x, found.low[row], found.high[row], label="confidence sequence", **band)
    ax.plot(x, difference, color=COLOURS[0], linewidth=1.2)
    chance = found.probability[row]
    threshold = decided.setting.threshold
    passes = (chance > threshold) | (1.0 - chance > threshold)
    named = found.named[row]
    alone = passes & ~named
    points: dict[str, Any] = {"color": COLOURS[0], "s": 22, "zorder": 3}
    hollow: dict[str, Any] = {**points, "color": ink(ax, 0.0), "edgecolor": COLOURS[0]}
    said = f"P > {threshold:g} alone" if alone.any() else NO_ENTRY
    ax.scatter(x[alone], difference[alone], label=said, **hollow)
    said = "winner named" if named.any() else NO_ENTRY
    ax.scatter(x[named], difference[named], label=said, **points)
    ax.axhline(0.0, color=ink(ax, 0.5), linewidth=0.9, zorder=0)
    ax.locator_params(axis="x", integer=True)
    _frame(ax, difference, found.low[row], found.high[row])
    best, other = literal(found.lowest, 20), literal(name, 20)
    caption = say.picture_of_looks(best, other, found.first_named[name], found.noun)
    y = say.difference(decided.summary.source)
    finish(ax, f"{say.plural(found.noun)} so far, in their order", y, caption)
    legend_below(ax)
    return ax


def _frame(ax: Axes, difference: FloatArray, low: FloatArray, high: FloatArray) -> None:
    """The first, wide looks leave the frame, so that the later ones can be seen."""
    late = slice(difference.size // 4, None)
    bottom = min(float(difference.min()), float(low[late].min()), 0.0)
    top = max(float(difference.max()), float(high[late].max()), 0.0)
    room = 0.08 * (top - bottom) or 1.0
    ax.set_ylim(bottom - room, top + room)
