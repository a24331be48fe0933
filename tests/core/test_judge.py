"""Of many models, few pairs give the decision that all pairs give."""

import numpy as np
import pytest

import rivals
from problems import problem
from rivals._core import judge as rivals_judge
from rivals._core.judge import judge
from rivals._core.reduced import Reduced
from rivals._core.setting import Setting
from rivals.laws import Groups, Transport


def both_ways(monkeypatch, law, summary, setting):
    monkeypatch.setattr(rivals_judge, "MANY", 10**6)
    every = judge(Reduced(law, summary), setting)
    monkeypatch.setattr(rivals_judge, "MANY", 2)
    return every, judge(Reduced(law, summary), setting)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("name", ["groups", "transport"])
def test_the_decision_is_that_of_all_pairs(monkeypatch, name, seed):
    rng = np.random.default_rng(seed)
    given = problem(
        seed,
        n_models=int(rng.integers(3, 40)),
        n_simulations=int(rng.choice([1, 4])),
        noise=float(rng.choice([0.2, 1.0, 3.0])),
        left_out=False,
    )
    grouped = name == "groups"
    result = given.compare() if grouped else rivals.compare(given.without_groups)
    law = Groups() if grouped else Transport()
    for setting in (Setting(), Setting(threshold=0.8), Setting(margin=0.05, threshold=0.7)):
        (all_pairs, every), (few_pairs, few) = both_ways(monkeypatch, law, result.summary, setting)
        assert all_pairs.is_complete
        assert few_pairs.better.size <= all_pairs.better.size
        assert few.ranking == every.ranking
        assert few.rejections == every.rejections
        assert few.undecided == every.undecided
        np.testing.assert_array_equal(few.stability, every.stability)


@pytest.mark.parametrize(("n_models", "n_groups"), [(64, 50), (200, 10)])
def test_most_pairs_are_not_asked_for(n_models, n_groups):
    given = problem(
        0, n_models=n_models, sizes=np.full(n_groups, 20), n_simulations=0, left_out=False
    )
    result = given.compare()
    assert result._decided.evidence.better.size < 0.6 * n_models * (n_models - 1) / 2
    # Whoever asks for the whole matrix gets it.
    assert np.isfinite(result.probability).all()
    known = ~np.isnan(result._decided.evidence.probability)
    np.testing.assert_allclose(
        result._decided.evidence.probability[known], result.probability[known], rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("seed", range(20))
def test_few_pairs_decide_alike_from_where_they_are_taken(monkeypatch, seed):
    given = problem(seed, n_models=rivals_judge.MANY + 1 + seed, n_simulations=0, left_out=False)
    few = given.compare()._decided
    monkeypatch.setattr(rivals_judge, "MANY", 10**6)
    every = given.compare()._decided
    assert every.evidence.is_complete
    assert few.evidence.better.size <= every.evidence.better.size
    assert few.decision.ranking == every.decision.ranking
    assert few.decision.rejections == every.decision.rejections
    assert few.decision.undecided == every.decision.undecided
    np.testing.assert_array_equal(few.every_pair.probability, every.evidence.probability)
