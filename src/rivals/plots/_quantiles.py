"""The quantile functions of a model's losses, and paths of the process that a law makes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from rivals._core.types import RNG, FloatArray
from rivals._result import sentences as say
from rivals.plots._style import COLOURS, axes_or_new, finish, ink, legend_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from rivals.laws import HierarchicalBetaProcess, Process, TransportLaw

POINTS = 513
# Part of the losses that is shown on the plain axis: a few extreme ones would flatten all others.
SHOWN = 0.99
DEPTH = 10


def plot_quantiles(
    process: HierarchicalBetaProcess | TransportLaw | Process,
    *,
    n_paths: int = 20,
    tail: bool = True,
    rng: RNG = 0,
    ax: Axes | None = None,
) -> Axes:
    """Draw quantile functions, misfit and sampled paths of one model.

    Parameters
    ----------
    process : HierarchicalBetaProcess, TransportLaw or Process
        Of one model, made by `from_losses` or by `rivals.process`.
    n_paths : int
        Realisations to draw; 0 for none.
    tail : bool
        Whether the axis is stretched towards the largest losses, which often decide; otherwise
        areas are mean losses.
    rng : int, SeedSequence, Generator or None
        Source of randomness of the paths.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    See Also
    --------
    rivals.HierarchicalBetaProcess : the process of the original paper.
    rivals.TransportLaw : the process of the default method.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> losses = rivals.Losses(*toys.losses()["A"])
    >>> process = rivals.HierarchicalBetaProcess.from_losses(losses, c=0.5)
    >>> ax = rivals.plots.plot_quantiles(process)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['q* ± √c δ', 'sampled paths', 'q*, on the data', 'q~, simulated']
    """
    ax = axes_or_new(ax)
    phi = _grid(process, tail=tail)
    x = _stretched(phi) if tail else phi
    observed = process.q(phi)
    reach = np.sqrt(process.c) * process.delta(phi)
    band: dict[str, Any] = {"color": COLOURS[5], "alpha": 0.4, "linewidth": 0}
    ax.fill_between(x, observed - reach, observed + reach, label="q* ± √c δ", **band)
    if n_paths:
        at, paths = process.sample_paths(n_paths, depth=DEPTH, rng=rng)
        inside = at <= phi[-1]
        at = _stretched(at[inside]) if tail else at[inside]
        lines = ax.plot(at, paths[:, inside].T, color=ink(ax, 0.45), linewidth=0.5, alpha=0.8)
        lines[0].set_label("sampled paths")
    simulated = np.array([each(phi) for each in process.simulated])
    of_losses = len(simulated) > 0
    ax.plot(x, observed, color=COLOURS[0], linewidth=2, label="q*" + ", on the data" * of_losses)
    if len(simulated) > 1:
        ax.plot(x, simulated.T, color=COLOURS[1], linewidth=0.4, alpha=0.6)
    if of_losses:
        label = f"q~, mean of {len(simulated)}" if len(simulated) > 1 else "q~, simulated"
        ax.plot(x, simulated.mean(axis=0), "--", color=COLOURS[1], linewidth=1.6, label=label)
    _frame(ax, phi, [observed, *simulated, *([observed + reach] * tail)], tail=tail)
    finish(ax, "cumulative probability Φ", "loss", say.picture_of_quantiles(process.c, tail=tail))
    legend_below(ax)
    return ax


def _grid(process: HierarchicalBetaProcess | TransportLaw | Process, *, tail: bool) -> FloatArray:
    if not tail:
        return np.linspace(0.0, 1.0, POINTS)
    # Up to the largest loss; beyond it, quantiles are extrapolated.
    size = max(each.size for each in (process.q, *process.simulated))
    if not process.simulated:  # a function: as far as its paths are drawn
        size = 2**DEPTH
    return np.asarray(1.0 - np.logspace(0.0, -np.log10(1 + size), POINTS))


def _stretched(phi: FloatArray) -> FloatArray:
    """−log10(1 − Φ): each tenth of the remaining points takes the same room."""
    return np.asarray(-np.log10(np.maximum(1.0 - phi, 1e-300)))


def _frame(ax: Axes, phi: FloatArray, curves: list[FloatArray], *, tail: bool) -> None:
    last = phi.size - 1 if tail else int(SHOWN * (phi.size - 1))
    low = min(float(curve[0]) for curve in curves)
    high = max(float(curve[last]) for curve in curves)
    room = (high - low) or 1.0
    ax.set_ylim(low - 0.05 * room, high + (0.05 if tail else 0.2) * room)
    if tail:
        end = -np.log10(1.0 - phi[-1])
        marks = np.array([0.0, 0.5, *(1.0 - 10.0 ** -np.arange(1.0, np.floor(end) + 1))])
        ax.set_xticks(_stretched(marks), [f"{mark:g}" for mark in marks])
