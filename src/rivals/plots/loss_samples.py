"""The two samples of losses of each model, as distribution functions or as quantile functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from rivals.comparison import Comparison
from rivals.core.quantiles import QuantileFunction
from rivals.plots.style import axes_or_new, legend, literal, reading, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

N_POINTS = 513


def plot_losses(
    result: Comparison, *, kind: Literal["cdf", "ppf"] = "cdf", highest: float = 0.99, ax: Axes | None = None
) -> Axes:
    """Draw the losses of each model on the data (thick) and on its own simulations (thin).

    Parameters
    ----------
    result : Comparison
    kind : {"cdf", "ppf"}
        Distribution functions, or their inverses, the quantile functions, which the method works on.
    highest : float
        The frame ends a little above the losses at this Φ; 1 shows even the largest.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import rivals
    >>> from rivals.plots import plot_losses
    >>> from rivals.testbeds import toys
    >>> plot_losses(rivals.compare(toys.losses(), rng=0), kind="ppf").get_ylabel()
    'loss'
    """
    if kind not in ("cdf", "ppf"):
        raise ValueError(f"kind must be 'cdf' or 'ppf'; got {kind!r}")
    ax = axes_or_new(ax)
    phi = np.linspace(0.0, 1.0, N_POINTS)
    quantiles = []
    for index, (name, losses) in enumerate(result.losses.items()):
        look = style(index)
        for sample, label, width in [(losses.observed, literal(name), 2.2), (losses.synthetic, None, 0.8)]:
            quantile = QuantileFunction(sample)
            quantiles.append(quantile)
            x, y = (quantile(phi), phi) if kind == "cdf" else (phi, quantile(phi))
            ax.plot(x, y, label=label, linewidth=width, **look)
    frame = frame_of(quantiles, highest)
    ax.set(xlim=frame) if kind == "cdf" else ax.set(ylim=frame)
    ax.set_xlabel("loss" if kind == "cdf" else "cumulative probability Φ")
    ax.set_ylabel("cumulative probability Φ" if kind == "cdf" else "loss")
    reading(ax, "Thick: losses on the data; thin: on the model's own simulations. Where they part, the model is wrong.")
    legend(ax)
    return ax


def frame_of(quantiles: list[QuantileFunction], highest: float) -> tuple[float, float]:
    """Lowest and highest loss to show: a few extreme losses would otherwise flatten everything else."""
    if not 0.5 < highest <= 1.0:
        raise ValueError(f"highest must lie in (0.5, 1]; got {highest!r}")
    low = min(float(quantile(0.0)) for quantile in quantiles)
    high = max(float(quantile(highest)) for quantile in quantiles)
    margin = (high - low) * (0.05 if highest == 1.0 else 0.2) or 1.0
    return low - 0.05 * (high - low), high + margin
