"""One figure of a calibrated comparison, as the paper shows it: quantile functions and paths,
distributions of the risk, calibration, and B against c.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit, logit

from rivals._core.decided import Decided
from rivals._core.losses import Losses
from rivals._core.setting import one_of
from rivals._core.texts import Refusal
from rivals._core.types import RNG, FloatArray
from rivals._result import sentences as say
from rivals.laws import HierarchicalBetaProcess, TransportLaw
from rivals.plots._calibration import power, shade_overconfidence
from rivals.plots._risks import density
from rivals.plots._style import MARKERS, ink, literal, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from rivals._result.comparison import Comparison

MM = 1.0 / 25.4
# Widths of a column and of a page, beyond which panels stand two by two.
ONE_COLUMN, TWO_COLUMNS = 89.0, 183.0
WIDE = 140.0
FONT = 7.0
POINTS = 513
# Part of the losses that is shown: a few extreme ones would flatten all others.
SHOWN = 0.985
# Curves, and models, that a panel has room for.
MOST = 6
BINS = 12
# How states are shaded: broken and open as in the calibration, the others apart in grey, too.
SHADES = {"kept": "#009E7340", "open": "#F0E44250", "silent": "#80808020", "broken": "#D55E0038"}
TICKS = (0.5, 0.8, 0.9, 0.95, 0.99, 0.999)


def paper_figure(
    result: Comparison,
    *,
    of: str | None = None,
    width: float = TWO_COLUMNS,
    n_paths: int = 15,
    rng: RNG = 0,
) -> Figure:
    """Draw a calibrated comparison as the paper does.

    a, the quantile function q* of one model's losses, that of its simulations q~, the band
    q* ± √c δ, and paths; b, the distributions of the risk of all models, mean losses as triangles;
    c, calibration curves; d, P that the strongest rival is better, against c, over the states of
    the calibration.

    Parameters
    ----------
    result : Comparison
        Made with `c=calibration`.
    of : str, optional
        The model of panel a; the best by default.
    width : float
        In millimetres: 89 for a column, 183 for a page.
    n_paths : int
        Paths in panel a.
    rng : int, SeedSequence, Generator or None
        Source of randomness of the paths.

    See Also
    --------
    plot_quantiles, plot_risks, plot_calibration : single pictures, with more of each.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> calibration = rivals.calibrate(
    ...     toys.omega, n_data=100, n_experiments=512, c=[2**-8, 1.0], n_truth=2000, rng=0
    ... )
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> models = {"A": toys.gaussian(-0.3), "B": toys.gaussian(0.3)}
    >>> result = rivals.compare(models, rng.normal(-0.2, 1, 100), c=calibration, rng=0)
    >>> figure = rivals.plots.paper_figure(result)
    >>> [len(ax.get_legend().get_texts()) for ax in figure.axes]
    [4, 2, 2, 1]
    """
    import matplotlib.pyplot as plt

    decided = result._decided
    if decided.calibration is None:
        raise Refusal(
            "the figure shows a calibration: make the comparison with c=calibration, "
            "calibration = rivals.calibrate(…)"
        )
    if not decided.summary.n_simulations:
        raise Refusal("the figure needs simulations of the models, which the comparison has not")
    name = decided.ranking[0] if of is None else one_of(*decided.names)("of", of)
    names = decided.ranking[:MOST]
    looks = {each: look(place) for place, each in enumerate(names)}
    wide = width >= WIDE
    inches = width * MM
    style: dict[Any, Any] = {
        "font.size": FONT,
        "axes.titlesize": FONT + 0.5,
        "axes.labelsize": FONT,
        "xtick.labelsize": FONT - 0.5,
        "ytick.labelsize": FONT - 0.5,
        "legend.fontsize": FONT - 0.8,
        "legend.title_fontsize": FONT - 0.8,
        "axes.titlelocation": "left",
        "axes.linewidth": 0.6,
        "legend.frameon": False,
        "legend.handlelength": 1.7,
        "legend.borderpad": 0.1,
        "legend.labelspacing": 0.3,
    }
    with plt.rc_context(style):
        shape = (2, 2) if wide else (4, 1)
        size = (inches, 0.72 * inches if wide else 2.9 * inches)
        figure, panels = plt.subplots(*shape, figsize=size, layout="constrained", squeeze=False)
        a, b, c, d = panels.ravel()
        _paths(a, process_of(decided, name), name, n_paths, rng)
        _risks(b, decided, names, looks)
        _curves(c, decided)
        _against_c(d, decided, names, looks)
        at = power(decided.c)
        titles = (
            f"losses of {literal(name, 20)}, c = {at}",
            f"distributions of the risk, c = {at}",
            "calibration",
            "P(the strongest rival is better)",
        )
        for letter, panel, title in zip("abcd", (a, b, c, d), titles, strict=True):
            panel.set_title(f"$\\bf{{{letter}}}$  {title}", pad=11.0 if panel is d else None)
    return figure


def process_of(decided: Decided, name: str) -> HierarchicalBetaProcess | TransportLaw:
    """The process of one model, at the c of the comparison."""
    place = decided.place[name]
    processes = getattr(decided.summary, "processes", None)
    if processes is not None:
        found: HierarchicalBetaProcess = processes[place].at(decided.c)
        return found
    if decided.study is None:
        raise Refusal(
            "the paths of method 'transport' need the losses, which a saved comparison has not; "
            "make the comparison again"
        )
    losses = Losses(decided.study.observed[place], decided.study.simulated[place])
    return TransportLaw.from_losses(losses, decided.c)


def _paths(
    ax: Axes,
    process: HierarchicalBetaProcess | TransportLaw,
    name: str,
    n_paths: int,
    rng: RNG,
) -> None:
    """Quantile functions of the losses of one model, and paths around them."""
    phi = np.linspace(0.0, 1.0, POINTS)
    q, reach = process.q(phi), sqrt(process.c) * process.delta(phi)
    band: dict[str, Any] = {"color": "#E69F00", "alpha": 0.3, "linewidth": 0}
    ax.fill_between(phi, q - reach, q + reach, label=r"$q^* \pm \sqrt{c}\,\delta$", **band)
    if n_paths:
        at, paths = process.sample_paths(n_paths, 9, rng)
        lines = ax.plot(at, paths.T, color=ink(ax, 0.35), linewidth=0.5, zorder=1)
        lines[0].set_label(r"paths, $\hat q$")
    simulated = np.mean([each(phi) for each in process.simulated], axis=0)
    ax.plot(phi, simulated, "--", color=ink(ax), linewidth=0.9, label=r"simulated, $\tilde q$")
    ax.plot(phi, q, color=look(0)["color"], linewidth=1.4, label="observed, $q^*$")
    ends = process.q([0.0, SHOWN])
    room = 0.12 * float(ends[1] - ends[0])
    ax.set(xlim=(0, 1), ylim=(ends[0] - room, ends[1] + room), xlabel=r"$\Phi$", ylabel="loss")
    ax.legend(loc="upper left")


def _risks(ax: Axes, decided: Decided, names: tuple[str, ...], looks: dict[str, Any]) -> None:
    """Densities of the risk, one over the other; one far off stands outside, with an arrow."""
    grids, heights = density(decided)
    areas = np.asarray(np.trapezoid(heights, grids, axis=1))
    places = [decided.place[name] for name in names]
    ends = np.array([[grids[k][0], grids[k][-1]] for k in places])
    reach = float(np.median(ends[:, 1] - ends[:, 0]))
    near = ends[:, 0] < ends[0, 1] + 2.0 * reach
    means = decided.evidence.risk[places]
    low = min(float(ends[near, 0].min()), float(means.min()))
    high = float(ends[near, 1].max())
    inside = [places[row] for row in np.flatnonzero(near)]
    top = max(float(np.max(heights[k])) / areas[k] for k in inside if areas[k] > 0.0)
    for name, place in zip(names, places, strict=True):
        scaled = heights[place] / areas[place] if areas[place] > 0.0 else heights[place]
        mean = decided.evidence.risk[place]
        label = literal(name, 20) + (" →" if mean > high else "")
        colour = looks[name]["color"]
        ax.fill_between(grids[place], scaled, color=colour, alpha=0.15, linewidth=0)
        ax.plot(grids[place], scaled, linewidth=1.2, label=label, **looks[name])
        if mean <= high:
            ax.plot(mean, 0.0, "^", color=colour, markersize=5, clip_on=False, zorder=5)
    room = 0.04 * (high - low)
    ax.set(
        xlim=(low - room, high + room),
        ylim=(0.0, (1.1 + 0.1 * len(names)) * top),
        yticks=[],
        ylabel="density",
    )
    ax.set_xlabel(say.scale(decided.summary.source))
    ax.legend(loc="upper right")


def _curves(ax: Axes, decided: Decided) -> None:
    """Calibration curves of a few c, the one that was used in bold."""
    from matplotlib import colormaps

    calibration: Any = decided.calibration
    shade_overconfidence(ax)
    values = calibration.c
    step = -(-len(values) // (MOST - 1))
    chosen = sorted({*values[::step], *([decided.c] if decided.c in values else [])})
    first = 0.3 if sum(ink(ax)[:3]) > 1.5 else 0.0  # on dark ground the lighter half
    colours = colormaps["viridis"](np.linspace(first, first + 0.7, len(chosen)))
    for place, (value, colour) in enumerate(zip(chosen, colours, strict=True)):
        curve = calibration.curve(value, bins=BINS)
        used = value == decided.c
        ax.fill_between(curve.predicted, curve.low, curve.high, color=colour, alpha=0.12, lw=0)
        ax.plot(
            curve.predicted,
            curve.observed,
            color=colour,
            marker=MARKERS[place % len(MARKERS)],
            markersize=2.8,
            linewidth=1.8 if used else 0.9,
            label=power(value) + " (used)" * used,
        )
    ax.set(xlim=(0, 1), ylim=(0, 1), xlabel="P that a is better", ylabel="how often a is better")
    ax.legend(title="c", loc="upper left")


def _against_c(ax: Axes, decided: Decided, names: tuple[str, ...], looks: dict[str, Any]) -> None:
    """Of each model but the best, P of its strongest rival at every c, over the states."""
    calibration: Any = decided.calibration
    values = np.array(calibration.c)
    states = [each.state for each in calibration.states().overall]
    edges = _edges(values)
    begin = 0
    for end in range(1, values.size + 1):
        if end == values.size or states[end] != states[begin]:
            ax.axvspan(edges[begin], edges[end], color=SHADES[states[begin]], linewidth=0)
            ax.text(
                *(sqrt(edges[begin] * edges[end]), 1.01, states[begin]),
                transform=ax.get_xaxis_transform(),
                ha="center",
                va="bottom",
                size=FONT - 1.0,
            )
            begin = end
    others = [name for name in decided.names if name != decided.ranking[0]]
    for name, strongest in zip(others, strongest_rivals(decided, values, others), strict=True):
        if name in looks:
            shown = logit(np.clip(strongest, TICKS[0], TICKS[-1]))
            label = literal(name, 20)
            ax.plot(
                values, shown, marker="o", markersize=2.4, linewidth=1.1, label=label, **looks[name]
            )
    ax.axhline(float(logit(decided.setting.threshold)), color=ink(ax), linewidth=0.7, linestyle=":")
    ax.axvline(decided.c, ymax=0.05, color=ink(ax), linewidth=1.6)
    ax.set_xscale("log", base=2)
    ax.set_yticks(logit(TICKS), [f"{tick:g}" for tick in expit(logit(TICKS)).round(3)])
    ax.set(xlim=(edges[0], edges[-1]), ylim=(logit(0.48), logit(0.9993)))
    ax.set(xlabel="sensitivity c (the mark: used)", ylabel="P")
    ax.legend(loc="lower left")


def strongest_rivals(decided: Decided, values: FloatArray, names: list[str]) -> FloatArray:
    """Names × c: the highest P with which another model of lower mean loss beats each."""
    at_each = [decided.at(c=float(value)).probability for value in values]
    risk = decided.evidence.risk
    found = np.full((len(names), values.size), 0.5)
    for row, name in enumerate(names):
        place = decided.place[name]
        lower = np.flatnonzero(risk < risk[place])
        if lower.size:
            found[row] = [float(np.max(matrix[lower, place])) for matrix in at_each]
    return found


def _edges(values: FloatArray) -> FloatArray:
    """Between the values of c, and beyond the ends."""
    if values.size == 1:
        return np.array([values[0] / 2.0, values[0] * 2.0])
    between = np.sqrt(values[1:] * values[:-1])
    first, last = values[0] ** 2 / between[0], values[-1] ** 2 / between[-1]
    return np.concatenate([[first], between, [last]])
