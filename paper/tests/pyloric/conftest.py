import json
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture(scope="session")
def checks():
    """The original simulator's numbers and a converged solution (rtol 1e-10), compacted."""
    return json.loads((Path(__file__).parents[1] / "data" / "pyloric.json").read_text())


@pytest.fixture(scope="session")
def spike_times():
    """Upward crossings of 0 mV, and onsets of bursts: spikes after a gap of more than 150 ms."""

    def find(v, t):
        i = np.flatnonzero((v[:-1] < 0) & (v[1:] >= 0))
        spikes = t[i] - v[i] / (v[i + 1] - v[i])
        return spikes, spikes[1:][np.diff(spikes) > 150]

    return find
