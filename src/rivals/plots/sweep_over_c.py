"""How the verdict depends on c."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from rivals._types import FloatArray
from rivals.comparison import Comparison, Sweep
from rivals.plots.style import LEGEND, axes_or_new, finish, literal, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


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
    ax = axes_or_new(ax)
    order = np.argsort(sweep.c, kind="stable")
    c = np.asarray(sweep.c)[order]
    runs = [sweep.comparisons[index] for index in order]
    beaten, error = (
        np.stack(values) for values in zip(*(strongest_rival(run) for run in runs), strict=True)
    )
    for index, name in enumerate(sweep.names):
        if np.isfinite(
            beaten[:, index]
        ).all():  # the best model has no rival of lower empirical risk
            look: dict[str, Any] = {
                "marker": "o",
                "markersize": 3,
                "label": literal(name, LEGEND),
                **style(index),
            }
            ax.errorbar(c, beaten[:, index], 2 * error[:, index], **look)
    threshold = runs[0].threshold
    ax.axhline(threshold, color="black", linewidth=1, label=f"threshold {threshold:g}")
    ax.set_xscale("log", base=2)
    _shade_verdicts(ax, c, runs)
    ax.set_ylim(-0.03, 1.16)
    ax.set_yticks(np.linspace(0, 1, 6))
    sentence = f"Rejected above the threshold; on top: survivors. Law “{runs[0].law}”"
    return finish(ax, "sensitivity c", "P(its strongest rival is better)", sentence, title=title)


def strongest_rival(result: Comparison) -> tuple[FloatArray, FloatArray]:
    """For each model, the largest P(R_B < R_A) of a rival B of lower empirical risk, and its
    standard error.

    A model is rejected exactly where this exceeds the threshold. NaN for models without such a
    rival. Where a calibration decides, the probability is the calibrated one; the error is always
    that of the raw one.

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
    risk = result.applied.empirical
    eligible = risk[:, None] < risk[None, :]
    decisive = result.probability if result.calibrated is None else result.calibrated
    probability = np.where(eligible, decisive, -1.0)
    strongest = np.argmax(probability, axis=0)
    columns = np.arange(risk.size)
    has_rival = eligible.any(axis=0)
    return (
        np.where(has_rival, probability[strongest, columns], np.nan),
        np.where(has_rival, result.standard_error[strongest, columns], np.nan),
    )


def _check_sweep(sweep: Sweep) -> None:
    if isinstance(sweep, Comparison):
        has_c = sweep.applied.law.uses_c(sweep.applied.setting.n_simulations)
        what = (
            "pass result.sweep([...])"
            if has_c
            else f"law {sweep.law!r} has no c to sweep over here"
        )
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
        ax.axvspan(low, high, color="0.93", zorder=0)
        count = len(runs[group[0]].survivors)
        ax.text(np.sqrt(low * high), 1.11, str(count), ha="center", va="center", fontsize="small")
