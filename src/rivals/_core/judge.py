"""Evidence and decision; of many models from few pairs, with the same outcome."""

from __future__ import annotations

from typing import Any

import numpy as np

from rivals._core.evidence import Evidence
from rivals._core.reduced import Reduced
from rivals._core.rule import Decision, applied, decide
from rivals._core.setting import Setting
from rivals._core.types import BoolArray, IntArray

# Of more models than this, not every pair is looked at: the best few reject most of them.
# Of fewer, all at once take less time than rounds of few.
MANY = 40
FEW = 2


def judge(reduced: Reduced[Any], setting: Setting) -> tuple[Evidence, Decision]:
    """The evidence, and the decision that follows from it.

    Of many models the best few meet every other first: a model falls to the first rival that
    rejects it, and further ones do not matter then. So rivals come in their order, more of them at
    a time, and only models that still stand meet them.
    """
    law, summary = reduced.law, reduced.summary
    if len(summary.models) <= MANY:
        evidence = reduced.evidence(setting)
        return evidence, decide(evidence, setting)
    order = np.argsort(law.risk(summary), kind="stable")
    evidence = reduced.evidence(setting, _met(order, 0, FEW))
    begin = size = FEW
    while True:
        if begin >= order.size:
            return evidence, decide(evidence, setting)
        found = applied(evidence, setting)
        is_open = ~found.rejected | (found.stability < 1.0)
        pairs = _met(order, begin, begin + size, is_open)
        evidence = evidence.joined(reduced.evidence(setting, pairs))
        begin += size
        size *= 2


def _met(
    order: IntArray, begin: int, end: int, is_open: BoolArray | None = None
) -> tuple[IntArray, IntArray]:
    """Rivals from one place to another, each beside the models behind it that are open."""
    places = np.arange(begin, min(end, order.size))
    behind = np.arange(begin + 1, order.size)
    if is_open is not None:
        behind = behind[is_open[order[behind]]]
    first, second = np.meshgrid(places, behind, indexing="ij")
    later = second > first
    return order[first[later]], order[second[later]]
