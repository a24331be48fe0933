"""The same risk distributions for six values of c (fig. rdist as function of c, neurons)."""

from __future__ import annotations

from typing import Any

import numpy as np

from rivals_paper.arrays import FloatArray
from rivals_paper.neuron_example import (
    CIRCUIT,
    LOOSE_SOLVER,
    MANY_SYNTHETIC,
    NO_INPUT,
    draw_risks,
    fit_as_published,
    fit_corrected,
    integrate_copies,
    variants,
)
from rivals_paper.output import (
    AS_PUBLISHED,
    CONSTANTS_PUBLISHED,
    CORRECTED,
    RERUN,
    VARIANTS,
    Reproduction,
    Task,
    comparison,
    new_figure,
    published,
)
from rivals_paper.pyloric import LABELS
from rivals_paper.rdists import draw_densities
from rivals_paper.streams import stream
from rivals_paper.tracking import track

NAME = "rdists-by-c"
DESCRIPTION = "Risk distributions of the neuron models for six values of c"

EXPONENTS = (-6, -4, -2, 0, 2, 4)
N_DRAWS = 4096
REPEATS = 12

READING = (
    "Each row is one c. The larger c, the more the discrepancy between a model and the data "
    "widens its risk distribution; where all overlap, no model can be rejected. Mean and spread of "
    "each over runs that differ by rounding errors alone are in the JSON file."
)
DIFFERENCES = [NO_INPUT, LOOSE_SOLVER, CIRCUIT, MANY_SYNTHETIC]
EXPLANATIONS = {
    AS_PUBLISHED: "The re-run is a single one. The width is set by the gap between the largest "
    "observed and the largest of 12 000 synthetic losses, which is drawn once in a run and then "
    "the same for all c: several such rows of a model are one deviation.",
    CONSTANTS_PUBLISHED: "The candidates got the input of the recording: fitted noise falls from "
    "17 to 21 mV to 8 to 14 mV, and risks by the logarithm of that. What is left, misplaced "
    "spikes, is farther from Gaussian, so that the distributions are wider.",
    CORRECTED: "The cells have other constants, and the candidates got the input of the recording: "
    "fitted noise is 14 to 20 mV, of which misplaced spikes make the most.",
}


def make(task: Task) -> Reproduction:
    """Make the picture and the numbers; `experiments` is the number of runs of each variant."""
    repeats = max(task.experiments_or(REPEATS), 2)
    integrate_copies(repeats, task.progress)
    fitted = variants(stream(task.seed, 1))
    risks: dict[str, list[dict[str, FloatArray]]] = {
        variant: [
            draw_risks(
                {label: each[label] for label in LABELS},
                variant,
                2.0**exponent,
                N_DRAWS,
                stream(task.seed, 2, i, j),
            )
            for j, exponent in enumerate(EXPONENTS)
        ]
        for i, (variant, each) in enumerate(fitted.items())
    }
    moments = {
        variant: np.array(
            [
                _moments(variant, copy, stream(task.seed, 3, i, copy))
                for copy in track(range(repeats), variant, task.progress)
            ]
        )
        for i, variant in enumerate(VARIANTS)
    }
    return Reproduction(
        figure=_draw(risks),
        comparisons=_comparisons(moments),
        numbers={
            variant: {
                f"2^{exponent}": {
                    label: {
                        "mean": each[:, i, j, 0].mean(),
                        "mean, spread": each[:, i, j, 0].std(ddof=1),
                        "std": each[:, i, j, 1].mean(),
                        "std, spread": each[:, i, j, 1].std(ddof=1),
                    }
                    for j, label in enumerate(LABELS)
                }
                for i, exponent in enumerate(EXPONENTS)
            }
            for variant, each in moments.items()
        },
        settings={
            "c": [2.0**exponent for exponent in EXPONENTS],
            "n_draws": N_DRAWS,
            "runs": repeats,
        },
    )


def _moments(variant: str, copy: int, rng: np.random.Generator) -> list[list[list[float]]]:
    """Mean and standard deviation of the risk in one run, [c][model]."""
    published_run = variant == AS_PUBLISHED
    fitted = (
        fit_as_published(jitter=rng)
        if published_run
        else fit_corrected(rng, variant=variant, copy=copy)
    )
    candidates = {label: fitted[label] for label in LABELS}
    by_c = [draw_risks(candidates, variant, 2.0**exponent, 1000, rng) for exponent in EXPONENTS]
    return [
        [[float(values.mean()), float(values.std())] for values in draws.values()] for draws in by_c
    ]


def _comparisons(moments: dict[str, FloatArray]) -> list[dict[str, Any]]:
    """Ours beside an independent re-run with the original settings, in units of the spread between
    such runs.
    """
    rerun = published("neuron_example")["rdists_by_c"]
    spread = moments[AS_PUBLISHED].std(axis=0, ddof=1)
    rows = []
    for i, exponent in enumerate(EXPONENTS):
        theirs = rerun[str(2.0**exponent)]
        for j, label in enumerate(LABELS):
            for k, key in enumerate(("mean", "sd")):
                for variant, each in moments.items():
                    # Theirs is one run, ours a mean.
                    error = np.hypot(
                        spread[i, j, k], each[:, i, j, k].std(ddof=1) / np.sqrt(len(each))
                    )
                    rows.append(
                        comparison(
                            f"{key} of the risk of {label} at c = 2^{exponent} "
                            "(independent re-run)",
                            variant=variant,
                            reference=theirs[key][label],
                            source=RERUN,
                            ours=float(each[:, i, j, k].mean()),
                            standard_error=float(error),
                            explanation=EXPLANATIONS.get(variant),
                        )
                    )
    return rows


def _draw(risks: dict[str, list[dict[str, FloatArray]]]) -> Any:
    figure = new_figure(7.2, 10)
    panels = figure.subplots(len(EXPONENTS), len(risks), squeeze=False)
    for column, (variant, by_c) in enumerate(risks.items()):
        for row, exponent in enumerate(EXPONENTS):
            axes = panels[row, column]
            draw_densities(axes, by_c[row])
            axes.tick_params(labelsize=9)
            axes.locator_params(nbins=3)
            axes.set_yticks([])
            if row == 0:
                axes.set_title(variant, fontsize=10)
            if row == len(EXPONENTS) - 1:
                axes.set_xlabel("risk $R$ (nats per ms)", fontsize=10)
            if column == 0:
                axes.set_ylabel(f"c = 2$^{{{exponent}}}$", fontsize=11)
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncol=4, frameon=False, fontsize=11)
    figure.suptitle(
        "Risk distributions of the neuron models widen and move with c;\n"
        "where they overlap much, no model can be rejected",
        fontsize=11,
    )
    return figure
