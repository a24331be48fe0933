"""The loss-only criterion B^Q beside B^EMD on the neuron calibrations (fig. bq-to-bemd-compare)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from scipy.special import ndtr

from rivals_paper.arrays import FloatArray
from rivals_paper.calibration_panels import (
    draw_neuron_curves,
    draw_original,
    one_legend,
    plain_ticks,
)
from rivals_paper.criteria import loss_only
from rivals_paper.experiments import Experiments
from rivals_paper.method import ALGORITHM
from rivals_paper.neuron_calibration import NAME as CALIBRATION
from rivals_paper.neuron_calibration_all import NOISES, of_noise, pooled
from rivals_paper.neuron_copies import between_runs, compare_with_copies, correlation, spread_of
from rivals_paper.neuron_runs import (
    C_MAIN,
    COUNT_ALL,
    COUNT_MAIN,
    MAIN,
    N_DATA,
    OTHER_EXPERIMENTS,
    WHAT_WAS_WRONG,
    experiments_of,
    n_truth,
    omega_of,
    original,
    power_of_two,
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
    published,
)
from rivals_paper.pyloric import conditions
from rivals_paper.records import (
    recorded,
    recorded_copies,
    recorded_copies_ratio,
    recorded_loss_only,
    recorded_ratio,
)
from rivals_paper.rules import valid_for
from rivals_paper.streams import stream
from rivals_paper.tracking import track

NAME = "loss-criterion"
DESCRIPTION = "The loss-only criterion B^Q beside B^EMD, on the six neuron calibrations"

# Curves that are drawn; the numbers have all.
SHOWN: Final = (2.0**-4, 1.0, 4.0)
BINS: Final = 16

READING = (
    "As the calibration curves, but for B^Q, how probably the first model's loss is the lower, "
    "with a tolerance c_Q. Each point is one of 16 bins of experiments; grey lines are "
    "the authors' own at c_Q = 1. Columns: B^Q as published, from losses on data that each model "
    "made itself; of the same experiments, from the observed losses, paired by data point as the "
    "paper's definition is not; likewise with both sets of constants; "
    "and B^EMD as published. B^EMD of the other variants is in the figure of the calibrations."
)
DIFFERENCES = [
    "B^Q was computed from the losses of each model on its own simulated data, paired by their "
    "place in time. It is then a function of the ratio of the fitted widths alone, the same for "
    "every c_Q up to a stretch of the axis. In the other variants: the losses of both models on "
    "the observed data, as the text says. A further row shows what this change alone does to the "
    "published experiments.",
    *WHAT_WAS_WRONG,
]

# The published experiments with this one change.
OBSERVED: Final = "as published, but observed losses"
Variants = dict[str, dict[str, Experiments]]


def make(task: Task) -> Reproduction:
    """Make the picture and the numbers, from the records, or of as many experiments as asked
    for.
    """
    criterion, copied = (
        _recorded() if task.experiments is None else _computed(task, task.experiments)
    )
    emd = experiments_of(task, CALIBRATION, MAIN, C_MAIN, COUNT_MAIN)
    numbers = {f"B^Q, {variant}": summaries(by) for variant, by in criterion.items()}
    numbers["tails of B^Q"] = {
        variant: {key: _tails(each) for key, each in by.items()}
        for variant, by in criterion.items()
    }
    numbers["tails of B^Q, original study"] = {
        each.key: _tails(original(each.key, "bq"), (0,)) for each in MAIN
    }
    numbers["tails of B^EMD"] = {
        variant: {key: _tails(each) for key, each in by.items()} for variant, by in emd.items()
    }
    numbers["valid c_Q"] = {
        variant: valid_for(by, C_MAIN, details=False) for variant, by in criterion.items()
    }
    if task.experiments is None:
        numbers["B^Q of observed losses, all 48 conditions"] = _all_conditions()
    return Reproduction(
        figure=_draw(criterion, emd),
        comparisons=copied["comparisons"] + _comparisons(criterion, copied["auc"]),
        numbers=numbers,
        settings={
            "source": "records" if task.experiments is None else "computed",
            "method": ALGORITHM,
            "experiments": len(emd[AS_PUBLISHED][MAIN[0].key].truth),
            "copies": len(copied["auc"][MAIN[0].key]),
            "c_Q": C_MAIN,
        },
    )


def synthetic_loss_only(ratio: FloatArray, tolerance: float) -> FloatArray:
    """B^Q as published: the expected one for losses on data of either Gaussian model, from
    ln(sigma_b / sigma_a) alone.

    The difference of the losses is (z_1² - z_2²) / 2 - ratio with standard normal z, and (z_1² -
    z_2²) / 2 is a product of two independent ones, u v. Given u, u v + eta is Gaussian with
    variance u² + tolerance²: B^Q = E_u ndtr(ratio / sqrt(u² + tolerance²)). With u = tolerance sinh
    t the integrand is smooth and falls off doubly exponentially, where the trapezoidal rule is
    exact to rounding.
    """
    t, step = np.linspace(0.0, np.arcsinh(9.0 / tolerance), 161, retstep=True)
    scale = tolerance * np.cosh(t)
    weight = scale * np.exp(-0.5 * (tolerance * np.sinh(t)) ** 2) * step * np.sqrt(2.0 / np.pi)
    weight[0] *= 0.5  # the integrand is even
    return np.asarray(ndtr(np.asarray(ratio)[..., None] / scale) @ weight)


# ---------------------------------------------------------------- experiments

Ratios = dict[str, list[FloatArray]]


def _recorded() -> tuple[Variants, dict[str, Any]]:
    """B^Q of all variants, and what copies of the published run say."""
    own = {each.key: recorded_ratio(AS_PUBLISHED, each.key) for each in MAIN}
    criterion = {
        AS_PUBLISHED: {
            key: _from_ratio(ratio, recorded(AS_PUBLISHED, key).truth) for key, ratio in own.items()
        }
    }
    for name, variant in (
        (OBSERVED, AS_PUBLISHED),
        *((variant, variant) for variant in VARIANTS[1:]),
    ):
        criterion[name] = {each.key: recorded_loss_only(variant, each.key) for each in MAIN}
    ratios = {each.key: recorded_copies_ratio(each.key) for each in MAIN}
    truths = {each.key: [copy.truth for copy in recorded_copies(each.key)] for each in MAIN}
    return criterion, of_copies(ratios, truths)


def _computed(task: Task, count: int) -> tuple[Variants, dict[str, Any]]:
    """The same for `count` experiments, simulated here, and one copy."""
    criterion: Variants = {variant: {} for variant in (AS_PUBLISHED, OBSERVED, *VARIANTS[1:])}
    ratios = {}
    for variant in VARIANTS:
        for number, condition in enumerate(MAIN):
            what = f"{variant}, {condition.key}"
            rows = [
                _experiment(
                    omega_of(variant, condition),
                    variant,
                    stream(task.seed, 5, number, index),
                    index,
                )
                for index in track(range(count), what, task.progress)
            ]
            observed, ratio, truth = (np.array(each) for each in zip(*rows, strict=True))
            criterion[OBSERVED if variant == AS_PUBLISHED else variant][condition.key] = (
                Experiments(observed, truth)
            )
            if variant == AS_PUBLISHED:
                ratios[condition.key] = [ratio]
                criterion[variant][condition.key] = _from_ratio(ratio, truth)
    return criterion, of_copies(
        ratios, {key: [each.truth] for key, each in criterion[AS_PUBLISHED].items()}
    )


def _experiment(
    omega: Any, variant: str, rng: np.random.Generator, index: int
) -> tuple[list[float], float, float]:
    """B^Q of the observed losses at every c_Q, ln(sigma_b / sigma_a), and whether the first model
    is better.
    """
    # As published, the random numbers are the original ones, which go by the index.
    experiment = omega(rng, index) if variant == AS_PUBLISHED else omega(rng)
    data = experiment.observe(N_DATA, rng)
    first, second = (
        experiment.candidates(data) if callable(experiment.candidates) else experiment.candidates
    )
    losses = first.loss(data), second.loss(data)
    new = experiment.observe(n_truth(variant), rng)
    return (
        [loss_only(*losses, tolerance=c).value for c in C_MAIN],
        float(np.log(second.sigma / first.sigma)),
        float(first.loss(new).mean() < second.loss(new).mean()),
    )


def _all_conditions() -> dict[str, Any]:
    """B^Q of the observed losses, and for how many of the conditions of each noise it is valid."""
    found = {}
    for variant in VARIANTS:
        by = {
            each.key: recorded_loss_only(variant, each.key).first(COUNT_ALL)
            for each in conditions()
        }
        found[variant] = {
            noise: summary(pooled(by, noise))
            | {"valid c_Q": valid_for(of_noise(by, noise), C_MAIN, details=False)}
            for noise in NOISES
        }
    return found


def _from_ratio(ratio: FloatArray, truth: FloatArray) -> Experiments:
    return Experiments(np.stack([synthetic_loss_only(ratio, c) for c in C_MAIN], axis=1), truth)


# ---------------------------------------------------------------- beside the published ones


def of_copies(ratios: Ratios, truths: Mapping[str, Sequence[FloatArray]]) -> dict[str, Any]:
    """What copies of the published run say: their AUC, and the original run as one more of them."""
    stored = published("neuron_calibration")["conditions"]
    rows = []
    found = {}
    for condition in MAIN:
        key, theirs = condition.key, original(condition.key, "bq")
        ours = [_from_ratio(*each) for each in zip(ratios[key], truths[key], strict=True)]
        count = len(ours[0].truth)
        found[key] = [[each.auc(column)[0] for column in range(len(C_MAIN))] for each in ours]
        for column, c in enumerate(C_MAIN):
            # Of fewer experiments only one c_Q is known; the order of the experiments is the same
            # for all.
            area = (
                stored[key]["auc_bq"][column]
                if count == COUNT_MAIN
                else theirs.first(count).auc(0)[0]
            )
            rows.append(
                compare_with_copies(_what(key, c), area, [each[column] for each in found[key]])
            )
        for end, name in ((0, "lowest"), (-1, "highest")):
            rows.append(
                compare_with_copies(
                    f"{key}: part in which the first model is better, bin of {name} B^Q at c_Q = "
                    "2^0",
                    float(theirs.first(count).curve(0)[1][end]),
                    [each.curve(C_MAIN.index(1.0))[1][end] for each in ours],
                )
            )
        known = np.array(stored[key]["log_sigma_ratio"], dtype=float)[:count]
        finite = np.isfinite(known)
        same = [each[: known.size][finite] for each in ratios[key]]
        if len(same) > 1:
            what = f"{key}: correlation of ln(sigma_b / sigma_a) between runs"
            rows.append(between_runs(what, known[finite], same, correlation))
    return {"comparisons": rows, "auc": found}


def _comparisons(criterion: Variants, copied: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [
        _otherwise(
            _what(each.key, c),
            variant,
            criterion[variant][each.key].auc(column),
            original(each.key, "bq"),
            np.array(copied[each.key])[:, column],
        )
        for each in MAIN
        for column, c in enumerate(C_MAIN)
        for variant in VARIANTS[1:]
    ]


def _what(key: str, c: float) -> str:
    return f"{key}: AUC of B^Q at c_Q = {power_of_two(c)}"


def _otherwise(
    what: str, variant: str, found: tuple[float, float], theirs: Experiments, copies: FloatArray
) -> dict[str, Any]:
    area, error = found
    theirs_area, theirs_error = theirs.auc(0)
    total = float(
        np.sqrt(error**2 + theirs_error**2 + (spread_of(copies) ** 2 if copies.size > 1 else 0.0))
    )
    return comparison(
        what,
        variant=variant,
        reference=theirs_area,
        source=IN_FILES,
        ours=area if np.isfinite(area) else None,
        standard_error=total if np.isfinite(total) and total > 0 else None,
        explanation=f"{OTHER_EXPERIMENTS[variant]} B^Q is that of the observed losses.",
    )


def _tails(each: Experiments, columns: Sequence[int] = range(len(C_MAIN))) -> list[list[float]]:
    """For each c, the truth in the bins of lowest and highest criterion, and the part of bins that
    lie between 0.05 and 0.95.
    """
    found = []
    for column in columns:
        observed = each.curve(column)[1]
        between = np.mean((observed > 0.05) & (observed < 0.95))
        found.append([round(float(value), 4) for value in (observed[0], observed[-1], between)])
    return found


# ---------------------------------------------------------------- picture


def _draw(criterion: Variants, emd: Variants) -> Any:
    """For two columns: 183 mm."""
    columns = {f"$B^Q$\n{variant}": by for variant, by in criterion.items()}
    columns[f"$B^{{EMD}}$\n{AS_PUBLISHED}"] = emd[AS_PUBLISHED]
    figure: Any = new_figure(7.2, 8.4)
    axes = figure.subplots(len(MAIN), len(columns), squeeze=False)
    for j, (name, by) in enumerate(columns.items()):
        for i, condition in enumerate(MAIN):
            panel = axes[i, j]
            each = by[condition.key].at([C_MAIN.index(c) for c in SHOWN])
            draw_neuron_curves(panel, each, SHOWN, size=3.5, line=0.8, bins=BINS)
            if j == 0:
                theirs = original(condition.key, "bq")
                draw_original(panel, theirs, 0, "authors, $2^0$", bins=BINS)
                label = f"{' vs '.join(condition.pair)}\n{condition.input}"
                panel.set_ylabel(label, fontsize=9)
            panel.set_aspect("auto")
            plain_ticks(panel, left=j == 0, bottom=i == len(MAIN) - 1)
        title = name.replace("constants as", "constants\nas").replace(", but", ",\nbut")
        axes[0, j].set_title(title, fontsize=8)
    figure.supxlabel("criterion: stated probability that the first model is better", fontsize=9)
    figure.supylabel("part of experiments in which it is", fontsize=9)
    one_legend(
        figure, axes[0, 0], "$c_Q$ of $B^Q$, c of $B^{EMD}$", loc="outside upper center", ncols=4
    )
    return figure
