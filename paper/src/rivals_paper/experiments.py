"""Simulated experiments whose truth is known.

The calibration curve, and what it is summarised by.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rivals_paper.arrays import FloatArray, IntArray


class Verdicts(NamedTuple):
    """How often a winner was named, and how often it was the wrong one (nan where none was
    named).
    """

    stated: float
    wrong: float


@dataclass(frozen=True)
class Experiments:
    """Probabilities [experiment, c] and truth (1: the first model has the lower risk) of one
    condition.
    """

    probability: FloatArray
    truth: FloatArray

    def first(self, count: int) -> Experiments:
        """The first experiments."""
        return Experiments(self.probability[:count], self.truth[:count])

    def at(self, columns: Sequence[int]) -> Experiments:
        """These values of c only."""
        return Experiments(self.probability[:, list(columns)], self.truth)

    def curve(self, column: int, bins: int | None = None) -> tuple[FloatArray, FloatArray]:
        """Means of probability and truth in bins of equal count.

        By default clip(N/16, 16, 64) each, as published.
        """
        count = len(self.truth)
        bins = bins or max(count // int(np.clip(count // 16, 16, 64)), 1)
        groups = equal_counts(self.probability[:, column], bins)
        predicted = np.array([self.probability[group, column].mean() for group in groups])
        return predicted, np.array([self.truth[group].mean() for group in groups])

    def excess(self, column: int, bins: int | None = None) -> FloatArray:
        """For each bin, |B - ½| less how far the truth is from ½ on the same side.

        Above 0: overconfident.
        """
        predicted, observed = self.curve(column, bins)
        side = np.where(predicted >= 0.5, 1.0, -1.0)
        return np.asarray(np.abs(predicted - 0.5) - side * (observed - 0.5))

    def verdicts(self, column: int, threshold: float = 0.95) -> Verdicts:
        """How often B is beyond the threshold for one of the two models, and how often that model
        is not the better one.
        """
        probability = self.probability[:, column]
        stated = np.maximum(probability, 1 - probability) > threshold
        wrong = (probability > 0.5) != (self.truth > 0.5)
        return Verdicts(
            float(stated.mean()), float(wrong[stated].mean()) if stated.any() else float("nan")
        )

    def auc(self, column: int) -> tuple[float, float]:
        """Area under the ROC curve of the probability for the truth, and its standard error (Hanley
        and McNeil).
        """
        first, second = (
            np.sort(self.probability[self.truth == value, column]) for value in (1.0, 0.0)
        )
        if not (first.size and second.size):
            return float("nan"), float("nan")
        # How many of the second lie below each of the first; ties count half.
        below = 0.5 * (
            np.searchsorted(second, first, "left") + np.searchsorted(second, first, "right")
        )
        area = float(below.mean() / second.size)
        q1 = area / (2 - area)
        q2 = 2 * area**2 / (1 + area)
        spread = (
            area * (1 - area)
            + (first.size - 1) * max(q1 - area**2, 0)
            + (second.size - 1) * max(q2 - area**2, 0)
        )
        return area, float(np.sqrt(spread / (first.size * second.size)))


def equal_counts(values: FloatArray, bins: int) -> list[IntArray]:
    """Bins of equal count, as indices of the values, the lowest first."""
    return np.array_split(np.argsort(values, kind="stable"), min(bins, values.size))
