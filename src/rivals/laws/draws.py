"""Draws of the risks, the same whenever they are made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import pi, sqrt
from typing import Protocol

import numpy as np

from rivals._random import COMPARISON_DRAWS
from rivals._types import FloatArray

# With 12 000 draws of each risk the standard error of B is at most 0.5 / √12000 = 0.0046, whatever
# the distributions.
N_DRAWS = 12_000


class Sampler(Protocol):
    """A law to draw from."""

    def sample(self, n_draws: int, rng: np.random.SeedSequence) -> FloatArray:
        """Independent draws."""


class Draws:
    """Draws of the risks less the reference, in the order of the models; made when asked for.

    Parameters
    ----------
    samplers : sequence of Sampler
        One for each model.
    shifts : array
        Added to the draws of each model.
    entropy, key : int
        Seed and purpose of the random numbers.
    blocks : sequence of tuple of int
        How many draws of each model, block by block: each block has a seed of its own.
    """

    def __init__(
        self,
        samplers: Sequence[Sampler],
        shifts: FloatArray,
        entropy: int,
        key: int,
        blocks: Sequence[tuple[int, ...]],
    ) -> None:
        self._samplers = samplers
        self._shifts = shifts
        self._entropy = entropy
        self._key = key
        self.blocks = tuple(blocks)

    def with_block(self, index: int, n_draws: int) -> Draws:
        """The same draws, and one more block of one model."""
        blocks = list(self.blocks)
        blocks[index] = (*blocks[index], n_draws)
        return Draws(self._samplers, self._shifts, self._entropy, self._key, blocks)

    def block(self, index: int, number: int) -> FloatArray:
        """One block of draws of one model."""
        seed = draw_seed(self._entropy, self._key, index, number)
        draws = self._samplers[index].sample(self.blocks[index][number], seed)
        return draws + self._shifts[index] if self._shifts[index] else draws

    def __getitem__(self, index: int) -> FloatArray:
        numbers = range(len(self.blocks[index]))
        return np.concatenate([self.block(index, number) for number in numbers])

    def __iter__(self) -> Iterator[FloatArray]:
        return (self[index] for index in range(len(self._samplers)))


def draw_seed(entropy: int, key: int, index: int, block: int = 0) -> np.random.SeedSequence:
    """The seed of a block of draws of one model: it depends on position and block alone."""
    # An experiment has one block, and its seeds do not name it.
    keys = (key, index, block) if key == COMPARISON_DRAWS else (key, index)
    return np.random.SeedSequence(entropy, spawn_key=keys)


@dataclass(frozen=True)
class Gaussian:
    """A normal law."""

    mean: float
    std: float

    def sample(self, n_draws: int, rng: np.random.SeedSequence) -> FloatArray:
        generator = np.random.Generator(np.random.PCG64(rng))
        return self.mean + self.std * generator.standard_normal(n_draws)


def gaussian_density(mean: float, std: float, n_points: int) -> tuple[FloatArray, FloatArray]:
    """The Gaussian curve, 3.5 standard deviations to either side.

    Examples
    --------
    >>> gaussian_density(2.0, 0.5, n_points=3)[0]
    array([0.25, 2.  , 3.75])
    """
    if not std > 0.0:
        return np.array([mean]), np.array([np.inf])
    steps = np.linspace(-3.5, 3.5, n_points)
    return mean + std * steps, np.exp(-0.5 * steps**2) / (sqrt(2.0 * pi) * std)
