"""Calibration of c for the neuron models, six main conditions (fig. prinz calibrations)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from rivals._random import entropy_from
from rivals.paper.neuron_runs import (
    C_MAIN,
    DIFFERENCES,
    MAIN,
    N_DATA,
    N_TRUTH,
    Experiments,
    FloatArray,
    by_condition,
    compact,
    generator_is_first,
    original,
    run_conditions,
)
from rivals.paper.output import AS_PUBLISHED, CORRECTED, comparison, new_figure, published, write
from rivals.paper.registry import RNGLike

NAME = "neuron-calibration"
DESCRIPTION = "Calibration of c for the neuron models: six epistemic distributions"

EXPERIMENTS = 128
EXPERIMENTS_CORRECTED = 128
COLOURS = ("#000000", "#0072B2", "#009E73", "#E69F00", "#D55E00", "#CC79A7")
MARKERS = ("o", "s", "^", "D", "v", "P")

READING = (
    "Each point is a bin of experiments: how probable it was said to be that the first model has the lower risk, and how "
    "often it has. On the diagonal both agree; in the shaded area the criterion is overconfident. Small grey points: the "
    "original study, c = 2^-2, N = 2048."
)


def run(out: Path, *, experiments: int | None, rng: RNGLike, progress: bool) -> dict[str, Any]:
    """Write the picture and the numbers. More experiments are added to those in the stores beside them."""
    entropy = entropy_from(rng)
    sizes = {
        AS_PUBLISHED: EXPERIMENTS if experiments is None else experiments,
        CORRECTED: EXPERIMENTS_CORRECTED if experiments is None else experiments,
    }
    calibrations = {
        variant: run_conditions(
            MAIN,
            variant,
            c=C_MAIN,
            experiments=size,
            entropy=entropy,
            store=out / f"{NAME}-{variant.replace(' ', '-')}.sqlite",
            progress=progress,
        )
        for variant, size in sizes.items()
    }
    found = {variant: by_condition(calibration) for variant, calibration in calibrations.items()}
    numbers: dict[str, Any] = {
        variant: {
            "summary": {key: summary(each) for key, each in by.items()},
            "valid c": str(calibrations[variant].valid_c()),
            "records": compact(by),
        }
        for variant, by in found.items()
    }
    return write(
        out,
        NAME,
        figure=_draw(found),
        reading=READING,
        differences=DIFFERENCES,
        comparisons=_comparisons(found),
        numbers=numbers,
        settings={
            "seed": entropy,
            "experiments": sizes,
            "c": C_MAIN,
            "n_data": N_DATA,
            "n_truth": N_TRUTH,
        },
    )


def summary(each: Experiments) -> dict[str, Any]:
    """What a condition comes to: truth, AUC, overconfidence, and how many probabilities are all but certain."""
    places = range(each.probability.shape[1])
    return {
        "mean truth": each.truth.mean(),
        "auc": [each.auc(place)[0] for place in places],
        "mean excess confidence": [each.excess(place) for place in places],
        "share beyond 0.01 and 0.99": [
            float(np.mean(np.abs(each.probability[:, place] - 0.5) > 0.49)) for place in places
        ],
        "right side": [float(np.mean((each.probability[:, place] > 0.5) == (each.truth > 0.5))) for place in places],
    }


def _comparisons(found: dict[str, dict[str, Experiments]]) -> list[dict[str, Any]]:
    stored = published("neuron_calibration")["conditions"]
    rows = []
    for condition in MAIN:
        theirs, key = original(condition.key), condition.key
        for variant, by in found.items():
            ours = by[key]
            for place, c in enumerate(C_MAIN):
                area, error = ours.auc(place)
                rows.append(
                    comparison(
                        f"{key}: AUC at c = 2^{np.log2(c):.0f}",
                        variant=variant,
                        published=stored[key]["auc"][place],
                        ours=area if np.isfinite(area) else None,
                        standard_error=error if error > 0 else None,
                    )
                )
            rows.append(
                comparison(
                    f"{key}: part of experiments in which the first model is better",
                    variant=variant,
                    published=float(theirs.truth.mean()),
                    ours=float(ours.truth.mean()),
                    standard_error=float(np.sqrt(0.25 / ours.truth.size)),
                )
            )
        rows += _run_to_run(key, found[AS_PUBLISHED][key], theirs, stored[key]["run_to_run"], condition)
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
    places = [C_MAIN.index(float(c)) for c in known["c"]]
    for place, correlation in zip(places, known["Bemd_corr"], strict=True):
        r = correlation_of(ours.probability[:count, place], theirs.probability[:count, place])
        rows.append(
            comparison(
                f"{key}: correlation of B with the original run at c = 2^{np.log2(C_MAIN[place]):.0f} (published: of two)",
                variant=AS_PUBLISHED,
                published=correlation,
                ours=r,
                standard_error=float((1 - correlation**2) * np.sqrt(1 / count + 1 / 512)),
            )
        )
    return rows


def correlation_of(first: FloatArray, second: FloatArray) -> float | None:
    """Correlation of two samples, None if one of them does not vary."""
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return float(np.corrcoef(first, second)[0, 1])


def _draw(found: dict[str, dict[str, Experiments]]) -> Any:
    figure = new_figure(12, 15.5)
    axes = figure.subplots(4, 3, sharex=True, sharey=True)
    for block, (variant, by) in enumerate(found.items()):
        for i, condition in enumerate(MAIN):
            column, row = divmod(i, 2)
            panel = axes[2 * block + row, column]
            if variant == AS_PUBLISHED:
                panel.plot(*original(condition.key).curve(2), ".", color="0.6", ms=3, label="original, $2^{-2}$")
            draw_curves(panel, by[condition.key], C_MAIN)
            panel.set_title(f"{variant}: {' vs '.join(condition.pair)}, {condition.input} input", fontsize=10)
            if 2 * block + row == 3:
                panel.set_xlabel("$B^{EMD}$: probability that the first is better")
            if column == 0:
                panel.set_ylabel("part of experiments\nin which it is")
    axes[0, 0].legend(title="c", fontsize=7, title_fontsize=8, loc="upper left")
    figure.suptitle(
        "On the diagonal, probabilities can be trusted; in the grey area they are overconfident.\n"
        "Corrected (candidates get the input, accurate solver) nearly every experiment is decided: the bins sit in two corners.",
        fontsize=11,
    )
    return figure


def draw_curves(panel: Any, each: Experiments, c: tuple[float, ...]) -> None:
    """Curves of one condition for all c, over the overconfident area."""
    panel.fill_between([0, 0.5, 1], [0, 0.5, 1], [1, 0.5, 1], color="0.9", lw=0, where=[True, True, False])
    panel.fill_between([0.5, 1], [0.5, 0], [0.5, 1], color="0.9", lw=0)
    for place, value in enumerate(c):
        panel.plot(
            *each.curve(place),
            ls=":",
            lw=0.8,
            marker=MARKERS[place],
            ms=3.5,
            color=COLOURS[C_MAIN.index(value)],
            label=f"$2^{{{np.log2(value):.0f}}}$",
        )
    panel.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
