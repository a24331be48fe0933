"""The process: exact moments against brute force, the law of the risk against full sampling, limits
and symmetries.
"""

import numpy as np
import pytest
from scipy import stats

from rivals import HierarchicalBetaProcess, Losses
from rivals.laws.beta import tree
from rivals.laws.beta.process import processes_at_each
from samples import make_losses

SENSITIVITIES = [2.0**-8, 2.0**-4, 1.0, 2.0**4]


def brute_force(process, n_paths, depth, seed):
    """Risks of whole paths by the trapezoid rule, in pieces that fit into memory."""
    risks = []
    for block in range(0, n_paths, 5000):
        phi, paths = process.sample_paths(min(5000, n_paths - block), depth=depth, rng=seed + block)
        risks.append(np.trapezoid(paths, phi, axis=1))
    return np.concatenate(risks)


@pytest.mark.parametrize("c", SENSITIVITIES)
def test_exact_moments_against_brute_force(kind, c):
    """4·10⁴ paths: the mean to 4.5 standard errors, the standard deviation to 4.5 of its own (by
    the fourth moment).
    """
    process = HierarchicalBetaProcess.from_losses(make_losses(kind, 500), c=c, depth=6)
    risks = brute_force(process, 40_000, 6, seed=11)
    error = risks.std() / np.sqrt(risks.size)
    assert process.risk_mean == pytest.approx(risks.mean(), abs=4.5 * error)
    kurtosis = np.mean(((risks - risks.mean()) / risks.std()) ** 4)
    assert process.risk_std == pytest.approx(
        risks.std(), rel=4.5 * np.sqrt((kurtosis - 1) / (4 * risks.size))
    )


# In the middle by default; `make test-all` has the ends as well, for which the exact moments above
# stand in.
@pytest.mark.parametrize(
    "c", [c if c == 1.0 else pytest.param(c, marks=pytest.mark.slow) for c in SENSITIVITIES]
)
def test_law_of_the_risk_against_full_sampling(kind, c):
    """Few nodes drawn against all, 15 000 each: Kolmogorov-Smirnov, 20 cases, so p > 1e-4."""
    process = HierarchicalBetaProcess.from_losses(make_losses(kind), c=c, depth=9)
    assert process.drawn_nodes.size < 60
    full = brute_force(process, 15_000, 9, seed=1000)
    assert stats.ks_2samp(process.sample_risk(15_000, rng=5), full).pvalue > 1e-4


def test_law_of_the_risk_where_one_tail_decides():
    """Pareto losses and c = 16: splits are coins, and the chain of nodes towards Φ = 1 must be
    drawn deep.
    """
    rng = np.random.default_rng(3)
    losses = Losses(rng.pareto(1.5, 2000), rng.pareto(2.5, 2000))
    process = HierarchicalBetaProcess.from_losses(losses, c=16.0, depth=9)
    full = brute_force(process, 15_000, 9, seed=7)
    assert stats.ks_2samp(process.sample_risk(15_000, rng=8), full).pvalue > 1e-4


def test_drawing_no_node_is_not_enough_there():
    """The test above can fail: with the tolerance so loose that nothing is drawn, it does."""
    rng = np.random.default_rng(3)
    losses = Losses(rng.pareto(1.5, 2000), rng.pareto(2.5, 2000))
    process = HierarchicalBetaProcess.from_losses(losses, c=16.0, depth=9, tolerance=10.0)
    full = brute_force(process, 15_000, 9, seed=7)
    assert process.drawn_nodes.size == 0
    assert stats.ks_2samp(process.sample_risk(15_000, rng=8), full).pvalue < 1e-6


@pytest.mark.parametrize(
    ("observed", "where", "shift", "c"),
    [
        (
            1e4 * np.arange(1, 256) / 256,
            [127, 111],
            None,
            1.0,
        ),  # discrepancy at Φ = 1/2 and 7/16 only
        (np.arange(1, 256) / 256, slice(119, 136), 0.05, 2.0**14),
        (np.random.default_rng(1).normal(size=50), slice(20, 30), 0.3, 2.0**10),
    ],
)
def test_law_of_the_risk_where_a_branch_decides(observed, where, shift, c):
    """Coin-like splits above ordinary ones: what is negligible for R is not on the branch that was
    taken.
    """
    observed = np.sort(observed)
    simulated = observed.copy()
    simulated[where] = observed[np.add(where, 1)] if shift is None else observed[where] + shift
    process = HierarchicalBetaProcess.from_losses(Losses(observed, simulated), c=c, depth=8)
    # Rounded: where there is an atom, the two ways to add up differ in the last digit.
    full, ours = (
        np.round(risks, 6)
        for risks in (brute_force(process, 20_000, 8, 1), process.sample_risk(20_000, rng=2))
    )
    assert stats.ks_2samp(ours, full).pvalue > 1e-4


def test_shares_of_the_variance_add_up(kind):
    process = HierarchicalBetaProcess.from_losses(make_losses(kind, 300), c=1.0)
    nodes = process._tree
    assert nodes.variance_terms[0].sum() == pytest.approx(nodes.height_moments[1][0], rel=1e-10)


def test_end_points_share_against_brute_force():
    """The share is Var E[R | q^(0), q^(1)] / Var R: what is left of the variance when the end
    points are fixed.
    """
    process = HierarchicalBetaProcess.from_losses(make_losses("exponential", 500), c=1.0, depth=6)
    phi, paths = process.sample_paths(50_000, depth=6, rng=4)
    risks = np.trapezoid(paths, phi, axis=1)
    ends = np.column_stack([np.ones(risks.size), paths[:, 0], paths[:, -1]])
    explained = ends @ np.linalg.lstsq(ends, risks, rcond=None)[0]  # E[R | ends] is linear in them
    assert process.end_point_share == pytest.approx(explained.var() / risks.var(), abs=0.02)


def test_paths_never_decrease(kind):
    for c in SENSITIVITIES:
        process = HierarchicalBetaProcess.from_losses(make_losses(kind, 200), c=c)
        _, paths = process.sample_paths(200, depth=9, rng=0)
        assert (np.diff(paths, axis=1) >= 0).all()


def test_refinement_keeps_coarse_points():
    process = HierarchicalBetaProcess.from_losses(make_losses("gaussian", 300), c=1.0)
    for coarse_depth, fine_depth in (
        (3, 8),
        (8, 11),
    ):  # 11 is deeper than the tree of the process itself
        coarse_phi, coarse = process.sample_paths(20, depth=coarse_depth, rng=9)
        fine_phi, fine = process.sample_paths(20, depth=fine_depth, rng=9)
        step = 2 ** (fine_depth - coarse_depth)
        np.testing.assert_array_equal(fine_phi[::step], coarse_phi)
        np.testing.assert_array_equal(fine[:, ::step], coarse)


def test_mirror_symmetry(kind):
    """−loss turns the quantile functions about: R → −R, exactly in the moments, and in law for the
    draws.
    """
    losses = make_losses(kind, 400)
    process = HierarchicalBetaProcess.from_losses(losses, c=0.5)
    mirror = HierarchicalBetaProcess.from_losses(Losses(-losses.observed, -losses.simulated), c=0.5)
    assert mirror.risk_mean == pytest.approx(-process.risk_mean, rel=1e-9)
    assert mirror.risk_std == pytest.approx(process.risk_std, rel=1e-9)
    assert (
        stats.ks_2samp(
            -mirror.sample_risk(20_000, rng=1), process.sample_risk(20_000, rng=2)
        ).pvalue
        > 1e-4
    )


def test_no_sensitivity_gives_the_empirical_risk(kind):
    """c → 0: R = ∫q*, at any depth, since the leaves keep the shape of q*; and ∫q* is the mean loss
    up to O(max/L).
    """
    losses = make_losses(kind, 3000)
    process = HierarchicalBetaProcess.from_losses(losses, c=1e-20)
    assert process.risk_mean == pytest.approx(float(process.q.integral()), rel=1e-8)
    assert process.risk_mean == pytest.approx(losses.mean, abs=2 * np.ptp(losses.observed) / 3000)
    assert process.risk_std < 1e-7


def test_depth_is_free_of_bias_for_heavy_tails():
    """Pareto(1.5): a trapezoid sum on 2⁸ cells is far too high (hazard 3), the deep tree is not."""
    rng = np.random.default_rng(0)
    losses = Losses(rng.pareto(1.5, 4000) + 1, rng.pareto(1.5, 4000) + 1)
    deep = HierarchicalBetaProcess.from_losses(losses, c=1e-12)
    coarse = HierarchicalBetaProcess.from_losses(losses, c=1e-12, depth=8)
    assert deep.risk_mean == pytest.approx(losses.mean, rel=0.05)
    assert coarse.risk_mean > 1.1 * losses.mean


def test_a_coarse_trapezoid_sum_of_log_losses_is_too_high():
    """By about one standard deviation of R at 7 levels, as the page on theory says."""
    excess = []
    for seed in range(30):
        observed, simulated = np.random.default_rng(seed).standard_normal((2, 4000)) ** 2 / 2
        process = HierarchicalBetaProcess.from_losses((observed, simulated), c=2.0**-6, depth=7)
        excess.append((process.risk_mean - observed.mean()) / process.risk_std)
    assert np.median(excess) == pytest.approx(1.0, abs=0.2)


def test_a_perfect_model_with_exponential_loss():
    """R is its mean loss, 1 (hazard 1: the peer gets 6.87)."""
    rng = np.random.default_rng(1)
    losses = Losses(rng.exponential(size=4000), rng.exponential(size=4000))
    process = HierarchicalBetaProcess.from_losses(losses, c=2.0**-2)
    assert process.risk_mean == pytest.approx(losses.mean, abs=0.05)
    assert process.sample_risk(4000, rng=0).mean() == pytest.approx(losses.mean, abs=0.05)


def test_ties_have_no_spread_inside():
    """0/1 losses: whatever the discrepancy inside, R varies through the end points alone (hazard
    7).
    """
    observed = np.repeat([0.0, 1.0], [700, 300])
    simulated = np.repeat([0.0, 1.0], [200, 800])
    process = HierarchicalBetaProcess.from_losses(Losses(observed, simulated), c=1.0)
    assert (
        process.risk_std < 1e-4
    )  # the jump itself, 1/1001 wide, may fall between two cells of the tree
    assert process.risk_mean == pytest.approx(0.3, abs=2e-3)


def test_poisson_losses():
    """Mean 2.01; the peer's mirrored limits give 6.17 (hazard 1)."""
    losses = make_losses("poisson", 4000)
    process = HierarchicalBetaProcess.from_losses(losses, c=2.0**-4)
    assert process.risk_mean == pytest.approx(losses.mean, abs=0.05)


def test_one_outlier_widens_the_risk():
    """Hazard 4: an outlier at twice the maximum multiplies sd(R), and the end points' share says
    why.
    """
    rng = np.random.default_rng(5)
    observed = rng.normal(size=4000) ** 2 / 2
    simulated = rng.normal(size=4000) ** 2 / 2
    plain = HierarchicalBetaProcess.from_losses(Losses(observed, simulated), c=1.0)
    observed[0] = 2 * observed.max()
    outlier = HierarchicalBetaProcess.from_losses(Losses(observed, simulated), c=1.0)
    assert outlier.risk_std > 2 * plain.risk_std
    assert outlier.end_point_share > 0.9


@pytest.mark.parametrize("scale", [1e-300, 1e-4, 1e145])
def test_any_scale_is_finite(scale):
    losses = make_losses("exponential", 300)
    process = HierarchicalBetaProcess.from_losses(
        Losses(losses.observed * scale, losses.simulated * scale), c=1.0
    )
    assert np.isfinite(process.sample_risk(1000, rng=0)).all()
    assert 0 < process.risk_std < np.inf


def test_small_losses_keep_their_risk():
    """Losses of scale 1e-4: the peer gives five times their risk (hazard 1)."""
    losses = make_losses("exponential", 4000)
    process = HierarchicalBetaProcess.from_losses(
        Losses(losses.observed * 1e-4, losses.simulated * 1e-4), c=1.0
    )
    assert process.risk_mean == pytest.approx(losses.mean * 1e-4, rel=0.05)


def test_constant_observed_losses_have_the_spread_of_the_discrepancy():
    """0/0 at every node, but the rise is not zero: R varies inside too, as when the constancy is
    broken by 1e-9.
    """
    rng = np.random.default_rng(0)
    simulated = rng.normal(2, 1, 200)
    constant = HierarchicalBetaProcess.from_losses(Losses(np.full(200, 2.0), simulated), c=1.0)
    nearly = HierarchicalBetaProcess.from_losses(
        Losses(2.0 + 1e-9 * np.arange(200), simulated), c=1.0
    )
    assert constant.risk_std == pytest.approx(nearly.risk_std, rel=1e-3)


def test_tiny_end_points_do_not_overflow():
    losses = Losses([0, 0, 0, 0, 1e10], [1e-147, 1e-147, 1e-147, 2e-147, 1e10])
    assert np.isfinite(HierarchicalBetaProcess.from_losses(losses, c=1.0).risk_std)
    assert np.isfinite(
        HierarchicalBetaProcess.from_losses(make_losses("gaussian", 50), c=1e-310).risk_std
    )


def test_constant_losses():
    nothing = HierarchicalBetaProcess.from_losses(Losses([2.0, 2.0, 2.0], [2.0, 2.0, 2.0]), c=1.0)
    assert nothing.sample_risk(5, rng=0).tolist() == [2.0] * 5
    assert (nothing.risk_mean, nothing.risk_std, nothing.end_point_share) == (2.0, 0.0, 0.0)


def test_the_condition_on_the_end_points_matters_and_is_exact():
    """A discrepancy far larger than the rise: without the condition q(0) < q(1) the mean rise would
    be 0.1.
    """
    losses = Losses(np.linspace(0, 0.1, 50), np.linspace(-4, 5, 50))
    process = HierarchicalBetaProcess.from_losses(losses, c=1.0, depth=3)
    _, paths = process.sample_paths(100_000, depth=3, rng=2)
    rise = paths[:, -1] - paths[:, 0]
    ends = process._ends
    assert rise.min() > 0
    assert ends.scale * ends.rise_mean == pytest.approx(
        rise.mean(), abs=5 * rise.std() / np.sqrt(rise.size)
    )
    assert ends.scale * np.sqrt(ends.rise_variance) == pytest.approx(rise.std(), rel=0.01)
    assert ends.scale * ends.first_mean + process.reference == pytest.approx(
        paths[:, 0].mean(), abs=0.05
    )


def test_same_source_same_bits():
    process = HierarchicalBetaProcess.from_losses(make_losses("student", 300), c=1.0)
    np.testing.assert_array_equal(process.sample_risk(100, rng=3), process.sample_risk(100, rng=3))
    np.testing.assert_array_equal(
        process.sample_risk(100, rng=np.random.default_rng(3)),
        process.sample_risk(100, rng=np.random.default_rng(3)),
    )
    assert (process.sample_risk(100, rng=3) != process.sample_risk(100, rng=4)).any()


def test_another_c_from_the_same_tree():
    process = HierarchicalBetaProcess.from_losses(make_losses("gaussian", 300), c=1.0)
    fresh = HierarchicalBetaProcess.from_losses(make_losses("gaussian", 300), c=8.0)
    assert process.at(8.0).risk_std == pytest.approx(fresh.risk_std, rel=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"c": 0.0}, "c must be above 0"),
        ({"c": np.nan}, "c must be above 0"),
        ({"c": np.inf}, "c must be above 0"),
        ({"c": 1.0, "depth": 0}, "depth must be at least 1"),
        ({"c": 1.0, "depth": 30}, "depth must be at most 24"),
        ({"c": 1.0, "tolerance": -1.0}, "tolerance must be"),
    ],
)
def test_bad_parameters(arguments, message):
    with pytest.raises(ValueError, match=message):
        HierarchicalBetaProcess.from_losses(make_losses("gaussian", 50), **arguments)


def test_bad_numbers_of_draws():
    process = HierarchicalBetaProcess.from_losses(make_losses("gaussian", 50), c=1.0)
    with pytest.raises(ValueError, match="n_draws must be at least 1"):
        process.sample_risk(0)
    with pytest.raises(TypeError, match="n_draws must be a whole number"):
        process.sample_risk(1.5)
    with pytest.raises(TypeError, match="rng must be"):
        process.sample_risk(2, rng="seed")
    with pytest.raises(ValueError, match="must not be negative"):
        process.sample_risk(2, rng=-1)


def test_counts_at_large_c_do_not_overflow():
    """Eleven tied levels, hardly any spread in most branches: shares of the variance overflow, and
    are cut off at one.
    """
    levels = [0.6167, 0.6861, 1.0628, 1.1001, 2.1327, 2.2765, 3.608, 3.8585, 5.371, 5.7281, 7.3572]
    observed = np.repeat(levels, [241, 192, 175, 182, 96, 66, 33, 8, 3, 3, 1])
    simulated = np.repeat(levels, [274, 244, 177, 181, 59, 39, 17, 3, 2, 3, 1])
    process = HierarchicalBetaProcess.from_losses((observed, simulated), c=64.0)
    assert 0 < process.drawn_nodes.size < 512  # warnings are errors in the tests: this one failed
    risks = process.sample_risk(20_000, rng=0)
    assert risks.mean() == pytest.approx(
        process.risk_mean, abs=4.5 * process.risk_std / np.sqrt(risks.size)
    )


@pytest.mark.parametrize("n_simulations", [1, 3])
def test_many_values_of_c_at_once_change_no_bit(n_simulations):
    """Nodes are solved in rows, each as if it were alone; with ties and zeros, where parameters
    reach their limits.
    """
    rng = np.random.default_rng(5)
    values = np.geomspace(1e-6, 1e4, 7)
    observed = [rng.exponential(size=600), np.round(rng.normal(size=500), 1)]
    processes = [
        HierarchicalBetaProcess.from_losses(
            (sample, rng.exponential(size=(n_simulations, sample.size))), c=1.0
        )
        for sample in observed
    ]
    for c, together in zip(values, processes_at_each(processes, values), strict=True):
        for process, found in zip(processes, together, strict=True):
            alone = process.at(c)
            assert found.c == alone.c == c
            assert np.array_equal(found.alpha, alone.alpha)
            assert np.array_equal(found.beta, alone.beta)
            assert (found.risk_mean, found.risk_std) == (alone.risk_mean, alone.risk_std)
            assert np.array_equal(found.sample_risk(50, rng=1), alone.sample_risk(50, rng=1))


def test_many_values_of_c_are_solved_in_portions(monkeypatch):
    """So that a sweep over a thousand values does not hold a thousand trees."""
    monkeypatch.setattr("rivals.laws.beta.process.TOGETHER", 2**9)
    sizes = []
    solve = tree.Trees.of
    monkeypatch.setattr(
        tree.Trees,
        "of",
        lambda models, values, *others: sizes.append(len(values)) or solve(models, values, *others),
    )
    process = HierarchicalBetaProcess.from_losses(
        np.random.default_rng(0).exponential(size=(2, 100)), c=1.0
    )
    sizes.clear()
    assert [each.c for (each,) in processes_at_each([process], [1.0, 2.0, 3.0])] == [1.0, 2.0, 3.0]
    assert sizes == [2, 1]
