"""Losses from a posterior, with NumPyro: by hand, by the law of the predictive, and how what is observed is found."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp

from rivals.read import posterior

numpyro = pytest.importorskip("numpyro", reason="posteriors are tested with NumPyro (group `recipes`)")
dist = pytest.importorskip("numpyro.distributions")

rng = np.random.default_rng(0)
N, DRAWS = 100, 150
X = rng.normal(size=N).astype(np.float32)
Y = (2.0 * X + 0.5 * rng.normal(size=N)).astype(np.float32)
SAMPLES = {
    "slope": rng.normal(2.0, 0.1, DRAWS).astype(np.float32),
    "width": rng.gamma(100, 0.005, DRAWS).astype(np.float32),
}


def line(x, y=None):
    slope, width = numpyro.sample("slope", dist.Normal()), numpyro.sample("width", dist.HalfNormal())
    numpyro.sample("obs", dist.Normal(slope * x, width), obs=y)


def lpd(y):
    densities = stats.norm(SAMPLES["slope"][:, None] * X, SAMPLES["width"][:, None]).logpdf(y)
    return np.log(DRAWS) - logsumexp(densities, axis=0)


def test_losses_are_those_by_hand():
    """In single precision, which is what NumPyro computes in by default: 2⁻²⁴ of log densities of order 10."""
    found = posterior(line, SAMPLES, {"x": X, "y": Y}, n_simulations=2, rng=0)
    np.testing.assert_allclose(found.observed, lpd(Y), rtol=0, atol=1e-5)
    assert found.synthetic.shape == (2, N)


def test_simulations_follow_the_posterior_predictive():
    own = np.random.default_rng(5)
    chosen = own.integers(DRAWS, size=(30, N))
    expected = [lpd(own.normal(SAMPLES["slope"][each] * X, SAMPLES["width"][each])) for each in chosen]
    found = posterior(line, SAMPLES, {"x": X, "y": Y}, n_simulations=30, rng=3).synthetic
    assert stats.ks_2samp(found.ravel(), np.concatenate(expected)).pvalue > 1e-3


def test_seeds_repeat_and_more_simulations_than_draws_are_made():
    few = {name: values[:3] for name, values in SAMPLES.items()}
    first, second, other = (
        posterior(line, few, {"x": X, "y": Y}, n_simulations=number, rng=seed).synthetic
        for number, seed in ((4, 1), (3, 1), (1, 2))
    )
    np.testing.assert_array_equal(first[:3], second)  # the first ones do not depend on how many there are
    assert not np.any(first[0] == other[0])
    assert np.unique(first.round(4), axis=0).shape == (4, N)  # no simulation twice


def test_what_is_observed_is_found_or_asked_for():
    def two(x, y=None, z=None):
        line(x, y)
        with numpyro.plate("points", N):
            numpyro.sample("other", dist.Normal(), obs=z)

    held_out = {"x": X, "y": Y, "z": X}
    with pytest.raises(ValueError, match=r"no variable chosen; pass variable= one of \['obs', 'other'\]"):
        posterior(two, SAMPLES, held_out)
    with pytest.raises(ValueError, match=r"'other' are several of the arguments \['x', 'z'\]; pass observed="):
        posterior(two, SAMPLES, held_out, variable="other")
    chosen = posterior(two, SAMPLES, held_out, variable="other", observed="z", n_simulations=1, rng=0)
    np.testing.assert_allclose(chosen.observed, -stats.norm.logpdf(X), rtol=0, atol=1e-5)
    with pytest.raises(ValueError, match="held_out has no 'w'"):
        posterior(line, SAMPLES, {"x": X, "y": Y}, observed="w")


def test_points_that_the_model_does_not_count_are_asked_for():
    def uncounted(y=None):
        numpyro.sample("obs", dist.Normal(numpyro.sample("slope", dist.Normal()), 1.0), obs=y)

    with pytest.raises(ValueError, match=r"in the shape \(\), but \(100,\) was observed"):
        posterior(uncounted, SAMPLES, {"y": Y})


def test_what_is_refused():
    with pytest.raises(TypeError, match="expected a model of PyMC, Bambi or CmdStanPy"):
        posterior(object(), SAMPLES, {})
    with pytest.raises(TypeError, match="held_out for NumPyro is a mapping"):
        posterior(line, SAMPLES, Y)
    with pytest.raises(ValueError, match="did you mean 'lpd'"):
        posterior(line, SAMPLES, {"x": X, "y": Y}, reduction="elpd")
