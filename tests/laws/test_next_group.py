"""The next group takes after the residuals of those at hand: the residual law of one new group."""

import itertools

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr

import rivals
from rivals.laws.differences import quantile

NORMAL = rivals.laws.Groups(residuals=False)


def by_quadrature(differences, variances, scale, value=0.0):
    """E_τ mean_g Φ((value − μ̂ − r_g)/√V), r_g shrunk, centred and of variance τ²; written anew."""

    def given(tau):
        precision = 1.0 / (tau**2 + variances)
        centre = precision @ differences / precision.sum()
        misfit = precision @ (differences - centre) ** 2
        log = 0.5 * (np.log(precision).sum() - np.log(precision.sum()) - misfit)
        log -= 2.0 * np.log1p((tau / scale) ** 2 / 3.0)
        residual = (differences - centre) * np.sqrt(tau**2 / (tau**2 + variances))
        residual -= residual.mean()
        residual *= tau / np.sqrt(np.mean(residual**2))
        std = np.sqrt(1.0 / precision.sum())
        return log, np.mean(ndtr((value - centre - residual) / std))

    edges = np.linspace(np.log(scale) - 8, np.log(scale) + 8, 60)
    highest = max(given(np.exp(u))[0] + u for u in edges)

    def integral(of):
        pieces = itertools.pairwise(edges)
        return sum(quad(of, low, high, epsrel=1e-9)[0] for low, high in pieces)

    def weight(u):
        return np.exp(given(np.exp(u))[0] + u - highest)

    return integral(lambda u: weight(u) * given(np.exp(u))[1]) / integral(weight)


def skewed(n_groups, seed=0, n=30):
    """A is ahead in most groups, and far behind in a few."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(n_groups), n)
    a = rng.exponential(size=group.size)
    effect = 0.5 - 0.4 * rng.exponential(size=n_groups)
    b = a + effect[group] + 0.3 * rng.standard_normal(group.size)
    simulated = [1.3 * rng.exponential(size=(4, group.size)) for _ in "ab"]
    return {"A": (a, simulated[0]), "B": (b, simulated[1])}, group


@pytest.mark.parametrize("n_groups", [8, 13, 40])
def test_against_quadrature(n_groups):
    models, group = skewed(n_groups)
    result = rivals.compare(models, groups=group, new_groups=1, rng=0)
    applied = result.applied
    first, second = np.array([0]), np.array([1])
    pair = applied.grouped.pairs(first, second)
    differences = pair.differences
    variances = pair.variances
    squares = applied.grouped.squares
    scale = np.sqrt(0.5 * result.c * (squares[0] + squares[1]))
    expected = by_quadrature(differences[0], variances[0], scale)
    assert result.probability[0, 1] == pytest.approx(expected, abs=1e-5)
    law = applied.new_difference(0, 1)
    assert law.below(np.zeros(1))[0] == pytest.approx(expected, abs=1e-5)
    moved = by_quadrature(differences[0], variances[0], scale, value=-0.1)
    assert law.below(np.full(1, -0.1))[0] == pytest.approx(moved, abs=1e-5)


def test_below_eight_groups_it_is_blended_with_the_normal_law():
    """Half of each with four groups; the other horizons do not know it."""
    models, group = skewed(4, seed=2)
    blended = rivals.compare(models, groups=group, rng=0)
    normal = rivals.compare(models, law=NORMAL, groups=group, rng=0)
    pair = blended.applied.grouped.pairs(np.array([0]), np.array([1]))
    squares = blended.applied.grouped.squares
    scale = np.sqrt(0.5 * blended.c * (squares[0] + squares[1]))
    residual = by_quadrature(pair.differences[0], pair.variances[0], scale)
    expected = 0.5 * residual + 0.5 * normal.over(1)[0, 1]
    assert blended.over(1)[0, 1] == pytest.approx(expected, abs=1e-5)
    np.testing.assert_array_equal(blended.probability, normal.probability)


def test_it_is_nearer_to_the_part_of_the_groups_that_were_won():
    models, group = skewed(60, seed=1, n=200)
    result = rivals.compare(models, groups=group, rng=0)
    normal = rivals.compare(models, law=NORMAL, groups=group, rng=0)
    won = result.won[0, 1] / 60
    assert abs(result.over(1)[0, 1] - won) < abs(normal.over(1)[0, 1] - won)


def test_the_law_of_a_new_difference_has_the_mean_and_variance_of_the_normal_one():
    models, group = skewed(20)
    laws = [
        rivals.compare(models, law=law, groups=group, rng=0).applied.new_difference(0, 1)
        for law in ("groups", NORMAL)
    ]
    assert laws[0].mean[0] == pytest.approx(laws[1].mean[0], abs=1e-9)
    assert laws[0].deviation[0] == pytest.approx(laws[1].deviation[0], rel=1e-6)
    middle = quantile(laws[0], 0.5)
    assert laws[0].below(middle)[0] == pytest.approx(0.5, abs=1e-9)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e200, 1e290])
def test_deviations_of_extreme_scale(scale):
    """Squares of the losses overflow, or are 0, and
    so was the deviation, or infinite, with a warning.
    """
    models, group = skewed(20)
    plain = rivals.compare(models, groups=group, rng=0)
    scaled = {name: tuple(scale * part for part in pair) for name, pair in models.items()}
    found = rivals.compare(scaled, groups=group, rng=0)
    np.testing.assert_allclose(
        found.applied.risk_std, scale * plain.applied.risk_std, rtol=1e-9, atol=0
    )


@pytest.mark.parametrize("n_groups", [3, 5, 10, 30])
def test_one_of_two_models_is_ahead_whichever_comes_first(n_groups):
    """Points of the grid that weigh little had been left out: P and 1 − P missed 1 by 1e-8."""
    rng = np.random.default_rng(n_groups)
    groups = np.arange(240) % n_groups
    a = rng.gamma(2.0, size=groups.size)
    b = a + 0.2 + rng.normal(0.0, 0.2, n_groups)[groups] + 0.5 * rng.normal(size=groups.size)
    forth = rivals.compare({"a": a, "b": b}, groups=groups).over(1)
    back = rivals.compare({"b": b, "a": a}, groups=groups).over(1)
    # Sums over a hundred points of the grid and thirty groups, each rounded to 1e-16.
    assert abs(forth[0, 1] - back[1, 0]) < 1e-12
