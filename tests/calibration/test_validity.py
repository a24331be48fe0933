"""One c: whatever is printed, drawn, exported or used agrees on which are valid."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom

import rivals
from rivals.calibration import judge_c, judge_experiments
from rivals.calibration._validity import ENOUGH, ENOUGH_WINNERS
from rivals.calibration._words import value
from rivals.testbeds.toys import gaussian

C = tuple(2.0**k for k in range(-6, 3))


def random_calibration(seed):
    """Synthetic records: honest or boastful, clear or blurred, many or few, decided or not."""
    rng = np.random.default_rng(seed)
    experiments = {}
    for name in ("calm", "windy", "stormy")[: rng.integers(1, 4)]:
        n = int(rng.choice([100, 256, 400, 1000, 3000]))
        odds = rng.uniform(0.5, 4.0) * rng.standard_normal(n)
        truth = (rng.random(n) < expit(odds)).astype(float)
        truth[rng.random(n) < rng.choice([0.0, 0.02, 0.15, 0.3])] = np.nan
        bold = np.exp(rng.uniform(-0.5, 2.0)) * np.array(C) ** -rng.uniform(0.1, 0.7)
        stated = expit(odds[:, None] * bold / rng.uniform(0.7, 3.0))
        if rng.random() < 0.15:
            stated = 1 - stated  # the wrong model is favoured
        experiments[name] = (stated, truth)
    return rivals.Calibration.from_experiments(
        experiments, C, n_data=200, method=str(rng.choice(["transport", "beta", "paper"]))
    )


def test_no_c_that_any_output_calls_invalid_is_used_or_recommended():
    data = np.random.default_rng(0).standard_normal(200)
    used = refused = 0
    for seed in range(200):
        calibration = random_calibration(seed)
        plain = json.loads(json.dumps(calibration.to_dict(), allow_nan=False))
        validity = calibration.validity()
        valid = calibration.valid_c()
        assert tuple(plain["valid"]) == valid == validity.valid()
        words = np.array(validity.table.columns[-1].values)
        of_c = np.array(validity.table.columns[-8].values)
        for place, c in enumerate(C):
            assert (c in valid) == bool(np.all(words[of_c == c] == "valid"))
            assert (c in valid) == plain["reasons"][place].startswith("valid")
            assert (c in valid) == (validity.problem(c) is None)
        if valid:
            used += 1
            for prefer in ("cautious", "informative"):
                assert calibration.choose_c(prefer=prefer) in valid
            best = max(valid)
            assert plain["best"] == best == calibration.choose_c()
            assert f"c = {value(best)}:" in calibration.conclusion
            assert f"c = {value(best)}," in calibration.methods()
            if seed % 10 == 0:
                models = {"a": gaussian(-0.1), "b": gaussian(0.1)}
                result = rivals.compare(models, data, c=calibration, rng=0)
                assert result.c == best
                assert calibration.methods() in result.methods()
            # By the other rule, likewise.
            for rule in ("bound", "error"):
                other = calibration.valid_c(rule)
                if other:
                    assert calibration.choose_c(rule) == max(other)
        else:
            refused += 1
            assert plain["best"] is None
            for ask in (calibration.choose_c, calibration.methods):
                with pytest.raises(ValueError, match="no c is valid"):
                    ask()
            with pytest.raises(ValueError, match="no c is valid"):
                rivals.compare(
                    {"a": gaussian(-0.1), "b": gaussian(0.1)}, data, c=calibration, rng=0
                )
            assert "No c is valid" in str(calibration)
    assert used > 40
    assert refused > 40


def certain(n, right, n_c=1):
    """So many experiments that name a winner, of which a part is right."""
    truth = np.ones(n)
    truth[: round(n * (1 - right))] = 0.0
    return np.full((n, n_c), 0.97), truth


def test_one_winner_in_many_experiments_is_not_enough():
    probability = np.full((512, 1), 0.6)
    probability[1] = 0.99
    truth = (np.arange(512) % 5 > 0).astype(float)
    validity = judge_experiments({"": (probability, truth)}, [8.0], rule="error")
    assert validity.valid() == ()
    assert validity.problem(8.0) == ("few winners", "")


def test_an_undecided_truth_is_neither_right_nor_wrong():
    probability, truth = certain(600, 1.0)
    truth[:100] = np.nan
    found = judge_c(probability[:, 0], truth)
    assert (found.right, found.wrong, found.undecided) == (500, 0, 100)
    assert found.failure_rate == 0.0
    assert found.problem("error") is None


def test_beyond_a_fifth_undecided_nothing_is_valid():
    probability, truth = certain(1000, 1.0)
    for n_open, valid in ((200, (1.0,)), (201, ())):
        here = truth.copy()
        here[:n_open] = np.nan
        for rule in ("error", "bound"):
            validity = judge_experiments({"": (probability, here)}, [1.0], rule=rule)
            assert validity.valid() == valid
    assert "undecided" in validity.reasons[1.0]


def test_too_few_experiments_are_not_enough():
    for n, enough in ((ENOUGH - 1, False), (ENOUGH, True)):
        validity = judge_experiments({"": certain(n, 1.0)}, [1.0], rule="error")
        assert bool(validity.valid()) == enough


def test_failures_beyond_chance_make_a_c_invalid():
    for right, valid in ((0.95, True), (0.90, False)):
        validity = judge_experiments({"": certain(600, right)}, [1.0], rule="error")
        assert bool(validity.valid()) == valid


def test_what_chance_would_do_is_exact():
    """The least rate at which so many failures come with a probability of one in twenty."""
    for n, wrong in ((2, 1), (60, 5), (400, 30), (3, 3)):
        truth = np.ones(n)
        truth[:wrong] = 0.0
        rate = judge_c(np.full(n, 0.97), truth).least_failure_rate
        assert binom.sf(wrong - 1, n, rate) == pytest.approx(0.05)


def test_every_scenario_counts_and_winners_of_all_are_enough():
    quiet = (np.full((400, 1), 0.55), (np.arange(400) % 2).astype(float))
    good = certain(400, 1.0)
    bad = certain(400, 0.8)
    assert judge_experiments({"good": good, "quiet": quiet}, [1.0], rule="error").valid() == (1.0,)
    validity = judge_experiments({"good": good, "bad": bad}, [1.0], rule="error")
    assert validity.valid() == ()
    assert validity.problem(1.0) == ("overconfident", "bad")


def test_cautious_is_the_largest_valid_c():
    probability = np.column_stack([np.full(400, 0.999), np.full(400, 0.97), np.full(400, 0.6)])
    truth = np.ones(400)
    validity = judge_experiments({"": (probability, truth)}, [0.1, 1.0, 10.0], rule="error")
    assert validity.valid() == (0.1, 1.0)
    assert validity.choose("cautious") == 1.0
    assert validity.choose("informative") == 0.1
    assert sum(found.known for found in validity.column(10.0)) < ENOUGH_WINNERS


def test_the_default_rule_is_the_papers_bound_under_its_laws():
    for law, rule in (("transport", "error"), ("beta", "bound"), ("paper", "bound")):
        calibration = rivals.Calibration.from_experiments(
            {"": certain(400, 1.0)}, [1.0], n_data=100, method=law
        )
        assert calibration.rule == calibration.validity().rule == rule
        assert calibration.choose_c().source["rule"] == rule


@pytest.mark.parametrize(
    ("options", "meant"), [({"rule": "bond"}, "bound"), ({"prefer": "cautios"}, "cautious")]
)
def test_misspelt_options_are_told(options, meant):
    calibration = rivals.Calibration.from_experiments({"": certain(400, 1.0)}, [1.0], n_data=100)
    with pytest.raises(ValueError, match=meant):
        calibration.choose_c(**options)


@pytest.mark.parametrize(
    ("probability", "truth"),
    [
        (np.full((4, 2), 0.5), np.ones(4)),
        (np.full((4, 1), 1.5), np.ones(4)),
        (np.full((4, 1), np.nan), np.ones(4)),
        (np.full((4, 1), 0.5), np.full(4, 0.3)),
        (np.full((0, 1), 0.5), np.ones(0)),
    ],
)
def test_experiments_from_elsewhere_are_checked(probability, truth):
    with pytest.raises(ValueError, match="'here'"):
        judge_experiments({"here": (probability, truth)}, [1.0])
