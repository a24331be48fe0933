import numpy as np
import pytest

import rivals
from rivals._core.seeds import EXPERIMENT_DESIGN, stream
from rivals.calibration._experiment import experiment_entropy
from rivals_paper.pyloric import Condition, Corrected, Published, published_draws
from rivals_paper.pyloric.epistemic import record_published

SIZES = {"n_data": 64, "n_truth": 96, "c": [0.25, 1.0], "most_truth": 96}


def test_published_experiments_are_those_of_their_index():
    conditions = [Condition(("A", "B")), Condition(("C", "D"), input="strong")]
    omegas = {condition.key: Published(condition) for condition in conditions}
    records = rivals.calibrate(omegas, n_experiments=2, rng=7, **SIZES).records
    for condition in conditions:
        for index, drawn in enumerate(published_draws(condition, 2)):
            # The true risks say which recording was judged.
            data, truth = record_published(drawn, index, 64), record_published(drawn, index, 96)
            first, second = Published(condition)(None, index=index).candidates(data)
            chosen = records[
                (records["scenario"] == condition.key) & (records["experiment"] == index)
            ]
            assert chosen["risk_a"] == pytest.approx(first.loss(truth).mean())
            assert chosen["risk_b"] == pytest.approx(second.loss(truth).mean())


def test_corrected_candidates_are_told_the_input_and_the_right_one_wins():
    condition = Condition(("A", "B"), correlation="long", input="strong")
    records = rivals.calibrate(
        Corrected(condition, variant="published", n_session=256),
        n_experiments=3,
        rng=0,
        **SIZES | {"n_data": 256},
    ).records
    records = records[records["c"] == 0.25]  # the truth is the same at each c
    designs = [stream(experiment_entropy(0, 0, index), EXPERIMENT_DESIGN) for index in range(3)]
    made_by_a = [condition.draw(design).cell == "LP 2" for design in designs]
    # With input known and the solver converged, the cell that made the data is left with its noise
    # alone.
    assert (records["risk_a"] < records["risk_b"]).tolist() == made_by_a


def test_more_points_than_a_recording_has_come_from_several_with_inputs_of_their_own():
    rng = np.random.default_rng
    experiment = Corrected(Condition(("A", "D"), noise="Cauchy"), n_session=100)(rng(1))
    several = experiment.observe(250, rng(2))
    assert [len(part) for part in several.parts] == [100, 100, 50]
    assert several.parts[0].current is not several.parts[1].current
    model, _ = experiment.candidates
    assert model.driven
    np.testing.assert_array_equal(model.loss(several)[100:200], model.loss(several.parts[1]))


def test_a_recording_with_rounding_errors_of_its_own_departs_from_the_model_that_made_it():
    condition = Condition(("C", "D"))
    rng = np.random.default_rng
    drawn = condition.draw(rng(1))
    widths = {}
    for own in (False, True):
        experiment = Corrected(condition, own_rounding=own, n_session=1500)(rng(1))
        widths[own] = next(
            model.sigma for model in experiment.candidates if model.cell == drawn.cell
        )
    # Noise and the rounding to whole mV, or a chaotic cell that was integrated twice.
    assert widths[False] == pytest.approx(
        np.hypot(drawn.scale, np.sqrt(1 / 12)), rel=4 / np.sqrt(2 * 1500)
    )
    assert widths[True] > 3 * widths[False]
