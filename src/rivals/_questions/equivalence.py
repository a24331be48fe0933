"""Whether two models differ by less than the smallest difference that matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from rivals._core.beside import LEAST_GROUPS
from rivals._core.decided import Decided
from rivals._core.texts import Refusal, opt
from rivals._result import sentences as say
from rivals._result.renderers import Answer, Column, Table, rows


@dataclass(frozen=True)
class Equivalence(Answer):
    """The best beside each other model, at a margin.

    Attributes
    ----------
    lowest : str
    margin : float
    models : tuple of str
        The others, by risk.
    better, equivalent, worse : tuple of float
        P(the best is better by more than the margin), P(neither is), P(it is worse by more).
    outcomes : tuple of str
        Of each: "better", "equivalent", "worse", or "open".
    notes : tuple of str
    """

    lowest: str
    margin: float
    models: tuple[str, ...]
    better: tuple[float, ...]
    equivalent: tuple[float, ...]
    worse: tuple[float, ...]
    outcomes: tuple[str, ...]
    notes: tuple[str, ...]

    COLUMNS: ClassVar[tuple[str, ...]] = (
        *("model", "beside", "margin", "p_better", "p_equivalent", "p_worse", "outcome"),
    )

    def to_records(self) -> list[dict[str, Any]]:
        """A row for each other model."""
        return rows(
            model=self.models,
            beside=self.lowest,
            margin=self.margin,
            p_better=self.better,
            p_equivalent=self.equivalent,
            p_worse=self.worse,
            outcome=self.outcomes,
        )

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
                Column("decision", self.outcomes, is_text=True),
            ),
            self.notes,
        )

    def __str__(self) -> str:
        return str(self.table)


def equivalent_models(result: Decided) -> dict[str, float]:
    """Models that are equivalent to the best at the margin of the decision, with P; none without
    one, or where there are too few groups.
    """
    if result.n_groups < LEAST_GROUPS or not result.setting.margin:
        return {}
    beside = result.beside(result.ranking[0])
    rows = zip(beside.names, beside.equivalent.tolist(), beside.outcomes.words, strict=True)
    return {name: value for name, value, word in rows if word == "equivalent"}


def equivalence(result: Decided, margin: float) -> Equivalence:
    """Refuses what cannot show it: one data set, few groups, no margin."""
    if result.units is None:
        raise Refusal(
            "one data set cannot show that models are equivalent in a replication; pass "
            f"{opt.groups}"
        )
    if result.n_groups < LEAST_GROUPS:
        raise ValueError(say.too_few_for_equivalence(result.n_groups, LEAST_GROUPS, result.noun))
    beside = result.beside(result.ranking[0], result.ranking).at_margin(margin)
    if not beside.setting.margin:
        raise ValueError("equivalence needs a margin, the smallest difference that matters; got 0")
    margin = beside.setting.margin
    spread = below_the_spread(result, margin)
    return Equivalence(
        result.ranking[0],
        margin,
        beside.names,
        tuple(beside.better.tolist()),
        tuple(beside.equivalent.tolist()),
        tuple(beside.worse.tolist()),
        beside.outcomes.words,
        () if spread is None else (say.margin_below_spread(margin, spread, result.noun),),
    )


def below_the_spread(result: Decided, margin: float) -> float | None:
    """The least spread between groups of a difference from the best that is above a margin."""
    if result.groups is None:
        return None
    wide = [tau for tau in result.beside(result.ranking[0]).tau.tolist() if tau > margin]
    return min(wide) if wide else None
