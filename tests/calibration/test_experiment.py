"""One experiment: its streams of random numbers, the truth, and what scenarios may not return."""

from __future__ import annotations

import re

import numpy as np
import pytest

import rivals
from calibration.scenarios import SMALL, oscillator, replicated, shifted, sorted_oscillator
from rivals.calibration._experiment import Conditions, experiment_entropy, run_experiment
from rivals.scenarios import Scenario, simulator
from rivals.testbeds.toys import gaussian


def conditions(**changes):
    options = {"method": "transport", "c": [0.1, 1.0], "n_data": 100, "n_truth": 1000, "entropy": 7}
    return Conditions.of(**{**options, **changes})


def test_an_experiment_depends_on_seed_scenario_and_index_alone():
    first = run_experiment(shifted, conditions(), 0, 3, 1000)
    again = run_experiment(shifted, conditions(), 0, 3, 1000)
    assert np.array_equal(first.probability, again.probability)
    assert first.risk_a == again.risk_a
    others = [(conditions(), 0, 4), (conditions(), 1, 3), (conditions(entropy=8), 0, 3)]
    for changed in others:
        assert run_experiment(shifted, *changed, 1000).risk_a != first.risk_a


def three(rng):
    mean = rng.normal(0, 0.1)
    return rivals.Experiment(
        observe=lambda n, rng: mean + rng.standard_normal(n),
        candidates=[gaussian(-0.1), gaussian(0.1), gaussian(0.3)],
    )


# Of three experiments of the second scenario at c = 0.1 and 1, before the rebuild (914c3b2).
BEFORE = {
    "beta": [0.569896, 0.631129, 0.691391, 0.567222, 0.830672, 0.617745],
    rivals.laws.Beta(depth=8): [0.569982, 0.631163, 0.69135, 0.567268, 0.830805, 0.617797],
    "transport": [0.83446, 0.638137, 0.90845, 0.690648, 0.913261, 0.679177],
}


@pytest.mark.parametrize("method", BEFORE)
def test_numbers_are_those_of_committed_calibrations(method):
    """Streams of random numbers never change; a draw more or less is 1e-4."""
    here = conditions(method=method, c=[0.1, 1.0], n_simulations=1, n_truth=100)
    found = [run_experiment(three, here, 1, index, 100).probability for index in range(3)]
    assert np.concatenate(found) == pytest.approx(BEFORE[method], abs=2e-4)


def test_more_values_of_c_do_not_change_the_others():
    few = conditions(method="beta", c=[0.1, 7.0], n_simulations=1)
    alone = run_experiment(shifted, few, 0, 3, 1000)
    beside = conditions(method="beta", c=[0.01, 0.1, 1.0], n_simulations=1)
    among = run_experiment(shifted, beside, 0, 3, 1000)
    assert among.probability[1] == alone.probability[0]


def test_compare_and_calibrate_agree_on_b():
    """The same losses, the same law, other draws: within the Monte Carlo error of both."""
    entropy = experiment_entropy(7, 0, 3)
    here = conditions(method="beta", c=[0.1, 1.0], n_simulations=1)
    found = run_experiment(shifted, here, 0, 3, 1000)
    experiment = shifted(rivals._core.seeds.stream(entropy, rivals._core.seeds.EXPERIMENT_DESIGN))
    data = experiment.observe(
        100, rivals._core.seeds.stream(entropy, rivals._core.seeds.EXPERIMENT_DATA)
    )
    models = {}
    for which, (name, model) in enumerate(zip("ab", experiment.candidates, strict=True)):
        seed = np.random.SeedSequence(
            entropy, spawn_key=(rivals._core.seeds.EXPERIMENT_SYNTHETIC, which)
        )
        models[name] = model.losses(data, n_simulations=1, rng=seed)
    for place, c in enumerate(here.c):
        result = rivals.compare(models, method="beta", c=c, rng=0)
        error = np.hypot(found.standard_error[place], result.beside(result.best).error[0])
        assert abs(found.probability[place] - result.probability[0, 1]) < 5 * error


def test_the_truth_is_the_true_risk():
    for index in range(20):
        found = run_experiment(shifted, conditions(), 0, index, 16_000)
        rng = rivals._core.seeds.stream(experiment_entropy(7, 0, index), 0)
        mean = rng.normal(0, 0.3)
        # E (y + 0.1)² / 2 − E (y − 0.1)² / 2 = 0.2 E y; five standard errors of twenty.
        assert abs(found.risk_a - found.risk_b - 0.2 * mean) < 5 * found.truth_error
        assert found.truth_error == pytest.approx(0.2 / np.sqrt(16_000), rel=0.1)


def test_more_points_for_the_truth_leave_b_as_it_is():
    short = run_experiment(shifted, conditions(), 0, 3, 1000)
    long = run_experiment(shifted, conditions(), 0, 3, 16_000)
    assert np.array_equal(short.probability, long.probability)
    assert long.truth_error < 0.3 * short.truth_error


def test_the_truth_of_a_replication_is_of_another_draw_than_the_data():
    found = [run_experiment(replicated, conditions(), 0, k, 4000) for k in range(200)]
    means = [
        rivals._core.seeds.stream(experiment_entropy(7, 0, k), 0).normal(0, 0.3) for k in range(200)
    ]
    offsets = np.array([(each.risk_a - each.risk_b) / 0.2 for each in found]) - means
    # The offset has standard deviation 0.1, known here to 1/√400 of itself.
    assert np.std(offsets) == pytest.approx(0.1, rel=0.25)
    assert all(each.replicated for each in found)


def test_an_error_for_a_series_is_that_of_a_series():
    """Points sorted by time look correlated, but were drawn independently: unless one says so."""
    independent = run_experiment(sorted_oscillator, conditions(), 0, 1, 4000)
    series = run_experiment(sorted_oscillator, conditions(order="time"), 0, 1, 4000)
    shuffled = run_experiment(oscillator, conditions(), 0, 1, 4000)
    assert independent.truth_error == pytest.approx(shuffled.truth_error, rel=0.1)
    assert series.truth_error > 1.5 * independent.truth_error


def wrong(rng, **changes):
    experiment = {
        "observe": lambda n, rng: rng.standard_normal(n),
        "candidates": (gaussian(-0.1), gaussian(0.1)),
    }
    return rivals.Experiment(**{**experiment, **changes})


BAD = {
    "nothing": (lambda rng: None, "must return an Experiment; got NoneType"),
    "one candidate": (lambda rng: wrong(rng, candidates=[gaussian()]), "two candidates or more"),
    "no candidate": (lambda rng: wrong(rng, candidates=(1.0, 2.0)), "must have loss"),
    "too short": (
        lambda rng: wrong(rng, observe=lambda n, rng: rng.standard_normal(n - 1)),
        "as many points as asked for",
    ),
    "nan": (
        lambda rng: wrong(rng, observe=lambda n, rng: np.full(n, np.nan)),
        "missing",
    ),
    "nan in one": (
        lambda rng: wrong(rng, candidates={"steep": gaussian(), "flat": gaussian(np.nan)}),
        r"candidate 'flat': losses .* missing \(nan\)",
    ),
    "raises": (lambda rng: 1 / 0, "ZeroDivisionError"),
    "unequal": (
        lambda rng: wrong(
            rng,
            candidates=(
                gaussian(),
                rivals.Candidate(lambda y: y[1:] ** 2, lambda n, rng: rng.standard_normal(n + 1)),
            ),
        ),
        "must return as many points",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_scenario_that_always_fails_is_named_with_its_error(name):
    scenario, said = BAD[name]
    with pytest.raises(RuntimeError, match=f"scenario 'bad'.*{said}"):
        rivals.calibrate({"good": shifted, "bad": scenario}, n_experiments=40, **SMALL)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"c": [0.1, 0.1]}, "different"),
        ({"c": [-1.0]}, "c\\[0\\]"),
        ({"c": 0.5}, "list of numbers"),
        ({"method": "groups"}, "needs no calibration"),
        ({"method": "transprot"}, "transport"),
        ({"n_data": 1}, "n_data"),
        ({"most_truth": 10}, "most_truth"),
        ({"order": "tiem"}, "time"),
        ({"loss_unit": "nats\x1b[2J"}, "loss_unit"),
    ],
)
def test_conditions_that_make_no_sense_are_refused(options, said):
    with pytest.raises((TypeError, ValueError), match=said):
        conditions(**options)


@pytest.mark.parametrize(
    "bad", [{}, {"": shifted}, {"a\x1b[2J": shifted}, {3: shifted}, {"a": "osc:calm"}, 5]
)
def test_scenarios_must_be_named_functions(bad):
    with pytest.raises((TypeError, ValueError), match="scenario"):
        rivals.calibrate(bad, n_experiments=4, **SMALL)


@pytest.mark.parametrize(
    ("loss", "said"),
    [
        (lambda data: data.radiance, r"\(an array of shape \(50,\)\): AttributeError"),
        (lambda data: data["x"] ** 2, "IndexError"),
    ],
)
def test_candidates_that_cannot_judge_the_data_are_told_what_these_are(loss, said):
    good = gaussian(0.0)
    models = {"good": good, "other": rivals.Candidate(loss, good.simulate)}
    options = {"n_data": 50, "n_experiments": 20, "n_truth": 100, "rng": 0, "progress": False}
    truth = simulator(lambda n, rng: rng.standard_normal(n))
    with pytest.raises(RuntimeError, match="candidate 'other' cannot judge the data") as found:
        rivals.calibrate({"Ω": Scenario(models, truth)}, **options)
    assert re.search(said, str(found.value))
