"""How much the difference of two models varies between groups: the law of τ and μ, given d_g.

    d_g ~ N(μ, τ² + v_g),  μ flat,  τ ~ half-t with 3 degrees of freedom and a scale; infinite: flat

d_g is the mean paired difference in group g, and v_g = σ²/n_g its sampling variance. Given τ, μ is
normal about μ̂ with variance V. τ itself is integrated on a grid of log τ: first over decades
around the scales of the problem, then where it is probable.

All functions take many problems at a time: arrays are problems × groups, or problems × grid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rivals._types import FloatArray, IntArray

FIRST_POINTS = 41
POINTS = 97
# With more groups than this the grid is finer: the residual law has a step at each of them.
MANY_GROUPS = 300
DECADES = 1e3
# What is less probable than exp(−30), relative to the most probable τ, does not count.
NEGLIGIBLE = 30.0


@dataclass(frozen=True, eq=False)
class Spread:
    """τ on a grid; μ̂ and V there. Arrays are problems × grid; weights may have priors before
    them.

    Attributes
    ----------
    weight : array, shape (priors, problems, grid)
        Probability of each point of the grid, under each prior of τ.
    centre, variance : array, shape (problems, grid)
        μ̂ and V, the mean and variance of μ given τ.
    tau : array, shape (problems, grid)
    """

    weight: FloatArray
    centre: FloatArray
    variance: FloatArray
    tau: FloatArray

    def std_over(self, new_groups: float) -> FloatArray:
        """√(V + τ²/m): how uncertain the mean over m new groups is, given τ."""
        return np.asarray(np.sqrt(self.variance + self.tau**2 / new_groups))


def spread_between_groups(
    differences: FloatArray,
    variances: FloatArray,
    scales: FloatArray,
    *,
    points: tuple[int, int] | None = None,
) -> Spread:
    """The law of τ and μ from the differences in each group.

    Parameters
    ----------
    differences, variances : array, shape (problems, groups)
        d_g and v_g.
    scales : array, shape (priors, problems)
        Of the half-t prior of τ; infinite for a flat one, which needs three groups.

    Examples
    --------
    >>> differences = np.array([[-1.0, -2.0, -1.5, -0.5, -1.2]])
    >>> spread = spread_between_groups(differences, np.full((1, 5), 0.1), np.full((1, 1), np.inf))
    >>> mean_tau = np.sum(spread.weight[0] * spread.tau)
    >>> round(float(mean_tau), 2)
    0.75
    """
    middle = np.median(differences, axis=1, keepdims=True)
    moved = differences - middle  # an offset that all groups share costs no digits
    alike = _join_equal(moved, variances)
    if points is None:
        points = (FIRST_POINTS, POINTS if differences.shape[1] <= MANY_GROUPS else 4 * POINTS)
    first_points, n_points = points
    low, high = _first_ends(moved, variances, scales)
    first = _grid(np.log(low), np.log(high), first_points)
    log_density = _log_likelihood(first, alike)[0] + np.log(_prior(first, scales[:1])[0])
    log_tau = _grid(*_where_probable(first, log_density), n_points)
    log_likelihood, centre, variance = _log_likelihood(log_tau, alike)
    likelihood = np.exp(log_likelihood - log_likelihood.max(axis=1, keepdims=True))
    weight = likelihood * _prior(log_tau, scales)
    weight[..., [0, -1]] *= 0.5  # the trapezoid rule
    n_groups = differences.shape[1]
    weight, tau = _with_tails(weight, log_tau, n_groups, flat=np.isinf(scales))
    weight /= weight.sum(axis=2, keepdims=True)
    centre = np.concatenate([centre[:, :1], centre, centre[:, -1:]], axis=1)
    variance = np.concatenate([variance[:, :1], variance, variance[:, -1:]], axis=1)
    # Far out, the mean over the groups at hand is as uncertain as τ says: V = τ²/G.
    variance[:, -1] = tau[:, -1] ** 2 / n_groups
    return Spread(weight, middle + centre, variance, tau)


def _grid(low: FloatArray, high: FloatArray, n_points: int) -> FloatArray:
    """Evenly spaced points of each problem, one row each also in memory: sums along it then add in
    the same order, however many problems there are.
    """
    steps = np.arange(n_points) / (n_points - 1.0)
    return np.asarray(low[:, None] + (high - low)[:, None] * steps)


@dataclass(frozen=True, eq=False)
class _Alike:
    """Groups of equal sampling variance enter the likelihood together.

    Sums over them are enough.
    """

    counts: FloatArray  # (distinct,)
    variances: FloatArray  # (problems, distinct)
    sums: FloatArray  # of the differences
    squares: FloatArray  # of the differences


def _join_equal(moved: FloatArray, variances: FloatArray) -> _Alike:
    """Sums over the groups of equal variance: groups of one size, for all problems alike."""
    place = _kinds(variances)
    # In the order of the groups, and without a matrix product: no problem then depends on which
    # others stand beside it, to the last bit.
    joined = np.argsort(place, kind="stable")
    counts = np.bincount(place)
    begins = np.cumsum(counts) - counts
    sorted_by_kind = np.take(moved, joined, axis=1)
    sums = np.add.reduceat(sorted_by_kind, begins, axis=1)
    squares = np.add.reduceat(sorted_by_kind**2, begins, axis=1)
    of_kinds = variances[:, joined[begins]]
    return _Alike(counts.astype(np.float64), of_kinds, sums, squares)


def _kinds(variances: FloatArray) -> IntArray:
    """Which groups have equal variances in all problems: a number for each, in their order."""
    _, first, place = np.unique(variances[0], return_index=True, return_inverse=True)
    if not np.array_equal(variances, variances[:, first[place]]):
        # Groups that are equal in the first problem differ in another.
        _, first, place = np.unique(variances, axis=1, return_index=True, return_inverse=True)
    by_first = np.empty_like(first)
    by_first[np.argsort(first)] = np.arange(first.size)
    return by_first[place.ravel()]


def _first_ends(
    moved: FloatArray, variances: FloatArray, scales: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Where τ begins and ends: decades beyond the scale of the prior, and what the groups show."""
    shown = np.sqrt(np.maximum(np.var(moved, axis=1, ddof=1), variances.min(axis=1)))
    prior = np.where(np.isinf(scales), shown, scales)
    low = np.minimum(prior.min(axis=0), shown) / DECADES
    high = np.maximum(prior.max(axis=0), shown) * DECADES
    return low, high


def _log_likelihood(
    log_tau: FloatArray, alike: _Alike
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Log likelihood of log τ with μ integrated out, times τ; μ̂ and V given τ.

    Problems × grid.
    """
    tau_square = np.exp(2.0 * log_tau)
    whole = np.zeros_like(log_tau)
    sums = np.zeros_like(log_tau)
    squares = np.zeros_like(log_tau)
    determinant = np.zeros_like(log_tau)
    # One kind of group after the other: nothing is as large as problems × grid × groups.
    for kind, count in enumerate(alike.counts.tolist()):
        total = tau_square + alike.variances[:, kind, None]
        precision = 1.0 / total
        whole += count * precision
        sums += precision * alike.sums[:, kind, None]
        squares += precision * alike.squares[:, kind, None]
        determinant += count * np.log(total, out=total)
    centre = sums / whole
    misfit = np.maximum(squares - whole * centre**2, 0.0)
    # A flat density of τ is one of log τ that grows as τ.
    log_likelihood = log_tau - 0.5 * (determinant + np.log(whole) + misfit)
    return log_likelihood, centre, 1.0 / whole


def _prior(log_tau: FloatArray, scales: FloatArray) -> FloatArray:
    """Half-t with 3 degrees of freedom, 1 at τ = 0; flat where the scale is infinite."""
    ratio = 1.0 / (3.0 * scales**2)
    height = 1.0 + np.exp(2.0 * log_tau) * ratio[:, :, None]
    return np.asarray(1.0 / (height * height))


def _where_probable(log_tau: FloatArray, log_density: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The part of each grid, a step more on either side, outside of which nothing counts."""
    counts = log_density > log_density.max(axis=1, keepdims=True) - NEGLIGIBLE
    last = log_tau.shape[1] - 1
    begin = np.maximum(np.argmax(counts, axis=1) - 1, 0)
    end = np.minimum(last - np.argmax(counts[:, ::-1], axis=1) + 1, last)
    rows = np.arange(len(log_tau))
    return log_tau[rows, begin], log_tau[rows, end]


def _with_tails(
    weight: FloatArray, log_tau: FloatArray, n_groups: int, *, flat: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """One point more on either side, for what lies beyond the grid.

    Below it the density of τ is that at its end; above it falls as τ^−(G − 1), times τ^−4 under
    the half-t.
    """
    step = (log_tau[:, 1] - log_tau[:, 0])[None, :]
    power = n_groups - 2 + np.where(flat, 0.0, 4.0)
    # The trapezoid has halved the weights of the ends, which are densities times the step.
    below = 2.0 * weight[..., 0] / step
    above = 2.0 * weight[..., -1] / (step * power)
    tau = np.exp(log_tau)
    tau = np.concatenate([0.5 * tau[:, :1], tau, 2.0 * tau[:, -1:]], axis=1)
    return np.concatenate([below[..., None], weight, above[..., None]], axis=2), tau
