"""All models in one column: mean loss, interval of the risk, difference to the best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rivals.comparison import Comparison
from rivals.plots.style import (
    CHARACTERS_PER_INCH,
    COLOURS,
    axes_or_new,
    finish,
    ink,
    is_narrow,
    literal,
    literals,
    setting,
    width_in_inches,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROWS = 50
LONGEST_LABEL = 28
LONGEST_RIVAL = 18
REJECTED = 0.45
# How far below its row, in rows, the marker of the difference stands.
BELOW = 0.3


def plot_intervals(
    result: Comparison, *, level: float = 0.9, title: bool = True, ax: Axes | None = None
) -> Axes:
    """Draw one row per model, best first: its mean loss, the interval of its risk, its difference
    to the best.

    Parameters
    ----------
    result : Comparison
        Of more than 50 models the 50 of lowest mean loss are drawn, and the picture says so.
    level : float
        Probability with which the risk lies in its interval.
    title : bool
        Whether to write above the picture how to read it.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default, whose height grows with the number of models.

    Returns
    -------
    Axes

    See Also
    --------
    plot_risks : whole distributions, for a few models.
    plot_probability : every pair of models.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> from rivals.plots import plot_intervals
    >>> from rivals.testbeds import toys
    >>> y = np.random.default_rng(0).standard_normal(2000)
    >>> models = {
    ...     "right": toys.gaussian(),
    ...     "shifted": toys.gaussian(mean=0.3),
    ...     "wide": toys.gaussian(width=2.0),
    ... }
    >>> result = rivals.compare(models, y, rng=0)
    >>> ax = plot_intervals(result)
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['right', 'shifted', 'wide']
    """
    if not 0.0 < level < 1.0:
        raise ValueError(f"level must lie in (0, 1): got {level!r}; 0.9 gives a 90 % interval")
    models = result.ranking[:MOST_ROWS]
    ax = axes_or_new(ax, width=8.0, height=1.6 + 0.3 * len(models))
    _draw_intervals(ax, result, models, level)
    _draw_differences(ax, result, models)
    narrow = is_narrow(ax)
    size = "x-small" if narrow else "small"
    for row, name in enumerate(models):
        rejection = result.rejections.get(name)
        verdict = (
            "kept"
            if rejection is None
            else f"✗ by {literal(rejection.by, LONGEST_RIVAL // (1 + narrow))}"
        )
        look: dict[str, Any] = {
            "va": "center",
            "fontsize": size,
            "color": ink(ax, 1.0 if rejection is None else 0.65),
        }
        ax.text(1.01, row, verdict, transform=ax.get_yaxis_transform(), **look)
    labels = literals(models, LONGEST_LABEL // (1 + narrow))
    ax.set_yticks(range(len(models)), labels, fontsize=size)
    ax.set_ylim(len(models) - 0.5 + BELOW, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color=ink(ax, 0.1), linewidth=0.8)
    ax.set_axisbelow(True)
    _legend_below(ax)
    cut = len(result.names) - len(models)
    sentence = f"✗ rejected by a rival. {setting(result)}." + (
        f" {cut} more models are not drawn." if cut else ""
    )
    # The names on the left take a part of the width.
    part = max(1.0 - (max(map(len, labels)) + 4) / (CHARACTERS_PER_INCH * width_in_inches(ax)), 0.4)
    y = "" if narrow else "model, best first"
    return finish(ax, "loss (lower is better)", y, sentence, title=title, part=part)


def _draw_intervals(ax: Axes, result: Comparison, models: tuple[str, ...], level: float) -> None:
    ends = [result.risk_interval(name, level) for name in models]
    colours = [ink(ax, REJECTED) if name in result.rejections else COLOURS[0] for name in models]
    label = f"{100 * level:g} % interval of the risk R"
    ax.hlines(
        range(len(models)), *np.transpose(ends), color=colours, linewidth=3, alpha=0.8, label=label
    )
    means = [result.empirical_risk[name] for name in models]
    ax.scatter(
        means,
        range(len(models)),
        color=colours,
        edgecolor=ink(ax, 0.0),
        s=42,
        zorder=3,
        label="mean loss",
    )


def _draw_differences(ax: Axes, result: Comparison, models: tuple[str, ...]) -> None:
    """The mean loss again, with the error of its paired difference to the best: narrower than that
    of either mean.
    """
    best = result.empirical_risk[models[0]]
    ax.axvline(best, color=ink(ax, 0.6), linewidth=0.8, linestyle="--", zorder=1)
    others = models[1:]
    gaps, errors = (
        np.transpose([result.difference[name] for name in others]) if others else np.empty((2, 0))
    )
    look: dict[str, Any] = {"fmt": "^", "color": COLOURS[1], "markersize": 4, "linewidth": 1.2}
    rows = np.arange(1, len(models)) + BELOW
    ax.errorbar(best + gaps, rows, xerr=errors, label="paired difference to the best ± SE", **look)


def _legend_below(ax: Axes) -> None:
    """Under the label of the x axis; in one column where there is little room."""
    narrow = width_in_inches(ax) < 4.5  # three columns of it
    ax.legend(
        loc="upper center",
        bbox_to_anchor=(0.5, -0.55 * ax.figure.dpi / ax.get_window_extent().height),
        ncols=1 if narrow else 3,
        fontsize="x-small" if narrow else "small",
        frameon=False,
        borderpad=0.1,
        labelspacing=0.2,
    )
