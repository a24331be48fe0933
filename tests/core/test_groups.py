"""Groups that are replications: limits, symmetries, and how often a stated winner wins in a new group."""

import numpy as np
import pytest
from scipy import stats

from rivals.core.groups import group_probabilities, group_probability, group_summary


def some_groups(n_models=4, n_groups=6, seed=0):
    """Mean losses and the covariances of these means, of sizes that differ by group."""
    rng = np.random.default_rng(seed)
    means = rng.normal(0, 0.3, (n_models, 1)) + rng.normal(0, 0.2, (n_models, n_groups)) + rng.standard_normal(n_groups)
    factors = rng.standard_normal((n_groups, n_models, 3)) * rng.uniform(0.01, 0.3, (n_groups, 1, 1))
    return means, factors @ factors.transpose(0, 2, 1)


def test_many_groups_know_the_law():
    """1 000 groups at the very quantiles of N(μ, τ² + w): the answer is Φ(−μ/τ), up to the step of the grid, 0.05 τ."""
    rng = np.random.default_rng(1)
    variances = rng.uniform(0.1, 0.2, 1000)
    quantiles = stats.norm.ppf((rng.permutation(1000) + 0.5) / 1000)
    differences = -0.7 + quantiles * np.sqrt(0.8**2 + variances)
    assert group_probability(differences, variances) == pytest.approx(stats.norm.cdf(0.7 / 0.8), abs=0.01)


def test_few_groups_without_sampling_error_follow_student():
    """Without sampling error and with a flat prior on τ the posterior is known: t with G − 2 degrees of freedom."""
    differences = np.array([-0.4, -1.1, -0.2, -0.9, -0.7, 0.1, -0.5, -1.3, -0.6, -0.8])
    n, scale = differences.size, np.sqrt(np.sum((differences - differences.mean()) ** 2) / (differences.size - 2))
    expected = stats.t.cdf(-differences.mean() / (scale * np.sqrt(1 + 1 / n)), n - 2)
    assert group_probability(differences, np.zeros(n)) == pytest.approx(expected, abs=2e-3)


def test_coverage_where_the_prior_is_the_truth():
    """μ and τ drawn flat, 8 groups: among verdicts near p, the winner wins in a fraction p of new groups.

    A prior that is flat over a finite range is not the prior assumed, but for the pairs that are neither certain nor at
    the edge the difference is small. 8 000 problems, bins of 400 and more: a standard error of at most 0.025.
    """
    rng = np.random.default_rng(2)
    n_problems, n_groups = 8000, 8
    mu, tau = rng.uniform(-6.0, 6.0, n_problems), rng.uniform(0.0, 6.0, n_problems)
    variances = rng.uniform(0.2, 2.0, (n_problems, n_groups))
    differences = mu[:, None] + rng.standard_normal((n_problems, n_groups)) * np.sqrt(tau[:, None] ** 2 + variances)
    new = mu + tau * rng.standard_normal(n_problems)
    probability = np.array([group_probability(d, w) for d, w in zip(differences, variances, strict=True)])
    for low, high in [(0.05, 0.2), (0.2, 0.4), (0.4, 0.6), (0.6, 0.8), (0.8, 0.95)]:
        here = (probability > low) & (probability <= high)
        assert here.sum() > 400
        assert np.mean(new[here] < 0.0) == pytest.approx(probability[here].mean(), abs=0.07)


@pytest.mark.parametrize("n_groups", [4, 8, 16])
def test_stated_winners_win(n_groups):
    """μ about as large as τ, the hard case: of the verdicts above 0.95 at most 5 % are wrong, plus 2.5 standard errors."""
    rng = np.random.default_rng(3)
    n_problems = 2000
    mu = rng.uniform(0.0, 4.0, n_problems)
    differences = mu[:, None] + rng.standard_normal((n_problems, n_groups)) * np.sqrt(1.0 + 0.25)
    probability = np.array([group_probability(d, np.full(n_groups, 0.25)) for d in differences])
    new = mu + rng.standard_normal(n_problems)
    stated = (probability > 0.95) | (probability < 0.05)
    wrong = np.where(probability > 0.5, new > 0.0, new < 0.0)[stated]
    assert stated.sum() > 100
    assert wrong.mean() < 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / stated.sum())


def test_all_pairs_are_the_single_pair():
    means, covariances = some_groups()
    probability = group_probabilities(means, covariances)
    for a, b in [(0, 1), (2, 0), (3, 2)]:
        variances = covariances[:, a, a] + covariances[:, b, b] - 2 * covariances[:, a, b]
        assert probability[a, b] == pytest.approx(group_probability(means[a] - means[b], variances), rel=1e-12)


def test_antisymmetric():
    probability = group_probabilities(*some_groups())
    np.testing.assert_array_equal(probability + probability.T, 1.0)
    np.testing.assert_array_equal(np.diagonal(probability), 0.5)


def test_many_models_are_computed_in_pieces(monkeypatch):
    means, covariances = some_groups(9)
    whole = group_probabilities(means, covariances)
    monkeypatch.setattr("rivals.core.groups.CHUNK", 1)
    np.testing.assert_allclose(group_probabilities(means, covariances), whole, rtol=1e-13)


@pytest.mark.parametrize("factor", [1e-3, 1.4427, 1e3])
def test_scale_and_offset(factor):
    means, covariances = some_groups()
    np.testing.assert_allclose(
        group_probabilities(factor * means + 7.0 * factor, factor**2 * covariances),
        group_probabilities(means, covariances),
        rtol=1e-10,
    )


def test_a_group_without_information_changes_nothing():
    """One group so small that its mean says nothing: as without it, up to the grid."""
    differences, variances = np.array([-0.5, -0.8, -0.3, -0.6, -0.9]), np.full(5, 0.05)
    without = group_probability(differences, variances)
    vague = group_probability(np.append(differences, -0.2), np.append(variances, 1e6))
    assert vague == pytest.approx(without, abs=5e-3)


def test_no_sampling_error_and_no_spread():
    for value, expected in [(-1.0, 1.0), (0.0, 0.5), (2.0, 0.0)]:
        assert group_probability(np.full(4, value), np.zeros(4)) == expected
    identical = np.tile(np.arange(5.0), (2, 1))
    np.testing.assert_array_equal(group_probabilities(identical, np.ones((5, 2, 2))), np.full((2, 2), 0.5))


def test_groups_that_agree_by_chance_are_not_certain():
    """All differences equal, but each known to ±1 only: τ is not zero for sure."""
    probability = group_probability(np.full(4, -1.0), np.ones(4))
    assert 0.7 < probability < stats.norm.cdf(1.0 / np.sqrt(1.0 / 4.0))


def test_one_exact_group_among_vague_ones():
    assert 0.5 < group_probability(np.array([-1.0, -0.5, -1.5]), np.array([0.0, 0.1, 0.1])) < 1.0


def test_summary():
    means, covariances = some_groups(3, 500, seed=4)
    summary = group_summary(means, covariances)
    np.testing.assert_array_equal(summary.difference, -summary.difference.T)
    np.testing.assert_array_equal(summary.spread, summary.spread.T)
    # Many groups: the posterior is at the truth. Differences have τ² = 2 · 0.2², risks 0.2² + 1; to 4 standard errors.
    off_diagonal = ~np.eye(3, dtype=bool)
    np.testing.assert_allclose(summary.spread[off_diagonal], 0.2 * np.sqrt(2), rtol=0.2)
    np.testing.assert_allclose(summary.difference, means.mean(1)[:, None] - means.mean(1)[None, :], atol=0.06)
    np.testing.assert_allclose(summary.risk_std, np.sqrt(1.04), rtol=0.13)
    np.testing.assert_allclose(summary.risk_mean, means.mean(axis=1), atol=0.05)


def test_summary_without_spread():
    summary = group_summary(np.tile(np.array([[1.0], [3.0]]), 4), np.zeros((4, 2, 2)))
    np.testing.assert_array_equal(summary.difference, [[0.0, -2.0], [2.0, 0.0]])
    np.testing.assert_array_equal(summary.spread, 0.0)
    np.testing.assert_array_equal(summary.risk_mean, [1.0, 3.0])
    np.testing.assert_array_equal(summary.risk_std, 0.0)
