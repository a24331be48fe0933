"""How three probabilities are tied together (docs/theory.md, "Transitivity"), and what follows for
the rejection rule.

A sample of draws is a die: for independent draws the bounds hold exactly, without any Monte Carlo
error.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import rivals
from rivals.core.verdict import probability_below, probability_matrix
from rivals.laws import Beta
from rivals.method.rule import reject

GOLDEN = (1 + 5**0.5) / 2
ROUNDING = 1e-12


def p(first, second) -> float:
    return probability_below(
        np.sort(np.asarray(first, dtype=float)), np.sort(np.asarray(second, dtype=float))
    )[0]


def gaussian(mean, width=1.0):
    return rivals.Candidate(
        loss=lambda y: np.log(width) + ((y - mean) / width) ** 2 / 2,
        simulate=lambda n, rng: mean + width * rng.standard_normal(n),
    )


def triples(probability):
    """P(A < B), P(B < C), P(A < C) of all triples of models."""
    for a, b, c in itertools.permutations(range(len(probability)), 3):
        yield probability[a, b], probability[b, c], probability[a, c]


def test_above_one_half_is_not_transitive():
    """Classic dice: each beats the next with probability 5/9, in a circle."""
    a, b, c = [1, 6, 8], [2, 4, 9], [3, 5, 7]
    assert p(a, b) == p(b, c) == p(c, a) == 5 / 9


def test_dice_transitivity_of_all_small_dice():
    """α ≤ 1 − βγ for P(A < B), P(B < C), P(C < A) in increasing order, for all dice of three faces
    without ties.
    """
    checked = 0
    for a in itertools.combinations(range(9), 3):
        others = [face for face in range(9) if face not in a]
        for b in itertools.combinations(others, 3):
            c = [face for face in others if face not in b]
            lowest, middle, highest = sorted((p(a, b), p(b, c), p(c, a)))
            assert lowest <= 1 - middle * highest + ROUNDING
            checked += 1
    assert checked == 1680


@pytest.mark.parametrize("ties", [False, True])
def test_the_product_bounds_the_third_above_the_golden_ratio(ties):
    """P(A < C) ≥ P(A < B) P(B < C) where both exceed 1/φ, for any dice; ties count half."""
    rng = np.random.default_rng(0)
    checked = 0
    for _ in range(1500):
        dice = [
            rng.choice(rng.integers(0, 12, 3), 8) + (0 if ties else rng.random(8)) for _ in range(3)
        ]
        probability, _ = probability_matrix([np.sort(die.astype(float)) for die in dice])
        for ab, bc, ac in triples(probability):
            if min(ab, bc) > 1 / GOLDEN:
                checked += 1
                assert ac >= ab * bc - ROUNDING
    assert checked > 500


@pytest.mark.parametrize(
    ("first", "second"), [(0.7, 0.7), (0.9, 0.65), (0.98, 0.98), (1 / GOLDEN, 1 / GOLDEN)]
)
def test_the_product_is_reached(first, second):
    """B is certain, A is just below it or far above, C just above it or far below: so there is no
    better bound.
    """
    n = 1000
    k, m = round(first * n), round(second * n)
    a = np.repeat([-1.0, 2.0], [k, n - k])
    c = np.repeat([-2.0, 1.0], [n - m, m])
    b = np.zeros(1)
    assert (p(a, b), p(b, c)) == (k / n, m / n)
    assert p(a, c) == pytest.approx(k * m / n**2, abs=ROUNDING)
    if (
        first == second == 1 / GOLDEN
    ):  # the largest probability with which three can beat each other in a circle
        assert min(p(a, b), p(b, c), p(c, a)) == pytest.approx(1 / GOLDEN, abs=1 / n)


def test_below_the_golden_ratio_the_product_is_no_bound():
    """P(A < B) = P(B < C) = 0.6, and P(A < C) is 2 − 1/0.6 = 1/3, not 0.36."""
    a, b, c = np.repeat([-2.0, 1.0], [1, 2]), np.repeat([-1.0, 2.0], [3, 2]), np.zeros(1)
    assert (p(a, b), p(b, c)) == (pytest.approx(0.6), pytest.approx(0.6))
    assert p(a, c) == pytest.approx(1 / 3)


@pytest.mark.parametrize("c", [2**-6, 2**-4, 2**-2, 1.0])
def test_law_beta_is_dice_transitive(c):
    """Risks are drawn independently, so the bound holds exactly on the probabilities that `compare`
    reports.
    """
    models = {
        f"{mean:g}, {width:g}": gaussian(mean, width)
        for mean in (0, 0.4, 0.7)
        for width in (0.9, 1.5)
    }
    data = np.random.default_rng(3).standard_normal(600)
    probability = rivals.compare(
        models, data, law=Beta(n_draws=1000, max_draws=1000), c=c, rng=0
    ).probability
    checked = 0
    for ab, bc, ac in triples(probability):
        if min(ab, bc) > 1 / GOLDEN:
            checked += 1
            assert ac >= ab * bc - ROUNDING
    assert checked >= 10


@pytest.mark.parametrize("c", [2**-10, 2**-6, 1.0])
def test_law_transport_keeps_the_smaller_of_two(c):
    """Risks are jointly Gaussian, the sampling errors paired: P(A < C) ≥ min(P(A < B), P(B < C))
    where both exceed ½.
    """
    models = {
        f"{mean:g}, {width:g}": gaussian(mean, width)
        for mean in (0, 0.05, 0.1, 0.3)
        for width in (0.95, 1, 1.5)
    }
    data = np.random.default_rng(3).standard_normal(600)
    probability = rivals.compare(models, data, law="transport", c=c, rng=0).probability
    checked = 0
    for ab, bc, ac in triples(probability):
        if min(ab, bc) > 0.5:
            checked += 1
            assert ac >= min(ab, bc) - ROUNDING
    assert checked >= 100


def test_rejections_form_no_circle_and_the_best_survives():
    """Even of dice that beat each other in a circle: only a model of lower empirical risk may
    reject.
    """
    a, b, c = ([1.0, 6, 8], [2.0, 4, 9], [3.0, 5, 7])
    probability, _ = probability_matrix([np.array(die) for die in (a, b, c)])
    for risk in itertools.permutations((0.1, 0.2, 0.3)):
        rejections = reject(np.array(risk), probability, threshold=0.55)
        assert int(np.argmin(risk)) not in rejections
        assert all(risk[duel.rival] < risk[model] for model, duel in rejections.items())


def test_a_chain_above_the_root_of_the_threshold_rejects():
    """B rejected by A and C by B, both with more than √ε: A rejects C with more than ε. With less,
    it need not.
    """
    threshold, n = 0.95, 1000
    for strength, rejected in ((threshold**0.5 + 1 / n, {1, 2}), (0.96, {1})):
        k = round(strength * n)
        # The worst case, in which the product is reached.
        a, b, c = (
            np.repeat([-1.0, 2.0], [k, n - k]),
            np.zeros(n),
            np.repeat([-2.0, 1.0], [n - k, k]),
        )
        probability, _ = probability_matrix([a, b, c])
        by_a = reject(np.array([0.1, 0.2, 0.3]), probability, threshold)
        assert {model for model, duel in by_a.items() if duel.rival == 0} == rejected
        assert set(by_a) == {1, 2}  # C is rejected by B in any case, although B is rejected too


def circle(seed, sizes):
    """The least of three probabilities with which three models beat each other in a circle, in the
    better direction.
    """
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    losses = {
        name: rng.normal(0, 1, len(sizes))[groups] + noise * rng.normal(0, 1, groups.size)
        for name, noise in (("A", 0.1), ("B", 1.0), ("C", 6.0))
    }
    p = rivals.compare(losses, groups=groups, rng=0).probability
    return max(min(p[0, 1], p[1, 2], p[2, 0]), min(p[1, 0], p[2, 1], p[0, 2]))


def test_law_groups_may_go_round_in_a_circle_where_groups_differ_in_size():
    """Each pair is fitted by itself, and weighs the groups in its own way: three models beat each
    other with 0.54.
    """
    assert circle(122, sizes=[4, 12, 40, 120]) > 0.54


def test_law_groups_goes_round_in_no_circle_where_groups_are_of_one_size():
    """All pairs then weigh the groups alike: the lower mean has the larger probability."""
    assert all(circle(seed, sizes=[30, 30, 30, 30]) <= 0.5 + 1e-9 for seed in range(20))
