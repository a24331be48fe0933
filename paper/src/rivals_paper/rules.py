"""Both rules for c in every condition, in numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from rivals_paper import judged
from rivals_paper.arrays import FloatArray
from rivals_paper.experiments import Experiments
from rivals_paper.judged import THRESHOLD, Bound, Winners

# What the rule on named winners can say of a condition.
VALID: Final = "valid"
SILENT: Final = judged.SILENT
WRONG: Final = "not valid"


def valid_for(
    by: Mapping[str, Experiments], c: Sequence[float], *, details: bool = True
) -> dict[str, Any]:
    """For each c, how many conditions pass each rule, what is wrong with how many, and the numbers.

    A c is used for all conditions together, so it has to pass in each: the worst case decides. A
    condition in which no winner is named says nothing, and is not counted as valid.
    """
    found: dict[str, Any] = {}
    for column, value in enumerate(c):
        parts = {key: (each.probability[:, column], each.truth) for key, each in by.items()}
        each_condition = {key: judged.winners(*part) for key, part in parts.items()}
        verdicts = {key: _verdict(each) for key, each in each_condition.items()}
        bounds = {key: bound_of(*part) for key, part in parts.items()}
        problems = [each.problem for each in each_condition.values() if each.speaks_against]
        found[f"{value:g}"] = {
            "valid": sum(each == VALID for each in verdicts.values()),
            "says nothing": sum(each == SILENT for each in verdicts.values()),
            "of": len(by),
            "not valid": dict(Counter(problems)),
            "error": {key: round(each.error, 4) for key, each in each_condition.items()},
            "stated": {key: round(each.part, 4) for key, each in each_condition.items()},
            "bound": {
                **{
                    name: sum(each[name] for each in bounds.values())
                    for name in ("kept", "broken bins", "bins")
                },
                **({"conditions": bounds} if details else {}),
            },
        }
        if details:
            found[f"{value:g}"]["verdict"] = verdicts
    return found


def bound_of(probability: FloatArray, truth: FloatArray) -> dict[str, Any]:
    """What the paper's bound says of one condition at one c."""
    found: Bound = judged.bound(probability, truth)
    return {
        "kept": found.kept,
        "broken bins": found.violated,
        "bins": found.bins,
        "worst bin": {"B": round(found.predicted, 4), "truth": round(found.observed, 4)},
        "excess": round(found.excess, 4),
    }


def _verdict(found: Winners) -> str:
    if found.speaks_against:
        return WRONG
    return VALID if found.valid else SILENT


def verdict_table(by: Mapping[str, Experiments], c: Sequence[float]) -> dict[str, Any]:
    """For each c, how many experiments of all conditions get a verdict, and how many are wrong.

    "worst" is the condition with the most wrong verdicts, in parts of its experiments.
    """
    table = {}
    for column, value in enumerate(c):
        each_condition = {key: each.verdicts(column, THRESHOLD) for key, each in by.items()}
        stated = np.array([each.stated for each in each_condition.values()])
        wrong = np.array(
            [each.stated * each.wrong if each.stated else 0.0 for each in each_condition.values()]
        )
        place = int(np.argmax(wrong))
        table[f"{value:g}"] = {
            "stated": round(float(stated.mean()), 4),
            "wrong": round(float(wrong.sum() / stated.sum()), 4) if stated.sum() else None,
            "worst": list(by)[place],
            "stated there": round(float(stated[place]), 4),
            "wrong there": round(float(wrong[place] / stated[place]), 4) if stated[place] else None,
        }
    return table
