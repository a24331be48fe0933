"""Looks: what could be said after each group, in the order in which they came."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from rivals._core.decided import Decided
from rivals._core.rule import OPEN, classify
from rivals._core.texts import Refusal, opt
from rivals._core.types import BoolArray, FloatArray, IntArray
from rivals._result import sentences as say
from rivals._result.renderers import Answer, Column, Table, rows
from rivals.method.looks import confidence_sequence

# The law of the spread between groups needs so many.
FIRST_LOOK = 3
# Each look weighs all groups so far: beyond so many groups not every number of them is looked at,
# but each of the first and then evenly spaced ones.
ALL_LOOKS = 500
EARLY_LOOKS = 100
LATER_LOOKS = 200


@dataclass(frozen=True, eq=False)
class Looks(Answer):
    """The best beside each other model, as the study grows.

    Attributes
    ----------
    lowest : str
        The model of lowest risk after all groups.
    models : tuple of str
        The others, by risk.
    groups : tuple of str
        In the order in which they came.
    n_groups : array of int, shape (looks,)
        Groups at each look: every number from 3 on. Of more than 500 groups the first 100 looks,
        then 200 evenly spaced numbers, and the last is that of all groups.
    difference, low, high : array, shape (models, looks)
        How much worse the other is so far, the mean of R_other − R_best, and its confidence
        sequence.
    probability : array, shape (models, looks)
        P(best better in as many new groups), as by one look.
    named : array of bool, shape (models, looks)
        Whether a winner is named: zero is outside, and P (of either) above the threshold.
    """

    lowest: str
    models: tuple[str, ...]
    groups: tuple[str, ...]
    noun: str
    n_groups: IntArray
    difference: FloatArray
    low: FloatArray
    high: FloatArray
    probability: FloatArray
    named: BoolArray

    COLUMNS: ClassVar[tuple[str, ...]] = (
        *("model", "beside", "n_groups", "difference", "low", "high", "p_better", "named"),
    )

    @property
    def first_named(self) -> dict[str, int | None]:
        """After how many groups a winner was named first.

        Of the numbers that were looked at; None where none was.
        """
        return {
            name: int(self.n_groups[np.argmax(row)]) if row.any() else None
            for name, row in zip(self.models, self.named, strict=True)
        }

    def to_records(self) -> list[dict[str, Any]]:
        """A row for each other model at each look."""
        looks = self.n_groups.size
        return rows(
            model=np.repeat(self.models, looks),
            beside=self.lowest,
            n_groups=np.tile(self.n_groups, len(self.models)),
            difference=self.difference.ravel(),
            low=self.low.ravel(),
            high=self.high.ravel(),
            p_better=self.probability.ravel(),
            named=self.named.ravel(),
        )

    @property
    def table(self) -> Table:
        """A row for each other model, after all groups."""
        first = list(self.first_named.values())
        ends = list(zip(self.low[:, -1].tolist(), self.high[:, -1].tolist(), strict=True))
        decimals = say.decimals_for((self.high[:, -1] - self.low[:, -1]).tolist())
        now = [bool(each) for each in self.named[:, -1]]
        last = int(self.n_groups[-1])
        over = f"after {say.count(last, self.noun)}"
        return Table(
            (
                Column(f"{self.lowest} beside", self.models, is_text=True),
                Column(
                    "worse by",
                    self.difference[:, -1].tolist(),
                    partial(say.fixed, decimals=decimals),
                    over,
                ),
                Column("confidence sequence", ends, partial(say.span, decimals=decimals), over),
                Column("P", self.probability[:, -1].tolist(), say.probability, over),
                Column("winner named", now, say.named_yet, over),
                Column("first named after", first, say.whole),
            ),
            (say.looks_order(self.noun), *self._skipped),
        )

    @property
    def _skipped(self) -> tuple[str, ...]:
        """That there were numbers of groups at which nobody looked, if so."""
        numbers = int(self.n_groups[-1]) - FIRST_LOOK + 1
        skipped = numbers > self.n_groups.size
        return (say.looks_skipped(self.n_groups.size, numbers, self.noun),) if skipped else ()

    def __str__(self) -> str:
        return str(self.table)


def looks(result: Decided) -> Looks:
    """At every number of groups from the third on; of many groups, at some of them."""
    summary = result.units
    if summary is None:
        raise Refusal(
            "looks are at groups that come one after the other; one data set has none: "
            f"pass {opt.groups}"
        )
    result.method.check_setting(result.setting.but(looks="any"))
    if summary.order is not None:
        raise Refusal(f"looks take {summary.noun}s as independent; leave out {opt.order('time')}")
    if summary.sizes.size < FIRST_LOOK:
        raise ValueError(f"looks need {FIRST_LOOK} groups or more; got {summary.sizes.size}")
    best = result.place[result.ranking[0]]
    others = np.array([result.place[name] for name in result.ranking[1:]])
    differences = summary.gaps[others] - summary.gaps[best]
    low, high = confidence_sequence(differences)
    counts = numbers_to_look_at(summary.sizes.size)
    mean = np.cumsum(differences, axis=1) / np.arange(1, summary.sizes.size + 1)
    setting = replace(result.setting, looks=None)
    margin = np.full(others.size, setting.margin)
    better = np.empty((others.size, counts.size))
    named = np.empty((others.size, counts.size), dtype=bool)
    for place, number in enumerate(counts.tolist()):
        part = summary.taken(range(number))
        law = result.method.differences(part, setting, np.full(others.size, best), others)
        better[:, place] = law.below(-margin)[0]
        worse = 1.0 - law.below(margin)[0]
        at = counts[place] - 1
        clear = (low[:, at] > 0.0) | (high[:, at] < 0.0)
        found = classify(better[:, place], worse, setting.threshold, clear=clear)
        named[:, place] = found.said != OPEN
    seen = counts - 1
    return Looks(
        result.ranking[0],
        result.ranking[1:],
        tuple(summary.groups),
        summary.noun,
        counts,
        mean[:, seen],
        low[:, seen],
        high[:, seen],
        better,
        named,
    )


def numbers_to_look_at(n_groups: int) -> IntArray:
    """Numbers of groups, increasing, the last one being that of all.

    Examples
    --------
    >>> numbers_to_look_at(6).tolist()
    [3, 4, 5, 6]
    >>> numbers_to_look_at(100_000)[[0, 99, 100, -1]].tolist()
    [3, 102, 601, 100000]
    """
    every = np.arange(FIRST_LOOK, n_groups + 1)
    if n_groups <= ALL_LOOKS:
        return every
    early, later = every[:EARLY_LOOKS], every[EARLY_LOOKS:]
    spaced = np.linspace(early[-1], later[-1], LATER_LOOKS + 1)[1:]
    return np.concatenate([early, np.round(spaced).astype(every.dtype)])
