"""Replications at hand: which model is better in a new group, from the differences seen in several groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from rivals._types import FloatArray, IntArray

# The spread between groups, τ, is integrated on this many points up to this many standard deviations of the data.
GRID_POINTS, GRID_REACH = 81, 6.0

# Pairs are computed in pieces of about this many numbers.
CHUNK = 2**20


@dataclass(frozen=True)
class GroupSummary:
    """What the groups say about each pair of models and about each model.

    Parameters
    ----------
    difference : array, shape (models, models)
        Posterior mean of μ, the mean over groups of the difference of the risks, row less column.
    spread : array, shape (models, models)
        Posterior mean of τ, the standard deviation between groups of that difference.
    risk_mean, risk_std : array, shape (models,)
        Predictive mean and standard deviation of the risk of each model in a new group.
    """

    difference: FloatArray
    spread: FloatArray
    risk_mean: FloatArray
    risk_std: FloatArray


def group_probability(differences: FloatArray, variances: FloatArray) -> float:
    """Predictive probability that the true difference in a *new* group is negative.

    d_g ~ N(μ, τ² + w_g), with a flat prior on μ, which is integrated exactly, and a flat prior on τ ≥ 0, which is
    integrated on a grid.

    Parameters
    ----------
    differences : array, shape (groups,)
        Mean difference d_g in each group.
    variances : array, shape (groups,)
        Squared standard error w_g of each. They may differ, as groups may differ in size, and may be zero.

    Examples
    --------
    >>> round(group_probability(np.array([-1.0, -2.0, -1.5, -0.5, -1.2]), np.full(5, 0.1)), 3)
    0.933
    """
    return float(_probability_negative(differences[None, :], variances[None, :])[0])


def group_probabilities(means: FloatArray, covariances: FloatArray) -> FloatArray:
    """[a, b] = probability that model a has the lower risk of the two in a new group, for every pair.

    Parameters
    ----------
    means : array, shape (models, groups)
        Mean loss of each model in each group.
    covariances : array, shape (groups, models, models)
        Covariance of these means within each group, see `mean_covariance`.

    Returns
    -------
    array, shape (models, models)
        ½ on the diagonal; [a, b] + [b, a] = 1 exactly.

    Examples
    --------
    >>> means = np.array([[1.0, 2.0, 3.0, 2.5], [1.6, 2.4, 3.5, 3.1]])
    >>> group_probabilities(means, np.full((4, 2, 2), 0.02) + 0.002 * np.eye(2)).round(3)
    array([[0.5  , 0.987],
           [0.013, 0.5  ]])
    """
    n_models = means.shape[0]
    first, second = np.triu_indices(n_models, 1)
    probability = np.full((n_models, n_models), 0.5)
    for piece in _pieces(first.size, means.shape[1]):
        a, b = first[piece], second[piece]
        probability[a, b] = _probability_negative(*_pair(means, covariances, a, b))
        probability[b, a] = 1.0 - probability[a, b]
    return probability


def group_summary(means: FloatArray, covariances: FloatArray) -> GroupSummary:
    """What the groups say about each pair and each model; parameters as for `group_probabilities`."""
    n_models = means.shape[0]
    first, second = np.triu_indices(n_models, 1)
    difference, spread = np.zeros((n_models, n_models)), np.zeros((n_models, n_models))
    for piece in _pieces(first.size, means.shape[1]):
        a, b = first[piece], second[piece]
        centre, tau, _ = _posterior_moments(*_pair(means, covariances, a, b))
        difference[a, b], difference[b, a] = centre, -centre
        spread[a, b] = spread[b, a] = tau
    reference = np.median(means)
    own = np.moveaxis(np.diagonal(covariances, axis1=1, axis2=2), 0, 1)
    centre, _, std = _posterior_moments(means - reference, own)
    return GroupSummary(difference, spread, reference + centre, std)


# ---------------------------------------------------------------- kernels: problems × groups in, problems out


@dataclass(frozen=True)
class _Posterior:
    """Of several problems at once: the grid of τ with its weights, and μ given τ. Arrays are problems × grid."""

    tau: FloatArray
    weight: FloatArray
    centre: FloatArray  # mean of μ given τ
    variance: FloatArray  # variance of μ given τ

    @classmethod
    def of(cls, differences: FloatArray, variances: FloatArray) -> _Posterior:
        """Differences in units of their spread; see `_standardise`."""
        # Quadratic spacing, since small τ matter; midpoints, since at τ = 0 the density has no limit where w_g = 0.
        u = (np.arange(GRID_POINTS) + 0.5) / GRID_POINTS
        tau = GRID_REACH * u**2
        total = tau[:, None] ** 2 + variances[:, None, :]
        precision = 1.0 / total
        whole = precision.sum(axis=2)
        centre = np.sum(precision * differences[:, None, :], axis=2) / whole
        misfit = np.sum(precision * (differences[:, None, :] - centre[:, :, None]) ** 2, axis=2)
        log_density = -0.5 * (np.log(total).sum(axis=2) + np.log(whole) + misfit)
        weight = u * np.exp(log_density - log_density.max(axis=1, keepdims=True))  # dτ ∝ u du
        return cls(np.broadcast_to(tau, centre.shape), weight / weight.sum(axis=1, keepdims=True), centre, 1.0 / whole)


def _standardise(differences: FloatArray, variances: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Differences and variances in units of the spread between groups, and that unit.

    The unit is the standard deviation of the differences, or the value that sampling alone would give, if larger:
    groups that agree by chance do not prove that τ is 0. It is zero where all agree and have no sampling error.
    """
    with np.errstate(divide="ignore"):
        sampling = 1.0 / np.mean(1.0 / variances, axis=1)
    unit = np.sqrt(np.maximum(np.var(differences, axis=1, ddof=1), sampling))
    safe = np.where(unit > 0.0, unit, 1.0)[:, None]
    return differences / safe, variances / safe**2, unit


def _probability_negative(differences: FloatArray, variances: FloatArray) -> FloatArray:
    differences, variances, unit = _standardise(differences, variances)
    posterior = _Posterior.of(differences, variances)
    score = -posterior.centre / np.sqrt(posterior.variance + posterior.tau**2)
    certain = 0.5 - 0.5 * np.sign(differences[:, 0])  # no spread at all: as in the groups seen
    return np.where(unit > 0.0, np.minimum(np.sum(posterior.weight * ndtr(score), axis=1), 1.0), certain)


def _posterior_moments(differences: FloatArray, variances: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Posterior means of μ and τ, and the standard deviation of the true difference in a new group."""
    standard, standard_variances, unit = _standardise(differences, variances)
    posterior = _Posterior.of(standard, standard_variances)
    weight = posterior.weight
    centre = np.sum(weight * posterior.centre, axis=1)
    within = posterior.tau**2 + posterior.variance + (posterior.centre - centre[:, None]) ** 2
    std = unit * np.sqrt(np.sum(weight * within, axis=1))
    tau = unit * np.sum(weight * posterior.tau, axis=1)
    return np.where(unit > 0.0, unit * centre, differences[:, 0]), tau, std


def _pair(means: FloatArray, covariances: FloatArray, a: IntArray, b: IntArray) -> tuple[FloatArray, FloatArray]:
    """Differences a − b (pairs × groups) and the variances of their means."""
    variances = covariances[:, a, a] + covariances[:, b, b] - 2.0 * covariances[:, a, b]
    return means[a] - means[b], np.maximum(variances.T, 0.0)


def _pieces(n_pairs: int, n_groups: int) -> list[slice]:
    step = max(CHUNK // (GRID_POINTS * n_groups), 1)
    return [slice(begin, begin + step) for begin in range(0, n_pairs, step)]
