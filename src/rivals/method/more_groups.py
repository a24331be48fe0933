"""What more groups may show, drawn from what the observed ones say, and the budget then.

    σ² ~ ν s²/χ²_ν,  μ ~ Σ_j p_j(z) N(k_j d̄, k_j seen σ²/s²),
    n new groups have the mean N(μ, σ²/n), and the sum of squares about it σ² χ²_{n−1}.

The budget of all G + n groups follows. What they share through their training data falls as
(G + n)^−3/2 where it was measured, and as (G + n)^−2 where it was supposed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rivals._core.types import FloatArray
from rivals.method.budget import FALLS, Budget
from rivals.method.leads import KEPT


@dataclass(frozen=True, eq=False)
class Future:
    """So many new groups, in each draw: their mean, and the sum of squares about it."""

    number: int
    mean: FloatArray
    squares: FloatArray


def truths(
    budget: Budget,
    weight: FloatArray,
    n_draws: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    """μ and σ in each draw, of one pair."""
    part = budget.degrees / rng.chisquare(budget.degrees, n_draws)
    remains = KEPT[rng.choice(KEPT.size, size=n_draws, p=weight)]
    spread = np.sqrt(remains * budget.seen[0] * part)
    return rng.normal(remains * budget.lead[0], spread), np.sqrt(budget.unit[0] * part)


def futures(
    mean: FloatArray, std: FloatArray, numbers: Sequence[int], rng: np.random.Generator
) -> Iterator[Future]:
    """What the first `numbers` of new groups may show; each draw is one study that grows."""
    count = 0
    seen = np.zeros(mean.size)
    squares = np.zeros(mean.size)
    for number in numbers:
        more = number - count
        of_more = rng.normal(mean, std / np.sqrt(more))
        squares = squares + count * more / number * (of_more - seen) ** 2
        if more > 1:
            squares += std**2 * rng.chisquare(more - 1, mean.size)
        seen = seen + more / number * (of_more - seen)
        count = number
        yield Future(number, seen, squares)


def budget_with(budget: Budget, n_groups: int, future: Future) -> Budget:
    """Of the observed and the new groups together: a pair for each draw."""
    n_then = n_groups + future.number
    grown = n_groups / n_then
    apart = future.mean - budget.lead
    squares = budget.degrees * budget.unit + future.squares + future.number * grown * apart**2
    unit = np.maximum(squares / (n_then - 1.0), budget.noise)
    of_groups = budget.of_groups / budget.unit * grown * unit
    is_measured = bool(budget.again[0])
    training = budget.training / budget.of_groups * grown * of_groups
    nothing = np.zeros(unit.size)
    return Budget(
        budget.lead + (1.0 - grown) * apart,
        unit,
        of_groups,
        nothing + budget.noise,
        nothing + budget.points * grown,
        nothing + budget.typical,
        nothing + budget.training * grown**FALLS if is_measured else training,
        nothing + budget.again * grown**FALLS,
        n_then - 1.0,
    )
