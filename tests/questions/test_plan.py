"""A plan: the chance that more groups decide, against the law run on simulated groups."""

import json
import math

import numpy as np
import pytest

import rivals
from rivals._questions.plan import N_DRAWS
from rivals.laws.groups import NewGroups
from rivals.method import leads
from rivals.method.budget import Budget
from rivals.method.looks import excludes_zero
from rivals.method.more_groups import Future, budget_with

N_POINTS = 40
# Of a chance of ½.
STANDARD_ERROR = 0.5 / np.sqrt(N_DRAWS)


def pilot(
    n_groups=8, gap=0.1, tau=0.2, seed=1, sizes=N_POINTS, left_out=False, extra=None, **options
):
    """Two models whose difference has this mean and spread in a few groups."""
    rng = np.random.default_rng(seed)
    effects = rng.standard_normal(n_groups)
    effects = gap + tau * (effects - effects.mean()) / effects.std()
    group = np.repeat(np.arange(n_groups), sizes)
    a = rng.exponential(size=group.size)
    b = a + effects[group] + 0.4 * rng.standard_normal(group.size)
    losses = {"A": a, "B": b}
    if extra is not None:
        losses |= extra(a, b)
    made = {
        name: rivals.Losses(each, groups=group, left_out=left_out) for name, each in losses.items()
    }
    return rivals.compare(made, **options)


def law_of_pair(result, a=0, b=1):
    return result.method.differences(result.summary, result.setting, np.array([a]), np.array([b]))


def agree(predicted, decided):
    """Within 3.5 standard errors of both Monte Carlo means: once in two thousand."""
    error = np.sqrt(0.25 / len(decided) + 0.25 / N_DRAWS)
    assert predicted == pytest.approx(np.mean(decided), abs=3.5 * error)


def simulated(result, more, n_tries, rng):
    """Differences in old and new groups, each new one drawn by itself, and their noise."""
    law = law_of_pair(result)
    budget = law.budget
    part = budget.degrees / rng.chisquare(budget.degrees, n_tries)
    weight = leads.given(budget.score(8), law.prior)[0]
    kept = leads.KEPT[rng.choice(weight.size, size=n_tries, p=weight)]
    mean = rng.normal(kept * budget.lead[0], np.sqrt(kept * budget.seen[0] * part))
    new = rng.normal(mean[:, None], np.sqrt(budget.unit[0] * part)[:, None], (n_tries, more))
    old = result.summary.gaps[0] - result.summary.gaps[1]
    values = np.hstack([np.tile(old, (n_tries, 1)), new])
    return values, np.full(values.shape, budget.noise[0]), law.prior


def law_then(values, noise, prior, left_out, m):
    """Of all groups at once, of each try."""
    n_tries, n_groups = values.shape
    nowhere = np.zeros(n_tries, dtype=bool)
    budget = Budget.of(values, noise, None, None, n_groups if left_out else 0)
    return NewGroups(budget, n_groups, m, nowhere, budget.lead, nowhere, prior)


@pytest.mark.parametrize("left_out", [False, True])
@pytest.mark.parametrize(
    ("more", "options"),
    [
        (4, {}),
        (24, {}),
        (24, {"margin": 0.03}),
        (12, {"new_groups": math.inf}),
        (12, {"new_groups": 4}),
        (1, {"threshold": 0.9}),
    ],
)
@pytest.mark.parametrize("sizes", [N_POINTS, (20, 35, 40, 60, 25, 45, 30, 80)])
def test_the_chance_is_that_of_the_law_run_on_simulated_groups(more, options, sizes, left_out):
    result = pilot(sizes=sizes, left_out=left_out, **options)
    values, noise, prior = simulated(result, more, 600, np.random.default_rng(4))
    margin = options.get("margin", 0.0)
    then = law_then(values, noise, prior, left_out, options.get("new_groups", 8 + more))
    better = then.below(np.full(600, -margin))[0]
    worse = 1.0 - then.below(np.full(600, margin))[0]
    decided = np.maximum(better, worse) > options.get("threshold", 0.95)
    agree(result.plan(more).chance[0, 0], decided)


def test_under_looks_a_decision_at_any_look_counts():
    result = pilot(looks="any", gap=0.15)
    n_tries, more = 400, 20
    values, noise, prior = simulated(result, more, n_tries, np.random.default_rng(3))
    decided = np.zeros(n_tries, dtype=bool)
    for number in range(9, 8 + more + 1):
        seen = values[:, :number]
        better = law_then(seen, noise[:, :number], prior, False, number).below(np.zeros(n_tries))[0]
        decided |= (np.maximum(better, 1.0 - better) > 0.95) & excludes_zero(seen)
    agree(result.plan(more).chance[0, 0], decided)


def test_groups_added_are_the_budget_of_all_of_them_at_once():
    rng = np.random.default_rng(3)
    old = 0.3 * rng.standard_normal((1, 6))
    new = 0.1 + 0.3 * rng.standard_normal((1, 9))
    made = [
        Budget.of(each, np.full(each.shape, 0.02), None, None, each.shape[1])
        for each in (old, np.hstack([old, new]))
    ]
    seen = Future(9, new.mean(axis=1), np.sum((new - new.mean()) ** 2, axis=1))
    then = budget_with(made[0], 6, seen)
    for name in ("lead", "unit", "of_groups", "noise", "points", "training", "again", "degrees"):
        assert getattr(then, name) == pytest.approx(getattr(made[1], name)), name


@pytest.mark.parametrize("options", [{"new_groups": 1}, {"new_groups": 7}, {"margin": 0.05}, {}])
def test_ever_more_groups_bring_the_chance_to_its_limit(options):
    plan = pilot(gap=0.2, threshold=0.99, **options).plan([10**6])
    assert plan.chance[0, 0] == pytest.approx(plan.in_the_end[0], abs=4 * STANDARD_ERROR)
    assert (plan.in_the_end[0] < 0.99) == bool(options)


def test_more_groups_decide_more_often_and_sooner_about_larger_differences():
    chances = []
    for gap in (0.0, 0.06, 0.1):
        plan = pilot(gap=gap).plan([2, 4, 8, 16, 32, 64, 128])
        assert (np.diff(plan.chance[0]) > -2 * STANDARD_ERROR).all()
        chances.append(plan.chance[0])
    assert (np.diff(chances, axis=0) > -2 * STANDARD_ERROR).all()
    assert chances[2][-1] > chances[0][-1] + 0.1


def test_looks_cost_some_chance_and_left_out_groups_cost_some():
    plain, looked, shared = (
        pilot(gap=0.06, **options).plan([16, 64]).chance[0]
        for options in ({}, {"looks": "any"}, {"left_out": True})
    )
    assert (looked < plain + 3 * STANDARD_ERROR).all()
    assert (shared < plain + 3 * STANDARD_ERROR).all()


def test_equal_models_are_never_told_apart():
    plan = pilot(extra=lambda a, b: {"copy": a}).plan([5, 1000])
    equal = plan.models.index("copy")
    assert not plan.chance[equal].any()
    assert plan.in_the_end[equal] == 0.0
    assert plan.even_odds[equal] == math.inf


def test_at_even_odds_the_chance_is_one_half():
    for options in ({}, {"new_groups": math.inf}, {"margin": 0.01}):
        result = pilot(gap=0.06, **options)
        number = int(result.plan().even_odds[0])
        # The number is interpolated between doublings of a chance with an error of its own.
        assert result.plan(number).chance[0, 0] == pytest.approx(0.5, abs=0.08)
    assert np.isinf(pilot(new_groups=1).plan().even_odds[0])


def test_the_unit_of_the_losses_does_not_matter():
    expected = pilot().plan().chance
    rng = np.random.default_rng(1)
    effects = rng.standard_normal(8)
    effects = 0.1 + 0.2 * (effects - effects.mean()) / effects.std()
    group = np.repeat(np.arange(8), N_POINTS)
    a = rng.exponential(size=group.size)
    b = a + effects[group] + 0.4 * rng.standard_normal(group.size)
    for unit in (1e-100, 2.0**40, 1e100):
        scaled = rivals.compare({"A": unit * a, "B": unit * b}, groups=group)
        np.testing.assert_allclose(scaled.plan().chance, expected, atol=0.01)


def test_a_plan_repeats_with_its_seed_and_from_a_saved_result(tmp_path):
    result = pilot(margin=0.02)
    own = result.plan()
    np.testing.assert_array_equal(own.chance, result.plan(rng=own.rng).chance)
    assert (result.plan(rng=99).chance != own.chance).any()
    result.save(tmp_path / "pilot.npz")
    assert rivals.load(tmp_path / "pilot.npz").plan().to_dict() == own.to_dict()


def test_every_open_model_is_beside_the_best():
    noise = np.random.default_rng(7).standard_normal(8 * N_POINTS)
    result = pilot(extra=lambda a, b: {"far": b + 2.0 + noise, "C": b + 0.005 + 0.5 * noise})
    plan = result.plan()
    assert (plan.lowest, set(plan.models)) == ("A", {"B", "C"})
    assert plan.more_groups == (5, 10, 20, 40)
    places = [list(result.risk).index(name) for name in plan.models]
    np.testing.assert_array_equal(plan.probability, result.probability[0, places])


def test_what_is_said():
    plan = pilot().plan([5, 10])
    assert "like the 8 observed" in str(plan)
    assert "5 more" in str(plan)
    assert "if that larger study were repeated" in plan.conclusion
    assert "<td" in plan._repr_html_()
    rows = json.loads(json.dumps(plan.to_dict(), allow_nan=False))["records"]
    assert [row["chance"] for row in rows] == plan.chance.ravel().tolist()
    assert "in a single new group" in pilot(new_groups=1).plan().conclusion
    assert "over all groups" in pilot(new_groups=math.inf).plan().conclusion
    assert "by more than 0.02" in pilot(margin=0.02).plan().conclusion
    assert "at any of the looks" in pilot(looks="any").plan().conclusion


def test_a_frame_has_a_row_for_each_model_and_number():
    pytest.importorskip("pandas")
    frame = pilot().plan([5, 10]).to_dataframe()
    assert list(frame["model"]) == ["B", "B"]
    assert list(frame["more"]) == [5, 10]


def test_where_nothing_is_open_a_plan_says_so():
    plan = pilot(gap=3.0).plan()
    assert plan.models == ()
    assert "Nothing is open" in str(plan)
    assert json.loads(json.dumps(plan.to_dict(), allow_nan=False))["records"] == []


def test_a_plan_that_is_no_probability_cannot_be_made():
    plan = pilot().plan([5])
    with pytest.raises(ValueError, match="no probability"):
        type(plan)(**{**plan.__dict__, "chance": np.array([[np.nan]])})


@pytest.mark.parametrize(
    "number", [0, -3, 2.5, math.nan, math.inf, "5,10", None, [], [[5]], [10, 0]]
)
def test_other_numbers_are_refused(number):
    with pytest.raises(ValueError, match=r"more_groups must be whole numbers.*\[5, 10, 20\]"):
        pilot().plan(number)


def test_one_data_set_has_no_plan():
    from rivals.testbeds import toys

    with pytest.raises(ValueError, match="groups="):
        rivals.compare(toys.losses(), rng=0).plan()
