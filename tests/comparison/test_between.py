"""Sweeps over many values of c under law "beta": interpolated ones against those that are computed."""

import itertools
import pickle

import numpy as np
import pytest

import rivals
from rivals.comparison.between import STEP, Between, Remembered, knots, weight_of
from rivals.comparison.laws import MANY_VALUES
from samples import make_losses

MANY = (2.0 ** np.linspace(-2.0, 1.0, 3 * 24 + 1)).tolist()


@pytest.fixture(scope="module")
def result():
    models = {kind: make_losses(kind, 200, seed=3) for kind in ("exponential", "student")}
    return rivals.compare(models, law="beta", n_draws=2000, max_draws=2000, rng=0)


@pytest.fixture(scope="module")
def sweep(result):
    return result.sweep(MANY)


def same(one, other):
    """To the last bit."""
    assert one.survivors == other.survivors
    assert (one.risk_mean, one.risk_std, one.end_point_share) == (
        other.risk_mean,
        other.risk_std,
        other.end_point_share,
    )
    for name in one.names:
        np.testing.assert_array_equal(one.risks[name], other.risks[name])
    np.testing.assert_array_equal(one.probability, other.probability)


def test_up_to_64_values_are_all_computed(result):
    values = 2.0 ** np.linspace(-1.0, 1.0, MANY_VALUES)
    swept = result.sweep(values).comparisons
    for place in (0, 33, 63):
        same(swept[place], result.sweep([values[place]]).comparisons[0])


def test_the_values_in_between_are_as_if_computed(result, sweep):
    chosen = knots(MANY)
    for place in chosen[::4]:
        same(sweep.comparisons[place], result.sweep([MANY[place]]).comparisons[0])
    between = sorted(set(range(len(MANY))) - set(chosen))
    assert len(between) > len(MANY) / 2
    for place in between[::8]:
        found, plain = sweep.comparisons[place], result.sweep([MANY[place]]).comparisons[0]
        for name in result.names:
            # Of both 0.0012 at the worst, at the middle of a whole step.
            assert abs(found.risk_mean[name] - plain.risk_mean[name]) < 0.002 * plain.risk_std[name]
            assert found.risk_std[name] == pytest.approx(plain.risk_std[name], rel=0.002)
        # Two estimates, each with its error, and 0.001 for the interpolation.
        error = np.hypot(found.standard_error, plain.standard_error)
        assert (np.abs(found.probability - plain.probability) <= 4.0 * error + 0.001).all()


def test_order_and_repetition_do_not_matter(result, sweep):
    shuffled = [*reversed(MANY), MANY[5]]
    again = result.sweep(shuffled)
    assert again.c == tuple(shuffled)
    for place in (1, 5, 50):
        same(again.comparisons[len(MANY) - 1 - place], sweep.comparisons[place])
    same(again.comparisons[-1], sweep.comparisons[5])


def test_draws_of_two_models_stay_independent(sweep):
    run = sweep.comparisons[next(place for place in range(len(MANY)) if place not in knots(MANY))]
    first, second = (run.risks[name][:2000] for name in run.names[:2])
    assert abs(np.corrcoef(first, second)[0, 1]) < 4 / np.sqrt(2000)


def test_a_run_of_a_sweep_travels_and_forgets_what_it_remembered(sweep):
    run = sweep.comparisons[1]
    same(pickle.loads(pickle.dumps(run)), run)
    sampler = run.judged.excess_risks._samplers[0]
    assert isinstance(sampler, Between)
    assert not sampler.low._ordered
    assert not sampler.high._ordered


def test_knots_leave_no_large_step():
    rng = np.random.default_rng(0)
    for scale in (1e-3, 0.05, 1.0):
        values = np.unique(np.exp(rng.normal(0.0, scale, 200))).tolist()
        chosen = knots(values)
        assert chosen[0] == 0
        assert chosen[-1] == len(values) - 1
        assert all(values[b] <= STEP * values[a] or b == a + 1 for a, b in itertools.pairwise(chosen))
    assert knots([3.0]) == [0]


def test_weights_of_neighbouring_numbers():
    values = [1.0]
    while len(values) < 100:
        values.append(float(np.nextafter(values[-1], 2.0)))
    weights = [weight_of(c, values[0], values[-1]) for c in values]
    np.testing.assert_allclose(weights, np.linspace(0.0, 1.0, 100), atol=1e-12)
    assert weight_of(4.0, 1.0, 9.0) == pytest.approx(0.5)


class Line:
    """A law with a quantile function known by heart."""

    def __init__(self, scale):
        self.scale = scale

    def sample(self, n_draws, rng):
        return self.scale * np.random.default_rng(rng).random(n_draws)


def test_quantile_functions_are_averaged():
    low, high = Remembered(Line(1.0)), Remembered(Line(3.0))
    seed = np.random.SeedSequence(1)
    np.testing.assert_array_equal(low.sample(50, seed), Line(1.0).sample(50, seed))
    np.testing.assert_allclose(Between(low, high, 0.25).sample(50, seed), Line(1.5).sample(50, seed), rtol=1e-14)
