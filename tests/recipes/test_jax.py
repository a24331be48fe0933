# needs: jax, flax, numpyro, scikit-learn
"""Networks of JAX: functions, Flax modules, and functions that return distributions of
NumPyro, on real data.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import numpyro.distributions as dist
import pytest
from flax import linen
from scipy import stats
from sklearn.datasets import load_diabetes

from rivals.read import network

X, Y = load_diabetes(return_X_y=True)
X, Y = 20 * X, (Y - 150) / 80
N = len(Y)
WEIGHTS = np.random.default_rng(0).normal(size=(10, 2)) / 10


@jax.jit
def net(x):
    out = jnp.tanh(x @ jnp.asarray(WEIGHTS))
    return out[:, 0], jnp.exp(out[:, 1])


def check(model, mean, scale, rtol):
    np.testing.assert_allclose(
        model.loss((X, Y)), -stats.norm(mean, scale).logpdf(Y), rtol=rtol, atol=rtol
    )
    drawn = model.simulate(N, np.random.default_rng(0))[1]
    assert stats.kstest((drawn - mean) / scale, "norm").pvalue > 1e-3
    np.testing.assert_array_equal(model.simulate(N, np.random.default_rng(0))[1], drawn)


@pytest.mark.parametrize("bits", [32, 64])
def test_a_function_that_returns_mean_and_scale(bits):
    with jax.enable_x64(bits == 64):
        mean, scale = (np.asarray(part, dtype=np.float64) for part in net(X))
        check(network(net, X), mean, scale, 1e-12)
        # Batches are multiplied in another order, in the precision of JAX.
        check(network(net, X, batch_size=100), mean, scale, 1e-12 if bits == 64 else 1e-4)


def test_a_function_that_returns_a_distribution():
    with jax.enable_x64(True):
        mean, scale = (np.asarray(part) for part in net(X))
        check(network(lambda x: dist.Normal(*net(x)), X), mean, scale, 1e-12)


def test_a_module_of_flax():
    class Net(linen.Module):
        @linen.compact
        def __call__(self, x):
            x = linen.Dropout(0.5, deterministic=True)(linen.tanh(linen.Dense(8)(x)))
            return linen.Dense(2)(x)

    module = Net()
    parameters = module.init(jax.random.PRNGKey(0), X[:1])
    model = network(
        lambda x: module.apply(parameters, x),
        X,
        likelihood=lambda out: (out[:, 0], jnp.exp(out[:, 1])),
        batch_size=N,
    )
    out = np.asarray(module.apply(parameters, X), dtype=np.float64)
    check(
        model,
        out[:, 0],
        np.asarray(jnp.exp(module.apply(parameters, X)[:, 1]), dtype=np.float64),
        1e-12,
    )
