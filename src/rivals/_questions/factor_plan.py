"""How probably more levels decide what is open, by factor, and the cheapest design that does.

    σ² ~ ν s²/χ²_ν,  μ ~ Σ_j p_j(z) N(k_j d̄, k_j seen σ²/s²),
    the mean of the larger study is d̄' ~ N(μ + v(d̄ − μ), σ²/s² seen'(1 − v)),  v = seen'/seen,

seen' what is expected of the larger study. Its own estimate of it has ν' degrees of freedom: ν are
those of now, one is how far the mean has moved, and the rest are drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from math import inf
from typing import Any, ClassVar

import numpy as np

from rivals._core.cells import CellSummaries
from rivals._core.decided import Decided
from rivals._core.rule import OPEN, classify
from rivals._core.seeds import PLANNED_GROUPS, entropy_from, stream
from rivals._core.setting import Levels, number
from rivals._core.texts import Refusal, opt
from rivals._core.types import RNG, FloatArray
from rivals._result import sentences as say
from rivals._result.renderers import Answer, Column, Table, plain, rows
from rivals.laws.factors import NewLevels, board
from rivals.method.leads import KEPT, given

# Studies that are drawn: chances are then known to ± 0.016.
N_DRAWS = 1000
# A design is to decide so often.
POWER = 0.8
# Numbers of levels among which the cheapest design is looked for; of three factors every other one.
OFFERED = (0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987)
# What no study has, in place of infinitely many.
ENDLESS = 1e9


@dataclass(frozen=True, eq=False)
class FactorPlan(Answer):
    """How probably more levels of each factor would decide what is open.

    Attributes
    ----------
    lowest : str
        The model of lowest risk.
    model, factor : tuple of str
        A row for each model that is open, each factor, and each number.
    more : tuple of float
        So many more levels; infinite for what the chance tends to.
    chance : array
        Of a decision.
    observed : Levels
        How many levels of each outermost factor there are.
    cheapest : dict
        Of each model that is open the design with a chance of 0.8 at the lowest cost, as
        `{"more": {factor: number}, "cost": number, "chance": number}`, or None where no design
        that was looked at has it; empty where no cost was given.
    threshold, margin : float
    rng : int
        The seed that repeats the plan.
    """

    COLUMNS: ClassVar[tuple[str, ...]] = (
        "model",
        "beside",
        "factor",
        "more",
        "chance",
        "standard_error",
    )

    lowest: str
    model: tuple[str, ...]
    factor: tuple[str, ...]
    more: tuple[float, ...]
    chance: FloatArray
    observed: Levels
    cheapest: dict[str, dict[str, Any] | None]
    threshold: float
    margin: float
    rng: int

    @property
    def standard_error(self) -> FloatArray:
        """Monte Carlo standard error of the chances."""
        return np.asarray(np.sqrt(self.chance * (1.0 - self.chance) / N_DRAWS))

    @property
    def curves(self) -> list[tuple[str, list[float], FloatArray, float]]:
        """Of each model and factor: its name, numbers, chances, and what they tend to."""
        found = []
        pairs = list(zip(self.model, self.factor, strict=True))
        for model, factor in dict.fromkeys(pairs):
            places = [at for at, pair in enumerate(pairs) if pair == (model, factor)]
            *numbers, _ = (self.more[at] for at in places)
            *_, end = chances = self.chance[places]
            name = f"{model}, more {say.plural(factor)}"
            found.append((name, numbers, chances[:-1], float(end)))
        return found

    @property
    def beside_observed(self) -> str:
        """What the numbers are of."""
        return f"more levels, beside {say.groups_of(self.observed, '')}"

    @property
    def table(self) -> Table:
        """A row for each model that is open, each factor and each number."""
        return Table(
            (
                Column(f"{self.lowest} or", self.model, is_text=True),
                Column(
                    "with",
                    list(map(say.more_levels, self.more, self.factor)),
                    is_text=True,
                ),
                Column("decided", self.chance.tolist(), say.chance),
            )
        )

    @property
    def conclusion(self) -> str:
        """What the chances are of, and the cheapest designs."""
        if not self.model:
            return say.nothing_open(self.lowest)
        by_more = say.by_more(self.margin, "")
        parts = [say.factor_plan(self.lowest, self.observed, self.threshold, by_more)]
        parts += [
            say.cheapest(self.lowest, name, found, POWER) for name, found in self.cheapest.items()
        ]
        return " ".join([*parts, say.monte_carlo(float(self.standard_error.max()), self.rng)])

    def __str__(self) -> str:
        return f"{self.table.text()}\n\n{self.conclusion}" if self.model else self.conclusion

    __repr__ = __str__

    def _marked(self) -> str:
        """What is printed; no option is named in it."""
        return str(self)

    def _around(self) -> tuple[list[str], list[str]]:
        return [], [self.conclusion]

    def to_records(self) -> list[dict[str, Any]]:
        """A row for each model that is open, each factor and each number."""
        return rows(
            model=self.model,
            beside=self.lowest,
            factor=self.factor,
            more=self.more,
            chance=self.chance,
            standard_error=self.standard_error,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            **super().to_dict(),
            "lowest": self.lowest,
            "observed": dict(self.observed),
            "cheapest": plain(self.cheapest),
            "threshold": self.threshold,
            "margin": self.margin,
            "rng": self.rng,
        }


def plan_of_factors(
    result: Decided, more: Mapping[str, Sequence[int]], cost: Mapping[str, float] | None, rng: RNG
) -> FactorPlan:
    """The chance that so many more levels tell each model that is open from the best."""
    summary = result.summary
    assert isinstance(summary, CellSummaries)
    asked = {_drawn(result, name, "more_groups"): numbers for name, numbers in more.items()}
    price = cost and {
        _drawn(result, name, "cost"): number(0.0, inf, least=False)("cost", each)
        for name, each in cost.items()
    }
    entropy = entropy_from(rng)
    best = result.place[result.ranking[0]]
    open_models = [name for name in result.survivors if name != result.ranking[0]]
    steps = [(noun, n) for noun, numbers in asked.items() for n in (*numbers, inf)]
    chances, cheapest = [], {}
    for name in open_models:
        outlook = Outlook.of(result, best, result.place[name], entropy)
        chances += [outlook.chance({noun: n}) for noun, n in steps]
        if price is not None:
            cheapest[name] = _cheapest(outlook, price)
    return FactorPlan(
        result.ranking[0],
        tuple(name for name in open_models for _ in steps),
        tuple(noun for _ in open_models for noun, _ in steps),
        tuple(float(n) for _ in open_models for _, n in steps),
        np.array(chances),
        summary.horizon(None),
        cheapest,
        result.setting.threshold,
        result.setting.margin,
        entropy,
    )


def _drawn(result: Decided, name: str, what: str) -> str:
    """The noun of an outermost factor that is drawn anew, of which there may be more."""
    noun: str = result.summary.outermost_noun(name, what)
    drawn = result.new_groups
    if isinstance(drawn, Levels) and not drawn[noun]:
        raise Refusal(
            f"{opt[what]}: {opt['new_groups']} keeps {noun!r}, whose levels come again; plan more "
            "of another factor, or ask for new ones"
        )
    return noun


def _cheapest(outlook: Outlook, price: Mapping[str, float]) -> dict[str, Any] | None:
    """The first design, by cost, that decides often enough."""
    offered = OFFERED if len(price) < 3 else OFFERED[::2]
    designs = sorted(
        (sum(price[noun] * n for noun, n in zip(price, numbers, strict=True)), numbers)
        for numbers in product(offered, repeat=len(price))
    )
    if outlook.chance(dict.fromkeys(price, float(offered[-1]))) < POWER:
        return None
    for cost, numbers in designs:
        more = dict(zip(price, map(float, numbers), strict=True))
        chance = outlook.chance(more)
        if chance >= POWER:
            return {
                "more": {noun: int(n) for noun, n in more.items()},
                "cost": cost,
                "chance": chance,
            }
    return None


@dataclass(frozen=True, eq=False)
class Outlook:
    """One pair of models, and what more levels may bring.

    Attributes
    ----------
    law : NewLevels
        What the observed levels say of the pair.
    prior : array, shape (1, scales)
        Of its lead, before they said anything.
    result : Decided
    rng : tuple of int
        The random stream, which is the same for every design.
    """

    law: NewLevels
    prior: FloatArray
    result: Decided
    rng: tuple[int, int]

    @classmethod
    def of(cls, result: Decided, best: int, other: int, entropy: int) -> Outlook:
        """Of two models, by their places."""
        pair = np.array([best]), np.array([other])
        law = result.reduced.differences(result.setting, *pair)
        if not isinstance(law, NewLevels):
            raise ValueError(f"method {result.method.name!r} does not say what more levels bring")
        return cls(law, board(result.summary).of(*pair), result, (entropy, other))

    @cached_property
    def truths(self) -> tuple[FloatArray, FloatArray]:
        """μ and σ²/s² in each draw."""
        rng = stream(*self.rng[:1], PLANNED_GROUPS, self.rng[1])
        budget = self.law.over(None).law.budget
        degrees = float(np.ravel(budget.degrees)[0])
        part = degrees / rng.chisquare(degrees, N_DRAWS)
        weight = given(budget.score(1.0), self.prior)[0]
        remains = KEPT[rng.choice(KEPT.size, size=N_DRAWS, p=weight)]
        return rng.normal(remains * budget.lead[0], np.sqrt(remains * budget.seen[0] * part)), part

    def chance(self, more: Mapping[str, float]) -> float:
        """Of a decision with so many more levels."""
        if self.law.law.fixed[0]:
            return 0.0  # equal at every point: nothing tells them apart
        more = {noun: min(n, ENDLESS) for noun, n in more.items()}
        setting = self.result.setting
        now = self.law.over(setting.new_groups).law.budget
        then = self.law.then(more, setting.new_groups).law.budget
        mean, part = self.truths
        rng = stream(*self.rng[:1], PLANNED_GROUPS, self.rng[1] + len(self.result.names))
        stays = min(float(then.seen[0] / now.seen[0]), 1.0)
        spread = np.sqrt(then.seen[0] * (1.0 - stays) * part)
        lead = mean + stays * (now.lead[0] - mean) + spread * rng.standard_normal(N_DRAWS)
        first, last = (float(np.ravel(each.degrees)[0]) for each in (now, then))
        gained = max(last - first, 0.0)
        scale = np.ones(N_DRAWS)
        if gained > 0.0 and stays < 1.0:
            moved = (lead - now.lead[0]) ** 2 / (now.of_groups[0] * (1.0 - stays))
            squares = first + min(gained, 1.0) * moved
            if gained > 1.0:
                squares = squares + part * rng.chisquare(gained - 1.0, N_DRAWS)
            scale = squares / (first + gained)
        nothing = np.zeros(N_DRAWS)
        budget = replace(
            then,
            lead=lead,
            unit=then.unit[0] * scale,
            of_groups=then.of_groups[0] * scale,
            noise=nothing,
            points=nothing,
            typical=nothing,
            training=then.training[0] * scale,
            again=then.again[0] * scale,
            degrees=np.full(N_DRAWS, first + gained),
        )
        nowhere = np.zeros(N_DRAWS, dtype=bool)
        law = replace(
            self.law.law,
            budget=budget,
            fixed=nowhere,
            point=nothing,
            unknown=nowhere,
            prior=self.prior,
        )
        better = law.below(np.full(N_DRAWS, -setting.margin))[0]
        worse = 1.0 - law.below(np.full(N_DRAWS, setting.margin))[0]
        return float(np.mean(classify(better, worse, setting.threshold).said != OPEN))
