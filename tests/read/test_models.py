"""Distributions and estimators as candidates: losses by formula, simulations by law."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import rivals
from rivals.read import classifier, distribution, regressor

N = 20_000


@pytest.mark.parametrize(
    "frozen",
    [
        stats.norm(1.0, 2.0),
        stats.poisson(3.0),
        stats.binom(10, 0.3),
        stats.multivariate_normal([0.0, 1.0], [[1.0, 0.5], [0.5, 2.0]]),
        stats.norm(np.linspace(0, 5, N), 1.0),
    ],
    ids=["continuous", "discrete", "binomial", "multivariate", "regression"],
)
def test_a_distribution_is_calibrated_to_itself(frozen):
    """Losses of data from the distribution have the law of its own simulations: means agree within 5 errors."""
    model = distribution(frozen)
    losses = model.losses(model.simulate(N, np.random.default_rng(1)), rng=2)
    error = np.sqrt((losses.observed.var() + losses.synthetic.var()) / N)
    assert abs(losses.observed.mean() - losses.synthetic.mean()) < 5 * error


def test_loss_is_the_negative_log_density():
    y = np.array([0.0, 1.0, 2.0])
    np.testing.assert_allclose(distribution(stats.norm(scale=2.0)).loss(y), -stats.norm(scale=2.0).logpdf(y))
    np.testing.assert_allclose(distribution(stats.poisson(2.0)).loss(y), -stats.poisson(2.0).logpmf(y))


@pytest.mark.skipif(not hasattr(stats, "Normal"), reason="SciPy before 1.15 has no random variables of the new kind")
def test_random_variables_of_the_new_kind():
    model = distribution(stats.Normal(mu=1.0, sigma=2.0))
    y = model.simulate(N, np.random.default_rng(0))
    assert abs(y.mean() - 1.0) < 5 * 2 / np.sqrt(N)
    np.testing.assert_allclose(model.loss(y[:5]), -stats.norm(1, 2).logpdf(y[:5]))


def test_one_parameter_per_point_simulates_as_many():
    model = distribution(stats.norm(np.zeros(10), 1.0))
    with pytest.raises(ValueError, match="could not simulate 11 points"):
        model.simulate(11, np.random.default_rng(0))


def test_what_is_no_distribution_is_refused():
    with pytest.raises(TypeError, match="with one of logpdf"):
        distribution(3.0)
    with pytest.raises(TypeError, match="must be able to simulate"):
        distribution(stats.gaussian_kde([1.0, 2.0, 3.0]))


class Softmax:
    """A classifier of three classes, the third of which it never expects at negative inputs."""

    classes_ = np.array(["a", "b", "c"])

    def predict_proba(self, inputs):
        x = np.asarray(inputs)[:, 0]
        c = np.where(x < 0, 0.0, 0.5)
        return np.column_stack([0.3 * (1 - c), 0.7 * (1 - c), c])


INPUTS = np.random.default_rng(3).normal(size=(N, 1))


def test_simulated_labels_follow_the_probabilities():
    at, labels = classifier(Softmax(), INPUTS).simulate(N, np.random.default_rng(0))
    assert at is INPUTS
    positive = INPUTS[:, 0] >= 0
    for selection, expected in [(positive, [0.15, 0.35, 0.5]), (~positive, [0.3, 0.7, 0.0])]:
        found = np.array([np.mean(labels[selection] == name) for name in "abc"])
        assert np.all(np.abs(found - expected) < 5 * 0.5 / np.sqrt(selection.sum()))
    assert not np.any(labels[~positive] == "c")


def test_other_numbers_of_labels_are_at_resampled_inputs():
    at, labels = classifier(Softmax(), INPUTS).simulate(50, np.random.default_rng(0))
    assert len(at) == len(labels) == 50
    assert np.isin(at, INPUTS).all()


def test_probability_zero_is_explained_and_a_floor_helps():
    data = (np.array([[-1.0], [1.0], [1.0]]), ["c", "a", "b"])
    with pytest.raises(ValueError, match="zero probability to 1 of 3"):
        classifier(Softmax(), INPUTS).losses(data, rng=0)
    raised = classifier(Softmax(), INPUTS, floor=0.01)
    assert raised.loss(data)[0] == pytest.approx(-np.log(0.01 / 1.01))


def test_unknown_labels_and_forms_are_named():
    model = classifier(Softmax(), INPUTS)
    with pytest.raises(ValueError, match=r"1 of 2 labels are of a class .* row 1"):
        model.loss((INPUTS[:2], ["a", "z"]))
    with pytest.raises(ValueError, match="got 2 inputs and 3 of them"):
        model.loss((INPUTS[:2], ["a", "b", "c"]))
    with pytest.raises(TypeError, match="a pair"):
        model.loss(INPUTS)
    with pytest.raises(TypeError, match="has no predict_proba"):
        classifier(object(), INPUTS)
    with pytest.raises(ValueError, match="floor"):
        classifier(Softmax(), INPUTS, floor=1.5)


class Line:
    def predict(self, inputs, return_std=False):
        mean = 2.0 * np.asarray(inputs)[:, 0]
        return (mean, 0.5 + 0.1 * np.abs(mean)) if return_std else mean


class OnlyMean:
    def predict(self, inputs):
        return np.zeros(len(inputs))


def test_regressor_with_named_and_with_predicted_noise():
    y = Line().predict(INPUTS) + 1.0
    named = regressor(Line(), INPUTS, noise=stats.t(4, scale=0.5))
    np.testing.assert_allclose(named.loss((INPUTS, y)), -stats.t(4, scale=0.5).logpdf(1.0))
    predicted = regressor(Line(), INPUTS, noise="predicted")
    mean, deviation = Line().predict(INPUTS, return_std=True)
    np.testing.assert_allclose(predicted.loss((INPUTS, y)), -stats.norm(mean, deviation).logpdf(y))
    for model in (named, predicted):
        losses = model.losses(model.simulate(N, np.random.default_rng(1)), rng=2)
        error = np.sqrt((losses.observed.var() + losses.synthetic.var()) / N)
        assert abs(losses.observed.mean() - losses.synthetic.mean()) < 5 * error


def test_noise_must_be_named():
    with pytest.raises(ValueError, match="noise must be"):
        regressor(Line(), INPUTS, noise="gaussian")
    with pytest.raises(TypeError, match="OnlyMean does not predict a standard deviation"):
        regressor(OnlyMean(), INPUTS, noise="predicted").loss((INPUTS, np.zeros(N)))


def test_estimators_go_into_compare():
    at, labels = classifier(Softmax(), INPUTS).simulate(N, np.random.default_rng(5))
    models = {"right": classifier(Softmax(), at[:500], floor=1e-3), "coin": classifier(Coin(), at[:500])}
    with pytest.warns(rivals.RivalsWarning, match="ties"):  # both have a handful of probabilities only
        result = rivals.compare(models, (at[:500], labels[:500]), law="beta", c=0.25, rng=0)
    assert result.ranking == ("right", "coin")


class Coin:
    classes_ = np.array(["a", "b", "c"])

    def predict_proba(self, inputs):
        return np.full((len(inputs), 3), 1 / 3)
