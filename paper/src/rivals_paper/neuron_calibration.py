"""Calibration of c for the neuron models, six main conditions (fig. prinz calibrations)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import Any

import numpy as np

from rivals_paper.arrays import FloatArray
from rivals_paper.bins import judge_c
from rivals_paper.calibration_panels import (
    draw_neuron_curves,
    draw_original,
    one_legend,
    plain_ticks,
)
from rivals_paper.experiments import Experiments
from rivals_paper.gpu.records import ask
from rivals_paper.method import ALGORITHM
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
from rivals_paper.records import (
    LAWS,
    recorded_copies,
    recorded_drift,
    recorded_fresh,
    recorded_long,
    replicated,
)
from rivals_paper.rules import valid_for

NAME = "neuron-calibration"
DESCRIPTION = "Calibration of c for the neuron models: six epistemic distributions"

# Curves that are drawn, of the range that the paper calls valid; the numbers have all.
SHOWN = (2.0**-4, 2.0**-2, 1.0)
BINS = 16

READING = (
    "Curves: each point is a bin of 128 experiments, how probable it was said to be that the first "
    "model has the lower risk (across), and how often it has (up). On the diagonal both agree; in "
    "the red and yellow areas, where the paper's bound is broken, the criterion is overconfident. "
    "Grey: the authors' own experiments at c = 2^-2. Columns: as published; recordings with "
    "rounding errors of their own, widths fitted on another recording, truth from fresh "
    "recordings, with the published constants of the circuit; and with the documented ones. "
    "Below: of the winners named beyond 0.95, the part that fails (5 % are allowed); the part "
    "of the experiments in which one is named; and the bins, of 16, that break the paper's bound "
    "by more than 0.05, beyond chance."
)
DIFFERENCES = WHAT_WAS_WRONG

# Why B differs more between runs of the original study than between ours.
FEW_PATHS = (
    "The original B come from 128 paths of each model (more at large c only), which gives them a "
    "Monte Carlo error of up to 0.036; ours have next to none."
)
OTHER_VERSIONS = (
    f"{FEW_PATHS} The shorter of the two original runs also agrees less with the longer one than "
    "two copies agree with each other; the longer one is like the copies. They were made at "
    "different times, perhaps with other versions or on another machine; the files do not say."
)

Copies = dict[str, list[Experiments]]
Variants = dict[str, dict[str, Experiments]]


def make(task: Task) -> Reproduction:
    """Make the picture and the numbers, from the records.

    Experiments asked for are computed and added to those in the stores.
    """
    experiments = experiments_of(task, NAME, MAIN, C_MAIN, COUNT_MAIN)
    copied = summary_of_copies(NAME, task, of_copies)
    numbers: dict[str, Any] = {variant: summaries(by) for variant, by in experiments.items()}
    numbers["copies which differ by rounding alone"] = copied["numbers"]
    numbers["valid c"] = _validity(experiments, recorded=task.experiments is None)
    if task.experiments is None:
        numbers["length of the truth"] = _length_of_the_truth()
        numbers["out of step"] = _out_of_step()
        numbers["copies: wrong and stated"] = _verdicts_of_copies()
        numbers["truth is a replication"] = _replications()
    return Reproduction(
        figure=_draw(experiments),
        comparisons=copied["comparisons"] + _comparisons(experiments, copied["numbers"]),
        numbers=numbers,
        settings={
            "source": "records" if task.experiments is None else "computed",
            "method": ALGORITHM,
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
    """For which conditions each c is valid.

    Original study, each copy, the other variants, and the other law.
    """
    found: dict[str, Any] = {
        "original study": valid_for({each.key: original(each.key) for each in MAIN}, C_MAIN)
    }
    found |= {variant: valid_for(by, C_MAIN) for variant, by in experiments.items()}
    if recorded:
        for variant, law in product(VARIANTS, LAWS):
            by = recorded_at_all_c(variant, MAIN, COUNT_MAIN, law)
            found[f"{variant}, method {law}, all c that were tried"] = valid_for(by, all_c())
    return found


def _valid_in_copies(copies: Copies) -> dict[str, list[int]]:
    number = len(copies[MAIN[0].key])
    rows = [
        valid_for({key: each[copy] for key, each in copies.items()}, C_MAIN)
        for copy in range(number)
    ]
    return {f"{c:g}": [_not_rejected(row[f"{c:g}"]) for row in rows] for c in C_MAIN}


def _not_rejected(row: dict[str, Any]) -> int:
    """Conditions that the rule on named winners lets pass, those that name none included."""
    return int(row["valid"] + row["says nothing"])


def _length_of_the_truth() -> dict[str, dict[str, Any]]:
    """Part of the experiments in which 16 384 ms of one recording name the same better model as
    fresh recordings as long as the data; and as one of these does.
    """
    found: dict[str, dict[str, Any]] = {}
    for variant in VARIANTS[1:]:
        found[variant] = {}
        for condition in MAIN:
            fresh = recorded_fresh(variant, condition.key)
            long = recorded_long(variant, condition.key)
            found[variant][condition.key] = {
                "long and fresh agree": round(
                    float(np.mean((long < 0) == (fresh.mean(axis=1) < 0))), 4
                ),
                "one fresh and the others agree": round(
                    float(np.mean((fresh[:, 0] < 0) == (fresh[:, 1:].mean(axis=1) < 0))), 4
                ),
            }
    return found


def _out_of_step() -> dict[str, Any]:
    """Why a long recording can name the other model: how well models keep step, in mV.

    Residuals (median over experiments of the root mean square) of the cell that made the data and
    of the other one, in the recording to which widths were fitted, and at the beginning and the end
    of a long one; and how often the true cell is better there, with the widths as fitted, and with
    widths fitted to the long recording itself.
    """
    found = {}
    for condition in MAIN:
        fit, long = recorded_drift(condition.key)
        first = true_cell_is_first(condition, len(fit))
        order = np.where(first[:, None], [[0, 1]], [[1, 0]])
        own = np.take_along_axis(fit, order, axis=1)
        windows = np.take_along_axis(long, order[..., None], axis=1)
        whole = windows.mean(axis=2)
        risk = whole / (2 * own) + 0.5 * np.log(own)
        parts = {
            "fitted": own,
            "first second": windows[..., 0],
            "fifth second": windows[..., 4],
            "last second": windows[..., -1],
        }
        found[condition.key] = {
            "residuals of the true cell and of the other, mV": {
                name: np.round(np.sqrt(np.median(each, axis=0)), 2) for name, each in parts.items()
            },
            "true cell better, widths as fitted": _part(risk[:, 0] < risk[:, 1]),
            "true cell better, widths of the long recording": _part(whole[:, 0] < whole[:, 1]),
        }
    return found


def _verdicts_of_copies() -> dict[str, Any]:
    """Winners named beyond 0.95, and wrong ones among them: in each copy, and by the authors."""
    found: dict[str, Any] = {}
    for condition in MAIN:
        copies = recorded_copies(condition.key)
        theirs = original(condition.key).first(len(copies[0].truth))
        found[condition.key] = {}
        for column, c in enumerate(C_MAIN):
            ours = [each.verdicts(column) for each in copies]
            same = theirs.verdicts(column)
            found[condition.key][f"{c:g}"] = {
                "stated": np.round([each.stated for each in ours], 4),
                "wrong": np.round([each.wrong for each in ours], 4),
                "stated by the authors": round(same.stated, 4),
                "wrong by the authors": round(same.wrong, 4),
            }
    return found


def _replications() -> dict[str, Any]:
    """Both truths beside each other: both rules, and how often they name the same better model."""
    found: dict[str, Any] = {}
    for variant, law in product(VARIANTS[1:], LAWS):
        by = {condition.key: replicated(variant, condition.key, law=law) for condition in MAIN}
        found[f"{variant}, method {law}"] = {
            name: valid_for({key: each[name] for key, each in by.items()}, C_MAIN)
            for name in ("same process", "replication")
        }
    for variant in VARIANTS[1:]:
        found[f"{variant}, both truths agree"] = {}
        found[f"{variant}, true cell better"] = {}
        for condition in MAIN:
            same, other = replicated(variant, condition.key).values()
            first = true_cell_is_first(condition, len(same.truth))
            both = [_part((each.truth > 0.5) == first) for each in (same, other)]
            agree = _part(same.truth == other.truth)
            found[f"{variant}, both truths agree"][condition.key] = agree
            found[f"{variant}, true cell better"][condition.key] = both
    return found


def true_cell_is_first(condition: Condition, count: int) -> Any:
    """Whether the first model made the data, in experiments that are not those of the study."""
    cells = [ask(condition, index, "published").drawn.cell for index in range(count)]
    return np.array([cell == condition.cells[0] for cell in cells])


def _part(which: Any) -> float:
    return round(float(np.mean(which)), 4)


# ---------------------------------------------------------------- beside the published ones


def _comparisons(experiments: Variants, copied: dict[str, Any]) -> list[dict[str, Any]]:
    rows = []
    for condition in MAIN:
        for variant in VARIANTS[1:]:
            areas = np.array(copied[condition.key]["auc"])
            rows += _otherwise(condition, variant, experiments[variant][condition.key], areas)
    return rows


def of_copies(copies: Copies) -> dict[str, Any]:
    """What copies of the published run say.

    Their ranges, and the original run as one more of them.
    """
    rows = []
    for condition in MAIN:
        rows += _as_published(condition, copies[condition.key], _same(condition, copies))
    theirs = valid_for({each.key: _same(each, copies) for each in MAIN}, C_MAIN)
    rows += [
        compare_with_copies(
            f"number of the six conditions that do not reject c = {power_of_two(c)}",
            _not_rejected(theirs[f"{c:g}"]),
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
            compare_with_copies(
                f"{key}: winners named beyond 0.95 {at}",
                theirs.verdicts(column).stated,
                [each.verdicts(column).stated for each in copies],
            ),
            compare_with_copies(
                f"{key}: wrong ones among them {at}",
                theirs.verdicts(column).wrong,
                [each.verdicts(column).wrong for each in copies],
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
    """How alike two runs of the original study were, in 512 experiments, beside all pairs of our
    copies, in as many as these have.
    """
    known = published("neuron_calibration")["conditions"][key]["run_to_run"]
    number = len(copies)

    def row(
        what: str, theirs: float, ours: list[FloatArray], alike: Callable[..., float]
    ) -> dict[str, Any]:
        pairs = np.array([alike(one[:512], other[:512]) for one, other in combinations(ours, 2)])
        # Pairs of copies are not independent: their mean is no better known than that of as many
        # numbers as there are copies.
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
        column = C_MAIN.index(float(c))
        at = f"at c = {power_of_two(c)}"
        ours = [each.probability[:, column] for each in copies]
        rows.append(row(f"correlation of B {at}", related, ours, correlation))
        rows.append(row(f"median difference of B {at}", middle, ours, median_difference))
    return rows


def _otherwise(
    condition: Condition, variant: str, ours: Experiments, areas: FloatArray
) -> list[dict[str, Any]]:
    """A corrected variant beside the original study.

    Other experiments, so that both have a sampling error.
    """
    rows = []
    theirs = original(condition.key)
    for column, c in enumerate(C_MAIN):
        rounding = spread_of(areas[:, column]) if len(areas) > 1 else 0.0
        (area, error) = ours.auc(column)
        (theirs_area, theirs_error) = theirs.auc(column)
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
    figure: Any = new_figure(7.2, 12.4)
    upper, lower = figure.subfigures(2, 1, height_ratios=(7.2, 5.2))
    axes = upper.subplots(len(MAIN), len(experiments), squeeze=False)
    for column, (variant, by) in enumerate(experiments.items()):
        for row, condition in enumerate(MAIN):
            panel = axes[row, column]
            each = by[condition.key].at([C_MAIN.index(c) for c in SHOWN])
            draw_neuron_curves(panel, each, SHOWN, size=3.5, line=1.0, bins=BINS)
            if variant == AS_PUBLISHED:
                theirs = original(condition.key)
                draw_original(panel, theirs, C_MAIN.index(0.25), "authors, $2^{-2}$", bins=BINS)
                panel.set_ylabel(f"{_pair(condition)}\n{condition.input} input", fontsize=9)
            panel.set_aspect("auto")
            plain_ticks(panel, left=column == 0, bottom=row == len(MAIN) - 1)
        axes[0, column].set_title(variant, fontsize=9)
    upper.supxlabel("stated probability $B$ that the first model is better", fontsize=9)
    upper.supylabel("part of the experiments in which it is", fontsize=9)
    one_legend(upper, axes[0, 0], "c", loc="outside upper center", ncols=4, columnspacing=1)
    _draw_rules(lower, experiments)
    return figure


def _draw_rules(part: Any, experiments: Variants) -> None:
    """Against c, in each variant: failed winners, named winners, bins that break the bound."""
    panels = part.subplots(3, len(experiments), sharex=True, sharey="row")
    colours = ("#D55E00", "#0072B2", "#009E73")
    pairs = dict.fromkeys(each.pair for each in MAIN)
    looks = dict(zip(pairs, colours, strict=False))
    at = np.log2(C_MAIN)
    for column, (variant, by) in enumerate(experiments.items()):
        for condition in MAIN:
            each = by[condition.key]
            found = [each.verdicts(k) for k in range(len(C_MAIN))]
            broken = [
                judge_c(each.probability[:, k], each.truth).curve.broken for k in range(len(C_MAIN))
            ]
            style = {
                "color": looks[condition.pair],
                "ls": "-" if condition.input == "weak" else "--",
                "marker": "o",
                "ms": 3,
                "lw": 1,
            }
            label = f"{_pair(condition)}, {condition.input}"
            panels[0, column].plot(at, [one.wrong for one in found], label=label, **style)
            panels[1, column].plot(at, [one.stated for one in found], **style)
            panels[2, column].plot(at, broken, **style)
        panels[0, column].axhline(0.05, color="0.5", lw=0.8, ls=":")
        panels[0, column].set(ylim=(-0.02, 0.55))
        panels[0, column].set_title(variant, fontsize=9)
        panels[1, column].set(ylim=(-0.03, 1.03))
        panels[2, column].set(ylim=(-0.5, 16.5), yticks=(0, 8, 16))
        panels[2, column].set_xticks(at, [f"$2^{{{k:.0f}}}$" for k in at])
        panels[2, column].set_xlabel("c", fontsize=9)
    for panel in panels.flat:
        panel.tick_params(labelsize=8)
    panels[0, 0].set_ylabel("failed among\nthe named", fontsize=9)
    panels[1, 0].set_ylabel("winner\nnamed", fontsize=9)
    panels[2, 0].set_ylabel("bins beyond\nthe bound", fontsize=9)
    one_legend(part, panels[0, 0], "", loc="outside lower center", ncols=3, columnspacing=1)


def _pair(condition: Condition) -> str:
    return " vs ".join(condition.pair)
