"""Calibration of c for the neuron models, six main conditions (fig. prinz calibrations)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rivals_paper.calibration_panels import draw_neuron_curves
from rivals_paper.experiments import Experiments
from rivals_paper.neuron_copies import COPIES, compare_copies, run_copies, summarise_copies
from rivals_paper.neuron_runs import (
    C_MAIN,
    MAIN,
    N_DATA,
    N_TRUTH,
    WHAT_WAS_WRONG,
    by_condition,
    compact,
    compare_auc,
    correlation_of,
    generator_is_first,
    original,
    run_variants,
    summary,
)
from rivals_paper.output import AS_PUBLISHED, Reproduction, Task, comparison, new_figure, published

NAME = "neuron-calibration"
DESCRIPTION = "Calibration of c for the neuron models: six epistemic distributions"

EXPERIMENTS = 128
EXPERIMENTS_COPIES = 32

READING = (
    "Rows 1 to 4: each point is a bin of experiments: how probable it was said to be that the first model has the lower "
    "risk, and how often it has. On the diagonal both agree; in the shaded area the criterion is overconfident. Small grey "
    "points: the original study, c = 2^-2, N = 2048. Row 5: area under the ROC curve; lines with bars are the range of "
    "copies that differ by rounding alone, points the original study on the same experiments."
)
DIFFERENCES = WHAT_WAS_WRONG


def make(task: Task) -> Reproduction:
    """Make the picture and the numbers. More experiments are added to those in the stores beside them."""
    count = task.experiments_or(EXPERIMENTS)
    calibrations = run_variants(task, NAME, MAIN, C_MAIN, count)
    experiments = {variant: by_condition(calibration) for variant, calibration in calibrations.items()}
    copied = min(EXPERIMENTS_COPIES, count)
    copies = run_copies(task, NAME, MAIN, copied)
    rounding = summarise_copies(MAIN, copies)
    numbers: dict[str, Any] = {
        variant: {
            "summary": {key: summary(each) for key, each in by.items()},
            "valid c": str(calibrations[variant].valid_c()),
            "records": compact(by),
        }
        for variant, by in experiments.items()
    }
    numbers["copies which differ by rounding alone"] = rounding
    return Reproduction(
        figure=_draw(experiments, rounding),
        comparisons=[*_comparisons(experiments, rounding), *compare_copies(rounding)],
        numbers=numbers,
        settings={
            "experiments": dict.fromkeys(calibrations, count),
            "copies": COPIES,
            "experiments of each copy": copied,
            "c": C_MAIN,
            "n_data": N_DATA,
            "n_truth": N_TRUTH,
        },
    )


def _comparisons(experiments: dict[str, dict[str, Experiments]], rounding: dict[str, Any]) -> list[dict[str, Any]]:
    stored = published("neuron_calibration")["conditions"]
    rows = []
    for condition in MAIN:
        theirs, key = original(condition.key), condition.key
        # As published, another run differs by its rounding errors too. Their effect is that of the copies, all of
        # the same experiments, and no larger: being fewer, these also vary by what a longer run averages out.
        spread = rounding[key]["auc"].std(axis=0, ddof=1)
        for variant, by in experiments.items():
            ours = by[key]
            rows += [
                compare_auc(
                    f"{key}: AUC at c = 2^{np.log2(c):.0f}",
                    ours,
                    column,
                    variant=variant,
                    published=stored[key]["auc"][column],
                    rounding=spread[column] if variant == AS_PUBLISHED else 0.0,
                )
                for column, c in enumerate(C_MAIN)
            ]
            rows.append(
                comparison(
                    f"{key}: part of experiments in which the first model is better",
                    variant=variant,
                    published=float(theirs.truth.mean()),
                    ours=float(ours.truth.mean()),
                    standard_error=float(np.sqrt(0.25 / ours.truth.size)),
                )
            )
        rows += _run_to_run(key, experiments[AS_PUBLISHED][key], theirs, stored[key]["run_to_run"], condition)
    return rows


def _run_to_run(key: str, ours: Experiments, theirs: Experiments, known: dict[str, Any], condition: Any) -> list[Any]:
    """Our run beside theirs, experiment by experiment, and how well two runs of theirs agreed."""
    count = min(len(ours.truth), len(theirs.truth))
    agree = float(np.mean(ours.truth[:count] == theirs.truth[:count]))
    expected = known["Bepis_agree"]
    spread = expected * (1 - expected)
    rows = [
        comparison(
            f"{key}: truth agrees with the original run (published: of two original runs)",
            variant=AS_PUBLISHED,
            published=expected,
            ours=agree,
            standard_error=float(np.sqrt(spread / count + spread / 512)),
        )
    ]
    made = generator_is_first(condition, count)
    share = float(np.mean(theirs.truth == generator_is_first(condition, len(theirs.truth))))
    rows.append(
        comparison(
            f"{key}: the model that made the data is better",
            variant=AS_PUBLISHED,
            published=share,
            ours=float(np.mean(ours.truth[:count] == made)),
            standard_error=float(np.sqrt(share * (1 - share) / count)),
        )
    )
    columns = [C_MAIN.index(float(c)) for c in known["c"]]
    # Theirs is of 512 experiments, and has sampling noise as well.
    both = np.sqrt(1 / count + 1 / 512)
    for column, correlation, middle in zip(columns, known["Bemd_corr"], known["Bemd_median_absdiff"], strict=True):
        one, other = ours.probability[:count, column], theirs.probability[:count, column]
        at = f"the original run at c = 2^{np.log2(C_MAIN[column]):.0f} (published: of two original runs)"
        rows.append(
            comparison(
                f"{key}: correlation of B with {at}",
                variant=AS_PUBLISHED,
                published=correlation,
                ours=correlation_of(one, other),
                standard_error=float((1 - correlation**2) * both),
            )
        )
        difference = np.abs(one - other)
        resampled = np.median(np.random.default_rng(0).choice(difference, (400, count)), axis=1)
        rows.append(
            comparison(
                f"{key}: median difference of B from {at}",
                variant=AS_PUBLISHED,
                published=middle,
                ours=float(np.median(difference)),
                standard_error=float(resampled.std() * np.sqrt(count) * both) or None,
            )
        )
    return rows


def _draw(experiments: dict[str, dict[str, Experiments]], rounding: dict[str, Any]) -> Any:
    figure: Any = new_figure(12, 19.5)
    upper, lower = figure.subfigures(2, 1, height_ratios=(4, 1))
    axes = upper.subplots(4, 3, sharex=True, sharey=True)
    for block, (variant, by) in enumerate(experiments.items()):
        for i, condition in enumerate(MAIN):
            column, row = divmod(i, 2)
            panel = axes[2 * block + row, column]
            if variant == AS_PUBLISHED:
                panel.plot(*original(condition.key).curve(2), ".", color="0.6", ms=3, label="original, $2^{-2}$")
            draw_neuron_curves(panel, by[condition.key], C_MAIN)
            panel.set_title(f"{variant}: {' vs '.join(condition.pair)}, {condition.input} input", fontsize=10)
            if 2 * block + row == 3:
                panel.set_xlabel("$B^{EMD}$: probability that the first is better")
            if column == 0:
                panel.set_ylabel("part of experiments\nin which it is")
    # The corrected panels have the room for it.
    axes[2, 0].legend(
        *axes[0, 0].get_legend_handles_labels(), title="c", fontsize=8, title_fontsize=8, loc="upper left"
    )
    _draw_rounding(lower, rounding)
    figure.suptitle(
        "On the diagonal, probabilities can be trusted; in the grey area they are overconfident.\n"
        "Corrected (candidates get the input, accurate solver) nearly every experiment is decided: the bins sit in two corners.",
        fontsize=11,
    )
    return figure


def _draw_rounding(part: Any, rounding: dict[str, Any]) -> None:
    """AUC of the copies, pair by pair, and that of the original study on the same experiments."""
    panels = part.subplots(1, 3, sharey=True)
    exponents = np.log2(C_MAIN)
    for i, condition in enumerate(MAIN):
        each, (column, row) = rounding[condition.key], divmod(i, 2)
        panel, colour = panels[column], ("#0072B2", "#D55E00")[row]
        low, middle, high = (each["auc"].min(axis=0), each["auc"].mean(axis=0), each["auc"].max(axis=0))
        x = exponents + (row - 0.5) * 0.3
        panel.errorbar(
            x,
            middle,
            yerr=[middle - low, high - middle],
            color=colour,
            lw=1,
            capsize=3,
            label=f"copies, {condition.input}",
        )
        panel.plot(x, each["original auc"], "os"[row], color=colour, mfc="white", label=f"original, {condition.input}")
        panel.axhline(0.5, color="0.7", lw=0.8, zorder=0)
        panel.set_title(f"{' vs '.join(condition.pair)}: what rounding does", fontsize=10)
        panel.set_xticks(exponents, [f"$2^{{{e:.0f}}}$" for e in exponents])
        panel.set_xlabel("c")
    panels[0].set_ylabel("AUC as published\n(mean and range of copies)")
    panels[0].legend(fontsize=7, loc="lower left")
