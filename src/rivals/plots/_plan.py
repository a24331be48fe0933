"""How many more groups a decision takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rivals._questions.factor_plan import FactorPlan
from rivals._questions.plan import N_DRAWS, Plan
from rivals._result import sentences as say
from rivals.plots._style import MARKERS, axes_or_new, finish, ink, legend_below, literal, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rivals._result.comparison import Comparison

MOST_CURVES = 8


def plot_plan(plan: Plan | FactorPlan | Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw the chance of a decision with more groups.

    One curve for each model that is open, and each factor.

    A dotted line is what the chance tends to with ever more groups.

    Parameters
    ----------
    plan : Plan or Comparison
        A comparison is planned with the default numbers of groups.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    See Also
    --------
    rivals.Comparison.plan : makes a plan.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> rng = np.random.default_rng(1)
    >>> school = np.repeat(np.arange(8), 50)
    >>> a = rng.exponential(size=400)
    >>> b = a + 0.1 + 0.2 * rng.standard_normal(8)[school]
    >>> result = rivals.compare({"A": a, "B": b}, groups=school)
    >>> rivals.plots.plot_plan(result.plan([10, 40, 160])).get_ylabel()
    'chance of a decision'
    """
    plan = plan if isinstance(plan, (Plan, FactorPlan)) else plan.plan()
    ax = axes_or_new(ax)
    curves = plan.curves
    shown = sorted({number for _, numbers, _, _ in curves for number in numbers})
    for row, (name, numbers, chance, end) in enumerate(curves[:MOST_CURVES]):
        here = look(row)
        error = 2.0 * np.sqrt(chance * (1.0 - chance) / N_DRAWS)
        ax.errorbar(
            numbers,
            chance,
            error,
            marker=MARKERS[row],
            markersize=4,
            label=literal(name),
            **here,
        )
        ax.axhline(end, color=here["color"], linewidth=0.9, linestyle=":")
    ax.axhline(0.5, color=ink(ax, 0.35), linewidth=0.8, zorder=0)
    ax.set_xscale("log")
    ax.set_xticks(shown, [f"{number:g}" for number in shown])
    ax.minorticks_off()
    ax.set_ylim(-0.02, 1.02)
    ax.set_yticks(np.linspace(0.0, 1.0, 5))
    caption = say.picture_of_plan(plan.lowest, max(len(curves) - MOST_CURVES, 0), plan.threshold)
    finish(ax, plan.beside_observed, "chance of a decision", literal(caption, len(caption)))
    legend_below(ax)
    return ax
