"""Random numbers: one seed per run, one independent stream per purpose."""

from __future__ import annotations

import numpy as np


def stream(seed: int, *key: int) -> np.random.Generator:
    """The generator that belongs to `key`, independent of all others, whatever the order of use."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=key)))


def seed_from(rng: np.random.Generator) -> int:
    """Draw a seed, for streams that depend on the state of a generator."""
    return int.from_bytes(
        rng.integers(0, 2**32, size=4, dtype=np.uint32).astype("<u4").tobytes(), "little"
    )
