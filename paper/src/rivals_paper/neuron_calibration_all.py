"""Calibration of c for the neuron models, all 48 epistemic distributions (prinz calib extra)."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from rivals_paper.bins import THRESHOLD, judge_c
from rivals_paper.calibration_panels import COLOURS, one_legend
from rivals_paper.experiments import Experiments
from rivals_paper.method import ALGORITHM
from rivals_paper.neuron_copies import Copies, compare_with_copies, spread_of, summary_of_copies
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
from rivals_paper.rules import problem_of, valid_for, verdict_table

NAME = "neuron-calibration-all"
DESCRIPTION = "Calibration of c for the neuron models: all 48 epistemic distributions"

# What the conditions differ by, in the order in which they are drawn.
PAIRS, NOISES, LEVELS, CORRELATIONS, INPUTS = (
    tuple(dict.fromkeys(getattr(condition, name) for condition in conditions()))
    for name in ("pair", "noise", "level", "correlation", "input")
)

READING = (
    "One row for each of the 48 epistemic distributions, one column for each c. Blocks of eight "
    "rows: a pair of candidates and an input; in each, four rows of short and four of long "
    "correlation of the input: low Gaussian, low Cauchy, high Gaussian, high Cauchy noise. Colour: "
    "by how much the confidence of B exceeds the truth in the worst of 16 bins, beyond chance; "
    "above 0.05 the paper's bound is broken. A cross: the rule on named winners rejects this c; a "
    "dash: no winner is named. Below: in how many experiments a winner is named (B beyond "
    f"{THRESHOLD}), and how many of these winners are wrong, for each c and both laws "
    "of the risk. As published, noise is Gaussian whatever its label."
)
DIFFERENCES = WHAT_WAS_WRONG

Variants = dict[str, dict[str, Experiments]]


def make(task: Task) -> Reproduction:
    """Make the picture and the numbers, from the records.

    Experiments that are asked for are computed, and added to those in the stores.
    """
    experiments = experiments_of(task, NAME, conditions(), C_ALL, COUNT_ALL)
    from_records = task.experiments is None
    verdicts = _verdicts(experiments, from_records)
    numbers: dict[str, Any] = {
        variant: {
            "conditions": summaries(by),
            "all of one noise": {noise: summary(pooled(by, noise)) for noise in NOISES},
            "valid c": valid_for(by, C_ALL, details=False),
            "valid c, one noise": {
                noise: valid_for(of_noise(by, noise), C_ALL, details=False) for noise in NOISES
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
            "method": ALGORITHM,
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
    """Variant → law → how many verdicts there are, and how many are wrong.

    The second law is in the records only.
    """
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
        f"{variant}, method {law}": recorded_at_all_c(variant, conditions(), COUNT_ALL, law)
        for variant, law in product(VARIANTS, LAWS)
    }
    by_noise = {
        f"{name}, {noise}": of_noise(each, noise) for name, each in by.items() for noise in NOISES
    }
    return {
        "valid c, all that was tried": {
            name: valid_for(each, all_c(), details=False) for name, each in by.items()
        },
        "valid c, all that was tried, one noise": {
            name: {c: row["valid"] for c, row in valid_for(each, all_c(), details=False).items()}
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
    """AUC where the original numbers are known.

    Of the six main conditions, the same experiments of the longer run.
    """
    rows = []
    areas = {}
    for condition, c in product(MAIN, C_ALL):
        each = copies[condition.key]
        place = C_MAIN.index(c)
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
    figure: Any = new_figure(7.2, 10.4)
    upper, lower = figure.subfigures(2, 1, height_ratios=(7.4, 3.0))
    panels = upper.subplots(1, len(experiments), sharey=True)
    rows = list(product(PAIRS, INPUTS, CORRELATIONS, LEVELS, NOISES))
    image = None
    for panel, (variant, by) in zip(panels, experiments.items(), strict=True):
        records = [
            by[Condition(pair, noise, level, correlation, input_).key]
            for pair, input_, correlation, level, noise in rows
        ]
        image = _draw_rules(panel, records)
        panel.set_title(variant, fontsize=9)
        panel.set_xlabel("c", fontsize=9)
    groups = [
        f"{' vs '.join(pair)}\n{input_}\n{correlation}"
        for pair, input_, correlation in product(PAIRS, INPUTS, CORRELATIONS)
    ]
    panels[0].set_yticks(4 * np.arange(len(groups)) + 1.5, groups, fontsize=8)
    bar = upper.colorbar(image, ax=panels, location="top", shrink=0.6, aspect=40)
    bar.set_label(
        "× the rule on winners is broken    – no winner is named\n"
        "four rows: Gaussian and Cauchy at low noise, then both at high noise\n"
        "colour: confidence beyond the truth, at least, in the worst of 16 bins",
        fontsize=8,
    )
    bar.ax.tick_params(labelsize=8)
    _draw_verdicts(lower, verdicts)
    return figure


def _draw_rules(panel: Any, records: list[Experiments]) -> Any:
    """One row for each condition, one column for each c: the paper's bound, and the other rule."""
    shape = (len(records), len(C_ALL))
    excess = np.zeros(shape)
    for row, each in enumerate(records):
        for column in range(len(C_ALL)):
            one = each.probability[:, column], each.truth
            found = judge_c(*one)
            excess[row, column] = max(found.curve.at_least, 0.0)
            if not found.named:
                panel.plot(column, row, marker="_", ms=4, color="0.5")
            elif problem_of(*one) is not None:
                panel.plot(column, row, marker="x", ms=3, color="k", mew=0.8)
    image = panel.imshow(excess, aspect="auto", cmap="Oranges", vmin=0, vmax=0.5)
    panel.set_xticks(range(len(C_ALL)), [f"$2^{{{np.log2(c):.0f}}}$" for c in C_ALL])
    panel.tick_params(labelsize=8, length=0)
    for edge in range(4, len(records), 4):
        panel.axhline(edge - 0.5, color="w" if edge % 8 else "k", lw=0.8)
    return image


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
                label=f"method {law}",
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
        panel.set_xlabel("winner named, part of experiments", fontsize=8)
        panel.tick_params(labelsize=8)
    panels[0].set_ylabel("part of the named\nwinners that fails", fontsize=8)
    one_legend(part, panels[0], "", loc="outside lower center", ncols=4, columnspacing=1)
