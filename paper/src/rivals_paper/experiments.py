"""Simulated experiments whose truth is known: the calibration curve, and what it is summarised by."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rivals_paper.arrays import FloatArray


@dataclass(frozen=True)
class Experiments:
    """Probabilities [experiment, c] and truth (1: the first model has the lower risk) of one condition."""

    probability: FloatArray
    truth: FloatArray

    def curve(self, column: int, bins: int | None = None) -> tuple[FloatArray, FloatArray]:
        """Means of probability and truth in bins of equal count; by default clip(N/16, 16, 64) each, as published."""
        count = len(self.truth)
        bins = bins or max(count // int(np.clip(count // 16, 16, 64)), 1)
        order = np.argsort(self.probability[:, column], kind="stable")
        groups = np.array_split(order, bins)
        predicted = np.array([self.probability[group, column].mean() for group in groups])
        return predicted, np.array([self.truth[group].mean() for group in groups])

    def excess(self, column: int, bins: int | None = None) -> FloatArray:
        """For each bin, |B - ½| less how far the truth is from ½ on the same side; above 0: overconfident."""
        predicted, observed = self.curve(column, bins)
        side = np.where(predicted >= 0.5, 1.0, -1.0)
        return np.asarray(np.abs(predicted - 0.5) - side * (observed - 0.5))

    def auc(self, column: int) -> tuple[float, float]:
        """Area under the ROC curve of the probability for the truth, and its standard error (Hanley and McNeil)."""
        first, second = (self.probability[self.truth == value, column] for value in (1.0, 0.0))
        if not (first.size and second.size):
            return float("nan"), float("nan")
        area = float(np.mean((first[:, None] > second) + 0.5 * (first[:, None] == second)))
        q1, q2 = area / (2 - area), 2 * area**2 / (1 + area)
        spread = area * (1 - area) + (first.size - 1) * max(q1 - area**2, 0) + (second.size - 1) * max(q2 - area**2, 0)
        return area, float(np.sqrt(spread / (first.size * second.size)))
