"""Whether one c is valid: are the winners right that it states, and does the truth rise with B?"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from math import isnan
from typing import Any

import numpy as np
from scipy.special import ndtri

from rivals._types import BoolArray, FloatArray
from rivals.calibration import text
from rivals.calibration.curve import CalibrationCurve, calibration_curve, wilson_interval

# A winner is stated beyond this probability, as in `compare`; 1 less this many of the winners may
# be wrong.
THRESHOLD = 0.95
# What chance would do with less than this probability is not taken for chance.
LEVEL = 0.05
# The truth may fall by this much while B rises, beyond its error.
TOLERANCE = 0.05
# With fewer experiments nothing is proved, and no c is called valid.
ENOUGH_TO_JUDGE = 256


class Problem(Enum):
    """Why a c is not valid, in a word or two."""

    OVERCONFIDENT = "overconfident"
    REVERSED = "reversed"
    NOT_MONOTONE = "not monotone"
    UNDETERMINED = "undetermined"
    # Nothing speaks against such a c, and nothing for it.
    SILENT = "says nothing"


@dataclass(frozen=True)
class Winners:
    """The winners that are stated at one c.

    Attributes
    ----------
    n : int
        How many there are.
    part : float
        Part of the experiments in which one is stated.
    error : float
        Part of them that are truly worse, an undecided truth counted half; nan where none is
        stated.
    certain_error : float
        Lower bound of that, one-sided with 95 % confidence.
    allowed : float
        Part of them that may be wrong.
    """

    n: int
    part: float
    error: float
    certain_error: float
    allowed: float


@dataclass(frozen=True)
class Fall:
    """The steepest fall of the truth while B rises.

    Attributes
    ----------
    at_least : float
        How far it falls, at least, with 95 % confidence; 0 where it does not.
    size, error : float
        How far it falls, and the standard error of that.
    low, high : float
        B before and after.
    reverses : bool
        Whether the truth is lower at the end of the whole curve than at its beginning.
    """

    at_least: float = 0.0
    size: float = 0.0
    error: float = 0.0
    low: float = 0.0
    high: float = 0.0
    reverses: bool = False


@dataclass(frozen=True)
class Judgement:
    """Whether a c can be used, why not, and the numbers behind it.

    Attributes
    ----------
    n : int
        Experiments.
    winners : Winners
        Those that are stated, and how many are wrong.
    steepest : Fall
        Where the truth falls while B rises.
    problem : Problem or None
        Why the c is not valid.
    """

    n: int
    winners: Winners
    steepest: Fall
    problem: Problem | None

    @property
    def valid(self) -> bool:
        """Whether winners are stated, and are right."""
        return self.problem is None

    @property
    def speaks_against(self) -> bool:
        """Whether something speaks against the c; not of one that states no winner."""
        return self.problem not in (None, Problem.SILENT)

    @property
    def stated(self) -> float:
        """Part of the experiments in which a winner is stated."""
        return self.winners.part

    @property
    def error(self) -> float:
        """Part of the stated winners that are truly worse; nan where none is stated."""
        return self.winners.error

    @property
    def certain_error(self) -> float:
        """Lower bound of that, one-sided with 95 % confidence."""
        return self.winners.certain_error

    @property
    def fall(self) -> float:
        """How far the truth falls while B rises, at least; 0 where it does not."""
        return self.steepest.at_least

    @property
    def reason(self) -> str:
        """What was found: a problem in one or two words with its numbers, or that all is well."""
        winners = self.winners
        if self.problem is None or self.problem is Problem.SILENT:
            return text.right_winners(winners.n, winners.error)
        if self.problem is Problem.OVERCONFIDENT:
            words = text.too_many_wrong(
                winners.n, winners.error, winners.certain_error, winners.allowed
            )
        elif self.problem is Problem.UNDETERMINED:
            words = text.too_few(self.n, ENOUGH_TO_JUDGE)
        else:
            fall = self.steepest
            words = text.falling(fall.low, fall.high, fall.size, fall.error)
        return f"{self.problem.value}: {words}"

    def to_dict(self) -> dict[str, Any]:
        """As plain numbers and text, for JSON, which has no nan."""
        return {
            "valid": self.valid,
            "reason": self.reason,
            "stated": self.stated,
            "error": None if isnan(self.error) else self.error,
            "certain_error": self.certain_error,
            "fall": self.fall,
        }


def judge_c(
    probability: FloatArray, truth: FloatArray, *, threshold: float = THRESHOLD, bins: int = 16
) -> Judgement:
    """Judge one c by its stated probabilities and the truth.

    The truth is 1 where a is better, 0 where b is, ½ where undecided. The c is not valid if more
    than 1 − `threshold` of the winners stated beyond it are wrong, or if the truth falls by more
    than 0.05 while B rises; either beyond chance. A c that states no winner says nothing.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = (rng.random(1000) < 0.8).astype(float)
    >>> judge_c(np.full(1000, 0.99), truth).reason
    'overconfident: 21 % of 1000 stated winners are wrong, at least 19 %, where 5 % are allowed'
    >>> judge_c(np.full(1000, 0.8), truth).reason
    'no winner is stated'
    """
    curve = calibration_curve(probability, truth, bins=bins)
    return judgement_of(curve, probability, truth, threshold=threshold)


def judgement_of(
    curve: CalibrationCurve, probability: FloatArray, truth: FloatArray, *, threshold: float
) -> Judgement:
    """The same, where the curve is known."""
    winners = stated_winners(probability, truth, threshold)
    fall = steepest_fall(curve)
    return Judgement(truth.size, winners, fall, _problem(truth.size, winners, fall))


def _problem(n: int, winners: Winners, fall: Fall) -> Problem | None:
    """The first rule that is broken. Each rule looks at one finding; a further one stands here."""
    if winners.certain_error > winners.allowed:
        return Problem.OVERCONFIDENT
    if fall.at_least > TOLERANCE:
        return Problem.REVERSED if fall.reverses else Problem.NOT_MONOTONE
    if n < ENOUGH_TO_JUDGE:
        return Problem.UNDETERMINED
    if winners.n == 0:
        return Problem.SILENT
    return None


# ---------------------------------------------------------------- findings that rules look at


def stated_winners(probability: FloatArray, truth: FloatArray, threshold: float) -> Winners:
    """How many winners are stated beyond the threshold, and how many of them are wrong."""
    stated = np.maximum(probability, 1.0 - probability) > threshold
    n = int(stated.sum())
    part = float(stated.mean())
    allowed = 1.0 - threshold
    if n == 0:
        return Winners(0, part, float("nan"), 0.0, allowed)
    error = float(np.abs((probability > 0.5) - truth)[stated].mean())
    low, _ = wilson_interval(np.array([error]), np.array([n]), 1.0 - 2 * LEVEL)
    return Winners(n, part, error, float(low[0]), allowed)


def steepest_fall(curve: CalibrationCurve) -> Fall:
    """How far the truth falls at least while B rises.

    Bins between which the truth falls are those that isotonic regression puts into one; each is
    split in all ways, and the bound allows for the number of splits.
    """
    # On first use: it takes longer to load than all of rivals.
    from scipy.optimize import isotonic_regression

    counts = curve.counts
    fitted = isotonic_regression(curve.observed, weights=counts).x
    z = float(ndtri(1.0 - LEVEL / max(counts.size - 1, 1)))
    before_split = np.arange(counts.size)
    steepest = Fall()
    for split in range(1, counts.size):
        together = fitted == fitted[split]
        first = together & (before_split < split)
        second = together & (before_split >= split)
        if not first.any():
            continue
        fall = _fall_between(curve, first, second, z)
        if fall.at_least > steepest.at_least:
            steepest = fall
    return steepest


def _fall_between(curve: CalibrationCurve, first: BoolArray, second: BoolArray, z: float) -> Fall:
    """How far the truth falls from some bins to others."""
    parts = (first, second)
    sizes = np.array([curve.counts[part].sum() for part in parts])
    means = np.array([_mean(curve.observed, curve, part) for part in parts])
    # Half a count keeps the variance of a part at 0 or 1 from vanishing.
    proportion = (sizes * means + 0.5) / (sizes + 1.0)
    size = means[0] - means[1]
    error = np.sqrt(np.sum(proportion * (1.0 - proportion) / sizes))
    return Fall(
        at_least=float(size - z * error),
        size=float(size),
        error=float(error),
        low=_mean(curve.predicted, curve, first),
        high=_mean(curve.predicted, curve, second),
        reverses=bool(curve.observed[-1] < curve.observed[0]),
    )


def _mean(values: FloatArray, curve: CalibrationCurve, part: BoolArray) -> float:
    """Mean over the experiments of some bins."""
    return float(np.average(values[part], weights=curve.counts[part]))
