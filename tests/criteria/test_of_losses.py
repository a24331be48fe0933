"""B^R and B^Q."""

import numpy as np
import pytest
from scipy.special import ndtr

from rivals import criteria


def test_risk_difference_is_paired():
    losses = np.random.default_rng(0).exponential(size=500)
    value, error = criteria.difference(criteria.risk(losses + 0.3), criteria.risk(losses))
    assert value == pytest.approx(0.3)
    assert error == pytest.approx(0, abs=1e-12)
    assert criteria.risk(losses).standard_error == pytest.approx(losses.std(ddof=1) / np.sqrt(500))


def test_loss_only_of_normal_losses():
    """Of independent Q ~ N(0, 1) and Q_ref ~ N(½, 2²), B^Q = Φ(½ / √(1 + 4 + c²))."""
    rng = np.random.default_rng(1)
    losses, reference = rng.normal(size=20_000), rng.normal(0.5, 2.0, size=20_000)
    for tolerance in (0.0, 1.0, 4.0):
        found = criteria.loss_only(losses, reference, tolerance=tolerance)
        expected = ndtr(0.5 / np.sqrt(5.0 + tolerance**2))
        # Reading 2 048 quantiles of 20 000 losses costs less than 1e-3.
        assert abs(found.value - expected) < 4 * found.standard_error + 1e-3


def test_the_standard_error_is_that_of_repeated_data():
    """On the same points, where losses are correlated, and on others."""
    rng = np.random.default_rng(2)

    def draw(shared):
        common = shared * rng.normal(size=200)
        return common + rng.normal(size=200), common + 0.2 + rng.normal(size=200)

    for shared in (0.0, 2.0):
        found = [criteria.loss_only(*draw(shared), tolerance=0.5) for _ in range(400)]
        spread = np.std([each.value for each in found])
        # 400 repetitions know a standard deviation to 3.5 %.
        assert np.mean([each.standard_error for each in found]) == pytest.approx(spread, rel=0.15)


def test_loss_only_is_antisymmetric_and_counts_ties_half():
    a, b = np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.5])
    for tolerance in (0.0, 0.7):
        forth, back = (
            criteria.loss_only(*pair, tolerance=tolerance).value for pair in ((a, b), (b, a))
        )
        assert forth + back == pytest.approx(1)
    assert criteria.loss_only(a, a, tolerance=0).value == 0.5
    with pytest.raises(ValueError, match="tolerance"):
        criteria.loss_only(a, b, tolerance=-1)


def test_infinite_losses_mean_impossible_data():
    with pytest.raises(ValueError, match="zero probability to 1 of 3"):
        criteria.risk([1.0, 2.0, np.inf])


def test_which_losses_belong_to_one_point_does_not_matter():
    """The paper defines B^Q by the two distributions. Paired by points, losses that differ by a
    tenth of their standard deviation would give 1; independent draws give Φ(0.1 / √2) = 0.53.
    """
    losses = np.random.default_rng(0).normal(size=1000)
    found = criteria.loss_only(losses, losses + 0.1).value
    assert found == pytest.approx(0.53, abs=0.02)
    assert found == criteria.loss_only(losses, losses[::-1] + 0.1).value


def test_exact_for_few_losses():
    a, b = np.array([0.0, 1.0]), np.array([0.5, 0.5, 3.0])
    assert criteria.loss_only(a, b).value == pytest.approx(4 / 6)
    smoothed = np.mean([ndtr((y - x) / 0.3) for x in a for y in b])
    assert criteria.loss_only(a, b, tolerance=0.3).value == pytest.approx(smoothed, abs=1e-15)
