"""The distributions of the risk, with the mean losses: the paper's main picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rivals._types import FloatArray
from rivals.comparison import Comparison
from rivals.plots.style import axes_or_new, legend, literal, reading, setting, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_risks(result: Comparison, *, title: bool = True, ax: Axes | None = None) -> Axes:
    """Draw the distribution of the risk of each model: exact under laws of closed form, estimated from draws under "beta".

    Parameters
    ----------
    result : Comparison
    title : bool
        Whether to write above the picture how to read it.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes

    See Also
    --------
    plot_intervals : the same in one row per model, for many models.
    density_of : the numbers of one curve.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> from rivals.plots import plot_risks
    >>> from rivals.testbeds import toys
    >>> y = np.random.default_rng(0).standard_normal(2000)
    >>> models = {
    ...     "right": toys.gaussian(),
    ...     "shifted": toys.gaussian(mean=0.3),
    ...     "wide": toys.gaussian(width=2.0),
    ... }
    >>> result = rivals.compare(models, y, rng=0)
    >>> ax = plot_risks(result)
    """
    ax = axes_or_new(ax)
    for index, name in enumerate(result.names):
        look = style(index)
        label = ("✗ " if name in result.rejections else "") + literal(name)
        grid, density = density_of(result, name)
        if grid.size > 1:
            ax.plot(grid, density, label=label, **look)
            ax.fill_between(grid, density, color=look["color"], alpha=0.15, linewidth=0)
        else:  # a distribution without width
            ax.axvline(grid[0], label=label, **look)
        ax.axvline(result.empirical_risk[name], ymax=0.06, color=look["color"], linewidth=2.5)
    ax.set_ylim(bottom=0)
    ax.set_xlabel("risk R (expected loss; lower is better)")
    ax.set_ylabel("probability density")
    # Paired errors cancel in a duel but not in a curve.
    shared = (
        ""
        if result.law == "beta"
        else " All curves share the sampling error, so they may overlap although one model is reproducibly better."
    )
    reading(
        ax,
        "Each curve: where the risk may lie when the experiment is repeated. Ticks at the bottom: mean losses."
        f"{shared} {setting(result)}" + ("; ✗ rejected" if result.rejections else ""),
        title=title,
    )
    legend(ax)
    return ax


def density_of(
    result: Comparison, name: str, *, n_points: int = 400, relative: bool = False
) -> tuple[FloatArray, FloatArray]:
    """Density of the risk of one model of a comparison.

    Under the laws "transport" and "groups" the Gaussian curve itself; under "beta" a smooth estimate from the draws.

    Parameters
    ----------
    result : Comparison
    name : str
        Of the model.
    n_points : int
        Points of the grid.
    relative : bool
        Whether the grid is less `result.reference`, so that a large offset costs no digits.

    Returns
    -------
    grid, density : ndarray
        One point of infinite density where the risk has no width.

    See Also
    --------
    plot_risks : draws the densities of all models.
    risk_density : the same from draws of the risk.

    Examples
    --------
    >>> import rivals
    >>> from rivals.plots import density_of
    >>> from rivals.testbeds import toys
    >>> result = rivals.compare(toys.losses(), rng=0)
    >>> grid, density = density_of(result, "A", n_points=401)
    >>> round(float(density[200] * result.risk_std["A"]), 3)  # 1/√(2π) at the middle
    0.399
    """
    offset = 0.0 if relative else result.reference
    index = result.names.index(name)
    if result.law == "beta":
        grid, density = risk_density(result.excess_risks[index], n_points=n_points)
    else:
        # The mean of law "groups" is not the mean loss.
        transport = result.law == "transport"
        mean = result.excess_empirical_risk[index] if transport else result.risk_mean[name] - result.reference
        grid, density = gaussian_density(float(mean), result.risk_std[name], n_points=n_points)
    return offset + grid, density


def gaussian_density(mean: float, std: float, *, n_points: int = 400) -> tuple[FloatArray, FloatArray]:
    """The Gaussian curve, 3.5 standard deviations to either side.

    Examples
    --------
    >>> from rivals.plots.risk_densities import gaussian_density
    >>> gaussian_density(2.0, 0.5, n_points=3)[0]
    array([0.25, 2.  , 3.75])
    """
    if not std > 0.0:
        return np.array([mean]), np.array([np.inf])
    steps = np.linspace(-3.5, 3.5, n_points)
    return mean + std * steps, np.exp(-0.5 * steps**2) / (np.sqrt(2.0 * np.pi) * std)


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

    See Also
    --------
    density_of : the density of a model of a comparison.

    Examples
    --------
    >>> import numpy as np
    >>> from rivals.plots import risk_density
    >>> grid, density = risk_density(np.random.default_rng(0).normal(3.0, 0.1, 12_000))
    >>> area = density.sum() * (grid[1] - grid[0])
    >>> round(float(grid[density.argmax()]), 1), round(float(area), 2)
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
