"""Which models cannot be told apart: bars join those that no verdict parts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from rivals._types import BoolArray
from rivals.comparison import Comparison
from rivals.plots.style import COLOURS, axes_or_new, finish, ink, is_narrow, literals, setting

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_MODELS = 50
MOST_SETS = 1000
LONGEST_LABEL = 28
REJECTED = 0.55
# In rows of names: between two bars, and what a bar reaches beyond its models, in parts of the
# axis.
BETWEEN_BARS = 0.55
OVERHANG = 0.008


def plot_ties(result: Comparison, *, title: bool = True, ax: Axes | None = None) -> Axes:
    """Draw the models on the axis of mean loss, and bars that join those that no verdict parts.

    It is read like a critical-difference diagram, but the bars come from the probabilities and the
    rule of the comparison. Where a bar passes a model that is not among those it joins, dots mark
    those that are.

    Parameters
    ----------
    result : Comparison
        Of more than 50 models the 50 of lowest mean loss are drawn, and the picture says so.
    title : bool
        Whether to write above the picture how to read it.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default, whose height grows with the number of models.

    Returns
    -------
    Axes

    See Also
    --------
    tied_models : the sets that the bars join.
    plot_probability : every pair of models.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> from rivals.plots import plot_ties
    >>> from rivals.testbeds import toys
    >>> y = np.random.default_rng(0).standard_normal(2000)
    >>> models = {
    ...     "right": toys.gaussian(),
    ...     "shifted": toys.gaussian(mean=0.1),
    ...     "wide": toys.gaussian(width=2.0),
    ...     "wider": toys.gaussian(width=2.1),
    ... }
    >>> result = rivals.compare(models, y, c=0.05, rng=0)
    >>> ax = plot_ties(result)
    """
    names = result.ranking[:MOST_MODELS]
    places = {name: result.empirical_risk[name] for name in names}
    bars = [[name for name in tied if name in places] for tied in tied_models(result)]
    low = min(places.values())
    high = max(places.values())
    width = (high - low) or 1.0
    levels = _levels([bar for bar in bars if len(bar) > 1], places, 4.0 * OVERHANG * width)
    rows = ceil(len(names) / 2)
    ax = axes_or_new(ax, width=8.0, height=1.3 + 0.24 * rows + 0.13 * len(levels))
    ax.set_xlim(low - 0.04 * width, high + 0.04 * width)
    _draw_bars(ax, levels, places, OVERHANG * width)
    _draw_names(ax, result, names, first_row=1.0 + BETWEEN_BARS * len(levels))
    ax.set_ylim(rows + 0.5 + BETWEEN_BARS * len(levels), 0.0)
    ax.spines[["left", "right", "bottom"]].set_visible(False)
    ax.yaxis.set_visible(False)
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    sentence = f"A bar joins models that no verdict parts. {setting(result)}"
    if result.rejections:
        sentence += "; ✗ rejected"
    cut = len(result.names) - len(names)
    if cut:
        sentence += f". {cut} more models are not drawn"
    return finish(ax, "mean loss (lower is better)", "", sentence, title=title)


def tied_models(result: Comparison) -> tuple[tuple[str, ...], ...]:
    """The largest sets of models of which no verdict parts any two, best first.

    A verdict parts two models if the one of higher mean loss is rejected, and the other beats it
    with a probability above the threshold. The survivors are one set, or part of one.

    Parameters
    ----------
    result : Comparison

    Returns
    -------
    tuple of tuple of str
        Each model is in at least one set, which may be its own.

    See Also
    --------
    plot_ties : draws them.

    Examples
    --------
    >>> import rivals
    >>> from rivals.plots import tied_models
    >>> from rivals.testbeds import toys
    >>> tied_models(rivals.compare(toys.losses(), c=0.1, rng=0))
    (('A',), ('B',))
    """
    names = result.ranking
    sets = list(islice(largest_sets(~_parted(result)), MOST_SETS + 1))
    if len(sets) > MOST_SETS:
        raise ValueError(
            f"more than {MOST_SETS} sets of models that no verdict parts: got {len(names)} "
            "models, too many to join by bars; look at result.pairs, or compare fewer"
        )
    return tuple(tuple(names[place] for place in one) for one in sorted(sets))


def _parted(result: Comparison) -> BoolArray:
    """[a, b]: whether a verdict parts these models; models best first."""
    means = np.array([result.empirical_risk[name] for name in result.ranking])
    rejected = np.array([name in result.rejections for name in result.ranking])
    better = (means[:, None] < means[None, :]) & rejected[None, :]
    beats = better & (result.pairs.values > result.threshold)
    return np.asarray(beats | beats.T)


def largest_sets(joined: BoolArray) -> Iterator[list[int]]:
    """The sets within which all are joined, and to which none can be added.

    Bron and Kerbosch's search: what is in the set, what may be added, and what was tried before.
    Of those that may be added, only one that is not joined to `pivot` needs to be tried.
    """
    neighbours = [set(np.flatnonzero(row).tolist()) - {model} for model, row in enumerate(joined)]
    stack: list[tuple[list[int], set[int], set[int]]] = [([], set(range(len(joined))), set())]
    while stack:
        chosen, open_, tried = stack.pop()
        if not open_ and not tried:
            yield sorted(chosen)
            continue
        pivot = max(open_ | tried, key=lambda model: len(neighbours[model] & open_))
        for model in sorted(open_ - neighbours[pivot]):
            near = neighbours[model]
            stack.append(([*chosen, model], open_ & near, tried & near))
            open_ = open_ - {model}
            tried = tried | {model}


def _levels(bars: list[list[str]], places: dict[str, float], gap: float) -> list[list[list[str]]]:
    """The bars in rows, each in the first that has room: in a row there is a gap between two."""
    levels: list[list[list[str]]] = []
    for bar in bars:
        free = (level for level in levels if places[level[-1][-1]] + gap < places[bar[0]])
        level = next(free, None)
        if level is None:
            levels.append([bar])
        else:
            level.append(bar)
    return levels


def _draw_bars(
    ax: Axes, levels: list[list[list[str]]], places: dict[str, float], overhang: float
) -> None:
    for row, level in enumerate(levels):
        y = BETWEEN_BARS * (row + 1)
        for bar in level:
            low = places[bar[0]]
            high = places[bar[-1]]
            ends = [low - overhang, high + overhang]
            ax.plot(ends, [y, y], color=COLOURS[0], linewidth=4, solid_capstyle="butt", zorder=3)
            passed = [name for name, place in places.items() if low < place < high]
            if set(passed) - set(bar):
                members = [places[name] for name in bar]
                look: dict[str, Any] = {"edgecolor": COLOURS[0], "zorder": 4}
                ax.scatter(members, [y] * len(bar), s=30, color=ink(ax, 0.0), **look)


def _draw_names(ax: Axes, result: Comparison, names: tuple[str, ...], *, first_row: float) -> None:
    """Names on both sides, the better half on the left, each joined to its place on the axis."""
    narrow = is_narrow(ax)
    size = "x-small" if narrow else "small"
    labels = literals(names, LONGEST_LABEL // (1 + narrow))
    half = ceil(len(names) / 2)
    left, right = ax.get_xlim()
    for rank, (name, label) in enumerate(zip(names, labels, strict=True)):
        on_left = rank < half
        row = rank if on_left else len(names) - 1 - rank
        y = first_row + row
        end = left if on_left else right
        place = result.empirical_risk[name]
        rejected = name in result.rejections
        colour = ink(ax, REJECTED if rejected else 1.0)
        ax.plot([place, place, end], [0.0, y, y], color=colour, linewidth=0.9)
        text = f"✗ {label}" if rejected else label
        look: dict[str, Any] = {"va": "center", "fontsize": size, "color": colour}
        if on_left:
            ax.text(end, y, f"{text} ", ha="right", **look)
        else:
            ax.text(end, y, f" {text}", ha="left", **look)
