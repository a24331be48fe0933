"""Closed forms of the CRPS, against its definition as an integral."""

import numpy as np
import pytest
from scipy import integrate, stats

from rivals.method import crps

CASES = [(crps.normal, stats.norm()), (crps.laplace, stats.laplace())] + [
    (lambda z, n=n: crps.student(z, n), stats.t(n)) for n in (1.2, 2.0, 5.0, 300.0)
]


@pytest.mark.parametrize(("form", "distribution"), CASES)
@pytest.mark.parametrize("z", [-40.0, -2.0, -0.1, 0.0, 0.7, 5.0])
def test_it_is_the_integral_of_squares(form, distribution, z):
    # ∫ F(x)² up to z and ∫ (1 − F(x))² from there on.
    below, _ = integrate.quad(lambda x: distribution.cdf(x) ** 2, -np.inf, z, limit=500)
    above, _ = integrate.quad(lambda x: distribution.sf(x) ** 2, z, np.inf, limit=500)
    assert form(np.array([z]))[0] == pytest.approx(below + above, rel=1e-6)


def test_without_a_mean_it_is_infinite():
    assert np.isinf(crps.student(np.array([0.0, 1.0]), 1.0)).all()
    assert np.isinf(crps.student(np.array([0.0, 1.0]), 0.3)).all()


def test_many_degrees_of_freedom_are_the_normal():
    z = np.linspace(-5.0, 5.0, 11)
    # They differ by terms of 1/n.
    np.testing.assert_allclose(crps.student(z, 1e6), crps.normal(z), atol=1e-5)
