"""Ties: spread out, discrete losses have a risk as wide as their model is wrong; nothing else
changes.
"""

import numpy as np
import pytest
from scipy.special import gammaln

from rivals import HierarchicalBetaProcess, Losses, compare
from rivals.laws.beta import tied_fraction
from samples import make_losses

N = 2000


def coins(observed: float, simulated: float, n_simulations: int = 1, seed: int = 0) -> Losses:
    """0/1 losses with these rates of error."""
    rng = np.random.default_rng(seed)
    return Losses(rng.random(N) < observed, rng.random((n_simulations, N)) < simulated)


def risk_std(losses: Losses, c: float = 1.0) -> float:
    return HierarchicalBetaProcess.from_losses(losses, c).risk_std


def test_zero_one_losses_have_no_spread_unless_ties_are_spread():
    """The flaw itself: half the errors are missed, and the risk is certain to a thousandth."""
    losses = coins(0.4, 0.2)
    assert risk_std(losses) < 1e-3
    assert risk_std(losses.spread_ties()) > 0.05


@pytest.mark.parametrize("n_simulations", [1, 8])
def test_spread_grows_with_misspecification(n_simulations):
    """Between rates of error 0.05 apart lie three standard errors √(2 · 0.24 / 2000) = 0.015 of
    their difference.
    """
    widths = [
        risk_std(coins(0.4, rate, n_simulations).spread_ties())
        for rate in (0.4, 0.35, 0.3, 0.2, 0.1)
    ]
    assert widths[0] > 0
    assert np.all(np.diff(widths) > 0)


def test_discrepancy_is_the_transport_distance_of_zero_one_losses():
    """With even levels q* and q~ are polygons; the area between them is the difference of the rates
    of error.
    """
    losses = coins(0.4, 0.2).spread_ties()
    gap = abs(np.mean(losses.observed) - np.mean(losses.synthetic))
    area = np.mean(np.abs(np.sort(losses.observed) - np.sort(losses.synthetic[0])))
    assert area == pytest.approx(gap, rel=1e-9)


def test_poisson_log_losses_of_a_true_model_are_narrower_than_of_a_wrong_one():
    rng = np.random.default_rng(1)

    def losses(mean: float) -> Losses:
        counts = rng.poisson(0.7, N)
        simulated = rng.poisson(mean, (8, N))
        return Losses(
            *(mean - y * np.log(mean) + gammaln(y + 1.0) for y in (counts, simulated))
        ).spread_ties()

    # At this c the end points, whose place is a matter of luck, do not matter for the order.
    assert risk_std(losses(0.7), 2.0**-6) < risk_std(losses(1.4), 2.0**-6)


@pytest.mark.parametrize("kind", ["gaussian", "exponential", "cauchy", "student"])
def test_losses_without_ties_stay_to_the_bit(kind):
    losses = make_losses(kind)
    spread = losses.spread_ties()
    np.testing.assert_array_equal(spread.observed, losses.observed, strict=True)
    np.testing.assert_array_equal(spread.synthetic, losses.synthetic, strict=True)


def test_risk_and_order_stay():
    losses = make_losses("poisson")
    spread = losses.spread_ties()
    assert spread.empirical_risk == pytest.approx(losses.empirical_risk, abs=1e-12)
    assert tied_fraction(spread.observed) == 0.0
    # A loss stays nearer to its own value than to any other, so that no two values change places.
    np.testing.assert_array_equal(np.rint(spread.observed), losses.observed)


def test_the_nearer_neighbour_bounds_the_spread():
    spread = Losses([0.0, 0.0, 1.0, 1.0, 5.0, 5.0], [0.0, 1.0]).spread_ties()
    np.testing.assert_allclose(spread.observed, [-0.25, 0.25, 0.75, 1.25, 4.0, 6.0])


def test_neighbours_are_sought_in_all_samples():
    """Where every observed loss is the same, the simulated ones say how far apart losses are."""
    spread = Losses([1.0, 1.0], [[1.0, 1.0], [1.0, 3.0]]).spread_ties()
    np.testing.assert_allclose(spread.observed, [0.5, 1.5])
    np.testing.assert_allclose(spread.synthetic, [[0.5, 1.5], [1.0, 3.0]])


def test_values_that_differ_by_rounding_are_one():
    exact = Losses([0.3, 0.3, 0.3, 1.3], [0.3, 1.3])
    rounded = Losses([0.1 + 0.2, 0.3, 0.3, 1.3], [0.3, 1.3])
    assert rounded.observed[0] != exact.observed[0]
    np.testing.assert_allclose(
        np.sort(rounded.spread_ties().observed),
        np.sort(exact.spread_ties().observed),
        rtol=0,
        atol=1e-15,
    )


@pytest.mark.parametrize(("scale", "offset"), [(1e-3, 0.0), (7.0, -3.0), (1e6, 1e6), (1.0, 1e4)])
def test_scale_and_offset_pass_through(scale, offset):
    losses = make_losses("poisson")
    spread = losses.spread_ties()
    moved = Losses(
        offset + scale * losses.observed, offset + scale * losses.synthetic
    ).spread_ties()
    rounding = 4 * np.spacing(abs(offset) + scale * np.max(np.abs(spread.synthetic)))
    np.testing.assert_allclose(
        moved.observed, offset + scale * spread.observed, rtol=0, atol=rounding
    )
    np.testing.assert_allclose(
        moved.synthetic, offset + scale * spread.synthetic, rtol=0, atol=rounding
    )


def test_no_randomness():
    first, again = (make_losses("poisson").spread_ties() for _ in range(2))
    np.testing.assert_array_equal(first.observed, again.observed)
    np.testing.assert_array_equal(first.spread_ties().observed, first.observed)


def test_shapes_stay():
    for synthetic in (np.array([0.0, 1.0]), np.array([[0.0, 1.0], [0.0, 0.0]])):
        assert Losses([0.0, 0.0, 1.0], synthetic).spread_ties().synthetic.shape == synthetic.shape
    alone = Losses([0.0, 0.0, 1.0]).spread_ties()
    assert alone.n_simulations == 0
    np.testing.assert_allclose(alone.observed, [-0.25, 0.25, 1.0])


def test_a_constant_loss_stays():
    losses = Losses([2.0, 2.0], [2.0, 2.0])
    assert losses.spread_ties() is losses


@pytest.mark.parametrize("law", ["transport", "groups"])
def test_the_risk_of_zero_one_losses_is_a_rate(law):
    """A rare error in few groups: the normal law alone would let the risk be below 0."""
    options = {"groups": np.arange(N) % 4} if law == "groups" else {"law": law, "c": 1.0}
    models = {"rare": coins(0.005, 0.08, 4), "nearly always": coins(0.995, 0.9, 4, seed=1)}
    result = compare(models, rng=0, **options)
    ends = np.array([result.risk_interval(name, 0.999) for name in models])
    assert ends.min() >= 0.0
    assert ends.max() <= 1.0
    # The law itself is not cut off: other losses of the same shape have any risk.
    shifted = {
        name: Losses(losses.observed - 2.0, losses.synthetic - 2.0)
        for name, losses in models.items()
    }
    wide = compare(shifted, rng=0, **options).risk_interval("rare", 0.999)
    assert wide[1] == pytest.approx(ends[0, 1] - 2.0, abs=1e-9)
