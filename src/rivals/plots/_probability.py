"""The matrix of probabilities: which model beats which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rivals._core.types import FloatArray
from rivals._result import sentences as say
from rivals.plots._style import axes_or_new, finish, names_of, width_in_inches

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rivals._result.comparison import Comparison

# More models would be too small to read, and more numbers.
MOST_MODELS = 60
SMALLEST = 4.5  # points
SMALLEST_NAME = 6.0
FRAME = "#F0E442"  # yellow: seen on the violet of a P near 1
POINTS_PER_INCH = 72.0


def plot_probability(result: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw P for every pair of models.

    That the model of the row is better than that of the column.

    Pairs that reject have a frame.

    Parameters
    ----------
    result : Comparison
        Of more than 60 models, the best 60 are drawn.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    See Also
    --------
    rivals.Comparison.pairs : the same numbers as a table.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> ax = rivals.plots.plot_probability(rivals.compare(toys.losses(), rng=0))
    >>> [text.get_text() for text in ax.texts]
    ['>0.999', '<0.001']
    """
    names = list(result.ranking[:MOST_MODELS])
    size = 2.4 + 0.5 * min(len(names), 12)
    ax = axes_or_new(ax, width=size + (0.6 if len(names) <= 12 else 2.0), height=size)
    places = [result.place[name] for name in names]
    probability = result.probability[np.ix_(places, places)].copy()
    np.fill_diagonal(probability, np.nan)
    # Dark at both ends, which differ in hue: 0 is orange, 1 violet.
    image = ax.imshow(probability, vmin=0.0, vmax=1.0, cmap="PuOr", aspect="equal")
    cell = 0.55 * width_in_inches(ax) / len(names)
    size_of_numbers = min(18.0 * cell, 8.0)
    if size_of_numbers > SMALLEST:
        _write_numbers(ax, probability, size_of_numbers)
    else:
        ax.figure.colorbar(image, cax=ax.inset_axes((1.03, 0.1, 0.03, 0.8)), label="P")
    _frame_rejections(ax, result, names)
    cut = len(result.names) - len(names)
    caption = say.picture_of_pairs(bool(result.rejections), result.correction is not None, cut)
    finish(ax, "than this model", "this model is better", caption)
    _name_cells(ax, names, cell)
    return ax


def _name_cells(ax: Axes, names: list[str], cell: float) -> None:
    """Names, or where these would overlap, ranks."""
    ax.tick_params(length=0)
    size = min(0.9 * POINTS_PER_INCH * cell, 7.0)
    if size < SMALLEST_NAME:
        ranks = range(9, len(names), 10)
        ax.set_xticks(ranks, [str(rank + 1) for rank in ranks], fontsize=7.0)
        ax.set_yticks(ranks, [str(rank + 1) for rank in ranks], fontsize=7.0)
        ax.set_xlabel(f"{ax.get_xlabel()} (rank)")
        return
    labels = names_of(ax, names)
    turned: dict[str, Any] = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    ax.set_xticks(range(len(names)), labels, fontsize=size, **turned)
    ax.set_yticks(range(len(names)), labels, fontsize=size)


def _write_numbers(ax: Axes, probability: FloatArray, size: float) -> None:
    for (row, column), value in np.ndenumerate(probability):
        if not np.isnan(value):
            colour = "white" if abs(value - 0.5) > 0.3 else "black"
            text = say.probability(float(value))
            ax.text(column, row, text, ha="center", va="center", fontsize=size, color=colour)


def _frame_rejections(ax: Axes, result: Comparison, names: list[str]) -> None:
    from matplotlib.patches import Rectangle

    for model, found in result.rejections.items():
        if model in names and found.by in names:
            corner = names.index(model) - 0.46, names.index(found.by) - 0.46
            frame = Rectangle(corner, 0.92, 0.92, fill=False, edgecolor=FRAME, linewidth=1.6)
            ax.add_patch(frame)
