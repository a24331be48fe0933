"""What became of the candidates in fresh groups: the answers to the three questions.

next    in how many of the fresh groups a has the lower mean loss than b; ties count half
study   in how many repetitions of the study, each of as many fresh groups as were at hand, a has
        the lower mean over groups
all     the probability that a has the lower mean over all groups there are, given those that are
        fresh: Φ(−mean/SE), since their number is finite
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr

FloatArray = npt.NDArray[np.float64]
QUESTIONS = ("next", "study", "all")
REPETITIONS = 400


@dataclass(frozen=True)
class Fresh:
    """Mean losses of all models in fresh groups."""

    means: FloatArray  # groups × models

    def without(self, places: npt.NDArray[np.intp]) -> Fresh:
        """The groups that are not at hand."""
        kept = ~np.isin(np.arange(len(self.means)), places)
        return Fresh(self.means[kept])

    def truth(self, n_groups: int, rng: np.random.Generator) -> FloatArray:
        """[question, a, b]: how often a is better than b, for the questions in their order."""
        difference = self.means[:, :, None] - self.means[:, None, :]
        n_fresh = len(difference)
        studies = np.empty((REPETITIONS, *difference.shape[1:]))
        for place in range(REPETITIONS):
            # Without replacement where there are groups for two studies.
            chosen = rng.choice(n_fresh, n_groups, replace=n_fresh < 2 * n_groups)
            studies[place] = difference[chosen].mean(axis=0)
        error = np.std(difference, axis=0, ddof=1) / np.sqrt(n_fresh)
        scale = np.where(error > 0.0, error, 1.0)
        return np.stack(
            [
                won(difference),
                won(studies),
                ndtr(-difference.mean(axis=0) / scale),
            ]
        )

    @property
    def best(self) -> int:
        """The model of the lowest mean over fresh groups."""
        return int(np.argmin(self.means.mean(axis=0)))


def won(difference: FloatArray) -> FloatArray:
    """The part of the first axis that is negative; zeros count half."""
    return np.asarray(0.5 - 0.5 * np.mean(np.sign(difference), axis=0))
