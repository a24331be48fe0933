"""Calibration of c for the neuron models over all 48 epistemic distributions (fig. prinz calib extra)."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from rivals_paper.calibration_panels import COLOURS, draw_neuron_curves, draw_original, one_legend, plain_ticks
from rivals_paper.experiments import Experiments
from rivals_paper.neuron_copies import compare_with_copies, copies_of, spread_of
from rivals_paper.neuron_rules import THRESHOLD, valid_for, verdict_table
from rivals_paper.neuron_runs import (
    C_ALL,
    C_MAIN,
    COUNT_ALL,
    MAIN,
    N_DATA,
    N_TRUTH,
    OTHER_EXPERIMENTS,
    WHAT_WAS_WRONG,
    all_c,
    experiments_of,
    original,
    power_of_two,
    recorded_at_all_c,
    summaries,
    summary,
)
from rivals_paper.output import AS_PUBLISHED, VARIANTS, Reproduction, Task, comparison, new_figure
from rivals_paper.pyloric import Condition, conditions
from rivals_paper.records import COPIES, LAWS, recorded, recorded_truth

NAME = "neuron-calibration-all"
DESCRIPTION = "Calibration of c for the neuron models: all 48 epistemic distributions"

# What the conditions differ by, in the order in which they are drawn.
PAIRS, NOISES, LEVELS, CORRELATIONS, INPUTS = (
    tuple(dict.fromkeys(getattr(condition, name) for condition in conditions()))
    for name in ("pair", "noise", "level", "correlation", "input")
)

READING = (
    "Each small panel is one epistemic distribution: bins of experiments, how probable it was said to be that the first model is "
    "better (across) and how often it is (up). On the diagonal both agree; in the shaded area the criterion is overconfident. Grey "
    "lines: the original study at c = 2^-2, where its numbers are known. Three blocks, one for each variant; as published, noise is "
    f"Gaussian whatever its label. Below: of all experiments, how many get a verdict (B beyond {THRESHOLD}) and how many of these "
    "verdicts name the wrong model, for each c and both laws of the risk."
)
DIFFERENCES = WHAT_WAS_WRONG

Variants = dict[str, dict[str, Experiments]]


def make(task: Task) -> Reproduction:
    """Make the picture and the numbers, from the records; experiments asked for are computed and added to those in the stores."""
    experiments = experiments_of(task, NAME, conditions(), C_ALL, COUNT_ALL)
    from_records = task.experiments is None
    verdicts = _verdicts(experiments, from_records)
    numbers: dict[str, Any] = {
        variant: {
            "conditions": summaries(by),
            "all of one noise": {noise: summary(pooled(by, noise)) for noise in NOISES},
            "valid c": valid_for(by, C_ALL),
            "valid c, one noise": {noise: valid_for(of_noise(by, noise), C_ALL) for noise in NOISES},
        }
        for variant, by in experiments.items()
    }
    numbers[f"verdicts beyond {THRESHOLD}"] = verdicts
    if from_records:
        numbers |= _only_recorded()
    return Reproduction(
        figure=_draw(experiments, verdicts),
        comparisons=_comparisons(task, experiments),
        numbers=numbers,
        settings={
            "source": "records" if from_records else "computed",
            "experiments": len(experiments[AS_PUBLISHED][conditions()[0].key].truth),
            "c": C_ALL,
            "n_data": N_DATA,
            "n_truth": N_TRUTH,
        },
    )


def pooled(by: dict[str, Experiments], noise: str) -> Experiments:
    """The experiments of all conditions with this label of the noise."""
    chosen = of_noise(by, noise).values()
    return Experiments(
        np.concatenate([each.probability for each in chosen]), np.concatenate([each.truth for each in chosen])
    )


def of_noise(by: dict[str, Experiments], noise: str) -> dict[str, Experiments]:
    """The conditions with this label of the noise."""
    return {key: each for key, each in by.items() if key.split("|")[1] == noise}


# ---------------------------------------------------------------- numbers


def _verdicts(experiments: Variants, from_records: bool) -> dict[str, dict[str, Any]]:
    """Variant → law → how many verdicts there are, and how many are wrong; the second law is in the records only."""
    if not from_records:
        return {variant: {LAWS[0]: verdict_table(by, C_ALL)} for variant, by in experiments.items()}
    return {
        variant: {law: verdict_table(recorded_at_all_c(variant, conditions(), COUNT_ALL, law), all_c()) for law in LAWS}
        for variant in VARIANTS
    }


def _only_recorded() -> dict[str, Any]:
    """What takes all copies, the second law, other values of c, or the error of the truth."""
    copies = [
        valid_for(
            {each.key: recorded(AS_PUBLISHED, each.key, copy=copy).first(COUNT_ALL) for each in conditions()}, C_MAIN
        )
        for copy in range(COPIES)
    ]
    by = {
        f"{variant}, law {law}": recorded_at_all_c(variant, conditions(), COUNT_ALL, law)
        for variant, law in product(VARIANTS, LAWS)
    }
    by_noise = {f"{name}, {noise}": of_noise(each, noise) for name, each in by.items() for noise in NOISES}
    return {
        "truth within two standard errors of a tie": {
            f"{variant}, {noise}": _undecided(variant, noise) for variant, noise in product(VARIANTS, NOISES)
        },
        "number of conditions in each copy for which c is valid": {
            c: [row[c]["valid"] for row in copies] for c in copies[0]
        },
        "valid c, all that was tried": {name: valid_for(each, all_c()) for name, each in by.items()},
        "valid c, all that was tried, one noise": {
            name: {c: row["valid"] for c, row in valid_for(each, all_c()).items()} for name, each in by_noise.items()
        },
        "auc, all that was tried": {name: _areas(each) for name, each in by_noise.items()},
    }


def _undecided(variant: str, noise: str) -> float:
    """Part of the experiments whose truth one recording does not decide, mean over conditions."""
    chosen = [recorded_truth(variant, each.key) for each in conditions() if each.noise == noise]
    return round(float(np.mean([np.mean(np.abs(difference) < 2 * error) for difference, error in chosen])), 4)


def _areas(by: dict[str, Experiments]) -> dict[str, Any]:
    """AUC of the worst and the best condition at each c, and how many conditions are reversed."""
    found = {}
    for column, c in enumerate(all_c()):
        areas = np.array([each.auc(column)[0] for each in by.values()])
        found[f"{c:g}"] = {
            "lowest": round(float(areas.min()), 4),
            "highest": round(float(areas.max()), 4),
            "below one half": int((areas < 0.5).sum()),
        }
    return found


def _comparisons(task: Task, experiments: Variants) -> list[dict[str, Any]]:
    """AUC where the original numbers are known: of the six main conditions, the same experiments of the longer run."""
    rows = []
    copies = copies_of(task, NAME, MAIN, COUNT_ALL)
    for condition, (column, c) in product(MAIN, enumerate(C_ALL)):
        place, what = C_MAIN.index(c), f"{condition.key}: AUC at c = {power_of_two(c)}"
        areas = np.array([each.auc(place)[0] for each in copies[condition.key]])
        same = original(condition.key).first(len(copies[condition.key][0].truth))
        rows.append(compare_with_copies(what, same.auc(place)[0], areas))
        theirs, theirs_error = original(condition.key).auc(place)
        for variant in VARIANTS[1:]:
            area, error = experiments[variant][condition.key].auc(column)
            total = float(np.sqrt(error**2 + theirs_error**2 + spread_of(areas) ** 2))
            rows.append(
                comparison(
                    what,
                    variant=variant,
                    published=theirs,
                    ours=area if np.isfinite(area) else None,
                    standard_error=total if np.isfinite(total) and total > 0 else None,
                    explanation=OTHER_EXPERIMENTS[variant],
                )
            )
    return rows


# ---------------------------------------------------------------- picture


def _draw(experiments: Variants, verdicts: dict[str, dict[str, Any]]) -> Any:
    figure: Any = new_figure(8, 22.4)
    *blocks, lower = figure.subfigures(4, 1, height_ratios=(6.9, 6.3, 6.3, 3.0))
    for part, (variant, by) in zip(blocks, experiments.items(), strict=True):
        _draw_block(part, variant, by)
    _draw_verdicts(lower, verdicts)
    return figure


def _draw_block(part: Any, variant: str, by: dict[str, Experiments]) -> None:
    main = {condition.key for condition in MAIN}
    rows, columns = list(product(PAIRS, INPUTS)), list(product(NOISES, LEVELS, CORRELATIONS))
    axes = part.subplots(len(rows), len(columns), squeeze=False)
    for (i, (pair, input_)), (j, (noise, level, correlation)) in product(enumerate(rows), enumerate(columns)):
        panel, condition = axes[i, j], Condition(pair, noise, level, correlation, input_)
        if condition.key in main and variant == AS_PUBLISHED:
            draw_original(panel, original(condition.key), C_MAIN.index(0.25), "original study, $2^{-2}$")
        draw_neuron_curves(panel, by[condition.key], C_ALL, size=2, line=0.5)
        plain_ticks(panel, left=j == 0, bottom=i == len(rows) - 1)
        if i == 0:
            label = noise if variant != AS_PUBLISHED else f"“{noise}”"
            panel.set_title(f"{label}\n{level} noise\n{correlation} corr.", fontsize=8)
        if j == 0:
            panel.set_ylabel(f"{' vs '.join(pair)}\n{input_} input", fontsize=8)
    count = len(next(iter(by.values())).truth)
    title = f"{variant.capitalize()}, {count} experiments per panel"
    if variant == AS_PUBLISHED:
        title += "\nacross: stated probability that the first model is better; up: part of experiments in which it is"
        one_legend(part, axes[0, 0], "c", loc="outside lower center", ncols=6)
    part.suptitle(title, fontsize=10)


def _draw_verdicts(part: Any, verdicts: dict[str, dict[str, Any]]) -> None:
    """Verdicts and wrong ones, one panel per variant, one line per law."""
    panels = part.subplots(1, len(verdicts), sharex=True, sharey=True)
    for panel, (variant, laws) in zip(panels, verdicts.items(), strict=True):
        for (law, table), style, marker in zip(laws.items(), ("-", "--"), ("o", "s"), strict=False):
            shown = {c: row for c, row in table.items() if row["wrong"] is not None}
            stated, wrong = ([row[name] for row in shown.values()] for name in ("stated", "wrong"))
            panel.plot(stated, wrong, ls=style, lw=0.8, color="0.5", marker=marker, mfc="w", ms=5, label=f"law {law}")
            for c, x, y in zip(shown, stated, wrong, strict=True):
                label = f"c = $2^{{{np.log2(float(c)):.0f}}}$" if marker == "o" else None
                if float(c) in C_MAIN:  # those in between stay open
                    panel.plot(x, y, ls="", marker=marker, ms=5, color=COLOURS[C_MAIN.index(float(c))], label=label)
        panel.axhline(1 - THRESHOLD, color="0.7", lw=0.8, zorder=0)
        panel.set_title(variant.capitalize(), fontsize=9)
        panel.set_xlabel("part of experiments with a verdict", fontsize=8)
        panel.tick_params(labelsize=8)
    panels[0].set_ylabel("part of the verdicts\nthat is wrong", fontsize=8)
    one_legend(part, panels[0], "", loc="outside lower center", ncols=8, columnspacing=1)
    part.suptitle(f"Verdicts at B > {THRESHOLD} over all 48 conditions (grey line: {1 - THRESHOLD:.2f})", fontsize=10)
