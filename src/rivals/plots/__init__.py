"""Pictures of results: `plot_x(result, *, ax=None)` draws into `ax`, or into a new figure, and returns the Axes."""

from rivals.plots.calibration import plot_calibration, plot_valid_c
from rivals.plots.losses import plot_losses
from rivals.plots.matrix import plot_probability
from rivals.plots.quantiles import plot_process, plot_quantiles
from rivals.plots.risks import plot_risks
from rivals.plots.sweep import plot_sweep

__all__ = [
    "plot_calibration",
    "plot_losses",
    "plot_probability",
    "plot_process",
    "plot_quantiles",
    "plot_risks",
    "plot_sweep",
    "plot_valid_c",
]
