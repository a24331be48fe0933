"""Draws of the risk of every model, the same whenever they are made."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rivals._random import COMPARISON_DRAWS
from rivals._types import FloatArray


def draw_seed(entropy: int, key: int, index: int, block: int = 0) -> np.random.SeedSequence:
    """The seed of a block of draws of one model: keyed by its position and the block, so that it depends on nothing else."""
    # An experiment has one block, and its seeds do not name it.
    keys = (key, index, block) if key == COMPARISON_DRAWS else (key, index)
    return np.random.SeedSequence(entropy, spawn_key=keys)


class Sampler(Protocol):
    """A law to draw from."""

    def sample(self, n_draws: int, rng: np.random.SeedSequence) -> FloatArray:
        """Independent draws."""


@dataclass(frozen=True)
class Gaussian:
    """A normal law."""

    mean: float
    std: float

    def sample(self, n_draws: int, rng: np.random.SeedSequence) -> FloatArray:
        return self.mean + self.std * np.random.Generator(np.random.PCG64(rng)).standard_normal(n_draws)


class Draws:
    """Draws of the risks less the reference, of each model its own number, in the order of the models; made when asked for."""

    def __init__(self, samplers: Sequence[Sampler], shifts: FloatArray, entropy: int, key: int, n_draws: int) -> None:
        self._samplers, self._shifts, self._entropy, self._key = samplers, shifts, entropy, key
        self._blocks = [[n_draws] for _ in samplers]

    def more(self, index: int, n_draws: int) -> FloatArray:
        """Another block of draws of one model; returns the new ones."""
        self._blocks[index].append(n_draws)
        return self._block(index, len(self._blocks[index]) - 1)

    def _block(self, index: int, block: int) -> FloatArray:
        seed = draw_seed(self._entropy, self._key, index, block)
        draws = self._samplers[index].sample(self._blocks[index][block], seed)
        return draws + self._shifts[index] if self._shifts[index] else draws

    def __getitem__(self, index: int) -> FloatArray:
        return np.concatenate([self._block(index, block) for block in range(len(self._blocks[index]))])

    def __iter__(self) -> Iterator[FloatArray]:
        return (self[index] for index in range(len(self._samplers)))
