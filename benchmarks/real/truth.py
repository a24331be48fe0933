"""What became of the candidates in fresh groups: the answers to the three questions.

next    in how many of the fresh groups a has the lower mean loss than b; ties count half
study   in how many studies of as many fresh groups as were at hand, drawn without replacement, a
        has the lower mean over groups
all     the probability that a has the lower mean over all groups there are, given those that are
        fresh: Student's t of mean/SE, since their number is finite

A mean loss in a fresh group is itself an estimate: `noise` is the variance of the difference of two
models by it, averaged over fresh groups. A probability that is scored counts it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import stdtr

FloatArray = npt.NDArray[np.float64]
QUESTIONS = ("next", "study", "all")
STUDIES = 400


@dataclass(frozen=True)
class Fresh:
    """Mean losses of all models in fresh groups, and the covariances of these means."""

    means: FloatArray  # groups × models
    error: FloatArray  # groups × models × models

    def truth(self, n_groups: int, rng: np.random.Generator) -> FloatArray:
        """[question, a, b]: how often a is better than b, for the questions in their order."""
        difference = self.means[:, :, None] - self.means[:, None, :]
        n_fresh = len(difference)
        if n_fresh < n_groups:
            raise ValueError(f"{n_fresh} fresh groups are too few for a study of {n_groups}")
        studies = np.empty((STUDIES, *difference.shape[1:]))
        for study in studies:
            study[:] = difference[rng.permutation(n_fresh)[:n_groups]].mean(axis=0)
        error = np.std(difference, axis=0, ddof=1) / np.sqrt(n_fresh)
        score = difference.mean(axis=0) / np.where(error > 0.0, error, 1.0)
        return np.stack([won(difference), won(studies), stdtr(n_fresh - 1, -score)])

    @property
    def noise(self) -> FloatArray:
        """[a, b]: variance of the difference in one fresh group by its sampling alone."""
        mean = self.error.mean(axis=0)
        own = np.diagonal(mean)
        return np.maximum(own[:, None] + own[None, :] - 2.0 * mean, 0.0)

    @property
    def best(self) -> int:
        """The model of the lowest mean over fresh groups."""
        return int(np.argmin(self.means.mean(axis=0)))


def won(difference: FloatArray) -> FloatArray:
    """The part of the first axis that is negative; zeros count half."""
    return np.asarray(0.5 - 0.5 * np.mean(np.sign(difference), axis=0))
