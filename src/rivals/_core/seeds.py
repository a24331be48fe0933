"""Randomness: one integer of entropy per result, one independent stream per purpose (SPEC 7)."""

from __future__ import annotations

import operator
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from rivals._core.types import RNG

# Words of entropy that a seed sequence of NumPy holds.
POOL_SIZE = 4

# Every key of a stream, by the owner of the entropy. A stream is `stream(entropy, key, ...)`; the
# numbers are part of what a seed means, and never change.

# A process.
PROCESS_END_POINTS = 0
PROCESS_NODES = 1
# The transport law of one model.
TRANSPORT_RISK = 0
# A candidate: the bare entropy would repeat default_rng(seed), perhaps the data's.
CANDIDATE_SIMULATION = 1
# A comparison: then the place of the model (and the block of draws).
COMPARISON_DRAWS = 0
COMPARISON_SIMULATION = 1
COMPARISON_RECORDINGS = 2
# An experiment of a calibration.
EXPERIMENT_DESIGN = 0
EXPERIMENT_DATA = 1
EXPERIMENT_SYNTHETIC = 2
EXPERIMENT_TRUTH = 3
EXPERIMENT_DRAWS = 4
EXPERIMENT_PAIR = 5
# The demonstration.
DEMO_HELD_OUT = 2
# A cross-validation: then the model, and the fold.
FOLD_SIMULATION = 0
FOLD_FIT = 1
FOLD_SPLIT = 2
FOLD_NOISE = 3
FOLD_MEMBERS = 4
# A posterior: then the number of the prediction.
POSTERIOR_PREDICTION = 0
POSTERIOR_CHOICE = 1
# Posteriors without groups: then the fold.
LEFT_OUT = 8
# A simulator's ensemble; a number that nobody else has, since members must not repeat data or
# simulations of the same seed.
ENSEMBLE = 5
# A model confidence set.
RESAMPLES = 6
# A plan for a comparison: then the place of the model.
PLANNED_GROUPS = 7


def entropy_from(rng: RNG) -> int:
    """The integer that repeats a run.

    `f(..., rng=entropy)` gives the same bits as `f(..., rng=rng)` did. A generator is advanced by
    the drawing of its entropy, so that two calls with the same generator differ.

    Examples
    --------
    >>> entropy_from(7)
    7
    """
    if rng is None:
        # At most ten digits: people copy them.
        return _as_integer(np.random.SeedSequence().generate_state(1))
    if isinstance(rng, np.random.SeedSequence):
        # A plain sequence is its integer; a spawned one, or one made from several, is condensed
        # into an integer.
        if not rng.spawn_key and isinstance(rng.entropy, int):
            return rng.entropy
        return _as_integer(rng.generate_state(4))
    if isinstance(rng, np.random.BitGenerator):
        rng = np.random.Generator(rng)
    if isinstance(rng, np.random.Generator):
        return _as_integer(rng.integers(0, 2**32, size=4, dtype=np.uint32))
    unknown = TypeError(
        "rng must be None, an integer, a SeedSequence or a Generator of numpy.random; "
        f"got {type(rng).__name__}"
    )
    if isinstance(rng, bool):
        raise unknown
    try:
        entropy = operator.index(rng)
    except TypeError:
        raise unknown from None
    if entropy < 0:
        raise ValueError(f"rng as an integer must not be negative; got {entropy}")
    return entropy


def stream(entropy: int, *key: int) -> np.random.Generator:
    """The generator that belongs to `key`, independent of all others, whatever the order of use."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy, spawn_key=key)))


def simulation_streams(rng: RNG, n_simulations: int) -> list[np.random.Generator]:
    """One generator per simulation of a candidate.

    The first does not depend on how many there are.
    """
    entropy = entropy_from(rng)
    first = stream(entropy, CANDIDATE_SIMULATION)
    return [first, *_streams(entropy, CANDIDATE_SIMULATION, indices=range(1, n_simulations))]


def _streams(entropy: int, *key: int, indices: Iterable[int]) -> list[np.random.Generator]:
    """`stream(entropy, *key, index)` of each index, to the last bit, in two thirds of the time.

    A seed sequence reads entropy and key as one row of words, entropy filled up with zeros to
    `POOL_SIZE` words; what is the same for all of them is put together here once.
    """
    n_words = max(POOL_SIZE, -(-entropy.bit_length() // 32))
    own = np.frombuffer(entropy.to_bytes(4 * n_words, "little"), dtype="<u4")
    row = np.array([*own, *key, 0], dtype=np.uint32)
    found = []
    for index in indices:
        words = row.copy()
        words[-1] = index
        seed = np.random.SeedSequence(words)
        found.append(np.random.Generator(np.random.PCG64(seed)))
    return found


def _as_integer(words: npt.NDArray[np.unsignedinteger]) -> int:
    return int.from_bytes(words.astype("<u4").tobytes(), "little")
