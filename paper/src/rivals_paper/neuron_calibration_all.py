"""Calibration of c for the neuron models over all 48 epistemic distributions (fig. prinz calib extra)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rivals.testbeds.pyloric import Condition, conditions
from rivals_paper.calibration_panels import draw_neuron_curves
from rivals_paper.experiments import Experiments
from rivals_paper.neuron_runs import (
    C_ALL,
    N_DATA,
    N_TRUTH,
    WHAT_WAS_WRONG,
    by_condition,
    compact,
    compare_auc,
    run_variants,
    summary,
)
from rivals_paper.output import CORRECTED, Reproduction, Task, new_figure, published

NAME = "neuron-calibration-all"
DESCRIPTION = "Calibration of c for the neuron models: all 48 epistemic distributions"

EXPERIMENTS = 32

# What the conditions differ by, in the order in which they are drawn.
PAIRS, NOISES, LEVELS, CORRELATIONS, INPUTS = (
    tuple(dict.fromkeys(getattr(condition, name) for condition in conditions()))
    for name in ("pair", "noise", "level", "correlation", "input")
)

READING = (
    "Each small panel is one epistemic distribution: bins of experiments, predicted against observed. On the diagonal both "
    "agree; in the shaded area the criterion is overconfident. On the right, all 24 distributions of the same kind of noise "
    "together. Above as published, where all noise is Gaussian; below corrected."
)
DIFFERENCES = WHAT_WAS_WRONG


def make(task: Task) -> Reproduction:
    """Make the picture and the numbers. More experiments are added to those in the stores beside them."""
    count = task.experiments_or(EXPERIMENTS)
    calibrations = run_variants(task, NAME, conditions(), C_ALL, count)
    experiments = {variant: by_condition(calibration) for variant, calibration in calibrations.items()}
    numbers = {
        variant: {
            "summary": {key: summary(each) for key, each in by.items()},
            "all of one noise": {noise: summary(pooled(by, noise)) for noise in NOISES},
            "valid c": str(calibrations[variant].valid_c()),
            "records": compact(by),
        }
        for variant, by in experiments.items()
    }
    return Reproduction(
        figure=_draw(experiments),
        comparisons=_comparisons(experiments),
        numbers=numbers,
        settings={"experiments": dict.fromkeys(calibrations, count), "c": C_ALL, "n_data": N_DATA, "n_truth": N_TRUTH},
    )


def pooled(by: dict[str, Experiments], noise: str) -> Experiments:
    """The experiments of all conditions with this label of the noise."""
    chosen = [each for key, each in by.items() if key.split("|")[1] == noise]
    return Experiments(
        np.concatenate([each.probability for each in chosen]), np.concatenate([each.truth for each in chosen])
    )


def _comparisons(experiments: dict[str, dict[str, Experiments]]) -> list[dict[str, Any]]:
    """AUC where the original numbers are known (the six main conditions, N = 2048); else ours alone."""
    stored = published("neuron_calibration")
    return [
        compare_auc(
            f"{key}: AUC at c = 2^{np.log2(c):.0f}",
            ours,
            column,
            variant=variant,
            published=stored["conditions"][key]["auc"][stored["c"].index(c)] if key in stored["conditions"] else None,
        )
        for variant, by in experiments.items()
        for key, ours in by.items()
        for column, c in enumerate(C_ALL)
    ]


def _draw(experiments: dict[str, dict[str, Experiments]]) -> Any:
    figure: Any = new_figure(28, 17)
    outer = figure.subfigures(2, 4, width_ratios=(1, 1, 1, 0.6))
    for row, (variant, by) in enumerate(experiments.items()):
        for column, pair in enumerate(PAIRS):
            part = outer[row, column]
            part.suptitle(f"{variant}: {' vs '.join(pair)}", fontsize=12)
            axes = part.subplots(4, 4, sharex=True, sharey=True)
            rows = [(input_, correlation) for input_ in INPUTS for correlation in CORRELATIONS]
            columns = [(level, noise) for level in LEVELS for noise in NOISES]
            for i, (input_, correlation) in enumerate(rows):
                for j, (level, noise) in enumerate(columns):
                    panel = axes[i, j]
                    draw_neuron_curves(panel, by[Condition(pair, noise, level, correlation, input_).key], C_ALL)
                    if i == 0:
                        panel.set_title(f"{level} noise\n{noise}", fontsize=9)
                    if j == 0:
                        panel.set_ylabel(f"{input_}, {correlation}", fontsize=9)
                    panel.tick_params(labelsize=7)
        outer[row, 3].suptitle(f"{variant}: all 24 together", fontsize=12)
        for panel, noise in zip(outer[row, 3].subplots(2, 1, sharex=True, sharey=True), NOISES, strict=True):
            draw_neuron_curves(panel, pooled(by, noise), C_ALL)
            panel.set_title(f"{noise} noise" if variant == CORRECTED else f'"{noise}"', fontsize=10)
            panel.set(xlabel="$B^{EMD}$", ylabel="part in which the first is better")
    # The one panel with room for it.
    outer[1, 3].axes[0].legend(title="c", fontsize=8, title_fontsize=8, loc="upper left")
    figure.suptitle(
        "Probability that the first model is better (x) against how often it is (y). Diagonal: trustworthy; grey: "
        "overconfident. Rows: strength and correlation time of the input; columns: observation noise.",
        fontsize=13,
    )
    return figure
