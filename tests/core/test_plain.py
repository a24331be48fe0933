"""The fast core against the plain one; `make stress` does the same for longer
(tests/stress/numbers.py).
"""

import numpy as np
import pytest
from scipy import stats

from core import plain
from rivals import HierarchicalBetaProcess
from samples import make_losses
from stress.numbers import one_input


def test_random_inputs():
    """Shapes, ties, scales 1e-300 … 1e297, c 1e-12 … 1e12, L 2 … 10⁶: moments, draws, probabilities
    and verdicts.
    """
    assert [wrong for index in range(12) for wrong in one_input(2, 20 + index)] == []


@pytest.mark.parametrize("kind", ["exponential", "student"])
def test_draws_of_the_risk_follow_whole_paths(kind):
    """Every node drawn by its own law, no remainder: Kolmogorov-Smirnov on 1 500 paths and 20 000
    draws.
    """
    losses = make_losses(kind, 300)
    rng = np.random.default_rng(0)
    _, risks = plain.paths(losses.observed, losses.synthetic, 0.3, 4, 1500, rng)
    draws = HierarchicalBetaProcess.from_losses(losses, 0.3, 4).sample_risk(20_000, rng=1)
    assert stats.ks_2samp(risks, draws).pvalue > 1e-4


def test_the_fuzz_can_fail(monkeypatch):
    """A wrong plain number is seen: the comparison compares."""
    moments = plain.risk_moments
    monkeypatch.setattr(plain, "risk_moments", lambda *a: (moments(*a)[0], 1.1 * moments(*a)[1]))
    assert any("standard deviation" in wrong for index in range(5) for wrong in one_input(2, index))
