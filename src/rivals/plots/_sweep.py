"""How the decision depends on the sensitivity c."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rivals._core.types import FloatArray
from rivals._result import sentences as say
from rivals.plots._style import MARKERS, axes_or_new, finish, ink, legend_below, literal, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rivals._core.evidence import Evidence
    from rivals._result.comparison import Comparison

MOST_CURVES = 8
# Probabilities beyond these are drawn there: log odds have no end.
LOWEST, HIGHEST = 0.05, 0.9995
TICKS = (0.05, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999)


def plot_sweep(
    result: Comparison, values: Sequence[float] | None = None, *, ax: Axes | None = None
) -> Axes:
    """Draw how probably each model is beaten, over c.

    A curve for each model: P of the rival that most probably beats it.

    Above stands how many models are not rejected.

    Parameters
    ----------
    result : Comparison
        With simulations.
    values : sequence of float, optional
        Of c; by default from 2⁻⁶ to 2⁴.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    See Also
    --------
    rivals.Comparison.sweep : the comparison at each c.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> ax = rivals.plots.plot_sweep(rivals.compare(toys.losses(), rng=0), [0.25, 16.0, 1000.0])
    >>> [text.get_text() for text in ax.texts]
    ['1', '1', '2']
    """
    if not result.summary.n_simulations:
        raise ValueError("there is no c to sweep over: these losses have no simulations")
    swept = result.sweep(values)
    c = np.array(sorted(swept))
    runs = [swept[value] for value in c.tolist()]
    strongest = np.array([strongest_rival(run.evidence) for run in runs])
    ax = axes_or_new(ax, width=6.4)
    _draw_curves(ax, result, c, strongest)
    threshold = result.setting.threshold
    ax.axhline(threshold, color=ink(ax), linewidth=0.9)
    ax.axvline(result.c, color=ink(ax, 0.5), linewidth=0.9, linestyle=":")
    for value, run in zip(c.tolist(), runs, strict=True):
        count = str(len(run.survivors))
        place = ax.get_xaxis_transform()
        ax.text(value, 1.01, count, transform=place, ha="center", va="bottom", fontsize="x-small")
    ax.set_xscale("log", base=2)
    ax.set_xticks(c, [f"{value:.2g}" for value in c])
    _stretch(ax)
    caption = say.picture_of_sweep(result.c, threshold, len(result.names) - 1 - MOST_CURVES)
    finish(ax, "sensitivity c", "P(strongest rival better)", caption)
    legend_below(ax)
    return ax


def strongest_rival(evidence: Evidence) -> FloatArray:
    """The largest P of a rival of lower risk, against each model; nan for the best."""
    found = np.full(len(evidence.names), np.nan)
    lower = evidence.risk[evidence.better] < evidence.risk[evidence.worse]
    np.fmax.at(found, evidence.worse[lower], evidence.forward[lower])
    return found


def _draw_curves(ax: Axes, result: Comparison, c: FloatArray, strongest: FloatArray) -> None:
    shown = np.clip(strongest, LOWEST, HIGHEST)
    for index, name in enumerate(result.ranking[1 : MOST_CURVES + 1]):
        place = result.place[name]
        marker = MARKERS[index % len(MARKERS)]
        label = literal(name)
        ax.plot(c, shown[:, place], marker=marker, markersize=4, label=label, **look(index))


def _stretch(ax: Axes) -> None:
    """Log odds: near 1, where decisions are made, curves lie apart."""
    ax.set_yscale("logit")
    ax.set_yticks(TICKS, [f"{tick:g}" for tick in TICKS])
    ax.minorticks_off()
    ax.set_ylim(0.9 * LOWEST, 1.0 - 0.5 * (1.0 - HIGHEST))
