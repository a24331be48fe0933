"""What no test noticed when the core was changed at random, by `tools/mutants.py`: each test here fails on such a change."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from rivals.core.groups import GRID_REACH, group_probability
from rivals.core.transport import critical_c, transport_probability
from scipy import integrate, stats

from rivals.core.tails import tail_shape


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_the_posterior_of_few_groups_is_that_of_an_integral(seed):
    """Four groups, sampling errors as large as the spread: the uncertainty of μ counts, which many groups do not show.

    μ and τ are flat a priori, τ up to the reach of the grid in units of the spread. Given τ, μ is normal with precision
    Σ 1/(τ² + w_g); the true difference of a new group has the variance of μ, and τ², in addition.
    """
    rng = np.random.default_rng(seed)
    variances = rng.uniform(0.2, 1.0, 4)
    differences = rng.normal(-0.8, 1.0, 4)

    def of_tau(tau):
        precision = 1.0 / (tau**2 + variances)
        centre, whole = np.sum(precision * differences) / precision.sum(), precision.sum()
        misfit = np.sum(precision * (differences - centre) ** 2)
        density = np.sqrt(np.prod(precision) / whole) * np.exp(-0.5 * misfit)
        return density, density * stats.norm.cdf(-centre / np.sqrt(1.0 / whole + tau**2))

    unit = np.sqrt(max(np.var(differences, ddof=1), 1.0 / np.mean(1.0 / variances)))
    mass, negative = (
        integrate.quad(
            lambda tau, part: of_tau(tau)[part], 0.0, GRID_REACH * unit, args=(part,), epsabs=1e-12, limit=200
        )[0]
        for part in (0, 1)
    )
    # The midpoint rule on a smooth integrand: an error of the order of the squared step, about 1e-4 here.
    assert group_probability(differences, variances) == pytest.approx(negative / mass, abs=3e-4)


def test_losses_that_are_all_equal_have_a_tail_that_ends():
    assert tail_shape(np.full(200, 3.0)) == -inf
    assert tail_shape(np.append(np.zeros(200), 1.0)) == -inf


@pytest.mark.parametrize("unit", [1.0, 1e-4, 1e4])
@pytest.mark.parametrize("distance", [0.1, 3.0])
def test_at_the_critical_c_the_probability_is_the_threshold(unit, distance):
    """In any unit of the loss, and also where that c is small: 3.6 and 0.004 here."""
    means, squares, covariance = (
        unit * np.array([1.0, 1.5]),
        np.full(2, (unit * distance) ** 2),
        0.01 * unit**2 * np.eye(2),
    )
    found = critical_c(means, squares, covariance, 0.95)
    assert np.isnan(found[0])
    probability = transport_probability(means, squares, covariance, c=float(found[1]))
    # z = (m_b − m_a) / √(c (W_a² + W_b²) + V) in closed form: rounding alone.
    assert probability[0, 1] == pytest.approx(0.95, abs=1e-12)
    assert found[1] == pytest.approx((0.25 / stats.norm.ppf(0.95) ** 2 - 0.02) / (2 * distance**2), rel=1e-12)
