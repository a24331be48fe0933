"""The law of the difference of two risks, D = R_a − R_b, of many pairs at a time.

A law says with what probability D lies below a value. All else follows from that: by how much one
model is better, within what both are equivalent, and the three-way verdict with a margin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from rivals._types import FloatArray

# Halvings of a bracket: enough for all digits of a number; and for those that draws have.
HALVINGS = 60
HALVINGS_OF_DRAWS = 20


class Differences(Protocol):
    """The law of the difference of two risks, of each of several pairs."""

    @property
    def halvings(self) -> int:
        """How often a bracket is halved to find a quantile."""

    def below(self, value: FloatArray) -> FloatArray:
        """P(D < value), of each pair."""

    def bracket(self, probability: float) -> tuple[FloatArray, FloatArray]:
        """Values between which the quantile at this probability lies, of each pair."""


def quantile(law: Differences, probability: float) -> FloatArray:
    """The value that D is below with this probability, of each pair, by halving."""
    low, high = law.bracket(probability)
    for _ in range(law.halvings):
        middle = 0.5 * (low + high)
        too_low = law.below(middle) < probability
        low = np.where(too_low, middle, low)
        high = np.where(too_low, high, middle)
    return np.asarray(0.5 * (low + high))


def better_by(law: Differences, probability: float) -> FloatArray:
    """The largest δ such that P(D < −δ) is this probability: a is better by at least δ."""
    return -quantile(law, probability)


def equivalent_within(law: Differences, probability: float) -> FloatArray:
    """The smallest δ such that P(|D| < δ) is this probability: both differ by no more than δ."""
    ends = [np.abs(end) for level in (1.0 - probability, probability) for end in law.bracket(level)]
    high = np.max(ends, axis=0) * 2.0
    low = np.zeros_like(high)
    for _ in range(law.halvings):
        middle = 0.5 * (low + high)
        too_low = law.below(middle) - law.below(-middle) < probability
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
    def halvings(self) -> int:
        return HALVINGS

    def below(self, value: FloatArray) -> FloatArray:
        gap = value[:, None] - self.centre
        # A law without width is a step: half of it lies below its own place.
        step = np.where(gap == 0.0, 0.0, np.copysign(np.inf, gap))
        score = np.divide(gap, self.std, out=step, where=self.std > 0.0)
        return np.asarray(np.minimum(np.sum(self.weight * ndtr(score), axis=1), 1.0))

    def bracket(self, probability: float) -> tuple[FloatArray, FloatArray]:
        reach = (abs(float(ndtri(probability))) + 1.0) * self.std.max(axis=1)
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
    def halvings(self) -> int:
        return HALVINGS

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
    def halvings(self) -> int:
        return HALVINGS_OF_DRAWS

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
