"""Streams of random numbers: what a seed means never changes."""

import numpy as np
import pytest

from rivals._random import CANDIDATE_SIMULATION, simulation_streams


@pytest.mark.parametrize("entropy", [0, 1, 2**32 - 1, 2**32, 2**64 + 5, 2**127 + 3, 2**200 + 7])
def test_streams_of_simulations_are_those_of_their_keys(entropy):
    """As NumPy derives them from entropy and spawn key, and so are generators spawned from them."""
    streams = simulation_streams(entropy, 5)
    keys = [(CANDIDATE_SIMULATION,)]
    keys += [(CANDIDATE_SIMULATION, index) for index in range(1, 5)]
    for found, key in zip(streams, keys, strict=True):
        expected = np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=key))
        np.testing.assert_array_equal(found.random(4), expected.random(4))
        for own, plain in zip(found.spawn(2), expected.spawn(2), strict=True):
            assert own.random() == plain.random()
            assert own.spawn(1)[0].random() == plain.spawn(1)[0].random()
