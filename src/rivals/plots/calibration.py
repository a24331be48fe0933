"""Calibration curves, and the c that they allow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rivals import sentences as say
from rivals.plots.style import MARKERS, axes_or_new, finish, ink, legend_below, literal, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rivals.calibrate import Calibration

MOST_CURVES = len(MARKERS)
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
    """Shade where a curve is overconfident or favours the wrong model; draw the diagonal.

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


def plot_calibration(calibration: Calibration, *, ax: Axes | None = None) -> Axes:
    raise NotImplementedError


def plot_valid_c(calibration: Calibration, *, ax: Axes | None = None) -> Axes:
    raise NotImplementedError
