"""The risk of one model under method "transport": the closed form against draws, paths, units."""

import numpy as np
import pytest
from scipy import stats

from rivals import Losses, TransportLaw
from samples import make_losses


def test_law_is_gaussian_about_the_mean_loss(kind):
    losses = make_losses(kind)
    law = TransportLaw.from_losses(losses, c=0.3)
    assert law.risk_mean == pytest.approx(losses.observed.mean(), rel=1e-12)
    assert law.sampling_error == pytest.approx(
        losses.observed.std(ddof=1) / np.sqrt(losses.n_points), rel=1e-12
    )
    assert law.risk_std == pytest.approx(
        np.sqrt(0.3 * law.distance**2 + law.sampling_error**2), rel=1e-12
    )
    normal = stats.norm(law.risk_mean, law.risk_std)
    phi = np.array([0.0, 0.01, 0.5, 0.9, 1.0])
    np.testing.assert_allclose(law.ppf(phi), normal.ppf(phi), rtol=1e-12)
    np.testing.assert_allclose(law.cdf(normal.ppf(phi)), phi, atol=1e-12)
    assert stats.kstest(law.sample_risk(10_000, rng=3), normal.cdf).pvalue > 1e-4


def test_draws_repeat():
    law = TransportLaw.from_losses(make_losses("gaussian"), c=1.0)
    np.testing.assert_array_equal(law.sample_risk(5, rng=4), law.sample_risk(5, rng=4))


def test_at_another_c():
    losses = make_losses("student")
    assert TransportLaw.from_losses(losses, c=0.1).at(2.0) == TransportLaw.from_losses(
        losses, c=2.0
    )
    with pytest.raises(ValueError, match="c must be"):
        TransportLaw.from_losses(losses, c=0.0)


def test_large_c_widens_without_moving():
    """For every c the law stays centred on the mean loss, and the probability goes to ½."""
    law = TransportLaw.from_losses(make_losses("cauchy"), c=1.0)
    assert law.at(1e6).risk_mean == law.risk_mean
    assert law.at(1e6).risk_std == pytest.approx(1e3 * law.distance, rel=1e-3)


def test_a_model_that_is_right_narrows_with_the_root_of_the_size():
    """From 10³ to 10⁵ exponential losses by 10; medians over 7 samples are within a few per cent of
    their limits.
    """

    def width(n):
        rng = np.random.default_rng(5)
        return np.median(
            [
                TransportLaw.from_losses(rng.exponential(size=(2, n)), c=1.0).risk_std
                for _ in range(7)
            ]
        )

    assert width(100_000) < width(1000) / 5.0
    assert width(100_000) == pytest.approx(width(1000) / 10.0, rel=0.3)


@pytest.mark.parametrize("factor", [1e-3, 1.4427, 1e3])
def test_units_and_offsets_change_nothing(factor):
    losses = make_losses("exponential")
    law = TransportLaw.from_losses(losses, c=0.5)
    other = TransportLaw.from_losses(
        Losses(factor * losses.observed + 40.0, factor * losses.simulated + 40.0), c=0.5
    )
    assert other.risk_mean == pytest.approx(factor * law.risk_mean + 40.0, rel=1e-12)
    assert other.risk_std == pytest.approx(factor * law.risk_std, rel=1e-10)


def test_large_offset_keeps_the_digits():
    losses = make_losses("gaussian")
    law = TransportLaw.from_losses(losses, c=0.5)
    far = TransportLaw.from_losses(Losses(losses.observed + 1e12, losses.simulated + 1e12), c=0.5)
    assert far.risk_std == pytest.approx(law.risk_std, rel=1e-4)  # losses are rounded to 1e-4 there
    assert far.sample_excess_risk(1000, rng=0).std() == pytest.approx(law.risk_std, rel=0.1)


def test_no_spread_is_a_step():
    law = TransportLaw(excess=1.0, distance=0.0, sampling_error=0.0, c=1.0)
    np.testing.assert_array_equal(law.cdf([0.9, 1.0, 1.1]), [0.0, 1.0, 1.0])
    np.testing.assert_array_equal(law.ppf([0.0, 0.5, 1.0]), [1.0, 1.0, 1.0])
    np.testing.assert_array_equal(law.sample_risk(3, rng=0), [1.0, 1.0, 1.0])


def test_losses_that_overflow_are_refused():
    with pytest.raises(ValueError, match="rescale"):
        TransportLaw.from_losses(([-1e300, 1e300], [-1e299, 1e299]), c=1e20)


@pytest.mark.parametrize("scale", [1e-140, 1e-70, 1e70, 1e140])
def test_the_unit_of_the_loss_does_not_matter_at_any_scale(scale):
    """Within what `Losses` accepts."""
    rng = np.random.default_rng(3)
    observed = rng.exponential(size=50)
    simulated = rng.exponential(size=(3, 50))
    plain = TransportLaw.from_losses((observed, simulated), c=0.5)
    scaled = TransportLaw.from_losses((scale * observed, scale * simulated), c=0.5)
    assert scaled.risk_std == pytest.approx(scale * plain.risk_std, rel=1e-9)
    assert scaled.distance == pytest.approx(scale * plain.distance, rel=1e-9)


@pytest.mark.parametrize("sizes", [(300, 300), (300, 200)])
def test_paths_never_fall_and_their_average_is_the_risk(sizes):
    """R = ∫ q^ is N(mean loss, c W²): 4 000 paths, at the resolution of the losses, where the
    average is exact.
    """
    rng = np.random.default_rng(8)
    losses = Losses(rng.exponential(size=sizes[0]), 1.4 * rng.exponential(size=(3, sizes[1])))
    law = TransportLaw.from_losses(losses, c=0.5)
    risks = []
    for _ in range(4000):
        middles, heights = law._path(rng)
        assert (np.diff(heights) >= 0.0).all()
        risks.append(law.reference + heights @ np.diff(_edges(middles)))
    assert (
        stats.kstest(risks, stats.norm(law.risk_mean, np.sqrt(0.5) * law.distance).cdf).pvalue
        > 1e-3
    )


def _edges(middles):
    """Edges of steps whose middles are known, from 0 to 1."""
    edges = [0.0]
    for middle in middles:
        edges.append(2.0 * middle - edges[-1])
    return np.array(edges)


def test_the_paths_themselves_do_not_depend_on_the_grid_they_are_read_at():
    law = TransportLaw.from_losses(make_losses("exponential"), c=0.3)
    coarse = law.sample_paths(4, depth=5, rng=0)
    fine = law.sample_paths(4, depth=7, rng=0)
    np.testing.assert_array_equal(coarse[1], fine[1][:, ::4])
    assert (np.diff(fine[1], axis=1) >= 0.0).all()


def test_paths_keep_the_local_variance_before_they_are_sorted():
    """Var q^(Φ) = c δ² before the rearrangement, which moves no path away from q*: on average it is
    at most that.
    """
    law = TransportLaw.from_losses(make_losses("gaussian"), c=0.2)
    phi, paths = law.sample_paths(4000, depth=6, rng=1)
    inner = (phi > 0.05) & (phi < 0.95)
    spread = np.mean((paths[:, inner] - law.q(phi[inner])) ** 2)
    assert spread <= 1.1 * 0.2 * np.mean(law.delta(phi[inner]) ** 2)


def test_paths_need_the_losses():
    with pytest.raises(ValueError, match="from_losses"):
        TransportLaw(excess=1.0, distance=0.1, sampling_error=0.1, c=1.0).sample_paths(2)
