"""Models that are fitted already, and distributions without inputs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import rivals
from rivals.read import distribution, fitted


def frame(n=120, seed=0):
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    site = np.repeat(["a", "b", "c"], n // 3)
    return pandas.DataFrame({"x": x, "y": 1.0 + x + 0.5 * rng.normal(size=n), "site": site})


def test_results_of_statsmodels_on_held_out_rows():
    smf = pytest.importorskip("statsmodels.formula.api")
    results = smf.ols("y ~ x", frame()).fit()
    new = frame(seed=1)
    found = fitted(results, new, groups="site", n_simulations=16, rng=0)
    expected = -stats.norm(results.predict(new), np.sqrt(results.scale)).logpdf(new.y)
    np.testing.assert_allclose(found.observed, expected, atol=1e-10)
    assert found.source.left_out is False
    assert found.source.library == "statsmodels"
    assert found.simulated.shape == (16, 120)
    squared = fitted(results, new, loss="squared")
    np.testing.assert_allclose(squared.observed, (new.y - results.predict(new)) ** 2, atol=1e-10)


def test_estimators_with_a_noise_or_a_loss():
    linear_model = pytest.importorskip("sklearn.linear_model")
    data, new = frame(), frame(seed=1)
    line = linear_model.LinearRegression().fit(data[["x"]], data.y)
    noise = stats.t(4.0, scale=0.5)
    found = fitted(line, new, "y", noise=noise, rng=0)
    expected = -noise.logpdf(new.y - line.predict(new[["x"]]))
    np.testing.assert_allclose(found.observed, expected, atol=1e-10)
    assert fitted(line, new, new.y, loss="absolute").source.loss == "absolute error"
    with pytest.raises(TypeError, match="noise="):
        fitted(line, new, "y")
    with pytest.raises(ValueError, match="scale from other data"):
        fitted(line, new, "y", noise="gaussian")
    with pytest.raises(ValueError, match="targets of the held-out rows"):
        fitted(line, new)
    with pytest.raises(ValueError, match="3 targets for 120 rows"):
        fitted(line, new, [1.0, 2.0, 3.0], loss="absolute")


def test_classifiers():
    linear_model = pytest.importorskip("sklearn.linear_model")
    data, new = frame(), frame(seed=1)
    label, truth = data.y > 1.0, (new.y > 1.0).to_numpy()
    model = linear_model.LogisticRegression().fit(data[["x"]], label)
    probability = model.predict_proba(new[["x"]])[:, 1]
    found = fitted(model, new, truth, rng=0)
    expected = -np.log(np.where(truth, probability, 1 - probability))
    np.testing.assert_allclose(found.observed, expected, atol=1e-10)
    brier = fitted(model, new, truth, loss="brier")
    np.testing.assert_allclose(brier.observed, (truth - probability) ** 2, atol=1e-10)
    wrong = fitted(model, new, truth, loss="zero-one")
    np.testing.assert_array_equal(wrong.observed, truth != (probability > 0.5))


def test_a_function_of_the_rows():
    new = frame(seed=1)
    found = fitted(lambda rows: stats.norm(1.0 + rows["x"], 0.5), new, "y", rng=0)
    expected = -stats.norm(1.0 + new.x, 0.5).logpdf(new.y)
    np.testing.assert_allclose(found.observed, expected, atol=1e-12)


@pytest.mark.parametrize(
    "model",
    [stats.norm(1.0, 2.0), stats.poisson(3.0), stats.Normal(mu=1.0, sigma=2.0), stats.gamma(2.0)],
)
def test_distributions_of_scipy(model):
    rng = np.random.default_rng(0)
    candidate = distribution(model)
    draws = candidate.simulate(4000, rng)
    density = model.logpmf if draws.dtype.kind == "i" else model.logpdf
    np.testing.assert_allclose(candidate.loss(draws), -density(draws))
    mean = model.mean()
    assert draws.mean() == pytest.approx(mean, abs=5 * draws.std() / 60)
    losses = candidate.losses(draws, rng=1)
    assert losses.simulated.mean() == pytest.approx(losses.mean, abs=0.15)


def test_rows_of_a_multivariate_distribution_are_points():
    model = stats.multivariate_normal([0.0, 1.0], [[2.0, 0.5], [0.5, 1.0]])
    candidate = distribution(model)
    draws = candidate.simulate(50, np.random.default_rng(0))
    np.testing.assert_allclose(candidate.loss(draws), -model.logpdf(draws))
    other = distribution(stats.multivariate_normal([0.0, 1.0]))
    result = rivals.compare({"right": candidate, "other": other}, draws, rng=0)
    assert set(result.risk) == {"right", "other"}


@pytest.mark.parametrize("model", [stats.norm, 3.0, "norm"])
def test_what_is_no_distribution_is_refused(model):
    with pytest.raises(TypeError, match="frozen distribution"):
        distribution(model)
