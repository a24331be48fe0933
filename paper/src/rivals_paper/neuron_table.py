"""P(R_a < R_b) for all pairs of candidates of the neuron example (tab. prinz conf-matrix)."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from rivals_paper.arrays import FloatArray
from rivals_paper.neuron_example import (
    CIRCUIT,
    CONSTANTS,
    LOOSE_SOLVER,
    MANY_SYNTHETIC,
    NO_INPUT,
    C,
    Fitted,
    draw_risks,
    fit_as_published,
    fit_corrected,
    integrate_copies,
    spread_of_summaries,
)
from rivals_paper.output import (
    AS_PUBLISHED,
    CONSTANTS_PUBLISHED,
    CORRECTED,
    IN_PAPER,
    VARIANTS,
    Reproduction,
    Task,
    comparison,
    new_figure,
)
from rivals_paper.risks import probability
from rivals_paper.streams import stream
from rivals_paper.tracking import track

NAME = "neuron-table"
DESCRIPTION = "Probability that one neuron model has a lower risk than another, for all pairs"

# Upper triangle of the published table.
PUBLISHED = {"AB": 0.483, "AC": 0.846, "AD": 0.821, "BC": 0.972, "BD": 0.940, "CD": 0.463}
LABELS = "ABCD"
REPEATS = 24
M_PUBLISHED = 128
M_CORRECTED = 12_000
THRESHOLD = 0.95

READING = (
    "P(R_row < R_column), mean ± standard deviation of runs that differ by rounding errors alone. "
    "As published: in brackets the published value. Dark: the row has the lower risk. Bold: above "
    "0.95, the model of the column is rejected."
)
DIFFERENCES = [
    LOOSE_SOLVER,
    NO_INPUT,
    CIRCUIT,
    MANY_SYNTHETIC,
    "Risks were 128 draws of Simpson sums over 257 points of paths whose solver has mirrored "
    "limits; both other variants: the exact process, 12 000 draws.",
]
EXPLANATIONS = {
    CONSTANTS_PUBLISHED: "With the input known the candidates follow the recording, and what is "
    "left are misplaced spikes: fitted noise falls from 17 to 21 mV to 8 to 14 mV, and these rare "
    "large residuals widen the risk distributions of A and B.",
    CORRECTED: "Other constants make other cells. C spikes three times as often as the recording, "
    "so that its residuals are by far the largest; D, which spikes a little more often, is not far "
    "from A and B.",
}


def make(task: Task) -> Reproduction:
    """Make the picture and the numbers; `experiments` is the number of runs of each variant."""
    repeats = max(task.experiments_or(REPEATS), 2)
    runs = {
        AS_PUBLISHED: np.array(
            [
                _as_published(stream(task.seed, 1, i))
                for i in track(range(repeats), "runs as published", task.progress)
            ]
        )
    }
    integrate_copies(repeats, task.progress)
    candidates = {}
    for k, variant in enumerate(CONSTANTS):
        fitted = [
            fit_corrected(stream(task.seed, 2, k, copy), variant=variant, copy=copy)
            for copy in range(repeats)
        ]
        runs[variant] = np.array(
            [
                _probabilities(each, variant, M_CORRECTED, stream(task.seed, 3, k, i))
                for i, each in enumerate(fitted)
            ]
        )
        candidates[variant] = spread_of_summaries(fitted)
    means = {variant: each.mean(axis=0) for variant, each in runs.items()}
    spreads = {variant: each.std(axis=0, ddof=1) for variant, each in runs.items()}
    comparisons = []
    for k, (name, theirs) in enumerate(PUBLISHED.items()):
        for variant in VARIANTS:
            # Theirs is one run, ours a mean: the former has the spread of runs as published, the
            # latter that of a mean.
            error = np.hypot(spreads[AS_PUBLISHED][k], spreads[variant][k] / np.sqrt(repeats))
            comparisons.append(
                comparison(
                    f"P(R_{name[0]} < R_{name[1]})",
                    variant=variant,
                    reference=theirs,
                    source=IN_PAPER,
                    ours=float(means[variant][k]),
                    standard_error=float(error),
                    explanation=EXPLANATIONS.get(variant),
                )
            )
    numbers = {
        "pairs": list(PUBLISHED),
        **{
            variant: {
                "mean": means[variant],
                "standard deviation": spreads[variant],
                "runs": runs[variant],
            }
            | ({"candidates": candidates[variant]} if variant in candidates else {})
            for variant in VARIANTS
        },
    }
    return Reproduction(
        figure=_draw(means, spreads),
        comparisons=comparisons,
        numbers=numbers,
        settings={"c": C, "runs": repeats, "n_draws": [M_PUBLISHED, M_CORRECTED]},
    )


def _as_published(rng: np.random.Generator) -> FloatArray:
    """The six probabilities in one run as published."""
    return _probabilities(fit_as_published(jitter=rng), AS_PUBLISHED, M_PUBLISHED, rng)


def _probabilities(
    fitted: dict[str, Fitted], variant: str, n_draws: int, rng: np.random.Generator
) -> FloatArray:
    risks = draw_risks({label: fitted[label] for label in LABELS}, variant, C, n_draws, rng)
    return np.array([probability(risks[a], risks[b])[0] for a, b in combinations(LABELS, 2)])


def _draw(means: dict[str, FloatArray], spreads: dict[str, FloatArray]) -> Any:
    figure = new_figure(7.2, 3.4)
    for column, variant in enumerate(VARIANTS):
        axes = figure.add_subplot(1, 3, 1 + column)
        matrix = _square(means[variant])
        errors = spreads[variant]
        axes.imshow(matrix, cmap="PuOr", vmin=0, vmax=1)
        for i in range(4):
            for j in range(4):
                axes.text(
                    j,
                    i,
                    _entry(i, j, matrix, errors, bracket=variant == AS_PUBLISHED),
                    ha="center",
                    va="center",
                    fontsize=8,
                    fontweight="bold" if matrix[i, j] > THRESHOLD else "normal",
                    color="white" if abs(matrix[i, j] - 0.5) > 0.35 else "black",
                )
        axes.set_xticks(range(4), LABELS)
        axes.set_yticks(range(4), LABELS)
        axes.set_title(variant, fontsize=9)
        axes.set_xlabel("model b", fontsize=8)
        if column == 0:
            axes.set_ylabel("model a", fontsize=8)
    figure.suptitle(
        "P(R$_a$ < R$_b$) on the example recording, c = 2$^{-2}$; violet: a has the lower risk, "
        "white: undecided\n± : spread of runs that differ by rounding errors alone; in brackets: "
        "published",
        fontsize=9,
    )
    return figure


def _entry(i: int, j: int, matrix: FloatArray, errors: FloatArray, *, bracket: bool) -> str:
    if i == j:
        return "0.5"
    name = LABELS[min(i, j)] + LABELS[max(i, j)]
    text = f"{matrix[i, j]:.2f}\n± {errors[list(PUBLISHED).index(name)]:.2f}"
    theirs = PUBLISHED[name] if i < j else 1 - PUBLISHED[name]
    return f"{text}\n({theirs:.2f})" if bracket else text


def _square(upper: FloatArray) -> FloatArray:
    matrix = np.full((4, 4), 0.5)
    rows, columns = np.triu_indices(4, 1)
    matrix[rows, columns], matrix[columns, rows] = upper, 1 - upper
    return matrix
