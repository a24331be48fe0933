"""One experiment: reproducible, the truth with its error, candidates checked."""

from functools import partial

import numpy as np
import pytest
from omegas import SEPARATION, gaussian, refitted, toy

from rivals import Experiment
from rivals.calibration.experiment import Settings, is_undecided, run_experiment, wants_index

SIZES = {"c": (0.0625, 1.0), "n_data": 100, "n_synthetic": 100, "n_truth": 2000, "n_draws": 500}


def run(omega, entropy=0, place=0, index=0, **changes):
    return run_experiment(omega, Settings(entropy=entropy, **{**SIZES, **changes}), place, index)


def test_same_numbers_wherever_it_runs():
    first, second = (run(toy, 3, 1, 5) for _ in range(2))
    np.testing.assert_array_equal(first.probability, second.probability)
    assert (first.risk_a, first.risk_b) == (second.risk_a, second.risk_b)
    assert run(toy, 3, 1, 6).risk_a != first.risk_a
    assert run(toy, 3, 0, 5).risk_a != first.risk_a


def test_other_values_of_c_do_not_change_those_of_one():
    """Common random numbers: the result at a c depends on that c alone."""
    assert run(toy, 3).probability[1] == run(toy, 3, c=[1.0]).probability[0]


def test_the_truth_and_its_error():
    """R_a − R_b = 2 s μ in closed form; the recorded error is that of the mean of 2 s y: 2 s / √n."""
    sizes = {"c": (1.0,), "n_data": 50, "n_synthetic": 50, "n_truth": 20_000, "n_draws": 10}
    deviations = []
    for index in range(40):
        truth = []

        def omega(rng, truth=truth):
            mean = rng.normal(0, 0.5)
            truth.append(2 * SEPARATION * mean)
            return Experiment(
                observe=lambda n, rng: mean + rng.standard_normal(n),
                candidates=(gaussian(-SEPARATION), gaussian(SEPARATION)),
            )

        outcome = run(omega, index=index, **sizes)
        assert outcome.truth_error == pytest.approx(2 * SEPARATION / np.sqrt(20_000), rel=0.1)
        deviations.append((outcome.risk_a - outcome.risk_b - truth[0]) / outcome.truth_error)
    assert np.std(deviations) == pytest.approx(1.0, abs=0.35)


def undecided(outcome):
    return bool(is_undecided(outcome.risk_a, outcome.risk_b, outcome.truth_error))


def test_a_truth_too_close_to_call_is_marked():
    sizes = {"c": (1.0,), "n_data": 50, "n_synthetic": 50, "n_truth": 200, "n_draws": 10}

    def tie(rng):
        return Experiment(observe=lambda n, rng: rng.standard_normal(n), candidates=(gaussian(0.1), gaussian(-0.1)))

    marked = [undecided(run(tie, index=index, **sizes)) for index in range(60)]
    assert np.mean(marked) > 0.85  # 95 % of them, to 3 standard errors


def test_identical_candidates_are_undecided():
    def twins(rng):
        return Experiment(observe=lambda n, rng: rng.standard_normal(n), candidates=(gaussian(0.1), gaussian(0.1)))

    outcome = run(twins)
    assert undecided(outcome)
    assert outcome.truth_error == 0.0


def test_candidates_may_be_refitted():
    assert np.isfinite(run(refitted).probability).all()


@pytest.mark.parametrize(
    ("candidates", "error", "message"),
    [
        ((gaussian(0.0),), ValueError, "a pair of candidates: got 1"),
        ((gaussian(0.0), 3), TypeError, "candidate b: expected Losses"),
    ],
)
def test_what_is_not_a_pair(candidates, error, message):
    def omega(rng):
        return Experiment(observe=lambda n, rng: rng.standard_normal(n), candidates=candidates)

    with pytest.raises(error, match=message):
        run(omega)


def test_an_epistemic_distribution_that_asks_is_told_its_index():
    told = []

    def asks(rng, index):
        told.append(index)
        return toy(rng)

    outcomes = [run(asks, index=index) for index in (0, 7)]
    assert told == [0, 7]
    # The generator is the same as without: so are the numbers.
    assert [outcome.risk_a for outcome in outcomes] == [run(toy, index=index).risk_a for index in (0, 7)]


class Asks:
    def __call__(self, rng, *, index):
        return toy(rng)


def test_who_is_told_its_index():
    """Who has a parameter of that name to fill, in whatever form; a default, or an argument bound before, is kept."""

    def asks(rng, index):
        return toy(rng)

    def does_not(rng, index=3):
        return toy(rng)

    assert wants_index(asks)
    assert wants_index(Asks())
    assert wants_index(partial(Asks()))
    assert not wants_index(does_not)
    assert not wants_index(partial(asks, index=3))
    assert not wants_index(toy)
    assert not wants_index(dict)  # a class of C, which has no signature


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"c": []}, ValueError, "one or more different values"),
        ({"c": 1.0}, TypeError, "c is not a sequence of numbers"),
        ({"n_synthetic": 1}, ValueError, "n_synthetic must be at least 2"),
        ({"depth": 25}, ValueError, "depth must be at most 24"),
    ],
)
def test_settings_are_checked_where_they_are_made(changes, error, message):
    with pytest.raises(error, match=message):
        Settings(entropy=0, **{**SIZES, **changes})


def test_settings_sort_c():
    assert Settings(entropy=0, **{**SIZES, "c": [4.0, 1.0]}).c == (1.0, 4.0)
