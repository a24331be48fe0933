"""How the verdict depends on c."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from rivals._say.words import probability_text
from rivals._types import BoolArray, FloatArray, IntArray
from rivals.comparison import Comparison, Sweep
from rivals.plots.style import LEGEND, axes_or_new, finish, ink, literal, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Probabilities beyond these are drawn there: log odds have no end.
LOWEST = 0.01
HIGHEST = 0.9996
TOP = 0.99995
TICKS = (0.01, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, HIGHEST)


def plot_sweep(sweep: Sweep, *, title: bool = True, ax: Axes | None = None) -> Axes:
    """Draw, over c, how probably each model is beaten by the strongest of its rivals.

    Parameters
    ----------
    sweep : Sweep
    title : bool
        Whether to write above the picture how to read it.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes

    See Also
    --------
    rivals.Comparison.sweep : makes a sweep.
    strongest_rival : the numbers at one c.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> from rivals.plots import plot_sweep
    >>> from rivals.testbeds import toys
    >>> y = np.random.default_rng(0).standard_normal(2000)
    >>> models = {
    ...     "right": toys.gaussian(),
    ...     "shifted": toys.gaussian(mean=0.3),
    ...     "wide": toys.gaussian(width=2.0),
    ... }
    >>> result = rivals.compare(models, y, rng=0)
    >>> ax = plot_sweep(result.sweep(c=[2.0**k for k in range(-6, 3)]))
    """
    _check_sweep(sweep)
    ax = axes_or_new(ax, width=7.2)
    order = np.argsort(sweep.c, kind="stable")
    c = np.asarray(sweep.c)[order]
    runs = [sweep.comparisons[index] for index in order]
    strongest = [strongest_rival(run) for run in runs]
    beaten = np.stack([probability for probability, _ in strongest])
    error = np.stack([standard_error for _, standard_error in strongest])
    undecided = np.array([_undecided(run) for run in runs])
    for index, name in enumerate(sweep.names):
        if np.isfinite(beaten[:, index]).all():  # the best model has no rival of lower mean loss
            look = {"label": literal(name, LEGEND), **style(index)}
            _draw_curve(ax, c, beaten[:, index], error[:, index], look)
    _draw_hollow(ax, c, beaten, undecided)
    threshold = runs[0].threshold
    ax.axhline(threshold, color=ink(ax), linewidth=1, label=f"threshold {threshold:g}")
    ax.set_xscale("log", base=2)
    _stretch(ax, lowest=min(float(np.min(beaten, initial=0.5, where=beaten > 0.0)), threshold))
    _shade_verdicts(ax, c, runs)
    sentence = f"Rejected above the threshold; on top: survivors. Law “{runs[0].law}”"
    y = "P(its strongest rival is better)"
    # Curves may run anywhere, so that there is no room inside that is free for sure.
    return finish(ax, "sensitivity c", y, sentence, title=title, place="beside")


def _undecided(run: Comparison) -> list[bool]:
    """Of each model, whether random numbers decide about it."""
    models = {duel.model for duel in run.undecided}
    return [name in models for name in run.names]


def _draw_curve(
    ax: Axes, c: FloatArray, beaten: FloatArray, error: FloatArray, look: dict[str, Any]
) -> None:
    shown = np.clip(beaten, LOWEST, HIGHEST)
    below = shown - np.clip(beaten - 2.0 * error, LOWEST, HIGHEST)
    above = np.clip(beaten + 2.0 * error, LOWEST, HIGHEST) - shown
    ax.errorbar(c, shown, np.stack([below, above]), marker="o", markersize=4, **look)


def _draw_hollow(ax: Axes, c: FloatArray, beaten: FloatArray, undecided: BoolArray) -> None:
    """Points whose verdict is undecided; one entry of the legend for all models."""
    shown = np.clip(beaten, LOWEST, HIGHEST)
    points = np.broadcast_to(c[:, None], shown.shape)
    look: dict[str, Any] = {"marker": "o", "s": 18, "color": ink(ax, 0.0), "edgecolor": ink(ax)}
    drawn = undecided & np.isfinite(shown)
    if drawn.any():
        ax.scatter(points[drawn], shown[drawn], zorder=3, label="undecided", **look)


def _stretch(ax: Axes, lowest: float) -> None:
    """Log odds: near 1, where verdicts are stated, curves lie apart from each other and the
    line.
    """
    lowest = max(lowest, LOWEST)
    ax.set_yscale("logit")
    ticks = [tick for tick in TICKS if tick >= lowest]
    ax.set_yticks(ticks, [probability_text(tick) for tick in ticks])
    ax.minorticks_off()
    ax.set_ylim(0.9 * lowest, TOP)


def strongest_rival(result: Comparison) -> tuple[FloatArray, FloatArray]:
    """For each model, the largest P(R_B < R_A) of a rival B of lower empirical risk, and its
    standard error.

    A model is rejected where this exceeds the threshold and nine in ten of the single simulations
    agree. NaN for models without such a rival. Where a calibration decides, the probability is the
    calibrated one; the error is always that of the raw one.

    Parameters
    ----------
    result : Comparison

    Returns
    -------
    probability, standard_error : ndarray
        In the order of `result.names`.

    See Also
    --------
    plot_sweep : draws these numbers over c.

    Examples
    --------
    >>> import rivals
    >>> from rivals.plots import strongest_rival
    >>> from rivals.testbeds import toys
    >>> strongest_rival(rivals.compare(toys.losses(), c=0.1, rng=0))[0]
    array([nan,  1.])
    """
    decides = result.probability if result.calibrated is None else result.calibrated
    rival = _strongest(result.applied.empirical, decides)
    model = np.arange(rival.size)
    has_rival = rival >= 0
    return (
        np.where(has_rival, decides[rival, model], np.nan),
        np.where(has_rival, result.standard_error[rival, model], np.nan),
    )


def strongest_of(risk: FloatArray, probability: FloatArray) -> FloatArray:
    """The same from the mean losses and a matrix of probabilities; without errors."""
    rival = _strongest(risk, probability)
    return np.where(rival >= 0, probability[rival, np.arange(risk.size)], np.nan)


def _strongest(risk: FloatArray, probability: FloatArray) -> IntArray:
    """The rival of lower mean loss that is most probably better than each model; −1 if none is."""
    lower = risk[:, None] < risk[None, :]
    strongest = np.argmax(np.where(lower, probability, -1.0), axis=0)
    return np.where(lower.any(axis=0), strongest, -1)


def _check_sweep(sweep: Sweep) -> None:
    if isinstance(sweep, Comparison):
        what = f"law {sweep.law!r} has no c to sweep over here"
        if sweep.applied.law.uses_c(sweep.applied.setting.n_simulations):
            what = "pass result.sweep([...])"
        raise TypeError(
            f"plot_sweep draws a comparison at several c: got a Comparison at one; {what}"
        )


def _shade_verdicts(ax: Axes, c: FloatArray, runs: list[Comparison]) -> None:
    """One band for each run of values of c with the same survivors; the white gaps hold the
    changes.
    """
    groups = [
        list(group)
        for _, group in groupby(range(c.size), key=lambda i: frozenset(runs[i].survivors))
    ]
    margin = 2**0.12
    for group in groups:
        low = c[group[0]] / margin
        high = c[group[-1]] * margin
        ax.axvspan(low, high, color=ink(ax, 0.07), zorder=0)
        count = len(runs[group[0]].survivors)
        top: dict[str, Any] = {"transform": ax.get_xaxis_transform(), "fontsize": "small"}
        ax.text(np.sqrt(low * high), 0.95, str(count), ha="center", va="center", **top)
