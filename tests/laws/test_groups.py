"""Method "groups" against plain lines, and in its limits."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest

import plain
import rivals
from problems import Problem, problem

HORIZONS = (None, 1, 4, inf)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("left_out", [False, True])
def test_p_is_that_of_plain_lines(seed, left_out):
    given = problem(seed, left_out=left_out)
    result = given.compare()
    for m in HORIZONS:
        for margin in (0.0, 0.05):
            found = result.at(new_groups=m, margin=margin).probability
            expected = plain.groups_law(
                given.observed, given.groups, given.simulated, m=m, margin=margin, left_out=left_out
            )
            np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_risk_and_rejections_are_those_of_plain_lines(seed):
    given = problem(seed, left_out=False)
    result = given.compare()
    risk = plain.mean_over_groups(given.observed, given.groups)
    np.testing.assert_allclose(result._decided.evidence.risk, risk, rtol=1e-12)
    rejected = plain.rejected(risk, result.probability)
    names = list(result.risk)
    assert {names[model]: names[by] for model, by in rejected.items()} == {
        model: found.by for model, found in result.rejections.items()
    }


def test_more_new_groups_are_surer_where_groups_are_of_one_size():
    given = problem(3, sizes=np.full(9, 20), n_models=2)
    result = given.compare()
    a, b = (list(result.risk).index(name) for name in result.ranking)
    rising = [result.at(new_groups=m).probability[a, b] for m in (2, 4, 9, 50, inf)]
    assert all(np.diff(rising) > 0.0)


def test_left_out_groups_are_less_sure():
    given = problem(5, sizes=np.full(10, 30), n_models=2)
    frozen, left_out = (
        Problem(given.observed, given.groups, None, said).compare() for said in (False, True)
    )
    assert 0.5 < left_out.probability.matrix.max() < frozen.probability.matrix.max()


def test_what_fits_share_is_taken_where_it_is_known():
    given = problem(5, sizes=np.full(10, 30), n_models=3)
    summary = Problem(given.observed, given.groups, None, True).compare().summary
    nothing = replace(summary, shared=np.zeros((3, 3)))
    much = replace(summary, shared=np.full((3, 3), summary.gaps.var()))
    found = [rivals.compare(each).probability.matrix.max() for each in (nothing, summary, much)]
    assert found[0] > found[1] > found[2] > 0.5
    assert rivals.GroupSummaries.from_json(much.to_json()).shared.tolist() == much.shared.tolist()
    parts = rivals.compare(much).beside("a" if "a" in much.models else much.models[0]).parts
    assert (parts["training"] > 0.0).all()


def test_the_lower_mean_is_always_the_favourite():
    for seed in range(40):
        result = problem(seed, n_simulations=0).compare()
        for m in (1, None, inf):
            p, risk = result.at(new_groups=m).probability.matrix, result._decided.evidence.risk
            assert ((risk[:, None] < risk) <= (p >= 0.5)).all()
        assert result.best == result.ranking[0]


def test_an_interval_excludes_zero_where_p_says_so():
    for seed in range(20):
        result = problem(seed, n_simulations=0).compare(level=0.9, threshold=0.95)
        beside = result.beside(result.ranking[0])
        np.testing.assert_array_equal(beside.low > 0.0, beside.better > 0.95)


def test_c_has_no_meaning():
    with pytest.raises(ValueError, match="no meaning beside groups"):
        problem(3).compare(c=1.0)


def test_an_interval_is_that_of_the_law():
    given = problem(8, n_models=3)
    result = given.compare(level=0.8)
    low, high = result._decided.reduced.interval(result.setting, np.array([1, 2]), np.array([0, 0]))
    law = result.method.differences(
        result.summary, result.setting, np.array([1, 2]), np.array([0, 0])
    )
    np.testing.assert_allclose(law.below(low)[0], 0.1, atol=1e-9)
    np.testing.assert_allclose(law.below(high)[0], 0.9, atol=1e-9)


def test_too_few_groups_are_refused():
    losses = {"A": np.arange(4.0) ** 2, "B": np.ones(4)}
    with pytest.raises(ValueError, match="pass three or more"):
        rivals.compare(losses, groups=[0, 0, 1, 1])


def test_dependent_points_have_no_place_beside_groups():
    losses = {"A": np.arange(6.0) ** 2, "B": np.ones(6)}
    with pytest.raises(ValueError, match="no place beside groups"):
        rivals.compare(losses, groups=[0, 0, 1, 1, 2, 2], clusters=[0, 0, 1, 1, 2, 2])


def note_codes(result):
    return {note.code for note in result.notes}


def test_notes_of_sizes_and_training():
    sizes = [2] * 10 + [400]
    unequal = problem(4, sizes=sizes, n_models=2, left_out=True).compare()
    assert {"unequal sizes", "left out"} <= note_codes(unequal)
    said = problem(4, sizes=[20] * 10, n_models=2, left_out=False).compare()
    assert note_codes(said) == set()
    unsaid = problem(4, sizes=[20] * 10, n_models=2).compare()
    assert note_codes(unsaid) == {"training not said"}
    single = problem(4, sizes=[1] * 10, n_models=2, left_out=False).compare()
    assert note_codes(single) == set()


def test_differences_that_go_with_size_are_noted():
    sizes = np.arange(5, 35)
    groups = np.repeat(np.arange(30), sizes)
    base = np.random.default_rng(0).exponential(size=groups.size)
    losses = {"A": base, "B": base + 0.01 * sizes[groups]}
    assert "goes with size" in note_codes(rivals.compare(losses, groups=groups))


def test_weak_places_are_noted():
    few = problem(4, sizes=[40] * 4, n_models=2, left_out=False).compare()
    assert "few groups" in note_codes(few)
    small = problem(4, sizes=[9] * 10, n_models=2, left_out=False).compare()
    assert "small groups" in note_codes(small)
    groups = np.repeat(np.arange(12), 20)
    base = np.random.default_rng(0).normal(size=240)
    rare = base + 5.0 * (groups == 3) + 0.01 * groups
    result = rivals.compare({"a": rivals.Losses(base), "b": rivals.Losses(rare)}, groups=groups)
    (note,) = [note for note in result.notes if note.code == "one unit"]
    assert note.models[-1] == "3"
    assert "(3, " in result.details()
    plain_one = problem(4, sizes=[40] * 10, n_models=2, left_out=False).compare()
    assert note_codes(plain_one) == set()


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n_groups", [6, 31])
def test_p_knows_neither_the_order_of_rows_nor_the_unit_of_the_loss(seed, n_groups):
    """Antisymmetric, the same for any order of points and models, any scale and shift."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(n_groups), rng.integers(3, 30, n_groups))
    effect = rng.normal(size=(4, n_groups))[:, group]
    losses = effect + rng.exponential(size=(4, group.size))

    def p(values, labels, names="abcd"):
        given = {
            name: rivals.Losses(x, left_out=True) for name, x in zip(names, values, strict=True)
        }
        found = rivals.compare(given, groups=labels).probability
        return np.array([[found[a, b] for b in "abcd"] for a in "abcd"])

    expected = p(losses, group)
    np.testing.assert_allclose(expected + expected.T, 1.0, atol=1e-12)
    order = rng.permutation(group.size)
    np.testing.assert_allclose(p(losses[:, order], group[order]), expected, atol=1e-9)
    np.testing.assert_allclose(p(losses[::-1], group, "dcba"), expected, atol=1e-9)
    np.testing.assert_allclose(p(1e3 * losses - 7.0, group), expected, atol=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_a_worse_model_changes_no_p_of_the_others(seed):
    given = problem(seed, n_models=4, sizes=[20] * 12, n_simulations=0, left_out=False)
    without = given.compare()
    worse = {
        **given.losses,
        "worse": rivals.Losses(given.observed.max(axis=0) + 1.0, left_out=False),
    }
    found = rivals.compare(worse, groups=given.groups)
    for a in without.ranking:
        for b in without.ranking:
            assert found.probability[a, b] == pytest.approx(without.probability[a, b], abs=1e-12)
