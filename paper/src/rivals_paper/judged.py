"""Whether a c may be used, by two rules, from experiments whose truth is known.

The paper's bound: in no bin of the curve is B more confident than the truth. The rule on named
winners: of those beyond 0.95 no more than 5 % are wrong, and the truth does not fall while B rises.
What chance would do with less than a probability of 5 % is not taken for chance.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np
import numpy.typing as npt
from scipy.optimize import isotonic_regression
from scipy.special import ndtri

from rivals_paper.arrays import FloatArray, IntArray
from rivals_paper.experiments import equal_counts

THRESHOLD = 0.95
LEVEL = 0.05
# By so much the confidence may exceed the truth, or the truth may fall, beyond its error.
TOLERANCE = 0.05
# With fewer experiments nothing is proved, and no c is called valid.
ENOUGH_TO_JUDGE = 256
BINS = 16

OVERCONFIDENT = "overconfident"
REVERSED = "reversed"
NOT_MONOTONE = "not monotone"
UNDETERMINED = "undetermined"
SILENT = "says nothing"


@dataclass(frozen=True, eq=False)
class Curve:
    """Bins of equal count, by B: mean of B, mean of the truth, experiments."""

    predicted: FloatArray
    observed: FloatArray
    counts: IntArray

    @classmethod
    def of(cls, probability: FloatArray, truth: FloatArray, bins: int) -> Curve:
        """From B and the truth of each experiment."""
        groups = equal_counts(probability, bins)
        return cls(
            np.array([probability[group].mean() for group in groups]),
            np.array([truth[group].mean() for group in groups]),
            np.array([group.size for group in groups]),
        )


@dataclass(frozen=True)
class Bound:
    """Whether the paper's bound is kept.

    Attributes
    ----------
    kept : bool
    violated, bins : int
        Bins that break it by more than 0.05, beyond chance; all bins.
    predicted, observed : float
        B and the truth in the worst bin.
    excess : float
        By how much its confidence exceeds the truth at least. A truth on the other side of ½
        counts as ½.
    """

    kept: bool
    violated: int
    bins: int
    predicted: float
    observed: float
    excess: float


def bound(probability: FloatArray, truth: FloatArray, bins: int = BINS) -> Bound:
    """What the paper's bound says of one c.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> honest = rng.uniform(0.3, 0.7, 4000)
    >>> truth = (rng.random(4000) < honest).astype(float)
    >>> bound(honest, truth).kept, bound(0.5 + 2 * (honest - 0.5), truth).violated
    (True, 8)
    """
    curve = Curve.of(probability, truth, bins)
    first = curve.predicted >= 0.5
    claimed = np.where(first, curve.predicted, 1.0 - curve.predicted)
    found = np.where(first, curve.observed, 1.0 - curve.observed)
    # One-sided, and shared by all bins.
    confidence = 1.0 - 2.0 * LEVEL / curve.counts.size
    warranted = np.maximum(wilson_interval(found, curve.counts, confidence)[1], 0.5)
    excess = claimed - warranted
    worst = int(np.argmax(excess))
    violated = int(np.sum(excess > TOLERANCE))
    return Bound(
        violated == 0,
        violated,
        curve.counts.size,
        float(curve.predicted[worst]),
        float(curve.observed[worst]),
        float(excess[worst]),
    )


@dataclass(frozen=True)
class Winners:
    """What the rule on named winners says of one c.

    Attributes
    ----------
    named : int
        Experiments in which B is beyond 0.95 for one of the models.
    part : float
        Of all experiments.
    error : float
        Part of these winners that are wrong; nan where none is named.
    certain_error : float
        Lower bound of that, one-sided with 95 % confidence.
    fall : float
        How far the truth falls at least while B rises.
    problem : str or None
        Why the c is not valid.
    """

    named: int
    part: float
    error: float
    certain_error: float
    fall: float
    problem: str | None

    @property
    def valid(self) -> bool:
        """Whether winners are named, and are right."""
        return self.problem is None

    @property
    def speaks_against(self) -> bool:
        """Whether something speaks against the c; not where no winner is named."""
        return self.problem not in (None, SILENT)


def winners(probability: FloatArray, truth: FloatArray, bins: int = BINS) -> Winners:
    """What the rule on named winners says of one c.

    Examples
    --------
    >>> truth = (np.random.default_rng(0).random(1000) < 0.8).astype(float)
    >>> winners(np.full(1000, 0.99), truth).problem, winners(np.full(1000, 0.8), truth).problem
    ('overconfident', 'says nothing')
    """
    named = np.maximum(probability, 1.0 - probability) > THRESHOLD
    n = int(named.sum())
    error, certain = nan, 0.0
    if n:
        error = float(np.abs((probability > 0.5) - truth)[named].mean())
        lower, _ = wilson_interval(np.array([error]), np.array([n]), 1.0 - 2 * LEVEL)
        certain = float(lower[0])
    curve = Curve.of(probability, truth, bins)
    fall = steepest_fall(curve)
    problem = None
    if certain > 1.0 - THRESHOLD:
        problem = OVERCONFIDENT
    elif fall > TOLERANCE:
        problem = REVERSED if curve.observed[-1] < curve.observed[0] else NOT_MONOTONE
    elif truth.size < ENOUGH_TO_JUDGE:
        problem = UNDETERMINED
    elif not n:
        problem = SILENT
    return Winners(n, float(named.mean()), error, certain, fall, problem)


def steepest_fall(curve: Curve) -> float:
    """How far the truth falls at least while B rises; 0 where it does not.

    Bins between which the truth falls are those that isotonic regression puts into one; each is
    split in all ways, and the bound allows for the number of splits.
    """
    counts = curve.counts
    fitted = isotonic_regression(curve.observed, weights=counts).x
    z = float(ndtri(1.0 - LEVEL / max(counts.size - 1, 1)))
    before_split = np.arange(counts.size)
    falls = [0.0]
    for split in range(1, counts.size):
        together = fitted == fitted[split]
        parts = together & (before_split < split), together & (before_split >= split)
        if not parts[0].any():
            continue
        sizes = np.array([counts[part].sum() for part in parts])
        means = [np.average(curve.observed[part], weights=counts[part]) for part in parts]
        # Half a count keeps the variance of a part at 0 or 1 from vanishing.
        proportion = (sizes * means + 0.5) / (sizes + 1.0)
        error = np.sqrt(np.sum(proportion * (1.0 - proportion) / sizes))
        falls.append(float(means[0] - means[1] - z * error))
    return max(falls)


def wilson_interval(
    fraction: FloatArray, counts: npt.NDArray[np.int64], confidence: float
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
