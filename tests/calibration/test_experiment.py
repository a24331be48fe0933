"""One experiment: reproducible, the truth with its error, candidates checked."""

import numpy as np
import pytest
from omegas import SEPARATION, gaussian, refitted, toy

from rivals import Experiment
from rivals.calibration.experiment import Sizes, run_experiment

SIZES = Sizes(c=(0.0625, 1.0), n_data=100, n_synthetic=100, n_truth=2000, n_draws=500)


def test_same_numbers_wherever_it_runs():
    first, second = (run_experiment(toy, SIZES, 3, 1, 5) for _ in range(2))
    np.testing.assert_array_equal(first.probability, second.probability)
    assert (first.risk_a, first.risk_b) == (second.risk_a, second.risk_b)
    assert run_experiment(toy, SIZES, 3, 1, 6).risk_a != first.risk_a
    assert run_experiment(toy, SIZES, 3, 0, 5).risk_a != first.risk_a


def test_other_values_of_c_do_not_change_those_of_one():
    """Common random numbers: the result at a c depends on that c alone."""
    alone = Sizes(c=(1.0,), n_data=100, n_synthetic=100, n_truth=2000, n_draws=500)
    assert run_experiment(toy, SIZES, 3, 0, 0).probability[1] == run_experiment(toy, alone, 3, 0, 0).probability[0]


def test_the_truth_and_its_error():
    """R_a − R_b = 2 s μ in closed form; the recorded error is that of the mean of 2 s y: 2 s / √n."""
    sizes = Sizes(c=(1.0,), n_data=50, n_synthetic=50, n_truth=20_000, n_draws=10)
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

        outcome = run_experiment(omega, sizes, 0, 0, index)
        assert outcome.truth_error == pytest.approx(2 * SEPARATION / np.sqrt(20_000), rel=0.1)
        deviations.append((outcome.risk_a - outcome.risk_b - truth[0]) / outcome.truth_error)
    assert np.std(deviations) == pytest.approx(1.0, abs=0.35)


def test_a_truth_too_close_to_call_is_marked():
    sizes = Sizes(c=(1.0,), n_data=50, n_synthetic=50, n_truth=200, n_draws=10)

    def tie(rng):
        return Experiment(observe=lambda n, rng: rng.standard_normal(n), candidates=(gaussian(0.1), gaussian(-0.1)))

    marked = [run_experiment(tie, sizes, 0, 0, index).undecided for index in range(60)]
    assert np.mean(marked) > 0.85  # 95 % of them, to 3 standard errors


def test_identical_candidates_are_undecided():
    def twins(rng):
        return Experiment(observe=lambda n, rng: rng.standard_normal(n), candidates=(gaussian(0.1), gaussian(0.1)))

    outcome = run_experiment(twins, SIZES, 0, 0, 0)
    assert outcome.undecided
    assert outcome.truth_error == 0.0


def test_candidates_may_be_refitted():
    assert np.isfinite(run_experiment(refitted, SIZES, 0, 0, 0).probability).all()


@pytest.mark.parametrize(
    ("candidates", "error", "message"),
    [
        ((gaussian(0.0),), ValueError, "a pair of candidates; got 1"),
        ((gaussian(0.0), 3), TypeError, "candidate b must have loss"),
    ],
)
def test_what_is_not_a_pair(candidates, error, message):
    def omega(rng):
        return Experiment(observe=lambda n, rng: rng.standard_normal(n), candidates=candidates)

    with pytest.raises(error, match=message):
        run_experiment(omega, SIZES, 0, 0, 0)
