"""Pictures of results: `plot_x(result, *, ax=None)` draws into `ax`, or into a new figure, and returns the Axes."""

from rivals.plots.calibration import plot_calibration, plot_valid_c
from rivals.plots.risks import plot_risks

__all__ = ["plot_calibration", "plot_risks", "plot_valid_c"]
