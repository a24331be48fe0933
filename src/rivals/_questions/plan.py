"""How probably more groups decide what is open: the power of a study that is made larger.

New groups are taken to be like the observed ones, in their differences and in their sizes. What
left-out groups share through their training data shrinks as groups are added.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtri

from rivals._core.cells import CellSummaries
from rivals._core.checks import check_size
from rivals._core.decided import Decided
from rivals._core.rule import OPEN, classify
from rivals._core.seeds import PLANNED_GROUPS, entropy_from, stream
from rivals._core.setting import Levels
from rivals._core.texts import Refusal, in_python, opt
from rivals._core.types import RNG, BoolArray, FloatArray
from rivals._questions.factor_plan import FactorPlan, plan_of_factors
from rivals._result import sentences as say
from rivals._result.renderers import Answer, Column, Table, plain, rows
from rivals.laws.groups import NewGroups, board
from rivals.method.leads import given
from rivals.method.looks import reach_at
from rivals.method.more_groups import Future, budget_with, futures, truths

MORE_GROUPS = (5, 10, 20, 40)
# Studies that are drawn: chances are then known to ± 0.016.
N_DRAWS = 1000
# Numbers between which even odds are interpolated; nobody adds more groups than the last.
DOUBLED = tuple(2**octave for octave in range(13))
# Up to so many new groups each is looked at; later ones hardly move an interval.
LOOKED_AT = 64


@dataclass(frozen=True, eq=False)
class Plan(Answer):
    """How probably more groups would decide what is open.

    A decision is that one of the two is better, by more than the margin if there is one, with a
    probability above the threshold. Where data are looked at as they come, it is one at any look.

    Attributes
    ----------
    lowest : str
        The model of lowest risk.
    models : tuple of str
        Those that are not rejected, by risk; none where nothing is open.
    more_groups : tuple of int
    chance : array, shape (models, numbers)
        Of a decision, with so many more groups.
    in_the_end : array, shape (models,)
        What the chance tends to. Less than 1 where the question is about few new groups, or
        where there is a margin.
    even_odds : array, shape (models,)
        With so many more groups a decision is as likely as none; infinite where no number will do.
    probability : array, shape (models,)
        P(best better) now.
    n_groups : int
        Observed.
    noun : str
        What one is called.
    new_groups : float or None
        How many new groups the decision is about; None: as many as there are then.
    threshold, margin : float
    looks : bool
    rng : int
        The seed that repeats the plan.
    of_rows : bool
        Whether groups are rows: then no study is repeated.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> rng = np.random.default_rng(1)
    >>> school = np.repeat(np.arange(8), 50)
    >>> a = rng.exponential(size=400)
    >>> b = a + 0.1 + 0.2 * rng.standard_normal(8)[school]
    >>> plan = rivals.compare({"A": a, "B": b}, groups=school).plan([8, 80])
    >>> plan.models, plan.chance.round(1)
    (('B',), array([[0.3, 0.7]]))
    """

    lowest: str
    models: tuple[str, ...]
    more_groups: tuple[int, ...]
    chance: FloatArray
    in_the_end: FloatArray
    even_odds: FloatArray
    probability: FloatArray
    n_groups: int
    noun: str
    new_groups: float | None
    threshold: float
    margin: float
    looks: bool
    rng: int
    of_rows: bool = False

    COLUMNS: ClassVar[tuple[str, ...]] = (
        "model",
        "beside",
        "factor",
        "more",
        "chance",
        "standard_error",
    )

    def __post_init__(self) -> None:
        """The same gate as for evidence: what is no probability is no plan."""
        for values in (self.chance, self.in_the_end, self.probability):
            if not ((values >= 0.0) & (values <= 1.0)).all():
                raise ValueError("no probability follows from these groups; please report this")

    @property
    def standard_error(self) -> FloatArray:
        """Monte Carlo standard error of the chances."""
        return np.asarray(np.sqrt(self.chance * (1.0 - self.chance) / N_DRAWS))

    @property
    def curves(self) -> list[tuple[str, list[float], FloatArray, float]]:
        """Of each model its curve.

        Name, numbers, chances, and what they tend to.
        """
        numbers = list(map(float, self.more_groups))
        ends = zip(self.models, self.chance, self.in_the_end.tolist(), strict=True)
        return [(name, numbers, chance, end) for name, chance, end in ends]

    @property
    def beside_observed(self) -> str:
        """What the numbers are of."""
        return f"more {say.plural(self.noun)}, beside {self.n_groups} observed"

    @property
    def table(self) -> Table:
        """A row for each model that is open."""
        many = say.plural(self.noun)
        columns = [
            Column(f"{self.lowest} or", self.models, is_text=True),
            Column("P now", self.probability.tolist(), say.probability),
            *(
                Column(f"{number} more", chance.tolist(), say.chance, f"decided with … {many}")
                for number, chance in zip(self.more_groups, self.chance.T, strict=True)
            ),
            Column("ever more", self.in_the_end.tolist(), say.chance, f"decided with … {many}"),
            Column("even odds", self.even_odds.tolist(), say.even_odds),
        ]
        return Table(tuple(columns))

    @property
    def conclusion(self) -> str:
        """What the chances are of."""
        return in_python(self._conclusion())

    def _conclusion(self) -> str:
        if not self.models:
            return say.nothing_open(self.lowest)
        question = say.plan_question(
            self.lowest,
            self.n_groups,
            self.noun,
            self.threshold,
            say.by_more(self.margin, ""),
            say.where_then(self.new_groups, self.noun, self.of_rows),
            looks=self.looks,
        )
        return f"{question} {say.monte_carlo(float(self.standard_error.max()), self.rng)}"

    def __str__(self) -> str:
        return in_python(self._marked())

    def _marked(self) -> str:
        """What is printed, with options marked."""
        said = self._conclusion()
        return f"{self.table.text()}\n\n{said}" if self.models else said

    __repr__ = __str__

    def _around(self) -> tuple[list[str], list[str]]:
        return [], [self._conclusion()]

    def to_records(self) -> list[dict[str, Any]]:
        """A row for each model that is open at each number of groups."""
        numbers = len(self.more_groups)
        return rows(
            model=np.repeat(self.models, numbers),
            beside=self.lowest,
            factor=self.noun,
            more=np.tile(self.more_groups, len(self.models)),
            chance=self.chance.ravel(),
            standard_error=self.standard_error.ravel(),
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            **super().to_dict(),
            "conclusion": self.conclusion,
            "in_the_end": dict(zip(self.models, self.in_the_end.tolist(), strict=True)),
            "even_odds": dict(zip(self.models, plain(self.even_odds.tolist()), strict=True)),
            "n_groups": self.n_groups,
            "new_groups": plain(self.new_groups),
            "threshold": self.threshold,
            "margin": self.margin,
            "looks": self.looks,
            "rng": self.rng,
        }


def plan(
    result: Decided, more_groups: Any = MORE_GROUPS, *, cost: Any = None, rng: RNG = 0
) -> Plan | FactorPlan:
    """The chance that so many more groups tell each model that is open from the best.

    Of several factors more levels of each, and the cheapest design for a cost per level.
    """
    if isinstance(result.summary, CellSummaries):
        return plan_of_factors(result, _by_factor(result, more_groups), cost, rng)
    if cost is not None or isinstance(more_groups, Mapping):
        raise Refusal(
            f"{opt['cost']}, and numbers by factor, are of several factors; there is one grouping "
            f"alone: pass whole numbers as {opt.more_groups}, and no {opt['cost']}"
        )
    numbers = checked_numbers(more_groups)
    if result.units is not None and getattr(result.units, "order", None):
        raise Refusal(f"a plan takes {result.noun}s as independent; leave out {opt.order('time')}")
    if result.units is None:
        raise Refusal(
            "a plan is of more groups, and one data set has none; compare with "
            f"{opt.groups}, the group of each point, or without simulations"
        )
    best = result.place[result.ranking[0]]
    places = [result.place[name] for name in result.survivors if name != result.ranking[0]]
    others = [place for place in places if result.units.known[best, place]]
    if not others and len(result.survivors) > 1:
        raise ValueError(
            "nothing can be planned: the error of the difference between the models that are open "
            "is not known; give estimates with their covariance"
        )
    entropy = entropy_from(rng)
    beside = result.beside(result.ranking[0], result.survivors)
    outlooks = [_outlook(result, best, other) for other in others]
    looked = [
        outlook.look(numbers, stream(entropy, PLANNED_GROUPS, other))
        for outlook, other in zip(outlooks, others, strict=True)
    ]
    setting = result.setting
    return Plan(
        lowest=result.ranking[0],
        models=tuple(result.names[place] for place in others),
        more_groups=numbers,
        chance=np.array([chance for chance, _, _ in looked]).reshape(-1, len(numbers)),
        in_the_end=np.array([end for _, _, end in looked]),
        even_odds=np.array([odds for _, odds, _ in looked]),
        probability=np.array([beside.better[beside.row(result.names[place])] for place in others]),
        n_groups=result.n_groups,
        noun=result.noun,
        new_groups=None if isinstance(setting.new_groups, Mapping) else setting.new_groups,
        threshold=setting.threshold,
        margin=setting.margin,
        looks=bool(setting.looks),
        rng=entropy,
        of_rows=result.groups is None,
    )


def _by_factor(result: Decided, more_groups: Any) -> dict[str, tuple[int, ...]]:
    """Numbers of more levels of each factor; the same of all that are drawn, if so said."""
    if isinstance(more_groups, Mapping):
        return {name: checked_numbers(numbers) for name, numbers in more_groups.items()}
    drawn = result.of_each(1.0)
    assert isinstance(drawn, Levels)
    numbers = checked_numbers(more_groups)
    return {name: numbers for name, number in drawn.items() if number}


def checked_numbers(more_groups: Any) -> tuple[int, ...]:
    """Whole numbers of groups to add, one or several, increasing.

    Examples
    --------
    >>> checked_numbers([10.0, 5]), checked_numbers(3)
    ((5, 10), (3,))
    """
    several = isinstance(more_groups, Iterable) and not isinstance(more_groups, (str, bytes))
    given = list(more_groups) if several else [more_groups]
    try:
        whole = [int(each) if isinstance(each, float) and each % 1 == 0 else each for each in given]
        numbers = sorted({check_size(each, "more_groups") for each in whole})
    except (TypeError, ValueError):
        numbers = []
    if not numbers:
        raise Refusal(
            f"{opt['more_groups']} must be whole numbers, 1 or more, as [5, 10, 20]; got "
            f"{more_groups!r}"
        )
    return tuple(numbers)


def _outlook(result: Decided, best: int, other: int) -> Outlook:
    setting = result.setting
    law = result.reduced.differences(setting, np.array([best]), np.array([other]))
    if not isinstance(law, NewGroups) or isinstance(setting.new_groups, Mapping):
        raise ValueError(f"method {result.method.name!r} does not say what more groups would bring")
    return Outlook(
        law,
        board(result.summary).of(np.array([best]), np.array([other])),
        result.summary.gaps[best] - result.summary.gaps[other],
        setting.new_groups,
        setting.threshold,
        setting.margin,
        bool(setting.looks),
    )


@dataclass(frozen=True, eq=False)
class Outlook:
    """One pair of models, and what more groups may bring.

    Attributes
    ----------
    law : NewGroups
        What the observed groups say of the pair.
    prior : array, shape (1, scales)
        Of its lead, before they said anything.
    values : array, shape (groups,)
        The differences that were observed.
    new_groups : float or None
        None: as many as there are then.
    threshold, margin : float
    looks : bool
    """

    law: NewGroups
    prior: FloatArray
    values: FloatArray
    new_groups: float | None
    threshold: float
    margin: float
    looks: bool

    def look(
        self, more_groups: tuple[int, ...], rng: np.random.Generator
    ) -> tuple[list[float], float, float]:
        """The chance with each number of groups more, the number that brings it to one half, and
        what it tends to.
        """
        if self.law.fixed[0]:
            return [0.0] * len(more_groups), inf, 0.0  # equal at every point: nothing tells them
        each = range(1, min(max(more_groups), LOOKED_AT) + 1) if self.looks else ()
        numbers = sorted({*more_groups, *DOUBLED, *each})
        budget = self.law.budget
        seen = given(budget.score(self.law.n_groups), self.prior)
        mean, std = truths(budget, seen[0], N_DRAWS, rng)
        horizon = inf if self.new_groups is None else self.new_groups
        needed = self.margin + ndtri(self.threshold) * std / np.sqrt(horizon)
        in_the_end = float(np.mean(np.abs(mean) > needed))
        decided = np.zeros(N_DRAWS, dtype=bool)
        chances: dict[int, float] = {}
        for future in futures(mean, std, numbers, rng):
            now = self._decided(future)
            decided = (decided | now) if self.looks else now
            chances[future.number] = float(decided.mean())
        odds = _even_odds(chances, in_the_end)
        return [chances[number] for number in more_groups], odds, in_the_end

    def _decided(self, future: Future) -> BoolArray:
        """In which draws one of the models is better, P above the threshold."""
        n_then = self.law.n_groups + future.number
        budget = budget_with(self.law.budget, self.law.n_groups, future)
        nowhere = np.zeros(N_DRAWS, dtype=bool)
        then = NewGroups(
            budget,
            n_then,
            n_then if self.new_groups is None else self.new_groups,
            nowhere,
            budget.lead,
            nowhere,
            self.prior,
        )
        better = then.below(np.full(N_DRAWS, -self.margin))[0]
        worse = 1.0 - then.below(np.full(N_DRAWS, self.margin))[0]
        clear = self._is_clear(future) if self.looks else None
        return np.asarray(classify(better, worse, self.threshold, clear=clear).said != OPEN)

    def _is_clear(self, future: Future) -> BoolArray:
        """Whether zero lies outside of the confidence sequence of all groups together."""
        values = self.values
        n_old, n_new = values.size, future.number
        n_then = n_old + n_new
        mean = (n_old * values.mean() + n_new * future.mean) / n_then
        squares = np.sum((values - values.mean()) ** 2) + future.squares
        squares = squares + n_old * n_new / n_then * (future.mean - values.mean()) ** 2
        half = reach_at(n_then) * np.sqrt(squares / (n_then - 1) / n_then)
        return np.asarray(np.abs(mean) > half)


def _even_odds(chances: dict[int, float], in_the_end: float) -> float:
    """Where the chance passes one half; in between it is nearly straight in log n."""
    numbers = list(chances)
    first = next((i for i, chance in enumerate(chances.values()) if chance >= 0.5), None)
    if in_the_end <= 0.5 or first is None:
        return inf
    if first == 0:
        return float(numbers[0])
    low, high = numbers[first - 1], numbers[first]
    part = (0.5 - chances[low]) / (chances[high] - chances[low])
    return float(np.ceil(low * (high / low) ** part))
