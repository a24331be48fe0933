"""What many methods share: means of groups, and a matrix made pair by pair."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
Losses = list[FloatArray]  # of each group (or fold), models × points


def means(losses: Losses) -> FloatArray:
    """Mean loss of each model in each group, groups × models."""
    return np.array([one.mean(axis=1) for one in losses])


def joined(losses: Losses) -> FloatArray:
    """All points, models × points."""
    return np.concatenate(losses, axis=1)


def by_pairs(
    n_models: int, probability: Callable[[int, int], float], *, slow: bool = False
) -> FloatArray:
    """P[a, b] from a function of two models.

    It is asked both ways, since 1 − P says little of how sure a very sure one is; a slow one is not.
    """
    found = np.full((n_models, n_models), 0.5)
    for a, b in combinations(range(n_models), 2):
        found[a, b] = probability(a, b)
        found[b, a] = 1.0 - found[a, b] if slow else probability(b, a)
    return found


def one_sided(p_value: float, difference: float) -> float:
    """P(a better than b) from a p-value of two sides and the sign of a's loss less b's."""
    half = 0.5 * p_value
    return 1.0 - half if difference < 0.0 else half
