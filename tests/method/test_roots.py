"""Roots of many increasing functions at a time."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from rivals.method.roots import crossing


def mixture(seed, n=5):
    """Distribution functions of mixtures of normal laws, some of which jump."""
    rng = np.random.default_rng(seed)
    shape = (n, int(rng.integers(1, 60)))
    std = np.exp(rng.normal(0.0, 1.0, shape))
    if seed % 3 == 0:
        std[rng.random(shape) < 0.3] = 1e-12
    weights = rng.dirichlet(np.ones(shape[1]), n)
    centre = rng.normal(0.0, 3.0, shape)
    return lambda x: np.sum(weights * ndtr((x[:, None] - centre) / std), axis=1)


def halved(function, low, high):
    """A root to the last digit, by 80 halvings."""
    for _ in range(80):
        middle = 0.5 * (low + high)
        too_low = function(middle) < 0.0
        low = np.where(too_low, middle, low)
        high = np.where(too_low, high, middle)
    return high


def test_quantiles_of_normal_laws_have_all_digits_in_few_steps():
    places = np.linspace(-5.0, 5.0, 11)
    widths = np.geomspace(1e-3, 1e3, 11)
    for probability in (1e-4, 0.05, 0.5, 0.95):
        calls = []

        def excess(value, probability=probability, calls=calls):
            calls.append(1)
            return ndtr((value - places) / widths) - probability

        found = crossing(excess, places - 10.0 * widths, places + 10.0 * widths)
        exact = places + widths * ndtri(probability)
        np.testing.assert_allclose(found, exact, atol=1e-13 * widths.max())
        assert len(calls) < 30


@pytest.mark.parametrize("probability", [0.01, 0.5, 0.95])
def test_quantiles_of_mixtures_are_those_of_halving(probability):
    """Also where laws jump; there is nothing between the two sides of a jump but rounding."""
    for seed in range(60):
        law = mixture(seed)
        low, high = np.full(5, -60.0), np.full(5, 60.0)

        def excess(value, law=law):
            return law(value) - probability

        expected = halved(excess, low, high)
        np.testing.assert_allclose(crossing(excess, low, high), expected, atol=2e-10)


def test_what_does_not_cross_zero_ends_at_the_nearer_end():
    found = crossing(lambda x: np.array([-1.0, 1.0, 0.0]) + 0 * x, np.zeros(3), np.ones(3))
    assert found[0] == 1.0
    assert found[1] == 0.0
    assert crossing(lambda x: x, np.zeros(1), np.zeros(1)) == 0.0
