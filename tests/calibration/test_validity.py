"""The rule over several epistemic distributions."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from test_result import calibrated, made_up

from rivals.calibration import judge_experiments
from rivals.calibration.bound import judge_bound
from rivals.calibration.judgement import judge_c

C = (2.0**-6, 2.0**-4, 2.0**-2)


def several(sharpen, n=512):
    """A calibration with one epistemic distribution per row of `sharpen`: how overconfident it is
    at each c of C.
    """
    outcomes = {
        name: [calibrated(n, seed, each) for each in row]
        for seed, (name, row) in enumerate(sharpen.items())
    }
    probability = np.concatenate(
        [np.column_stack([p for p, _ in rows]) for rows in outcomes.values()]
    )
    truth = np.concatenate([rows[0][1] for rows in outcomes.values()])
    omega = np.repeat(np.arange(len(outcomes)), n)
    return made_up(probability, truth, c=C, omegas=tuple(outcomes), omega=omega)


# ---------------------------------------------------------------- one c


def stating(n, part, error, rng):
    """Experiments of which a part states a winner, wrong with this probability; the others state
    what is true.
    """
    stated, side = rng.random(n) < part, rng.random(n) < 0.5
    confidence = np.where(stated, 0.97, rng.uniform(0.5, 0.95, n))
    right = rng.random(n) >= np.where(stated, error, 1 - confidence)
    return np.where(side, confidence, 1 - confidence), (side == right).astype(float)


@pytest.mark.parametrize(
    ("n", "error", "low", "high"),
    [
        (256, 0.2, 0.0, 0.30),
        (1024, 0.2, 0.0, 0.02),
        (4096, 0.2, 0.0, 0.0),
        (1024, 0.05, 0.85, 1.0),
        (4096, 0.05, 0.85, 1.0),
    ],
)
def test_more_experiments_find_more_wrong_winners_and_spare_right_ones(n, error, low, high):
    """10 % are stated. If 20 % of these are wrong, few calibrations pass, and fewer the more
    experiments there are; at the nominal 5 % the bound lets 92 to 95 % pass. 200 calibrations: the
    standard error is 2 % there.
    """
    rng = np.random.default_rng(n)
    valid = np.mean([judge_c(*stating(n, 0.1, error, rng)).valid for _ in range(200)])
    assert low <= valid <= high


@pytest.mark.parametrize("seed", range(5))
def test_judging_calibrated_overconfident_flat_and_reversed_probabilities(seed):
    good, truth = calibrated(1024, seed)
    assert judge_c(good, truth.astype(float)).valid
    sharp, truth = calibrated(1024, seed, sharpen=6.0)
    found = judge_c(sharp, truth.astype(float))
    assert not found.valid
    assert found.reason.startswith("overconfident: ")
    assert found.certain_error < found.error
    stated = np.maximum(sharp, 1 - sharp) > 0.95
    assert found.error == pytest.approx(np.mean((sharp > 0.5)[stated] != truth[stated]))
    flat, truth = calibrated(1024, seed, sharpen=0.3)
    silent = judge_c(flat, truth.astype(float))
    assert not silent.valid
    assert not silent.speaks_against
    assert silent.reason == "no winner is stated"
    backwards = judge_c(1 - flat, truth.astype(float))
    assert not backwards.valid
    assert backwards.reason.startswith("reversed: ")


@pytest.mark.parametrize(("fall", "objects"), [(0.02, False), (0.4, True)])
def test_a_fall_counts_only_beyond_the_tolerance(fall, objects):
    """Of a million experiments a fall of 0.02 is certain, and no matter."""
    n = 10**6
    rng = np.random.default_rng(0)
    probability = rng.uniform(0.3, 0.7, n)
    chance = np.where(probability < 0.5, 0.5, 0.5 - fall)
    found = judge_c(probability, (rng.random(n) < chance).astype(float))
    assert found.speaks_against == objects
    assert found.fall == pytest.approx(fall, abs=0.01)
    assert not objects or "the truth falls by 0.40" in found.reason


def test_undecided_truths_count_half_and_nobody_stated_is_nobody_wrong():
    assert judge_c(np.full(300, 0.99), np.full(300, 0.5)).error == 0.5
    silent = judge_c(np.full(300, 0.9), np.zeros(300))
    assert silent.stated == 0
    assert np.isnan(silent.error)
    assert silent.reason == "no winner is stated"


# ---------------------------------------------------------------- which c is valid for which


def test_validity_lists_every_epistemic_distribution_and_what_is_valid_for_all():
    calibration = several({"near": (1, 1, 1), "far": (6, 6, 1), "middle": (6, 1, 1)})
    validity = calibration.validity()
    assert validity.valid.tolist() == [
        [True, True, True],
        [False, False, True],
        [False, True, True],
    ]
    assert validity.for_all == calibration.valid_c().values == (2.0**-2,)
    for name, row in zip(validity.omegas, validity.valid, strict=True):
        assert tuple(np.array(C)[row]) == calibration.valid_c(name).values
    shown = str(validity)
    assert re.search(
        (
            r"^far +0\.25 +overconfident at 0\.0156 \(\d\d(\.\d)? % wrong\), "
            r"0\.0625 \(\d\d(\.\d)? % wrong\) +0\.25$"
        ),
        shown,
        re.MULTILINE,
    )
    assert re.search(r"^all of them +0\.25 +0\.25$", shown, re.MULTILINE)
    assert validity.reasons[1][0].startswith("overconfident: ")
    assert validity.error.shape == validity.valid.shape
    assert "  for 'middle': 0.0625 … 0.25\n" in str(calibration)
    assert "for 'near'" not in str(
        several({"near": (1, 1, 1)})
    )  # one is what the range itself is about


def test_none_is_an_answer():
    """Each epistemic distribution has its valid c, but no c is valid for both."""
    calibration = several({"small": (1, 6, 6), "large": (6, 6, 1)})
    validity = calibration.validity()
    assert validity.valid.any(axis=1).all()
    assert validity.for_all == ()
    assert str(validity).splitlines()[-1].split() == ["all", "of", "them", "none", "none"]
    assert calibration.valid_c().low is None
    with pytest.raises(ValueError, match="no value of c is valid"):
        calibration.choose_c()
    json.dumps(validity.to_dict())


def test_experiments_from_elsewhere_are_judged_alike():
    calibration = several({"a": (6, 1, 1), "b": (1, 1, 6)})
    records = calibration.records
    arrays = {
        name: (
            records["probability"][records["omega"] == name].reshape(-1, len(C)),
            records["truth"][records["omega"] == name].reshape(-1, len(C))[:, 0],
        )
        for name in calibration.omegas
    }
    assert str(judge_experiments(arrays, C)) == str(calibration.validity())


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ({}, "nothing to judge"),
        (
            {"x": (np.zeros((4, 2)), np.zeros(4))},
            r"shape \(4, 2\) and truth \(4,\); with 3 values of c",
        ),
        ({"x": (np.full((4, 3), 1.5), np.zeros(4))}, r"'x': probability has .* lie in \[0, 1\]"),
        ({"x": (np.full((4, 3), np.nan), np.zeros(4))}, "remove experiments that failed"),
        ({"x": (np.zeros((0, 3)), np.zeros(0))}, "one or more"),
    ],
)
def test_wrong_experiments_are_refused(records, message):
    with pytest.raises(ValueError, match=message):
        judge_experiments(records, C)


# ---------------------------------------------------------------- the paper's bound


def in_the_middle(n, claimed, true, rng):
    """Experiments with B between ½ and 0.95 on either side, true with another probability."""
    side = rng.random(n) < 0.5
    confidence = rng.uniform(claimed - 0.05, claimed + 0.05, n)
    right = rng.random(n) < true
    return np.where(side, confidence, 1 - confidence), (side == right).astype(float)


def test_the_bound_sees_what_the_rule_on_winners_does_not():
    """Nothing is stated beyond 0.95, yet B of 0.8 comes true in half of the experiments."""
    probability, truth = in_the_middle(2048, 0.8, 0.5, np.random.default_rng(0))
    validity = judge_experiments({"": (probability[:, None], truth)}, [1.0])
    assert not validity.speaks_against.any()
    assert validity.says_nothing.all()
    assert not validity.keeps_bound.any()
    for rule in ("winners", "bound", "both"):
        assert validity.widest(rule).values == ()
    assert "says nothing at 1" in str(validity)


def test_a_distribution_that_says_nothing_is_no_witness_either_way():
    """A c is valid for all if none speaks against it and one at least speaks for it."""
    rng = np.random.default_rng(3)
    good, truth = calibrated(1024, 0)
    middle, middle_truth = in_the_middle(1024, 0.7, 0.7, rng)
    experiments = {
        "speaks": (np.column_stack([good, np.full(1024, 0.6)]), truth),
        "silent": (np.column_stack([middle, middle]), middle_truth),
    }
    validity = judge_experiments(experiments, [0.25, 4.0])
    assert validity.valid.tolist() == [[True, False], [False, False]]
    assert validity.for_all == validity.widest().values == (0.25,)
    assert validity.widest().high_reason == "at c = 4, no winner is stated"
    alone = judge_experiments({"silent": experiments["silent"]}, [0.25, 4.0])
    assert alone.for_all == alone.widest().values == ()
    assert alone.to_dict()["valid_for_all"] == []


@pytest.mark.parametrize(("true", "low", "high"), [(0.8, 0.9, 1.0), (0.7, 0.0, 0.9), (0.6, 0.0, 0)])
def test_the_bound_spares_what_is_true_and_finds_what_is_not(true, low, high):
    """B is 0.8. At the truth the bound, shared by 16 bins, is broken in fewer than 5 % of the
    calibrations, the tolerance of 0.05 aside; at 0.6, three standard errors beyond it, in all.
    """
    rng = np.random.default_rng(1)
    kept = [judge_bound(*in_the_middle(2048, 0.8, true, rng)).kept for _ in range(100)]
    assert low <= np.mean(kept) <= high


def test_a_truth_on_the_other_side_claims_no_more_than_b_does():
    """B of 0.53 says nearly nothing, whatever the truth is."""
    truth = np.zeros(1024)
    assert judge_bound(np.full(1024, 0.53), truth).kept
    wrong = judge_bound(np.full(1024, 0.8), truth)
    assert wrong.excess == pytest.approx(0.3)
    assert wrong.violated == wrong.bins == 16


def test_an_unknown_rule_is_named():
    probability, truth = in_the_middle(300, 0.8, 0.8, np.random.default_rng(2))
    validity = judge_experiments({"": (probability[:, None], truth)}, [1.0])
    with pytest.raises(ValueError, match="rule is one of winners, bound, both; got 'paper'"):
        validity.widest("paper")
