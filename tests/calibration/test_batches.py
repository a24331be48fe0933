"""Epistemic distributions that compute many experiments at once: the records of one at a time,
whatever the batches.
"""

from __future__ import annotations

import numpy as np
import pytest
from omegas import CENTRES, N_DATA, N_TRUTH, Offsets, calibrate

from rivals.calibration import Experiment
from rivals.models import Candidate

SIZES = {
    "n_data": N_DATA,
    "n_truth": N_TRUTH,
    "n_simulations": 2,
    "c": [0.05, 0.5],
    "rng": 3,
    "progress": False,
}


def one_by_one(rng):
    """The same experiments through `Experiment`, simulated from the same numbers."""
    normal = rng.standard_normal(1 + N_DATA + N_TRUTH + 4 * N_DATA)
    mean, noise = 0.1 * normal[0], normal[1:]
    parts = {N_DATA: mean + noise[:N_DATA], N_TRUTH: mean + noise[N_DATA : N_DATA + N_TRUTH]}
    own = noise[N_DATA + N_TRUTH :].reshape(2, 2, N_DATA)

    def candidate(which):
        rows = iter(own[which])
        return Candidate(
            loss=lambda data: 0.5 * (data - CENTRES[which]) ** 2,
            simulate=lambda n, rng: CENTRES[which] + next(rows),
        )

    return Experiment(observe=lambda n, rng: parts[n], candidates=(candidate(0), candidate(1)))


@pytest.mark.parametrize("law", ["transport", "beta"])
def test_records_are_those_of_one_experiment_at_a_time(law):
    batched = calibrate(Offsets(), n_experiments=20, law=law, executor=0, **SIZES).records
    single = calibrate(one_by_one, n_experiments=20, law=law, executor=0, **SIZES).records
    for name in ("experiment", "c", "truly_better"):
        np.testing.assert_array_equal(batched[name], single[name])
    # The order of the operations in the losses differs, and with it the last digits.
    for name in ("probability", "risk_a", "risk_b"):
        np.testing.assert_allclose(batched[name], single[name], rtol=0, atol=1e-9)


def test_records_do_not_depend_on_the_size_of_batches_nor_on_workers():
    runs = [
        calibrate(Offsets(), n_experiments=30, executor=executor, block_size=size, **SIZES).records
        for executor, size in [(0, 1), (0, 7), (0, 30), (2, 4), (0, None)]
    ]
    for run in runs[1:]:
        np.testing.assert_array_equal(np.sort(run), np.sort(runs[0]))


def test_experiments_are_asked_for_together():
    omega = Offsets()
    calibrate(omega, n_experiments=30, executor=0, block_size=10, **SIZES)
    assert omega.asked == [list(range(begin, begin + 10)) for begin in (0, 10, 20)]


def test_a_study_with_batches_resumes(tmp_path):
    store = tmp_path / "study.sqlite"
    calibrate(Offsets(), n_experiments=10, executor=0, store=store, **SIZES)
    resumed = calibrate(Offsets(), n_experiments=25, executor=0, store=store, **SIZES)
    whole = calibrate(Offsets(), n_experiments=25, executor=0, **SIZES)
    np.testing.assert_array_equal(np.sort(resumed.records), np.sort(whole.records))


def test_an_experiment_that_fails_does_not_take_its_batch_along():
    calibration = calibrate(Offsets(fails=[4]), n_experiments=10, executor=0, block_size=5, **SIZES)
    assert [(failure.experiment, failure.error) for failure in calibration.failures] == [
        (4, "RuntimeError: the device is full")
    ]
    assert sorted(set(calibration.records["experiment"].tolist())) == [0, 1, 2, 3, 5, 6, 7, 8, 9]


def test_losses_of_another_size_are_refused_by_name():
    calibration = calibrate(Offsets(short=[2]), n_experiments=4, executor=0, block_size=4, **SIZES)
    (failure,) = calibration.failures
    assert failure.experiment == 2
    assert (
        "batch gave observed losses of shape (2, 99) for experiment 2: expected (2, 100)"
        in failure.error
    )


def test_what_is_not_losses_is_refused():
    class Wrong:
        def batch(self, indices, rng_of):
            return [None for _ in indices]

    calibration = calibrate(Wrong(), n_experiments=2, executor=0, **SIZES)
    assert all(
        "return one ExperimentLosses for each index" in failure.error
        for failure in calibration.failures
    )
