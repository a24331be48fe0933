"""Which c may be used, by two rules: that of this package, and the paper's bound.

The first asks that of the winners stated beyond 0.95 no more than 5 % are wrong, and that the truth
does not fall while B rises. The paper's asks that in no bin B is more confident than the truth.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from rivals.calibration import judge_experiments
from rivals_paper.arrays import FloatArray
from rivals_paper.experiments import Experiments

THRESHOLD: Final = 0.95
# What the first rule can say of a condition.
VALID = "valid"
SILENT = "says nothing"
WRONG = "not valid"


def valid_for(
    by: Mapping[str, Experiments], c: Sequence[float], *, details: bool = True
) -> dict[str, Any]:
    """For each c, how many conditions pass each rule, what is wrong with how many, and the numbers.

    A c is used for all conditions together, so it has to pass in each: the worst case decides. A
    condition in which no winner is stated says nothing, and is not counted as valid.
    """
    validity = judge_experiments(
        {key: (each.probability, each.truth) for key, each in by.items()}, c
    )
    bounds = dict(zip(by, validity.bounds, strict=True))
    found: dict[str, Any] = {}
    for column, value in enumerate(c):
        judged = {key: row[column] for key, row in zip(by, validity.judgements, strict=True)}
        verdicts = {key: _verdict(each) for key, each in judged.items()}
        problems = [
            each.problem.value
            for each in judged.values()
            if each.problem is not None and each.speaks_against
        ]
        found[f"{value:g}"] = {
            "valid": sum(each == VALID for each in verdicts.values()),
            "says nothing": sum(each == SILENT for each in verdicts.values()),
            "of": len(by),
            "not valid": dict(Counter(problems)),
            "error": {key: round(each.error, 4) for key, each in judged.items()},
            "stated": {key: round(each.stated, 4) for key, each in judged.items()},
            "bound": _bounds({key: row[column] for key, row in bounds.items()}),
        }
        if details:
            found[f"{value:g}"]["verdict"] = verdicts
        else:
            del found[f"{value:g}"]["bound"]["conditions"]
    return found


def bound_of(probability: FloatArray, truth: FloatArray) -> dict[str, Any]:
    """What the paper's bound says of one condition at one c."""
    return _in_numbers(judge_experiments({"": (probability[:, None], truth)}, [1.0]).bounds[0][0])


def _bounds(by: Mapping[str, Any]) -> dict[str, Any]:
    each = {key: _in_numbers(bound) for key, bound in by.items()}
    return {
        "kept": sum(one["kept"] for one in each.values()),
        "broken bins": sum(one["broken bins"] for one in each.values()),
        "bins": sum(one["bins"] for one in each.values()),
        "conditions": each,
    }


def _in_numbers(bound: Any) -> dict[str, Any]:
    return {
        "kept": bound.kept,
        "broken bins": bound.violated,
        "bins": bound.bins,
        "worst bin": {"B": round(bound.predicted, 4), "truth": round(bound.observed, 4)},
        "excess": round(bound.excess, 4),
    }


def _verdict(judgement: Any) -> str:
    if judgement.speaks_against:
        return WRONG
    return VALID if judgement.valid else SILENT


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
