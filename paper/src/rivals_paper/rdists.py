"""Risk distributions of the four neuron models on the example recording (fig. prinz rdists)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rivals_paper.arrays import FloatArray
from rivals_paper.densities import common_range, density
from rivals_paper.neuron_example import (
    COLOURS,
    LOOSE_SOLVER,
    MANY_SYNTHETIC,
    NO_INPUT,
    STYLES,
    C,
    draw_risks,
    summary,
    variants,
)
from rivals_paper.output import AS_PUBLISHED, CORRECTED, Reproduction, Task, comparison, new_figure
from rivals_paper.streams import stream

NAME = "rdists"
DESCRIPTION = "Risk distributions of the four neuron models on the example recording"

N_DRAWS = 8192
# Limits of the published axes: where the distributions lie.
PUBLISHED_RANGE = (3.8, 4.7)

READING = (
    "Each curve is the distribution of a model's risk under replication, the tick above it its empirical risk. The less "
    "two curves overlap, the surer which model is better. Corrected, the cell that made the data (LP 1) is shown too."
)
DIFFERENCES = [
    NO_INPUT + " Its caption places the true model far to the left; as computed it is at R = 4.3, among the others.",
    LOOSE_SOLVER,
    MANY_SYNTHETIC,
]


def make(task: Task) -> Reproduction:
    """Make the picture and the numbers."""
    fitted = variants(stream(task.seed, 1))
    risks = {
        variant: draw_risks(each, variant, C, N_DRAWS, stream(task.seed, 2, i))
        for i, (variant, each) in enumerate(fitted.items())
    }
    numbers = {variant: summary(each) for variant, each in fitted.items()}
    comparisons = []
    for variant, draws in risks.items():
        for label, values in draws.items():
            numbers[variant][label] |= {
                "mean": values.mean(),
                "std": values.std(),
                "quantiles_05_50_95": np.quantile(values, [0.05, 0.5, 0.95]),
            }
            inside = np.mean((values > PUBLISHED_RANGE[0]) & (values < PUBLISHED_RANGE[1]))
            comparisons.append(
                comparison(
                    f"model {label}: part of its risk distribution within the published axis, 3.8 to 4.7",
                    variant=variant,
                    published=None if label == "LP 1" else 1.0,
                    ours=float(inside),
                    standard_error=None,
                )
            )
    return Reproduction(
        figure=_draw(risks, numbers),
        comparisons=comparisons,
        numbers=numbers,
        settings={"c": C, "n_draws": N_DRAWS},
    )


def _draw(risks: dict[str, dict[str, FloatArray]], numbers: dict[str, Any]) -> Any:
    figure = new_figure(11, 4.8)
    for column, variant in enumerate((AS_PUBLISHED, CORRECTED)):
        axes = figure.add_subplot(1, 2, 1 + column)
        draw_densities(axes, risks[variant])
        top = axes.get_ylim()[1]
        for label in risks[variant]:
            axes.plot(
                [numbers[variant][label]["empirical_risk"]] * 2,
                [1.02 * top, 1.1 * top],
                color=COLOURS.get(label, "black"),
                lw=2.5,
            )
        axes.set(ylim=(0, 1.12 * top), title=variant, xlabel="risk $R$ (nats per ms)", ylabel="density")
        axes.legend(frameon=False, fontsize=9)
    figure.suptitle(
        "How each model's risk would vary if the experiment were repeated (c = 2$^{-2}$). Ticks on top: empirical risks.\n"
        "Corrected: models get the input that the data got, so that the cell that made them stands out.",
        fontsize=11,
    )
    return figure


def draw_densities(axes: Any, draws: dict[str, FloatArray]) -> None:
    """Kernel density of each model, in its own colour and line style."""
    points = common_range(list(draws.values()), left_out=0.002, margin=0.1, n_points=500)
    for label, values in draws.items():
        heights = density(values, points)
        colour = COLOURS.get(label, "black")
        axes.plot(points, heights, color=colour, ls=STYLES.get(label, "-"), lw=1.8, label=label)
        axes.fill_between(points, heights, color=colour, alpha=0.15, lw=0)
    axes.set_ylim(bottom=0)
