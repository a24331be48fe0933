"""How probably more groups bring a verdict: what they may show is drawn from those at hand.

    τ, μ from their law;  q = τ² + v, with v the sampling variance in a new group;
    n new groups have the mean d̄ ~ N(μ, q/n) and the sum of squares about it SS ~ q χ²_{n−1}.

These two are all that law "groups" asks of n groups of equal size. Given τ, μ then has the
precision 1/V + n/q, and each τ of the grid is weighted by how well it explains them:

    q^{−(n−1)/2} exp(−SS/2q) · N(d̄; μ̂, V + q/n) .

The chance of a verdict is the share of such futures in which the law is sure of one model. As
n → ∞, μ and τ are known, and it is P(|μ| − δ > z τ/√m), z = Φ⁻¹(ε): 1 where m grows with the groups
and there is no margin δ, but less where the question is the next group, m = 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import inf

import numpy as np
from scipy.special import gammaincinv, ndtr, ndtri

from rivals._types import FloatArray, IntArray
from rivals.method.probability import NO_WEIGHT, probability_over
from rivals.method.spread import Spread

# Nobody adds more groups than this.
MOST = 100_000


@dataclass(frozen=True, eq=False)
class Outlook:
    """One pair of models, undecided so far, and what more groups may bring.

    Parameters
    ----------
    spread : Spread
        Of this pair, under one prior.
    variance : float
        v, the sampling variance of the difference in a new group.
    at_hand : int
        G, how many groups there are.
    new_groups : float or None
        m, how many new groups the verdict is about; None: as many as are then at hand.
    margin, threshold : float
        A verdict is that the difference exceeds the margin, in one direction, with a probability
        above the threshold.

    Examples
    --------
    >>> from rivals.method.spread import spread_between_groups
    >>> differences = np.array([[-1.0, 0.2, -1.5, 0.5, -1.2]])
    >>> spread = spread_between_groups(differences, np.full((1, 5), 0.1), np.zeros((1, 1)))
    >>> outlook = Outlook(spread, 0.1, at_hand=5)
    >>> futures = draw_futures(spread, 500, np.random.default_rng(0))
    >>> [round(outlook.chance(futures, more), 1) for more in (5, 20, 80)]
    [0.3, 0.6, 0.8]
    """

    spread: Spread
    variance: float
    at_hand: int
    new_groups: float | None = None
    margin: float = 0.0
    threshold: float = 0.95

    def chance(self, futures: Futures, more: int) -> float:
        """The share of the futures in which n more groups bring a verdict."""
        horizon = self.at_hand + more if self.new_groups is None else self.new_groups
        then = spread_with(self.spread, futures, self.variance, more)
        better = probability_over(then, horizon, self.margin)[0]
        worse = 1.0 - better
        if self.margin:
            worse = 1.0 - probability_over(then, horizon, -self.margin)[0]
        return float(np.mean(np.maximum(better, worse) > self.threshold))

    @cached_property
    def ceiling(self) -> float:
        """What the chance tends to as n → ∞."""
        if self.threshold >= 1.0:
            return 0.0
        horizon = inf if self.new_groups is None else self.new_groups
        spread = self.spread
        needed = self.margin + ndtri(self.threshold) * spread.tau / np.sqrt(horizon)
        std = np.sqrt(spread.variance)
        either = ndtr((spread.centre - needed) / std) + ndtr((-spread.centre - needed) / std)
        return float(np.minimum(np.sum(spread.weight[0] * either), 1.0))

    def even_odds(self, futures: Futures) -> float:
        """How many more groups make a verdict as probable as none; inf where no number does.

        The number is doubled until there are enough. In between, the chance is nearly straight in
        log n.
        """
        if self.ceiling <= 0.5:
            return inf
        before = 0.0
        number = 1
        while number < MOST:
            chance = self.chance(futures, number)
            if chance >= 0.5:
                beyond = (chance - 0.5) / (chance - before)
                return float(np.ceil(number * 0.5**beyond))
            before = chance
            number *= 2
        return inf


@dataclass(frozen=True, eq=False)
class Futures:
    """Draws of what is unknown: the same for every number of new groups, so that chances compare.

    Attributes
    ----------
    place : array of int, shape (draws,)
        Of τ on the grid.
    effect : array, shape (draws,)
        μ.
    normal, uniform : array, shape (draws,)
        What chance adds to the mean of the new groups, and to their sum of squares.
    """

    place: IntArray
    effect: FloatArray
    normal: FloatArray
    uniform: FloatArray


def draw_futures(spread: Spread, n_draws: int, rng: np.random.Generator) -> Futures:
    """μ and τ of one pair, drawn from their law."""
    place = rng.choice(spread.tau.size, size=n_draws, p=spread.weight[0, 0])
    centre = spread.centre[0, place]
    std = np.sqrt(spread.variance[0, place])
    effect = centre + std * rng.standard_normal(n_draws)
    return Futures(place, effect, rng.standard_normal(n_draws), rng.random(n_draws))


def spread_with(spread: Spread, futures: Futures, variance: float, more: int) -> Spread:
    """The law of μ and τ when n more groups are at hand: one problem for each future."""
    counts = spread.weight[0, 0] > NO_WEIGHT
    tau = spread.tau[0, counts]
    centre = spread.centre[0, counts]
    old = spread.variance[0, counts]
    mean, squares = _of_new_groups(spread, futures, variance, more)
    total = tau**2 + variance
    predicted = old + total / more
    misfit = (mean[:, None] - centre) ** 2 / predicted + squares[:, None] / total
    determinant = np.log(predicted) + (more - 1) * np.log(total)
    log_weight = np.log(spread.weight[0, 0, counts]) - 0.5 * (determinant + misfit)
    weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
    weight /= weight.sum(axis=1, keepdims=True)
    # μ has two estimates, from the groups at hand and from the new ones: each by its precision.
    share = old / predicted
    return Spread(
        weight[None],
        centre + share * (mean[:, None] - centre),
        np.broadcast_to(share * total / more, weight.shape),
        np.broadcast_to(tau, weight.shape),
    )


def _of_new_groups(
    spread: Spread, futures: Futures, variance: float, more: int
) -> tuple[FloatArray, FloatArray]:
    """d̄ and SS of the new groups, in each future."""
    total = spread.tau[0, futures.place] ** 2 + variance
    mean = futures.effect + np.sqrt(total / more) * futures.normal
    if more == 1:
        return mean, np.zeros_like(mean)
    chi_square = 2.0 * gammaincinv(0.5 * (more - 1), futures.uniform)
    return mean, total * chi_square
