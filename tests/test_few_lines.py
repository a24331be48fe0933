"""200 random problems: `compare` is the few lines over `rivals.method`, to 1e-12."""

import numpy as np
import pytest

import few_lines
import rivals
from problems import problem


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_law_transport(first):
    for seed in range(first, first + 50):
        given = problem(seed, n_simulations=1)
        result = rivals.compare(given.without_groups)
        expected, rejected = few_lines.transport_law(given.observed, given.simulated)
        np.testing.assert_allclose(result.probability, expected, rtol=0.0, atol=1e-12)
        assert [name in result.rejections for name in result.risk] == rejected.tolist()
