"""Method "transport" in a few lines: what `compare` may not be far slower than."""

from __future__ import annotations

import numpy as np

from rivals.method.distance import wasserstein_distances
from rivals.method.probability import probability_lower


def rejects(risk, probability, threshold):
    """Which models a better one rejects."""
    return ((risk[:, None] < risk) & (probability > threshold)).any(axis=0)


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
