"""Evidence and posterior in closed form: against brute force."""

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp

from rivals.testbeds import blackbody
from rivals_paper.blackbody_bayes import Prior, _log_density, posterior
from rivals_paper.nested_model import NestedModel

PRIOR = Prior(sigma=(2.0**-6, 2.0), temperature=(1000.0, 10000.0), coefficient=5.0)


@pytest.fixture(scope="module")
def data():
    return blackbody.observe(24, wavelengths=(0.6, 2.0), gain=16.0, bias=0.0, rng=0)


@pytest.mark.parametrize("law", blackbody.LAWS)
@pytest.mark.parametrize("m", [0, 4])
def test_coefficients_integrate_out(data, law, m):
    """With Gaussian coefficients the data are Gaussian: covariance σ² B + 5² X Xᵀ."""
    frame = posterior(data, law=law, prior=PRIOR, n_coefficients=m)
    for sigma, kelvin in ((0.25, 4000.0), (0.7, 2500.0)):
        by_law = blackbody.radiance(law, data.wavelength, kelvin)
        design = np.vander(data.wavelength, m, increasing=True)
        covariance = np.diag(sigma**2 * by_law) + 25 * design @ design.T
        exact = stats.multivariate_normal(by_law, covariance).logpdf(data.radiance)
        assert _log_density(frame, np.log([sigma]), kelvin)[0] == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("proportional", [True, False])
def test_evidence_against_a_plain_grid(data, proportional):
    found = posterior(data, law="planck", prior=PRIOR, proportional=proportional)
    sigma = np.exp(np.linspace(*np.log(PRIOR.sigma), 2001))
    kelvin = np.exp(np.linspace(*np.log(PRIOR.temperature), 2001))
    total = []
    for t in kelvin:
        by_law = blackbody.planck(data.wavelength, t)
        weight = by_law if proportional else np.ones_like(by_law)
        squares = np.sum((data.radiance - by_law) ** 2 / weight)
        logs = np.log(2 * np.pi * weight).sum()
        total.append(logsumexp(-0.5 * logs - len(data) * np.log(sigma) - 0.5 * squares / sigma**2))
    assert found.log_evidence == pytest.approx(logsumexp(total) - 2 * np.log(2001), abs=5e-3)
    assert not found.pressed()


def test_draws_and_quadrature_agree(data):
    found = posterior(data, law="planck", prior=PRIOR)
    draws = found.pointwise(4000, np.random.default_rng(1))
    nodes, weights = found.pointwise_on_grid()
    error = draws.std(axis=0) / np.sqrt(4000)
    assert (np.abs(draws.mean(axis=0) - weights @ nodes / weights.sum()) < 5 * error).all()


def test_a_prior_that_excludes_the_data_is_seen(data):
    assert posterior(data, law="planck", prior=Prior((2.0**-6, 2.0), (6000.0, 9000.0))).pressed()


def test_nested_sampling_agrees(data):
    """The same evidence by dynesty, through the library."""
    pytest.importorskip("dynesty")
    from rivals_paper import criteria

    def log_likelihood(parameters):
        return -NestedModel("planck", *parameters, np.zeros(0), data.wavelength).loss(data).sum()

    low, width = np.log([PRIOR.sigma[0], PRIOR.temperature[0]]), np.log([2.0**7, 10.0])
    found = criteria.log_evidence(
        log_likelihood,
        lambda cube: np.exp(low + width * cube),
        2,
        n_live=100,
        rng=0,
        progress=False,
    )
    exact = posterior(data, law="planck", prior=PRIOR).log_evidence
    assert abs(-found.score.value - exact) < 4 * found.score.standard_error
