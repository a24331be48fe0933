"""Whether a c may be used, by two rules, from experiments whose truth is known, in numbers.

The paper's bound: in no bin of the curve is B more confident than the truth. The rule on named
winners: of those beyond 0.95 no more than 5 % fail, and the truth does not fall while B rises. What
chance would do with less than a probability of 5 % is not taken for chance.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

# With fewer experiments nothing is told.
from rivals_paper.arrays import FloatArray
from rivals_paper.bins import THRESHOLD, TOLERANCE, Finding, judge_c
from rivals_paper.experiments import Experiments

OVERCONFIDENT: Final = "overconfident"
REVERSED: Final = "reversed"
NOT_MONOTONE: Final = "not monotone"
UNDETERMINED: Final = "undetermined"
# No winner is named: nothing speaks against such a c, and nothing for it.
SILENT: Final = "says nothing"
BINS: Final = 16
# With fewer experiments nothing is told.
ENOUGH: Final = 256


def problem_of(probability: FloatArray, truth: FloatArray) -> str | None:
    """Why the rule on named winners does not call a c valid; None where it does.

    Examples
    --------
    >>> truth = (np.random.default_rng(0).random(1000) < 0.8).astype(float)
    >>> problem_of(np.full(1000, 0.99), truth), problem_of(np.full(1000, 0.8), truth)
    ('overconfident', 'says nothing')
    """
    return _problem(judge_c(probability, truth), probability, truth)


def _problem(found: Finding, probability: FloatArray, truth: FloatArray) -> str | None:
    if found.least_failure_rate > 1.0 - THRESHOLD:
        return OVERCONFIDENT
    if found.fall > TOLERANCE:
        _, observed = Experiments(probability[:, None], truth).curve(0, BINS)
        return REVERSED if observed[-1] < observed[0] else NOT_MONOTONE
    if found.n < ENOUGH:
        return UNDETERMINED
    return None if found.named else SILENT


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
        findings = {key: judge_c(*part) for key, part in parts.items()}
        problems = {key: _problem(findings[key], *part) for key, part in parts.items()}
        bounds = {key: bound_of(each) for key, each in findings.items()}
        against = [each for each in problems.values() if each not in (None, SILENT)]
        found[f"{value:g}"] = {
            "valid": sum(each is None for each in problems.values()),
            "says nothing": sum(each == SILENT for each in problems.values()),
            "of": len(by),
            "not valid": dict(Counter(against)),
            "error": {key: round(each.failure_rate, 4) for key, each in findings.items()},
            "stated": {key: round(each.named / each.n, 4) for key, each in findings.items()},
            "bound": {
                **{
                    name: sum(each[name] for each in bounds.values())
                    for name in ("kept", "broken bins", "bins")
                },
                **({"conditions": bounds} if details else {}),
            },
        }
        if details:
            found[f"{value:g}"]["verdict"] = {
                key: "valid" if each is None else SILENT if each == SILENT else "not valid"
                for key, each in problems.items()
            }
    return found


def bound_of(found: Finding) -> dict[str, Any]:
    """What the paper's bound says of one condition at one c."""
    return {
        "kept": not found.curve.broken,
        "broken bins": found.curve.broken,
        "bins": found.curve.bins,
        "worst bin": {
            "B": round(found.curve.predicted, 4),
            "truth": round(found.curve.observed, 4),
        },
        "excess": round(found.curve.at_least, 4),
    }


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
