"""Judging a curve: is it overconfident, is it monotone, and what would repair it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtrc

from rivals._types import FloatArray
from rivals.calibration.curve import CalibrationCurve

# "Small violations allowed" (method.md §5): a mean excess up to this is.
SMALL_EXCESS = 0.05
# Curves are called not monotone when chance would make them so with less than this probability.
SIGNIFICANCE = 0.01


@dataclass(frozen=True)
class Judgement:
    """Whether a curve is fit for use, and if not, why."""

    valid: bool
    reason: str


def overconfidence(curve: CalibrationCurve) -> float:
    """Mean over the experiments of the excess of |B_EMD − ½| over |B_epis − ½|, where there is one."""
    return float(np.average(np.maximum(curve.excess, 0.0), weights=curve.counts))


def judge(curve: CalibrationCurve) -> Judgement:
    """Valid unless overconfident beyond chance and by more than a little, reversed, or not monotone."""
    excess = overconfidence(curve)
    if excess > SMALL_EXCESS and (curve.certain_excess > 0).any():
        worst = int(np.argmax(curve.excess))
        return Judgement(
            False,
            f"overconfident: mean excess {excess:.3f}; where B is {curve.predicted[worst]:.2f}, a is truly better in "
            f"{curve.observed[worst]:.2f} of experiments",
        )
    problem = not_monotone(curve)
    return Judgement(False, problem) if problem else Judgement(True, f"mean excess {excess:.3f}")


def not_monotone(curve: CalibrationCurve) -> str | None:
    """Why a curve is not monotone, beyond chance; None if it is."""
    fitted = isotonic(curve)
    # Half a count keeps the variance of a bin at 0 or 1 from vanishing.
    proportion = (curve.counts * fitted + 0.5) / (curve.counts + 1.0)
    deviation = float(np.sum(curve.counts * (curve.observed - fitted) ** 2 / (proportion * (1.0 - proportion))))
    if chdtrc(max(curve.counts.size - 1, 1), deviation) < SIGNIFICANCE:
        falling = curve.observed[-1] < curve.observed[0]
        return f"{'reversed' if falling else 'not monotone'}: the truth does not rise with B (χ² = {deviation:.0f})"
    return None


def isotonic(curve: CalibrationCurve) -> FloatArray:
    """The non-decreasing curve closest to the observed one."""
    from scipy.optimize import isotonic_regression

    return np.asarray(isotonic_regression(curve.observed, weights=curve.counts).x)


def correct(curve: CalibrationCurve, probability: FloatArray) -> FloatArray:
    """What B turned out to mean, by linear interpolation of the isotonic curve."""
    problem = not_monotone(curve)
    if problem:
        raise ValueError(f"the calibration curve cannot correct probabilities: it is {problem}")
    low, high = float(curve.edges[0, 0]), float(curve.edges[-1, 1])
    outside = (probability < low) | (probability > high)
    if outside.any():
        raise ValueError(
            f"no calibration experiment had B = {probability[outside].ravel()[0]:.4g}: they range from {low:.4g} to "
            f"{high:.4g}; a correction there would be a guess. Run more experiments, or others"
        )
    return np.interp(probability, curve.predicted, isotonic(curve))
