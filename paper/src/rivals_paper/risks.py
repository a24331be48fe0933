"""Draws of the risk by the exact process, and the probability that one of two models has the lower
one.
"""

from __future__ import annotations

import numpy as np

from rivals import HierarchicalBetaProcess, Losses
from rivals.laws.beta import DrawnDifferences
from rivals_paper.arrays import FloatArray


def sample_risk(losses: Losses, c: float, n_draws: int, rng: np.random.Generator) -> FloatArray:
    """Return draws of the risk."""
    return HierarchicalBetaProcess.from_losses(losses, c=c).sample_risk(n_draws, rng)


def probability(first: FloatArray, second: FloatArray) -> tuple[float, float]:
    """Return P(R_first < R_second) from draws of both, in any order, and its Monte Carlo standard
    error.
    """
    draws = [[np.sort(first)], [np.sort(second)]]
    law = DrawnDifferences(draws, np.array([0]), np.array([1]))
    zero = np.zeros(1)
    return float(law.below(zero)[0, 0]), float(law.error(zero)[0])
