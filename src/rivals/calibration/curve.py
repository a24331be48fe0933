"""The calibration curve: how often a is truly better, against how probable that was said to be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from rivals._types import FloatArray


@dataclass(frozen=True, eq=False)
class CalibrationCurve:
    """Equal-count bins of experiments, sorted by the predicted probability.

    Attributes
    ----------
    predicted : array
        Mean of B = P(R_a < R_b) in each bin.
    observed : array
        Part of its experiments in which a is truly better; where the truth is undecided it counts half.
    counts : array
        Experiments in each bin.
    low, high : array
        Band of `observed`: a Wilson interval of the given confidence for each bin.
    edges : array, shape (bins, 2)
        Smallest and largest B in each bin.
    undecided : int
        Experiments whose truth is too close to call.

    Examples
    --------
    Ten experiments in two bins, the more probable side a little too sure of itself:

    >>> import numpy as np
    >>> probability = np.array([0.1, 0.1, 0.2, 0.2, 0.2, 0.9, 0.9, 0.9, 0.9, 0.9])
    >>> truth = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0])
    >>> curve = calibration_curve(probability, truth, bins=2)
    >>> curve.observed
    array([0. , 0.8])
    >>> curve.excess.round(2)
    array([-0.16,  0.1 ])
    """

    predicted: FloatArray
    observed: FloatArray
    counts: npt.NDArray[np.intp]
    low: FloatArray
    high: FloatArray
    edges: FloatArray
    undecided: int

    @property
    def excess(self) -> FloatArray:
        """Overconfidence of each bin: |B − ½| less how far the truth is from ½ on the same side (method.md §5)."""
        return _excess(self.predicted, self.observed)

    @property
    def certain_excess(self) -> FloatArray:
        """The least overconfidence that the band of each bin allows: above 0 where it is not chance."""
        side = self.predicted >= 0.5
        return _excess(self.predicted, np.where(side, self.high, self.low))


def calibration_curve(
    probability: FloatArray, truth: FloatArray, *, bins: int, confidence: float = 0.95
) -> CalibrationCurve:
    """Bin experiments by `probability`; `truth` is 1, 0, or ½ where undecided."""
    order = np.argsort(probability, kind="stable")
    groups = np.array_split(order, min(bins, order.size))
    counts = np.array([group.size for group in groups])
    observed = np.array([truth[group].mean() for group in groups])
    low, high = wilson_interval(observed, counts, confidence)
    return CalibrationCurve(
        predicted=np.array([probability[group].mean() for group in groups]),
        observed=observed,
        counts=counts,
        low=low,
        high=high,
        edges=np.array([[probability[group[0]], probability[group[-1]]] for group in groups]),
        undecided=int(np.sum(truth == 0.5)),
    )


def wilson_interval(
    fraction: FloatArray, counts: npt.NDArray[np.intp], confidence: float
) -> tuple[FloatArray, FloatArray]:
    """Wilson's score interval of a binomial proportion.

    Examples
    --------
    >>> low, high = wilson_interval(np.array([0.5]), np.array([100]), 0.95)
    >>> low.round(3), high.round(3)
    (array([0.404]), array([0.596]))
    """
    z = float(ndtri(0.5 + 0.5 * confidence))
    weight = z**2 / counts
    centre = (fraction + 0.5 * weight) / (1.0 + weight)
    half = z * np.sqrt(fraction * (1.0 - fraction) / counts + 0.25 * weight / counts) / (1.0 + weight)
    return np.clip(centre - half, 0.0, 1.0), np.clip(centre + half, 0.0, 1.0)


def _excess(predicted: FloatArray, observed: FloatArray) -> FloatArray:
    side = np.where(predicted >= 0.5, 1.0, -1.0)
    return np.asarray(np.abs(predicted - 0.5) - side * (observed - 0.5))
