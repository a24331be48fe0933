"""The two samples of losses of each model, as distribution functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rivals.comparison import Comparison
from rivals.core.quantiles import QuantileFunction
from rivals.plots.style import LEGEND, axes_or_new, finish, literal, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

N_POINTS = 513


def plot_losses(
    result: Comparison, *, highest: float = 0.99, title: bool = True, ax: Axes | None = None
) -> Axes:
    """Draw the distribution function of the losses of each model, on the data (thick) and on its
    own simulations (thin).

    Of several simulations the mean quantile function is drawn, in a band from the lowest to the
    highest of them.

    Parameters
    ----------
    result : Comparison
    highest : float
        The frame ends a little above the losses at this Φ; 1 shows even the largest.
    title : bool
        Whether to write above the picture how to read it.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes

    See Also
    --------
    plot_quantiles : one model in detail, with the tail stretched.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> from rivals.plots import plot_losses
    >>> from rivals.testbeds import toys
    >>> y = np.random.default_rng(0).standard_normal(2000)
    >>> models = {
    ...     "right": toys.gaussian(),
    ...     "shifted": toys.gaussian(mean=0.3),
    ...     "wide": toys.gaussian(width=2.0),
    ... }
    >>> result = rivals.compare(models, y, rng=0)
    >>> ax = plot_losses(result)
    """
    ax = axes_or_new(ax)
    phi = np.linspace(0.0, 1.0, N_POINTS)
    quantiles = []
    for index, (name, losses) in enumerate(result.losses.items()):
        look = style(index)
        observed, *simulated = (
            QuantileFunction(sample) for sample in (losses.observed, *losses.simulations)
        )
        ax.plot(observed(phi), phi, label=literal(name, LEGEND), linewidth=2.2, **look)
        quantiles += [observed, *simulated]
        if simulated:
            curves = np.stack([quantile(phi) for quantile in simulated])
            ax.plot(curves.mean(axis=0), phi, linewidth=0.8, **look)
            band = curves.min(axis=0), curves.max(axis=0)
            ax.fill_betweenx(phi, *band, color=look["color"], alpha=0.2, linewidth=0)
    ax.set_xlim(frame_of(quantiles, highest))
    sentence = "Thick: on the data; thin: simulated. A model is wrong where they separate."
    if not result.applied.losses[0].n_simulations:
        sentence = "Losses on the data, without simulations."
    return finish(ax, "loss", "cumulative probability Φ", sentence, title=title)


def frame_of(
    quantiles: Sequence[QuantileFunction], highest: float, end: float = 1.0
) -> tuple[float, float]:
    """Lowest and highest loss to show: a few extreme losses would otherwise flatten everything
    else.

    Nothing beyond Φ = `end` is drawn.
    """
    if not 0.5 < highest <= 1.0:
        raise ValueError(f"highest must lie in (0.5, 1]; got {highest!r}")
    low = min(float(quantile(0.0)) for quantile in quantiles)
    high = max(float(quantile(min(highest, end))) for quantile in quantiles)
    margin = (high - low) * (0.05 if highest == 1.0 else 0.2) or 1.0
    return low - 0.05 * (high - low), high + margin
