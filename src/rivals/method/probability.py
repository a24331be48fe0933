"""The probability that the risk of one model is lower than that of another, by more than a margin.

One data set, law "transport":   P = Φ( (m_b − m_a − δ) / √(c (W_a² + W_b²) + se²) )
m new groups, law "groups":      P = E_τ Φ( (−δ − μ̂) / √(V + τ²/m) )
one new group, law "groups":     P = E_τ mean_g Φ( (−δ − μ̂ − r_g) / √V ), with G < 8 groups in part

m_a is the mean loss of model a, se the standard error of the paired difference, δ the margin, and
r_g what group g has beyond the mean: effects are often skewed, and a new group takes after those
observed. All functions take arrays.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr, stdtr

from rivals._types import FloatArray
from rivals.method.spread import Spread

# From this many groups on a new group takes after the residuals alone; with fewer, in part.
ENOUGH_GROUPS = 8
# Points of the grid of τ with less weight than this do not change a probability.
NO_WEIGHT = 1e-8
# Residuals of this many groups are computed at a time: what the processor's cache holds.
CHUNK = 2**17


def probability_lower(
    gap: FloatArray, variance: FloatArray, degrees: FloatArray | None = None
) -> FloatArray:
    """P(R_a < R_b) from the gap m_b − m_a − δ and the variance of the difference.

    Normal, or Student's t where the variance is an estimate with so many degrees of freedom.

    Examples
    --------
    >>> probability_lower(np.array([0.0, 1.645, -1.645]), np.ones(3)).round(3)
    array([0.5 , 0.95, 0.05])
    """
    if not np.isfinite(variance).all():
        raise ValueError("losses this large overflow; rescale the loss")
    spread = np.sqrt(np.maximum(variance, 0.0))  # rounding can make that of like models negative
    no_spread = np.where(gap == 0.0, 0.0, np.inf)
    with np.errstate(over="ignore"):
        score = np.divide(np.abs(gap), spread, out=no_spread, where=spread > 0.0)
    # The smaller of both probabilities has all its digits; the other is what is left of 1.
    smaller = ndtr(-score) if degrees is None else stdtr(degrees, -score)
    return np.asarray(np.where(gap < 0.0, smaller, 1.0 - smaller))


def probability_over(
    spread: Spread, new_groups: float, margin: float | FloatArray = 0.0
) -> FloatArray:
    """P(the mean difference over m new groups is below −δ), priors × problems.

    A problem is a pair of models; δ is one for all, or one of each. P is of the mean risk over the
    new groups, each weighing the same: no sampling noise. For a single new group there is also
    `probability_next`.
    """
    limit = -np.broadcast_to(margin, len(spread.tau))
    score = (limit[:, None] - spread.centre) / spread.std_over(new_groups)
    return mean_over_tau(spread, ndtr(score))


def probability_next(
    spread: Spread,
    differences: FloatArray,
    variances: FloatArray,
    margin: float | FloatArray = 0.0,
) -> FloatArray:
    """P(the difference in a new group is below −δ), priors × problems, by the residual law.

    From eight groups on a new group takes after the residuals of those observed; with fewer, in
    part, the rest being normal. At points of the grid of τ that weigh less it is normal, too.
    """
    n_groups = differences.shape[1]
    limit = -np.broadcast_to(margin, len(differences))
    share = share_of_residuals(n_groups)
    score = (limit[:, None] - spread.centre) / spread.std_over(1.0)
    heights = ndtr(score)
    # Only where τ has any weight, and some at a time: this is problems × grid × groups.
    every_problem, every_point = np.nonzero(spread.weight.max(axis=0) > NO_WEIGHT)
    heights[every_problem, every_point] *= 1.0 - share
    step = max(CHUNK // n_groups, 1)
    for begin in range(0, every_problem.size, step):
        problem = every_problem[begin : begin + step]
        point = every_point[begin : begin + step]
        centre = spread.centre[problem, point][:, None]
        tau = spread.tau[problem, point][:, None]
        std = np.sqrt(spread.variance[problem, point])[:, None]
        residual = residuals(differences[problem] - centre, variances[problem], tau)
        score = (limit[problem][:, None] - centre - residual) / std
        heights[problem, point] += share * np.mean(ndtr(score, out=score), axis=1)
    return mean_over_tau(spread, heights)


def share_of_residuals(n_groups: int) -> float:
    """How far a new group takes after the residuals of so many groups: 1 from eight on."""
    return min(n_groups / ENOUGH_GROUPS, 1.0)


def residuals(deviations: FloatArray, variances: FloatArray, tau: FloatArray) -> FloatArray:
    """r_g = (d_g − μ̂) √(τ²/(τ² + v_g)), centred and with variance τ²; groups on the last axis.

    The factor takes the sampling error out of d_g: the risk in a new group has none.
    """
    shrunk = deviations / np.sqrt(tau**2 + variances)
    shrunk -= shrunk.mean(axis=-1, keepdims=True)
    square = np.einsum("...g,...g->...", shrunk, shrunk)[..., None] / shrunk.shape[-1]
    factor = np.divide(tau, np.sqrt(square), out=np.zeros_like(tau), where=square > 0.0)
    return np.asarray(shrunk * factor)


def mean_over_tau(spread: Spread, heights: FloatArray) -> FloatArray:
    """The mean over the grid of τ, priors × problems; never above 1 by rounding."""
    mean = np.sum(spread.weight * heights, axis=2)
    return np.asarray(np.minimum(mean, 1.0))
