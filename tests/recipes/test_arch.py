# needs: arch>=7
"""The model confidence set of arch, by hand and in the table of criteria."""

from __future__ import annotations

import doctest
import sys

import numpy as np
import pytest
from arch.bootstrap import MCS

import rivals
from rivals import criteria
from rivals._random import RESAMPLES, stream
from rivals.criteria import confidence_set

# Annual flow of the Nile at Aswan, 1871-1970, in 10⁸ m³ (Cobb 1978); one-step forecasts of
# four simple rules.
NILE = np.array([
    1120, 1160, 963, 1210, 1160, 1160, 813, 1230, 1370, 1140, 995, 935, 1110, 994, 1020,
    960, 1180, 799, 958, 1140, 1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774, 840,
    874, 694, 940, 833, 701, 916, 692, 1020, 1050, 969, 831, 726, 456, 824, 702, 1120,
    1100, 832, 764, 821, 768, 845, 864, 862, 698, 845, 744, 796, 1040, 759, 781, 865,
    845, 944, 984, 897, 822, 1010, 771, 676, 649, 846, 812, 742, 801, 1040, 860, 874,
    848, 890, 744, 749, 838, 1050, 918, 986, 797, 923, 975, 815, 1020, 906, 901, 1170,
    912, 746, 919, 718, 714, 740,
], dtype=float)  # fmt: skip
FORECASTS = {
    "last year": NILE[9:-1],
    "last five": np.convolve(NILE, np.ones(5) / 5, "valid")[5:-1],
    "last ten": np.convolve(NILE, np.ones(10) / 10, "valid")[:-1],
    "1200 always": np.full(90, 1200.0),
}
SQUARED = {name: ((NILE[10:] - forecast) / 100) ** 2 for name, forecast in FORECASTS.items()}


def gaussian(n, seed, *means):
    y = np.random.default_rng(seed).normal(size=n)
    return {f"{mean:g} ({index})": (y - mean) ** 2 / 2 for index, mean in enumerate(means)}


@pytest.mark.parametrize("block", [1, 5])
def test_the_same_as_by_hand_on_real_data(block):
    found = confidence_set(SQUARED, block=block, level=0.9, rng=4)
    ordered = sorted(SQUARED, key=lambda name: tuple(SQUARED[name]))  # as they are handed over
    by_hand = MCS(
        np.column_stack([SQUARED[name] for name in ordered]),
        size=0.1,
        reps=1000,
        block_size=block,
        seed=stream(4, RESAMPLES),
    )
    by_hand.compute()
    p_values = by_hand.pvalues["Pvalue"]
    assert found.p_values == {name: p_values.loc[ordered.index(name)] for name in SQUARED}
    assert set(found.included) == {ordered[index] for index in by_hand.included}
    assert found.excluded == ("1200 always",)
    best = min(SQUARED, key=lambda name: SQUARED[name].mean())
    gap = SQUARED["1200 always"] - SQUARED[best]
    assert found.differences["1200 always"] == pytest.approx(
        (gap.mean(), gap.std(ddof=1) / np.sqrt(90)), rel=1e-12
    )


def test_seeds_repeat_and_are_kept():
    first = confidence_set(SQUARED, rng=np.random.default_rng(8))
    assert confidence_set(SQUARED, rng=first.entropy).p_values == first.p_values
    assert confidence_set(SQUARED, rng=1).p_values != first.p_values


def test_the_order_and_copies_of_models_do_not_matter():
    plain = confidence_set(SQUARED, rng=0).p_values
    turned = confidence_set(
        dict(reversed(SQUARED.items())) | {"copy": SQUARED["last ten"]}, rng=0
    ).p_values
    assert {name: turned[name] for name in SQUARED} == plain
    assert turned["copy"] == plain["last ten"]


def test_a_clear_loser_is_excluded_and_the_rest_kept():
    found = confidence_set(gaussian(400, 0, 0.05, -0.05, 0.7), rng=0)
    assert found.included == ("0.05 (0)", "-0.05 (1)")
    assert found.p_values["0.7 (2)"] < 0.01


def test_p_values_of_two_equally_good_models_are_uniform():
    """With two models the smaller p-value is that of a two-sided test of equal risks:
    uniform, if they are equal.

    The exact models have the same risk. 300 data sets; the part at or below 0.1 and 0.5 has
    a standard error of 0.017 and 0.029; the bootstrap of 200 points is itself off by about
    1/200, and p-values are multiples of 1/200. Limits are at 4 standard errors.
    """
    smallest = [
        min(
            confidence_set(
                gaussian(200, seed, 0.2, -0.2), n_resamples=200, rng=seed
            ).p_values.values()
        )
        for seed in range(300)
    ]
    for level, error in ((0.1, 0.017), (0.5, 0.029)):
        assert abs(np.mean(np.array(smallest) <= level) - level) < 4 * error + 0.01


def test_scores_are_compared_by_their_elpd():
    """Of scores that are higher for better models, as those of loo and waic; MCS of the
    losses is the same.
    """
    y = np.random.default_rng(1).normal(size=100)
    mu = np.random.default_rng(2).normal(scale=0.1, size=(500, 1))
    draws = {"centred": -((y - mu) ** 2) / 2, "shifted": -((y - 0.4 - mu) ** 2) / 2}
    scores = {name: criteria.waic(of_model) for name, of_model in draws.items()}
    found = confidence_set(scores, rng=0)
    assert found.criterion == "elpd (WAIC)"
    value, error = criteria.difference(scores["shifted"], scores["centred"])
    assert found.differences["shifted"] == (value, error)
    assert value < -3 * error
    assert found.excluded == ("shifted",)
    from_losses = confidence_set(
        {name: rivals.Losses(-score.pointwise) for name, score in scores.items()}, rng=0
    )
    assert from_losses.p_values == found.p_values


def test_the_row_of_the_table():
    fitted = {
        name: criteria.Fitted(-losses, 1, test_losses=losses) for name, losses in SQUARED.items()
    }
    table = criteria.table(fitted, rng=5)
    row = table["MCS"]
    assert row.difference.tolist() == list(confidence_set(SQUARED, rng=5).p_values.values())
    assert "MCS" not in table.omitted
    assert str(row.variations) == "in-distribution"
    shifted = {
        "a": fitted["last year"],
        "b": criteria.Fitted([-1.0] * 90, 1, test_losses=SQUARED["last year"] + 1),
    }
    assert "differ by the same amount" in criteria.table(shifted).omitted["MCS"]


def test_the_examples_that_need_arch_are_true():
    module = sys.modules["rivals.criteria.confidence_set"]
    [example] = doctest.DocTestFinder(recurse=False).find(confidence_set, globs=vars(module).copy())
    for line in example.examples:
        line.options.clear()
    assert doctest.DocTestRunner().run(example).failed == 0
