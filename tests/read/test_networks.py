"""Functions as networks, of NumPy and of JAX; modules of PyTorch are in tests/recipes."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from rivals.read import network

N = 500
X = np.random.default_rng(0).normal(size=(N, 2))
Y = X @ [1.0, -0.5] + np.exp(0.3 * X[:, 0]) * np.random.default_rng(1).normal(size=N)


def mean_and_scale(x):
    return x @ np.array([1.0, -0.5]), np.exp(0.3 * x[:, 0])


LAW = stats.norm(*mean_and_scale(X))


@pytest.mark.parametrize("batch_size", [None, 7, N, 10 * N])
def test_batches_do_not_matter(batch_size):
    sizes = []

    def watched(x):
        sizes.append(len(x))
        return mean_and_scale(x)

    model = network(watched, X, batch_size=batch_size)
    np.testing.assert_allclose(model.loss((X, Y)), -LAW.logpdf(Y), rtol=1e-12, atol=1e-12)
    assert sum(sizes) == N
    assert max(sizes) <= (batch_size or N)
    _, drawn = model.simulate(N, np.random.default_rng(0))
    assert stats.kstest(LAW.cdf(drawn), "uniform").pvalue > 1e-3
    np.testing.assert_array_equal(model.simulate(N, np.random.default_rng(0))[1], drawn)


def test_several_targets():
    model = network(lambda x: (x, np.array([1.0, 2.0])), X)
    y = X + 1.0
    np.testing.assert_allclose(
        model.loss((X, y)),
        -stats.norm(scale=[1.0, 2.0]).logpdf(np.ones((N, 2))).sum(axis=1),
        rtol=1e-12,
    )
    assert model.simulate(20, np.random.default_rng(0))[1].shape == (20, 2)


def test_distributions_and_likelihoods():
    by_law = network(lambda x: stats.norm(*mean_and_scale(x)), X)
    by_likelihood = network(
        lambda x: np.column_stack([mean_and_scale(x)[0], np.log(mean_and_scale(x)[1])]),
        X,
        likelihood=lambda out: (out[:, 0], np.exp(out[:, 1])),
    )
    for model in (by_law, by_likelihood):
        np.testing.assert_allclose(model.loss((X, Y)), -LAW.logpdf(Y), rtol=1e-12, atol=1e-12)


def test_what_a_network_must_return():
    for function, message in [
        (lambda x: x[:, 0], r"<lambda> returned ndarray of shape \(500,\), .* pass likelihood="),
        (
            lambda x: (x[:, 0], -np.ones(N)),
            "500 of 500 standard deviations are not above zero, .* exp or softplus",
        ),
        (
            lambda x: (x[:, 0], np.ones((N, 1))),
            r"means of shape \(500,\), but standard deviations of shape \(500, 1\)",
        ),
        (lambda x: (np.zeros(3), 1.0), r"predicts shape \(3,\), the targets have shape \(500,\)"),
        (lambda x: (x[:, :1], 1.0), r"predicts shape \(500, 1\), the targets have shape \(500,\)"),
    ]:
        with pytest.raises((TypeError, ValueError), match=message):
            network(function, X).loss((X, Y))
    with pytest.raises(TypeError, match="expected a module or a function"):
        network(3, X)
    with pytest.raises(ValueError, match="batch_size must be at least 1"):
        network(mean_and_scale, X, batch_size=0)


@pytest.mark.slow  # the import of JAX; functions of NumPy take the same way
def test_functions_and_distributions_of_jax():
    jax = pytest.importorskip("jax", reason="this recipe needs JAX (group `recipes`)")
    dist = pytest.importorskip(
        "numpyro.distributions", reason="this recipe needs NumPyro (group `recipes`)"
    )

    @jax.jit
    def net(x):
        return x @ jax.numpy.array([1.0, -0.5]), jax.numpy.exp(0.3 * x[:, 0])

    pair = network(net, X, batch_size=200)
    mean, scale = (np.asarray(part, dtype=np.float64) for part in net(X))
    np.testing.assert_allclose(
        pair.loss((X, Y)), -stats.norm(mean, scale).logpdf(Y), rtol=1e-6
    )  # of 32 bits, by batch
    normal = network(lambda x: dist.Normal(*net(x)), X)
    np.testing.assert_allclose(
        normal.loss((X, Y)), -np.asarray(dist.Normal(*net(X)).log_prob(Y)), rtol=1e-12
    )
    for model in (pair, normal):
        drawn = model.simulate(N, np.random.default_rng(0))[1]
        assert stats.kstest(LAW.cdf(drawn), "uniform").pvalue > 1e-3
        np.testing.assert_array_equal(model.simulate(N, np.random.default_rng(0))[1], drawn)
