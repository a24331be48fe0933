"""The distributions of the risk, with the empirical risks: the paper's main picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rivals._types import FloatArray
from rivals.comparison import Comparison
from rivals.plots.style import axes_or_new, legend, literal, reading, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_risks(result: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw the distribution of the risk of each model.

    Parameters
    ----------
    result : Comparison
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import rivals
    >>> from rivals.plots import plot_risks
    >>> from rivals.testbeds import toys
    >>> plot_risks(rivals.compare(toys.losses(), rng=0)).get_xlabel()
    'risk R (expected loss; lower is better)'
    """
    ax = axes_or_new(ax)
    for index, name in enumerate(result.names):
        look = style(index)
        label = ("✗ " if name in result.rejections else "") + literal(name)
        grid, density = risk_density(result.risks[name])
        if grid.size > 1:
            ax.plot(grid, density, label=label, **look)
            ax.fill_between(grid, density, color=look["color"], alpha=0.15, linewidth=0)
        else:  # a distribution without width
            ax.axvline(grid[0], label=label, **look)
        ax.axvline(result.empirical_risk[name], ymax=0.06, color=look["color"], linewidth=2.5)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("risk R (expected loss; lower is better)")
    ax.set_ylabel("probability density")
    reading(
        ax,
        "Each curve: where the risk may lie when the experiment is repeated. Ticks at the bottom: empirical risks. "
        f"c = {result.c:g}" + ("; ✗ rejected" if result.rejections else ""),
    )
    legend(ax)
    return ax


def risk_density(draws: FloatArray, *, n_points: int = 400) -> tuple[FloatArray, FloatArray]:
    """Density of draws by a Gaussian kernel (Scott's bandwidth on a robust spread), on a fine histogram.

    Half a percent on either side is left out, so that a heavy tail does not flatten the picture.

    Parameters
    ----------
    draws : ndarray
        Of the risk of one model, as in `Comparison.risks`.
    n_points : int
        Points of the grid.

    Returns
    -------
    grid, density : ndarray
        One point of infinite density where the draws have no width.

    Examples
    --------
    >>> import numpy as np
    >>> from rivals.plots import risk_density
    >>> grid, density = risk_density(np.random.default_rng(0).normal(3.0, 0.1, 12_000))
    >>> round(float(grid[density.argmax()]), 1), round(float(density.sum() * (grid[1] - grid[0])), 2)
    (3.0, 1.0)
    """
    low, quarter, three_quarters, high = np.quantile(draws, [0.005, 0.25, 0.75, 0.995])
    if not high > low:
        return np.array([low]), np.array([np.inf])
    spread = min(float(np.std((draws - low) / (high - low))), float((three_quarters - quarter) / (high - low)) / 1.349)
    bandwidth = max(spread * draws.size**-0.2, 1e-3) * (high - low)
    begin, end = low - 3 * bandwidth, high + 3 * bandwidth
    counts, edges = np.histogram(draws, bins=n_points, range=(begin, end))
    centres = 0.5 * (edges[1:] + edges[:-1])
    reach = int(np.ceil(4 * bandwidth / (edges[1] - edges[0])))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * (edges[1] - edges[0]) / bandwidth) ** 2)
    # Cut back to the bins: where few points are asked for, the kernel is longer than the histogram.
    smooth = np.convolve(counts, kernel / kernel.sum(), mode="full")[reach : reach + n_points]
    return centres, smooth / (draws.size * (edges[1] - edges[0]))
