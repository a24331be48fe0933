"""Ranks of many models: between which places each lies, and in which tier.

A model is behind another where P exceeds the threshold: the rule of every decision, and no other.
A tier is a chain of such rejections. Of the pairs that are ordered, Σ(1 − P) are expected to be
ordered wrongly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rivals._core.decided import Decided
from rivals._core.rule import BETTER, WORSE, classify
from rivals._core.types import IntArray
from rivals._result import sentences as say
from rivals._result.renderers import Answer, Column, Table, rows


@dataclass(frozen=True, eq=False)
class Ranks(Answer):
    """The ranks that each model may have.

    Attributes
    ----------
    models : tuple of str
        By risk, the best first.
    low, high : array of int
        The best and the worst rank that each may have.
    tier : array of int
        1 for those that are behind none; 2 for those that are behind none of the rest, and so on.
    threshold : float
    """

    models: tuple[str, ...]
    low: IntArray
    high: IntArray
    tier: IntArray
    threshold: float

    COLUMNS: ClassVar[tuple[str, ...]] = ("model", "low", "high", "tier")

    @property
    def first_tier(self) -> tuple[str, ...]:
        """Models that are behind no other."""
        pairs = zip(self.models, self.tier.tolist(), strict=True)
        return tuple(name for name, tier in pairs if tier == 1)

    def to_records(self) -> list[dict[str, Any]]:
        """A row for each model."""
        return rows(model=self.models, low=self.low, high=self.high, tier=self.tier)

    @property
    def table(self) -> Table:
        """A row for each model."""
        ranks = list(zip(self.low.tolist(), self.high.tolist(), strict=True))
        note = say.ranked(self.threshold, self.first_tier, len(self.models))
        return Table(
            (
                Column("model", self.models, is_text=True),
                Column("rank", ranks, say.stretch),
                Column("tier", self.tier.tolist()),
            ),
            (note,),
        )

    def __str__(self) -> str:
        return str(self.table)


def ranks(result: Decided) -> Ranks:
    """From the probabilities of all pairs."""
    order = np.array([result.place[name] for name in result.ranking])
    n_models = order.size
    pairs = result.every_pair
    said = classify(
        pairs.forward,
        pairs.backward,
        result.setting.threshold,
        clear=pairs.clear,
        error=pairs.error,
    ).said
    beats = np.zeros((n_models, n_models), dtype=bool)
    beats[pairs.better, pairs.worse] = said == BETTER
    beats[pairs.worse, pairs.better] = said == WORSE
    beats = beats[np.ix_(order, order)]
    tier = np.zeros(n_models, dtype=np.intp)
    number = 0
    while (tier == 0).any():
        number += 1
        left = tier == 0
        beaten = beats[left].any(axis=0)
        stands = left & ~beaten
        tier[stands if stands.any() else left] = number  # a circle stays together
    return Ranks(
        result.ranking,
        1 + beats.sum(axis=0),
        n_models - beats.sum(axis=1),
        tier,
        result.setting.threshold,
    )
