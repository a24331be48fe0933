"""Losses from a posterior, with NumPyro: by hand, by the law of the predictive, and how
what is observed is found.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import logsumexp

import rivals
from rivals.read import posterior

numpyro = pytest.importorskip(
    "numpyro", reason="posteriors are tested with NumPyro (group `recipes`)"
)
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
    slope, width = (
        numpyro.sample("slope", dist.Normal()),
        numpyro.sample("width", dist.HalfNormal()),
    )
    numpyro.sample("obs", dist.Normal(slope * x, width), obs=y)


def lpd(y):
    densities = stats.norm(SAMPLES["slope"][:, None] * X, SAMPLES["width"][:, None]).logpdf(y)
    return np.log(DRAWS) - logsumexp(densities, axis=0)


def test_losses_are_those_by_hand():
    """In single precision, which is what NumPyro computes in by default: 2⁻²⁴ of log
    densities of order 10.
    """
    found = posterior(line, SAMPLES, {"x": X, "y": Y}, n_simulations=2, rng=0)
    np.testing.assert_allclose(found.observed, lpd(Y), rtol=0, atol=1e-5)
    assert found.synthetic.shape == (2, N)


def test_simulations_follow_the_posterior_predictive():
    own = np.random.default_rng(5)
    chosen = own.integers(DRAWS, size=(30, N))
    expected = [
        lpd(own.normal(SAMPLES["slope"][each] * X, SAMPLES["width"][each])) for each in chosen
    ]
    found = posterior(line, SAMPLES, {"x": X, "y": Y}, n_simulations=30, rng=3).synthetic
    assert stats.ks_2samp(found.ravel(), np.concatenate(expected)).pvalue > 1e-3


def test_seeds_repeat_and_more_simulations_than_draws_are_made():
    few = {name: values[:3] for name, values in SAMPLES.items()}
    first, second, other = (
        posterior(line, few, {"x": X, "y": Y}, n_simulations=number, rng=seed).synthetic
        for number, seed in ((4, 1), (3, 1), (1, 2))
    )
    np.testing.assert_array_equal(
        first[:3], second
    )  # the first ones do not depend on how many there are
    assert not np.any(first[0] == other[0])
    assert np.unique(first.round(4), axis=0).shape == (4, N)  # no simulation twice


def test_draws_may_be_a_tree_of_arviz():
    xarray = pytest.importorskip("xarray", reason='trees need xarray: pip install "rivals[arviz]"')
    variables = {
        name: (("chain", "draw"), values.reshape(3, -1)) for name, values in SAMPLES.items()
    }
    tree = xarray.DataTree.from_dict({"posterior": xarray.Dataset(variables)})
    found = posterior(line, tree, {"x": X, "y": Y}, n_simulations=2, rng=0)
    expected = posterior(line, SAMPLES, {"x": X, "y": Y}, n_simulations=2, rng=0)
    np.testing.assert_array_equal(found.observed, expected.observed)
    np.testing.assert_array_equal(found.synthetic, expected.synthetic)
    with pytest.raises(TypeError, match=r"DataTree of ArviZ .* rivals\.read\.arviz_tree"):
        rivals.compare({"a": tree, "b": tree}, np.zeros(3))


def test_all_draws_at_once_and_one_after_another_are_the_same(monkeypatch):
    """To single precision, which the losses of simulations inherit twice."""
    expected = posterior(line, SAMPLES, {"x": X, "y": Y}, n_simulations=2, rng=0)
    monkeypatch.setattr("rivals.read.probabilistic_programs.MOST_AT_ONCE", 0)
    found = posterior(line, SAMPLES, {"x": X, "y": Y}, n_simulations=2, rng=0)
    np.testing.assert_allclose(found.observed, expected.observed, rtol=0, atol=1e-5)
    np.testing.assert_allclose(found.synthetic, expected.synthetic, rtol=0, atol=1e-4)


def test_what_is_observed_is_found_or_asked_for():
    def two(x, y=None, z=None):
        line(x, y)
        with numpyro.plate("points", N):
            numpyro.sample("other", dist.Normal(), obs=z)

    held_out = {"x": X, "y": Y, "z": X}
    with pytest.raises(
        ValueError, match=r"no variable chosen; pass variable= one of \['obs', 'other'\]"
    ):
        posterior(two, SAMPLES, held_out)
    with pytest.raises(
        ValueError, match=r"'other' are several of the arguments \['x', 'z'\]; pass observed="
    ):
        posterior(two, SAMPLES, held_out, variable="other")
    chosen = posterior(
        two, SAMPLES, held_out, variable="other", observed="z", n_simulations=1, rng=0
    )
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


def test_data_that_were_observed_as_integers_are_simulated_as_the_model_says():
    """Simulations of a Gaussian were cut to integers: their mean loss was 1.13 in place of 0.72."""
    rounded = np.round(Y)
    expected, found = (
        posterior(line, SAMPLES, {"x": X, "y": y}, rng=0) for y in (rounded, rounded.astype(int))
    )
    np.testing.assert_allclose(found.observed, expected.observed, rtol=1e-5)
    np.testing.assert_allclose(found.synthetic, expected.synthetic, rtol=1e-5)


def test_a_parameter_of_each_point_is_that_of_the_old_points():
    def scattered(x, y=None):
        with numpyro.plate("points", len(x)):
            shift = numpyro.sample("shift", dist.Normal())
            numpyro.sample("obs", dist.Normal(x + shift, 0.5), obs=y)

    draws = {"shift": rng.normal(size=(DRAWS, N))}
    with pytest.warns(rivals.RivalsWarning, match="'shift' was drawn for each point of the fit"):
        posterior(scattered, draws, {"x": X, "y": Y}, n_simulations=1, rng=0)


def test_masked_points_have_no_loss():
    """Their log likelihood is 0, which is no loss of theirs."""

    def masked(x, known, y=None):
        slope, width = (
            numpyro.sample("slope", dist.Normal()),
            numpyro.sample("width", dist.HalfNormal()),
        )
        with numpyro.handlers.mask(mask=known):
            numpyro.sample("obs", dist.Normal(slope * x, width), obs=y)

    held_out = {"x": X, "y": Y, "known": np.ones(N, dtype=bool)}
    found = posterior(masked, SAMPLES, held_out, n_simulations=1, rng=0)
    np.testing.assert_allclose(found.observed, lpd(Y), rtol=0, atol=1e-5)
    with pytest.raises(ValueError, match="the model masks some of the observed 'obs'"):
        posterior(masked, SAMPLES, held_out | {"known": X > 0}, n_simulations=1, rng=0)


def test_draws_by_chain_are_refused_also_where_a_chain_is_as_long_as_the_data():
    draws = {name: np.stack([values[:N], values[-N:]]) for name, values in SAMPLES.items()}
    with pytest.raises(
        ValueError,
        match=r"one of 'slope' has shape \(100,\), in the model \(\); .* without group_by_chain",
    ):
        posterior(line, draws, {"x": X, "y": Y}, rng=0)


def test_a_model_that_transforms_what_it_observes_is_refused():
    def of_logs(x, y=None):
        line(x, None if y is None else np.log(y))

    with pytest.raises(
        ValueError, match="observes 'obs' as other values than those of 'y'; transform them before"
    ):
        posterior(of_logs, SAMPLES, {"x": X, "y": np.exp(Y)}, observed="y", rng=0)
