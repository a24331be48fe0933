"""P(R_a < R_b) for all pairs of candidates of the neuron example (tab. prinz conf-matrix)."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from rivals_paper.arrays import FloatArray
from rivals_paper.neuron_example import (
    LOOSE_SOLVER,
    MANY_SYNTHETIC,
    NO_INPUT,
    C,
    draw_risks,
    fit_as_published,
    fit_corrected,
    summary,
)
from rivals_paper.output import AS_PUBLISHED, CORRECTED, Reproduction, Task, comparison, new_figure
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

READING = (
    "P(R_row < R_column). Left: as published, mean ± standard deviation of runs that differ by one part in 1e12 of the "
    "initial state, in brackets the published value. Right: corrected. Dark: the row has the lower risk."
)
DIFFERENCES = [
    LOOSE_SOLVER + " What differs between two runs of the same program is shown as ±.",
    NO_INPUT,
    MANY_SYNTHETIC,
    "Risks were 128 draws of Simpson sums over 257 points of paths whose solver has mirrored limits; corrected: the exact "
    "process, 12 000 draws.",
]


def make(task: Task) -> Reproduction:
    """Make the picture and the numbers; `experiments` is the number of repeats."""
    repeats = task.experiments_or(REPEATS)
    published = np.array([_once(stream(task.seed, 1, i)) for i in track(range(repeats), "repeats", task.progress)])
    mean, spread = published.mean(axis=0), published.std(axis=0, ddof=1) if repeats > 1 else None
    corrected, errors, fitted = _corrected(stream(task.seed, 2))
    comparisons = []
    for k, (name, theirs) in enumerate(PUBLISHED.items()):
        what = f"P(R_{name[0]} < R_{name[1]})"
        # Theirs is one run: it differs from the mean of ours by one standard deviation, and by that of the mean.
        error = None if spread is None else float(spread[k] * np.sqrt(1 + 1 / repeats))
        comparisons.append(
            comparison(what, variant=AS_PUBLISHED, published=theirs, ours=float(mean[k]), standard_error=error)
        )
        comparisons.append(
            comparison(
                what, variant=CORRECTED, published=theirs, ours=float(corrected[k]), standard_error=float(errors[k])
            )
        )
    numbers = {
        "pairs": list(PUBLISHED),
        AS_PUBLISHED: {"mean": mean, "standard deviation": spread, "runs": published},
        CORRECTED: {"probability": corrected, "standard_error": errors, "candidates": fitted},
    }
    return Reproduction(
        figure=_draw(mean, spread, corrected),
        comparisons=comparisons,
        numbers=numbers,
        settings={"c": C, "repeats": repeats, "n_draws": [M_PUBLISHED, M_CORRECTED]},
    )


def _once(rng: np.random.Generator) -> FloatArray:
    """The six probabilities in one run as published."""
    risks = draw_risks(fit_as_published(jitter=rng), AS_PUBLISHED, C, M_PUBLISHED, rng)
    return np.array([probability(risks[a], risks[b])[0] for a, b in combinations(LABELS, 2)])


def _corrected(rng: np.random.Generator) -> tuple[FloatArray, FloatArray, dict[str, Any]]:
    fitted = fit_corrected(rng)
    risks = draw_risks(fitted, CORRECTED, C, M_CORRECTED, rng)
    pairs = [probability(risks[a], risks[b]) for a, b in combinations(LABELS, 2)]
    return np.array([p for p, _ in pairs]), np.array([e for _, e in pairs]), summary(fitted)


def _draw(mean: FloatArray, spread: FloatArray | None, corrected: FloatArray) -> Any:
    figure = new_figure(10, 5.2)
    for column, (title, values, errors) in enumerate(((AS_PUBLISHED, mean, spread), (CORRECTED, corrected, None))):
        axes = figure.add_subplot(1, 2, 1 + column)
        matrix = _square(values)
        axes.imshow(matrix, cmap="Blues", vmin=0, vmax=1)
        for i in range(4):
            for j in range(4):
                axes.text(
                    j,
                    i,
                    _entry(i, j, matrix, errors),
                    ha="center",
                    va="center",
                    fontsize=9,
                    color="white" if matrix[i, j] > 0.6 else "black",
                )
        axes.set_xticks(range(4), LABELS)
        axes.set_yticks(range(4), LABELS)
        axes.set(title=title, xlabel="model b", ylabel="model a")
    figure.suptitle(
        "P(R$_a$ < R$_b$) on the example recording, c = 2$^{-2}$. Dark: a has the lower risk.\n"
        "± is the spread of runs that differ by rounding alone; (published value).",
        fontsize=11,
    )
    return figure


def _entry(i: int, j: int, matrix: FloatArray, errors: FloatArray | None) -> str:
    if i == j:
        return "0.5"
    text = f"{matrix[i, j]:.3f}"
    if errors is None:
        return text
    name = LABELS[min(i, j)] + LABELS[max(i, j)]
    theirs = PUBLISHED[name] if i < j else 1 - PUBLISHED[name]
    return f"{text}\n± {errors[list(PUBLISHED).index(name)]:.3f}\n({theirs:.3f})"


def _square(upper: FloatArray) -> FloatArray:
    matrix = np.full((4, 4), 0.5)
    rows, columns = np.triu_indices(4, 1)
    matrix[rows, columns], matrix[columns, rows] = upper, 1 - upper
    return matrix
