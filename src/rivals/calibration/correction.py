"""How often a stated probability came true: one temperature, by which B moves towards ½ or away from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from rivals._types import FloatArray

# Odds beyond a million to one are not told apart: draws of a risk do not resolve them, and one such experiment would
# outweigh all others.
SUREST = 1.0 - 1e-6
# Where every experiment is right, no temperature is low enough. One more experiment, undecided and of average odds,
# keeps three wins of three from being a certainty. Chosen with the results of benchmarks/curves.py in view.
UNDECIDED = 1.0
LARGEST_SLOPE = 1e3
HALVINGS = 60


@dataclass(frozen=True)
class Correction:
    """The curve that corrects B: the log odds times a constant, one over the temperature.

    Symmetric, ½ at ½. A slope below 1 makes B more cautious; at 0 B is worth nothing.

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


def fit_correction(probability: FloatArray, truth: FloatArray) -> Correction:
    """The temperature under which the truth is most likely; `truth` is the fraction won by a.

    The order of a pair carries no meaning: every experiment is reflected so that B ≥ ½. The likelihood has one maximum, where
    the sum below vanishes.
    """
    odds = _odds(probability, SUREST)
    surest = float(expit(odds.max()))
    won = np.where(probability >= 0.5, truth, 1.0 - truth)
    odds, won = np.append(odds, odds.mean()), np.append(won, 0.5)
    weight = np.append(np.ones(odds.size - 1), UNDECIDED) * odds

    def too_sure(slope: float) -> bool:
        return bool(np.sum(weight * (expit(slope * odds) - won)) >= 0.0)

    low, high = 0.0, LARGEST_SLOPE
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if too_sure(middle) else (middle, high)
    return Correction(0.0 if too_sure(0.0) else low, surest)


def _odds(probability: FloatArray, surest: float) -> FloatArray:
    """Log odds of the likelier winner."""
    return np.asarray(logit(np.clip(np.maximum(probability, 1.0 - probability), 0.5, surest)))
