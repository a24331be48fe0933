"""How B is read by what came true in experiments.

Of two models by one temperature, of more by how clearly the truly best was beaten.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from rivals._types import FloatArray
from rivals.calibration.curve import most_cautious

# Odds beyond a million to one are not told apart: draws of a risk do not resolve them, and one such
# experiment would outweigh all others.
SUREST = 1.0 - 1e-6
# Where every experiment is right, no temperature is low enough. One more experiment, undecided and
# of average odds, keeps three wins of three from being a certainty. Chosen with the results of
# benchmarks/curves.py in view.
UNDECIDED = 1.0
LARGEST_SLOPE = 1e3
# With fewer experiments of an epistemic distribution there is no curve to correct probabilities.
ENOUGH_TO_CORRECT = 64
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


@dataclass(frozen=True)
class MostCautious:
    """Several corrections together: of each probability, the one closest to ½ is taken."""

    corrections: tuple[Correction, ...]

    def __call__(self, probability: FloatArray) -> FloatArray:
        return most_cautious(np.stack([correct(probability) for correct in self.corrections]))


def fit_correction(probability: FloatArray, truth: FloatArray) -> Correction:
    """The temperature under which the truth is most likely; `truth` is the fraction won by a.

    The order of a pair carries no meaning: every experiment is reflected so that B ≥ ½. The
    likelihood has one maximum, where the sum below vanishes.
    """
    odds = _odds(probability, SUREST)
    surest = float(expit(odds.max()))
    won = np.where(probability >= 0.5, truth, 1.0 - truth)
    odds = np.append(odds, odds.mean())
    won = np.append(won, 0.5)
    weight = np.append(np.ones(odds.size - 1), UNDECIDED) * odds

    def too_sure(slope: float) -> bool:
        return bool(np.sum(weight * (expit(slope * odds) - won)) >= 0.0)

    if too_sure(0.0):
        return Correction(0.0, surest)
    low = 0.0
    high = LARGEST_SLOPE
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if too_sure(middle):
            high = middle
        else:
            low = middle
    return Correction(low, surest)


def _odds(probability: FloatArray, surest: float) -> FloatArray:
    """Log odds of the likelier winner."""
    return np.asarray(logit(np.clip(np.maximum(probability, 1.0 - probability), 0.5, surest)))


def beyond_scores(probability: FloatArray, scores: Sequence[FloatArray]) -> FloatArray:
    """B, but at most the part of the scores below it, of n + 1; the smallest of several.

    Scores are sorted.

    Examples
    --------
    >>> beyond_scores(np.array([0.02, 0.98]), scores=[np.linspace(0.9, 1.0, 99)]).round(2)
    array([0.21, 0.79])
    """
    upper = np.maximum(probability, 1.0 - probability)
    parts = [np.searchsorted(each, upper) / (each.size + 1) for each in scores]
    return _mirrored(probability, np.min([upper, *parts], axis=0))


def one_of_many(
    probability: FloatArray, k: int, of_pairs: Callable[[FloatArray], FloatArray]
) -> FloatArray:
    """B for one of k models.

    1 − B times the number of rivals (Bonferroni), or as of a pair, whichever is less sure.

    Examples
    --------
    >>> one_of_many(np.array([0.01, 0.6, 0.99]), 3, Correction(slope=0.8)).round(3)
    array([0.025, 0.5  , 0.975])
    """
    pairs = of_pairs(probability)
    few = 1.0 - (k - 1) * np.minimum(probability, 1.0 - probability)
    return _mirrored(probability, np.minimum(np.maximum(pairs, 1.0 - pairs), few))


def _mirrored(probability: FloatArray, upper: FloatArray) -> FloatArray:
    """What is known of the likelier winner, never less than one half, for both orders of a pair."""
    upper = np.maximum(upper, 0.5)
    return np.where(probability >= 0.5, upper, 1.0 - upper)
