"""Pictures of results: `plot_x(result, *, ax=None)` draws into `ax`, or into a new figure, and
returns the Axes.

`density_of`, `strongest_rival` and `tied_models` give the numbers that some of them draw.
"""

from rivals.plots.calibration_curves import plot_calibration, plot_valid_c, shade_overconfidence
from rivals.plots.chances import plot_plan
from rivals.plots.group_differences import plot_groups
from rivals.plots.intervals import plot_intervals
from rivals.plots.loss_samples import plot_losses
from rivals.plots.probability_matrix import plot_probability
from rivals.plots.quantile_functions import plot_process, plot_quantiles
from rivals.plots.risk_densities import density_of, plot_risks
from rivals.plots.sweep_over_c import plot_sweep, strongest_rival
from rivals.plots.ties import plot_ties, tied_models

__all__ = [
    "density_of",
    "plot_calibration",
    "plot_groups",
    "plot_intervals",
    "plot_losses",
    "plot_plan",
    "plot_probability",
    "plot_process",
    "plot_quantiles",
    "plot_risks",
    "plot_sweep",
    "plot_ties",
    "plot_valid_c",
    "shade_overconfidence",
    "strongest_rival",
    "tied_models",
]
