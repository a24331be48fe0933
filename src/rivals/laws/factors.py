"""Method "groups" where several factors group the points: subjects × items, schools in districts.

Assumption. The levels of each factor are drawn at random, and new ones as the observed ones were;
a factor that is kept has the same levels again. With d̄ the weighted mean difference of two models,
seen and new the variances of `rivals.method.factors`, and ν its degrees of freedom,

    t = (x − d̄)/√(seen + new);   r = new/seen;   z its normal score · √(1 + r);
    P(R_a − R_b < x) = Σ_j p_j(z) Φ( z k_j/√(k_j + r) ) ,

p_j(z) and k_j the prior of leads. Of models that were fitted to the other levels of a factor, what
they share through their training data is measured on their fits where all of these were judged on
all levels; else it is supposed, as for groups, from the smallest number of levels.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from rivals._core.cells import CellSummaries
from rivals._core.evidence import Note
from rivals._core.law import TOGETHER, Law
from rivals._core.losses import Provenance, Study
from rivals._core.setting import HowMany, Levels, Setting
from rivals._core.texts import Refusal, opt
from rivals._core.types import FloatArray, IntArray
from rivals.laws.groups import ROUNDING, Groups, NewGroups, board_of
from rivals.method import leads
from rivals.method.budget import FALLS, SUPPOSED, Budget
from rivals.method.factors import Components, Spent

OF_LOSSES = (
    "Models were compared by the budget of variance of the rivals package, with a component for "
    "each of {factors}: the mean difference has the variance seen between their levels{trained}, "
    "new levels add theirs, and leads have a prior that was learned from all models; P is the "
    "probability, with Student's t, that the lower mean stays lower over {horizon}."
)
SHARED = ", and what models share through their training data"


@dataclass(frozen=True)
class Factors(Law[CellSummaries], known_as="groups of several factors"):
    """Method "groups" with several factors, which `compare` takes by itself.

    Examples
    --------
    >>> import rivals
    >>> rivals.laws.Factors().name
    'groups'
    """

    name: ClassVar[str] = "groups"
    needs_groups: ClassVar[bool] = True

    def summarise(self, study: Study) -> CellSummaries:
        if study.clusters is not None or study.order is not None:
            given = opt["order"] if study.clusters is None else opt["clusters"]
            raise Refusal(
                f"{given} has no place beside several factors, whose levels say what belongs "
                f"together; leave it out, or pass it as one of {opt['groups']}"
            )
        summary = CellSummaries.of(study)
        self.check(summary)
        return summary

    def check(self, summary: CellSummaries) -> None:
        summary.check()

    def check_setting(self, setting: Setting) -> None:
        Groups().check_setting(setting)  # refuses c
        if setting.looks is not None:
            raise Refusal(
                f"{opt['looks']} are at groups that come one after the other, and levels of "
                f"several factors do not; leave it out, or compare with one factor as {opt.groups}"
            )

    def horizon(self, summary: CellSummaries, new_groups: HowMany | None) -> HowMany | None:
        return summary.horizon(new_groups)

    def risk(self, summary: CellSummaries) -> FloatArray:
        """The mean over cells, one weighting for all models."""
        return np.asarray(summary.moments.first + summary.moments.gaps)

    def width(self, summary: CellSummaries) -> int:
        return max(leads.SCALES.size, len(summary.design.parts) + 1)

    def differences(
        self, summary: CellSummaries, setting: Setting, a: IntArray, b: IntArray
    ) -> NewLevels:
        return _of_pairs(summary, a, b, board(summary).of(a, b))

    def risks(self, summary: CellSummaries, setting: Setting) -> NewLevels:
        models = np.arange(len(summary.models))
        moments = summary.moments
        found = moments.of_models(models)
        return NewLevels.of(summary, found, self.risk(summary), models, models, None)

    def methods(self, summary: CellSummaries) -> str:
        nouns = " and ".join(each.noun for each in summary.factors)
        trained = SHARED if summary.source.left_out else ""
        return OF_LOSSES.replace("{trained}", trained).replace("{factors}", nouns)

    def notes(self, summary: CellSummaries, setting: Setting) -> tuple[Note, ...]:
        if summary.source.left_out is None:
            alone = summary.source.alone
            return (Note("points left out" if alone else "training not said"),)
        if summary.source.left_out and summary.shared is None:
            return (Note("levels left out", value=SUPPOSED / summary.n_groups),)
        return ()

    def to_arrays(self, summary: CellSummaries) -> tuple[dict[str, Any], dict[str, FloatArray]]:
        return {"json": summary.written()}, {}

    def from_arrays(
        self,
        models: tuple[str, ...],
        source: Provenance,
        plain: dict[str, Any],
        arrays: dict[str, FloatArray],
    ) -> CellSummaries:
        return CellSummaries.from_json(plain["json"])


@lru_cache(maxsize=2)
def board(summary: CellSummaries) -> leads.Board:
    """The priors of leads of all pairs, learned from the leads of the study repeated."""

    def score(a: IntArray, b: IntArray) -> FloatArray:
        return _of_pairs(summary, a, b, None).law.budget.score(1.0)

    law = Factors()
    return board_of(law.risk(summary), score, TOGETHER // law.width(summary))


def _of_pairs(
    summary: CellSummaries, a: IntArray, b: IntArray, prior: FloatArray | None
) -> NewLevels:
    gaps = summary.moments.gaps
    return NewLevels.of(summary, summary.moments.of_pairs(a, b), gaps[a] - gaps[b], a, b, prior)


@dataclass(frozen=True, eq=False)
class NewLevels:
    """The law of a mean over new levels: of the differences of pairs, or of the risks of models.

    Attributes
    ----------
    summary : CellSummaries
    components : Components
    horizon : Levels
        How many new levels of each outermost factor; 0 of one that is kept.
    law : NewGroups
        With the budget over them.
    parts : dict
        Of the variance, seen and new: of each part, points, and shared training data.
    """

    summary: CellSummaries
    components: Components
    horizon: Levels
    law: NewGroups
    parts: dict[str, FloatArray]

    @classmethod
    def of(
        cls,
        summary: CellSummaries,
        components: Components,
        lead: FloatArray,
        a: IntArray,
        b: IntArray,
        prior: FloatArray | None,
    ) -> NewLevels:
        """Over as many levels as were observed."""
        rounding = ROUNDING * np.maximum(summary.magnitude[a], summary.magnitude[b])
        nothing = np.zeros(lead.size)
        fixed = np.asarray(components.between.max(axis=0) <= rounding**2)
        shared = nothing if summary.shared is None else summary.shared[a, b]
        spent = (nothing, nothing, nothing, nothing, nothing)  # until it is known over what
        budget = Budget(lead, *spent, shared, shared, np.ones(lead.size))
        point = np.where(np.abs(lead) > rounding, lead, 0.0)
        law = NewGroups(budget, 1, 1.0, fixed, point, np.zeros(lead.size, dtype=bool), prior)
        return cls(summary, components, Levels(), law, {}).over(None)

    def over(self, new_groups: HowMany | None) -> NewLevels:
        horizon = self.summary.horizon(new_groups)
        return self if horizon == self.horizon else self._over(horizon)

    def _over(self, horizon: Levels) -> NewLevels:
        return self._of(self.components.over(self._numbers(horizon)), horizon)

    def then(self, more: Mapping[str, float], new_groups: HowMany | None) -> NewLevels:
        """As is expected with so many more levels of outermost factors."""
        summary = self.summary
        observed = summary.horizon(None)
        grown = Levels({noun: number + more.get(noun, 0.0) for noun, number in observed.items()})
        asked = summary.horizon(new_groups) if new_groups is not None else grown
        if isinstance(new_groups, Levels):  # those that are not named are as many as there are then
            asked = Levels({noun: new_groups.get(noun, number) for noun, number in grown.items()})
        times = [
            grown.get(each.noun, 1.0) / observed.get(each.noun, 1.0) for each in summary.factors
        ]
        growth = np.array(times)
        spent = self.components.grown(growth, self._numbers(asked))
        found = self._of(spent, asked)
        fewest = min(grown.values()) / summary.n_groups
        budget = found.law.budget
        part = fewest**-FALLS if summary.shared is not None else 1.0 / fewest
        budget = replace(budget, training=budget.training * part, again=budget.again * part)
        return replace(found, law=replace(found.law, budget=budget))

    def _numbers(self, horizon: Levels) -> FloatArray:
        return np.array([horizon.get(each.noun, 0.0) for each in self.summary.factors])

    def _of(self, spent: Spent, horizon: Levels) -> NewLevels:
        summary = self.summary
        seen, new = spent.seen.sum(axis=0), spent.new.sum(axis=0)
        training, again = self._training(seen)
        budget = replace(
            self.law.budget,
            unit=new,
            of_groups=seen,
            training=training,
            again=again,
            degrees=spent.degrees,
        )
        titles = [*map(summary.title, summary.design.parts), "points"]
        parts = dict(zip(titles, spent.seen + spent.new, strict=True))
        law = replace(self.law, budget=budget)
        return replace(
            self, horizon=horizon, law=law, parts={**parts, "training": training + again}
        )

    def _training(self, seen: FloatArray) -> tuple[FloatArray, FloatArray]:
        """What shared training data add to what was seen, and to what is new."""
        summary, source = self.summary, self.summary.source
        nothing = np.zeros(seen.size)
        if not source.left_out:
            return nothing, nothing
        if summary.shared is None:
            return SUPPOSED / summary.n_groups * seen, nothing
        shared = self.law.budget.again
        n_folds = source.n_folds or summary.n_groups
        return (2.0 * (n_folds - 1.0) / n_folds + 0.5) * shared, shared

    @property
    def degrees(self) -> float | FloatArray:
        """Of freedom."""
        return self.law.degrees

    @property
    def narrows(self) -> dict[str, FloatArray]:
        """What falls of the variance with more levels of each outermost factor that is drawn."""
        design, found = self.summary.design, {}
        values = dict(zip(design.parts, self.parts.values(), strict=False))
        for factor in design.outermost:
            noun = self.summary.factors[factor].noun
            if self.horizon[noun]:
                inside = [part for part in values if factor in map(design.top, part)]
                found[noun] = self.parts["points"] + sum(values[part] for part in inside)
        return found

    @property
    def tau(self) -> FloatArray:
        """The standard deviation between levels of the outermost factor with the fewest."""
        place = self.summary.fewest
        return np.where(self.law.fixed, np.nan, np.sqrt(self.components.values[place]))

    @property
    def i2(self) -> FloatArray:
        """The part of τ² in the variance of what was observed at a typical level."""
        place = self.summary.fewest
        between = self.components.between[place] / self.components.coefficients[place, place]
        square = self.components.values[place]
        return np.asarray(
            np.divide(square, np.maximum(between, square), out=square * 0.0, where=square > 0.0)
        )

    def below(self, value: FloatArray) -> FloatArray:
        return self.law.below(value)

    def bracket(self) -> tuple[FloatArray, FloatArray]:
        return self.law.bracket()

    def error(self, value: FloatArray) -> FloatArray:
        return self.law.error(value)
