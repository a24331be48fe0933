"""The transport law: distances against SciPy, the closed form against draws, units, limits."""

import numpy as np
import pytest
from scipy import stats

import rivals
from rivals import Losses, TransportLaw
from rivals._random import EXPERIMENT_DRAWS
from rivals.core.sampling_error import mean_covariance
from rivals.laws import Setting, Transport
from rivals.method.distance import both_grids, wasserstein_distances
from samples import make_losses


@pytest.mark.parametrize("sizes", [(50, 50), (50, 51), (60, 40), (7, 1000), (2, 3)])
def test_distance_against_scipy(sizes):
    rng = np.random.default_rng(0)
    observed = rng.exponential(size=sizes[0])
    synthetic = rng.normal(1.0, 1.0, (4, sizes[1]))
    expected = [stats.wasserstein_distance(observed, one) ** 2 for one in synthetic]
    np.testing.assert_allclose(
        wasserstein_distances(observed, synthetic) ** 2, expected, rtol=1e-12
    )


def test_distance_of_equal_sizes_is_that_of_order_statistics():
    rng = np.random.default_rng(1)
    observed = rng.standard_normal(100)
    synthetic = rng.standard_normal((3, 100))
    expected = np.mean(np.abs(np.sort(synthetic, axis=1) - np.sort(observed)), axis=1) ** 2
    np.testing.assert_allclose(
        wasserstein_distances(observed, synthetic) ** 2, expected, rtol=1e-12
    )


@pytest.mark.parametrize(
    ("n", "m"), [(1, 1), (2, 2), (49, 49), (1000, 1000), (1, 5), (6, 4), (1000, 999), (128, 96)]
)
def test_grids_are_merged_as_by_union1d_to_the_last_bit(n, m):
    edges = np.union1d(m * np.arange(1, n + 1), n * np.arange(1, m + 1))
    plain = (edges - 1) // m, (edges - 1) // n, np.diff(edges, prepend=0) / (float(n) * m)
    for found, expected in zip(both_grids(n, m), plain, strict=True):
        np.testing.assert_array_equal(found, expected, strict=True)


def test_distance_of_a_shift_and_of_the_same_sample():
    sample = np.random.default_rng(2).exponential(size=64)
    distances = wasserstein_distances(
        sample, np.stack([sample, sample[::-1] + 0.5, np.repeat(sample, 1)])
    )
    np.testing.assert_allclose(distances, [0.0, 0.5, 0.0], atol=1e-15)
    assert (
        wasserstein_distances(sample, np.repeat(sample, 3)[None, :])[0] == 0.0
    )  # the same law, another size


@pytest.mark.parametrize("law", ["transport", "beta"])
@pytest.mark.parametrize("order", [None, "time"])
def test_pairs_at_each_c_are_those_of_the_matrices_to_the_last_bit(law, order):
    rng = np.random.default_rng(3)
    losses = [Losses(rng.exponential(size=300), rng.exponential(size=(2, 300))) for _ in range(4)]
    setting = Setting(c=0.1, order=order, n_simulations=2, key=EXPERIMENT_DRAWS)
    applied = rivals.laws.LAWS[law]().apply(losses, setting)
    values = [2.0**-8, 0.3, 1.0, 7.0]
    first = np.array([0, 3, 2, 1])
    second = np.array([1, 0, 3, 3])
    probability, error = applied.pairs_at_each(values, first, second)
    for row, here in enumerate(applied.at_each(values)):
        matrix, matrix_error = here.matrix()
        np.testing.assert_array_equal(probability[row], matrix[first, second])
        np.testing.assert_array_equal(error[row], matrix_error[first, second])


def test_overflow_names_the_least_c_that_overflows():
    losses = [Losses([0.0, 1e10, 2e10], [0.0, 3e10, 5e10]) for _ in range(2)]
    applied = Transport().apply(losses, Setting(c=1.0, n_simulations=1))
    with pytest.raises(ValueError, match="overflow at c = 1e\\+300"):
        applied.pairs_at_each([1.0, 1e300, 1e305], np.array([0]), np.array([1]))


def test_law_is_gaussian_about_the_mean_loss(kind):
    losses = make_losses(kind)
    law = TransportLaw.from_losses(losses, c=0.3)
    assert law.risk_mean == pytest.approx(losses.observed.mean(), rel=1e-12)
    assert law.sampling_error == pytest.approx(
        losses.observed.std(ddof=1) / np.sqrt(losses.n_observed), rel=1e-12
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
        Losses(factor * losses.observed + 40.0, factor * losses.synthetic + 40.0), c=0.5
    )
    assert other.risk_mean == pytest.approx(factor * law.risk_mean + 40.0, rel=1e-12)
    assert other.risk_std == pytest.approx(factor * law.risk_std, rel=1e-10)


def test_large_offset_keeps_the_digits():
    losses = make_losses("gaussian")
    law = TransportLaw.from_losses(losses, c=0.5)
    far = TransportLaw.from_losses(Losses(losses.observed + 1e12, losses.synthetic + 1e12), c=0.5)
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


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e200, 1e298])
def test_the_unit_of_the_loss_does_not_matter_at_any_scale(scale):
    """Squares of such losses vanish or overflow; the law is that of the same losses in another
    unit.
    """
    rng = np.random.default_rng(3)
    observed = rng.exponential(size=50)
    synthetic = rng.exponential(size=(3, 50))
    plain = TransportLaw.from_losses((observed, synthetic), c=0.5)
    scaled = TransportLaw.from_losses((scale * observed, scale * synthetic), c=0.5)
    assert scaled.risk_std == pytest.approx(scale * plain.risk_std, rel=1e-9)
    assert scaled.distance == pytest.approx(scale * plain.distance, rel=1e-9)


# ---------------------------------------------------------------- all pairs


def probabilities(losses, distances, c):
    """Of every pair, from the losses of each model and the distance W of its simulations."""
    setting = Setting(c=c, n_simulations=1)
    applied = Transport().apply(
        [Losses(row) for row in losses], setting, summaries=np.asarray(distances)[:, None]
    )
    return applied.matrix()[0]


def some_models(seed=6, n_models=5, n=400):
    rng = np.random.default_rng(seed)
    losses = (
        rng.standard_normal((n_models, n))
        + 2.0 * rng.standard_normal(n)
        + rng.normal(0, 0.1, (n_models, 1))
    )
    return losses, np.sqrt(rng.exponential(0.02, n_models))


@pytest.mark.parametrize("c", [1e-9, 0.1, 1.0, 1e9])
def test_probability_is_antisymmetric(c):
    probability = probabilities(*some_models(), c)
    np.testing.assert_array_equal(probability + probability.T, 1.0)
    np.testing.assert_array_equal(np.diagonal(probability), 0.5)


def test_probability_against_joint_draws():
    """10⁵ draws of all risks at once, with their correlated sampling errors: to 4.5 standard errors
    of 25 entries.
    """
    losses, distances = some_models()
    rng = np.random.default_rng(7)
    n = 100_000
    means = rng.multivariate_normal(losses.mean(axis=1), mean_covariance(losses), n)
    risks = means + np.sqrt(0.3) * distances * rng.standard_normal((n, 5))
    fraction = np.mean(risks[:, :, None] < risks[:, None, :], axis=0) + 0.5 * np.eye(5)
    np.testing.assert_allclose(
        probabilities(losses, distances, 0.3), fraction, atol=4.5 * 0.5 / n**0.5
    )


def test_probability_goes_to_a_half_with_c():
    """Monotonically: more sensitivity never makes a verdict firmer."""
    distances = [
        np.abs(probabilities(*some_models(), c) - 0.5) for c in 2.0 ** np.arange(-10, 31, 5)
    ]
    for smaller, larger in zip(distances[1:], distances[:-1], strict=True):
        assert (smaller <= larger).all()
    assert distances[-1].max() < 1e-3


def test_probability_without_spread():
    own = np.array([1.0, 2.0, 3.0])
    probability = probabilities([own, own, own + 1.0], np.zeros(3), 1.0)
    np.testing.assert_array_equal(probability, [[0.5, 0.5, 1.0], [0.5, 0.5, 1.0], [0.0, 0.0, 0.5]])


@pytest.mark.parametrize("factor", [1e-3, 1.4427, 1e3])
def test_probability_has_no_unit(factor):
    losses, distances = some_models()
    scaled = probabilities(factor * losses + 5.0 * factor, factor * distances, 0.3)
    np.testing.assert_allclose(scaled, probabilities(losses, distances, 0.3), rtol=1e-9)


def test_small_probabilities_keep_their_digits():
    probability = probabilities([[0.0, 0.0], [10.0, 10.0]], np.sqrt([0.5, 0.5]), 1.0)
    assert probability[1, 0] == pytest.approx(stats.norm.cdf(-10.0), rel=1e-12)


def test_probability_that_overflows_is_refused():
    with pytest.raises(ValueError, match="rescale"):
        probabilities([[0.0, 1.0], [1.0, 2.0]], [1e200, 1.0], 1.0)


# ---------------------------------------------------------------- the process


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
    spread = np.mean((paths[:, inner] - law.reference - law.observed(phi[inner])) ** 2)
    assert spread <= 1.1 * 0.2 * np.mean(law.discrepancy(phi[inner]) ** 2)


def test_paths_need_the_losses():
    with pytest.raises(ValueError, match="from_losses"):
        TransportLaw(excess=1.0, distance=0.1, sampling_error=0.1, c=1.0).sample_paths(2)


# ---------------------------------------------------------------- clusters and series


def test_few_clusters_have_the_quantiles_of_student():
    """At c → 0 the probability is that of a t test with G − 1 degrees of freedom on the means of
    clusters of equal size.
    """
    rng = np.random.default_rng(9)
    cluster = np.repeat(np.arange(5), 40)
    a = rng.standard_normal(200)
    b = a + 0.3 + 0.4 * rng.standard_normal(5)[cluster]
    losses = {"A": (a, rng.standard_normal(200)), "B": (b, rng.standard_normal(200))}
    found = rivals.compare(losses, law="transport", c=1e-12, clusters=cluster, rng=0).probability[
        0, 1
    ]
    means = np.array([(b - a)[cluster == label].mean() for label in range(5)])
    expected = stats.t.cdf(means.mean() / (means.std(ddof=1) / np.sqrt(5)), 4)
    assert found == pytest.approx(expected, abs=1e-6)
