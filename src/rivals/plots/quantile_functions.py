"""The quantile functions of a model on data and simulations, and what the law of the risk makes of
the gap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from rivals._say.arguments import check_choice, check_size
from rivals._types import RNG, FloatArray
from rivals.comparison import Comparison
from rivals.core.quantiles import QuantileFunction
from rivals.laws import TransportLaw
from rivals.laws.beta_process import HierarchicalBetaProcess, resolved_depth
from rivals.plots.loss_samples import frame_of
from rivals.plots.style import BAND, COLOURS, axes_or_new, finish, is_narrow, literal, setting

if TYPE_CHECKING:
    from matplotlib.axes import Axes

N_POINTS = 513


def plot_quantiles(
    result: Comparison,
    model: str,
    *,
    n_paths: int = 20,
    axis: Literal["tail", "linear"] = "tail",
    highest: float | None = None,
    rng: RNG = 0,
    title: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw the quantile functions of one model of a comparison, and what its law makes of the gap
    between them.

    Under a law that is a process these are the discrepancy δ and sampled paths. Where there are no
    simulations, only the losses on the data are drawn.

    Parameters
    ----------
    result : Comparison
    model : str
        Its name in the comparison.
    n_paths : int
        Realisations of the process to draw; 0 for none. Law "groups" has none.
    axis : {"tail", "linear"}
        "tail" puts −log10(1 − Φ) on the x axis, so that the largest losses, which often decide,
        have room. "linear" puts Φ, so that areas are mean losses.
    highest : float, optional
        The frame ends a little above the losses at this Φ; 1 shows even the largest. By default 1
        on the tail axis and 0.99 on the linear one.
    rng : int, SeedSequence, Generator or None
        Source of randomness of the paths.
    title : bool
        Whether to write above the picture how to read it.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes

    See Also
    --------
    plot_losses : all models in one picture.
    plot_process : the same for the process of one model.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> from rivals.plots import plot_quantiles
    >>> from rivals.testbeds import toys
    >>> y = np.random.default_rng(0).standard_normal(2000)
    >>> models = {
    ...     "right": toys.gaussian(),
    ...     "shifted": toys.gaussian(mean=0.3),
    ...     "wide": toys.gaussian(width=2.0),
    ... }
    >>> result = rivals.compare(models, y, rng=0)
    >>> ax = plot_quantiles(result, "wide")
    """
    index = result.names.index(check_choice(model, "model", result.names))
    process = result.applied.process(index)
    losses = result.losses[model]
    scale = _Scale(axis, highest)
    ax = axes_or_new(ax)
    if process is not None:
        _draw_process(ax, process, n_paths, scale, rng)
    else:
        samples = (losses.observed, *losses.simulations)
        functions = [QuantileFunction(sample - losses.reference) for sample in samples]
        _draw_functions(ax, functions, losses.reference, scale)
    distance = float(result.applied.distance[index])
    gap = f"Simulations are W = {distance:.3g} away. "
    if distance != distance:
        gap = (
            "Losses on the data and simulated. " if losses.n_simulations else "Losses on the data. "
        )
    x = f"{literal(model, 18)}: Φ" if is_narrow(ax) else f"{literal(model)}: {scale.label}"
    return finish(ax, x, "loss", f"{gap}{setting(result)}{scale.remark}", title=title)


def plot_process(
    process: HierarchicalBetaProcess | TransportLaw,
    *,
    n_paths: int = 20,
    axis: Literal["tail", "linear"] = "tail",
    highest: float | None = None,
    rng: RNG = 0,
    title: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw the quantile functions behind a process, the discrepancy, and sampled paths.

    Parameters
    ----------
    process : HierarchicalBetaProcess or TransportLaw
        Of one model, made by `from_losses`.
    n_paths : int
        Realisations to draw; 0 for none.
    axis : {"tail", "linear"}
        "tail" puts −log10(1 − Φ) on the x axis, so that the largest losses, which often decide,
        have room. "linear" puts Φ, so that areas are mean losses.
    highest : float, optional
        The frame ends a little above the losses at this Φ; 1 shows even the largest. By default 1
        on the tail axis and 0.99 on the linear one.
    rng : int, SeedSequence, Generator or None
        Source of randomness of the paths.
    title : bool
        Whether to write above the picture how to read it.
    ax : matplotlib Axes, optional
        Where to draw; a new figure by default.

    Returns
    -------
    Axes

    See Also
    --------
    plot_quantiles : the same for a model of a comparison.
    rivals.HierarchicalBetaProcess : the process of the original paper.
    rivals.TransportLaw : the process of the default law.

    Examples
    --------
    >>> import rivals
    >>> from rivals.plots import plot_process
    >>> from rivals.testbeds import toys
    >>> losses = rivals.Losses(*toys.losses()["A"])
    >>> process = rivals.HierarchicalBetaProcess.from_losses(losses, c=0.5)
    >>> ax = plot_process(process)
    """
    scale = _Scale(axis, highest)
    ax = axes_or_new(ax)
    _draw_process(ax, process, n_paths, scale, rng)
    sentence = (
        "Paths stray from q* where simulations do; each averages to a risk. "
        f"c = {process.c:g}{scale.remark}"
    )
    return finish(ax, scale.label, "loss", sentence, title=title)


def _draw_process(
    ax: Axes, process: HierarchicalBetaProcess | TransportLaw, n_paths: int, scale: _Scale, rng: RNG
) -> None:
    """The discrepancy as a band around q*, sampled paths, and the functions themselves."""
    n_paths = check_size(n_paths, "n_paths", least=0)
    functions = [process.observed, *process.synthetic]
    phi = scale.grid(functions)
    observed = process.reference + process.observed(phi)
    reach = np.sqrt(process.c) * process.discrepancy(phi)
    look: dict[str, Any] = {"color": BAND, "alpha": 0.55, "linewidth": 0, "label": "q* ± √c δ"}
    ax.fill_between(scale(phi), observed - reach, observed + reach, **look)
    if n_paths:
        grid, paths = process.sample_paths(
            n_paths, depth=scale.path_depth(process.observed.size), rng=rng
        )
        inner = grid <= phi[-1]
        lines = ax.plot(
            scale(grid[inner]), paths[:, inner].T, color="0.45", linewidth=0.5, alpha=0.7
        )
        lines[0].set_label("sampled paths")
    _draw_functions(ax, functions, process.reference, scale)


def _draw_functions(
    ax: Axes, functions: Sequence[QuantileFunction], reference: float, scale: _Scale
) -> None:
    """q* on the data, and q~: the only one, or each of several thin and their mean."""
    phi = scale.grid(functions)
    x = scale(phi)
    observed, *simulated = (reference + function(phi) for function in functions)
    ax.plot(x, observed, color=COLOURS[0], linewidth=2.2, label="q*, on the data")
    if len(simulated) > 1:
        ax.plot(x, np.transpose(simulated), color=COLOURS[1], linewidth=0.4, alpha=0.6)
    if simulated:
        label = (
            f"q~, mean of {len(simulated)} simulations" if len(simulated) > 1 else "q~, simulated"
        )
        ax.plot(
            x,
            np.mean(simulated, axis=0),
            color=COLOURS[1],
            linewidth=1.6,
            linestyle="--",
            label=label,
        )
    low, high = frame_of(functions, scale.highest, end=phi[-1])
    ax.set_ylim(reference + low, reference + high)
    scale.mark(ax, x[-1])


class _Scale:
    """The x axis: Φ itself, or −log10(1 − Φ), on which each tenth of the remaining points takes the
    same room.
    """

    def __init__(self, axis: str, highest: float | None) -> None:
        self.tail = check_choice(axis, "axis", ("tail", "linear")) == "tail"
        self.highest = highest if highest is not None else (1.0 if self.tail else 0.99)
        self.remark = "" if self.highest == 1.0 else "; top cut"
        self.label = "cumulative probability Φ" + (" (tail stretched)" if self.tail else "")

    def __call__(self, phi: FloatArray) -> FloatArray:
        return -np.log10(1.0 - phi) if self.tail else phi

    def grid(self, functions: Sequence[QuantileFunction]) -> FloatArray:
        """Evenly spaced on the axis; on the tail axis up to the largest loss, beyond which
        quantiles are extrapolated.
        """
        if not self.tail:
            return np.linspace(0.0, 1.0, N_POINTS)
        return 1.0 - np.logspace(
            0.0, -np.log10(1 + max(function.size for function in functions)), N_POINTS
        )

    def path_depth(self, n_losses: int) -> int:
        """Paths of depth 8 are finer than a pixel, but on the tail axis they would end at Φ =
        0.996.
        """
        return max(8, min(resolved_depth(n_losses), 12)) if self.tail else 8

    def mark(self, ax: Axes, end: float) -> None:
        """Ticks at 0, 0.5, 0.9, 0.99, … of the tail axis."""
        if self.tail:
            phi = np.array([0.0, 0.5, *(1.0 - 10.0 ** -np.arange(1.0, np.floor(end) + 1))])
            ax.set_xticks(self(phi), [f"{value:g}" for value in phi])
            ax.set_xlim(-0.02 * end, 1.02 * end)
