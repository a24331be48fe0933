"""One model beside others: every number that anything shows of them, computed once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from rivals._core.evidence import Evidence
from rivals._core.reduced import Reduced, in_order, quantile
from rivals._core.rule import Outcomes, classify
from rivals._core.setting import HowMany, Setting, of_each
from rivals._core.types import BoolArray, FloatArray, IntArray

# With fewer groups equivalence is stated falsely too often (benchmarks/results/equivalence.json).
LEAST_GROUPS = 12

Said = TypeVar("Said")


@dataclass(frozen=True, eq=False)
class Beside:
    """A model beside others at one setting. Arrays have a place for each of the others.

    Attributes
    ----------
    reduced : Reduced
        The law, and the losses as it reduced them.
    setting : Setting
    evidence : Evidence
        Of the comparison, whose probabilities of pairs are taken where they were asked for.
    model : int
    others : array of int
    """

    reduced: Reduced[Any]
    setting: Setting
    evidence: Evidence
    model: int
    others: IntArray

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of the others."""
        return tuple(self.evidence.names[place] for place in self.others.tolist())

    def row(self, name: str) -> int:
        """Where one of the others stands."""
        return self.names.index(name)

    @cached_property
    def gap(self) -> FloatArray:
        """How much larger the risks of the others are."""
        risk = self.evidence.risk
        return np.asarray(risk[self.others] - risk[self.model])

    # ---------------------------------------------------------------- probabilities

    @cached_property
    def better(self) -> FloatArray:
        """P(better by more than the margin): what decides."""
        return self.chance(self.setting.new_groups)

    @cached_property
    def worse(self) -> FloatArray:
        """P(worse by more than the margin)."""
        if not self.setting.margin:
            return 1.0 - self.better
        return np.asarray(1.0 - self.lower_by(-self.setting.margin)[0])

    @cached_property
    def equivalent(self) -> FloatArray:
        """P(neither)."""
        return np.maximum(1.0 - self.better - self.worse, 0.0)

    def chance(self, new_groups: HowMany | None, margin: float | None = None) -> FloatArray:
        """P(better by more than a margin) over so many new groups."""
        own = self.setting.margin
        margin = own if margin is None else margin
        known = np.full(self.others.size, np.nan)
        if margin == own and self._same_horizon(new_groups):
            known = self.evidence.row(self.model)[self.others]
        missing = np.isnan(known)
        if not missing.any():
            return known
        part = self if missing.all() else self.only(missing)
        known[missing] = part.lower_by(margin, new_groups)[0]
        return known

    def without_c(self) -> FloatArray:
        """P(better by more than the margin), c unknown."""
        models = np.full(self.others.size, self.model)
        at = np.full(self.others.size, -self.setting.margin)
        return self.reduced.below_without_c(self.setting, models, self.others, at)

    def lower_by(self, margin: float, new_groups: HowMany | None = None) -> FloatArray:
        """P(the risk is lower than that of the other less a margin), priors × others."""
        setting = self._over(self.setting.new_groups if new_groups is None else new_groups)
        found = self.reduced.below(setting, *self._pairs, np.where(self._turned, margin, -margin))
        return np.where(self._turned, 1.0 - found, found)

    @cached_property
    def error(self) -> FloatArray:
        """Monte Carlo standard error of `better`."""
        return self.error_at(self.setting.margin)

    @cached_property
    def clear(self) -> BoolArray:
        """False where looks at growing data do not allow a decision yet."""
        models = np.full(self.others.size, self.model)
        return self.reduced.law.clear(self.reduced.summary, self.setting, models, self.others)

    # ---------------------------------------------------------------- by how much

    def interval(self, new_groups: HowMany | None = None) -> tuple[FloatArray, FloatArray]:
        """Between which values the risks of the others lie beyond that of the model."""
        if not self.others.size:
            return np.empty(0), np.empty(0)
        setting = self._over(self.setting.new_groups if new_groups is None else new_groups)
        low, high = self.reduced.interval(setting, *self._pairs)
        return np.where(self._turned, low, -high), np.where(self._turned, high, -low)

    @cached_property
    def low(self) -> FloatArray:
        """The lower ends."""
        return self.interval()[0]

    @cached_property
    def high(self) -> FloatArray:
        """The upper ends."""
        return self.interval()[1]

    @cached_property
    def largest_margin(self) -> FloatArray:
        """The margin by which it is better with just the probability of the threshold."""
        at = self.setting.threshold
        law = self.reduced.differences(self.setting, *self._pairs)
        found = quantile(law, np.where(self._turned, 1.0 - at, at))
        return np.where(self._turned, found, -found)

    @property
    def tau(self) -> FloatArray:
        """How much the difference varies between groups; nan where that is not known."""
        return self._of_pairs("tau", np.full(self.others.size, np.nan))

    @property
    def i2(self) -> FloatArray:
        """The part of that in the variance of what was observed in a typical group."""
        return self._of_pairs("i2", np.full(self.others.size, np.nan))

    @property
    def parts(self) -> dict[str, FloatArray]:
        """Named parts of the variance of each difference; empty where the law has none."""
        return self._of_pairs("parts", {})

    @property
    def narrows(self) -> dict[str, FloatArray]:
        """What falls of the variance with more levels of each of several factors."""
        return self._of_pairs("narrows", {})

    @property
    def degrees(self) -> FloatArray:
        """Degrees of freedom of that variance; infinite where the law has none."""
        known = self._of_pairs("degrees", np.inf)
        return np.broadcast_to(np.asarray(known, dtype=np.float64), self.others.shape)

    def _of_pairs(self, name: str, otherwise: Said) -> Said:
        """What the law of the differences may say."""
        law = self.reduced.differences(self.setting, *self._pairs)
        found: Said = getattr(law, name, otherwise)
        return found

    # ---------------------------------------------------------------- what is said

    @cached_property
    def outcomes(self) -> Outcomes:
        """Better, worse, equivalent or open: by the rule, which is applied nowhere else."""
        can_be_equal = self.setting.margin and self.reduced.summary.n_groups >= LEAST_GROUPS
        return classify(
            self.better,
            self.worse,
            self.setting.threshold,
            equivalent=self.equivalent if can_be_equal else None,
            clear=self.clear,
            error=self.error,
        )

    def required(self, margin: float) -> tuple[FloatArray, Outcomes]:
        """P(lower than the other less a margin, which may be negative), and what follows.

        P decides nothing against the order of risks.
        """
        found = self.lower_by(margin)
        outcomes = classify(
            found[0],
            1.0 - found[0],
            self.setting.threshold,
            lower=self.gap > margin,
            clear=self.clear,
            error=self.error_at(margin),
            alone=found[1:],
        )
        return found[0], outcomes

    def error_at(self, margin: float) -> FloatArray:
        """Monte Carlo standard error of `lower_by`."""
        law = self.reduced.differences(self.setting, *self._pairs)
        return law.error(np.where(self._turned, margin, -margin))

    def records(self) -> list[dict[str, Any]]:
        """A row for each of the others: the same names whatever the options are."""
        words = zip(self.outcomes.words, self.outcomes.reasons, strict=True)
        one = np.full(self.others.size, np.nan)
        if self._horizon is not None:
            one = self.chance(of_each(self._horizon, 1.0))
        return [
            {
                "model": name,
                "difference": float(self.gap[row]),
                "low": float(self.low[row]),
                "high": float(self.high[row]),
                "p_better": float(self.better[row]),
                "p_equivalent": float(self.equivalent[row]),
                "p_worse": float(self.worse[row]),
                "p_better_one_group": float(one[row]),
                "outcome": outcome,
                "because": because,
            }
            for row, (name, (outcome, because)) in enumerate(zip(self.names, words, strict=True))
        ]

    # ---------------------------------------------------------------- the same otherwise

    def only(self, chosen: BoolArray | slice) -> Beside:
        """Beside some of the others."""
        return self._but(others=self.others[chosen])

    def at_margin(self, margin: float) -> Beside:
        """At another margin."""
        return self._but(setting=self.setting.but(margin=margin))

    def _but(self, **changed: Any) -> Beside:
        known = {name: getattr(self, name) for name in Beside.__dataclass_fields__}
        return Beside(**{**known, **changed})

    @property
    def _horizon(self) -> HowMany | None:
        return self._resolved(self.setting.new_groups)

    def _resolved(self, new_groups: HowMany | None) -> HowMany | None:
        return self.reduced.law.horizon(self.reduced.summary, new_groups)

    def _same_horizon(self, new_groups: HowMany | None) -> bool:
        return self._resolved(new_groups) == self._horizon and (
            self.evidence.margin == self.setting.margin
        )

    def _over(self, new_groups: HowMany | None) -> Setting:
        if self._resolved(new_groups) == self._resolved(None):
            new_groups = None  # the study repeated, by either name
        same = new_groups == self.setting.new_groups
        return self.setting if same else self.setting.but(new_groups=new_groups)

    @cached_property
    def _pairs(self) -> tuple[IntArray, IntArray]:
        """The model that was given first, first: P does not depend on who asks."""
        return in_order((np.full(self.others.size, self.model), self.others))

    @cached_property
    def _turned(self) -> BoolArray:
        return np.asarray(self.others < self.model)
