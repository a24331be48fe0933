"""The calibration curve: how often a is truly better against the stated probability."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from rivals._types import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class CalibrationCurve:
    """Equal-count bins of experiments, sorted by the predicted probability.

    Attributes
    ----------
    predicted : array
        Mean of B = P(R_a < R_b) in each bin.
    observed : array
        Fraction of its experiments in which a is truly better; an undecided truth counts half.
    counts : array
        Experiments in each bin.
    low, high : array
        Band of `observed`: a Wilson interval of 95 % for each bin.

    See Also
    --------
    rivals.Calibration.curve : makes a curve.
    rivals.plots.plot_calibration : draws curves.

    Examples
    --------
    Ten experiments in two bins, the upper one a little overconfident:

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
    counts: IntArray
    low: FloatArray
    high: FloatArray

    @property
    def excess(self) -> FloatArray:
        """Overconfidence of each bin: |B − ½| less how far the truth is from ½ on the same side."""
        side = np.where(self.predicted >= 0.5, 1.0, -1.0)
        return np.asarray(np.abs(self.predicted - 0.5) - side * (self.observed - 0.5))

    @property
    def overconfidence(self) -> float:
        """Mean over the experiments of the excess of |B_EMD − ½| over |B_epis − ½|.

        Where there is none, it counts as 0.
        """
        return float(np.average(np.maximum(self.excess, 0.0), weights=self.counts))


def calibration_curve(
    probability: FloatArray, truth: FloatArray, *, bins: int, confidence: float = 0.95
) -> CalibrationCurve:
    """Bin experiments by `probability`; `truth` is 1, 0, or ½ where undecided."""
    order = _in_order(probability)
    groups = np.array_split(order, min(bins, order.size))
    counts = np.array([group.size for group in groups])
    observed = np.array([truth[group].mean() for group in groups])
    predicted = np.array([probability[group].mean() for group in groups])
    low, high = wilson_interval(observed, counts, confidence)
    return CalibrationCurve(predicted, observed, counts, low, high)


def _in_order(values: FloatArray) -> IntArray:
    """The order of a stable sort, which is slower and matters for ties alone."""
    order = np.argsort(values)
    ordered = values[order]
    if (ordered[1:] == ordered[:-1]).any():
        order = np.argsort(values, kind="stable")
    return order


def wilson_interval(
    fraction: FloatArray, counts: IntArray, confidence: float
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
    variance = fraction * (1.0 - fraction) / counts + 0.25 * weight / counts
    half = z * np.sqrt(variance) / (1.0 + weight)
    return np.clip(centre - half, 0.0, 1.0), np.clip(centre + half, 0.0, 1.0)


def most_cautious(probabilities: FloatArray) -> FloatArray:
    """Of several values of each probability (along the first axis), the one closest to ½.

    The first, if several are. This is how several epistemic distributions are combined: the worst
    case decides.

    Examples
    --------
    >>> most_cautious(np.array([[0.9, 0.2], [0.7, 0.1]]))
    array([0.7, 0.2])
    """
    nearest = np.argmin(np.abs(probabilities - 0.5), axis=0)
    return np.asarray(np.take_along_axis(probabilities, nearest[None], axis=0)[0])
