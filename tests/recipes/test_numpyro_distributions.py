# needs: numpyro
"""Distributions of NumPyro."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist
import pytest
from scipy import stats

import rivals
from rivals.read import distribution

N = 2000
MEANS = np.linspace(-3, 3, N)
# name → made in the precision at hand, and the same of SciPy
NUMBERS = {
    "normal for each point": (lambda: dist.Normal(jnp.asarray(MEANS), 2.0), stats.norm(MEANS, 2.0)),
    "student": (lambda: dist.StudentT(4.0, 1.0, 2.0), stats.t(4, 1, 2)),
    "gamma": (lambda: dist.Gamma(2.0, 0.5), stats.gamma(2, scale=2)),
    "truncated": (lambda: dist.TruncatedNormal(low=0.0), stats.halfnorm()),
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("bits", [32, 64])
def test_numbers(name, bits):
    make, law = NUMBERS[name]
    with jax.enable_x64(bits == 64):
        model = distribution(make())
        y = model.simulate(N, np.random.default_rng(0))
        np.testing.assert_allclose(
            model.loss(y),
            -law.logpdf(y),
            rtol=1e-10 if bits == 64 else 1e-4,
            atol=1e-5 if bits == 32 else 1e-10,
        )
        np.testing.assert_allclose(model.loss(y), -np.asarray(make().log_prob(y)), rtol=1e-12)
        np.testing.assert_array_equal(model.simulate(N, np.random.default_rng(0)), y)
    assert stats.kstest(law.cdf(y), "uniform").pvalue > 1e-3


def test_counts_and_rows():
    counts = distribution(dist.Poisson(3.0))
    y = counts.simulate(N, np.random.default_rng(0))
    np.testing.assert_allclose(counts.loss(y), -stats.poisson(3.0).logpmf(y), rtol=1e-4)
    found = np.bincount(np.minimum(y, 7), minlength=8)
    expected = np.append(stats.poisson(3.0).pmf(np.arange(7)), stats.poisson(3.0).sf(6)) * N
    assert stats.chisquare(found, expected).pvalue > 1e-3
    covariance = np.array([[1.0, 0.5], [0.5, 2.0]])
    rows = distribution(dist.MultivariateNormal(jnp.zeros(2), jnp.asarray(covariance)))
    y = rows.simulate(N, np.random.default_rng(0))
    assert y.shape == (N, 2)
    np.testing.assert_allclose(
        rows.loss(y), -stats.multivariate_normal(cov=covariance).logpdf(y), rtol=1e-4
    )
    independent = distribution(dist.Normal(jnp.zeros((N, 2)), 1.0).to_event(1))
    np.testing.assert_allclose(independent.loss(y), -stats.norm.logpdf(y).sum(axis=1), rtol=1e-4)


def test_the_whole_way():
    y = np.random.default_rng(0).standard_t(3, 1000)
    models = {
        "student": distribution(dist.StudentT(3.0)),
        "wide": distribution(dist.Normal(0.0, 9.0)),
    }
    result = rivals.compare(models, y, rng=0)
    assert result.survivors == ("student",)
    np.testing.assert_array_equal(result.probability, rivals.compare(models, y, rng=0).probability)
