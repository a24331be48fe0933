"""Curves and areas of calibrations, and the published ones read back."""

import numpy as np
import pytest

from rivals_paper.experiments import Experiments
from rivals_paper.neuron_calibration_all import pooled
from rivals_paper.neuron_copies import compare_copies, summarise_copies
from rivals_paper.neuron_runs import C_MAIN, MAIN, generator_is_first, original
from rivals_paper.output import published


def test_area_under_the_curve_in_its_limits():
    truth = np.array([1.0, 0.0] * 50)
    assert Experiments(truth[:, None], truth).auc(0)[0] == 1.0
    assert Experiments(1 - truth[:, None], truth).auc(0)[0] == 0.0
    assert Experiments(np.full((100, 1), 0.5), truth).auc(0)[0] == 0.5
    assert np.isnan(Experiments(truth[:, None], np.ones(100)).auc(0)[0])


def test_standard_error_of_the_area_is_that_of_repeats():
    rng = np.random.default_rng(0)
    areas, errors = [], []
    for _ in range(400):
        truth = (rng.random(100) < 0.5).astype(float)
        area, error = Experiments((truth + rng.normal(0, 1, 100))[:, None], truth).auc(0)
        areas.append(area)
        errors.append(error)
    # 400 repeats know a standard deviation to 3.5 %; the formula is an approximation for other distributions.
    assert np.mean(errors) == pytest.approx(np.std(areas), rel=0.15)


def test_trustworthy_probabilities_lie_on_the_diagonal_and_bold_ones_do_not():
    rng = np.random.default_rng(0)
    p = rng.random(4096)
    truth = (rng.random(4096) < p).astype(float)
    x, y = Experiments(p[:, None], truth).curve(0)
    assert len(x) == 64
    assert np.abs(x - y).max() < 5 * np.sqrt(0.25 / 64)
    assert abs(Experiments(p[:, None], truth).excess(0).mean()) < 0.02
    bold = (p > 0.5).astype(float)
    assert Experiments(bold[:, None], truth).excess(0).mean() == pytest.approx(0.25, abs=0.03)


@pytest.mark.parametrize("condition", MAIN, ids=lambda condition: condition.key)
def test_the_original_results_give_their_own_statistics(condition):
    stored = published("neuron_calibration")["conditions"][condition.key]
    theirs = original(condition.key)
    assert theirs.probability.shape == (2048, len(C_MAIN))
    for column, area in enumerate(stored["auc"]):
        # Probabilities are kept to 1/255, which makes ties.
        assert theirs.auc(column)[0] == pytest.approx(area, abs=0.01)
    assert original(condition.key, "bq").auc(0)[0] == pytest.approx(stored["auc_bq"][3], abs=1e-3)
    made = "".join(str(int(value)) for value in generator_is_first(condition, 2048))
    assert made == stored["generator"]


def test_the_original_run_is_placed_among_the_copies_on_the_same_experiments():
    condition = MAIN[0]
    theirs = original(condition.key)
    first = Experiments(theirs.probability[:32], theirs.truth[:32])
    wrong = Experiments(first.probability, 1 - first.truth)
    found = summarise_copies([condition], {condition.key: [first, first, wrong]})[condition.key]
    area = first.auc(2)[0]
    np.testing.assert_allclose(found["auc"][:, 2], [area, area, 1 - area])
    share = found["original generator is better"]
    np.testing.assert_allclose(found["generator is better"], [share, share, 1 - share])
    rows = compare_copies({condition.key: found})
    assert len(rows) == len(C_MAIN) + 1
    spread = np.std([area, area, 1 - area], ddof=1) * np.sqrt(4 / 3)
    assert rows[2]["published"] == pytest.approx(area)
    assert rows[2]["ours"] == pytest.approx((1 + area) / 3)
    assert rows[2]["standard_error"] == pytest.approx(spread)


def test_conditions_of_one_noise_are_put_together():
    one, two = (Experiments(np.full((3, 2), value), np.full(3, value)) for value in (0.0, 1.0))
    by = {"AvsB|Gaussian|low|short|weak": one, "AvsB|Cauchy|low|short|weak": two, "AvsD|Cauchy|low|long|weak": one}
    together = pooled(by, "Cauchy")
    np.testing.assert_array_equal(together.truth, [1, 1, 1, 0, 0, 0])
    assert together.probability.shape == (6, 2)
