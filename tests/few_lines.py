"""Both closed laws in a few lines over `rivals.method`: what `compare` may not be far slower than.

Unlike the oracle in `plain`, they share the integration over τ with the library, so that P must be
equal to rounding.
"""

from __future__ import annotations

import numpy as np

from rivals.method.distance import wasserstein_distances
from rivals.method.probability import probability_lower, probability_next, probability_over
from rivals.method.spread import spread_between_groups


def rejects(risk, probability, threshold):
    """Which models a better one rejects."""
    return ((risk[:, None] < risk) & (probability > threshold)).any(axis=0)


def groups_law(losses, groups, threshold=0.95, m=None, margin=0.0):
    """[a, b] = P(R_a < R_b − margin) without simulations, a < b; and which models are rejected."""
    _, codes = np.unique(groups, return_inverse=True)
    sizes = np.bincount(codes)
    order = np.argsort(codes, kind="stable")
    begins = np.cumsum(sizes) - sizes
    x = losses[:, order] - np.median(losses[np.argmin(losses.mean(axis=1))])
    means = np.add.reduceat(x, begins, axis=1) / sizes
    within = x - np.repeat(means, sizes, axis=1)
    a, b = np.triu_indices(len(x), 1)
    squares = [np.sum((within[i] - within[j]) ** 2) for i, j in zip(a, b, strict=True)]
    sampling = np.array(squares)[:, None] / (codes.size - sizes.size) / sizes
    gaps = means[a] - means[b]
    spread = spread_between_groups(gaps, sampling, np.full((1, a.size), np.inf))
    m = sizes.size if m is None else m
    probability = np.full((len(x), len(x)), 0.5)
    if m == 1:
        probability[a, b] = probability_next(spread, gaps, sampling, margin)[0]
    else:
        probability[a, b] = probability_over(spread, m, margin)[0]
    probability[b, a] = 1.0 - probability[a, b]
    between = np.var(gaps, axis=1, ddof=1).sum()
    noise = sampling.sum(axis=0)
    weights = 1.0 / (max(between - noise.mean(), 0.0) + noise)
    risk = means @ (weights / weights.sum())
    return probability, rejects(risk, probability, threshold)


def transport_law(losses, simulated, c=0.25, threshold=0.95):
    """[a, b] = P(R_a < R_b) of one data set, and which models are rejected."""
    x = losses - np.median(losses[np.argmin(losses.mean(axis=1))])
    misfits = np.array(
        [np.mean(wasserstein_distances(o, s) ** 2) for o, s in zip(losses, simulated, strict=True)]
    )
    a, b = np.triu_indices(len(x), 1)
    error = np.array([np.var(x[i] - x[j], ddof=1) for i, j in zip(a, b, strict=True)])
    risk = x.mean(axis=1)
    variance = c * (misfits[a] + misfits[b]) + error / x.shape[1]
    probability = np.full((len(x), len(x)), 0.5)
    probability[a, b] = probability_lower(risk[b] - risk[a], variance)
    probability[b, a] = 1.0 - probability[a, b]
    return probability, rejects(risk, probability, threshold)
