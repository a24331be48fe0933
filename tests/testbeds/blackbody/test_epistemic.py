import numpy as np
import pytest

import rivals
from rivals.testbeds import blackbody


def test_experiments_vary_in_bias_and_law():
    rng = np.random.default_rng(0)
    experiments = [blackbody.bias_sweep(rng, n_fit=256) for _ in range(200)]
    biases = np.array([experiment.observe.keywords["bias"] for experiment in experiments])
    laws = [experiment.observe.keywords["law"] for experiment in experiments]
    assert np.abs(biases).max() < 1e-4
    assert biases.std() == 1e-4 / np.sqrt(3) * np.clip(biases.std() * np.sqrt(3) / 1e-4, 0.9, 1.1)
    assert 70 < laws.count("planck") < 130  # half of 200, four standard deviations
    for experiment in experiments[:3]:
        planck, other = experiment.candidates
        assert (planck.law, other.law) == blackbody.LAWS
        assert planck.temperature == other.temperature == 4000


def test_calibration_over_processes():
    """Experiments travel to other processes; a moderate c mostly finds the better model."""
    pytest.importorskip(
        "loky", reason='several processes need loky: pip install "rivals[parallel]"'
    )
    found = rivals.calibrate(
        blackbody.bias_sweep,
        n_data=256,
        n_experiments=24,
        c=[2.0**-6],
        n_truth=4096,
        rng=0,
        executor=2,
        progress=False,
    )
    right = (found.records["probability"] > 0.5) == found.records["truly_better"]
    assert right.mean() > 0.7  # the published 1024-point experiments reach 0.97
