import json
import re
from pathlib import Path

import numpy as np
import pytest

from rivals_paper import seeds
from rivals_paper.noise import ColouredNoise


@pytest.fixture(scope="module")
def published():
    return json.loads((Path(__file__).parent / "data" / "pyloric.json").read_text())["noise"]


def test_values_impulses_and_weights_of_the_original_study(published):
    check = published["coloured_noise"]
    noise = ColouredNoise(100.0, 2**-5, 6999.0, rng=0)
    assert noise.times.shape == (80, 30)
    np.testing.assert_allclose(noise(check["t"]), check["value"], rtol=0, atol=1e-9)
    np.testing.assert_allclose(noise.by_definition(check["t"]), check["value"], rtol=0, atol=1e-14)
    np.testing.assert_allclose(noise.times[0, :5], check["first_bin_times"], rtol=1e-13)
    np.testing.assert_allclose(noise.weights[0, :5], check["first_bin_weights"], rtol=1e-13)


def test_the_example_data_set_draws_its_input_and_then_its_noise(published):
    check = published["example_dataset"]
    rng = seeds.generator("Prinz", "example trace", "data")
    noise = ColouredNoise(100.0, 2**-5, 6999.0, rng=rng)
    t = np.array([float(key) for key in check["I_ext_at"]])
    np.testing.assert_allclose(noise(t), list(check["I_ext_at"].values()), rtol=0, atol=1e-9)
    np.testing.assert_allclose(2 * rng.standard_normal(10), check["xi_first10"], rtol=1e-13)


@pytest.mark.parametrize("tau", [1.3, 100.0, 3e4])
def test_fast_evaluation_stays_within_its_bound(tau):
    noise = ColouredNoise(tau, 2.0, (-50.0, 5000.0), rng=1)
    # Bin edges and both ends are where an interpolant would go wrong.
    edges = -50 + tau * np.arange(1 + int(5050 / tau))
    t = np.concatenate([np.random.default_rng(0).uniform(-50, 5000, 2000), edges, [-50.0, 5000.0]])
    difference = np.abs(noise(t) - noise.by_definition(t)).max()
    assert difference <= noise.error_bound <= 1e-11 * noise.sigma


def test_variance_and_autocorrelation_follow_the_formula():
    tau, sigma, realisations = 10.0, 0.5, 4000
    lags = np.array([0.0, 5.0, 10.0, 20.0, 40.0])
    # One product per realisation and lag, independent between realisations: the error is the
    # standard error.
    values = np.array(
        [ColouredNoise(tau, sigma, 100.0, rng=seed)(30 + lags) for seed in range(realisations)]
    )
    products = values[:, :1] * values
    expected = sigma**2 * np.exp(-(lags**2) / (2 * tau**2))
    error = products.std(axis=0) / np.sqrt(realisations)
    assert np.all(np.abs(products.mean(axis=0) - expected) < 4 * error)
    assert np.all(error < 0.03 * sigma**2)


def test_zero_strength_is_zero_and_shape_is_kept():
    noise = ColouredNoise(1.0, 0.0, 10.0, rng=0)
    assert noise(3.0).shape == ()
    assert np.all(noise(np.ones((2, 3))) == np.zeros((2, 3)))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1.0, 1.0, 10.0), "tau must be a finite number above 0; got -1.0"),
        ((0.0, 1.0, 10.0), "tau must be a finite number above 0"),
        ((1.0, -2.0, 10.0), "sigma must be a finite number, 0 or above; got -2.0"),
        ((1.0, float("nan"), 10.0), "sigma must be"),
        ((1.0, 1.0, -10.0), "duration must be a number above 0"),
        ((1.0, 1.0, (5.0, 5.0)), "increasing pair"),
    ],
)
def test_bad_parameters_are_named(arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        ColouredNoise(*arguments)


def test_outside_its_interval_it_says_so():
    with pytest.raises(ValueError, match="from 0 to 10; got 3 to 11"):
        ColouredNoise(1.0, 1.0, 10.0, rng=0)([3.0, 11.0])
