"""Law "groups" against plain lines and quadrature, and in its limits."""

from math import inf

import numpy as np
import pytest
from scipy import special, stats

import plain
import rivals
from problems import Problem, problem
from rivals.laws import Groups
from rivals.laws.groups import ROUGH_ERROR, ROUGH_POINTS

HORIZONS = (None, 1, 4, inf)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("left_out", [False, True])
def test_p_is_that_of_plain_quadrature(seed, left_out):
    """The grid of the library has 97 points where there is weight; the oracle 4 001 in all."""
    given = problem(seed, left_out=left_out)
    result = given.compare()
    for m in HORIZONS:
        for margin in (0.0, 0.05):
            found = result.at(new_groups=m, margin=margin).probability
            expected = plain.groups_law(
                given.observed, given.groups, given.simulated, m=m, margin=margin, left_out=left_out
            )
            np.testing.assert_allclose(found, expected, atol=2e-6)


@pytest.mark.parametrize("seed", range(40))
def test_risk_and_rejections_are_those_of_plain_lines(seed):
    given = problem(seed, left_out=False)
    result = given.compare()
    risk = plain.mean_over_groups(given.observed, given.groups)
    np.testing.assert_allclose(result.evidence.risk, risk, rtol=1e-12)
    rejected = plain.rejected(risk, result.probability)
    names = result.names
    assert {names[model]: names[by] for model, by in rejected.items()} == {
        model: found.by for model, found in result.rejections.items()
    }


def test_with_points_alike_in_each_group_it_is_a_t_distribution():
    """σ → 0 and a flat τ: t with G − 2 degrees of freedom about the mean, and the scale
    s √((G − 1)/(G − 2) · (1/G + 1/m)).
    """
    rng = np.random.default_rng(0)
    d = 0.3 + 0.5 * rng.standard_normal(6)
    groups = np.repeat(np.arange(6), 2)
    losses = {"A": np.zeros(12), "B": d[groups] + 1e-7 * np.tile([1, -1], 6)}
    for m in (2, 6, inf):
        found = rivals.compare(losses, groups=groups, new_groups=m).probability[0, 1]
        scale = np.std(d, ddof=1) * np.sqrt(5.0 / 4.0 * (1.0 / 6.0 + 1.0 / m))
        assert found == pytest.approx(stats.t(4).cdf(d.mean() / scale), abs=1e-6)


def test_with_groups_that_do_not_differ_it_tends_to_the_paired_difference():
    """τ = 0 as a prior of scale 0 would say: P(∞ groups) → Φ(d̄/se)."""
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(400), 25)
    gap = rng.standard_normal(groups.size)
    gap += 0.01 - gap.mean()
    found = rivals.compare(
        {"A": np.zeros(gap.size), "B": gap}, groups=groups, new_groups=inf
    ).probability[0, 1]
    score = 0.01 / (gap.std() / np.sqrt(gap.size))
    assert found == pytest.approx(special.ndtr(score), abs=0.02)


def test_more_new_groups_are_surer_where_groups_are_of_one_size():
    given = problem(3, sizes=np.full(9, 20), n_models=2)
    result = given.compare()
    a, b = (result.names.index(name) for name in result.ranking)
    rising = [result.over(m)[a, b] for m in (2, 4, 9, 50, inf)]
    assert all(np.diff(rising) > 0.0)


def test_left_out_groups_are_less_sure_by_kappa_of_twelve_over_g():
    given = problem(5, sizes=np.full(10, 30), n_models=2)
    frozen, left_out, independent = (
        Problem(given.observed, given.groups, None, said).compare(law=Groups(shared_training=kappa))
        for said, kappa in ((False, 12.0), (True, 12.0), (True, 0.0))
    )
    np.testing.assert_array_equal(frozen.probability, independent.probability)
    best = frozen.probability.max()
    assert 0.5 < left_out.probability.max() < best
    assert left_out.law.kappa(left_out.summary) == pytest.approx(1.2)
    assert frozen.law.kappa(frozen.summary) == 0.0


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_a_kappa_that_is_none_is_refused(bad):
    with pytest.raises(ValueError, match="shared_training"):
        Groups(shared_training=bad)


def test_an_interval_is_that_of_the_law():
    given = problem(8, n_models=3)
    result = given.compare(level=0.8)
    low, high = result.law.interval(result.summary, result.setting, 0, np.array([1, 2]))
    law = result.law.differences(result.summary, result.setting, np.array([1, 2]), np.array([0, 0]))
    np.testing.assert_allclose(law.below(low)[0], 0.1, atol=1e-9)
    np.testing.assert_allclose(law.below(high)[0], 0.9, atol=1e-9)


def test_the_misfit_widens_where_there_are_few_groups():
    rng = np.random.default_rng(2)
    groups = np.repeat([0, 1], 200)
    a = rng.exponential(size=400)
    b = a + 0.3 + 0.1 * rng.standard_normal(400)
    found = [
        rivals.compare({"A": (a, a * scale), "B": (b, b * scale)}, groups=groups).probability[0, 1]
        for scale in (1.01, 1.3, 3.0)
    ]
    assert 1.0 > found[0] > found[1] > found[2] > 0.5


def test_too_few_groups_are_refused():
    losses = {"A": np.arange(4.0) ** 2, "B": np.ones(4)}
    with pytest.raises(ValueError, match="pass three or more"):
        rivals.compare(losses, groups=[0, 0, 1, 1])


@pytest.mark.parametrize("option", [{"order": "time"}, {"clusters": [0, 0, 1, 1, 2, 2]}])
def test_dependent_points_have_no_place_beside_groups(option):
    losses = {"A": np.arange(6.0) ** 2, "B": np.ones(6)}
    with pytest.raises(ValueError, match="no place beside groups"):
        rivals.compare(losses, groups=[0, 0, 1, 1, 2, 2], **option)


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
    assert note_codes(single) == {"one point in each group"}


def test_differences_that_go_with_size_are_noted():
    sizes = np.arange(5, 35)
    groups = np.repeat(np.arange(30), sizes)
    base = np.random.default_rng(0).exponential(size=groups.size)
    losses = {"A": base, "B": base + 0.01 * sizes[groups]}
    assert "goes with size" in note_codes(rivals.compare(losses, groups=groups))


@pytest.mark.parametrize("n_groups", [4, 12, 60])
def test_what_is_left_out_of_many_pairs_would_not_have_decided(n_groups):
    """`may_exceed` computes P roughly: wrong by less than a third of what it allows for."""
    given = problem(11, n_models=20, sizes=np.full(n_groups, 8), n_simulations=0)
    result = given.compare()
    a, b = np.triu_indices(20, k=1)
    law = result.law
    zero = np.zeros(a.size)
    rough = law.differences(result.summary, result.setting, a, b, ROUGH_POINTS).below(zero)
    exact = law.differences(result.summary, result.setting, a, b).below(zero)
    assert np.abs(rough - exact).max() < ROUGH_ERROR / 3.0
