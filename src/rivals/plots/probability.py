"""The matrix of probabilities: which model beats which."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rivals import sentences as say
from rivals.plots.style import axes_or_new, finish, ink, names_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rivals.result import Comparison

# More models would be too small to read, and more numbers.
MOST_MODELS = 60
MOST_NUMBERS = 10


def plot_probability(result: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw P(model of the row better than that of the column) for every pair.

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
    ax = axes_or_new(ax, width=size + 0.6, height=size)
    places = [result.names.index(name) for name in names]
    probability = result.probability[np.ix_(places, places)].copy()
    np.fill_diagonal(probability, np.nan)
    # Dark at both ends, which differ in hue: 0 is orange, 1 violet.
    image = ax.imshow(probability, vmin=0.0, vmax=1.0, cmap="PuOr", aspect="equal")
    many = len(names) > MOST_NUMBERS
    size_of_names = 6.0 if many else "x-small"
    labels = names_of(ax, names)
    places_of_ticks = range(len(names))
    turned = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    ax.set_xticks(places_of_ticks, labels, fontsize=size_of_names, **turned)
    ax.set_yticks(places_of_ticks, labels, fontsize=size_of_names)
    ax.tick_params(length=0)
    if many:
        ax.figure.colorbar(image, ax=ax, label="P", shrink=0.7)
    else:
        _write_numbers(ax, probability)
    _frame_rejections(ax, result, names)
    caption = say.picture_of_pairs(
        bool(result.rejections), result.correction is not None, len(result.names) - len(names)
    )
    return finish(ax, "than this model", "this model is better", caption)


def _write_numbers(ax: Axes, probability: np.ndarray) -> None:
    size = 8.0 if len(probability) <= 5 else 6.0
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
            frame = Rectangle(corner, 0.92, 0.92, fill=False, edgecolor=ink(ax), linewidth=1.6)
            ax.add_patch(frame)
