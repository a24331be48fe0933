"""The evidence by nested sampling: against a conjugate Gaussian."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtri

from rivals import RivalsWarning
from rivals_paper import criteria

pytest.importorskip("dynesty")


@pytest.fixture(scope="module")
def data():
    return np.random.default_rng(0).normal(1.0, 1.0, size=30)


def total(data, mu):
    return -0.5 * np.sum((data - mu) ** 2) - data.size / 2 * np.log(2 * np.pi)


def exact(data, width):
    """log ∫ Π N(y_i | μ, 1) N(μ | 0, width²) dμ."""
    n = data.size
    covariance = np.eye(n) + width**2
    return stats.multivariate_normal(np.zeros(n), covariance).logpdf(data)


def nested(data, width, rng=1):
    return criteria.log_evidence(
        lambda mu: total(data, mu[0]),
        lambda u: width * ndtri(u),
        1,
        n_live=200,
        rng=rng,
        progress=False,
    )


def test_evidence_and_bayes_factor_of_a_conjugate_gaussian(data):
    narrow, wide = nested(data, 1.0), nested(data, 20.0, rng=2)
    for evidence, width in ((narrow, 1.0), (wide, 20.0)):
        assert evidence.score.standard_error < 0.3
        assert abs(-evidence.score.value - exact(data, width)) < 4 * evidence.score.standard_error
    factor, error = criteria.bayes_factor(narrow, wide)
    assert abs(factor - (exact(data, 1.0) - exact(data, 20.0)) / np.log(10)) < 4 * error


def test_posterior_draws_are_weighted_properly(data):
    draws = nested(data, 1.0).resample(4000, rng=3)[:, 0]
    n = data.size
    assert draws.mean() == pytest.approx(
        data.sum() / (n + 1), abs=0.03
    )  # sd 0.18, about 500 effective draws
    assert draws.std() == pytest.approx((n + 1) ** -0.5, rel=0.12)


def test_same_seed_same_evidence(data):
    assert nested(data, 1.0, rng=7).score.value == nested(data, 1.0, rng=7).score.value


def test_a_prior_that_excludes_the_data_is_named(data):
    with pytest.warns(
        RivalsWarning, match="prior of parameter 0 .*in its lower 1 %; widen it, or check its units"
    ):
        evidence = criteria.log_evidence(
            lambda mu: total(data, mu[0]),
            lambda u: 5 + 10 * u,
            1,
            n_live=100,
            rng=1,
            progress=False,
        )
    assert evidence.score.diagnostics


def test_a_likelihood_that_is_not_a_number_is_named():
    with pytest.raises(ValueError, match="log likelihood: nan at the parameters"):
        criteria.log_evidence(lambda mu: np.nan, lambda u: u, 1, n_live=20, rng=1, progress=False)
