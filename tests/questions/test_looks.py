"""Looks: what could be said after each group."""

import numpy as np
import pytest

import rivals
from problems import problem
from rivals._questions.looks import numbers_to_look_at


def arriving(effects, seed=0):
    """Two models whose difference in each group is this, in the order of arrival."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(len(effects)), 20)
    a = rng.exponential(size=groups.size)
    b = a + np.asarray(effects)[groups] + 0.05 * rng.standard_normal(groups.size)
    return {"A": a, "B": b}, groups


def compare(effects, **options):
    losses, groups = arriving(effects)
    return rivals.compare(losses, groups=groups, **options)


def test_each_look_is_the_comparison_of_the_groups_so_far():
    rng = np.random.default_rng(1)
    losses, groups = arriving(0.2 + 0.3 * rng.standard_normal(12))
    found = rivals.compare(losses, groups=groups).looks()
    assert found.n_groups.tolist() == list(range(3, 13))
    for place, number in enumerate(found.n_groups.tolist()):
        so_far = groups < number
        then = rivals.compare(
            {name: each[so_far] for name, each in losses.items()}, groups=groups[so_far]
        )
        best = list(then.risk).index(found.lowest)
        # The pooled variance within groups is that of all of them.
        expected = then.probability[best, 1 - best]
        assert found.probability[0, place] == pytest.approx(expected, abs=0.02)
        assert found.difference[0, place] == pytest.approx(
            then.summary.gaps[1 - best].mean() - then.summary.gaps[best].mean(), abs=1e-12
        )


def test_of_many_groups_some_numbers_are_looked_at():
    """Each is of all groups so far, those between looks included."""
    rng = np.random.default_rng(2)
    many = compare(0.1 + 0.5 * rng.standard_normal(510))
    found = many.looks()
    assert found.n_groups[:100].tolist() == list(range(3, 103))
    assert found.n_groups[-1] == 510
    assert set(np.diff(found.n_groups[99:])) == {2, 3}
    assert found.probability.shape == (1, 300)
    assert found.probability[0, -1] == pytest.approx(np.max(many.probability), abs=1e-12)
    differences = many.summary.gaps
    best = list(many.risk).index(found.lowest)
    gaps = np.cumsum(differences[1 - best] - differences[best])[found.n_groups - 1]
    np.testing.assert_allclose(found.difference[0], gaps / found.n_groups, atol=1e-12)
    assert "300 were looked at" in str(found)
    assert "looked at" not in str(compare([0.3, 0.1, 0.2, 0.3]).looks())


def test_the_number_of_looks_is_bounded():
    found = numbers_to_look_at(100_000)
    assert found.size == 300
    assert (np.diff(found) > 0).all()
    assert found[[0, -1]].tolist() == [3, 100_000]
    assert [numbers_to_look_at(n).size for n in (3, 500, 501)] == [1, 498, 300]


def test_the_last_difference_is_that_of_the_table_with_its_sign():
    result = compare([0.5, 0.1, 0.4, 0.1, 0.5, 0.3])
    found = result.looks()
    assert found.difference[0, -1] == pytest.approx(result.table.columns[2].values[1], abs=1e-12)
    assert found.low[0, -1] < found.difference[0, -1] < found.high[0, -1]


def test_a_winner_is_named_where_zero_is_outside_and_p_is_sure():
    strong, weak = compare([0.5, 0.6, 0.4] * 5).looks(), compare([0.3, -0.3, 0.1] * 5).looks()
    assert strong.named[0, -1]
    assert strong.first_named["B"] <= 8
    assert weak.first_named == {strong.models[0]: None}
    outside = (strong.low > 0.0) | (strong.high < 0.0)
    assert not (strong.named & ~outside).any()


def test_the_decision_under_looks_is_the_last_look():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        result = compare(0.2 + 0.3 * rng.standard_normal(10), looks="any")
        assert bool(result.rejections) == bool(result.looks().named[0, -1])


def test_a_difference_below_the_margin_names_nobody():
    """That the best is not better by more than the margin does not make it worse."""
    found = compare([0.3, 0.31, 0.29, 0.3] * 4, margin=1.0, looks="any")
    assert not found.rejections
    assert found.looks().probability[0, -1] < 0.05
    assert not found.looks().named.any()


def test_looking_often_costs_power_and_is_said():
    effects = [0.5, 0.1, 0.4, 0.1, 0.5, 0.3]
    once, any_time = compare(effects), compare(effects, looks="any")
    assert once.rejections
    assert not any_time.rejections
    assert "Looked at once" in any_time.conclusion


@pytest.mark.slow
def test_equal_means_are_rarely_told_apart_over_thirty_looks():
    """Normal effects of equal variance: at most 8 % at any look (laws: 5 to 7), 400 studies."""
    rng = np.random.default_rng(3)
    named = [compare(rng.standard_normal(30)).looks().named.any() for _ in range(400)]
    assert np.mean(named) < 0.08 + 2.0 * np.sqrt(0.08 * 0.92 / 400)


def test_what_knows_no_arrival_is_refused():
    alone = rivals.compare(problem(1, n_simulations=1).without_groups)
    with pytest.raises(ValueError, match="one data set has none"):
        alone.looks()
    with pytest.raises(ValueError, match="looks has no meaning"):
        rivals.compare(problem(1, n_simulations=1).without_groups, looks="any")
    losses, groups = arriving([0.1, 0.2])
    pairs = {name: (each, each + 0.1) for name, each in losses.items()}
    with pytest.raises(ValueError, match="pass three or more"):
        rivals.compare(pairs, groups=groups).looks()
