"""The matrix of probabilities: which model beats which."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rivals._types import FloatArray
from rivals.comparison import Comparison
from rivals.plots.style import axes_or_new, finish, is_narrow, literals

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Above this many models the numbers in the cells would be too small to read.
MOST_NUMBERS = 12
LONGEST_LABEL = 18


def plot_probability(result: Comparison, *, title: bool = True, ax: Axes | None = None) -> Axes:
    """Draw P(R_row < R_column) for every pair, best model first; cells that reject have a frame.

    Where a calibration decides, the calibrated probabilities are drawn.

    Parameters
    ----------
    result : Comparison
    title : bool
        Whether to write above the picture how to read it.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes

    See Also
    --------
    rivals.Comparison.pairs : the same numbers as a table.
    plot_sweep : how they depend on c.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> from rivals.plots import plot_probability
    >>> from rivals.testbeds import toys
    >>> y = np.random.default_rng(0).standard_normal(2000)
    >>> models = {
    ...     "right": toys.gaussian(),
    ...     "shifted": toys.gaussian(mean=0.3),
    ...     "wide": toys.gaussian(width=2.0),
    ... }
    >>> result = rivals.compare(models, y, rng=0)
    >>> ax = plot_probability(result)
    """
    size = 2.2 + 0.42 * min(len(result.names), 24)
    ax = axes_or_new(ax, width=size + 1.0, height=size)
    probability = result.pairs.values
    # A diverging map, dark at both ends: 0 and 1 differ in hue for most readers and by the number
    # for the others.
    image = ax.imshow(probability, vmin=0.0, vmax=1.0, cmap="PuOr", aspect="equal")
    narrow = is_narrow(ax)
    labels = literals(result.ranking, LONGEST_LABEL // 2 if narrow else LONGEST_LABEL)
    ax.set_xticks(
        range(len(labels)),
        labels,
        rotation=45,
        ha="right",
        rotation_mode="anchor",
        fontsize="x-small",
    )
    ax.set_yticks(range(len(labels)), labels, fontsize="x-small")
    if len(labels) <= MOST_NUMBERS:
        _write_numbers(ax, probability)
    else:
        ax.figure.colorbar(image, ax=ax, label="P(R of row < R of column)", shrink=0.8)
    _frame_rejections(ax, result)
    sentence = (
        f"{'P(row better)' if result.calibrated is None else 'Calibrated'}. Law “{result.law}”"
    )
    part = 0.65 if narrow else 0.8  # of what labels leave
    return finish(ax, "… this model", "this model beats …", sentence, title=title, part=part)


def _write_numbers(ax: Axes, probability: FloatArray) -> None:
    # A cell is as wide as three of its digits are high; labels take a fifth or more of the axes
    # first.
    side = min(ax.get_window_extent().size) / ax.figure.dpi
    points = min(8.0, 72.0 * 0.7 * side / len(probability) / 3.0)
    if points < 4.5:
        return
    for row, column in np.ndindex(probability.shape):
        if row != column:
            value = probability[row, column]
            colour = "white" if abs(value - 0.5) > 0.33 else "black"
            ax.text(
                column,
                row,
                number(float(value)),
                ha="center",
                va="center",
                fontsize=points,
                color=colour,
            )


def _frame_rejections(ax: Axes, result: Comparison) -> None:
    from matplotlib.patches import Rectangle

    for name, rejection in result.rejections.items():
        corner = result.ranking.index(name) - 0.46, result.ranking.index(rejection.by) - 0.46
        for colour, width in [("black", 2.6), ("#F0E442", 1.3)]:  # seen on dark and on light cells
            ax.add_patch(
                Rectangle(corner, 0.92, 0.92, fill=False, edgecolor=colour, linewidth=width)
            )


def number(probability: float) -> str:
    """Two decimals, but never 0.00 or 1.00 for what is only near: those claims the draws cannot
    make.
    """
    if probability < 0.005:
        return "<.01"
    if probability > 0.995:
        return ">.99"
    return f"{probability:.2f}"
