"""Law "beta" between two values of c: the distribution of a risk from those at its neighbours, without another tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt

import numpy as np

from rivals._types import FloatArray, IntArray
from rivals.comparison.draws import Sampler

# Neighbours are at most this factor apart.
STEP = 2.0**0.25


def knots(values: Sequence[float]) -> list[int]:
    """Places of the values (ascending) at which to compute: both ends, and so many that no step over others is large.

    Examples
    --------
    >>> knots([1.0, 1.05, 1.1, 1.15, 1.2, 1.25, 8.0])
    [0, 3, 5, 6]
    """
    chosen = [0]
    for place in range(1, len(values)):
        for nearer in (place - 1, place):
            if values[place] > STEP * values[chosen[-1]] and nearer > chosen[-1]:
                chosen.append(nearer)
    return sorted({*chosen, len(values) - 1})


def weight_of(c: float, low: float, high: float) -> float:
    """How far c lies from low to high on the scale of √c, in which the end points of the process grow."""
    # (√c − √low) / (√high − √low) without cancellation.
    return (c - low) / (high - low) * ((sqrt(high) + sqrt(low)) / (sqrt(c) + sqrt(low)))


def mixed(low: float, high: float, weight: float) -> float:
    """The weighted mean of two numbers."""
    return (1.0 - weight) * low + weight * high


@dataclass(eq=False)
class Remembered:
    """A sampler that keeps what it has drawn, until it is told to forget."""

    sampler: Sampler
    _ordered: dict[tuple[int, object, tuple[int, ...]], tuple[IntArray, FloatArray]] = field(default_factory=dict)

    def sample(self, n_draws: int, rng: np.random.SeedSequence) -> FloatArray:
        return _in_order(*self.ordered(n_draws, rng))

    def ordered(self, n_draws: int, rng: np.random.SeedSequence) -> tuple[IntArray, FloatArray]:
        """The order of the draws, and the draws sorted."""
        key = n_draws, rng.entropy, rng.spawn_key
        if key not in self._ordered:
            draws = self.sampler.sample(n_draws, rng)
            order = np.argsort(draws)
            self._ordered[key] = order, draws[order]
        return self._ordered[key]

    def forget(self) -> None:
        """Free the memory; what is asked for again is drawn again."""
        self._ordered.clear()


@dataclass(frozen=True, eq=False)
class Between:
    """The law whose quantile function is the weighted mean of two others."""

    low: Remembered
    high: Remembered
    weight: float

    def sample(self, n_draws: int, rng: np.random.SeedSequence) -> FloatArray:
        order, low = self.low.ordered(n_draws, rng)
        high = self.high.ordered(n_draws, rng)[1]
        # In the order of one of them, since sorted draws of two models would not be independent.
        return _in_order(order, (1.0 - self.weight) * low + self.weight * high)


def _in_order(order: IntArray, values: FloatArray) -> FloatArray:
    found = np.empty_like(values)
    found[order] = values
    return found
