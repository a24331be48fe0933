"""The degenerate lattice: no combination of ties, zeros, rounding and huge shared parts may make
what a comparison says not finite, jump, or depend on order and labels; and it is the plain lines'.

Every combination of {2, 3, 8 groups} × {no simulations; misfit zero, of rounding, normal} ×
{variance within groups zero, of rounding, normal} × {ties or not} × {part that all models share: 0,
10⁶, 10¹²}, under each law and over each horizon.
"""

import itertools
import json
from math import inf

import numpy as np
import pytest

import plain
import rivals
from rivals.laws import Beta

MISFITS = ("none", "zero", "rounding", "normal")
WITHIN = ("zero", "rounding", "normal")
TIES = (False, True)
SHARED = (0.0, 1e6, 1e12)
HORIZONS = (None, 1, inf)
SIZES = {2: (6, 9), 3: (6, 6, 9), 8: (6, 6, 9, 2, 12, 6, 3, 6)}
CASES = list(itertools.product(SIZES, MISFITS, WITHIN, TIES, SHARED))


def losses(n_groups, misfit, within, ties, shared, seed=0):
    """Observed and simulated losses of three models × points, and the group of each point."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_groups), SIZES[n_groups])
    effects = rng.standard_normal((3, n_groups)).round(1 if ties else 15)[:, groups]
    spread = {"zero": 0.0, "rounding": 1e-12, "normal": 0.5}[within]
    noise = spread * rng.standard_normal((3, groups.size))
    common = shared * rng.standard_normal(groups.size) + shared
    if ties:
        noise = noise.round(1)
        common = common.round(-3)
    observed = common + effects + noise
    if misfit == "none":
        return observed, groups, None
    moved = {"zero": 0.0, "rounding": 1e-12, "normal": 0.7}[misfit]
    simulated = observed[:, None] + moved * rng.exponential(size=(3, 2, groups.size))
    return observed, groups, simulated


def compare(observed, groups, simulated, names=("a", "b", "c"), **options):
    drawn = [None] * len(names) if simulated is None else simulated
    models = {
        name: rivals.Losses(x, s, left_out=False)
        for name, x, s in zip(names, observed, drawn, strict=True)
    }
    return rivals.compare(models, groups=groups, rng=0, **options)


def said(result):
    """Everything that is said; refuses what is not finite, as JSON does."""
    text = json.dumps(result.to_dict(), allow_nan=False)
    assert "nan" not in f"{result}{result.details()}{result.methods()}".lower()
    probability = np.asarray(result.probability)
    assert ((probability >= 0.0) & (probability <= 1.0)).all()
    np.testing.assert_allclose(probability + probability.T, 1.0, atol=1e-9)
    return text


@pytest.mark.parametrize(("n_groups", "misfit", "within", "ties", "shared"), CASES)
def test_law_groups(n_groups, misfit, within, ties, shared):
    observed, groups, simulated = losses(n_groups, misfit, within, ties, shared)
    if n_groups == 2:
        with pytest.raises(ValueError, match="three or more"):
            compare(observed, groups, simulated)
        return
    order = np.random.default_rng(1).permutation(groups.size)
    labels = np.array(list("hgfedcba"))[groups]
    nudge = 1e-12 * np.random.default_rng(2).standard_normal(observed.shape)
    result = compare(observed, groups, simulated)
    same = {
        "order of models": compare(observed[::-1], groups, reverse(simulated), "cba"),
        "order of points, and labels": compare(
            observed[:, order],
            labels[order],
            None if simulated is None else simulated[:, :, order],
        ),
        "losses, by 1e-12": compare(observed + nudge, groups, simulated),
    }
    for m in HORIZONS:
        here = result.at(new_groups=m)
        said(here)
        expected = plain.groups_law(observed, groups, simulated, m=m)
        np.testing.assert_allclose(here.probability, expected, atol=1e-6)
        for what, other in same.items():
            found = other.at(new_groups=m if m else n_groups).probability
            if what == "order of models":
                found = found[::-1, ::-1]
            np.testing.assert_allclose(found, here.probability, atol=1e-6, err_msg=what)


def reverse(simulated):
    return None if simulated is None else simulated[::-1]


@pytest.mark.parametrize(("n_groups", "misfit", "within", "ties", "shared"), CASES)
def test_law_transport(n_groups, misfit, within, ties, shared):
    observed, groups, simulated = losses(n_groups, misfit, within, ties, shared)
    if simulated is None:
        with pytest.raises(ValueError, match="measures how far simulations are"):
            compare(observed, None, simulated, method="transport")
        by_rows = compare(observed, None, simulated)
        said(by_rows)
        expected = plain.groups_law(observed, np.arange(groups.size))
        np.testing.assert_allclose(by_rows.probability, expected, atol=1e-6)
        return
    result = compare(observed, None, simulated)
    said(result)
    p = np.asarray(result.probability)
    np.testing.assert_allclose(p, plain.transport_law(observed, simulated), atol=1e-6)
    turned = compare(observed[::-1], None, simulated[::-1], "cba")
    np.testing.assert_allclose(turned.probability[::-1, ::-1], p, atol=1e-6)
    order = np.random.default_rng(1).permutation(groups.size)
    points = compare(observed[:, order], None, simulated[:, :, order])
    np.testing.assert_allclose(points.probability, p, atol=1e-6)
    moved = observed + 1e-12 * np.random.default_rng(2).standard_normal(observed.shape)
    nudged = compare(moved, None, simulated)
    np.testing.assert_allclose(nudged.probability, p, atol=1e-6)


@pytest.mark.parametrize(("n_groups", "misfit", "within", "ties", "shared"), CASES[72:144])
def test_law_beta(n_groups, misfit, within, ties, shared):
    """It draws, so that only what must hold for any draws is asserted."""
    observed, _, simulated = losses(n_groups, misfit, within, ties, shared)
    if simulated is None:
        return
    law = Beta(n_draws=200, depth=6)
    here = compare(observed, None, simulated, method=law)
    said(here)
    again = compare(observed, None, simulated, method=law)
    np.testing.assert_array_equal(here.probability, again.probability)


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("size", [1e6, 1e12])
def test_what_one_model_gets_very_wrong_costs_the_others_nothing(place, size):
    """A point at which one model loses very much: P of the other two is as without that model."""
    observed, groups, simulated = losses(8, "normal", "normal", False, 0.0)
    alone = [each for each in range(3) if each != place]
    expected = plain.groups_law(observed[alone], groups, simulated[alone])
    with_transport = plain.transport_law(observed[alone], simulated[alone])
    observed[place, 4] += size
    found = compare(observed, groups, simulated).probability[np.ix_(alone, alone)]
    np.testing.assert_allclose(found, expected, atol=2e-6)
    found = compare(observed, None, simulated).probability[np.ix_(alone, alone)]
    np.testing.assert_allclose(found, with_transport, atol=1e-6)


def test_a_large_part_that_models_share_costs_no_digits():
    """Issue: a common part of 10⁶ made models whose difference is .318 ± .059 "the same"."""
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(6), 50)
    gap = 0.3 + 0.1 * rng.standard_normal(6)[groups] + 0.05 * rng.standard_normal(300)
    alone = compare(np.stack([np.zeros(300), gap]), groups, None, ("a", "b"))
    for common in (1e6 * rng.standard_normal(300), 3e8 * (np.arange(300) == 7)):
        found = compare(np.stack([common, common + gap]), groups, None, ("a", "b"))
        np.testing.assert_allclose(found.probability, alone.probability, atol=1e-6)
        assert found.rejections.keys() == {"b"}
