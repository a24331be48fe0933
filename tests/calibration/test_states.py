"""The state of each c: the rule itself, what chance may do, and one answer in every output."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom

import rivals
from rivals._result.sentences import value_of_c
from rivals.calibration import judge_experiments
from rivals.calibration._promise import PROMISES
from rivals.calibration._states import limits
from rivals.testbeds import toys
from rivals.testbeds.toys import gaussian

C = tuple(2.0**k for k in range(-6, 3))


def random_calibration(seed):
    """Synthetic records: honest or boastful, clear or blurred, many or few, decided or not."""
    rng = np.random.default_rng(seed)
    experiments = {}
    for name in ("calm", "windy")[: rng.integers(1, 3)]:
        n = int(rng.choice([100, 1000, 3000, 6000]))
        odds = rng.uniform(0.5, 4.0) * rng.standard_normal(n)
        truth = (rng.random(n) < expit(odds)).astype(float)
        truth[rng.random(n) < rng.choice([0.0, 0.02, 0.15, 0.3], p=[0.4, 0.3, 0.2, 0.1])] = np.nan
        bold = np.exp(rng.uniform(-0.5, 2.0)) * np.array(C) ** -rng.uniform(0.1, 0.7)
        stated = expit(odds[:, None] * bold / rng.uniform(0.7, 3.0))
        if rng.random() < 0.15:
            stated = 1 - stated  # the wrong model is favoured
        experiments[name] = (stated, truth)
    return rivals.Calibration.from_experiments(
        experiments, C, n_data=200, method=str(rng.choice(["transport", "beta", "paper"]))
    )


def test_every_output_tells_of_the_same_states():
    data = np.random.default_rng(0).standard_normal(200)
    models = {"a": gaussian(-0.1), "b": gaussian(0.1)}
    used = refused = 0
    for seed in range(120):
        calibration = random_calibration(seed)
        plain = json.loads(json.dumps(calibration.to_dict(), allow_nan=False))
        states = calibration.states()
        assert tuple(plain["kept"]) == states.kept
        words = np.array([each.split(" ")[0] for each in states.table.columns[-1].values])
        of_c = np.array(states.table.columns[-8].values)
        for place, c in enumerate(C):
            here = set(words[of_c == c])
            assert plain["states"][place] == states.overall[place].state
            assert plain["states"][place] in here
            assert (c in states.kept) == (here == {"kept"})
        if states.kept:
            used += 1
            smallest = min(states.kept)
            assert plain["best"] == smallest == calibration.choose_c()
            assert f"Use c = {value_of_c(smallest)}," in str(calibration)
            assert f"the smallest, c = {value_of_c(smallest)}," in calibration.methods()
            if seed % 4 == 0:
                result = rivals.compare(models, data, c=calibration, rng=0)
                assert result.c == smallest
                assert calibration.methods() in result.methods()
        else:
            refused += 1
            assert plain["best"] is None
            for ask in (calibration.choose_c, calibration.methods):
                with pytest.raises(ValueError, match="no c is kept"):
                    ask()
            assert "No c is kept" in str(calibration)
    with pytest.raises(ValueError, match="no c is kept"):
        rivals.compare(models, data, c=next(nothing_kept()), rng=0)
    assert used > 15
    assert refused > 15


def nothing_kept():
    for seed in range(200):
        calibration = random_calibration(seed)
        if not calibration.states().kept:
            yield calibration


# ---------------------------------------------------------------- the rule


def winners(n, wrong, n_c=1, quiet=0):
    """So many experiments that name a winner, some of them wrong, and others that name none."""
    truth = np.r_[np.zeros(wrong), np.ones(n - wrong), np.ones(quiet)]
    return np.r_[np.full((n, n_c), 0.97), np.full((quiet, n_c), 0.6)], truth


def state(n, wrong, **options):
    found = judge_experiments({"": winners(n, wrong, quiet=500)}, [1.0], rule="error", **options)
    return found.overall[0]


@pytest.mark.parametrize(
    ("n", "wrong", "word"),
    [
        (56, 0, "silent"),
        (57, 0, "kept"),
        (57, 1, "kept"),  # up to 8.0 %
        (57, 2, "open"),  # up to 10.6 %
        (400, 20, "kept"),  # 5 % found, up to 7.2 %
        (400, 21, "open"),  # 5.25 % found
        (400, 25, "open"),  # 6.25 %, perhaps by chance
        (400, 31, "broken"),
        (20, 10, "broken"),
    ],
)
def test_the_rule_on_named_winners(n, wrong, word):
    found = state(n, wrong)
    assert found.state == word
    known = n, wrong
    assert binom.cdf(wrong, n, found.at_most) == pytest.approx(0.05), known
    if wrong:
        assert binom.sf(wrong - 1, n, found.at_least) == pytest.approx(0.05), known
    assert (word == "broken") == (found.at_least > 0.05)


def test_a_strict_promise_takes_more():
    assert PROMISES["usual"].least_winners == 57
    assert PROMISES["strict"].least_winners == 117
    assert state(400, 4).state == state(400, 4, promise="strict").state == "kept"
    assert state(400, 15).state == "kept"
    strict = state(400, 15, promise="strict")
    assert strict.state == "open"
    assert strict.enough > 900


def test_a_true_rate_beyond_what_is_promised_is_rarely_called_kept():
    """Where a tenth of the named winners fails, at every c: in no more than one run of twenty."""
    rng = np.random.default_rng(0)
    called = 0
    for _ in range(400):
        stated = np.full((300, 5), 0.97)
        named = rng.random((300, 5)) < np.linspace(0.9, 0.3, 5)
        truth = (rng.random(300) > 0.1).astype(float)
        found = judge_experiments(
            {"": (np.where(named, stated, 0.5), truth)}, range(1, 6), rule="error"
        )
        called += bool(found.kept)
    assert called <= 0.05 * 400 + 2 * np.sqrt(0.05 * 0.95 * 400)


def test_below_a_c_that_is_not_kept_nothing_is_kept():
    stated, truth = winners(400, 25, n_c=2)
    stated[:25, 0] = 0.6  # at the smaller c none of the wrong ones is named
    found = judge_experiments({"": (stated, truth)}, [0.1, 1.0], rule="error").overall
    assert [each.state for each in found] == ["open", "open"]
    assert found[0].because == "a larger c"
    assert found[0].enough == found[1].enough  # it waits for the larger one


def test_a_lower_limit_is_shared_by_all_c():
    alone, together = (
        judge_experiments({"": winners(400, 30, n_c)}, range(1, n_c + 1), rule="error").overall[0]
        for n_c in (1, 20)
    )
    assert (alone.state, together.state) == ("broken", "open")
    assert together.at_least < alone.at_least


def test_an_undecided_truth_is_neither_right_nor_wrong():
    probability, truth = winners(600, 0)
    truth[:100] = np.nan
    found = judge_experiments({"": (probability, truth)}, [1.0], rule="error").overall[0]
    assert (found.right, found.wrong, found.undecided) == (500, 0, 100)
    assert found.failure_rate == 0.0
    assert found.state == "kept"


def test_beyond_a_fifth_undecided_nothing_is_kept():
    probability, truth = winners(1000, 0)
    for n_open, word in ((200, "kept"), (201, "open")):
        here = truth.copy()
        here[:n_open] = np.nan
        for rule in ("error", "bound"):
            found = judge_experiments({"": (probability, here)}, [1.0], rule=rule)
            assert found.overall[0].state == word
    assert "the truth is undecided in 201 of 1000 experiments" in found.nothing_kept()
    assert "Raise n_truth" in found.nothing_kept()


def test_of_several_scenarios_the_worst_decides():
    good, bad, quiet = winners(400, 4), winners(400, 80), winners(10, 0, quiet=390)
    for others, word in (({}, "kept"), ({"quiet": quiet}, "silent"), ({"bad": bad}, "broken")):
        found = judge_experiments({"good": good, **others}, [1.0], rule="error")
        assert found.overall[0].state == word
    text = found.nothing_kept()
    assert "no c is kept, by the failure rate of named winners" in text
    assert "c = 1: broken in 'bad': 80 of 400 named winners failed, at least" in text
    assert "more experiments will not change that" in text


def test_the_smallest_kept_c_is_used():
    probability = np.column_stack([np.full(400, 0.999), np.full(400, 0.97), np.full(400, 0.6)])
    found = judge_experiments({"": (probability, np.ones(400))}, [0.1, 1.0, 10.0], rule="error")
    assert found.kept == (0.1, 1.0)
    assert found.choose() == 0.1
    assert found.of("silent") == (10.0,)


# ---------------------------------------------------------------- more experiments


def boastful(n, factor, seed):
    """Log odds that are too large by a factor."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(0.0, 3.0, n)
    return expit(factor * odds)[:, None], (rng.random(n) < expit(odds)).astype(float)


@pytest.mark.parametrize("rule", ["error", "bound"])
def test_more_experiments_settle_what_is_open(rule):
    for factor, settled in ((1.0, "kept"), (3.0, "broken")):
        for seed in range(5):
            found = judge_experiments({"": boastful(20_000, factor, seed)}, [1.0], rule=rule)
            assert found.overall[0].state == settled
            few = judge_experiments({"": boastful(60, factor, seed)}, [1.0], rule=rule)
            assert few.overall[0].state != "kept"


@pytest.mark.parametrize("rule", ["error", "bound"])
def test_a_forecast_is_mostly_right(rule):
    """Of open and silent c: run as many experiments as it says, and three in four are settled."""
    asked = right = 0
    for seed in range(60):
        factor = (0.8, 1.0, 3.0)[seed % 3]
        found = judge_experiments({"": boastful(200, factor, seed)}, [1.0], rule=rule).overall[0]
        if found.enough is not None and found.enough < 20_000:
            asked += 1
            more = boastful(found.enough, factor, 1000 + seed)
            word = judge_experiments({"": more}, [1.0], rule=rule).overall[0].state
            right += word in ("kept", "broken")
    assert asked > 20
    assert right > 0.6 * asked


def test_the_papers_bound_does_not_depend_on_which_model_is_first():
    probability, truth = boastful(3000, 1.7, 0)
    swapped = 1 - probability, 1 - truth
    one, other = (
        judge_experiments({"": each}, [1.0], rule="bound").overall[0]
        for each in ((probability, truth), swapped)
    )
    assert one.excess == pytest.approx(other.excess)
    assert one.state == other.state == "broken"


def test_a_truth_on_the_other_side_of_a_half_counts_as_a_half():
    probability, truth = np.full((2000, 1), 0.9), np.zeros(2000)
    found = judge_experiments({"": (probability, truth)}, [1.0], rule="bound").overall[0]
    assert found.excess == pytest.approx(0.4)
    rate = judge_experiments({"": (probability + 0.08, truth)}, [1.0], rule="error").overall[0]
    assert rate.excess == 1.0


def test_exact_limits():
    failed, size = np.array([0.0, 3.0, 7.0]), np.array([60.0, 60.0, 7.0])
    low, high = limits(failed, size, 0.05)
    assert binom.cdf(failed[:2], 60, high[:2]) == pytest.approx(0.05)
    assert binom.sf(failed[1:] - 1, size[1:], low[1:]) == pytest.approx(0.05)
    assert low[0] == 0.0
    assert high[2] == 1.0


# ---------------------------------------------------------------- options


def test_the_default_rule_is_the_papers_bound_under_its_methods():
    for method, rule in (("transport", "error"), ("beta", "bound"), ("paper", "bound")):
        calibration = rivals.Calibration.from_experiments(
            {"": winners(400, 0, 2)}, [0.5, 1.0], n_data=100, method=method
        )
        assert calibration.rule == calibration.states().rule == rule
        assert calibration.choose_c().source["rule"] == rule


@pytest.mark.parametrize(
    ("options", "meant"), [({"rule": "bond"}, "bound"), ({"promise": "strickt"}, "strict")]
)
def test_misspelt_options_are_told(options, meant):
    calibration = rivals.Calibration.from_experiments(
        {"": winners(400, 0, 2)}, [0.5, 1.0], n_data=100
    )
    for ask in (calibration.choose_c, calibration.states):
        with pytest.raises(ValueError, match=meant):
            ask(**options)


def test_one_c_alone_is_refused():
    with pytest.raises(ValueError, match="c must be two or more different numbers"):
        rivals.calibrate(toys.omega, n_data=100, c=[1.0])


def test_without_a_kept_c_it_is_said_how_many_experiments_would_tell():
    calibration = rivals.Calibration.from_experiments(
        {"here": winners(70, 3, 2, quiet=200)}, [0.5, 1.0], n_data=100
    )
    with pytest.raises(ValueError, match="no c is kept") as found:
        calibration.choose_c()
    text = str(found.value)
    assert "c = 1: open: 3 of 70 named winners failed, at most 10.7 %" in text
    enough = calibration.states().overall[1].enough
    assert f"About {enough} experiments of each scenario would probably show one" in text


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
