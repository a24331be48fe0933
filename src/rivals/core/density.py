"""The density of draws: a smooth curve for pictures."""

from __future__ import annotations

import numpy as np

from rivals._types import FloatArray


def density_of_draws(draws: FloatArray, *, n_points: int = 400) -> tuple[FloatArray, FloatArray]:
    """Density of draws by a Gaussian kernel (Scott's bandwidth on a robust spread), on a fine
    histogram.

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
    >>> grid, density = density_of_draws(np.random.default_rng(0).normal(3.0, 0.1, 12_000))
    >>> area = density.sum() * (grid[1] - grid[0])
    >>> round(float(grid[density.argmax()]), 1), round(float(area), 2)
    (3.0, 1.0)
    """
    low, quarter, three_quarters, high = np.quantile(draws, [0.005, 0.25, 0.75, 0.995])
    if not high > low:
        return np.array([low]), np.array([np.inf])
    spread = min(
        float(np.std((draws - low) / (high - low))),
        float((three_quarters - quarter) / (high - low)) / 1.349,
    )
    bandwidth = max(spread * draws.size**-0.2, 1e-3) * (high - low)
    begin = low - 3 * bandwidth
    end = high + 3 * bandwidth
    counts, edges = np.histogram(draws, bins=n_points, range=(begin, end))
    centres = 0.5 * (edges[1:] + edges[:-1])
    reach = int(np.ceil(4 * bandwidth / (edges[1] - edges[0])))
    kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * (edges[1] - edges[0]) / bandwidth) ** 2)
    # Cut back to the bins: where few points are asked for, the kernel is longer than the
    # histogram.
    smooth = np.convolve(counts, kernel / kernel.sum(), mode="full")[reach : reach + n_points]
    return centres, smooth / (draws.size * (edges[1] - edges[0]))
