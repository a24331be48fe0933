"""The same risk distributions for six values of c (fig. rdist as function of c, neurons)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rivals_paper.arrays import FloatArray
from rivals_paper.neuron_example import (
    LOOSE_SOLVER,
    MANY_SYNTHETIC,
    NO_INPUT,
    draw_risks,
    fit_as_published,
    variants,
)
from rivals_paper.output import AS_PUBLISHED, CORRECTED, Reproduction, Task, comparison, new_figure, published
from rivals_paper.rdists import draw_densities
from rivals_paper.streams import stream
from rivals_paper.tracking import track

NAME = "rdists-by-c"
DESCRIPTION = "Risk distributions of the neuron models for six values of c"

EXPONENTS = (-6, -4, -2, 0, 2, 4)
N_DRAWS = 4096
REPEATS = 12

READING = (
    "Each column is one c. The larger c, the more the discrepancy between a model and the data widens its risk "
    "distribution; where all overlap, no model can be rejected."
)
DIFFERENCES = [NO_INPUT, LOOSE_SOLVER, MANY_SYNTHETIC]


def make(task: Task) -> Reproduction:
    """Make the picture and the numbers; `experiments` is the number of repeats as published."""
    fitted = variants(stream(task.seed, 1))
    risks: dict[str, list[dict[str, FloatArray]]] = {
        variant: [
            draw_risks(each, variant, 2.0**exponent, N_DRAWS, stream(task.seed, 2, i, j))
            for j, exponent in enumerate(EXPONENTS)
        ]
        for i, (variant, each) in enumerate(fitted.items())
    }
    repeats = max(task.experiments_or(REPEATS), 2)
    moments = np.array([_moments(stream(task.seed, 3, i)) for i in track(range(repeats), "repeats", task.progress)])
    numbers: dict[str, Any] = {
        variant: {
            f"2^{exponent}": {label: {"mean": values.mean(), "std": values.std()} for label, values in draws.items()}
            for exponent, draws in zip(EXPONENTS, by_c, strict=True)
        }
        for variant, by_c in risks.items()
    }
    numbers["as published, spread between runs"] = {"mean": moments.mean(axis=0), "std": moments.std(axis=0, ddof=1)}
    return Reproduction(
        figure=_draw(risks),
        comparisons=_comparisons(moments, risks[CORRECTED]),
        numbers=numbers,
        settings={
            "c": [2.0**exponent for exponent in EXPONENTS],
            "n_draws": N_DRAWS,
            "repeats": repeats,
        },
    )


def _moments(rng: np.random.Generator) -> list[list[list[float]]]:
    """Mean and standard deviation of the risk in one run as published, [c][model]."""
    fitted = fit_as_published(jitter=rng)
    by_c = [draw_risks(fitted, AS_PUBLISHED, 2.0**exponent, 1000, rng) for exponent in EXPONENTS]
    return [[[float(draws[label].mean()), float(draws[label].std())] for label in "ABCD"] for draws in by_c]


def _comparisons(moments: FloatArray, corrected: list[dict[str, FloatArray]]) -> list[dict[str, Any]]:
    """Ours beside an independent re-run with the original settings, in units of the spread between such runs."""
    rerun = published("neuron_example")["rdists_by_c"]
    widening = np.sqrt(1 + 1 / len(moments))
    rows = []
    for i, exponent in enumerate(EXPONENTS):
        theirs = rerun[str(2.0**exponent)]
        for j, label in enumerate("ABCD"):
            draws = corrected[i][label]
            for k, (key, mended) in enumerate((("mean", draws.mean()), ("sd", draws.std()))):
                what = f"{key} of the risk of {label} at c = 2^{exponent} (independent re-run)"
                rows += [
                    comparison(
                        what,
                        variant=AS_PUBLISHED,
                        published=theirs[key][label],
                        ours=float(moments[:, i, j, k].mean()),
                        standard_error=float(moments[:, i, j, k].std(ddof=1) * widening),
                    ),
                    comparison(what, variant=CORRECTED, published=theirs[key][label], ours=float(mended)),
                ]
    return rows


def _draw(risks: dict[str, list[dict[str, FloatArray]]]) -> Any:
    figure = new_figure(17, 6)
    for row, variant in enumerate((AS_PUBLISHED, CORRECTED)):
        for column, exponent in enumerate(EXPONENTS):
            axes = figure.add_subplot(2, 6, 1 + 6 * row + column)
            draw_densities(axes, risks[variant][column])
            axes.set_title(f"{variant}, c = 2$^{{{exponent}}}$", fontsize=9)
            axes.tick_params(labelsize=7)
            if row:
                axes.set_xlabel("risk $R$ (nats per ms)", fontsize=8)
            if column == 0:
                axes.set_ylabel("density", fontsize=8)
                axes.legend(frameon=False, fontsize=7)
    figure.suptitle(
        "Risk distributions of the neuron models widen with c; where they overlap no model can be rejected", fontsize=11
    )
    return figure
