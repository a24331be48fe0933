"""How large leads are: a prior of them, learned from the models ranked between two.

z is the lead of one model in standard errors of what was seen, and λ what it is in truth:

    z ~ N(λ, 1),   λ ~ Σ_j p_j N(0, s_j²),   p_j(z) ∝ p_j exp(−z²/2(1 + s_j²)) / √(1 + s_j²),
    λ given z ~ Σ_j p_j(z) N(k_j z, k_j),   k_j = s_j²/(1 + s_j²),
    P(the lead is there again) = Σ_j p_j(z) Φ(z k_j/√(k_j + r)),

r the variance of what a replication draws anew, in parts of that of what was seen.

For two models p is a log-normal over scales, which real data gave. Of more, the p of a pair is
learned by EM from all pairs of the models ranked between the two: n of them count as n − 1 pairs,
what two models have as two more. So neighbours have nearly the prior of two models, the ends of a
long board what the board says, and a worse model that is added changes nothing for the others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from rivals._core.types import FloatArray, IntArray

SCALES = np.array([0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
# k_j: how much of a lead of this scale remains.
KEPT = SCALES**2 / (1.0 + SCALES**2)
# Fitted to real data sets of development: the median of scales, the standard deviation of their
# logarithm, and the probability of none. A scale of 0 stands for all below a half of the next.
MEDIAN, SPREAD, NONE = 5.4, 1.0, 0.005
# What the prior of two models counts for beside the pairs of a board; steps of EM.
STRENGTH = 2.0
ROUNDS = 30
# Leads are counted at these, each shared between the two beside it, so that P moves as z does.
NODES = np.r_[np.arange(0.0, 6.0, 0.15), np.geomspace(6.0, 200.0, 20)]
# Of a longer board so many models, evenly spaced by rank and with both ends, stand for all.
MOST_RANKS = 128


def of_two() -> FloatArray:
    """p of two models that nothing else is known of.

    Examples
    --------
    >>> of_two().round(3).tolist()
    [0.005, 0.002, 0.016, 0.067, 0.171, 0.267, 0.259, 0.155, 0.057]
    """
    size = np.log(np.maximum(SCALES, 0.12))
    p = np.exp(-0.5 * ((size - np.log(MEDIAN)) / SPREAD) ** 2)
    p[0] = 0.0
    p *= (1.0 - NONE) / p.sum()
    p[0] = NONE
    return np.asarray(p)


def given(z: FloatArray, prior: FloatArray) -> FloatArray:
    """p_j(z): the weights of the scales once a lead was seen, leads × scales."""
    with np.errstate(divide="ignore"):  # a scale without weight
        found = np.log(prior) + _log_density(z)
    found = np.exp(found - found.max(axis=-1, keepdims=True))
    return np.asarray(found / found.sum(axis=-1, keepdims=True))


def again(z: FloatArray, ratio: FloatArray, prior: FloatArray) -> FloatArray:
    """P that the lead is there again, of each pair; grows with z, and is ½ at none.

    Examples
    --------
    >>> again(np.array([0.0, 2.0, 4.0]), np.ones(3), of_two()).round(2).tolist()
    [0.5, 0.9, 1.0]
    """
    total = np.sqrt(KEPT + ratio[:, None])
    part = np.divide(KEPT, total, out=np.zeros_like(total), where=total > 0.0)
    # The smaller of both probabilities has all its digits; the other is what is left of 1.
    smaller = np.sum(given(z, prior) * ndtr(-np.abs(z)[:, None] * part), axis=1)
    return np.asarray(np.where(z < 0.0, smaller, 1.0 - smaller))


def _log_density(z: FloatArray) -> FloatArray:
    total = 1.0 + SCALES**2
    return np.asarray(-0.5 * (np.square(z)[..., None] / total + np.log(total)))


@dataclass(frozen=True, eq=False)
class Board:
    """The priors of all pairs of a board.

    Attributes
    ----------
    rank : array of int, shape (models,)
        Of each model, 0 the lowest risk.
    seat : array of int, shape (seats,)
        The ranks that stand for all, increasing.
    prior : array, shape (seats, seats, scales)
    """

    rank: IntArray
    seat: IntArray
    prior: FloatArray

    def of(self, a: IntArray, b: IntArray) -> FloatArray:
        """p of each pair: of the seats around the two."""
        low, high = np.minimum(self.rank[a], self.rank[b]), np.maximum(self.rank[a], self.rank[b])
        first = np.searchsorted(self.seat, low, side="right") - 1
        last = np.maximum(np.searchsorted(self.seat, high), first)
        return np.asarray(self.prior[first, last])


def seats(n_models: int) -> IntArray:
    """The ranks that stand for all.

    Examples
    --------
    >>> seats(3).tolist(), seats(1000)[[0, 1, -1]].tolist()
    ([0, 1, 2], [0, 8, 999])
    """
    spaced = np.linspace(0.0, n_models - 1.0, min(n_models, MOST_RANKS))
    return np.asarray(np.round(spaced).astype(np.intp))


def learned(z: FloatArray, seat: IntArray) -> FloatArray:
    """p of each pair of seats, by EM from the pairs between them.

    Parameters
    ----------
    z : array, shape (seats, seats)
        The lead of each pair, in the order of ranks; only above the diagonal, nan where unknown.
    seat : array of int
        Which ranks these are: n models between two count as n − 1 pairs, whoever stands for them.
    """
    size = len(z)
    found = np.tile(of_two(), (size, size, 1))
    if size < 2:
        return found
    i, j = np.triu_indices(size, 1)
    counts = _counted(z)[i, j]
    counts *= ((seat[j] - seat[i]) / np.maximum(counts.sum(axis=1), 1.0))[:, None]
    log_density = _log_density(NODES)
    density = np.exp(log_density - log_density.max(axis=1, keepdims=True))
    extra = STRENGTH * of_two()
    p = found[i, j]
    for _ in range(ROUNDS):
        p = p * ((counts / (p @ density.T + 1e-300)) @ density) + extra
        p /= p.sum(axis=1, keepdims=True)
    found[i, j] = p
    found[j, i] = p
    return found


def _counted(z: FloatArray) -> FloatArray:
    """How many of the pairs within each stretch of ranks are at each node: by inclusion."""
    size = len(z)
    known = np.isfinite(z)
    lead = np.clip(np.abs(np.where(known, z, 0.0)), 0.0, NODES[-1])
    place = np.minimum(np.searchsorted(NODES, lead, side="right") - 1, NODES.size - 2)
    part = (lead - NODES[place]) / (NODES[place + 1] - NODES[place])
    counts = np.zeros((size, size, NODES.size))
    for gap in range(1, size):
        i = np.arange(size - gap)
        j = i + gap
        counts[i, j] = counts[i, j - 1] + counts[i + 1, j]
        if gap > 1:
            counts[i, j] -= counts[i + 1, j - 1]
        counts[i, j, place[i, j]] += known[i, j] * (1.0 - part[i, j])
        counts[i, j, place[i, j] + 1] += known[i, j] * part[i, j]
    return np.maximum(counts, 0.0)  # rounding of what was subtracted
