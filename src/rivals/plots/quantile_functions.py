"""The quantile functions of a model on data and simulations, and what the law of the risk makes of the gap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rivals._checks import check_size, show
from rivals._types import RNG
from rivals.comparison import Comparison
from rivals.core.process import HierarchicalBetaProcess
from rivals.core.quantiles import QuantileFunction
from rivals.plots.loss_samples import frame_of
from rivals.plots.style import BAND, COLOURS, axes_or_new, legend, literal, reading, setting

if TYPE_CHECKING:
    from matplotlib.axes import Axes

N_POINTS = 513


def plot_quantiles(
    result: Comparison,
    model: str,
    *,
    n_paths: int = 20,
    highest: float = 0.99,
    rng: RNG = 0,
    ax: Axes | None = None,
) -> Axes:
    """Draw the quantile functions of one model of a comparison, and what its law makes of the gap between them.

    Under law "beta" these are the discrepancy δ and sampled paths; under "transport" the area between the functions.
    Law "groups" needs no simulations: where there are none, only the losses on the data are drawn.

    Parameters
    ----------
    result : Comparison
    model : str
        Its name in the comparison.
    n_paths : int
        Realisations of the process to draw under law "beta"; 0 for none. Other laws have no paths.
    highest : float
        The frame ends a little above the losses at this Φ; 1 shows even the largest.
    rng : int, SeedSequence, Generator or None
        Source of randomness of the paths.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import rivals
    >>> from rivals.plots import plot_quantiles
    >>> from rivals.testbeds import toys
    >>> plot_quantiles(rivals.compare(toys.losses(), rng=0), "B").get_xlabel()
    'B: cumulative probability Φ'
    """
    if model not in result.losses:
        raise ValueError(f"model must be one of {[show(name) for name in result.names]}; got {show(model)!r}")
    if result.law == "beta":
        process = HierarchicalBetaProcess.from_losses(result.losses[model], result.c, result.depth)
        ax = plot_process(process, n_paths=n_paths, highest=highest, rng=rng, ax=ax)
    else:
        ax = _plot_gap(result, model, highest, ax)
    ax.set_xlabel(f"{literal(model)}: cumulative probability Φ")
    return ax


def plot_process(
    process: HierarchicalBetaProcess,
    *,
    n_paths: int = 20,
    highest: float = 0.99,
    rng: RNG = 0,
    ax: Axes | None = None,
) -> Axes:
    """Draw the quantile functions behind a process, the discrepancy, and sampled paths.

    Parameters
    ----------
    process : HierarchicalBetaProcess
    n_paths : int
        Realisations to draw; 0 for none.
    highest : float
        The frame ends a little above the losses at this Φ; 1 shows even the largest.
    rng : int, SeedSequence, Generator or None
        Source of randomness of the paths.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes

    Examples
    --------
    >>> from rivals import HierarchicalBetaProcess, Losses
    >>> from rivals.plots import plot_process
    >>> from rivals.testbeds import toys
    >>> plot_process(HierarchicalBetaProcess.from_losses(Losses(*toys.losses()["A"]), c=0.5)).get_ylabel()
    'loss'
    """
    n_paths = check_size(n_paths, "n_paths", least=0)
    ax = axes_or_new(ax)
    phi = np.linspace(0.0, 1.0, N_POINTS)
    observed = process.reference + process.observed(phi)
    reach = np.sqrt(process.c) * process.discrepancy(phi)
    ax.fill_between(
        phi, observed - reach, observed + reach, color=BAND, alpha=0.55, linewidth=0, label=r"q* ± $\sqrt{c}$ δ"
    )
    if n_paths:
        grid, paths = process.sample_paths(n_paths, rng=rng)
        lines = ax.plot(grid, paths.T, color="0.45", linewidth=0.5, alpha=0.7)
        lines[0].set_label("sampled paths")
    _draw_functions(ax, process.observed, process.synthetic, process.reference, highest)
    reading(
        ax,
        "The wider the gap δ between data and simulation, the more the sampled paths deviate from q*; the average of each "
        f"is a risk R. Law “beta”, c = {process.c:g}"
        + ("" if highest == 1.0 else ". The highest losses leave the frame."),
    )
    legend(ax)
    return ax


def _plot_gap(result: Comparison, model: str, highest: float, ax: Axes | None) -> Axes:
    """The functions of a law without paths, and the area between them."""
    losses, reference = result.losses[model], result.losses[model].reference
    observed, *simulated = (QuantileFunction(sample - reference) for sample in (losses.observed, *losses.simulations))
    ax = axes_or_new(ax)
    if result.law == "transport":
        phi = np.linspace(0.0, 1.0, N_POINTS)
        curves = [reference + function(phi) for function in (observed, *simulated)]
        ax.fill_between(phi, curves[0], np.mean(curves[1:], axis=0), color=BAND, alpha=0.55, linewidth=0, label="gap")
    _draw_functions(ax, observed, simulated, reference, highest)
    sentences = {
        "transport": f"The area between data and simulations is W = {result.distance[model]:.3g} (root mean square of the "
        "simulations); √c W is how far the risk may move when the experiment is repeated.",
        "groups": "What may change when the experiment is repeated is seen in the spread between groups, not in this gap."
        if simulated
        else "Losses on the data. The models came without simulations, as law “groups” allows.",
    }
    cut = "" if highest == 1.0 else " The highest losses leave the frame."
    reading(ax, f"{sentences[result.law]} {setting(result)}.{cut}")
    legend(ax)
    return ax


def _draw_functions(
    ax: Axes,
    observed: QuantileFunction,
    simulated: Sequence[QuantileFunction],
    reference: float,
    highest: float,
) -> None:
    """q* on the data, and q~: the only one, or each of several thin and their mean."""
    phi = np.linspace(0.0, 1.0, N_POINTS)
    ax.plot(phi, reference + observed(phi), color=COLOURS[0], linewidth=2.2, label="q*, on the data")
    if simulated:
        curves = np.stack([reference + function(phi) for function in simulated])
        several = len(curves) > 1
        if several:
            ax.plot(phi, curves.T, color=COLOURS[1], linewidth=0.4, alpha=0.6)
        label = f"q~, mean of {len(curves)} simulations" if several else "q~, simulated"
        ax.plot(phi, curves.mean(axis=0), color=COLOURS[1], linewidth=1.6, linestyle="--", label=label)
    low, high = frame_of([observed, *simulated], highest)
    ax.set_ylim(reference + low, reference + high)
    ax.set_xlabel("cumulative probability Φ")
    ax.set_ylabel("loss")
