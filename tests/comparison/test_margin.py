"""A margin under every law: against brute force, limits, and what is refused."""

import math

import numpy as np
import pytest

import rivals

N = 240
GROUP = np.arange(N) % 12


def models(seed=0, gap=0.15, simulations=6):
    rng = np.random.default_rng(seed)
    shared = rng.exponential(size=N)
    found = {}
    for number, name in enumerate("ABC"):
        effect = rng.normal(gap * number, 0.1, 12)[GROUP]
        observed = shared + effect + 0.2 * rng.standard_normal(N)
        found[name] = (observed, 1.05 * rng.exponential(size=(simulations, N)) + gap * number)
    return found


OPTIONS = {
    "transport": {},
    "transport, clusters": {"clusters": GROUP},
    "beta": {"law": rivals.laws.Beta(n_draws=2**14), "c": 0.1},
    "next group": {"groups": GROUP, "new_groups": 1},
    "study repeated": {"groups": GROUP},
    "all groups": {"groups": GROUP, "new_groups": math.inf},
}


@pytest.mark.parametrize("law", OPTIONS)
def test_against_draws_of_the_difference(law):
    """P(R_a < R_b − δ) from 200 000 draws of the law of the difference, within five errors."""
    delta = 0.08
    result = rivals.compare(models(), **OPTIONS[law], margin=delta, rng=0)
    rng = np.random.default_rng(1)
    pairs = [(a, b) for a in range(3) for b in range(3) if a != b]
    for a, b in pairs:
        draws = draws_of_difference(result.applied, a, b, rng)
        expected = np.mean(draws < -delta)
        error = 5 * 0.5 / np.sqrt(draws.size) + (0.01 if law == "beta" else 0.0)
        assert result.deciding[a, b] == pytest.approx(expected, abs=error)
        law_of_it = result.applied.differences(np.array([a]), np.array([b]))
        assert law_of_it.below(np.array([-delta]))[0] == pytest.approx(
            result.deciding[a, b], abs=1e-3 if law == "beta" else 1e-7
        )


def draws_of_difference(applied, a, b, rng, n=200_000):
    """Draws by the definition of each law, not by its formula."""
    if not applied.law.closed_form:
        return rng.choice(applied.draws[a], n) - rng.choice(applied.draws[b], n)
    if applied.law.needs_groups:
        return draws_over_groups(applied, a, b, rng, n)
    paired = applied.paired
    first, second = paired.means[[a, b]]
    misfit = np.sqrt(applied.setting.c * paired.squares[[a, b]])
    covariance = paired.errors.covariance()[np.ix_([a, b], [a, b])]
    moved = rng.standard_normal((n, 2)) * misfit
    variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    whole = moved[:, 0] - moved[:, 1] + np.sqrt(variance) * rng.standard_normal(n)
    if math.isinf(paired.errors.degrees):
        return first - second + whole
    total = variance + misfit @ misfit
    degrees = paired.errors.degrees * (total / variance) ** 2
    return first - second + np.sqrt(total) * rng.standard_t(degrees, n)


def draws_over_groups(applied, a, b, rng, n):
    spread = applied.spread(np.array([a]), np.array([b]))
    point = rng.choice(spread.weight.shape[2], n, p=spread.weight[0, 0])
    mean = rng.normal(spread.centre[0, point], np.sqrt(spread.variance[0, point]))
    tau = spread.tau[0, point]
    m = applied.setting.horizon
    if m > 1:
        return mean + (0.0 if math.isinf(m) else tau / np.sqrt(m) * rng.standard_normal(n))
    pair = applied.grouped.pairs(np.array([a]), np.array([b]))
    shrunk = (pair.differences[0] - spread.centre[0, point][:, None]) / np.sqrt(
        tau[:, None] ** 2 + pair.variances[0]
    )
    shrunk -= shrunk.mean(axis=1, keepdims=True)
    shrunk /= np.sqrt(np.mean(shrunk**2, axis=1, keepdims=True))
    return mean + tau * shrunk[np.arange(n), rng.integers(0, shrunk.shape[1], n)]


@pytest.mark.parametrize("law", OPTIONS)
def test_a_margin_only_makes_rejections_rarer_and_zero_changes_nothing(law):
    plain = rivals.compare(models(), **OPTIONS[law], rng=0)
    zero = rivals.compare(models(), **OPTIONS[law], margin=0.0, rng=0)
    assert zero.rejections == plain.rejections
    np.testing.assert_array_equal(zero.deciding, plain.probability)
    rejected = set(plain.rejections)
    for margin in (0.02, 0.1, 0.3):
        found = rivals.compare(models(), **OPTIONS[law], margin=margin, rng=0)
        np.testing.assert_allclose(found.probability, plain.probability, atol=1e-12)
        assert (found.deciding <= plain.deciding + 1e-12).all()
        assert set(found.rejections) <= rejected
        rejected = set(found.rejections)


@pytest.mark.parametrize("law", OPTIONS)
def test_better_by_and_equivalent_within_are_where_the_margin_changes_the_verdict(law):
    result = rivals.compare(models(gap=0.3), **OPTIONS[law], rng=0)
    other = result.ranking[-1]
    limit = result.better_by[other]
    assert limit > 0
    # Near the threshold law "beta" draws more, which moves P by its Monte Carlo error.
    off = 0.1 if law == "beta" else 1e-6
    for factor, rejected in ((1 - off, True), (1 + off, False)):
        found = rivals.compare(models(gap=0.3), **OPTIONS[law], margin=factor * limit, rng=0)
        best, own = (found.names.index(name) for name in (found.ranking[0], other))
        assert bool(found.deciding[best, own] > 0.95) is rejected
    within = result.equivalent_within[other]
    below, above = (
        rivals.compare(models(gap=0.3), **OPTIONS[law], margin=factor * within, rng=0)
        for factor in (1 - off, 1 + off)
    )
    pair = (result.ranking[0], other)
    assert pair in above.equivalent
    assert pair not in below.equivalent


def test_the_three_ways_and_what_each_is_called():
    rng = np.random.default_rng(2)
    group = np.arange(2000) % 20
    a = rng.exponential(size=2000)
    near = a + 0.001 * rng.standard_normal(2000) + 0.001
    far = a + 0.5 + 0.1 * rng.standard_normal(20)[group]
    unsure = a + 0.1 + 0.3 * rng.standard_normal(20)[group]
    given = {"A": a, "near": near, "far": far, "unsure": unsure}
    result = rivals.compare(given, groups=group, margin=0.05, rng=0)
    best = {name: result.best_is[name] for name in given if name != result.ranking[0]}
    assert best["far"] == "better"
    assert best["near"] == "equivalent"
    assert best["unsure"] in ("undecided", "not worse")
    assert ("A", "near") in result.equivalent
    assert "best is" in str(result)
    assert "equivalent to near" in result.conclusion


def test_equivalence_is_refused_below_eight_groups_and_without_a_margin():
    few = rivals.compare(models(), groups=np.arange(N) % 7, margin=0.2, rng=0)
    with pytest.raises(ValueError, match=r"not stated from 7 groups.*take more groups"):
        few.equivalent  # noqa: B018
    assert "Equivalence is not stated from 7 groups" in str(few)
    assert "equivalent" not in few.best_is.values()
    with pytest.raises(ValueError, match="equivalent needs a margin"):
        rivals.compare(models(), rng=0).equivalent  # noqa: B018


@pytest.mark.parametrize("margin", [-0.1, math.inf, math.nan])
def test_other_margins_are_refused(margin):
    with pytest.raises(ValueError, match="margin must be a finite number, 0 or more"):
        rivals.compare(models(), margin=margin, rng=0)
    with pytest.raises(TypeError, match="margin must be a number"):
        rivals.compare(models(), margin="1 nat", rng=0)


def test_a_margin_larger_than_every_difference_is_said():
    found = rivals.compare(models(), margin=50.0, rng=0)
    assert not found.rejections
    assert "larger than every difference" in str(found)
    assert len(found.equivalent) == 3
