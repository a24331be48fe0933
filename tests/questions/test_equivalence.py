"""Practical equivalence: three outcomes that add up to one; refused where it cannot be shown."""

import numpy as np
import pytest

import rivals
from problems import problem
from rivals._questions.equivalence import LEAST_GROUPS
from samples import rows_of


def pair(gap, spread, n_groups=20, seed=0):
    """Two models whose difference has this mean and this spread between groups."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_groups), 30)
    a = rng.exponential(size=groups.size)
    effect = gap + spread * rng.standard_normal(n_groups)
    b = a + effect[groups] + 0.05 * rng.standard_normal(groups.size)
    return rivals.compare({"A": a, "B": b}, groups=groups)


@pytest.mark.parametrize(
    ("gap", "margin", "decision"),
    [(0.0, 0.5, "equivalent"), (1.0, 0.5, "better"), (0.5, 0.5, "open")],
)
def test_three_outcomes(gap, margin, decision):
    found = pair(gap, 0.1).equivalence(margin)
    assert found.outcomes == (decision,)
    total = np.array(found.better) + found.equivalent + found.worse
    np.testing.assert_allclose(total, 1.0, atol=1e-12)


def test_outcomes_are_those_of_the_law():
    result = pair(0.05, 0.1)
    found = result.equivalence(0.06)
    at_margin = result.at(margin=0.06)
    best = list(result.risk).index(result.best)
    assert found.better[0] == pytest.approx(at_margin.probability[best, 1 - best], abs=1e-12)
    assert found.worse[0] == pytest.approx(at_margin.probability[1 - best, best], abs=1e-12)


def test_a_larger_margin_is_surer():
    result = pair(0.05, 0.1)
    rising = [result.equivalence(margin).equivalent[0] for margin in (0.02, 0.1, 0.3, 1.0)]
    assert np.all(np.diff(rising) > 0.0)


def test_a_margin_below_the_spread_is_said_to_show_nothing_reliably():
    result = pair(0.0, 0.3)
    assert result.equivalence(0.1).notes
    assert not result.equivalence(1.0).notes


def test_that_is_said_where_the_margin_is_that_of_the_decision():
    said = "nothing shows equivalence reliably"
    assert said in pair(0.0, 0.3).at(margin=0.1).details()
    assert said not in pair(0.0, 0.3).at(margin=1.0).details()
    sure = pair(0.0, 0.3, n_groups=160, seed=1).at(margin=0.2)
    assert "Equivalent to" in sure.conclusion
    assert said in sure.conclusion


def test_it_stands_in_the_decision_where_there_is_a_margin():
    result = pair(0.0, 0.05).at(margin=0.3)
    decisions = [row["decision"] for row in rows_of(result.table)]
    assert decisions == ["best", "equivalent"]
    assert "Equivalent to" in result.conclusion
    assert "No winner is named" not in result.conclusion


@pytest.mark.parametrize("margin", [0.0, -1.0, np.nan, np.inf, "x", None])
def test_no_margin_is_refused(margin):
    with pytest.raises((TypeError, ValueError), match="margin"):
        pair(0.0, 0.1).equivalence(margin if margin is not None else "none")


def test_what_cannot_show_it_is_refused():
    with pytest.raises(ValueError, match="one data set cannot show"):
        rivals.compare(problem(1, n_simulations=1).without_groups).equivalence(0.1)
    with pytest.raises(ValueError, match="11 groups cannot show it"):
        pair(0.0, 0.1, LEAST_GROUPS - 1).equivalence(0.1)
    few = pair(0.0, 0.01, LEAST_GROUPS - 1).at(margin=0.3)
    assert {row["decision"] for row in rows_of(few.table)} == {"best", "not rejected"}
    assert "equivalent is not judged" in few.details()
