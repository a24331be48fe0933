"""Whether two models differ by less than the smallest difference that matters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rivals import sentences as say
from rivals._types import FloatArray
from rivals.judgement import Judgement
from rivals.setting import Setting
from rivals.table import Column, Table

# With fewer groups equivalence is stated falsely too often (benchmarks/results/equivalence.json).
LEAST_GROUPS = 12


@dataclass(frozen=True)
class Equivalence:
    """The best beside each other model, at a margin.

    Attributes
    ----------
    lowest : str
    margin : float
    models : tuple of str
        The others, by risk.
    better, equivalent, worse : tuple of float
        P(the best is better by more than the margin), P(neither is), P(it is worse by more).
    decisions : tuple of str
        Of each: "better", "equivalent", "worse", or "undecided".
    notes : tuple of str
    """

    lowest: str
    margin: float
    models: tuple[str, ...]
    better: tuple[float, ...]
    equivalent: tuple[float, ...]
    worse: tuple[float, ...]
    decisions: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def table(self) -> Table:
        """A row for each other model."""
        over = f"P(that {self.lowest} is, at a margin of {self.margin:g})"
        return Table(
            (
                Column("model", self.models, is_text=True),
                Column("better", self.better, say.probability, over),
                Column("equivalent", self.equivalent, say.probability, over),
                Column("worse", self.worse, say.probability, over),
                Column("decision", self.decisions, is_text=True),
            ),
            self.notes,
        )

    def __str__(self) -> str:
        return str(self.table)


def equivalent_models(result: Judgement) -> dict[str, float]:
    """Models that are equivalent to the best at the margin of the decision, with P; none without
    one, or where there are too few groups.
    """
    if result.groups is None or result.n_groups < LEAST_GROUPS or not result.setting.margin:
        return {}
    chances, decisions = _chances(result, result.setting)
    rows = zip(result.ranking[1:], chances[1].tolist(), decisions, strict=True)
    return {name: value for name, value, decision in rows if decision == "equivalent"}


def equivalence(result: Judgement, margin: float) -> Equivalence:
    """Refuses what cannot show it: one data set, few groups, no margin."""
    noun = "group" if result.groups is None else result.groups.noun
    if result.groups is None:
        raise ValueError(
            "one data set cannot show that models are equivalent in a replication; pass groups="
        )
    if result.n_groups < LEAST_GROUPS:
        raise ValueError(say.too_few_for_equivalence(result.n_groups, LEAST_GROUPS, noun))
    setting = result.setting.but(margin=margin)
    if not setting.margin:
        raise ValueError("equivalence needs a margin, the smallest difference that matters; got 0")
    (better, within, worse), decisions = _chances(result, setting)
    return Equivalence(
        result.ranking[0],
        setting.margin,
        result.ranking[1:],
        tuple(better.tolist()),
        tuple(within.tolist()),
        tuple(worse.tolist()),
        tuple(decisions),
        below_the_spread(result, setting.margin),
    )


def below_the_spread(result: Judgement, margin: float) -> tuple[str, ...]:
    """That a margin is below the spread between groups of a difference from the best, if it is."""
    summary = result.groups
    if summary is None:
        return ()
    best, *others = (result.names.index(name) for name in result.ranking)
    spreads = [
        result.law.heterogeneity(summary, result.setting, best, other)[0]
        for other in others
    ]
    wide = [tau for tau in spreads if tau > margin]
    return (say.margin_below_spread(margin, min(wide), summary.noun),) if wide else ()


def _chances(result: Judgement, setting: Setting) -> tuple[FloatArray, list[str]]:
    """P(the best is better, neither is, worse) beside each other model, and the decisions."""
    best, *others = (result.names.index(name) for name in result.ranking)
    law = result.law.differences(
        result.summary, setting, np.full(len(others), best), np.array(others)
    )
    at = np.full(len(others), setting.margin)
    better = law.below(-at)[0]
    worse = 1.0 - law.below(at)[0]
    chances = np.stack([better, np.maximum(1.0 - better - worse, 0.0), worse])
    surest = np.array(["better", "equivalent", "worse"])[np.argmax(chances, axis=0)]
    decisions = np.where(chances.max(axis=0) > setting.threshold, surest, "undecided")
    return chances, decisions.tolist()
