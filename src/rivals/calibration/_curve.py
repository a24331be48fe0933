"""The calibration curve: how often a is truly better, against how probable that was said to be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from rivals._core.types import FloatArray, IntArray

BINS = 16


@dataclass(frozen=True, eq=False)
class Curve:
    """Bins of equally many experiments, sorted by the stated probability.

    Attributes
    ----------
    predicted : array
        Mean of B = P(R_a < R_b) in each bin.
    observed : array
        Part of its experiments in which a is truly better. Undecided ones are left out.
    counts : array of int
        Experiments in each bin.
    low, high : array
        Wilson's 95 % interval of `observed`.

    See Also
    --------
    rivals.Calibration.curve : makes a curve.
    rivals.plots.plot_calibration : draws curves.

    Examples
    --------
    Ten experiments in two bins, the upper one a little overconfident:

    >>> import numpy as np
    >>> probability = np.array([0.1, 0.1, 0.2, 0.2, 0.2, 0.9, 0.9, 0.9, 0.9, 0.9])
    >>> a_better = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0])
    >>> calibration_curve(probability, a_better, bins=2).observed
    array([0. , 0.8])
    """

    predicted: FloatArray
    observed: FloatArray
    counts: IntArray
    low: FloatArray
    high: FloatArray


def calibration_curve(probability: FloatArray, truth: FloatArray, *, bins: int = BINS) -> Curve:
    """Bin experiments by `probability`; the truth is 1 where a is better, 0 where b is, or nan."""
    known = ~np.isnan(truth)
    probability, truth = probability[known], truth[known]
    order = np.argsort(probability, kind="stable")
    groups = np.array_split(order, max(min(bins, order.size), 1))
    counts = np.array([group.size for group in groups])
    observed = np.array([truth[group].mean() if group.size else np.nan for group in groups])
    predicted = np.array([probability[group].mean() if group.size else np.nan for group in groups])
    return Curve(predicted, observed, counts, *wilson_interval(observed, counts, 0.95))


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
    counts = np.maximum(counts, 1)
    weight = z**2 / counts
    centre = (fraction + 0.5 * weight) / (1.0 + weight)
    variance = fraction * (1.0 - fraction) / counts + 0.25 * weight / counts
    half = z * np.sqrt(variance) / (1.0 + weight)
    return np.clip(centre - half, 0.0, 1.0), np.clip(centre + half, 0.0, 1.0)
