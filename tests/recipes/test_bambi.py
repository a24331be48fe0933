# needs: bambi>=0.15, matplotlib<3.11
"""Posteriors of Bambi: losses by hand from the draws, simulations by the law of the
predictive, seeds.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from scipy.special import expit, logsumexp

import rivals
from rivals.read import posterior

bambi = pytest.importorskip("bambi")
pandas = pytest.importorskip("pandas")
# What the library and its own dependencies warn of is theirs.
pytestmark = pytest.mark.filterwarnings("default", "error::rivals.RivalsWarning")

rng = np.random.default_rng(0)
N, NEW = 60, 150
X = rng.normal(size=N + NEW)
FRAME = pandas.DataFrame(
    {
        "x": X,
        "y": 1.0 + 2.0 * X + 0.5 * rng.normal(size=N + NEW),
        "k": (rng.random(N + NEW) < expit(X)).astype(int),
    }
)
HELD_OUT = FRAME.iloc[N:].reset_index(drop=True)


def fitted(formula, **settings):
    model = bambi.Model(formula, FRAME.iloc[:N], **settings)
    draws = model.fit(
        100,
        tune=200,
        chains=2,
        cores=1,
        progressbar=False,
        random_seed=1,
        compute_convergence_checks=False,
    )
    return model, draws


@pytest.fixture(scope="module")
def line():
    return fitted("y ~ x", center_predictors=False)


def parameters(draws, *names):
    return [draws["posterior"][name].values.reshape(-1, 1) for name in names]


def test_losses_are_those_by_hand(line):
    a, b, width = parameters(line[1], "Intercept", "x", "sigma")
    densities = stats.norm(a + b * X[N:], width).logpdf(HELD_OUT["y"].to_numpy())
    found = posterior(*line, HELD_OUT, n_simulations=2, rng=0)
    np.testing.assert_allclose(
        found.observed, np.log(len(a)) - logsumexp(densities, axis=0), rtol=0, atol=1e-12
    )


def test_simulations_follow_the_posterior_predictive(line):
    a, b, width = parameters(line[1], "Intercept", "x", "sigma")
    own = np.random.default_rng(5)
    expected = []
    for _ in range(20):
        chosen = own.integers(len(a), size=NEW)
        y = own.normal((a[chosen, 0] + b[chosen, 0] * X[N:]), width[chosen, 0])
        expected.append(
            np.log(len(a)) - logsumexp(stats.norm(a + b * X[N:], width).logpdf(y), axis=0)
        )
    found = posterior(*line, HELD_OUT, n_simulations=20, rng=3).synthetic
    assert stats.ks_2samp(found.ravel(), np.concatenate(expected)).pvalue > 1e-3


def test_seeds_repeat(line):
    first, second, other = (
        posterior(*line, HELD_OUT, n_simulations=2, rng=seed) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first.synthetic, second.synthetic)
    assert not np.array_equal(first.synthetic, other.synthetic)
    assert "log_likelihood" not in line[1]  # the posterior is left as it was


def test_binary_responses_and_a_comparison():
    models = {
        "slope": fitted("k ~ x", family="bernoulli", center_predictors=False),
        "none": fitted("k ~ 1", family="bernoulli"),
    }
    losses = {
        name: posterior(*pair, HELD_OUT, n_simulations=4, rng=0) for name, pair in models.items()
    }
    a, b = parameters(models["slope"][1], "Intercept", "x")
    densities = stats.bernoulli(expit(a + b * X[N:])).logpmf(HELD_OUT["k"].to_numpy())
    np.testing.assert_allclose(
        losses["slope"].observed, np.log(len(a)) - logsumexp(densities, axis=0), rtol=0, atol=1e-12
    )
    assert rivals.compare(losses, rng=0).ranking == ("slope", "none")


def test_what_is_wrong_is_said(line):
    with pytest.warns(rivals.RivalsWarning, match="those in the model, to which it was fitted"):
        posterior(*line, FRAME.iloc[:N], n_simulations=1, rng=0)
    with pytest.raises(ValueError, match="a data frame with the response 'y'"):
        posterior(*line, HELD_OUT.drop(columns="y"))
    with pytest.raises(TypeError, match="code it as numbers"):
        posterior(*line, HELD_OUT.assign(y="high"))
