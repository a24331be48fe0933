"""The risk, B^Q, and finite-sample uncertainty of the risk."""

import numpy as np
import pytest

from rivals import criteria


def test_risk_difference_is_paired():
    losses = np.random.default_rng(0).exponential(size=500)
    value, error = criteria.difference(criteria.risk(losses + 0.3), criteria.risk(losses))
    assert value == pytest.approx(0.3)
    assert error == pytest.approx(0, abs=1e-12)
    assert criteria.risk(losses).standard_error == pytest.approx(losses.std(ddof=1) / np.sqrt(500))


def test_loss_only_of_gaussian_differences():
    """For Q_ref − Q ~ N(d, s²), B^Q = Φ(d / √(s² + c²))."""
    rng = np.random.default_rng(1)
    reference = rng.normal(size=200_000)
    losses = reference - rng.normal(0.5, 1.0, size=reference.size)
    from scipy.special import ndtr

    for tolerance in (0.0, 1.0, 4.0):
        probability = criteria.loss_only(losses, reference, tolerance=tolerance)
        assert (
            abs(probability.value - ndtr(0.5 / np.hypot(1, tolerance)))
            < 4 * probability.standard_error
        )


def test_loss_only_is_antisymmetric_and_counts_ties_half():
    a, b = np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.5])
    for tolerance in (0.0, 0.7):
        forth, back = (
            criteria.loss_only(*pair, tolerance=tolerance).value for pair in ((a, b), (b, a))
        )
        assert forth + back == pytest.approx(1)
    assert criteria.loss_only(a, a, tolerance=0).value == 0.5
    with pytest.raises(ValueError, match="pairs losses on the same data"):
        criteria.loss_only(a, b[:2], tolerance=1)
    with pytest.raises(ValueError, match="tolerance must be a finite number, 0 or above; got -1"):
        criteria.loss_only(a, b, tolerance=-1)


def test_infinite_losses_mean_impossible_data():
    with pytest.raises(
        ValueError,
        match=r"losses: 1 of 3 are infinite, the first at position 2 \(from 0\); "
        "the model assigns zero probability to 1",
    ):
        criteria.risk([1.0, 2.0, np.inf])
