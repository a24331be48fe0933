"""What became of the models in fresh groups, with the sampling error of these groups and without it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Fresh:
    """Losses of all models in many groups: means, variances of the pointwise differences, and sizes."""

    means: FloatArray  # groups × models
    variances: FloatArray  # groups × models × models
    sizes: npt.NDArray[np.intp]

    @classmethod
    def of(cls, losses: list[FloatArray]) -> Fresh:
        """From models × points of each group."""
        covariances = np.array([np.cov(one) for one in losses])
        own = np.diagonal(covariances, axis1=1, axis2=2)
        variances = np.maximum(own[:, :, None] + own[:, None, :] - 2.0 * covariances, 0.0)
        return cls(
            np.array([one.mean(axis=1) for one in losses]),
            variances,
            np.array([one.shape[1] for one in losses]),
        )

    def without(self, places: Any) -> Fresh:
        """The groups that are not at hand."""
        kept = ~np.isin(np.arange(self.sizes.size), places)
        return Fresh(self.means[kept], self.variances[kept], self.sizes[kept])

    def __len__(self) -> int:
        return int(self.sizes.size)

    @property
    def difference(self) -> FloatArray:
        """[g, a, b]: mean loss of a less that of b."""
        return self.means[:, :, None] - self.means[:, None, :]

    def wins(self) -> FloatArray:
        """[a, b]: the part of the groups in which a has the lower mean loss."""
        return np.asarray(0.5 - 0.5 * np.mean(np.sign(self.difference), axis=0))

    def wins_of_risks(self, *, pooled: bool = True) -> FloatArray:
        """The same for the risks themselves: the spread of the differences less their sampling errors, and normal.

        The variance of points is pooled over the groups, since weights by each group's own favour groups of small losses.
        """
        together = np.tensordot(self.sizes - 1, self.variances, 1) / np.sum(self.sizes - 1)
        errors = (together if pooled else self.variances) / self.sizes[:, None, None]
        centre, tau = between(self.difference, np.maximum(errors, 1e-30))
        return np.asarray(
            np.where(
                tau > 0, ndtr(-centre / np.where(tau > 0, tau, 1.0)), 0.5 - 0.5 * np.sign(centre)
            )
        )


def between(d: FloatArray, v: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation between groups (DerSimonian and Laird), along the first axis; v are sampling variances."""
    weight = 1.0 / v
    centre = np.sum(weight * d, axis=0) / weight.sum(axis=0)
    excess = np.sum(weight * (d - centre) ** 2, axis=0) - (len(d) - 1)
    square = np.maximum(
        excess / (weight.sum(axis=0) - np.sum(weight**2, axis=0) / weight.sum(axis=0)), 0.0
    )
    weight = 1.0 / (square + v)
    return np.sum(weight * d, axis=0) / weight.sum(axis=0), np.sqrt(square)
