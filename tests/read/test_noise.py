"""Distributions of noise: those of SciPy, fitted to predictions for other points."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, optimize, stats

import rivals
from rivals.read._noise import KINDS, fit_of, of_each_model, warn_of_counts

MEAN = np.linspace(0.5, 8.0, 4000)


def drawn(kind, seed=0):
    """Targets of a known distribution about their means."""
    rng = np.random.default_rng(seed)
    return {
        "gaussian": lambda: rng.normal(MEAN, 0.7),
        "laplace": lambda: rng.laplace(MEAN, 0.7),
        "student": lambda: MEAN + 0.7 * rng.standard_t(4.0, size=MEAN.size),
        "empirical": lambda: rng.normal(MEAN, 0.7),
        "poisson": lambda: rng.poisson(MEAN).astype(float),
        "negative binomial": lambda: rng.negative_binomial(2.0, 1 / (1 + 0.5 * MEAN)).astype(float),
        "gamma": lambda: rng.gamma(1 / 0.5, 0.5 * MEAN),
    }[kind]()


def expected(kind, targets):
    """Frozen, fitted by hand."""
    residuals = targets - MEAN

    def most_likely(log_density):
        found = optimize.minimize_scalar(
            lambda log: -log_density(np.exp(log)).sum(), bounds=(-5, 3), method="bounded"
        )
        return np.exp(found.x)

    if kind == "gaussian":
        return stats.norm(MEAN, np.sqrt(np.mean(residuals**2)))
    if kind == "laplace":
        return stats.laplace(MEAN, np.mean(np.abs(residuals)))
    if kind == "student":
        freedom, _, scale = stats.t.fit(residuals, floc=0.0)
        return stats.t(freedom, MEAN, scale)
    if kind == "poisson":
        return stats.poisson(MEAN)
    if kind == "negative binomial":
        alpha = most_likely(lambda a: stats.nbinom.logpmf(targets, 1 / a, 1 / (1 + a * MEAN)))
        return stats.nbinom(1 / alpha, 1 / (1 + alpha * MEAN))
    alpha = most_likely(lambda a: stats.gamma.logpdf(targets, 1 / a, scale=a * MEAN))
    return stats.gamma(1 / alpha, scale=alpha * MEAN)


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"empirical"}))
def test_log_densities_are_those_of_scipy_at_the_best_parameters(kind):
    targets = drawn(kind)
    density = KINDS[kind](targets, MEAN)(MEAN)
    by_hand = expected(kind, targets)
    log = by_hand.logpmf if density.of_counts else by_hand.logpdf
    # Both maximise the likelihood numerically: near it, parameters are known to 1e-3.
    np.testing.assert_allclose(density.log(targets), log(targets), atol=5e-3)
    assert density.log(targets).mean() == pytest.approx(log(targets).mean(), abs=1e-6)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_densities_add_up_to_one_and_simulations_follow_them(kind):
    targets = drawn(kind)
    at = np.full(20_000, 3.0)
    density = KINDS[kind](targets, MEAN)(at)
    one = KINDS[kind](targets, MEAN)(np.array([3.0]))
    if density.of_counts:
        values = np.arange(0.0, 400.0)
        total = np.exp([one.log(np.array([each]))[0] for each in values]).sum()
    else:
        total, _ = integrate.quad(
            lambda each: np.exp(one.log(np.array([each]))[0]), -60.0, 60.0, limit=400, points=[3.0]
        )
    assert total == pytest.approx(1.0, abs=1e-5)
    rng = np.random.default_rng(1)
    sample = density.sample(2, rng)
    assert sample.shape == (2, at.size)
    # Five standard errors of the mean of 40 000 draws.
    assert sample.mean() == pytest.approx(3.0, abs=5 * sample.std() / 200 + 0.02)
    # The mean log density of its draws is minus its entropy: of two halves alike.
    first, second = density.log(sample).mean(axis=1)
    assert first == pytest.approx(second, abs=0.05)
    assert np.array_equal(sample, density.sample(2, np.random.default_rng(1)))
    few = density.sample(1, np.random.default_rng(1))
    assert np.array_equal(few[0], sample[0])


def test_an_empirical_distribution_is_that_of_its_residuals():
    rng = np.random.default_rng(3)
    residuals = rng.normal(size=20_000)
    mean = np.zeros(residuals.size)
    at = KINDS["empirical"](residuals, mean)(np.array([0.0]))
    # Scott's rule widens a Gaussian by √(1 + n^(−2/5)); its kernels add an error of n^(−2/5).
    width = np.sqrt(1 + residuals.size ** (-2 / 5))
    for value in (-2.0, -0.5, 0.0, 1.5):
        found = at.log(np.array([value]))[0]
        assert found == pytest.approx(stats.norm(0.0, width).logpdf(value), abs=0.06)


def test_a_distribution_or_a_function_is_taken_as_it_is():
    targets, mean = np.array([1.0, 2.0]), np.array([1.5, 2.5])
    given = stats.t(3.0, scale=0.4)
    density = fit_of(given)(np.empty(0), np.empty(0))(mean)
    np.testing.assert_allclose(density.log(targets), given.logpdf(targets - mean))
    density = fit_of(stats.poisson)(np.empty(0), np.empty(0))(mean)
    np.testing.assert_allclose(density.log(targets), stats.poisson(mean).logpmf(targets))
    assert density.of_counts
    density = fit_of(stats.Normal(sigma=2.0))(np.empty(0), np.empty(0))(mean)
    np.testing.assert_allclose(density.log(targets), stats.norm(mean, 2.0).logpdf(targets))
    assert density.sample(3, np.random.default_rng(0)).shape == (3, 2)


@pytest.mark.parametrize(
    ("kind", "targets", "mean", "message"),
    [
        ("gaussian", np.arange(4.0), np.zeros(4), "too few"),
        ("gaussian", np.ones(20), np.zeros(20), "all residuals are equal"),
        ("poisson", np.linspace(0, 1, 20), np.ones(20), "of counts"),
        ("negative binomial", np.arange(20.0), np.linspace(-1, 3, 20), "above zero"),
        ("gamma", np.arange(20.0), np.ones(20), "targets above zero"),
    ],
)
def test_what_has_no_noise_says_why(kind, targets, mean, message):
    with pytest.raises(ValueError, match=message):
        KINDS[kind](targets, mean)


def test_a_noise_for_each_model_names_who_has_none():
    assert of_each_model("gamma", ["a", "b"]) == ["gamma", "gamma"]
    assert of_each_model({"b": "gamma", "a": None}, ["a", "b"]) == [None, "gamma"]
    with pytest.raises(ValueError, match="'c' is no model"):
        of_each_model({"a": "gamma", "c": "gamma"}, ["a"])
    with pytest.raises(ValueError, match="there is no 'normal'"):
        fit_of("normal")


def test_counts_are_questioned_and_measurements_are_not(recwarn):
    warn_of_counts(np.array([0.5, 1.0]))
    warn_of_counts(np.array([57.0, 91.0]))
    warn_of_counts(np.array(["a", "b"]))
    assert not recwarn.list
    with pytest.warns(rivals.RivalsWarning, match="from 0 to 7"):
        warn_of_counts(np.array([0, 7, 3]))
