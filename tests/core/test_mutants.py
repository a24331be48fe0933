"""What no test noticed when the core was changed at random, by `tools/mutants.py`: each test here fails on such a change."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from scipy import stats

from rivals import Losses
from rivals.core.tails import tail_shape
from rivals.laws import Setting, Transport


def test_losses_that_are_all_equal_have_a_tail_that_ends():
    assert tail_shape(np.full(200, 3.0)) == -inf
    assert tail_shape(np.append(np.zeros(200), 1.0)) == -inf


@pytest.mark.parametrize("unit", [1.0, 1e-4, 1e4])
@pytest.mark.parametrize("distance", [0.1, 3.0])
def test_at_the_critical_c_the_probability_is_the_threshold(unit, distance):
    """In any unit of the loss, and also where that c is small: 3.6 and 0.004 here."""
    # Errors of the means without correlation, of variance 0.01.
    errors = np.sqrt(0.03) * np.array([[1.0, 1.0, -1.0, -1.0], [1.0, -1.0, 1.0, -1.0]])
    samples = [Losses(unit * (mean + error)) for mean, error in zip((1.0, 1.5), errors, strict=True)]
    setting = Setting(c=1.0, threshold=0.95, n_simulations=1)
    applied = Transport().apply(samples, setting, summaries=[np.array([unit * distance])] * 2)
    found = applied.critical_c
    assert np.isnan(found[0])
    # z = (m_b − m_a) / √(c (W_a² + W_b²) + V) in closed form: rounding alone.
    assert applied.at(float(found[1])).matrix()[0][0, 1] == pytest.approx(0.95, abs=1e-12)
    assert found[1] == pytest.approx((0.25 / stats.norm.ppf(0.95) ** 2 - 0.02) / (2 * distance**2), rel=1e-12)
