"""Pictures: `plot_x(result, *, ax=None)` draws into `ax`, or a new figure, and returns it.

The numbers behind each picture are methods and tables of the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rivals._core.setting import one_of
from rivals.plots._calibration import plot_calibration, shade_overconfidence
from rivals.plots._costs import front, plot_costs
from rivals.plots._differences import plot_differences
from rivals.plots._forest import plot_forest
from rivals.plots._looks import plot_looks
from rivals.plots._paper_figure import paper_figure
from rivals.plots._plan import plot_plan
from rivals.plots._quantiles import plot_quantiles
from rivals.plots._risks import plot_risks
from rivals.plots._segments import plot_segments

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rivals._result.comparison import Comparison

__all__ = [
    "front",
    "paper_figure",
    "plot",
    "plot_calibration",
    "plot_costs",
    "plot_differences",
    "plot_forest",
    "plot_looks",
    "plot_plan",
    "plot_quantiles",
    "plot_risks",
    "plot_segments",
    "shade_overconfidence",
]

# What `result.plot` draws by name.
KINDS: dict[str, Callable[..., Any]] = {
    "differences": plot_differences,
    "forest": plot_forest,
    "looks": plot_looks,
    "plan": plot_plan,
    "risks": plot_risks,
    "segments": plot_segments,
}


def plot(result: Comparison, kind: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw a result.

    By default its forest plot; without groups the distributions of the risk.

    Parameters
    ----------
    result : Comparison
    kind : str, optional
        "forest", "risks", "differences", "plan", "looks" or "segments".
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> rivals.plots.plot(rivals.compare(toys.losses(), rng=0), "risks").get_xlabel()
    'risk (lower is better)'
    """
    if kind is None:
        kind = "forest" if result.summary.n_groups else "risks"
    drawn: Axes = KINDS[one_of(*KINDS)("kind", kind)](result, ax=ax)
    return drawn
