"""The paper's main claim: with more data of two wrong models B settles, and other criteria grow."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import expon, halfnorm

from rivals_paper import large_samples as large

SIZES = (2**10, 2**14)
SEEDS = range(6)


@pytest.fixture(scope="module")
def judged():
    return {size: [large.judge(size, seed) for seed in SEEDS] for size in SIZES}


@pytest.mark.parametrize("law", large.LAWS)
def test_b_settles_between_one_half_and_one(judged, law):
    b = {size: np.array([each[law]["B"] for each in judged[size]]) for size in SIZES}
    for values in b.values():
        assert 0.5 < np.median(values) < 0.95
    # Sixteen times the data: without a limit the z score of B would grow fourfold.
    change = np.median(b[SIZES[1]]) - np.median(b[SIZES[0]])
    assert abs(change) < 0.1


def test_other_criteria_grow_with_the_data(judged):
    for name in large.CRITERIA:
        small, big = (
            np.median([each["criteria"][name] for each in judged[size]]) for size in SIZES
        )
        # In proportion to L, up to the sampling error of the smaller one: of 0.05 nats a point and
        # a spread of about 0.3, six sets of 1024 points know the mean to a tenth.
        assert big / small == pytest.approx(16, rel=0.4)


def test_spreads_of_wrong_models_do_not_vanish(judged):
    for law in large.LAWS:
        worse = [np.median([each[law]["sd"][1] for each in judged[size]]) for size in SIZES]
        assert worse[1] > 0.5 * worse[0]


def test_evidences_are_integrals_over_the_prior():
    y = np.array([0.3, 1.2, 0.8])

    def half_normal(precision):
        likelihood = halfnorm.pdf(y, scale=1 / np.sqrt(precision)).prod()
        return likelihood * expon.pdf(precision)

    def exponential(rate):
        return expon.pdf(y, scale=1 / rate).prod() * expon.pdf(rate)

    expected = [np.log(quad(each, 0, np.inf)[0]) for each in (half_normal, exponential)]
    np.testing.assert_allclose(large.log_evidences(y), expected, rtol=1e-6)
