"""The process as published: where its limits are not reached it agrees with the exact one.

Where they are, it does not.
"""

import numpy as np
import pytest

from rivals import HierarchicalBetaProcess, Losses
from rivals_paper.mirrored import sample_risk_as_published


def losses(scale=1.0, seed=0):
    rng = np.random.default_rng(seed)
    return Losses(scale * rng.exponential(size=1000), scale * 1.2 * rng.exponential(size=1000))


def test_agrees_with_the_exact_process_where_no_limit_is_reached():
    exact = HierarchicalBetaProcess.from_losses(losses(), c=0.5, depth=8)
    draws = sample_risk_as_published(losses(), 0.5, 20_000, rng=1)
    # Simpson's sum instead of the trapezoid's shifts the risk slightly, through the last cell.
    assert draws.mean() == pytest.approx(
        exact.risk_mean, abs=0.05 * exact.risk_std + 4 * exact.risk_std / 20_000**0.5
    )
    assert draws.std() == pytest.approx(exact.risk_std, rel=0.05)


def test_small_variances_are_centred_on_the_wrong_half():
    """Losses of scale 1e-5 get several times their risk: their metric variance is below 1e-8."""
    small = losses(scale=1e-5)
    exact = HierarchicalBetaProcess.from_losses(small, c=0.5)
    draws = sample_risk_as_published(small, 0.5, 500, rng=1)
    assert exact.risk_mean == pytest.approx(1e-5, rel=0.2)
    assert draws.mean() > 3e-5
