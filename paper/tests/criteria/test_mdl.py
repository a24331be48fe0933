"""Normalised maximum likelihood: closed forms, and Monte Carlo against the Fisher information."""

import numpy as np
import pytest
from scipy import special

from rivals import RivalsWarning
from rivals_paper import criteria


def normal(mu, y):
    return -0.5 * (y - mu) ** 2 - 0.5 * np.log(2 * np.pi)


def bernoulli_complexity(n):
    k = np.arange(n + 1)
    return special.logsumexp(
        (special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1))
        + special.xlogy(k, k / n)
        + special.xlogy(n - k, 1 - k / n)
    )


def bernoulli_monte_carlo(n, rng):
    nodes = np.linspace(0.01, 0.99, 25)[:, None]

    def log_likelihood(p, ones):
        return special.xlogy(ones, p[:, 0]) + special.xlogy(n - ones, 1 - p[:, 0])

    def maximise(ones):
        best = np.array([ones / n])
        return best, float(log_likelihood(best[None], ones)[0])

    def simulate(p, generator):  # a sequence of n coins, of which only the number of ones matters
        return generator.binomial(n, p[0])

    return criteria.complexity_monte_carlo(
        simulate, log_likelihood, maximise, nodes, n_samples=4000, rng=rng
    )


def test_bernoulli_by_monte_carlo():
    score = bernoulli_monte_carlo(20, 0)
    assert score.standard_error < 0.02
    assert abs(score.value - bernoulli_complexity(20)) < 4 * score.standard_error


def test_bernoulli_by_fisher_information():
    # ∫ dp / √(p(1−p)) = π; in the angle p = sin²(t/2) the information is 1.
    score = criteria.complexity_fisher(lambda t: [[1.0]], [(0, np.pi)], 2000, n_nodes=16, rng=0)
    assert score.value == pytest.approx(0.5 * np.log(2000 / (2 * np.pi)) + np.log(np.pi), abs=1e-12)
    # Known remainder of the asymptotics: O(1/√n) for the whole interval.
    assert score.value == pytest.approx(bernoulli_complexity(2000), abs=0.02)


def test_gaussian_location_by_both_ways():
    """Restricted to means in [−a, a] the complexity is 2a √(n/2πσ²), for any n."""
    n, a = 5, 4.0
    exact = np.log(2 * a * np.sqrt(n / (2 * np.pi)))
    fisher = criteria.complexity_fisher(lambda mu: [[1.0]], [(-a, a)], n, n_nodes=4, rng=0)
    assert fisher.value == pytest.approx(exact, abs=1e-12)
    nodes = np.linspace(-a - 1, a + 1, 41)[:, None]
    score = criteria.complexity_monte_carlo(
        lambda mu, rng: rng.normal(mu[0], 1, size=n),
        lambda mu, y: normal(mu, y).sum(axis=1),
        lambda y: (np.array([y.mean()]), normal(y.mean(), y).sum()),
        nodes,
        inside=lambda mu: bool(abs(mu[0]) <= a),
        n_samples=2000,
        rng=1,
    )
    assert score.standard_error < 0.03
    assert abs(score.value - exact) < 4 * score.standard_error


def test_fisher_error_covers_a_rough_integrand():
    """√det I = 1/σ² for a Gaussian of unknown mean and σ: ∫ dμ dσ /σ² √2."""
    score = criteria.complexity_fisher(
        lambda t: np.diag([1 / t[1] ** 2, 2 / t[1] ** 2]),
        [(-1, 1), (0.1, 1)],
        100,
        n_nodes=256,
        rng=2,
    )
    exact = np.log(100 / (2 * np.pi)) + np.log(np.sqrt(2) * 2 * (10 - 1))
    assert 0 < score.standard_error < 0.01
    assert abs(score.value - exact) < 5 * score.standard_error


def test_mdl_is_fit_plus_complexity_with_its_error():
    complexity = bernoulli_monte_carlo(20, 0)
    score = criteria.mdl([-1.0, -2.0], complexity)
    assert score.value == pytest.approx(3 + complexity.value)
    assert score.standard_error == complexity.standard_error


def test_poor_nodes_are_reported():
    n = 400
    with pytest.warns(RivalsWarning, match="effective samples of 300; add nodes or samples"):
        criteria.complexity_monte_carlo(
            lambda mu, rng: rng.normal(mu[0], 1, size=n),
            lambda mu, y: normal(mu, y).sum(axis=1),
            lambda y: (
                np.array([y.mean()]),
                normal(y.mean(), y).sum() + 5 * abs(y.mean()) * n**0.5,
            ),
            [[0.0]],
            n_samples=300,
            rng=1,
        )
    with pytest.raises(ValueError, match="none of the 10 simulated data sets"):
        criteria.complexity_monte_carlo(
            lambda mu, rng: rng.normal(size=3),
            lambda mu, y: np.zeros(len(mu)),
            lambda y: (np.zeros(1), 0.0),
            [[0.0]],
            inside=lambda mu: False,
            n_samples=10,
            rng=1,
        )


def test_bad_domains_and_singular_information_are_named():
    with pytest.raises(ValueError, match="lower and a larger upper end"):
        criteria.complexity_fisher(lambda t: [[1.0]], [(1, 0)], 10)
    with pytest.raises(ValueError, match="singular at 4 of 4 points"):
        criteria.complexity_fisher(lambda t: [[0.0]], [(0, 1)], 10, n_nodes=4, rng=0)
