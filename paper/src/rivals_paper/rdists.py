"""Risk distributions of the four neuron models on the example recording (fig. prinz rdists)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rivals._random import entropy_from, stream
from rivals._types import RNG, FloatArray
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
from rivals_paper.output import AS_PUBLISHED, CORRECTED, comparison, new_figure, write

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


def run(out: Path, *, experiments: int | None, rng: RNG, progress: bool) -> dict[str, Any]:
    """Write the picture and the numbers."""
    del experiments, progress
    entropy = entropy_from(rng)
    fitted = variants(stream(entropy, 1))
    risks = {
        variant: draw_risks(each, variant, C, N_DRAWS, stream(entropy, 2, i))
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
    return write(
        out,
        NAME,
        figure=_draw(risks, numbers),
        reading=READING,
        differences=DIFFERENCES,
        comparisons=comparisons,
        numbers=numbers,
        settings={"seed": entropy, "c": C, "n_draws": N_DRAWS},
    )


def _draw(risks: dict[str, dict[str, FloatArray]], numbers: dict[str, Any]) -> Any:
    figure = new_figure(11, 4.8)
    for place, variant in enumerate((AS_PUBLISHED, CORRECTED)):
        axes = figure.add_subplot(1, 2, 1 + place)
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
    from scipy.stats import gaussian_kde

    everything = np.concatenate(list(draws.values()))
    low, high = np.quantile(everything, [0.002, 0.998])
    points = np.linspace(low - 0.1 * (high - low), high + 0.1 * (high - low), 500)
    for label, values in draws.items():
        density = gaussian_kde(values)(points)
        colour = COLOURS.get(label, "black")
        axes.plot(points, density, color=colour, ls=STYLES.get(label, "-"), lw=1.8, label=label)
        axes.fill_between(points, density, color=colour, alpha=0.15, lw=0)
    axes.set_ylim(bottom=0)
