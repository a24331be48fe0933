"""Evidence and decision; of many models from few pairs, with the same outcome."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from rivals._types import FloatArray, IntArray
from rivals.evidence import Evidence
from rivals.laws.base import Law
from rivals.method.rule import Decision, decide
from rivals.setting import Setting

# Of more models than this, not every pair is looked at: the best few reject most of them.
MANY = 64
FEW = 2

Correction: TypeAlias = Callable[[FloatArray], FloatArray]


def judge(
    law: Law, summary: Any, setting: Setting, correction: Correction | None = None
) -> tuple[Evidence, Decision]:
    """The evidence, and the decision that follows from it.

    Of many models the best few meet every other first. What they do not reject meets all that are
    better.
    """
    risk = law.risk(summary)
    if risk.size <= MANY:
        evidence = _corrected(law.evidence(summary, setting), correction)
        return evidence, decide(evidence, setting)
    order = np.argsort(risk, kind="stable")
    first = _corrected(law.evidence(summary, setting, _few_against_all(order)), correction)
    decision = decide(first, setting)
    rejected = np.array([name in decision.rejections for name in first.names])
    is_open = ~rejected | (decision.stability < 1.0)
    rest = law.evidence(summary, setting, _open_against_better(order, is_open))
    evidence = first.joined(_corrected(rest, correction))
    return evidence, decide(evidence, setting)


def _few_against_all(order: IntArray) -> tuple[IntArray, IntArray]:
    pairs = [
        (np.full(order.size - 1 - place, order[place]), order[place + 1 :]) for place in range(FEW)
    ]
    first, second = zip(*pairs, strict=True)
    return np.concatenate(first), np.concatenate(second)


def _open_against_better(order: IntArray, is_open: FloatArray) -> tuple[IntArray, IntArray]:
    """Every model that is open, beside all that are better; the best few it has met already."""
    places = np.flatnonzero(is_open[order])
    places = places[places > FEW]
    worse = np.repeat(order[places], places - FEW)
    better = [order[FEW:place] for place in places.tolist()]
    return (np.concatenate(better) if better else worse), worse


def _corrected(evidence: Evidence, correction: Correction | None) -> Evidence:
    """Probabilities read through the curve of a calibration, which is monotone."""
    if correction is None:
        return evidence
    forward = correction(evidence.forward)
    return replace(
        evidence,
        forward=forward,
        backward=1.0 - forward,
        strongest=correction(evidence.strongest),
    )
