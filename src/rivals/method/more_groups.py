"""What more groups may show, drawn from what the observed ones say, and what a law says then.

    τ, μ from their law;  q = τ² + v, v the sampling variance in a new group;
    n new groups have the mean d̄ ~ N(μ, q/n), and the sum of squares about it S ~ q χ²_{n−1}.

These two are all that the law asks of groups of one size. Given τ, μ then has the precision
1/V + n/q, and each τ of the grid is weighted by how well it explains them:

    q^{−(n−1)/2} exp(−S/2q) · N(d̄; μ̂, V + q/n) .
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from rivals._types import FloatArray
from rivals.method.probability import NO_WEIGHT
from rivals.method.spread import Spread


@dataclass(frozen=True, eq=False)
class Future:
    """So many new groups, in each draw: their mean, and the sum of squares about it."""

    number: int
    mean: FloatArray
    squares: FloatArray


def futures(
    spread: Spread,
    variance: float,
    numbers: Sequence[int],
    n_draws: int,
    rng: np.random.Generator,
) -> Iterator[Future]:
    """What the first `numbers` of new groups may show; each draw is one study that grows.

    Parameters
    ----------
    spread : Spread
        Of one problem: what the observed groups say of τ and μ.
    variance : float
        v.
    numbers : sequence of int
        Increasing.
    """
    place = rng.choice(spread.tau.shape[1], size=n_draws, p=spread.weight[0, 0])
    effect = rng.normal(spread.centre[0, place], np.sqrt(spread.variance[0, place]))
    total = spread.tau[0, place] ** 2 + variance
    count = 0
    mean = np.zeros(n_draws)
    squares = np.zeros(n_draws)
    for number in numbers:
        more = number - count
        of_more = rng.normal(effect, np.sqrt(total / more))
        squares = squares + count * more / number * (of_more - mean) ** 2
        if more > 1:
            squares += total * rng.chisquare(more - 1, n_draws)
        mean = mean + more / number * (of_more - mean)
        count = number
        yield Future(number, mean, squares)


def spread_with(spread: Spread, variance: float, future: Future) -> Spread:
    """The law of τ and μ when the new groups are there, too: a problem for each draw."""
    counts = spread.weight[0, 0] > NO_WEIGHT
    tau = spread.tau[0, counts]
    centre = spread.centre[0, counts]
    before = spread.variance[0, counts]
    total = tau**2 + variance
    predicted = before + total / future.number
    gap = future.mean[:, None] - centre
    misfit = gap**2 / predicted + future.squares[:, None] / total
    determinant = np.log(predicted) + (future.number - 1) * np.log(total)
    log_weight = np.log(spread.weight[0, 0, counts]) - 0.5 * (determinant + misfit)
    weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    # μ has two estimates, from the observed groups and from the new ones: each by its precision.
    share = before / predicted
    return Spread(
        weight[None],
        centre + share * gap,
        np.broadcast_to(share * total / future.number, weight.shape),
        np.broadcast_to(tau, weight.shape),
    )


def chance_in_the_end(
    spread: Spread, threshold: float, margin: float = 0.0, new_groups: float = np.inf
) -> float:
    """What the chance of a decision tends to as ever more groups show μ and τ.

    P(|μ| − δ > z τ/√m), z the quantile of the threshold: 1 where m grows with the groups and there
    is no margin, less where the question is about a few new groups.
    """
    if threshold >= 1.0:
        return 0.0
    needed = margin + ndtri(threshold) * spread.tau[0] / np.sqrt(new_groups)
    std = np.sqrt(spread.variance[0])
    centre = spread.centre[0]
    either = ndtr((centre - needed) / std) + ndtr((-centre - needed) / std)
    return float(np.minimum(spread.weight[0, 0] @ either, 1.0))
