"""How many more groups a verdict takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rivals._say.words import plural
from rivals.comparison import Comparison, Plan
from rivals.plots.style import COLOURS, LEGEND, axes_or_new, finish, ink, literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Beside the colours, for grey prints.
MARKERS = ("o", "s", "^", "D", "v", "P", "X")


def plot_plan(plan: Plan | Comparison, *, title: bool = True, ax: Axes | None = None) -> Axes:
    """Draw the chance of a verdict on each surviving model over the number of groups to add.

    A dashed line is what the chance tends to with ever more groups, where that is not certainty.

    Parameters
    ----------
    plan : Plan or Comparison
        A comparison is planned with the default numbers of groups.
    title : bool
        Whether to write above the picture how to read it.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes

    See Also
    --------
    rivals.Comparison.plan : makes a plan.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> from rivals.plots import plot_plan
    >>> rng = np.random.default_rng(1)
    >>> school = np.repeat([f"school {i}" for i in range(8)], 100)
    >>> a = rng.exponential(size=800)
    >>> models = {"line": a}
    >>> for name, gap in {"curve": 0.15, "mean": 0.2}.items():
    ...     offset = np.repeat(gap + 0.3 * rng.standard_normal(8), 100)
    ...     models[name] = a + offset + 0.3 * rng.standard_normal(800)
    >>> result = rivals.compare(models, groups=school, rng=0)
    >>> ax = plot_plan(result.plan([5, 10, 20, 40, 80, 160]))
    """
    if isinstance(plan, Comparison):
        plan = plan.plan()
    ax = axes_or_new(ax)
    order = np.argsort(plan.more_groups, kind="stable")
    numbers = np.asarray(plan.more_groups)[order]
    for row, name in enumerate(plan.models):
        place = plan.names.index(name)
        colour = COLOURS[place % len(COLOURS)]
        look: dict[str, Any] = {
            "color": colour,
            "marker": MARKERS[place % len(MARKERS)],
            "label": literal(name, LEGEND),
        }
        error = 2.0 * plan.standard_error[row, order]
        ax.errorbar(numbers, plan.chance[row, order], error, markersize=4, **look)
        if plan.limited[row]:
            ax.axhline(plan.ceiling[row], color=colour, linewidth=1, linestyle="--")
    ax.axhline(0.5, color=ink(ax, 0.4), linewidth=1, zorder=0)
    ax.set_xscale("log")
    ax.set_xticks(numbers, [str(number) for number in numbers])
    ax.minorticks_off()
    ax.set_ylim(-0.02, 1.02)
    ax.set_yticks(np.linspace(0.0, 1.0, 5))
    several = literal(plural(plan.kind))
    limit = "; dashed: with ever more" if plan.limited.any() else ""
    sentence = f"Chance to decide between each model and {literal(plan.best, 24)}{limit}"
    x = f"{several} to add to the {plan.groups} at hand"
    return finish(ax, x, "chance of a verdict", sentence, title=title, place="beside")
