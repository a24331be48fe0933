"""Curves and areas of calibrations, and the published ones read back."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtr

from rivals_paper import (
    loss_criterion,
    neuron_calibration,
    neuron_calibration_all,
    neuron_copies,
    neuron_runs,
    records,
    registry,
)
from rivals_paper.experiments import Experiments
from rivals_paper.loss_criterion import synthetic_loss_only
from rivals_paper.neuron_calibration_all import pooled
from rivals_paper.neuron_copies import between_runs, compare_with_copies, correlation
from rivals_paper.neuron_runs import C_MAIN, MAIN, generator_is_first, original
from rivals_paper.output import VARIANTS, Task, published
from rivals_paper.records import recorded
from rivals_paper.rules import valid_for, verdict_table

RESULTS = Path(__file__).parents[1] / "results"


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
    # 400 repeats know a standard deviation to 3.5 %; the formula is an approximation for other
    # distributions.
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


def test_the_area_counts_pairs_and_half_of_the_ties():
    rng = np.random.default_rng(1)
    probability, truth = rng.integers(0, 5, 200) / 4, rng.integers(0, 2, 200).astype(float)
    first, second = probability[truth == 1], probability[truth == 0]
    pairs = np.mean((first[:, None] > second) + 0.5 * (first[:, None] == second))
    assert Experiments(probability[:, None], truth).auc(0)[0] == pytest.approx(pairs)


def test_numbers_of_the_rule_are_those_of_the_verdicts():
    rng = np.random.default_rng(0)
    truth = (rng.random(1000) < 0.5).astype(float)
    each = Experiments(ndtr(2 * truth - 1 + rng.normal(0, 1, 1000))[:, None], truth)
    found = valid_for({"x": each}, [1.0])["1"]
    assert found["error"]["x"] == pytest.approx(each.verdicts(0).wrong, abs=1e-4)
    assert found["stated"]["x"] == pytest.approx(each.verdicts(0).stated, abs=1e-4)
    few = Experiments(np.array([[0.1], [0.9]]), np.array([0.0, 1.0]))
    assert valid_for({"x": few}, [1.0])["1"]["not valid"] == {"undetermined": 1}


def test_verdicts_count_what_is_stated_and_what_of_it_is_wrong():
    probability = np.array([0.99, 0.99, 0.01, 0.5, 0.9])
    found = Experiments(probability[:, None], np.array([1.0, 0.0, 0.0, 1.0, 1.0])).verdicts(0)
    assert found.stated == pytest.approx(0.6)
    assert found.wrong == pytest.approx(1 / 3)
    assert np.isnan(Experiments(np.full((3, 1), 0.5), np.ones(3)).verdicts(0).wrong)


def test_the_worst_condition_decides():
    rng = np.random.default_rng(0)
    p = rng.random(1024)
    good = Experiments(p[:, None], (rng.random(1024) < p).astype(float))
    bold = Experiments((p > 0.5).astype(float)[:, None], good.truth)
    found = valid_for({"good": good, "bold": bold}, [1.0])["1"]
    assert (found["valid"], found["of"]) == (1, 2)
    assert found["not valid"] == {"overconfident": 1}
    table = verdict_table({"good": good, "bold": bold}, [1.0])["1"]
    assert table["worst"] == "bold"
    # All of the bold one's verdicts are stated; those of the good one are stated in a tenth, and
    # wrong in less than 0.05.
    assert table["stated"] == pytest.approx(0.55, abs=0.03)
    assert table["wrong there"] == pytest.approx(0.25, abs=0.06)


def test_the_original_run_is_placed_among_the_copies():
    row = compare_with_copies("AUC", 0.5, [0.6, 0.7, 0.8])
    assert row["ours"] == pytest.approx(0.7)
    assert row["standard_error"] == pytest.approx(0.1 * np.sqrt(4 / 3))
    assert compare_with_copies("AUC", 0.5, [0.6])["standard_error"] is None
    assert compare_with_copies("AUC", np.nan, [0.6, 0.7])["reference"] is None


def test_one_more_copy_is_as_like_the_others_as_they_are_to_each_other():
    rng = np.random.default_rng(0)
    z = []
    for _ in range(200):
        common = rng.normal(0, 1, 300)
        runs = common + rng.normal(0, 0.5, (9, 300))
        row = between_runs("x", runs[0], list(runs[1:]), correlation)
        z.append((row["ours"] - row["reference"]) / row["standard_error"])
    # Nearly Student's t with 7 degrees of freedom, whose standard deviation is 1.18; 200 repeats
    # know it to about 8 %.
    assert abs(np.mean(z)) < 4 * 1.18 / np.sqrt(200)
    assert np.std(z) == pytest.approx(1.18, abs=0.35)
    stranger = between_runs("x", rng.normal(0, 1, 300), list(runs[1:]), correlation)
    assert stranger["ours"] - stranger["reference"] > 10 * stranger["standard_error"]


def test_the_loss_criterion_of_synthetic_losses_is_that_of_draws():
    rng = np.random.default_rng(0)
    ratio = np.array([-2.0, -0.3, 0.0, 0.1, 1.5])
    first, second = 0.5 * rng.standard_normal((2, 400_000, 1)) ** 2
    for tolerance in C_MAIN:
        drawn = np.mean(
            first < second + ratio + tolerance * rng.standard_normal((400_000, 1)), axis=0
        )
        # Four standard errors of 400 000 draws.
        np.testing.assert_allclose(
            synthetic_loss_only(ratio, tolerance), drawn, atol=4 * 0.5 / np.sqrt(400_000)
        )
    np.testing.assert_allclose(
        synthetic_loss_only(ratio, 0.25) + synthetic_loss_only(-ratio, 0.25), 1, atol=1e-12
    )
    # The published values at c_Q = 1, from 4000 draws each, belong to the ratios that were found
    # from them.
    for condition in MAIN:
        known = np.array(
            published("neuron_calibration")["conditions"][condition.key]["log_sigma_ratio"],
            dtype=float,
        )
        theirs = original(condition.key, "bq").probability[: known.size, 0]
        finite = np.isfinite(known)
        np.testing.assert_allclose(
            synthetic_loss_only(known[finite], 1.0), theirs[finite], atol=0.005
        )


def test_conditions_of_one_noise_are_put_together():
    one, two = (Experiments(np.full((3, 2), value), np.full(3, value)) for value in (0.0, 1.0))
    by = {
        "AvsB|Gaussian|low|short|weak": one,
        "AvsB|Cauchy|low|short|weak": two,
        "AvsD|Cauchy|low|long|weak": one,
    }
    together = pooled(by, "Cauchy")
    np.testing.assert_array_equal(together.truth, [1, 1, 1, 0, 0, 0])
    assert together.probability.shape == (6, 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["neuron-calibration", "neuron-calibration-all", "loss-criterion"])
def test_committed_results_are_those_of_the_records(name, tmp_path):
    made = registry.reproduce(registry.find(name), Task(tmp_path))
    stored = json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))
    for part in ("numbers", "comparisons"):
        assert_alike(made[part], stored[part])


@pytest.mark.slow
def test_experiments_that_are_asked_for_are_computed(tmp_path, monkeypatch):
    """One condition of each figure, few copies and short recordings.

    The same path takes hours for all.
    """
    chosen = (MAIN[2],)
    for module in (neuron_calibration, neuron_calibration_all, loss_criterion):
        monkeypatch.setattr(module, "MAIN", chosen)
    monkeypatch.setattr(neuron_calibration_all, "conditions", lambda: chosen)
    for name in ("PAIRS", "NOISES", "LEVELS", "CORRELATIONS", "INPUTS"):
        monkeypatch.setattr(neuron_calibration_all, name, getattr(neuron_calibration_all, name)[:1])
    # With the same c it finds the experiments in the stores of the other figure.
    monkeypatch.setattr(neuron_calibration_all, "NAME", neuron_calibration.NAME)
    monkeypatch.setattr(neuron_calibration_all, "C_ALL", C_MAIN)
    monkeypatch.setattr(neuron_copies, "COPIES", 3)
    for module, name in (
        (neuron_runs, "N_DATA"),
        (loss_criterion, "N_DATA"),
        (neuron_runs, "N_TRUTH"),
    ):
        monkeypatch.setattr(module, name, 200)
    for module in (neuron_calibration, neuron_calibration_all, loss_criterion):
        made = registry.reproduce(module, Task(tmp_path, experiments=1))
        assert made["settings"]["source"] == "computed"
        assert made["settings"]["experiments"] == 1
        assert (tmp_path / f"{module.NAME}.png").stat().st_size > 10_000
    stores = {path.stem for path in tmp_path.glob("*.sqlite")}
    assert stores >= {f"neuron-calibration-{name}" for name in (*records.FILES.values(), "copies")}


def test_areas_of_the_committed_results_are_those_of_the_records():
    stored = json.loads((RESULTS / "neuron-calibration.json").read_text(encoding="utf-8"))[
        "numbers"
    ]
    for variant in VARIANTS:
        for condition in MAIN:
            each = recorded(variant, condition.key)
            areas = [each.auc(column)[0] for column in range(len(C_MAIN))]
            np.testing.assert_allclose(stored[variant][condition.key]["auc"], areas, atol=6e-5)


def assert_alike(one, other):
    """Numbers to rounding, everything else exactly."""
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            assert_alike(one[key], other[key])
    elif isinstance(one, list):
        assert len(one) == len(other)
        for pair in zip(one, other, strict=True):
            assert_alike(*pair)
    elif isinstance(one, float):
        assert one == pytest.approx(other, rel=1e-6, abs=2e-4)
    else:
        assert one == other
