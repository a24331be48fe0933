"""The paper's bound bin by bin: is B anywhere more confident than the truth, beyond chance?

Sixteen bins show where a curve is too sure. Whether a c may be used is another question, which
`rivals.calibration` answers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaincinv, ndtri

from rivals.calibration import Curve, calibration_curve, wilson_interval
from rivals_paper.arrays import BoolArray, FloatArray

# A winner is named beyond this probability.
THRESHOLD = 0.95
BINS = 16
# What chance would do with less than this probability, in any of the bins, is not taken for chance.
LEVEL = 0.05
# By so much B may be more confident than the truth, or the truth fall, beyond its error.
TOLERANCE = 0.05


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


@dataclass(frozen=True)
class Finding:
    """What the experiments of one scenario, or of several, say at one c.

    Attributes
    ----------
    n, unknown : int
        Experiments, and those of them whose truth is undecided.
    right, wrong, undecided : int
        What became of the named winners.
    curve : Excess
        Whether B is more confident than the truth, in any bin.
    fall : float
        How far the truth falls at least while B rises; 0 where it does not.
    """

    n: int
    unknown: int
    right: int
    wrong: int
    undecided: int
    curve: Excess
    fall: float

    @property
    def named(self) -> int:
        """How many winners are named."""
        return self.right + self.wrong + self.undecided

    @property
    def known(self) -> int:
        """How many of them are right or wrong, and not undecided."""
        return self.right + self.wrong

    @property
    def failure_rate(self) -> float:
        """Part of the named winners of known truth that are wrong; nan without any."""
        return self.wrong / self.known if self.known else float("nan")

    @property
    def least_failure_rate(self) -> float:
        """Lower bound of that, one-sided with 95 % confidence: exact (Clopper and Pearson)."""
        return float(betaincinv(self.wrong, self.right + 1.0, LEVEL)) if self.wrong else 0.0


def judge_c(probability: FloatArray, truth: FloatArray, *, bins: int = BINS) -> Finding:
    """Judge one c by stated probabilities and the truth: 1 where a is better, 0 where b is, or nan.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = (rng.random(1000) < 0.8).astype(float)
    >>> found = judge_c(np.full(1000, 0.99), truth)
    >>> found.right, found.wrong, found.undecided
    (785, 215, 0)
    """
    known = ~np.isnan(truth)
    named = np.maximum(probability, 1.0 - probability) > THRESHOLD
    agrees = (probability > 0.5) == (truth > 0.5)
    if known.any():
        curve = calibration_curve(probability, truth, bins=bins)
        excess, fall = overconfidence(curve), steepest_fall(curve)
    else:
        excess, fall = Excess(0, 0, 0.5, 0.5), 0.0
    return Finding(
        truth.size,
        int(np.sum(~known)),
        int(np.sum(named & known & agrees)),
        int(np.sum(named & known & ~agrees)),
        int(np.sum(named & ~known)),
        excess,
        fall,
    )
