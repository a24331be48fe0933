"""Pictures: `plot_x(result, *, ax=None)` draws into `ax`, or a new figure, and returns it.

The numbers behind each picture are methods and tables of the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from rivals._core.setting import one_of
from rivals.plots._calibration import plot_calibration, plot_valid_c, shade_overconfidence
from rivals.plots._differences import plot_differences
from rivals.plots._forest import plot_forest
from rivals.plots._looks import plot_looks
from rivals.plots._plan import plot_plan
from rivals.plots._probability import plot_probability
from rivals.plots._quantiles import plot_quantiles
from rivals.plots._risks import plot_risks
from rivals.plots._segments import plot_segments
from rivals.plots._sweep import plot_sweep
from rivals.plots._ties import plot_ties

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rivals._result.comparison import Comparison

__all__ = [
    "plot",
    "plot_calibration",
    "plot_differences",
    "plot_forest",
    "plot_looks",
    "plot_plan",
    "plot_probability",
    "plot_quantiles",
    "plot_risks",
    "plot_segments",
    "plot_sweep",
    "plot_ties",
    "plot_valid_c",
    "shade_overconfidence",
]

# What `result.plot` draws by name.
KINDS: dict[str, Callable[..., Any]] = {
    "differences": plot_differences,
    "forest": plot_forest,
    "looks": plot_looks,
    "plan": plot_plan,
    "probability": plot_probability,
    "risks": plot_risks,
    "segments": plot_segments,
    "sweep": plot_sweep,
    "ties": plot_ties,
}


def plot(result: Comparison, kind: str | None = None, *, ax: Axes | None = None) -> Axes:
    """Draw a result.

    By default its forest plot; without groups the distributions of the risk.

    Parameters
    ----------
    result : Comparison
    kind : str, optional
        "forest", "risks", "differences", "probability", "sweep", "ties", "plan", "looks" or
        "segments".
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
        kind = "risks" if result.groups is None else "forest"
    drawn: Axes = KINDS[one_of(*KINDS)("kind", kind)](result, ax=ax)
    return drawn
