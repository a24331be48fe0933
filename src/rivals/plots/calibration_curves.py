"""Calibration curves, and the range of c that they allow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rivals.calibration.judgement import THRESHOLD
from rivals.plots.style import LEGEND, axes_or_new, finish, ink, is_narrow, literal, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rivals.calibration.result import Calibration
    from rivals.calibration.validity import Validity

MARKERS = "osD^vP*X"
MOST_CURVES = len(MARKERS)
BESIDE = 2**0.5  # room beside the first and the last c
# Where a point (B, truth) of a curve is overconfident: |B − ½| exceeds how far the truth is from ½
# on the same side. In the triangles of the first kind the stated probability is too far from ½; in
# those of the second the truth is as far from ½ on the other side, or farther. As corners (B,
# truth).
OVERCONFIDENT = (
    np.array([[0.0, 0.0], [0.0, 1.0], [0.5, 0.5]]),
    np.array([[1.0, 1.0], [1.0, 0.0], [0.5, 0.5]]),
)
FOR_THE_WRONG_MODEL = (
    np.array([[0.0, 1.0], [0.5, 1.0], [0.5, 0.5]]),
    np.array([[1.0, 0.0], [0.5, 0.0], [0.5, 0.5]]),
)


def plot_calibration(
    calibration: Calibration,
    *,
    c: Sequence[float] | None = None,
    omega: str | None = None,
    bins: int = 16,
    band: bool = True,
    title: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw how often a is truly better against how probable that was said to be.

    Parameters
    ----------
    calibration : Calibration
    c : sequence of float, optional
        Which curves; by default all, or of more than eight the best and some on either side.
    omega : str, optional
        Which epistemic distribution; all experiments together by default.
    bins : int
        Equal-count bins per curve.
    band : bool
        Whether to draw the 95 % band of each bin as a vertical line.
    title : bool
        Whether to write above the picture how to read it.
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    See Also
    --------
    plot_valid_c : errors among stated winners against c.
    rivals.Calibration.curve : the numbers of one curve.

    Examples
    --------
    >>> import rivals
    >>> from rivals.plots import plot_calibration
    >>> from rivals.testbeds import toys
    >>> calibration = rivals.calibrate(
    ...     toys.omega,
    ...     n_data=100,
    ...     n_experiments=256,
    ...     c=[2**-8, 2**-4, 1.0],
    ...     n_truth=1000,
    ...     rng=0,
    ...     executor=0,
    ...     progress=False,
    ... )
    >>> ax = plot_calibration(calibration, bins=8)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['c = 2^-8', 'c = 2^-4', 'c = 1']
    """
    from matplotlib import colormaps

    ax = axes_or_new(ax, width=5.6, height=5.2)
    shade_overconfidence(ax)
    values = _values(calibration) if c is None else tuple(c)
    colours = colormaps["viridis"](np.linspace(0, 0.92, len(values)))
    for place, (value, colour) in enumerate(zip(values, colours, strict=True)):
        curve = calibration.curve(value, omega, bins)
        look = {"color": colour, "marker": MARKERS[place % len(MARKERS)]}
        ax.plot(
            curve.predicted,
            curve.observed,
            label=f"c = {_power(value)}",
            markersize=4,
            linewidth=1.2,
            **look,
        )
        if band:
            ax.vlines(curve.predicted, curve.low, curve.high, color=colour, alpha=0.35, linewidth=1)
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    x = "predicted: probability B that a beats b"
    y = "observed: fraction of experiments in which a is truly better"
    if is_narrow(ax):
        x = "stated probability B"
        y = "how often a is better"
    sentence = f"Law “{calibration.law}”. Red: overconfident. Yellow: wrong"
    if omega:
        sentence = f"{literal(omega, 16)}. {sentence}"
    # Curves may run anywhere, so that there is no room inside that is free for sure.
    return finish(ax, x, y, sentence, title=title, place="beside")


def plot_valid_c(
    calibration: Calibration, *, bins: int = 16, title: bool = True, ax: Axes | None = None
) -> Axes:
    """Draw how many of the stated winners are wrong against c, for each epistemic distribution, and
    the range that is valid.

    Parameters
    ----------
    calibration : Calibration
    bins : int
        Equal-count bins per curve.
    title : bool
        Whether to write above the picture how to read it.
    ax : matplotlib Axes, optional

    Returns
    -------
    Axes

    See Also
    --------
    plot_calibration : the curves themselves.
    rivals.Calibration.valid_c : the range in numbers.

    Examples
    --------
    >>> import rivals
    >>> from rivals.plots import plot_valid_c
    >>> from rivals.testbeds import toys
    >>> calibration = rivals.calibrate(
    ...     toys.omega,
    ...     n_data=100,
    ...     n_experiments=256,
    ...     c=[2**-8, 2**-4, 1.0],
    ...     n_truth=1000,
    ...     rng=0,
    ...     executor=0,
    ...     progress=False,
    ... )
    >>> ax = plot_valid_c(calibration, bins=8)
    """
    ax = axes_or_new(ax)
    validity = calibration.validity(bins)
    for place, (name, error) in enumerate(zip(validity.omegas, validity.error, strict=True)):
        ax.plot(
            calibration.c,
            error,
            marker=MARKERS[place % len(MARKERS)],
            label=literal(name, LEGEND),
            **style(place),
        )
    _mark_broken(ax, validity)
    allowed = 1.0 - THRESHOLD
    ax.axhline(allowed, color=ink(ax, 0.5), linewidth=1, linestyle=":")
    look: dict[str, Any] = {"va": "top", "ha": "right", "color": ink(ax, 0.6), "fontsize": "small"}
    ax.text(calibration.c[-1], allowed, f"{allowed:.0%} allowed", **look)
    valid = validity.widest()
    if valid.low is not None and valid.high is not None:
        label = "valid for all, winners stated"
        ax.axvspan(valid.low, valid.high, color="#009E73", alpha=0.15, linewidth=0, label=label)
    ax.set_xscale("log", base=2)
    ax.set_xlim(calibration.c[0] / BESIDE, calibration.c[-1] * BESIDE)
    ax.set_ylim(bottom=0)
    sentence = "Green: the c whose stated winners are right often enough"
    if validity.says_nothing.any():
        sentence += "; where there is no point, none is stated"
    return finish(ax, "sensitivity c", "stated winners that are wrong", sentence, title=title)


def _mark_broken(ax: Axes, validity: Validity) -> None:
    """A ring around every c that breaks the paper's bound: in some bin B is too confident."""
    rows, columns = np.nonzero(~validity.keeps_bound)
    if rows.size:
        ax.plot(
            np.array(validity.c)[columns],
            validity.error[rows, columns],
            linestyle="",
            marker="o",
            markersize=11,
            markerfacecolor="none",
            color=ink(ax),
            label="breaks the paper's bound",
        )


def shade_overconfidence(
    ax: Axes, *, overconfident: str = "#D55E002E", wrong: str | None = "#F0E44259"
) -> None:
    """Shade the regions where a curve is overconfident, and where it favours the wrong model; and
    draw the diagonal.

    Parameters
    ----------
    ax : matplotlib Axes
    overconfident : colour
        Where |B − ½| exceeds the truth's distance from ½: red, as in the paper.
    wrong : colour, optional
        Beyond, where the other model is the better: yellow, as in the paper; None leaves it white.

    See Also
    --------
    plot_calibration : draws curves on this ground.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from rivals.plots import shade_overconfidence
    >>> figure, ax = plt.subplots(figsize=(4, 4))
    >>> shade_overconfidence(ax)
    >>> ax.set_aspect("equal")
    """
    for colour, triangles in ((overconfident, OVERCONFIDENT), (wrong, FOR_THE_WRONG_MODEL)):
        if colour is not None:
            for corners in triangles:
                ax.fill(*corners.T, color=colour, linewidth=0)
    # Where stated probabilities equal observed fractions.
    ax.plot([0, 1], [0, 1], color=ink(ax), linewidth=0.8, linestyle="--")


def _values(calibration: Calibration) -> tuple[float, ...]:
    """At most eight values of c: from the best one on, evenly spaced to both sides."""
    tried = calibration.c
    step = -(-len(tried) // MOST_CURVES)
    best = tried.index(calibration.choose_c(valid_only=False))
    return tried[best % step :: step]


def _power(value: float) -> str:
    """Powers of two as such, other numbers as they are."""
    exponent = np.log2(value)
    is_power = abs(exponent - round(exponent)) < 1e-9
    if is_power and abs(exponent) > 1:
        return f"2^{exponent:.0f}"
    return f"{value:g}"
