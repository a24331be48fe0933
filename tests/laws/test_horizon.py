"""Law "groups" over m new groups: one family from the next group to all groups to come."""

import math

import numpy as np
import pytest

import rivals

NORMAL = rivals.laws.Groups(residuals=False)


def problem(n_groups, seed, simulations=0, gap=0.2, tau=0.3):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(5, 60, n_groups)
    group = np.repeat(np.arange(n_groups), sizes)
    a = rng.exponential(size=group.size)
    effect = gap + tau * rng.standard_normal(n_groups)
    b = a + effect[group] + 0.5 * rng.standard_normal(group.size)
    models = {"A": a, "B": b, "C": b + 0.1 * rng.standard_normal(group.size)}
    if simulations:
        for name, observed in models.items():
            shape = (simulations, group.size)
            models[name] = (observed, 1.2 * rng.exponential(size=shape))
    return models, group


@pytest.mark.parametrize("simulations", [0, 3])
def test_by_default_the_study_is_repeated(simulations):
    models, group = problem(9, seed=1, simulations=simulations)
    asked = rivals.compare(models, groups=group, rng=0)
    named = rivals.compare(models, groups=group, new_groups=9, rng=0)
    np.testing.assert_array_equal(asked.probability, named.probability)
    np.testing.assert_array_equal(asked.over(9), asked.probability)
    assert asked.applied.setting.horizon == 9


@pytest.mark.parametrize("seed", range(8))
def test_p_moves_away_from_one_half_as_groups_are_added(seed):
    models, group = problem(3 + seed, seed)
    result = rivals.compare(models, law=NORMAL, groups=group, rng=0)
    certainty = [np.abs(result.over(m) - 0.5) for m in (1, 2, 5, 30, 1000, math.inf)]
    assert (np.diff(certainty, axis=0) >= -1e-12).all()


@pytest.mark.parametrize("new_groups", [1, 4, math.inf])
@pytest.mark.parametrize("margin", [None, 0.05])
def test_both_orders_of_a_pair_add_up_to_one(new_groups, margin):
    models, group = problem(12, seed=3, simulations=2)
    result = rivals.compare(models, groups=group, new_groups=new_groups, margin=margin, rng=0)
    np.testing.assert_allclose(result.probability + result.probability.T, 1.0, atol=1e-12)
    swapped = dict(reversed(models.items()))
    other = rivals.compare(swapped, groups=group, new_groups=new_groups, margin=margin, rng=0)
    np.testing.assert_allclose(other.probability[::-1, ::-1], result.probability, atol=1e-9)


def test_intervals_draws_and_rejections_follow_the_horizon():
    models, group = problem(20, seed=2, gap=0.25)
    following, study = (
        rivals.compare(models, groups=group, new_groups=m, rng=0) for m in (1, None)
    )
    for name in models:
        low, high = following.risk_interval(name)
        narrow_low, narrow_high = study.risk_interval(name)
        assert narrow_high - narrow_low < 0.8 * (high - low)
        inside = (study.risks[name] > narrow_low) & (study.risks[name] < narrow_high)
        assert np.mean(inside) == pytest.approx(0.9, abs=4 * 0.3 / np.sqrt(12_000))
    assert study.rejections
    assert not following.rejections


def test_a_sweep_keeps_the_horizon_and_a_file_too(tmp_path):
    models, group = problem(6, seed=4, simulations=3)
    for horizon in (1, None, 40, math.inf):
        result = rivals.compare(models, groups=group, new_groups=horizon, margin=0.02, rng=0)
        sweep = result.sweep([result.c])
        np.testing.assert_array_equal(sweep.probability[0], result.probability)
        result.save(tmp_path / "result.npz")
        again = rivals.load(tmp_path / "result.npz")
        np.testing.assert_array_equal(again.probability, result.probability)
        assert again.rejections == result.rejections
        assert again.applied.setting.new_groups == result.applied.setting.new_groups
        assert again.applied.setting.margin == 0.02


@pytest.mark.parametrize("new_groups", [0, -1, 2.5, math.nan, "all", -math.inf, [3], True + 0.5])
def test_other_numbers_of_groups_are_refused(new_groups):
    models, group = problem(5, seed=5)
    with pytest.raises(ValueError, match=r"new_groups must be a whole number.*leave it out"):
        rivals.compare(models, groups=group, new_groups=new_groups, rng=0)
    with pytest.raises(ValueError, match="new_groups must be"):
        rivals.compare(models, groups=group, rng=0).over(new_groups)


def test_a_law_without_groups_has_no_horizon():
    models, _ = problem(5, seed=5, simulations=2)
    with pytest.raises(ValueError, match=r"knows no groups.*new_groups = 3"):
        rivals.compare(models, new_groups=3, rng=0)
    with pytest.raises(ValueError, match="pass groups="):
        rivals.compare(models, rng=0).over(3)


def test_every_law_at_another_c_from_simulations_and_from_summaries():
    """What is kept of simulations gives the numbers that these give, at every c and horizon."""
    models, group = problem(5, seed=6, simulations=4)
    for options in ({}, {"groups": group}, {"groups": group, "new_groups": 1}):
        kept = rivals.compare(models, **options, rng=0)
        gone = rivals.compare(iter(models.items()), **options, keep_simulations=False, rng=0)
        for c in (2**-6, 0.25, 3.0):
            direct = rivals.compare(models, **options, c=c, rng=0).probability
            np.testing.assert_allclose(kept.applied.at(c).matrix()[0], direct, atol=1e-12)
            np.testing.assert_allclose(gone.applied.at(c).matrix()[0], direct, atol=1e-12)
            stable = rivals.compare(models, **options, c=c, rng=0).stability
            swept = gone.sweep([c]).comparisons[0].stability
            assert swept == stable
    beta = rivals.compare(models, law="beta", c=0.5, rng=0)
    direct = rivals.compare(models, law="beta", c=0.1, rng=0)
    np.testing.assert_array_equal(beta.applied.at(0.1).matrix()[0], direct.probability)
    assert beta.sweep([0.1]).comparisons[0].stability == direct.stability
