"""The result of a comparison: evidence and decision, shown. Nothing here decides again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from rivals import saved, shown, told
from rivals import sentences as say
from rivals._types import RNG, FloatArray, IntArray
from rivals.equivalence import Equivalence, equivalence
from rivals.evidence import Evidence, Note
from rivals.judge import Correction, judge
from rivals.laws.base import Law
from rivals.looking import Looks, looks
from rivals.method.rule import Decision, Rejection
from rivals.ranks import Ranks, ranks
from rivals.setting import Setting
from rivals.summaries import GroupSummaries
from rivals.table import Table

if TYPE_CHECKING:
    from rivals.plan import Plan


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Which models would win again, and how probably.

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

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> result = rivals.compare(toys.losses(), rng=0)
    >>> result.best, result.survivors, result.rejections["B"].by
    ('A', ('A',), 'A')
    """

    law: Law
    summary: Any
    setting: Setting
    evidence: Evidence
    decision: Decision
    noticed: tuple[Note, ...] = ()
    calibration: Any = field(default=None)
    correction: Correction | None = None

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
        """By which rival each other model is rejected, and with what probability."""
        return self.decision.rejections

    @property
    def best(self) -> str | None:
        """The model of lowest risk; None where P calls it worse than another."""
        return None if self.contradictions else self.ranking[0]

    @cached_property
    def contradictions(self) -> dict[str, float]:
        """Models that P calls better than the one of lowest risk, with P(the latter better).

        No margin matters to that.
        """
        first = self.names.index(self.ranking[0])
        row = self.beside(first, self.new_groups, margin=0.0)
        pairs = zip(self.names, row.tolist(), strict=True)
        return {name: value for name, value in pairs if value < 0.5}

    # ---------------------------------------------------------------- numbers

    @property
    def risk(self) -> dict[str, float]:
        """What the decision is about, of each model: with groups the mean over groups."""
        return dict(zip(self.names, self.evidence.risk.tolist(), strict=True))

    @property
    def c(self) -> float:
        """The sensitivity."""
        return self.law.c(self.setting)

    @cached_property
    def probability(self) -> FloatArray:
        """[a, b] = P(a better than b by more than the margin), of every pair."""
        if self.evidence.is_complete:
            return self.evidence.probability
        found = self.law.evidence(self.summary, self.setting).probability
        return found if self.correction is None else self.correction(found)

    @property
    def standard_error(self) -> FloatArray:
        """[a, b], Monte Carlo error of `probability`; zero in closed form."""
        return self.evidence.standard_error

    def over(self, new_groups: float) -> FloatArray:
        """`probability` over another number of new groups."""
        setting = replace(self.setting, new_groups=new_groups)
        return self.law.evidence(self.summary, setting).probability

    def beside(
        self,
        model: int,
        new_groups: float | None,
        *,
        margin: float | None = None,
        others: IntArray | None = None,
    ) -> FloatArray:
        """P(one model better than each other, or than some) over so many new groups.

        As long as there are models; nan for those that were not asked for.
        """
        margin = self.setting.margin if margin is None else margin
        if others is None:
            others = np.delete(np.arange(len(self.names)), model)
        if (new_groups, margin) == (self.new_groups, self.setting.margin):
            known = self.evidence.row(model)
            if not np.isnan(known[others]).any():
                return known
        setting = replace(self.setting, new_groups=new_groups, margin=margin)
        pairs = np.full(others.size, model), others
        found = self.law.evidence(self.summary, setting, pairs).row(model)
        return found if self.correction is None else self.correction(found)

    @property
    def new_groups(self) -> float | None:
        """How many new groups the decision is about; None without groups."""
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

    # ---------------------------------------------------------------- what is shown

    def __str__(self) -> str:
        return shown.screen(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"{self.table.html()}<p>{say.html(self.conclusion)}</p>"

    @cached_property
    def table(self) -> Table:
        """Every model beside the best."""
        return shown.table(self, self.names.index(self.ranking[0]))

    def against(self, name: str) -> Table:
        """Every model beside one of them, such as a baseline."""
        return shown.table(self, shown.place_of(self, name))

    @property
    def pairs(self) -> Table:
        """Every pair of models."""
        return shown.pairs(self)

    def groups_table(self) -> Table:
        """Every group: its size, and what each model lost there."""
        return shown.groups_table(self)

    @property
    def conclusion(self) -> str:
        """The decision in a sentence, and at most one of caution."""
        return told.conclusion(self)

    def details(self) -> str:
        """All the rest: by how much, sensitivity, notes, settings."""
        return told.details(self)

    def methods(self) -> str:
        """A paragraph for the methods section of a paper."""
        return told.methods(self)

    def plot(self, kind: str | None = None, *, ax: Any = None) -> Any:
        """A picture: of the differences between groups, or of the risks.

        `rivals.plots` has all kinds.
        """
        from rivals import plots

        return plots.plot(self, kind, ax=ax)

    def report(self, path: str | PathLike[str]) -> None:
        """One interactive page that needs nothing else."""
        from rivals import report

        report.write(self, path)

    def to_dataframe(self) -> Any:
        """The table as a pandas data frame."""
        return self.table.to_dataframe()

    def to_markdown(self) -> str:
        """The table in Markdown, and the conclusion."""
        return f"{self.table.markdown()}\n\n{self.conclusion}"

    def to_latex(self) -> str:
        """The table in LaTeX."""
        return self.table.latex()

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "law": self.law.name,
            "setting": self.setting.to_dict(),
            "c": float(self.c),
            "best": self.best,
            "ranking": list(self.ranking),
            "survivors": list(self.survivors),
            "rejections": {name: asdict(each) for name, each in self.rejections.items()},
            "undecided": {name: asdict(each) for name, each in self.decision.undecided.items()},
            "risk": self.risk,
            "models": list(self.names),
            "probability": self.probability.tolist(),
            "table": self.table.to_dict(),
            "n_groups": self.n_groups,
            "new_groups": say.number_or_text(self.new_groups),
            "source": asdict(self.summary.source),
            "notes": [
                {"code": note.code, "text": say.noted(note, shown.noun(self))}
                for note in self.notes
            ],
            "conclusion": self.conclusion,
            "track_record": told.track_record_values(self),
            "calibrated": bool(self.calibration is not None),
            "corrected": bool(self.correction is not None),
        }

    def save(self, path: str | PathLike[str]) -> None:
        """Write summary and setting to one file, which `rivals.load` decides again."""
        saved.save(self, path)

    # ---------------------------------------------------------------- other questions

    def at(self, **options: Any) -> Comparison:
        """The decision at other options, from the same losses.

        Examples
        --------
        >>> import rivals
        >>> from rivals.testbeds import toys
        >>> rivals.compare(toys.losses(), rng=0).at(c=1000.0).rejections
        {}
        """
        setting = replace(self.setting, **options)
        evidence, decision = judge(self.law, self.summary, setting, self.correction)
        return replace(self, setting=setting, evidence=evidence, decision=decision)

    def sweep(self, values: Sequence[float] | None = None) -> dict[float, Comparison]:
        """The decision at each of several c."""
        chosen = [2.0**octave for octave in range(-6, 5, 2)] if values is None else values
        return {float(c): self.at(c=c) for c in chosen}

    def plan(self, more_groups: Any = (5, 10, 20, 40), *, rng: RNG = 0) -> Plan:
        """How probably so many more groups would decide between the best and each other."""
        from rivals.plan import plan

        return plan(self, more_groups, rng=rng)

    def looks(self) -> Looks:
        """What could be said after each group, in the order in which they came."""
        return looks(self)

    def ranks(self) -> Ranks:
        """Between which ranks each model lies, and which may be the best."""
        return ranks(self)

    def equivalence(self, margin: float | None = None) -> Equivalence:
        """Whether the best and each other model differ by less than the margin."""
        return equivalence(self, self.setting.margin if margin is None else margin)
