"""Units that are better, worse or tied and nothing else: 0/1 items, and differences that are the
same in every unit.

    p ~ Dirichlet(1 + better, 1 + worse, 1 + ties),   of m new units each is one of the three by p,
    P(D < x) of D = u (worse − better)/m, exactly.

u is the size of a difference. D is on a lattice: each of its values is spread evenly half the way
to its neighbours, so that no difference counts half for either side.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, betaln

from rivals._core.types import FloatArray, IntArray

# More new units than this are taken as all: they add next to nothing to what fifty leave open.
MOST = 2000
# Nodes of the integral over the probability of a tie.
NODES = 200


@dataclass(frozen=True, eq=False)
class Items:
    """Counts of several pairs.

    Attributes
    ----------
    better, worse : array of int, shape (pairs,)
    n_units : int
    size : array, shape (pairs,)
        Of a difference that is none; 0 where nothing but ties can be.
    """

    better: IntArray
    worse: IntArray
    n_units: int
    size: FloatArray

    @classmethod
    def of(cls, values: FloatArray, size: FloatArray) -> Items:
        """From differences, shape (pairs, units)."""
        return cls((values < 0.0).sum(axis=1), (values > 0.0).sum(axis=1), values.shape[1], size)

    def below(self, new_units: float, value: FloatArray) -> FloatArray:
        """P(D < value) of each pair."""
        ties = self.n_units - self.better - self.worse
        part = np.divide(value, self.size, out=np.sign(value), where=self.size > 0.0)
        return below(self.better, self.worse, ties, new_units, part)

    def farthest(self, new_units: float) -> FloatArray:
        """What D never lies beyond."""
        return self.size * (1.0 + 1.0 / new_units)


def below(
    better: IntArray, worse: IntArray, ties: IntArray, new_units: float, value: FloatArray
) -> FloatArray:
    """P(worse − better < value), in parts of all new units, of each pair.

    Examples
    --------
    >>> none = np.array([0])
    >>> below(np.array([5]), none, np.array([15]), 20, np.zeros(1)).round(4).tolist()
    [0.9316]
    >>> below(np.array([7]), np.array([7]), np.array([6]), 20, np.zeros(1)).round(12).tolist()
    [0.5]
    """
    asked = np.stack([better, worse, ties, value], axis=1)
    each, back = np.unique(asked, axis=0, return_inverse=True)
    found = []
    for gained, lost, tied, at in each.tolist():
        if gained == lost and not at:
            found.append(0.5)
        elif new_units > MOST:
            found.append(_of_all(gained, lost, tied, at))
        else:
            found.append(_of_new(gained, lost, tied, int(new_units), at))
    return np.array(found)[back.ravel()]


def _of_new(better: float, worse: float, ties: float, new_units: int, value: float) -> float:
    """Σ over the numbers that are no ties, and that are worse among them."""
    decided = np.arange(new_units + 1.0)
    weight = _beta_binomial(decided, new_units, 2.0 + better + worse, 1.0 + ties)
    of_decided, of_worse = np.nonzero(decided[:, None] >= decided)
    part = _beta_binomial(decided[of_worse], decided[of_decided], 1.0 + worse, 1.0 + better)
    step = 2 * of_worse - of_decided
    reached = np.clip(value * new_units - (step - 0.5), 0.0, 1.0)
    return float(np.sum(weight[of_decided] * part * reached))


def _of_all(better: float, worse: float, ties: float, value: float) -> float:
    """Of p itself: s (2q − 1) < value, s = p_better + p_worse and q = p_worse/s beta."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    s = 0.5 * (nodes + 1.0)
    a, b = 2.0 + better + worse, 1.0 + ties
    density = np.exp((a - 1.0) * np.log(s) + (b - 1.0) * np.log1p(-s) - betaln(a, b))
    at = np.clip(0.5 + 0.5 * value / s, 0.0, 1.0)
    inside = betainc(1.0 + worse, 1.0 + better, at)
    return float(np.sum(0.5 * weights * density * inside))


def _beta_binomial(k: FloatArray, n: FloatArray | float, a: float, b: float) -> FloatArray:
    choose = -np.log1p(n) - betaln(n - k + 1.0, k + 1.0)
    return np.asarray(np.exp(choose + betaln(k + a, n - k + b) - betaln(a, b)))
