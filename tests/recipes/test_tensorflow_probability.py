# needs: tensorflow-probability==0.25.0, jax<0.5
"""Distributions of TensorFlow Probability, on JAX: its last release does not know later
ones of JAX.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from tensorflow_probability.substrates import jax as tfp

from rivals.read import distribution, network

pytestmark = pytest.mark.filterwarnings("default", "error::rivals.RivalsWarning")

N = 2000
MEANS = np.linspace(-3, 3, N)


@pytest.mark.parametrize(
    ("law", "of_scipy"),
    [
        (
            tfp.distributions.Normal(MEANS.astype(np.float32), 2.0),
            stats.norm(MEANS.astype(np.float32), 2.0),
        ),
        (tfp.distributions.StudentT(4.0, 1.0, 2.0), stats.t(4, 1, 2)),
    ],
)
def test_numbers(law, of_scipy):
    model = distribution(law)
    y = model.simulate(N, np.random.default_rng(0))
    np.testing.assert_allclose(model.loss(y), -np.asarray(law.log_prob(y)), rtol=1e-12)
    np.testing.assert_allclose(model.loss(y), -of_scipy.logpdf(y), rtol=1e-4)
    assert stats.kstest(of_scipy.cdf(y), "uniform").pvalue > 1e-3
    np.testing.assert_array_equal(model.simulate(N, np.random.default_rng(0)), y)


def test_rows_and_networks():
    law = tfp.distributions.MultivariateNormalDiag(np.zeros(3, np.float32), np.ones(3, np.float32))
    y = distribution(law).simulate(N, np.random.default_rng(0))
    np.testing.assert_allclose(
        distribution(law).loss(y), -stats.norm.logpdf(y).sum(axis=1), rtol=1e-4
    )
    model = network(
        lambda x: tfp.distributions.Normal(x.astype(np.float32), 0.5), MEANS, batch_size=300
    )
    np.testing.assert_allclose(
        model.loss((MEANS, MEANS + 1)), -stats.norm(scale=0.5).logpdf(np.ones(N)), rtol=1e-4
    )
