"""The law of the difference of two models in the next of many groups.

At each τ it is a mixture of as many normal laws as there are groups, narrow beside the distances
between them: of a value, all groups but few are that far away that they count whole or not at all.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtr

from rivals._types import FloatArray, IntArray
from rivals.laws.differences import Mixture
from rivals.method.probability import share_of_residuals

# Points of the grid of τ that weigh less are left to the normal law.
LEAST_WEIGHT = 1e-16
# Beyond so many standard deviations a normal law is 0 or 1 to the last digit.
FAR = 8.5


class NextOfMany:
    """The law of one pair of models.

    Parameters
    ----------
    differences, variances : array, shape (groups,)
        Of the mean losses in each group, and their sampling variances.
    tau, sampling : array, shape (grid,)
        τ, and the variance of μ given τ.
    normal : Mixture
        The normal law of the next group, of one pair: weights, centres and widths on the grid.
    """

    def __init__(
        self,
        differences: FloatArray,
        variances: FloatArray,
        tau: FloatArray,
        sampling: FloatArray,
        normal: Mixture,
    ) -> None:
        weight = normal.weight[0]
        chosen = weight > LEAST_WEIGHT
        share = share_of_residuals(differences.size)
        self._normal = Mixture(
            np.where(chosen, 1.0 - share, 1.0) * normal.weight, normal.centre, normal.std
        )
        self._weight = share * weight[chosen] / differences.size
        self._std = np.sqrt(sampling[chosen])
        centre = normal.centre[0, chosen]
        kinds, kind = np.unique(variances, return_inverse=True)
        self._groups = _sorted_by_kind(differences, kind)
        shrinkage = 1.0 / np.sqrt(tau[chosen, None] ** 2 + kinds)
        mean, square = _moments(self._groups, shrinkage, centre)
        width = np.sqrt(square - mean**2)
        factor = np.divide(tau[chosen], width, out=np.zeros_like(width), where=width > 0.0)
        # A group lies at `_offset` + `_slope` times its difference: points of the grid × kinds.
        self._slope = factor[:, None] * shrinkage
        self._offset = (centre - factor * mean)[:, None] - self._slope * centre[:, None]

    def below(self, value: float) -> float:
        """P(D < value)."""
        found = float(self._normal.below(np.array([value]))[0])
        for kind, differences in enumerate(self._groups):
            found += float(self._weight @ self._counted(value, kind, differences))
        return min(found, 1.0)

    def _counted(self, value: float, kind: int, differences: FloatArray) -> FloatArray:
        """How many groups of a kind lie below the value, at each point of the grid.

        Those near it count in part.
        """
        slope = self._slope[:, kind]
        gap = value - self._offset[:, kind]
        with np.errstate(divide="ignore", invalid="ignore"):
            first = np.searchsorted(differences, (gap - FAR * self._std) / slope, side="left")
            last = np.searchsorted(differences, (gap + FAR * self._std) / slope, side="right")
        # Where groups do not differ, all of them are near.
        first[slope == 0.0] = 0
        last[slope == 0.0] = differences.size
        counted = first.astype(np.float64)
        for point in np.flatnonzero(last > first).tolist():
            near = differences[first[point] : last[point]]
            counted[point] += ndtr((gap[point] - slope[point] * near) / self._std[point]).sum()
        return np.asarray(counted)

    def range(self) -> tuple[float, float]:
        """Values below and above which D does not lie, unless by its normal part."""
        lowest = np.array([differences[0] for differences in self._groups])
        highest = np.array([differences[-1] for differences in self._groups])
        reach = FAR * self._std[:, None]
        low = np.min(self._offset + self._slope * lowest - reach, initial=np.inf)
        high = np.max(self._offset + self._slope * highest + reach, initial=-np.inf)
        return float(low), float(high)


def _sorted_by_kind(differences: FloatArray, kind: IntArray) -> list[FloatArray]:
    """The differences of the groups of each kind, sorted."""
    order = np.lexsort((differences, kind))
    ends = np.cumsum(np.bincount(kind))[:-1]
    return np.split(differences[order], ends)


def _moments(
    groups: list[FloatArray], shrinkage: FloatArray, centre: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Mean and mean square over all groups of (d − μ̂) times the shrinkage, at each point."""
    counts = np.array([differences.size for differences in groups], dtype=np.float64)
    means = np.array([differences.mean() for differences in groups])
    variances = np.array([differences.var() for differences in groups])
    gap = means - centre[:, None]
    mean = (shrinkage * gap) @ counts / counts.sum()
    square = (shrinkage**2 * (variances + gap**2)) @ counts / counts.sum()
    return mean, square
