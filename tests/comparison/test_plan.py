"""A plan: the chance that more groups bring a verdict, against the law run on simulated groups."""

import json
import math
import pickle
import time

import numpy as np
import pytest
from scipy.special import gammainc

import rivals
from rivals.comparison.planning import MORE_GROUPS, N_FUTURES
from rivals.core.more_groups import Futures, Outlook, draw_futures, spread_with
from rivals.method.probability import probability_over
from rivals.method.spread import spread_between_groups

N_POINTS = 40
NOISE = 0.4
# Of the chance, at ½.
STANDARD_ERROR = 0.5 / np.sqrt(N_FUTURES)


def in_groups(effects, sizes, rng):
    """Losses of two models whose difference is an effect of the group, and noise."""
    group = np.repeat(np.arange(len(effects)), sizes)
    a = rng.exponential(size=group.size)
    b = a + np.asarray(effects)[group] + NOISE * rng.standard_normal(group.size)
    return a, b, group


def pilot(n_groups=8, gap=0.1, tau=0.2, seed=1, sizes=N_POINTS, **options):
    """Losses in a few groups whose effects have this mean and spread, and what they say."""
    rng = np.random.default_rng(seed)
    effects = rng.standard_normal(n_groups)
    effects = gap + tau * (effects - effects.mean()) / effects.std()
    a, b, group = in_groups(effects, sizes, rng)
    return (a, b, group), rivals.compare({"A": a, "B": b}, groups=group, rng=seed, **options)


def drawn(spread, rng):
    """μ and τ, from what the groups at hand say."""
    place = rng.choice(spread.tau.size, p=spread.weight[0, 0])
    mean = rng.normal(spread.centre[0, place], np.sqrt(spread.variance[0, place]))
    return mean, spread.tau[0, place]


def agree(predicted, verdicts):
    """Within Monte Carlo error, of which 3.5 standard errors are one in two thousand."""
    error = np.sqrt(0.25 / len(verdicts) + 0.25 / N_FUTURES)
    assert predicted == pytest.approx(np.mean(verdicts), abs=3.5 * error)


def test_the_chance_is_that_of_comparisons_with_simulated_losses():
    (a, b, group), result = pilot()
    rng = np.random.default_rng(2)
    more = 12
    verdicts = []
    for _ in range(200):
        effects = rng.normal(*drawn(result.applied.spread(np.array([1]), np.array([0])), rng), more)
        new_a, new_b, new_group = in_groups(effects, N_POINTS, rng)
        then = rivals.compare(
            {"A": np.concatenate([a, new_a]), "B": np.concatenate([b, new_b])},
            groups=np.concatenate([group, new_group + 8]),
            rng=0,
        )
        verdicts.append(bool(then.rejections))
    agree(result.plan(more).chance[0, 0], verdicts)


@pytest.mark.parametrize(
    ("more", "options"),
    [
        (4, {}),
        (24, {}),
        (24, {"margin": 0.03}),
        (12, {"new_groups": math.inf}),
        (12, {"new_groups": 4}),
        (12, {"new_groups": 1}),
        (1, {"threshold": 0.9}),
    ],
)
@pytest.mark.parametrize("sizes", [N_POINTS, (20, 35, 40, 60, 25, 45, 30, 80)])
def test_the_chance_is_that_of_the_law_run_on_simulated_groups(more, options, sizes):
    """Each new group drawn by itself, of a size like those at hand; the law from the beginning."""
    law = rivals.laws.Groups(residuals=False)
    result = pilot(sizes=sizes, law=law, **options)[1]
    rng = np.random.default_rng(2)
    old, error = result.applied.in_each_group(1, 0)
    n_tries = 500
    differences = np.tile(old, (n_tries, 1))
    new = np.empty((n_tries, more))
    new_error = rng.choice(error, more)
    for row in new:
        mean, tau = drawn(result.applied.spread(np.array([1]), np.array([0])), rng)
        row[:] = rng.normal(mean, np.hypot(tau, new_error))
    variances = np.tile(np.concatenate([error, new_error]) ** 2, (n_tries, 1))
    then = spread_between_groups(np.hstack([differences, new]), variances, np.zeros((1, n_tries)))
    margin = options.get("margin", 0.0)
    m = options.get("new_groups", 8 + more)
    better = probability_over(then, m, margin)[0]
    worse = 1.0 - probability_over(then, m, -margin)[0]
    verdicts = np.maximum(better, worse) > options.get("threshold", 0.95)
    agree(result.plan(more).chance[0, 0], verdicts)


def test_groups_added_are_the_law_of_all_of_them_at_once():
    """The spread that is updated by d̄ and SS is that of all groups, whatever they show."""
    rng = np.random.default_rng(3)
    old = 0.3 * rng.standard_normal((1, 6))
    new = 0.1 + 0.3 * rng.standard_normal((1, 9))
    variance = 0.02
    scales = np.full((1, 1), 0.4)
    spread = spread_between_groups(old, np.full((1, 6), variance), scales)
    whole = spread_between_groups(np.hstack([old, new]), np.full((1, 15), variance), scales)
    futures = draw_futures(spread, 1, rng)
    total = spread.tau[0, futures.place] ** 2 + variance
    normal = (new.mean() - futures.effect) / np.sqrt(total / 9)
    chi_square = np.sum((new - new.mean()) ** 2) / total
    uniform = gammainc(0.5 * 8, 0.5 * chi_square)
    shown = Futures(futures.place, futures.effect, normal, uniform)
    then = spread_with(spread, shown, variance, 9)
    for m in (1.0, 15.0, math.inf):
        updated = probability_over(then, m)[0, 0]
        assert updated == pytest.approx(probability_over(whole, m)[0, 0], abs=1e-4)


def test_ever_more_groups_bring_the_chance_to_the_ceiling():
    for options in ({"new_groups": 1}, {"new_groups": 7}, {"margin": 0.05}, {}):
        result = pilot(gap=0.2, threshold=0.99, **options)[1]
        plan = result.plan([10**6])
        assert plan.chance[0, 0] == pytest.approx(plan.ceiling[0], abs=4 * STANDARD_ERROR)
        assert (plan.ceiling[0] < 0.99) == bool(options)


def test_the_ceiling_is_the_chance_that_the_effect_is_large_enough():
    result = pilot(new_groups=1, margin=0.03)[1]
    spread = result.applied.spread(np.array([1]), np.array([0]))
    rng = np.random.default_rng(4)
    futures = draw_futures(spread, 40_000, rng)
    tau = spread.tau[0, futures.place]
    sure = np.abs(futures.effect) - 0.03 > 1.6448536269514722 * tau
    ceiling = result.plan().ceiling[0]
    assert ceiling == pytest.approx(sure.mean(), abs=4 * np.sqrt(ceiling / 40_000))


def test_more_groups_decide_more_often_and_sooner_about_larger_differences():
    chances = []
    for gap in (0.0, 0.06, 0.1):
        plan = pilot(gap=gap)[1].plan([2, 4, 8, 16, 32, 64, 128])
        assert (np.diff(plan.chance[0]) > -2 * STANDARD_ERROR).all()
        chances.append(plan.chance[0])
    assert (np.diff(chances, axis=0) >= 0).all()


@pytest.mark.parametrize("shift", [0.0, 1.0])
def test_no_number_of_groups_decides_between_models_that_are_not_judged(shift):
    """Equal ones, and those that differ by a constant."""
    (a, _, group), _ = pilot()
    result = rivals.compare({"A": a, "copy": a + shift}, groups=group, rng=0)
    plan = result.plan([5, 1000])
    assert not plan.chance.any()
    assert not plan.ceiling.any()
    assert np.isinf(plan.even_odds).all()
    assert "never" in str(plan)


def test_both_models_may_win():
    """The chance does not depend on which of the two is called the best."""
    spread = pilot()[1].applied.outlook(1, 0)
    other = pilot()[1].applied.outlook(0, 1)
    assert spread.ceiling == pytest.approx(other.ceiling, abs=1e-9)
    chances = [
        [each.chance(draw_futures(each.spread, 4000, np.random.default_rng(5)), more)
         for more in (5, 20)]
        for each in (spread, other)
    ]  # fmt: skip
    np.testing.assert_allclose(*chances, atol=4 * np.sqrt(2 * 0.25 / 4000))


def test_at_even_odds_the_chance_is_one_half():
    for options in ({}, {"new_groups": math.inf}, {"margin": 0.01}):
        options["gap"] = 0.06
        plan = pilot(**options)[1].plan()
        number = int(plan.even_odds[0])
        assert pilot(**options)[1].plan(number).chance[0, 0] == pytest.approx(0.5, abs=0.02)
    assert np.isinf(pilot(new_groups=1)[1].plan().even_odds[0])


def test_the_unit_of_the_losses_does_not_matter():
    (a, b, group), result = pilot()
    expected = result.plan()
    for unit in (1e-150, 2.0**40, 1e150):
        scaled = rivals.compare({"A": unit * a, "B": unit * b}, groups=group, rng=1)
        np.testing.assert_allclose(scaled.plan().chance, expected.chance, atol=0.002)


def test_a_plan_repeats_with_its_random_numbers():
    result = pilot()[1]
    own = result.plan()
    np.testing.assert_array_equal(own.chance, result.plan().chance)
    np.testing.assert_array_equal(own.chance, result.plan(rng=own.entropy).chance)
    assert own.entropy == result.entropy
    other = result.plan(rng=99)
    assert (other.chance != own.chance).any()
    np.testing.assert_allclose(other.chance, own.chance, atol=6 * STANDARD_ERROR)
    # A number says the same alone and among others.
    np.testing.assert_array_equal(result.plan([3, 20]).chance[0, 1], own.chance[0, 2])


def test_a_saved_comparison_plans_the_same(tmp_path):
    for options in ({}, {"new_groups": 3}, {"new_groups": math.inf, "margin": 0.02}):
        result = pilot(**options)[1]
        result.save(tmp_path / "pilot.npz")
        again = rivals.load(tmp_path / "pilot.npz")
        assert again.plan().to_dict() == result.plan().to_dict()


def test_every_survivor_is_held_against_the_best():
    (a, b, group), _ = pilot()
    noise = np.random.default_rng(7).standard_normal(a.size)
    models = {"far": b + 2.0 + noise, "B": b, "A": a, "C": b + 0.005 + 0.5 * noise}
    result = rivals.compare(models, groups=group, rng=0)
    plan = result.plan()
    assert plan.best == "A"
    assert plan.models == ("C", "B")
    assert plan.more_groups == MORE_GROUPS
    assert plan.groups == 8
    np.testing.assert_array_equal(plan.probability, result.probability[2, [3, 1]])


def test_with_simulations_the_misfit_counts():
    (a, b, group), _ = pilot()
    rng = np.random.default_rng(6)
    chances = []
    for misfit in (1.0, 3.0):
        models = {
            name: (observed, misfit * rng.exponential(size=(4, a.size)))
            for name, observed in {"A": a, "B": b}.items()
        }
        chances.append(rivals.compare(models, groups=group, rng=0).plan(10).chance[0, 0])
    assert 0.0 < chances[1] < chances[0] < 1.0


# ---------------------------------------------------------------- how it is shown


def test_what_is_shown():
    plan = pilot()[1].plan([5, 10])
    printed = str(plan)
    assert printed == repr(plan)
    assert "5 more" in printed
    assert "like the 8 at hand" in printed
    assert "in a repeated study of as many groups as there are then" in plan.verdict
    assert f"rng = {plan.entropy}" in printed
    assert "tends to" not in printed
    assert "<td>B</td>" in plan._repr_html_()
    assert json.loads(json.dumps(plan.to_dict(), allow_nan=False))["chance"] == plan.chance.tolist()
    again = pickle.loads(pickle.dumps(plan))
    np.testing.assert_array_equal(again.chance, plan.chance)
    with pytest.raises(ValueError, match="read-only"):
        plan.chance[0, 0] = 1.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"new_groups": 1}, "in a single new group."),
        ({"new_groups": 5}, "in the mean over 5 new groups."),
        ({"new_groups": math.inf}, "in the mean over all groups to come."),
        (
            {"margin": 0.02},
            "better by more than 0.02, with a probability above 0.95, in a repeated study",
        ),
    ],
)
def test_the_question_is_in_words(options, words):
    plan = pilot(**options)[1].plan()
    assert words in plan.verdict
    assert ("tends to" in plan.verdict) == (plan.ceiling[0] < 0.995)
    json.dumps(plan.to_dict(), allow_nan=False)


def test_a_data_frame_has_a_row_for_each_model_and_number():
    pytest.importorskip("pandas", reason='data frames need pandas: pip install "rivals[pandas]"')
    plan = pilot()[1].plan([5, 10, 20])
    frame = plan.to_dataframe()
    assert list(frame["more_groups"]) == [5, 10, 20]
    np.testing.assert_array_equal(frame["chance"], plan.chance[0])


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize("number", [0, -3, 2.5, math.nan, math.inf, "five", None, [5]])
def test_other_numbers_are_refused(number):
    result = pilot()[1]
    with pytest.raises(ValueError, match=r"more_groups must be whole numbers.*such as"):
        result.plan([10, number])


def test_text_and_nothing_are_refused():
    result = pilot()[1]
    with pytest.raises(ValueError, match=r"got '5,10'.*such as \[5, 10, 20\]"):
        result.plan("5,10")
    with pytest.raises(ValueError, match=r"got none.*leave them out for 5, 10, 20, 40"):
        result.plan([])


def test_a_law_without_groups_has_no_plan():
    (a, b, _), _ = pilot()
    rng = np.random.default_rng(8)
    models = {"A": (a, rng.exponential(size=a.size)), "B": (b, rng.exponential(size=a.size))}
    result = rivals.compare(models, rng=0)
    with pytest.raises(ValueError, match=r"law 'transport' knows none; compare with groups="):
        result.plan()


def test_nothing_is_planned_where_all_is_decided():
    (a, b, group), _ = pilot()
    c = 4.0 + 2.0 * b
    result = rivals.compare({"A": a, "B": b + 3.0, "C": c}, groups=group, rng=0)
    with pytest.raises(
        ValueError, match=r"all is decided: B is rejected by A .*C is rejected by A"
    ):
        result.plan()


def test_four_numbers_and_three_questions_take_no_time():
    spread = pilot()[1].applied.outlook(1, 0).spread
    futures = draw_futures(spread, 500, np.random.default_rng(0))
    taken = []
    for _ in range(3):
        begin = time.process_time()
        for m in (None, 1.0, math.inf):
            for more in MORE_GROUPS:
                Outlook(spread, 0.01, 8, m).chance(futures, more)
        taken.append(time.process_time() - begin)
    assert min(taken) < 0.2  # 17 to 27 ms on the machine it was written on
