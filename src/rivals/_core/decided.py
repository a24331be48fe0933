"""Evidence and decision, and every number that follows from them: what a result shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import floor, inf, log2, nan
from typing import Any, Protocol, Unpack

import numpy as np

from rivals._core.beside import Beside
from rivals._core.cells import CellSummaries
from rivals._core.evidence import Evidence, Note
from rivals._core.judge import judge
from rivals._core.law import Law, Summary
from rivals._core.losses import Study
from rivals._core.reduced import Reduced
from rivals._core.rule import Decision, Rejection, decide
from rivals._core.setting import HowMany, Options, Setting, of_each
from rivals._core.summaries import GroupSummaries
from rivals._core.types import FloatArray

# The largest c at which a rejection is looked at, as a power of two.
WIDEST = 12
# A model is shown beside so many others, unless more are asked for.
MOST_BESIDE = 64


class Calibrated(Protocol):
    """What chose c: a calibration."""

    def methods(self) -> str:
        """A paragraph for the methods section of a paper."""
        ...

    def curve(self, c: float) -> Any:
        """How often what was said came true, at one c."""
        ...


@dataclass(frozen=True, eq=False)
class Part:
    """One segment: its part of all points, and what the law needs of them."""

    name: str
    share: float
    summary: Any
    noun: str = "segment"


@dataclass(frozen=True, eq=False, repr=False)
class Decided:
    """What was asked, of which losses, and what was decided.

    Attributes
    ----------
    reduced : Reduced
        The law, and the losses as it reduced them.
    setting : Setting
        Every option.
    evidence : Evidence
        Risks, and probabilities of pairs.
    decision : Decision
        What follows from them.
    noticed : tuple of Note
        What is probably wrong with the losses.
    calibration : Calibration or None
        What chose c.
    study : Study or None
        The losses themselves; None where only summaries of them came, or were saved.
    parts : tuple of Part
        Those of the segments that were asked for.
    """

    reduced: Reduced[Any]
    setting: Setting
    evidence: Evidence
    decision: Decision
    noticed: tuple[Note, ...] = ()
    calibration: Calibrated | None = None
    study: Study | None = None
    parts: tuple[Part, ...] = ()
    _besides: dict[Any, Beside] = field(default_factory=dict, init=False)

    @classmethod
    def of(
        cls,
        law: Law[Any],
        summary: Summary,
        setting: Setting,
        noticed: tuple[Note, ...] = (),
        calibration: Calibrated | None = None,
    ) -> Decided:
        """From what a law made of the losses."""
        reduced = Reduced(law, summary)
        evidence, decision = judge(reduced, setting)
        return cls(reduced, setting, evidence, decision, noticed, calibration)

    @property
    def method(self) -> Law[Any]:
        """How the distribution of the risk was made."""
        return self.reduced.law

    @property
    def summary(self) -> Any:
        """What the law needs of the losses.

        Of method "groups" `GroupSummaries`.
        """
        return self.reduced.summary

    # ---------------------------------------------------------------- the decision

    @property
    def names(self) -> tuple[str, ...]:
        """Of the models, in the order given."""
        return self.evidence.names

    @property
    def ranking(self) -> tuple[str, ...]:
        """The models by risk, the best first."""
        return self.decision.ranking

    @cached_property
    def survivors(self) -> tuple[str, ...]:
        """Models that are not rejected, the best first."""
        return self.decision.survivors

    @property
    def rejections(self) -> dict[str, Rejection]:
        """Which models are rejected, by which rival, with which P."""
        return self.decision.rejections

    @property
    def best(self) -> str:
        """The model of lowest risk."""
        return self.ranking[0]

    # ---------------------------------------------------------------- numbers

    @property
    def risk(self) -> dict[str, float]:
        """The risk of each model.

        What the decision is about; with groups the mean over groups.
        """
        return dict(zip(self.names, self.evidence.risk.tolist(), strict=True))

    @property
    def c(self) -> float:
        """The sensitivity; nan with groups, which take its place."""
        return nan if self.method.needs_groups else self.method.c(self.setting)

    @cached_property
    def probability(self) -> FloatArray:
        """P of every pair of models.

        [a, b] = P(a better than b by more than the margin).
        """
        return self.every_pair.probability

    @cached_property
    def every_pair(self) -> Evidence:
        """The evidence of all pairs.

        Also where the decision needed few.
        """
        if self.evidence.is_complete:
            return self.evidence
        return self.reduced.evidence(self.setting)

    def beside(self, model: str, others: Sequence[str] | None = None) -> Beside:
        """One model beside others.

        By default all by risk; of more than 64 the best 64.
        """
        if others is None or len(self.names) <= MOST_BESIDE:
            others = self.ranking[: MOST_BESIDE + 1]
        asked = (model, tuple(name for name in others if name != model))
        if asked not in self._besides:
            places = np.array([self.place[name] for name in asked[1]], dtype=np.intp)
            self._besides[asked] = Beside(
                self.reduced,
                self.setting,
                self.evidence,
                self.place[model],
                places,
            )
        return self._besides[asked]

    @cached_property
    def place(self) -> dict[str, int]:
        """Where each model stands in arrays."""
        return {name: place for place, name in enumerate(self.names)}

    @cached_property
    def holds_until(self) -> dict[str, float]:
        """Of each rejected model, up to which c it stays rejected.

        The largest power of two, or c itself; infinite where it is rejected at 2¹² too. Empty with
        groups, where there is no c.
        """
        if not self.c > 0.0:
            return {}
        first = floor(log2(self.c)) + 1
        rejected: dict[int, set[str]] = {first - 1: set(self.rejections)}

        def is_rejected(name: str, octave: int) -> bool:
            if octave not in rejected:
                rejected[octave] = set(self.at(c=2.0**octave).rejections)
            return name in rejected[octave]

        found = {}
        for name in self.rejections:
            low, high = first - 1, max(WIDEST, first)
            if is_rejected(name, high):
                found[name] = inf
                continue
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if is_rejected(name, middle) else (low, middle)
            found[name] = max(self.c, 2.0**low)
        return found

    @property
    def better_in(self) -> str:
        """What a replication is, as the calibration has it.

        Empty where c was not calibrated.
        """
        return str(getattr(self.setting.c, "source", {}).get("better", ""))

    @property
    def c_is_unknown(self) -> bool:
        """Whether nothing says what c is."""
        return self.method.c_is_unknown(self.setting)

    @property
    def new_groups(self) -> HowMany | None:
        """The number of new groups of the decision, or of new levels of each factor.

        None without groups.
        """
        return self.method.horizon(self.summary, self.setting.new_groups)

    @property
    def repeated(self) -> HowMany | None:
        """As many as were observed: the study repeated."""
        return self.method.horizon(self.summary, None)

    def of_each(self, number: float) -> HowMany:
        """So many new groups, or new levels of each factor that is not kept."""
        return of_each(self.new_groups, number)

    @cached_property
    def n_groups(self) -> int:
        """How many units were observed.

        Groups, or rows where these are units; 0 of one data set.
        """
        return int(self.summary.n_groups)

    @cached_property
    def units(self) -> GroupSummaries | None:
        """The summaries of groups or rows.

        None of one data set; of several factors those of the outermost with the fewest levels.
        """
        if isinstance(self.summary, CellSummaries):
            return self.summary.of_factor()
        return self.summary if self.n_groups else None

    @cached_property
    def groups(self) -> GroupSummaries | None:
        """The summaries of the groups; None without groups."""
        return None if self.units is None or self.units.rows else self.units

    @property
    def noun(self) -> str:
        """What a group is called, or a row."""
        return "group" if self.units is None else self.units.noun

    @property
    def horizon(self) -> tuple[HowMany, HowMany | None, str, float, str | None]:
        """New groups, observed ones, and what they are called; c, and what it is for.

        Rows are observed without number: nobody calls new ones the study repeated.
        """
        # None where c is a guess; empty where somebody gave it.
        better_in = None if self.c_is_unknown else self.better_in
        if self.method.again:
            return 1.0, None, self.method.again, self.c, better_in
        of_rows = self.units is not None and self.groups is None
        observed = None if of_rows else self.repeated or 0
        return self.new_groups or 0, observed, self.noun, self.c, better_in

    @property
    def notes(self) -> tuple[Note, ...]:
        """What to know about these losses, as codes and values."""
        return (*self.noticed, *self.evidence.notes)

    # ---------------------------------------------------------------- at other options

    def at(self, **options: Unpack[Options]) -> Decided:
        """The decision at other options; a calibration does not follow to another c."""
        setting = self.setting.but(**options)
        if options.keys() <= {"threshold"} and self.evidence.is_complete:
            return replace(self, setting=setting, decision=decide(self.evidence, setting))
        evidence, decision = judge(self.reduced, setting)
        return replace(
            self,
            setting=setting,
            evidence=evidence,
            decision=decision,
            calibration=self.calibration if setting.c == self.setting.c else None,
        )
