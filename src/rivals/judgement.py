"""Evidence and decision, and every number that follows from them: what a result shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from rivals._types import FloatArray, IntArray
from rivals.evidence import Evidence, Note
from rivals.judge import Correction, judge
from rivals.laws.base import Law
from rivals.method.rule import Decision, Rejection, decide
from rivals.setting import Setting
from rivals.summaries import GroupSummaries


@dataclass(frozen=True, eq=False, repr=False)
class Judgement:
    """What was asked, of which losses, and what was decided.

    Attributes
    ----------
    law : Law
        How the distribution of the risk was made.
    summary
        What the law needs of the losses; of law "groups" `GroupSummaries`.
    setting : Setting
        Every option.
    evidence : Evidence
        Risks, and probabilities of pairs.
    decision : Decision
        What follows from them.
    noticed : tuple of Note
        What is probably wrong with the losses.
    calibration
        What chose c, if anything did.
    correction : callable or None
        The curve of the calibration, through which probabilities were read.
    """

    law: Law
    summary: Any
    setting: Setting
    evidence: Evidence
    decision: Decision
    noticed: tuple[Note, ...] = ()
    calibration: Any = None
    correction: Correction | None = None
    # Rows of P that were asked for: a print asks twice.
    _rows: dict[Any, FloatArray] = field(default_factory=dict, init=False)

    @classmethod
    def of(
        cls,
        law: Law,
        summary: Any,
        setting: Setting,
        noticed: tuple[Note, ...] = (),
        calibration: Any = None,
        correction: Correction | None = None,
    ) -> Self:
        """From what a law made of the losses."""
        evidence, decision = judge(law, summary, setting, correction)
        return cls(law, summary, setting, evidence, decision, noticed, calibration, correction)

    # ---------------------------------------------------------------- the decision

    @property
    def names(self) -> tuple[str, ...]:
        """Of the models, in the order given."""
        return self.evidence.names

    @property
    def ranking(self) -> tuple[str, ...]:
        """The models by risk, the best first."""
        return self.decision.ranking

    @property
    def survivors(self) -> tuple[str, ...]:
        """Models that are not rejected, the best first."""
        return self.decision.survivors

    @property
    def rejections(self) -> dict[str, Rejection]:
        """Which models are rejected, by which rival, with which P."""
        return self.decision.rejections

    @property
    def best(self) -> str | None:
        """The model of lowest risk, or None.

        None where P calls it worse than another.
        """
        return None if self.contradictions else self.ranking[0]

    @cached_property
    def contradictions(self) -> dict[str, float]:
        """Models that P calls better than the lowest risk.

        Name → P that the model of lowest risk is better than this one, at margin 0.
        """
        first = self.names.index(self.ranking[0])
        row = self.beside(first, self.new_groups, margin=0.0)
        pairs = zip(self.names, row.tolist(), strict=True)
        return {name: value for name, value in pairs if value < 0.5}

    # ---------------------------------------------------------------- numbers

    @property
    def risk(self) -> dict[str, float]:
        """The risk of each model.

        What the decision is about; with groups the mean over groups.
        """
        return dict(zip(self.names, self.evidence.risk.tolist(), strict=True))

    @property
    def c(self) -> float:
        """The sensitivity."""
        return self.law.c(self.setting)

    @cached_property
    def probability(self) -> FloatArray:
        """P of every pair of models.

        [a, b] = P(a better than b by more than the margin).
        """
        if self.evidence.is_complete:
            return self.evidence.probability
        found = self.law.evidence(self.summary, self.setting).probability
        return found if self.correction is None else self.correction(found)

    @property
    def standard_error(self) -> FloatArray:
        """Monte Carlo error of `probability`.

        Zero in closed form.
        """
        return self.evidence.standard_error

    def over(self, new_groups: float) -> FloatArray:
        """`probability` over another number of new groups."""
        setting = self.setting.but(new_groups=new_groups)
        found = self.law.evidence(self.summary, setting).probability
        return found if self.correction is None else self.correction(found)

    def beside(
        self,
        model: int,
        new_groups: float | None,
        *,
        margin: float | None = None,
        others: IntArray | None = None,
    ) -> FloatArray:
        """P that one model is better than others.

        Over so many new groups. One value for each model; nan for those not among `others`.
        """
        margin = self.setting.margin if margin is None else margin
        if others is None:
            others = np.delete(np.arange(len(self.names)), model)
        asked = (model, new_groups, margin)
        if asked[1:] == (self.new_groups, self.setting.margin):
            known = self.evidence.row(model)
        else:
            known = self._rows.get(asked, np.full(len(self.names), np.nan))
        if not np.isnan(known[others]).any():
            return known
        setting = self.setting.but(new_groups=new_groups, margin=margin)
        pairs = np.full(others.size, model), others
        found = self.law.evidence(self.summary, setting, pairs).row(model)
        found = found if self.correction is None else self.correction(found)
        self._rows[asked] = np.where(np.isnan(found), known, found)
        return self._rows[asked]

    def uncorrected(self, model: int, others: IntArray) -> FloatArray:
        """P that one model is better than others.

        As the law has it, before it is read through the curve of a calibration. One value for
        each model.
        """
        pairs = np.full(others.size, model), others
        return self.law.evidence(self.summary, self.setting, pairs).row(model)

    @property
    def new_groups(self) -> float | None:
        """The number of new groups of the decision.

        None without groups.
        """
        return self.setting.new_groups or self.n_groups or None

    @property
    def n_groups(self) -> int:
        """How many groups were observed; 0 without groups."""
        return 0 if self.groups is None else self.groups.sizes.size

    @property
    def groups(self) -> GroupSummaries | None:
        """The summaries of the groups; None without groups."""
        return self.summary if isinstance(self.summary, GroupSummaries) else None

    @property
    def notes(self) -> tuple[Note, ...]:
        """What to know about these losses, as codes and values."""
        return (*self.noticed, *self.evidence.notes)

    # ---------------------------------------------------------------- at other options

    def at(self, **options: Any) -> Self:
        """The decision at other options, from the same losses.

        A calibration is of its c; at another one, P is as the law has it.

        Examples
        --------
        >>> import rivals
        >>> from rivals.testbeds import toys
        >>> rivals.compare(toys.losses(), rng=0).at(c=1000.0).rejections
        {}
        """
        setting = self.setting.but(**options)
        if options.keys() <= {"threshold"} and self.evidence.is_complete:
            return replace(self, setting=setting, decision=decide(self.evidence, setting))
        same_c = setting.c == self.setting.c
        correction = self.correction if same_c else None
        evidence, decision = judge(self.law, self.summary, setting, correction)
        return replace(
            self,
            setting=setting,
            evidence=evidence,
            decision=decision,
            calibration=self.calibration if same_c else None,
            correction=correction,
        )

    def sweep(self, values: Sequence[float] | None = None) -> dict[float, Self]:
        """The decision at each of several c.

        P is as the law has it, not read through a curve.
        """
        chosen = [2.0**octave for octave in range(-6, 5, 2)] if values is None else values
        plain = replace(self, correction=None)  # a curve holds at one c
        decisions = [plain.at(c=c) for c in chosen]
        return {float(decision.c): decision for decision in decisions}
