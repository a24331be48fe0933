"""Calibration curves, and the state of each c."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rivals._result import sentences as say
from rivals.plots._style import MARKERS, axes_or_new, finish, ink, legend_below, literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rivals.calibration import Calibration

MOST_CURVES = len(MARKERS)
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
# Where a point (B, truth) of a curve is overconfident: |B − ½| exceeds how far the truth is from ½
# on the same side; and where it favours the wrong model. As corners.
OVERCONFIDENT = (
    np.array([[0.0, 0.0], [0.0, 1.0], [0.5, 0.5]]),
    np.array([[1.0, 1.0], [1.0, 0.0], [0.5, 0.5]]),
)
FOR_THE_WRONG_MODEL = (
    np.array([[0.0, 1.0], [0.5, 1.0], [0.5, 0.5]]),
    np.array([[1.0, 0.0], [0.5, 0.0], [0.5, 0.5]]),
)


def shade_overconfidence(
    ax: Axes, *, overconfident: str = "#D55E002E", wrong: str | None = "#F0E44259"
) -> None:
    """Shade where a curve is overconfident.

    And where it favours the wrong model; draw the diagonal.

    Parameters
    ----------
    ax : matplotlib Axes
    overconfident : colour
        Where |B − ½| exceeds the truth's distance from ½: red, as in the paper.
    wrong : colour, optional
        Beyond, where the other model is the better: yellow, as in the paper; None leaves it white.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from rivals.plots import shade_overconfidence
    >>> figure, ax = plt.subplots(figsize=(4, 4))
    >>> shade_overconfidence(ax)
    """
    for colour, triangles in ((overconfident, OVERCONFIDENT), (wrong, FOR_THE_WRONG_MODEL)):
        if colour is not None:
            for corners in triangles:
                ax.fill(*corners.T, color=colour, linewidth=0)
    ax.plot([0, 1], [0, 1], color=ink(ax), linewidth=0.8, linestyle="--")


def plot_calibration(
    calibration: Calibration,
    *,
    scenario: str | None = None,
    c: Sequence[float] | None = None,
    bins: int = 16,
    band: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw calibration curves.

    How often a is truly better, against how probable that was said to be.

    Parameters
    ----------
    calibration : Calibration
    scenario : str, optional
        Of which scenario; of all experiments together by default.
    c : sequence of float, optional
        Which curves; by default at most eight, evenly spaced.
    bins : int
        Of each curve, with as many experiments each.
    band : bool
        Whether to draw the 95 % interval of each bin.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    See Also
    --------
    rivals.Calibration.curve : the numbers of one curve.
    rivals.Calibration.states : which c are kept.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> calibration = rivals.calibrate(
    ...     toys.omega, n_data=100, n_experiments=64, c=[2**-8, 1.0], n_truth=2000, rng=0
    ... )
    >>> ax = rivals.plots.plot_calibration(calibration, bins=4)
    """
    from matplotlib import colormaps

    ax = axes_or_new(ax, width=5.0, height=5.4)
    shade_overconfidence(ax)
    values = _some_of(calibration.c) if c is None else tuple(c)
    colours = colormaps["viridis"](np.linspace(0, 0.88, len(values)))
    states = calibration.states()
    found = states.overall
    if scenario is not None:
        found = states.states[states.scenarios.index(scenario)]
    state = {each.c: each.state for each in found}
    for place, (value, colour) in enumerate(zip(values, colours, strict=True)):
        curve = calibration.curve(value, scenario, bins)
        marker = MARKERS[place % len(MARKERS)]
        shape: dict[str, Any] = {"color": colour, "marker": marker, "markersize": 4}
        ax.plot(
            curve.predicted, curve.observed, label=f"c = {power(value)}, {state[value]}", **shape
        )
        if band:
            ax.vlines(curve.predicted, curve.low, curve.high, color=colour, alpha=0.4, linewidth=1)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    where = "" if scenario is None else f" ({literal(scenario)})"
    finish(ax, f"P that a is better{where}", "how often a is better", say.picture_of_calibration())
    legend_below(ax)
    return ax


def _some_of(tried: Sequence[float]) -> tuple[float, ...]:
    """At most as many as there are markers, evenly spaced."""
    return tuple(tried[:: -(-len(tried) // MOST_CURVES)])


def power(value: float) -> str:
    """Powers of two as such, other numbers as they are."""
    exponent = np.log2(value)
    is_power = abs(exponent - round(exponent)) < 1e-9 and abs(exponent) > 1
    return f"2{f'{exponent:.0f}'.translate(RAISED)}" if is_power else f"{value:g}"
