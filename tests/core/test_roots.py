"""Roots of many increasing functions at a time."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from rivals.core.roots import crossing
from rivals.laws.differences import Mixture, interval, quantile


def counted(function):
    """The function, and how often it was called."""
    calls = []

    def wrapped(value):
        calls.append(1)
        return function(value)

    return wrapped, calls


def halved(law, probability):
    """A quantile to the last digit, by 80 halvings."""
    low, high = law.bracket(probability)
    for _ in range(80):
        middle = 0.5 * (low + high)
        too_low = law.below(middle) < probability
        low = np.where(too_low, middle, low)
        high = np.where(too_low, high, middle)
    return high


def test_quantiles_of_normal_laws_have_all_digits_in_few_steps():
    places = np.linspace(-5.0, 5.0, 11)
    widths = np.geomspace(1e-3, 1e3, 11)
    law = Mixture(np.ones((11, 1)), places[:, None], widths[:, None])
    for probability in (1e-4, 0.05, 0.5, 0.95):
        exact = places + widths * ndtri(probability)
        np.testing.assert_allclose(quantile(law, probability), exact, atol=1e-13 * widths.max())
    excess, calls = counted(lambda value: law.below(value) - 0.95)
    crossing(excess, *law.bracket(0.95))
    assert len(calls) < 25


def test_quantiles_of_mixtures_are_those_of_halving():
    """Also where laws jump; there is nothing between the two sides of a jump but rounding."""
    rng = np.random.default_rng(0)
    for case in range(100):
        shape = (5, int(rng.integers(1, 60)))
        std = np.exp(rng.normal(0.0, 1.0, shape))
        if case % 3 == 0:
            std[rng.random(shape) < 0.3] = 0.0
        if case % 10 == 0:
            std[0] = 0.0
        law = Mixture(rng.dirichlet(np.ones(shape[1]), 5), rng.normal(0.0, 3.0, shape), std)
        for probability in (0.01, 0.5, 0.95):
            low, high = law.bracket(probability)
            close = 1e-12 * (high - low)
            assert (abs(quantile(law, probability) - halved(law, probability)) <= close).all()


def test_both_ends_of_an_interval_are_quantiles():
    rng = np.random.default_rng(1)
    law = Mixture(rng.dirichlet(np.ones(9), 4), rng.normal(size=(4, 9)), np.ones((4, 9)))
    low, high = interval(law, 0.9)
    np.testing.assert_allclose(low, quantile(law, 0.05), rtol=1e-12)
    np.testing.assert_allclose(high, quantile(law, 0.95), rtol=1e-12)


def test_what_does_not_cross_zero_ends_at_the_nearer_end():
    found = crossing(lambda x: np.array([-1.0, 1.0, 0.0]) + 0 * x, np.zeros(3), np.ones(3))
    assert found[0] == 1.0
    assert found[1] == 0.0
    assert crossing(lambda x: x, np.zeros(1), np.zeros(1)) == 0.0
