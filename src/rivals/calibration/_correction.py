"""B read through the curve: the log odds times a constant, one over the temperature.

Symmetric in the two models, ½ at ½. This is an option: the paper uses B as it is, at a c for which
B is not more confident than the truth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from rivals._core.types import FloatArray

# Odds beyond a million to one are not told apart: draws of a risk do not resolve them, and one such
# experiment would outweigh all others.
SUREST = 1.0 - 1e-6
LARGEST_SLOPE = 1e3
HALVINGS = 60
# With fewer experiments of a scenario there is no curve to read B through.
ENOUGH = 64


@dataclass(frozen=True)
class Correction:
    """A slope below 1 makes B more cautious; at 0 B is worth nothing.

    Attributes
    ----------
    slope : float
        One over the temperature.
    surest : float
        The largest B that was seen: a larger one is read as this.

    Examples
    --------
    A hundred experiments whose B says 0.9 and that come true in 80:

    >>> correction = fit_correction(np.full(100, 0.9), np.repeat([1.0, 0.0], [80, 20]))
    >>> correction(np.array([0.1, 0.5, 0.9])).round(3)
    array([0.203, 0.5  , 0.797])
    """

    slope: float
    surest: float = SUREST

    def __call__(self, probability: FloatArray) -> FloatArray:
        upper = np.minimum(expit(self.slope * _odds(probability, self.surest)), SUREST)
        return np.asarray(np.where(probability >= 0.5, upper, 1.0 - upper))


@dataclass(frozen=True)
class MostCautious:
    """Corrections of several scenarios: of each probability, the one closest to ½ is taken."""

    corrections: tuple[Correction, ...]

    def __call__(self, probability: FloatArray) -> FloatArray:
        found = np.stack([correct(probability) for correct in self.corrections])
        nearest = np.argmin(np.abs(found - 0.5), axis=0)
        return np.asarray(np.take_along_axis(found, nearest[None], axis=0)[0])

    @property
    def slope(self) -> float:
        """The smallest of the slopes."""
        return min(each.slope for each in self.corrections)


def fit_correction(probability: FloatArray, truth: FloatArray) -> Correction:
    """The temperature under which the truth is most likely; 1 where a is better, 0 where b is.

    The order of a pair carries no meaning: every experiment is reflected so that B ≥ ½. The
    likelihood has one maximum, where the sum below vanishes. One more experiment, half won and of
    average odds, keeps three wins of three from being a certainty.
    """
    odds = _odds(probability, SUREST)
    surest = float(expit(odds.max()))
    won = np.append(np.where(probability >= 0.5, truth, 1.0 - truth), 0.5)
    odds = np.append(odds, odds.mean())

    def too_sure(slope: float) -> bool:
        return bool(np.sum(odds * (expit(slope * odds) - won)) >= 0.0)

    low, high = 0.0, LARGEST_SLOPE
    if too_sure(low):
        return Correction(low, surest)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if too_sure(middle) else (middle, high)
    return Correction(low, surest)


def _odds(probability: FloatArray, surest: float) -> FloatArray:
    """Log odds of the likelier winner."""
    return np.asarray(logit(np.clip(np.maximum(probability, 1.0 - probability), 0.5, surest)))
