"""The law of the difference of two risks, D = R_a − R_b, of many pairs at a time.

A law says with what probability D lies below a value. All else follows from that: by how much one
model is better, within what both are equivalent, and the three-way verdict with a margin.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from rivals._types import FloatArray
from rivals.core.roots import crossing

# Halvings of a bracket: enough for the digits that draws have.
HALVINGS_OF_DRAWS = 20


class Differences(Protocol):
    """The law of the difference of two risks, of each of several pairs."""

    @property
    def is_smooth(self) -> bool:
        """Whether `below` is a smooth function: that of draws is a staircase."""

    def below(self, value: FloatArray) -> FloatArray:
        """P(D < value), of each pair."""

    def bracket(self, probability: float) -> tuple[FloatArray, FloatArray]:
        """Values between which the quantile at this probability lies, of each pair."""


def quantile(law: Differences, probability: float) -> FloatArray:
    """The value that D is below with this probability, of each pair."""
    return _crossing(law, lambda value: law.below(value) - probability, *law.bracket(probability))


def interval(law: Mixture, level: float) -> tuple[FloatArray, FloatArray]:
    """Both quantiles between which D lies with this probability, of each pair, found at once."""
    probability = np.array([[0.5 - 0.5 * level], [0.5 + 0.5 * level]])
    low, high = crossing(lambda value: law.below(value) - probability, *law.bracket(probability))
    return low, high


def better_by(law: Differences, probability: float) -> FloatArray:
    """The largest δ such that P(D < −δ) is this probability: a is better by at least δ."""
    return -quantile(law, probability)


def equivalent_within(law: Differences, probability: float) -> FloatArray:
    """The smallest δ such that P(|D| < δ) is this probability: both differ by no more than δ."""
    ends = [np.abs(end) for level in (1.0 - probability, probability) for end in law.bracket(level)]
    high = np.max(ends, axis=0) * 2.0

    def excess(value: FloatArray) -> FloatArray:
        return law.below(value) - law.below(-value) - probability

    return _crossing(law, excess, np.zeros_like(high), high)


def _crossing(
    law: Differences,
    excess: Callable[[FloatArray], FloatArray],
    low: FloatArray,
    high: FloatArray,
) -> FloatArray:
    """Where something that rises with the value, by the law, becomes positive."""
    if law.is_smooth:
        return crossing(excess, low, high)
    for _ in range(HALVINGS_OF_DRAWS):
        middle = 0.5 * (low + high)
        too_low = excess(middle) < 0.0
        low = np.where(too_low, middle, low)
        high = np.where(too_low, high, middle)
    return np.asarray(0.5 * (low + high))


@dataclass(frozen=True, eq=False)
class Mixture:
    """Mixtures of normal laws, pairs × components."""

    weight: FloatArray
    centre: FloatArray
    std: FloatArray

    @property
    def is_smooth(self) -> bool:
        return True

    def below(self, value: FloatArray) -> FloatArray:
        """Also of several values of each pair, values × pairs."""
        gap = value[..., None] - self.centre
        # A law without width is a step: half of it lies below its own place.
        step = np.where(gap == 0.0, 0.0, np.copysign(np.inf, gap))
        score = np.divide(gap, self.std, out=step, where=self.std > 0.0)
        return np.asarray(np.minimum(np.sum(self.weight * ndtr(score), axis=-1), 1.0))

    def bracket(self, probability: float | FloatArray) -> tuple[FloatArray, FloatArray]:
        reach = (np.abs(ndtri(probability)) + 1.0) * self.std.max(axis=1)
        return self.centre.min(axis=1) - reach, self.centre.max(axis=1) + reach

    @property
    def mean(self) -> FloatArray:
        return np.asarray(np.sum(self.weight * self.centre, axis=1))

    @property
    def deviation(self) -> FloatArray:
        """Root of the variance of these components; a law of which they are a grid may have none.

        Squares are of numbers of at most 1: those of losses of extreme scale would overflow.
        """
        gap = self.centre - self.mean[:, None]
        largest = np.maximum(self.std, np.abs(gap)).max(axis=1)
        unit = np.where(largest > 0.0, largest, 1.0)[:, None]
        spread = (self.std / unit) ** 2 + (gap / unit) ** 2
        return np.asarray(unit[:, 0] * np.sqrt(np.sum(self.weight * spread, axis=1)))

    def in_unit(self, exponent: int) -> Mixture:
        """The same in the unit of the losses: so far it was two to this power."""
        return Mixture(self.weight, np.ldexp(self.centre, exponent), np.ldexp(self.std, exponent))

    def density(self, pair: int, values: FloatArray) -> FloatArray:
        """Of one pair."""
        score = (values[:, None] - self.centre[pair]) / self.std[pair]
        heights = np.exp(-0.5 * score**2) / (np.sqrt(2.0 * np.pi) * self.std[pair])
        return np.asarray(heights @ self.weight[pair])

    def of_pair(self, pair: int) -> Mixture:
        """The law of one pair alone."""
        only = slice(pair, pair + 1)
        return Mixture(self.weight[only], self.centre[only], self.std[only])

    def one(self, pair: int) -> OneMixture:
        """The law of one pair, to draw from."""
        return OneMixture(self.weight[pair], self.centre[pair], self.std[pair])


@dataclass(frozen=True, eq=False)
class OneMixture:
    """One mixture of normal laws."""

    weight: FloatArray
    centre: FloatArray
    std: FloatArray

    def sample(self, n_draws: int, rng: np.random.SeedSequence) -> FloatArray:
        """Independent draws."""
        generator = np.random.Generator(np.random.PCG64(rng))
        component = generator.choice(self.weight.size, size=n_draws, p=self.weight)
        return self.centre[component] + self.std[component] * generator.standard_normal(n_draws)


@dataclass(frozen=True, eq=False)
class Student:
    """Student's t about a centre, with a scale; so many degrees of freedom."""

    centre: FloatArray
    scale: FloatArray
    degrees: FloatArray

    @property
    def is_smooth(self) -> bool:
        return True

    def below(self, value: FloatArray) -> FloatArray:
        gap = value - self.centre
        step = np.where(gap == 0.0, 0.0, np.copysign(np.inf, gap))
        score = np.divide(gap, self.scale, out=step, where=self.scale > 0.0)
        return np.asarray(stdtr(self.degrees, score))

    def bracket(self, probability: float) -> tuple[FloatArray, FloatArray]:
        reach = np.abs(stdtrit(self.degrees, probability)) * self.scale
        return self.centre - 1.001 * reach, self.centre + 1.001 * reach


@dataclass(frozen=True, eq=False)
class Sampled:
    """Independent draws of both risks, a pair of lists for each pair of models."""

    first: list[FloatArray]
    second: list[FloatArray]

    @property
    def is_smooth(self) -> bool:
        return False

    def below(self, value: FloatArray) -> FloatArray:
        pairs = zip(self.first, self.second, value, strict=True)
        return np.array([_share_below(a, b, float(limit)) for a, b, limit in pairs])

    def bracket(self, probability: float) -> tuple[FloatArray, FloatArray]:
        low = [a.min() - b.max() for a, b in zip(self.first, self.second, strict=True)]
        high = [a.max() - b.min() for a, b in zip(self.first, self.second, strict=True)]
        return np.array(low), np.array(high)


def _share_below(first: FloatArray, second: FloatArray, limit: float) -> float:
    """Of all pairs of draws, the part with first − second below the limit, ties counted half."""
    moved = second + limit
    left = np.searchsorted(first, moved, "left")
    right = np.searchsorted(first, moved, "right")
    return float(np.mean(left + right) / (2 * first.size))
