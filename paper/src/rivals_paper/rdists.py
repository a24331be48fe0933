"""Risk distributions of the four neuron models on the example recording (fig. prinz rdists)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rivals_paper.arrays import FloatArray
from rivals_paper.densities import common_range, density
from rivals_paper.neuron_example import (
    CIRCUIT,
    COLOURS,
    CONSTANTS,
    LOOSE_SOLVER,
    MANY_SYNTHETIC,
    NO_INPUT,
    SAME_ROUNDING,
    STYLES,
    C,
    Fitted,
    draw_risks,
    fit_as_published,
    fit_corrected,
    integrate_copies,
    spread_of_summaries,
)
from rivals_paper.output import AS_PUBLISHED, IN_PAPER, Reproduction, Task, comparison, new_figure
from rivals_paper.pyloric import LABELS
from rivals_paper.streams import stream

NAME = "rdists"
DESCRIPTION = "Risk distributions of the four neuron models on the example recording"

N_DRAWS = 8192
REPEATS = 12
# Limits of the published axes: where the distributions lie.
PUBLISHED_RANGE = (3.8, 4.7)

READING = (
    "Each line is the distribution of a model's risk under replication in one run: 5 to 95 %, and "
    "its median as a point; runs differ by rounding errors alone. The vertical stroke is the "
    "empirical risk. The less the lines of two models overlap, the surer which is better. The cell "
    "that made the data is shown too: integrated again (LP 1), and with the very rounding errors "
    "of the recording (grey)."
)
DIFFERENCES = [
    NO_INPUT
    + " Its caption places the true model far to the left; as computed it is at R = 4.3, among "
    "the others.",
    LOOSE_SOLVER
    + " The cell that made the data is then no better than A or B, although it gets its input: "
    "it is far to the left only if it is rounded exactly as the recording was.",
    CIRCUIT,
    MANY_SYNTHETIC,
]


def make(task: Task) -> Reproduction:
    """Make the picture and the numbers; `experiments` is the number of runs of each variant."""
    repeats = max(task.experiments_or(REPEATS), 2)
    integrate_copies(repeats, task.progress)
    runs: dict[str, list[dict[str, Fitted]]] = {
        AS_PUBLISHED: [fit_as_published(true_cell=True)]
        + [
            fit_as_published(jitter=stream(task.seed, 3, copy), true_cell=True)
            for copy in range(1, repeats)
        ]
    }
    for k, variant in enumerate(CONSTANTS):
        runs[variant] = [
            fit_corrected(stream(task.seed, 1, k, i), variant=variant, copy=i)
            for i in range(repeats)
        ]
    risks = {
        variant: [
            draw_risks(each, variant, C, N_DRAWS, stream(task.seed, 2, k, i))
            for i, each in enumerate(fitted)
        ]
        for k, (variant, fitted) in enumerate(runs.items())
    }
    numbers = {variant: spread_of_summaries(fitted) for variant, fitted in runs.items()}
    comparisons = []
    for variant, by_copy in risks.items():
        for label in by_copy[0]:
            draws = [each[label] for each in by_copy]
            inside = [
                float(np.mean((values > PUBLISHED_RANGE[0]) & (values < PUBLISHED_RANGE[1])))
                for values in draws
            ]
            numbers[variant][label] |= {
                "mean": np.mean(draws),
                "mean, spread": np.std([values.mean() for values in draws], ddof=1),
                "std": np.mean([values.std() for values in draws]),
                "quantiles_05_50_95": np.mean(
                    [np.quantile(values, [0.05, 0.5, 0.95]) for values in draws], axis=0
                ),
            }
            comparisons.append(
                comparison(
                    f"model {label}: part of its risk distribution within the published axis, 3.8 "
                    "to 4.7",
                    variant=variant,
                    reference=1.0 if label in LABELS else None,
                    source=IN_PAPER if label in LABELS else None,
                    ours=float(np.mean(inside)),
                    standard_error=None,  # the published axis was chosen by eye
                )
            )
    return Reproduction(
        figure=_draw(risks, numbers),
        comparisons=comparisons,
        numbers=numbers,
        settings={"c": C, "n_draws": N_DRAWS, "runs": repeats},
    )


def _draw(risks: dict[str, list[dict[str, FloatArray]]], numbers: dict[str, Any]) -> Any:
    """One axis for all variants, for two columns (183 mm).

    Of each run 5, 50 and 95 %: widths depend on the one simulation of a run, and so would heights.
    """
    figure = new_figure(7.2, 4.2)
    axes = figure.subplots(1, len(risks), sharex=True, sharey=True)
    rows = list(dict.fromkeys(label for copies in risks.values() for label in copies[0]))
    for panel, (variant, copies) in zip(axes, risks.items(), strict=True):
        for row, label in enumerate(rows):
            colour = COLOURS.get(label, "0.5" if label == SAME_ROUNDING else "black")
            runs = [draws[label] for draws in copies if label in draws]
            for k, values in enumerate(runs):
                low, middle, high = np.quantile(values, [0.05, 0.5, 0.95])
                place = row + 0.7 * ((k + 0.5) / len(runs) - 0.5)
                panel.plot([low, high], [place] * 2, color=colour, lw=0.8)
                panel.plot(middle, place, "o", color=colour, ms=2)
            if runs:
                panel.plot(
                    [numbers[variant][label]["empirical_risk, mean"]] * 2,
                    [row - 0.42, row + 0.42],
                    color="black",
                    lw=1,
                )
        panel.set_title(variant, fontsize=9)
        panel.set_xlabel("risk $R$ (nats per ms)", fontsize=8)
        panel.tick_params(labelsize=8)
    axes[0].set_yticks(range(len(rows)), [label.replace(", ", ",\n") for label in rows])
    axes[0].set_ylim(len(rows) - 0.4, -0.6)
    return figure


def draw_densities(axes: Any, draws: dict[str, FloatArray], *, thin: bool = False) -> None:
    """Kernel density of each model, in its own colour and line style."""
    points = common_range(list(draws.values()), left_out=0.002, margin=0.1, n_points=500)
    for label, values in draws.items():
        heights = density(values, points)
        colour = COLOURS.get(label, "0.5" if label == SAME_ROUNDING else "black")
        style = STYLES.get(label, "--" if label == SAME_ROUNDING else "-")
        if thin:
            axes.plot(points, heights, color=colour, ls=style, lw=0.4, alpha=0.6)
            continue
        axes.plot(points, heights, color=colour, ls=style, lw=1.8, label=label)
        axes.fill_between(points, heights, color=colour, alpha=0.15, lw=0)
    axes.set_ylim(bottom=0)
