"""The distributions of the risk, with the mean losses: the paper's main picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rivals._types import FloatArray
from rivals.comparison import Comparison
from rivals.plots.style import LEGEND, axes_or_new, finish, literal, setting, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_risks(result: Comparison, *, title: bool = True, ax: Axes | None = None) -> Axes:
    """Draw the distribution of the risk of each model: exact where it has a closed form, else
    estimated from draws.

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
        label = ("✗ " if name in result.rejections else "") + literal(name, LEGEND)
        grid, density = density_of(result, name)
        if grid.size > 1:
            ax.plot(grid, density, label=label, **look)
            ax.fill_between(grid, density, color=look["color"], alpha=0.15, linewidth=0)
        else:  # a distribution without width
            ax.axvline(grid[0], label=label, **look)
        ax.axvline(result.empirical_risk[name], ymax=0.06, color=look["color"], linewidth=2.5)
    ax.set_ylim(bottom=0)
    sentence = f"Risk in a replication. {setting(result)}" + (
        "; ✗ rejected" if result.rejections else ""
    )
    return finish(
        ax, "risk R (expected loss; lower is better)", "probability density", sentence, title=title
    )


def density_of(
    result: Comparison, name: str, *, n_points: int = 400
) -> tuple[FloatArray, FloatArray]:
    """Density of the risk of one model of a comparison; `result.applied.density` has it without a
    large common offset.

    Parameters
    ----------
    result : Comparison
    name : str
        Of the model.
    n_points : int
        Points of the grid.

    Returns
    -------
    grid, density : ndarray
        One point of infinite density where the risk has no width.

    See Also
    --------
    plot_risks : draws the densities of all models.

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
    grid, density = result.applied.density(result.names.index(name), n_points)
    return result.applied.reference + grid, density
