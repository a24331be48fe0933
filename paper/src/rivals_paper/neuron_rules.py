"""Which c may be used: for how many epistemic distributions it is valid, and how often its verdicts are wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from rivals.calibration import judge_experiments
from rivals_paper.experiments import Experiments

THRESHOLD: Final = 0.95


def valid_for(by: Mapping[str, Experiments], c: Sequence[float]) -> dict[str, Any]:
    """For each c, the number of conditions for which it is valid, what is wrong with how many, and errors and stated winners of each condition.

    A c is used for all conditions together, so it has to be valid for each: the worst case decides.
    """
    validity = judge_experiments(
        {key: (each.probability, each.truth) for key, each in by.items()}, c
    )
    found = {}
    for column, value in enumerate(c):
        good, reasons = validity.valid[:, column], [row[column] for row in validity.reasons]
        found[f"{value:g}"] = {
            "valid": int(good.sum()),
            "of": len(by),
            "not valid": dict(
                Counter(
                    why.partition(":")[0] for why, ok in zip(reasons, good, strict=True) if not ok
                )
            ),
            "error": {
                key: round(float(each), 4)
                for key, each in zip(by, validity.error[:, column], strict=True)
            },
            "stated": {
                key: round(float(each), 4)
                for key, each in zip(by, validity.stated[:, column], strict=True)
            },
        }
    return found


def verdict_table(by: Mapping[str, Experiments], c: Sequence[float]) -> dict[str, Any]:
    """For each c, how many experiments of all conditions get a verdict, and how many of the verdicts are wrong.

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
