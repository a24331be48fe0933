"""B^R and B^Q."""

import numpy as np
import pytest

from rivals_paper import criteria


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
    with pytest.raises(ValueError, match="same points"):
        criteria.loss_only(a, b[:2], tolerance=1)
    with pytest.raises(ValueError, match="tolerance"):
        criteria.loss_only(a, b, tolerance=-1)


def test_infinite_losses_mean_impossible_data():
    with pytest.raises(ValueError, match="zero probability to 1 of 3"):
        criteria.risk([1.0, 2.0, np.inf])


def test_losses_are_paired_by_their_points():
    """A choice that the paper leaves open: independent draws of both losses give another B^Q.

    For losses that differ by a constant 0.1 and share all else, paired B^Q at no tolerance is 1;
    of independent draws it would be Φ(0.1 / √2) = 0.53.
    """
    losses = np.random.default_rng(0).normal(size=1000)
    assert criteria.loss_only(losses, losses + 0.1, tolerance=0.0).value == 1.0
    independent = np.mean(losses[:, None] < losses[None, :] + 0.1)
    assert independent == pytest.approx(0.53, abs=0.02)
