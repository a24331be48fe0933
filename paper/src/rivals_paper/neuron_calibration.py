"""Calibration of c for the neuron models, six main conditions (fig. prinz calibrations)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np

from rivals_paper.arrays import FloatArray
from rivals_paper.calibration_panels import draw_neuron_curves, draw_original, one_legend, plain_ticks
from rivals_paper.experiments import Experiments
from rivals_paper.neuron_copies import (
    agreement,
    between_runs,
    compare_with_copies,
    copies_of,
    correlation,
    distance,
    median_difference,
    spread_of,
)
from rivals_paper.neuron_rules import valid_for
from rivals_paper.neuron_runs import (
    C_MAIN,
    COUNT_MAIN,
    MAIN,
    N_DATA,
    N_TRUTH,
    OTHER_EXPERIMENTS,
    WHAT_WAS_WRONG,
    all_c,
    experiments_of,
    generator_is_first,
    original,
    power_of_two,
    recorded_at_all_c,
    summaries,
)
from rivals_paper.output import AS_PUBLISHED, VARIANTS, Reproduction, Task, comparison, new_figure, published
from rivals_paper.pyloric import Condition
from rivals_paper.records import LAWS, recorded_truth

NAME = "neuron-calibration"
DESCRIPTION = "Calibration of c for the neuron models: six epistemic distributions"

READING = (
    "Each point is a bin of experiments: how probable it was said to be that the first model has the lower risk, and how often it "
    "has. On the diagonal both agree; in the shaded area the criterion is overconfident. Large panels: as published; the grey line "
    "is the original study at c = 2^-2. Small panels: the same with everything but the constants of the circuit corrected, and with "
    "these, too. Below: area under the ROC curve as published; bars are the range of copies that differ by rounding alone, open "
    "marks the original study on the same experiments."
)
DIFFERENCES = WHAT_WAS_WRONG

# Why B differs more between runs of the original study than between ours.
FEW_PATHS = "The original B come from 128 paths of each model (more at large c only), which gives them a Monte Carlo error of up to 0.036; ours have next to none."
OTHER_VERSIONS = (
    f"{FEW_PATHS} The shorter of the two original runs also agrees less with the longer one than two copies agree with each other; the longer one is "
    "like the copies. They were made at different times, perhaps with other versions or on another machine; the files do not say."
)

Copies = dict[str, list[Experiments]]
Variants = dict[str, dict[str, Experiments]]


def make(task: Task) -> Reproduction:
    """Make the picture and the numbers, from the records; experiments asked for are computed and added to those in the stores."""
    experiments = experiments_of(task, NAME, MAIN, C_MAIN, COUNT_MAIN)
    copies = copies_of(task, NAME, MAIN, COUNT_MAIN)
    numbers: dict[str, Any] = {variant: summaries(by) for variant, by in experiments.items()}
    numbers["copies which differ by rounding alone"] = _copies_in_numbers(copies)
    numbers["valid c"] = _validity(experiments, copies, recorded=task.experiments is None)
    if task.experiments is None:
        numbers["truth within two standard errors of a tie"] = _undecided()
    return Reproduction(
        figure=_draw(experiments, copies),
        comparisons=_comparisons(experiments, copies),
        numbers=numbers,
        settings={
            "source": "records" if task.experiments is None else "computed",
            "experiments": len(experiments[AS_PUBLISHED][MAIN[0].key].truth),
            "copies": len(copies[MAIN[0].key]),
            "experiments of each copy": len(copies[MAIN[0].key][0].truth),
            "c": C_MAIN,
            "n_data": N_DATA,
            "n_truth": N_TRUTH,
        },
    )


# ---------------------------------------------------------------- numbers


def _copies_in_numbers(copies: Copies) -> dict[str, Any]:
    return {
        condition.key: {
            "auc": np.round([_aucs(each) for each in copies[condition.key]], 4),
            "original auc": np.round(_aucs(_same(condition, copies)), 4),
            "generator is better": np.round([_generator(condition, each) for each in copies[condition.key]], 4),
            "original generator is better": round(_generator(condition, _same(condition, copies)), 4),
            "first is better": np.round([each.truth.mean() for each in copies[condition.key]], 4),
            "original first is better": round(float(_same(condition, copies).truth.mean()), 4),
        }
        for condition in MAIN
    }


def _validity(experiments: Variants, copies: Copies, recorded: bool) -> dict[str, Any]:
    """For which conditions each c is valid: original study, each copy, the other variants, and the other law."""
    found: dict[str, Any] = {"original study": valid_for({each.key: original(each.key) for each in MAIN}, C_MAIN)}
    found |= {variant: valid_for(by, C_MAIN) for variant, by in experiments.items()}
    found["number of conditions in each copy"] = _valid_in_copies(copies)
    if recorded:
        for variant, law in product(VARIANTS, LAWS):
            by = recorded_at_all_c(variant, MAIN, COUNT_MAIN, law)
            found[f"{variant}, law {law}, all c that were tried"] = valid_for(by, all_c())
    return found


def _valid_in_copies(copies: Copies) -> dict[str, list[int]]:
    number = len(copies[MAIN[0].key])
    rows = [valid_for({key: each[copy] for key, each in copies.items()}, C_MAIN) for copy in range(number)]
    return {f"{c:g}": [row[f"{c:g}"]["valid"] for row in rows] for c in C_MAIN}


def _undecided() -> dict[str, dict[str, float]]:
    """Part of the experiments whose truth one recording does not decide."""
    found: dict[str, dict[str, float]] = {}
    for variant in VARIANTS:
        found[variant] = {}
        for condition in MAIN:
            difference, error = recorded_truth(variant, condition.key)
            found[variant][condition.key] = round(float(np.mean(np.abs(difference) < 2 * error)), 4)
    return found


# ---------------------------------------------------------------- beside the published ones


def _comparisons(experiments: Variants, copies: Copies) -> list[dict[str, Any]]:
    rows = []
    for condition in MAIN:
        rows += _as_published(condition, copies[condition.key], _same(condition, copies))
        for variant in VARIANTS[1:]:
            rows += _otherwise(condition, variant, experiments[variant][condition.key], copies[condition.key])
    theirs = valid_for({each.key: _same(each, copies) for each in MAIN}, C_MAIN)
    rows += [
        compare_with_copies(
            f"number of the six conditions for which c = {power_of_two(c)} is valid", theirs[f"{c:g}"]["valid"], ours
        )
        for c, ours in zip(C_MAIN, _valid_in_copies(copies).values(), strict=True)
    ]
    return rows


def _as_published(condition: Condition, copies: Sequence[Experiments], theirs: Experiments) -> list[dict[str, Any]]:
    """The original run as one more copy, on the same experiments."""
    key = condition.key
    rows = [
        compare_with_copies(
            f"{key}: part of experiments in which the first model is better",
            float(theirs.truth.mean()),
            [each.truth.mean() for each in copies],
        ),
        compare_with_copies(
            f"{key}: the model that made the data is better",
            _generator(condition, theirs),
            [_generator(condition, each) for each in copies],
        ),
        between_runs(f"{key}: truth agrees between runs", theirs.truth, [each.truth for each in copies], agreement),
    ]
    for column, c in enumerate(C_MAIN):
        at = f"at c = {power_of_two(c)}"
        rows += [
            compare_with_copies(f"{key}: AUC {at}", theirs.auc(column)[0], [each.auc(column)[0] for each in copies]),
            compare_with_copies(
                f"{key}: mean excess confidence {at}",
                float(np.mean(theirs.excess(column))),
                [float(np.mean(each.excess(column))) for each in copies],
            ),
            between_runs(
                f"{key}: distance of curves between runs {at}",
                theirs.curve(column)[1],
                [each.curve(column)[1] for each in copies],
                distance,
            ),
        ]
        ours = [each.probability[:, column] for each in copies]
        rows += [
            between_runs(f"{key}: {name} of B between runs {at}", theirs.probability[:, column], ours, alike, FEW_PATHS)
            for name, alike in (("correlation", correlation), ("median difference", median_difference))
        ]
    return rows + _two_original_runs(key, copies)


def _two_original_runs(key: str, copies: Sequence[Experiments]) -> list[dict[str, Any]]:
    """How alike two runs of the original study were, in 512 experiments, beside all pairs of our copies."""
    known = published("neuron_calibration")["conditions"][key]["run_to_run"]
    number = len(copies)

    def row(what: str, theirs: float, ours: list[FloatArray], alike: Callable[..., float]) -> dict[str, Any]:
        pairs = np.array([alike(one[:512], other[:512]) for one, other in combinations(ours, 2)])
        # Pairs of eight copies are not independent: their mean is no better known than that of eight numbers.
        error = float(pairs.std(ddof=1) * np.sqrt(1 + 1 / number))
        return comparison(
            f"{key}: {what} (two runs of the original study; ours: mean of pairs of copies)",
            variant=AS_PUBLISHED,
            published=theirs,
            ours=float(pairs.mean()) if np.isfinite(pairs).all() else None,
            standard_error=error if error > 0 else None,
            explanation=OTHER_VERSIONS,
        )

    rows = [row("truth agrees", known["Bepis_agree"], [each.truth for each in copies], agreement)]
    for c, related, middle in zip(known["c"], known["Bemd_corr"], known["Bemd_median_absdiff"], strict=True):
        column, at = C_MAIN.index(float(c)), f"at c = {power_of_two(c)}"
        ours = [each.probability[:, column] for each in copies]
        rows.append(row(f"correlation of B {at}", related, ours, correlation))
        rows.append(row(f"median difference of B {at}", middle, ours, median_difference))
    return rows


def _otherwise(
    condition: Condition, variant: str, ours: Experiments, copies: Sequence[Experiments]
) -> list[dict[str, Any]]:
    """A corrected variant beside the original study: other experiments, so that both have a sampling error."""
    rows, theirs = [], original(condition.key)
    for column, c in enumerate(C_MAIN):
        rounding = spread_of(np.array([each.auc(column)[0] for each in copies]))
        (area, error), (theirs_area, theirs_error) = ours.auc(column), theirs.auc(column)
        total = float(np.sqrt(error**2 + theirs_error**2 + rounding**2))
        rows.append(
            comparison(
                f"{condition.key}: AUC at c = {power_of_two(c)}",
                variant=variant,
                published=theirs_area,
                ours=area if np.isfinite(area) else None,
                standard_error=total if np.isfinite(total) and total > 0 else None,
                explanation=OTHER_EXPERIMENTS[variant],
            )
        )
    return rows


def _same(condition: Condition, copies: Copies) -> Experiments:
    """The experiments of the copies in the original run."""
    return original(condition.key).first(len(copies[condition.key][0].truth))


def _aucs(each: Experiments) -> list[float]:
    return [each.auc(column)[0] for column in range(len(C_MAIN))]


def _generator(condition: Condition, each: Experiments) -> float:
    return float(np.mean(each.truth == generator_is_first(condition, len(each.truth))))


# ---------------------------------------------------------------- picture


def _draw(experiments: Variants, copies: Copies) -> Any:
    figure: Any = new_figure(8, 12)
    upper, middle, lower = figure.subfigures(3, 1, height_ratios=(6.3, 3.2, 2.7))
    _draw_published(upper, experiments[AS_PUBLISHED])
    _draw_others(middle, experiments)
    _draw_rounding(lower, copies)
    return figure


def _draw_published(part: Any, by: dict[str, Experiments]) -> None:
    axes = part.subplots(2, 3)
    for i, condition in enumerate(MAIN):
        column, row = divmod(i, 2)
        panel = axes[row, column]
        draw_original(panel, original(condition.key), C_MAIN.index(0.25), "original study, $2^{-2}$")
        draw_neuron_curves(panel, by[condition.key], C_MAIN, size=3)
        panel.set_title(f"{_pair(condition)}, {condition.input} input", fontsize=9)
        plain_ticks(panel, left=column == 0, bottom=row == 1)
        if row == 1:
            panel.set_xlabel(f"$B^{{EMD}}$: stated probability\nthat {condition.pair[0]} is better", fontsize=8)
    for panel in axes[:, 0]:
        panel.set_ylabel("part of experiments\nin which it is", fontsize=8)
    part.suptitle(f"As published, {len(by[MAIN[0].key].truth)} experiments per panel", fontsize=10)
    one_legend(part, axes[0, 0], "c", loc="outside lower center", ncols=7)


def _draw_others(part: Any, experiments: Variants) -> None:
    axes = part.subplots(2, 6)
    for row, variant in enumerate(VARIANTS[1:]):
        for i, condition in enumerate(MAIN):
            panel = axes[row, i]
            draw_neuron_curves(panel, experiments[variant][condition.key], C_MAIN, size=2.5, line=0.6)
            plain_ticks(panel, left=i == 0, bottom=row == 1)
            if row == 0:
                panel.set_title(f"{_pair(condition)}\n{condition.input}", fontsize=8)
        axes[row, 0].set_ylabel(variant.capitalize().replace(" as ", "\nas "), fontsize=8)
    part.suptitle("The same, corrected (same axes, same c)", fontsize=10)


def _draw_rounding(part: Any, copies: Copies) -> None:
    """AUC of the copies, pair by pair, and that of the original study on the same experiments."""
    panels = part.subplots(1, 3, sharey=True)
    exponents = np.log2(C_MAIN)
    for i, condition in enumerate(MAIN):
        column, row = divmod(i, 2)
        panel, colour = panels[column], ("#0072B2", "#D55E00")[row]
        areas = np.array([_aucs(each) for each in copies[condition.key]])
        low, middle, high = areas.min(axis=0), areas.mean(axis=0), areas.max(axis=0)
        x = exponents + (row - 0.5) * 0.4
        bars = [middle - low, high - middle]
        panel.errorbar(x, middle, yerr=bars, color=colour, lw=1, capsize=2, label=f"copies, {condition.input} input")
        theirs = _aucs(_same(condition, copies))
        panel.plot(
            x, theirs, "os"[row], ls="", ms=4.5, color=colour, mfc="white", label=f"original study, {condition.input}"
        )
        panel.axhline(0.5, color="0.7", lw=0.8, zorder=0)
        panel.set_title(_pair(condition), fontsize=9)
        panel.set_xticks(exponents, [f"$2^{{{exponent:.0f}}}$" for exponent in exponents], fontsize=8)
        panel.set_ylim(-0.02, 1.02)
        panel.tick_params(axis="y", labelsize=8)
        panel.set_xlabel("c", fontsize=8)
    panels[0].set_ylabel("area under the ROC curve", fontsize=8)
    part.suptitle("As published: what rounding alone does (mean and range of the copies)", fontsize=10)
    one_legend(part, panels[0], "", loc="outside lower center", ncols=4)


def _pair(condition: Condition) -> str:
    return " vs ".join(condition.pair)
