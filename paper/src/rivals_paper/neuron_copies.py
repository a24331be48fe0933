"""How much rounding matters: copies of the published calibrations that differ by nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from rivals.testbeds.pyloric import LOOSE, Condition, Published
from rivals_paper.arrays import FloatArray
from rivals_paper.experiments import Experiments
from rivals_paper.neuron_runs import (
    C_MAIN,
    by_condition,
    generator_is_first,
    original,
    run_omegas,
)
from rivals_paper.output import AS_PUBLISHED, Task, comparison

COPIES: Final = 8


def run_copies(
    task: Task, name: str, conditions: Sequence[Condition], experiments: int
) -> dict[str, list[Experiments]]:
    """The first experiments of each condition, in copies whose solvers begin with steps differing by parts of 1e12.

    Settling, recordings and candidates are all integrated anew in each, as in two runs on different machines.
    """
    omegas: dict[str, Any] = {}
    for condition in conditions:
        for copy in range(1, 1 + COPIES):
            solver = replace(LOOSE, first_step=LOOSE.first_step * (1 + copy * 1e-12))
            omegas[f"{condition.key}|copy {copy}"] = Published(condition, solver=solver)
    copies = by_condition(run_omegas(task, f"{name}-copies", omegas, C_MAIN, experiments))
    return {
        condition.key: [copies[f"{condition.key}|copy {copy}"] for copy in range(1, 1 + COPIES)]
        for condition in conditions
    }


def summarise_copies(conditions: Sequence[Condition], copies: dict[str, list[Experiments]]) -> dict[str, Any]:
    """AUC, and how often the model that made the data is better, in each copy and in the original run."""
    return {
        condition.key: {
            "auc": np.array([[each.auc(column)[0] for column in range(len(C_MAIN))] for each in copies[condition.key]]),
            "original auc": [_first(condition, copies).auc(column)[0] for column in range(len(C_MAIN))],
            "generator is better": np.array([_generator(condition, each) for each in copies[condition.key]]),
            "original generator is better": _generator(condition, _first(condition, copies)),
        }
        for condition in conditions
    }


def compare_copies(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """The original run beside the copies, on the same experiments: is it one more of them?"""
    rows = []
    for key, each in summary.items():
        for column, c in enumerate(C_MAIN):
            what = f"{key}: AUC at c = 2^{np.log2(c):.0f}, same experiments (ours: mean of copies)"
            rows.append(_row(what, each["original auc"][column], each["auc"][:, column]))
        what = f"{key}: the model that made the data is better, same experiments (ours: mean of copies)"
        rows.append(_row(what, each["original generator is better"], each["generator is better"]))
    return rows


def _row(what: str, theirs: float, ours: FloatArray) -> dict[str, Any]:
    # A further copy differs from the mean of these by one standard deviation, and by that of the mean.
    spread = float(ours.std(ddof=1) * np.sqrt(1 + 1 / ours.size))
    finite = bool(np.isfinite(theirs) and np.isfinite(ours).all())
    return comparison(
        what,
        variant=AS_PUBLISHED,
        published=theirs if np.isfinite(theirs) else None,
        ours=float(ours.mean()) if finite else None,
        standard_error=spread if finite and spread > 0 else None,
    )


def _first(condition: Condition, copies: dict[str, list[Experiments]]) -> Experiments:
    """The same experiments in the original run."""
    theirs, count = original(condition.key), len(copies[condition.key][0].truth)
    return Experiments(theirs.probability[:count], theirs.truth[:count])


def _generator(condition: Condition, each: Experiments) -> float:
    return float(np.mean(each.truth == generator_is_first(condition, len(each.truth))))
