# needs: numpyro>=0.15
"""Posteriors of NumPyro, sampled by NUTS in double precision: losses by hand, simulations
by the law of the predictive, seeds.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp

import rivals
from rivals.read import posterior

numpyro = pytest.importorskip("numpyro")
jax = pytest.importorskip("jax")
dist = pytest.importorskip("numpyro.distributions")
infer = pytest.importorskip("numpyro.infer")

pytestmark = pytest.mark.filterwarnings("default", "error::rivals.RivalsWarning")
numpyro.enable_x64()

rng = np.random.default_rng(0)
N, NEW = 60, 200
X = rng.normal(size=N + NEW)
Y = 1.0 + 2.0 * X + 0.5 * rng.standard_t(3, size=N + NEW)
HELD_OUT = {"x": X[N:], "y": Y[N:]}


def student(x, y=None):
    a, b = numpyro.sample("a", dist.Normal(0, 5)), numpyro.sample("b", dist.Normal(0, 5))
    width = numpyro.sample("width", dist.HalfNormal(2))
    numpyro.sample("obs", dist.StudentT(3.0, a + b * x, width), obs=y)


def constant(x, y=None):
    a, width = numpyro.sample("a", dist.Normal(0, 5)), numpyro.sample("width", dist.HalfNormal(2))
    with numpyro.plate("points", len(x)):
        numpyro.sample("obs", dist.Normal(a, width), obs=y)


def sampled(model):
    mcmc = infer.MCMC(infer.NUTS(model), num_warmup=200, num_samples=200, progress_bar=False)
    mcmc.run(jax.random.PRNGKey(0), x=X[:N], y=Y[:N])
    return mcmc


@pytest.fixture(scope="module")
def mcmc():
    return sampled(student)


def law(mcmc):
    samples = {name: np.asarray(values)[:, None] for name, values in mcmc.get_samples().items()}
    return samples, stats.t(3.0, samples["a"] + samples["b"] * X[N:], samples["width"])


def test_losses_are_those_by_hand(mcmc):
    densities = law(mcmc)[1].logpdf(Y[N:])
    expected = np.log(len(densities)) - logsumexp(densities, axis=0)
    found = posterior(student, mcmc, HELD_OUT, n_simulations=2, rng=0)
    np.testing.assert_allclose(found.observed, expected, rtol=0, atol=1e-12)
    again = posterior(student, mcmc.get_samples(), HELD_OUT, n_simulations=2, rng=0)
    np.testing.assert_array_equal(found.synthetic, again.synthetic)


def test_simulations_follow_the_posterior_predictive(mcmc):
    samples, likelihood = law(mcmc)
    own = np.random.default_rng(5)
    expected = []
    for _ in range(20):
        chosen = own.integers(200, size=NEW)
        a, b, width = (samples[name][chosen, 0] for name in ("a", "b", "width"))
        y = a + b * X[N:] + width * own.standard_t(3.0, size=NEW)
        expected.append(np.log(200) - logsumexp(likelihood.logpdf(y), axis=0))
    found = posterior(student, mcmc, HELD_OUT, n_simulations=20, rng=3).synthetic
    assert stats.ks_2samp(found.ravel(), np.concatenate(expected)).pvalue > 1e-3


def test_a_comparison(mcmc):
    models = {"line": (student, mcmc), "constant": (constant, sampled(constant))}
    losses = {name: posterior(*pair, HELD_OUT, rng=0) for name, pair in models.items()}
    assert rivals.compare(losses, rng=0).survivors == ("line",)
