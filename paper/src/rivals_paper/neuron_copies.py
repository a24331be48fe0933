"""How much rounding matters.

Copies of the published calibrations that differ by nothing else, and the original run as one more
of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any, Final

import numpy as np

from rivals_paper.arrays import FloatArray
from rivals_paper.experiments import Experiments
from rivals_paper.neuron_runs import C_MAIN, MAIN, by_condition, run_omegas
from rivals_paper.output import AS_PUBLISHED, IN_FILES, Task, comparison
from rivals_paper.pyloric import LOOSE, Condition, Published
from rivals_paper.records import recorded_copies

COPIES: Final = 8
# Computed anew, copies are of so many experiments.
EXPERIMENTS: Final = 32
Copies = dict[str, list[Experiments]]


def summary_of_copies(
    name: str,
    task: Task,
    of: Callable[[Copies], dict[str, Any]],
    conditions: Sequence[Condition] = MAIN,
) -> dict[str, Any]:
    """What a figure says of copies of the published run.

    From the records, a GPU's work (`python paper/benchmarks/neuron_records.py published OUT --main
    --limit 128 --copies 64`), or of copies computed anew if the task asks for that.
    """
    if task.experiments is None:
        return of({condition.key: recorded_copies(condition.key) for condition in conditions})
    return of(run_copies(task, name, conditions, min(EXPERIMENTS, task.experiments)))


def run_copies(
    task: Task, name: str, conditions: Sequence[Condition], experiments: int
) -> dict[str, list[Experiments]]:
    """The first experiments of each condition, in copies whose solvers begin with steps differing
    by parts of 1e12.

    Settling, recordings and candidates are all integrated anew in each, as in two runs on different
    machines.
    """
    omegas: dict[str, Any] = {}
    for condition in conditions:
        for copy in range(1, 1 + COPIES):
            solver = LOOSE.with_other_rounding(copy)
            omegas[f"{condition.key}|copy {copy}"] = Published(condition, solver=solver)
    copies = by_condition(run_omegas(task, f"{name}-copies", omegas, C_MAIN, experiments))
    return {
        condition.key: [copies[f"{condition.key}|copy {copy}"] for copy in range(1, 1 + COPIES)]
        for condition in conditions
    }


def compare_with_copies(
    what: str,
    theirs: float,
    ours: Sequence[float] | FloatArray,
    *,
    widened: float = 1.0,
    explanation: str | None = None,
) -> dict[str, Any]:
    """The original number beside the mean of the copies on the same experiments.

    Is it one more of them?
    """
    values = np.asarray(ours, dtype=float)
    finite = bool(np.isfinite(theirs) and np.isfinite(values).all())
    # One copy alone does not say what rounding does, and no error is better than one that is too
    # small.
    error = widened * spread_of(values) if finite and values.size > 1 else 0.0
    return comparison(
        f"{what} (ours: {f'mean of {values.size} copies' if values.size > 1 else 'one run'})",
        variant=AS_PUBLISHED,
        reference=theirs if np.isfinite(theirs) else None,
        source=IN_FILES,
        ours=float(values.mean()) if finite else None,
        standard_error=error if error > 0 else None,
        explanation=explanation,
    )


def spread_of(copies: FloatArray) -> float:
    """By how much a further copy differs from the mean of these.

    One standard deviation, and that of the mean.
    """
    return float(copies.std(ddof=1) * np.sqrt(1 + 1 / copies.size))


def between_runs(
    what: str,
    theirs: FloatArray,
    copies: Sequence[FloatArray],
    alike: Callable[[FloatArray, FloatArray], float],
    explanation: str | None = None,
) -> dict[str, Any]:
    """How alike two runs are.

    The original and the copies (published), against each copy and the others (ours).
    """
    number = len(copies)
    matrix = np.zeros((number, number))
    for i, j in combinations(range(number), 2):
        matrix[i, j] = matrix[j, i] = alike(copies[i], copies[j])
    return compare_with_copies(
        what,
        float(np.mean([alike(theirs, copy) for copy in copies])),
        matrix.sum(axis=1) / (number - 1),
        # A copy is compared with others that are compared with it in turn, which takes 1/(number -
        # 1) from how far it stands out.
        widened=(number - 1) / (number - 2),
        explanation=explanation,
    )


def agreement(one: FloatArray, other: FloatArray) -> float:
    """Part of the experiments in which two runs have the same truth."""
    return float(np.mean(one == other))


def correlation(one: FloatArray, other: FloatArray) -> float:
    """Correlation between two runs, experiment by experiment; nan if one of them does not vary."""
    if np.ptp(one) == 0 or np.ptp(other) == 0:
        return float("nan")
    return float(np.corrcoef(one, other)[0, 1])


def median_difference(one: FloatArray, other: FloatArray) -> float:
    """Median difference of two runs, experiment by experiment."""
    return float(np.median(np.abs(one - other)))


def distance(one: FloatArray, other: FloatArray) -> float:
    """Root mean square difference of two curves, bin by bin."""
    return float(np.sqrt(np.mean((one - other) ** 2)))
