"""The loss-only criterion B^Q beside B^EMD on the neuron calibrations (fig. bq-to-bemd-compare)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rivals.criteria import loss_only
from rivals.testbeds import seeds
from rivals.testbeds.pyloric import fit, losses, observe, published_draws
from rivals_paper import neuron_calibration
from rivals_paper.arrays import FloatArray
from rivals_paper.calibration_panels import draw_neuron_curves
from rivals_paper.experiments import Experiments
from rivals_paper.neuron_runs import (
    C_MAIN,
    MAIN,
    N_DATA,
    by_condition,
    compare_auc,
    correlation_of,
    original,
    run_conditions,
    summary,
)
from rivals_paper.output import AS_PUBLISHED, CORRECTED, Reproduction, Task, comparison, new_figure, published
from rivals_paper.streams import stream
from rivals_paper.tracking import track

NAME = "loss-criterion"
DESCRIPTION = "The loss-only criterion B^Q beside B^EMD, on the six neuron calibrations"

READING = (
    "As the calibration curves, but for B^Q, the part of the data on which the first model's loss is lower, with a "
    "tolerance c_Q. A criterion of which replication matters would spread over the axis; B^Q knows only this data set."
)
DIFFERENCES = [
    "B^Q was computed from the losses of each model on its own simulated data, paired by their place in time. It is then a "
    "function of the ratio of the fitted widths alone, the same for every c_Q up to a stretch of the axis. Corrected: the "
    "losses of both models on the observed data, as the text says.",
    "Everything else (experiments, truth) is as published in both, to show this one change.",
]


def make(task: Task) -> Reproduction:
    """Make the picture and the numbers; the truth is that of `neuron-calibration`, from the same store."""
    count = task.experiments_or(neuron_calibration.EXPERIMENTS)
    emd = by_condition(run_conditions(task, neuron_calibration.NAME, MAIN, AS_PUBLISHED, C_MAIN, count))
    experiments: dict[str, dict[str, Experiments]] = {AS_PUBLISHED: {}, CORRECTED: {}, "B^EMD": emd}
    ratios = {}
    for i, condition in enumerate(MAIN):
        truth = emd[condition.key].truth
        done = range(len(truth))
        pairs = [_criteria(i, n, task.seed) for n in track(done, condition.key, task.progress)]
        experiments[AS_PUBLISHED][condition.key] = Experiments(np.array([pair[0] for pair in pairs]), truth)
        experiments[CORRECTED][condition.key] = Experiments(np.array([pair[1] for pair in pairs]), truth)
        ratios[condition.key] = np.array([pair[2] for pair in pairs])
    numbers = {variant: {key: summary(each) for key, each in by.items()} for variant, by in experiments.items()}
    return Reproduction(
        figure=_draw(experiments),
        comparisons=_comparisons(experiments, ratios),
        numbers=numbers | {"log_sigma_ratio": ratios},
        settings={"experiments": count, "c_Q": C_MAIN},
    )


def _criteria(number: int, index: int, seed: int) -> tuple[FloatArray, FloatArray, float]:
    """B^Q at every c_Q, from synthetic losses as published and from observed ones, and ln(sigma_b / sigma_a)."""
    condition = MAIN[number]
    drawn = published_draws(condition, index + 1)[index]
    # The random numbers of a recording depend on the experiment, not on the condition.
    original_rng = seeds.generator("Prinz", "prinz", "calibration", "fit candidates", index)
    data = observe(drawn.cell, N_DATA, tau=drawn.tau, strength=drawn.strength, scale=drawn.scale, rng=original_rng)
    first, second = (fit(data, cell) for cell in condition.cells)
    rng = stream(seed, 5, number, index)
    synthetic = [
        losses(model.sigma * rng.standard_normal(N_DATA), model.sigma, "gaussian") for model in (first, second)
    ]
    observed = [first.loss(data), second.loss(data)]
    values = [np.array([loss_only(a, b, tolerance=c).value for c in C_MAIN]) for a, b in (synthetic, observed)]
    return values[0], values[1], float(np.log(second.sigma / first.sigma))


def _comparisons(experiments: dict[str, dict[str, Experiments]], ratios: dict[str, FloatArray]) -> list[dict[str, Any]]:
    stored = published("neuron_calibration")["conditions"]
    rows = []
    for condition in MAIN:
        key = condition.key
        for variant in (AS_PUBLISHED, CORRECTED):
            rows += [
                compare_auc(
                    f"{key}: AUC of B^Q at c_Q = 2^{np.log2(c):.0f}",
                    experiments[variant][key],
                    column,
                    variant=variant,
                    published=stored[key]["auc_bq"][column],
                )
                for column, c in enumerate(C_MAIN)
            ]
        count = min(len(ratios[key]), 512)
        theirs = np.array(stored[key]["log_sigma_ratio"][:count], dtype=float)
        known = np.isfinite(theirs)
        rows.append(
            comparison(
                f"{key}: correlation of ln(sigma_b / sigma_a) with the original run, experiment by experiment",
                variant=AS_PUBLISHED,
                published=1.0,
                ours=correlation_of(ratios[key][:count][known], theirs[known]),
            )
        )
    return rows


def _draw(experiments: dict[str, dict[str, Experiments]]) -> Any:
    figure: Any = new_figure(20, 10.5)
    outer = figure.subfigures(1, 3)
    titles = {
        AS_PUBLISHED: "$B^Q$ as published (synthetic losses)",
        CORRECTED: "$B^Q$ corrected (observed losses)",
        "B^EMD": "$B^{EMD}$, the same experiments",
    }
    for part, (variant, by) in zip(outer, experiments.items(), strict=True):
        part.suptitle(titles[variant], fontsize=11)
        axes = part.subplots(3, 2, sharex=True, sharey=True)
        for i, condition in enumerate(MAIN):
            panel = axes[divmod(i, 2)]
            if variant == AS_PUBLISHED:
                panel.plot(*original(condition.key, "bq").curve(0), ".", color="0.6", ms=3, label="original, $2^0$")
            draw_neuron_curves(panel, by[condition.key], C_MAIN)
            panel.set_title(f"{' vs '.join(condition.pair)}, {condition.input} input", fontsize=9)
            if i % 2 == 0:
                panel.set_ylabel("part in which the first is better", fontsize=8)
            if i > 3:
                panel.set_xlabel("criterion", fontsize=8)
        axes[0, 0].legend(title="c", fontsize=6, title_fontsize=7)
    figure.suptitle(
        "Diagonal: trustworthy; grey: overconfident. $B^Q$ tells which model fits this data set better, not how surely"
    )
    return figure
