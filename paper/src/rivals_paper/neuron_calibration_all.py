"""Calibration of c for the neuron models over all 48 epistemic distributions (fig. prinz calib extra)."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from rivals_paper.calibration_panels import COLOURS, frame_panel, one_legend, plain_ticks
from rivals_paper.experiments import Experiments
from rivals_paper.neuron_copies import Copies, compare_with_copies, spread_of, summary_of_copies
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
from rivals_paper.output import (
    AS_PUBLISHED,
    IN_FILES,
    VARIANTS,
    Reproduction,
    Task,
    comparison,
    new_figure,
)
from rivals_paper.pyloric import Condition, conditions
from rivals_paper.records import LAWS

NAME = "neuron-calibration-all"
DESCRIPTION = "Calibration of c for the neuron models: all 48 epistemic distributions"

# What the conditions differ by, in the order in which they are drawn.
PAIRS, NOISES, LEVELS, CORRELATIONS, INPUTS = (
    tuple(dict.fromkeys(getattr(condition, name) for condition in conditions()))
    for name in ("pair", "noise", "level", "correlation", "input")
)

READING = (
    "One panel for each pair of candidates, input and variant, over all forms of noise. Each line is one of the eight epistemic distributions with this pair and input, at c = 2^-2: bins of "
    "experiments, how probable it was said to be that the first model is better (across) and how often it is (up). On the diagonal both agree; in the red and yellow areas the criterion is "
    f"overconfident. Below: of all experiments, how many get a verdict (B beyond {THRESHOLD}) and how many of these verdicts name the wrong model, for each c and both laws of the risk. As published, noise "
    "is Gaussian whatever its label."
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
            "valid c, one noise": {
                noise: valid_for(of_noise(by, noise), C_ALL) for noise in NOISES
            },
        }
        for variant, by in experiments.items()
    }
    numbers[f"verdicts beyond {THRESHOLD}"] = verdicts
    if from_records:
        numbers |= _only_recorded()
    return Reproduction(
        figure=_draw(experiments, verdicts),
        comparisons=_comparisons(summary_of_copies(NAME, task, of_copies), experiments),
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
        np.concatenate([each.probability for each in chosen]),
        np.concatenate([each.truth for each in chosen]),
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
        variant: {
            law: verdict_table(recorded_at_all_c(variant, conditions(), COUNT_ALL, law), all_c())
            for law in LAWS
        }
        for variant in VARIANTS
    }


def _only_recorded() -> dict[str, Any]:
    """What takes the second law, or other values of c."""
    by = {
        f"{variant}, law {law}": recorded_at_all_c(variant, conditions(), COUNT_ALL, law)
        for variant, law in product(VARIANTS, LAWS)
    }
    by_noise = {
        f"{name}, {noise}": of_noise(each, noise) for name, each in by.items() for noise in NOISES
    }
    return {
        "valid c, all that was tried": {
            name: valid_for(each, all_c()) for name, each in by.items()
        },
        "valid c, all that was tried, one noise": {
            name: {c: row["valid"] for c, row in valid_for(each, all_c()).items()}
            for name, each in by_noise.items()
        },
        "auc, all that was tried": {name: _areas(each) for name, each in by_noise.items()},
    }


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


def of_copies(copies: Copies) -> dict[str, Any]:
    """AUC where the original numbers are known: of the six main conditions, the same experiments of the longer run."""
    rows, areas = [], {}
    for condition, c in product(MAIN, C_ALL):
        each, place = copies[condition.key], C_MAIN.index(c)
        areas[f"{condition.key}, {c:g}"] = [one.first(COUNT_ALL).auc(place)[0] for one in each]
        same = original(condition.key).first(min(len(each[0].truth), COUNT_ALL))
        rows.append(
            compare_with_copies(
                _what(condition, c), same.auc(place)[0], areas[f"{condition.key}, {c:g}"]
            )
        )
    return {"comparisons": rows, "auc": areas}


def _what(condition: Condition, c: float) -> str:
    return f"{condition.key}: AUC at c = {power_of_two(c)}"


def _comparisons(copied: dict[str, Any], experiments: Variants) -> list[dict[str, Any]]:
    rows = list(copied["comparisons"])
    for condition, (column, c) in product(MAIN, enumerate(C_ALL)):
        areas = np.array(copied["auc"][f"{condition.key}, {c:g}"])
        theirs, theirs_error = original(condition.key).auc(C_MAIN.index(c))
        for variant in VARIANTS[1:]:
            area, error = experiments[variant][condition.key].auc(column)
            rounding = spread_of(areas) if areas.size > 1 else 0.0
            total = float(np.sqrt(error**2 + theirs_error**2 + rounding**2))
            rows.append(
                comparison(
                    _what(condition, c),
                    variant=variant,
                    reference=theirs,
                    source=IN_FILES,
                    ours=area if np.isfinite(area) else None,
                    standard_error=total if np.isfinite(total) and total > 0 else None,
                    explanation=OTHER_EXPERIMENTS[variant],
                )
            )
    return rows


# ---------------------------------------------------------------- picture


def _draw(experiments: Variants, verdicts: dict[str, dict[str, Any]]) -> Any:
    """For two columns: 183 mm."""
    figure: Any = new_figure(7.2, 7.2)
    upper, lower = figure.subfigures(2, 1, height_ratios=(4.6, 2.6))
    columns = list(product(PAIRS, INPUTS))
    axes = upper.subplots(len(experiments), len(columns))
    for row, (variant, by) in enumerate(experiments.items()):
        for column, (pair, input_) in enumerate(columns):
            panel = axes[row, column]
            frame_panel(panel)
            for noise, level, correlation in product(NOISES, LEVELS, CORRELATIONS):
                curve = by[Condition(pair, noise, level, correlation, input_).key].curve(
                    C_ALL.index(0.25), 16
                )
                style = {
                    "color": {"Gaussian": "#0072B2", "Cauchy": "#D55E00"}[noise],
                    "ls": {"low": "-", "high": ":"}[level],
                }
                panel.plot(
                    *curve,
                    lw=1,
                    label=f"{noise}, {level} noise" if correlation == "short" else None,
                    **style,
                )
            plain_ticks(panel, left=column == 0, bottom=row == len(experiments) - 1)
            if row == 0:
                panel.set_title(f"{' vs '.join(pair)}\n{input_} input", fontsize=8)
        axes[row, 0].set_ylabel(variant.replace(" as ", "\nas "), fontsize=8)
    upper.supxlabel(
        "stated probability $B$ that the first model is better, $c = 2^{-2}$", fontsize=8
    )
    one_legend(upper, axes[0, 0], "", loc="outside upper center", ncols=4)
    _draw_verdicts(lower, verdicts)
    return figure


def _draw_verdicts(part: Any, verdicts: dict[str, dict[str, Any]]) -> None:
    """Verdicts and wrong ones, one panel per variant, one line per law."""
    panels = part.subplots(1, len(verdicts), sharex=True, sharey=True)
    for panel, (variant, laws) in zip(panels, verdicts.items(), strict=True):
        for (law, table), style, marker in zip(laws.items(), ("-", "--"), ("o", "s"), strict=False):
            shown = {c: row for c, row in table.items() if row["wrong"] is not None}
            stated, wrong = ([row[name] for row in shown.values()] for name in ("stated", "wrong"))
            panel.plot(
                stated,
                wrong,
                ls=style,
                lw=0.8,
                color="0.5",
                marker=marker,
                mfc="w",
                ms=5,
                label=f"law {law}",
            )
            for c, x, y in zip(shown, stated, wrong, strict=True):
                label = f"c = $2^{{{np.log2(float(c)):.0f}}}$" if marker == "o" else None
                if float(c) in C_MAIN:  # those in between stay open
                    panel.plot(
                        x,
                        y,
                        ls="",
                        marker=marker,
                        ms=5,
                        color=COLOURS[C_MAIN.index(float(c))],
                        label=label,
                    )
        panel.axhline(1 - THRESHOLD, color="0.7", lw=0.8, zorder=0)
        panel.set_title(variant, fontsize=8)
        panel.set_xlabel("part of experiments with a verdict", fontsize=8)
        panel.tick_params(labelsize=8)
    panels[0].set_ylabel("part of the verdicts\nthat is wrong", fontsize=8)
    one_legend(part, panels[0], "", loc="outside lower center", ncols=4, columnspacing=1)
