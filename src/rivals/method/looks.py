"""Looking after every group: a confidence sequence of the mean difference over groups.

Who tests again and again while data come in names a false winner sooner or later. An interval that
holds at all numbers of groups *together* may be looked at as often as one likes:

    mean ± s/√n · √( (n − 1)(A − 1) / (1 − A/g) ),  g = 1 + n κ²,  A = (g/α²)^{1/n},

a mixture of t statistics over effects of a standard deviation κ = 1 in units of s; infinite where
A ≥ g. In both directions together it misses the mean with a probability of at most α, exactly so
for normal differences of equal variance.
"""

from __future__ import annotations

import numpy as np

from rivals._core.types import BoolArray, FloatArray

# Of both directions together: a winner of one direction is false in half of this.
MISSED = 0.10
# The effects that the sequence is narrowest for, in standard deviations between groups.
EFFECT = 1.0


def reach_at(n_groups: int) -> float:
    """Half the width of the interval after n groups, in units of s/√n.

    Examples
    --------
    >>> round(reach_at(10), 2), reach_at(2)
    (3.34, inf)
    """
    if n_groups < 2:
        return np.inf
    growth = 1.0 + n_groups * EFFECT**2
    limit = (growth / MISSED**2) ** (1.0 / n_groups)
    if limit >= growth:
        return np.inf
    return float(np.sqrt((n_groups - 1) * (limit - 1.0) / (1.0 - limit / growth)))


def confidence_sequence(differences: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The interval of the mean after each group, in the order in which groups came.

    Parameters
    ----------
    differences : array, shape (pairs, groups)

    Returns
    -------
    low, high : array, shape (pairs, groups)
        Infinite while nothing can be said.
    """
    count = np.arange(1, differences.shape[1] + 1)
    mean = np.cumsum(differences, axis=1) / count
    middle = differences[:, :1]
    square = np.cumsum((differences - middle) ** 2, axis=1)
    spread = np.maximum(square - count * (mean - middle) ** 2, 0.0) / np.maximum(count - 1, 1)
    reach = np.array([reach_at(n) for n in count.tolist()])
    with np.errstate(invalid="ignore"):  # infinity times no spread
        half = np.where(np.isinf(reach), np.inf, reach * np.sqrt(spread / count))
    return mean - half, mean + half


def excludes_zero(differences: FloatArray) -> BoolArray:
    """Whether zero lies outside of the interval after the last group, of each pair."""
    n_groups = differences.shape[1]
    mean = differences.mean(axis=1)
    reach = reach_at(n_groups)
    if np.isinf(reach):
        return np.zeros(len(differences), dtype=bool)
    half = reach * np.std(differences, axis=1, ddof=1) / np.sqrt(n_groups)
    return np.asarray(np.abs(mean) > half)
