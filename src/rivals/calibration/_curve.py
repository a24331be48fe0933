"""The calibration curve: how often a is truly better, against how probable that was said to be.

And two questions that it answers: whether B is more confident than the truth anywhere, which is
the paper's bound, and whether the truth falls where B rises.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from rivals._core.types import BoolArray, FloatArray, IntArray

# What chance would do with less than this probability, in any of the bins, is not taken for chance.
LEVEL = 0.05
# "≲": by so much B may be more confident than the truth, or the truth fall, beyond its error.
TOLERANCE = 0.05
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


@dataclass(frozen=True)
class Excess:
    """By how much B is more confident than the truth, beyond chance, and in which bins.

    Attributes
    ----------
    broken, bins : int
        Bins in which that is more than 0.05, and all bins.
    predicted, observed : float
        B and truth in the worst bin.
    at_least : float
        By how much B is more confident there, less what chance would do.
    """

    broken: int
    bins: int
    predicted: float
    observed: float
    at_least: float = 0.0


def overconfidence(curve: Curve) -> Excess:
    """The paper's bound, |B − ½| ≲ |B_epis − ½| along the whole curve, broken or not.

    A truth on the other side of ½ counts as ½: B then claims |B − ½| too much. The chance that is
    allowed for is shared by all bins.
    """
    first = curve.predicted >= 0.5
    claimed = np.where(first, curve.predicted, 1.0 - curve.predicted)
    found = np.where(first, curve.observed, 1.0 - curve.observed)
    confidence = 1.0 - 2.0 * LEVEL / curve.counts.size
    warranted = np.maximum(wilson_interval(found, curve.counts, confidence)[1], 0.5)
    excess = claimed - warranted
    worst = int(np.argmax(excess))
    return Excess(
        int(np.sum(excess > TOLERANCE)),
        curve.counts.size,
        float(curve.predicted[worst]),
        float(curve.observed[worst]),
        float(excess[worst]),
    )


def steepest_fall(curve: Curve) -> float:
    """How far the truth falls at least while B rises, with 95 % confidence; 0 where it does not.

    Bins between which the truth falls are those that isotonic regression puts into one; each is
    split in all ways, and the bound allows for the number of splits.
    """
    from scipy.optimize import isotonic_regression  # takes longer to load than all of rivals

    fitted = isotonic_regression(curve.observed, weights=curve.counts).x
    z = float(ndtri(1.0 - LEVEL / max(curve.counts.size - 1, 1)))
    places = np.arange(curve.counts.size)
    falls = [0.0]
    for split in range(1, curve.counts.size):
        together = fitted == fitted[split]
        first, second = together & (places < split), together & (places >= split)
        if first.any():
            falls.append(_fall_between(curve, first, second, z))
    return max(falls)


def _fall_between(curve: Curve, first: BoolArray, second: BoolArray, z: float) -> float:
    """How far the truth falls at least from some bins to others."""
    parts = (first, second)
    sizes = np.array([curve.counts[part].sum() for part in parts])
    means = np.array(
        [np.average(curve.observed[part], weights=curve.counts[part]) for part in parts]
    )
    # Half a count keeps the variance of a part at 0 or 1 from vanishing.
    smooth = (sizes * means + 0.5) / (sizes + 1.0)
    error = np.sqrt(np.sum(smooth * (1.0 - smooth) / sizes))
    return float(means[0] - means[1] - z * error)
