"""The paper's bound: in no bin may B be more confident than the truth.

René and Longtin (2025) ask of a c that |B_EMD − ½| ≲ |B_epis − ½| along the whole curve: of the
experiments that are given B > ½, at least a part B is to have the first model better. `validity`
asks less, and of what is acted on: that of the winners stated beyond 0.95 few enough are wrong.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rivals._types import FloatArray
from rivals.calibration.curve import CalibrationCurve, calibration_curve, wilson_interval

# What chance would do with less than this probability, in any of the bins, is not taken for chance.
LEVEL = 0.05
# "≲": by so much the confidence may exceed the truth, beyond its error.
TOLERANCE = 0.05


@dataclass(frozen=True)
class Bound:
    """Whether a c keeps the bound, and the bin in which it keeps it least.

    Attributes
    ----------
    kept : bool
        Whether no bin is overconfident by more than 0.05, beyond chance.
    violated : int
        Bins that are.
    bins : int
        All bins.
    predicted, observed : float
        Mean B, and how often the first model is better, in the worst bin.
    count : int
        Its experiments.
    excess : float
        By how much its confidence, B or 1 − B, exceeds the truth at least, with 95 % confidence in
        all bins together. A truth on the other side of ½ counts as ½: B then claims |B − ½| too
        much.
    """

    kept: bool
    violated: int
    bins: int
    predicted: float
    observed: float
    count: int
    excess: float

    @property
    def reason(self) -> str:
        """What was found, in a sentence."""
        worst = f"where {self.predicted:.2f} is stated, {self.observed:.2f} is true"
        if self.kept:
            return f"kept; least so {worst}"
        return f"broken in {self.violated} of {self.bins} bins; most so {worst}"


def judge_bound(probability: FloatArray, truth: FloatArray, *, bins: int = 16) -> Bound:
    """Judge one c by the paper's bound.

    Parameters
    ----------
    probability : array
        P(R_a < R_b) in each experiment.
    truth : array
        1 where a is truly better, 0 where b is, ½ where undecided.
    bins : int
        Equal-count bins of the curve.

    Returns
    -------
    Bound

    Examples
    --------
    Probabilities that come true, and the same pushed away from ½, but never beyond 0.95:

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> honest = rng.uniform(0.3, 0.7, 4000)
    >>> truth = (rng.random(4000) < honest).astype(float)
    >>> judge_bound(honest, truth).kept
    True
    >>> boastful = 0.5 + 2 * (honest - 0.5)
    >>> judge_bound(boastful, truth).reason
    'broken in 8 of 16 bins; most so where 0.87 is stated, 0.66 is true'
    """
    return bound_of(calibration_curve(probability, truth, bins=bins))


def bound_of(curve: CalibrationCurve) -> Bound:
    """The paper's bound, from the curve of one c."""
    first = curve.predicted >= 0.5
    claimed = np.where(first, curve.predicted, 1.0 - curve.predicted)
    found = np.where(first, curve.observed, 1.0 - curve.observed)
    # One-sided, and shared by all bins: Wilson's interval at twice the part that each has of LEVEL.
    confidence = 1.0 - 2.0 * LEVEL / curve.counts.size
    warranted = np.maximum(wilson_interval(found, curve.counts, confidence)[1], 0.5)
    excess = claimed - warranted
    worst = int(np.argmax(excess))
    violated = int(np.sum(excess > TOLERANCE))
    return Bound(
        kept=violated == 0,
        violated=violated,
        bins=curve.counts.size,
        predicted=float(curve.predicted[worst]),
        observed=float(curve.observed[worst]),
        count=int(curve.counts[worst]),
        excess=float(excess[worst]),
    )
