"""Calibration of c for the neuron models, six main conditions (fig. prinz calibrations)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np

from rivals_paper.arrays import FloatArray
from rivals_paper.calibration_panels import (
    draw_neuron_curves,
    draw_original,
    one_legend,
    plain_ticks,
)
from rivals_paper.experiments import Experiments
from rivals_paper.neuron_copies import (
    agreement,
    between_runs,
    compare_with_copies,
    correlation,
    distance,
    median_difference,
    spread_of,
    summary_of_copies,
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
from rivals_paper.output import (
    AS_PUBLISHED,
    IN_FILES,
    VARIANTS,
    Reproduction,
    Task,
    comparison,
    new_figure,
    published,
)
from rivals_paper.pyloric import Condition
from rivals_paper.records import LAWS, recorded_fresh, recorded_long

NAME = "neuron-calibration"
DESCRIPTION = "Calibration of c for the neuron models: six epistemic distributions"

READING = (
    "Curves: each point is a bin of experiments, how probable it was said to be that the first model has the lower risk (across), and how often it has (up). On the "
    "diagonal both agree; in the red and yellow areas the criterion is overconfident. Grey: the original study at c = 2^-2. Rows: as published; recordings with rounding errors of "
    "their own, widths fitted on another recording, truth from fresh recordings, with the published constants of the circuit; and with the documented ones. Below: of the winners stated beyond "
    "0.95, the part that is wrong, and the part of the experiments in which one is stated; 5 % are allowed."
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
    copied = summary_of_copies(NAME, task, of_copies)
    numbers: dict[str, Any] = {variant: summaries(by) for variant, by in experiments.items()}
    numbers["copies which differ by rounding alone"] = copied["numbers"]
    numbers["valid c"] = _validity(experiments, recorded=task.experiments is None)
    if task.experiments is None:
        numbers["length of the truth"] = _length_of_the_truth()
    return Reproduction(
        figure=_draw(experiments),
        comparisons=copied["comparisons"] + _comparisons(experiments, copied["numbers"]),
        numbers=numbers,
        settings={
            "source": "records" if task.experiments is None else "computed",
            "experiments": len(experiments[AS_PUBLISHED][MAIN[0].key].truth),
            "copies": len(copied["numbers"][MAIN[0].key]["auc"]),
            "experiments of each copy": copied["experiments"],
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
            "generator is better": np.round(
                [_generator(condition, each) for each in copies[condition.key]], 4
            ),
            "original generator is better": round(
                _generator(condition, _same(condition, copies)), 4
            ),
            "first is better": np.round([each.truth.mean() for each in copies[condition.key]], 4),
            "original first is better": round(float(_same(condition, copies).truth.mean()), 4),
        }
        for condition in MAIN
    }


def _validity(experiments: Variants, recorded: bool) -> dict[str, Any]:
    """For which conditions each c is valid: original study, each copy, the other variants, and the other law."""
    found: dict[str, Any] = {
        "original study": valid_for({each.key: original(each.key) for each in MAIN}, C_MAIN)
    }
    found |= {variant: valid_for(by, C_MAIN) for variant, by in experiments.items()}
    if recorded:
        for variant, law in product(VARIANTS, LAWS):
            by = recorded_at_all_c(variant, MAIN, COUNT_MAIN, law)
            found[f"{variant}, law {law}, all c that were tried"] = valid_for(by, all_c())
    return found


def _valid_in_copies(copies: Copies) -> dict[str, list[int]]:
    number = len(copies[MAIN[0].key])
    rows = [
        valid_for({key: each[copy] for key, each in copies.items()}, C_MAIN)
        for copy in range(number)
    ]
    return {f"{c:g}": [row[f"{c:g}"]["valid"] for row in rows] for c in C_MAIN}


def _length_of_the_truth() -> dict[str, dict[str, Any]]:
    """Part of the experiments in which 16 384 ms of one recording name the same better model as fresh recordings as long as the data; and as one of these does."""
    found: dict[str, dict[str, Any]] = {}
    for variant in VARIANTS[1:]:
        found[variant] = {}
        for condition in MAIN:
            fresh, long = (
                recorded_fresh(variant, condition.key),
                recorded_long(variant, condition.key),
            )
            found[variant][condition.key] = {
                "long and fresh agree": round(
                    float(np.mean((long < 0) == (fresh.mean(axis=1) < 0))), 4
                ),
                "one fresh and the others agree": round(
                    float(np.mean((fresh[:, 0] < 0) == (fresh[:, 1:].mean(axis=1) < 0))), 4
                ),
            }
    return found


# ---------------------------------------------------------------- beside the published ones


def _comparisons(experiments: Variants, copied: dict[str, Any]) -> list[dict[str, Any]]:
    rows = []
    for condition in MAIN:
        for variant in VARIANTS[1:]:
            areas = np.array(copied[condition.key]["auc"])
            rows += _otherwise(condition, variant, experiments[variant][condition.key], areas)
    return rows


def of_copies(copies: Copies) -> dict[str, Any]:
    """What copies of the published run say: their ranges, and the original run as one more of them."""
    rows = []
    for condition in MAIN:
        rows += _as_published(condition, copies[condition.key], _same(condition, copies))
    theirs = valid_for({each.key: _same(each, copies) for each in MAIN}, C_MAIN)
    rows += [
        compare_with_copies(
            f"number of the six conditions for which c = {power_of_two(c)} is valid",
            theirs[f"{c:g}"]["valid"],
            ours,
        )
        for c, ours in zip(C_MAIN, _valid_in_copies(copies).values(), strict=True)
    ]
    count = len(copies[MAIN[0].key][0].truth)
    return {"comparisons": rows, "numbers": _copies_in_numbers(copies), "experiments": count}


def _as_published(
    condition: Condition, copies: Sequence[Experiments], theirs: Experiments
) -> list[dict[str, Any]]:
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
        between_runs(
            f"{key}: truth agrees between runs",
            theirs.truth,
            [each.truth for each in copies],
            agreement,
        ),
    ]
    for column, c in enumerate(C_MAIN):
        at = f"at c = {power_of_two(c)}"
        rows += [
            compare_with_copies(
                f"{key}: AUC {at}", theirs.auc(column)[0], [each.auc(column)[0] for each in copies]
            ),
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
            between_runs(
                f"{key}: {name} of B between runs {at}",
                theirs.probability[:, column],
                ours,
                alike,
                FEW_PATHS,
            )
            for name, alike in (
                ("correlation", correlation),
                ("median difference", median_difference),
            )
        ]
    return rows + _two_original_runs(key, copies)


def _two_original_runs(key: str, copies: Sequence[Experiments]) -> list[dict[str, Any]]:
    """How alike two runs of the original study were, in 512 experiments, beside all pairs of our copies."""
    known = published("neuron_calibration")["conditions"][key]["run_to_run"]
    number = len(copies)

    def row(
        what: str, theirs: float, ours: list[FloatArray], alike: Callable[..., float]
    ) -> dict[str, Any]:
        pairs = np.array([alike(one[:512], other[:512]) for one, other in combinations(ours, 2)])
        # Pairs of eight copies are not independent: their mean is no better known than that of eight numbers.
        error = float(pairs.std(ddof=1) * np.sqrt(1 + 1 / number))
        return comparison(
            f"{key}: {what} (two runs of the original study; ours: mean of pairs of copies)",
            variant=AS_PUBLISHED,
            reference=theirs,
            source=IN_FILES,
            ours=float(pairs.mean()) if np.isfinite(pairs).all() else None,
            standard_error=error if error > 0 else None,
            explanation=OTHER_VERSIONS,
        )

    rows = [row("truth agrees", known["Bepis_agree"], [each.truth for each in copies], agreement)]
    for c, related, middle in zip(
        known["c"], known["Bemd_corr"], known["Bemd_median_absdiff"], strict=True
    ):
        column, at = C_MAIN.index(float(c)), f"at c = {power_of_two(c)}"
        ours = [each.probability[:, column] for each in copies]
        rows.append(row(f"correlation of B {at}", related, ours, correlation))
        rows.append(row(f"median difference of B {at}", middle, ours, median_difference))
    return rows


def _otherwise(
    condition: Condition, variant: str, ours: Experiments, areas: FloatArray
) -> list[dict[str, Any]]:
    """A corrected variant beside the original study: other experiments, so that both have a sampling error."""
    rows, theirs = [], original(condition.key)
    for column, c in enumerate(C_MAIN):
        rounding = spread_of(areas[:, column]) if len(areas) > 1 else 0.0
        (area, error), (theirs_area, theirs_error) = ours.auc(column), theirs.auc(column)
        total = float(np.sqrt(error**2 + theirs_error**2 + rounding**2))
        rows.append(
            comparison(
                f"{condition.key}: AUC at c = {power_of_two(c)}",
                variant=variant,
                reference=theirs_area,
                source=IN_FILES,
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


def _draw(experiments: Variants) -> Any:
    """For two columns: 183 mm."""
    figure: Any = new_figure(7.2, 8.6)
    upper, lower = figure.subfigures(2, 1, height_ratios=(5.2, 3.4))
    axes = upper.subplots(len(experiments), len(MAIN))
    for row, (variant, by) in enumerate(experiments.items()):
        for column, condition in enumerate(MAIN):
            panel = axes[row, column]
            if variant == AS_PUBLISHED:
                draw_original(
                    panel, original(condition.key), C_MAIN.index(0.25), "original study, $2^{-2}$"
                )
                panel.set_title(f"{_pair(condition)}\n{condition.input} input", fontsize=8)
            draw_neuron_curves(panel, by[condition.key], C_MAIN, size=2.5, line=0.6)
            plain_ticks(panel, left=column == 0, bottom=row == len(experiments) - 1)
        axes[row, 0].set_ylabel(_in_lines(variant), fontsize=8)
    upper.supxlabel("stated probability $B$ that the first model is better", fontsize=8)
    one_legend(upper, axes[0, 0], "c", loc="outside upper center", ncols=7, columnspacing=1)
    _draw_errors(lower, experiments)
    return figure


def _draw_errors(part: Any, experiments: Variants) -> None:
    """Of each variant, the part of the stated winners that is wrong (above), and how often one is stated, against c."""
    panels = part.subplots(2, len(experiments), sharex=True, sharey="row")
    looks = dict(
        zip(
            dict.fromkeys(each.pair for each in MAIN),
            ("#D55E00", "#0072B2", "#009E73"),
            strict=True,
        )
    )
    for column, (variant, by) in enumerate(experiments.items()):
        for condition in MAIN:
            found = [by[condition.key].verdicts(k) for k in range(len(C_MAIN))]
            style = {
                "color": looks[condition.pair],
                "ls": "-" if condition.input == "weak" else "--",
                "marker": "o",
                "ms": 2.5,
                "lw": 1,
            }
            label = f"{_pair(condition)}, {condition.input}"
            panels[0, column].plot(
                np.log2(C_MAIN), [each.wrong for each in found], label=label, **style
            )
            panels[1, column].plot(np.log2(C_MAIN), [each.stated for each in found], **style)
        panels[0, column].axhline(0.05, color="0.5", lw=0.8, ls=":")
        panels[0, column].set(title=variant, ylim=(-0.02, 0.55))
        panels[0, column].title.set_fontsize(8)
        panels[1, column].set_xticks(np.log2(C_MAIN), [f"$2^{{{np.log2(c):.0f}}}$" for c in C_MAIN])
        panels[1, column].set(ylim=(-0.03, 1.03))
        panels[1, column].set_xlabel("c", fontsize=8)
    for panel in panels.flat:
        panel.tick_params(labelsize=8)
    panels[0, 0].set_ylabel("stated winners\nthat are wrong", fontsize=8)
    panels[1, 0].set_ylabel("experiments with\na stated winner", fontsize=8)
    one_legend(part, panels[0, 0], "", loc="outside lower center", ncols=6, columnspacing=1)


def _in_lines(variant: str) -> str:
    return variant.replace(" as ", "\nas ")


def _pair(condition: Condition) -> str:
    return " vs ".join(condition.pair)
