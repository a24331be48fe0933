"""Ranks and tiers of many models."""

import numpy as np
import pytest

import rivals
from problems import problem


def board(seed, n_models, n_groups=20, gap=0.05):
    """Models whose true mean losses are known: the first is the best."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_groups), 20)
    true = gap * np.sort(np.abs(rng.standard_normal(n_models)))
    base = rng.exponential(size=groups.size)
    effects = 0.1 * rng.standard_normal((n_models, n_groups))[:, groups]
    noise = 0.2 * rng.standard_normal((n_models, groups.size))
    losses = base + true[:, None] + effects + noise
    return rivals.compare({f"m{place}": each for place, each in enumerate(losses)}, groups=groups)


def test_the_first_tier_holds_the_best():
    """60 boards of ten: were it 95 % of them, six would be without with a chance of 0.01."""
    held = ["m0" in board(seed, 10).ranks().first_tier for seed in range(60)]
    assert sum(held) >= 54


def test_intervals_of_ranks_fit_the_order():
    for seed in range(10):
        found = board(seed, 12, gap=0.3).ranks()
        place = np.arange(1, 13)
        assert ((found.low <= place) & (place <= found.high)).all()
        assert (np.diff(found.tier) >= -(found.tier[:-1])).all()
        assert set(found.tier) == set(range(1, found.tier.max() + 1))


def test_sure_differences_make_a_rank_each():
    groups = np.repeat(np.arange(12), 10)
    base = np.random.default_rng(0).exponential(size=120)
    jitter = 0.01 * np.random.default_rng(1).standard_normal((4, 120))
    losses = {name: base + place + jitter[place] for place, name in enumerate("ABCD")}
    found = rivals.compare(losses, groups=groups).ranks()
    assert found.low.tolist() == found.high.tolist() == found.tier.tolist() == [1, 2, 3, 4]
    assert found.first_tier == ("A",)
    assert "First tier: A." in str(found)


def test_models_that_nobody_can_tell_apart_share_a_tier():
    base = np.random.default_rng(0).exponential(size=120)
    losses = dict.fromkeys("ABC", base)
    found = rivals.compare(losses, groups=np.arange(120) % 12).ranks()
    assert found.tier.tolist() == [1, 1, 1]
    assert found.high.tolist() == [3, 3, 3]


def test_a_model_is_behind_where_p_passes_the_threshold():
    given = problem(5, n_models=2, sizes=[30] * 10, n_simulations=0, left_out=False)
    result = given.compare()
    beaten = np.max(result.probability)
    assert result.at(threshold=beaten - 1e-6).ranks().tier.max() == 2
    assert result.at(threshold=min(beaten + 1e-6, 1.0)).ranks().tier.max() == 1


@pytest.mark.parametrize("law", ["transport", "beta"])
def test_under_every_law(law):
    result = rivals.compare(
        problem(6, n_models=3, n_simulations=1).without_groups, method=law, rng=0
    )
    assert result.ranks().models == result.ranking
