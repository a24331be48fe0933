"""The two quantile functions of a model, the discrepancy between them, and what the process makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rivals._checks import check_size, show
from rivals._types import RNG
from rivals.comparison import Comparison
from rivals.core.process import HierarchicalBetaProcess
from rivals.plots.loss_samples import frame_of
from rivals.plots.style import BAND, COLOURS, axes_or_new, legend, literal, reading

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
    """Draw the quantile functions of one model of a comparison, the discrepancy, and sampled paths.

    Parameters
    ----------
    result : Comparison
    model : str
        Its name in the comparison.
    n_paths : int
        Realisations of the process to draw; 0 for none.
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
    process = HierarchicalBetaProcess.from_losses(result.losses[model], result.c, result.depth)
    ax = plot_process(process, n_paths=n_paths, highest=highest, rng=rng, ax=ax)
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
    synthetic = process.reference + np.mean([simulated(phi) for simulated in process.synthetic], axis=0)
    reach = np.sqrt(process.c) * process.discrepancy(phi)
    ax.fill_between(
        phi, observed - reach, observed + reach, color=BAND, alpha=0.55, linewidth=0, label=r"q* ± $\sqrt{c}$ δ"
    )
    if n_paths:
        grid, paths = process.sample_paths(n_paths, rng=rng)
        lines = ax.plot(grid, paths.T, color="0.45", linewidth=0.5, alpha=0.7)
        lines[0].set_label("sampled paths")
    ax.plot(phi, observed, color=COLOURS[0], linewidth=2.2, label="q*, on the data")
    ax.plot(phi, synthetic, color=COLOURS[1], linewidth=1.6, linestyle="--", label="q~, simulated")
    low, high = frame_of([process.observed, *process.synthetic], highest)
    ax.set_ylim(process.reference + low, process.reference + high)
    ax.set_xlabel("cumulative probability Φ")
    ax.set_ylabel("loss")
    reading(
        ax,
        "The wider the gap δ between data and simulation, the more the sampled paths stray from q*; the average of each "
        f"is a risk R. c = {process.c:g}" + ("" if highest == 1.0 else ". The highest losses leave the frame."),
    )
    legend(ax)
    return ax
