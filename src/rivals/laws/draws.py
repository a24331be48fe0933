"""Draws of the risk of every model: kept, or, if there are very many, made again on demand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, overload

import numpy as np

from rivals._random import COMPARISON_DRAWS
from rivals._types import FloatArray

# Numbers that are kept, 128 MB of them.
KEPT = 2**24


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


class Draws(Sequence[FloatArray]):
    """Draws of the risks less the reference, of each model its own number, in the order of the models."""

    def __init__(self, samplers: Sequence[Sampler], shifts: FloatArray, entropy: int, key: int, n_draws: int) -> None:
        self._samplers, self._shifts, self._entropy, self._key = samplers, shifts, entropy, key
        self._blocks = [[n_draws] for _ in samplers]
        self._keeps = len(samplers) * n_draws <= KEPT
        self._kept: dict[int, FloatArray] = {}

    def sizes(self) -> list[int]:
        """How many draws of each model there are."""
        return [sum(blocks) for blocks in self._blocks]

    def more(self, index: int, n_draws: int) -> FloatArray:
        """Another block of draws of one model; returns the new ones."""
        before = self[index] if self._keeps else None
        self._blocks[index].append(n_draws)
        added = self._block(index, len(self._blocks[index]) - 1)
        if before is not None:
            self._kept[index] = np.concatenate([before, added])
        return added

    def forget(self) -> None:
        """Free the memory; what is asked for again is drawn again, the same."""
        self._keeps = False
        self._kept.clear()

    def _block(self, index: int, block: int) -> FloatArray:
        seed = draw_seed(self._entropy, self._key, index, block)
        draws = self._samplers[index].sample(self._blocks[index][block], seed)
        return draws + self._shifts[index] if self._shifts[index] else draws

    @overload
    def __getitem__(self, index: int) -> FloatArray: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[FloatArray, ...]: ...

    def __getitem__(self, index: int | slice) -> FloatArray | tuple[FloatArray, ...]:
        if isinstance(index, slice):
            return tuple(self[place] for place in range(*index.indices(len(self))))
        place = range(len(self))[index]
        if place in self._kept:
            return self._kept[place]
        draws = np.concatenate([self._block(place, block) for block in range(len(self._blocks[place]))])
        if self._keeps:
            self._kept[place] = draws
        return draws

    def __len__(self) -> int:
        return len(self._samplers)

    def __iter__(self) -> Iterator[FloatArray]:
        return (self[index] for index in range(len(self)))
