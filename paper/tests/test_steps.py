"""The comparison in steps: c falls as candidates are rejected."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import rivals
from rivals.testbeds.toys import gaussian
from rivals_paper.steps import compare_in_steps

# Calibrations with given outcomes are made as the tests of the library make them.
HELPERS = Path(__file__).parents[2] / "tests" / "calibration"
if not HELPERS.exists():
    pytest.skip("an sdist has not the tests of the library", allow_module_level=True)
sys.path.append(str(HELPERS))

from test_validity import C, several  # noqa: E402

MODELS = {"A": gaussian(0.0), "B": gaussian(0.35), "C": gaussian(1.2)}
PAIRS = {"near": ("A", "B"), "far": ("A", "C"), "middle": ("B", "C")}


@pytest.fixture(scope="module")
def losses():
    """Under law "beta", A rejects C at c = 2⁻² and 2⁻⁴, and B only at 2⁻⁶."""
    return rivals.compare(
        MODELS,
        np.random.default_rng(0).standard_normal(100),
        law="beta",
        c=1.0,
        n_simulations=1,
        rng=0,
    ).losses


def test_steps_lower_c_for_the_survivors(losses):
    calibration = several({"near": (1, 1, 1), "far": (6, 6, 1), "middle": (6, 1, 1)})
    steps = compare_in_steps(losses, calibration=calibration, pairs=PAIRS, rng=0)
    assert steps.c == (2.0**-2, 2.0**-6)
    assert [set(each.names) for each in steps.comparisons] == [set("ABC"), set("AB")]
    assert steps.omegas == (("near", "far", "middle"), ("near",))
    assert steps.survivors == ("A",)
    assert steps.stopped == "one model is left"
    # At the c that is valid for all, B would have been kept.
    assert "B" in rivals.compare(losses, law="beta", c=2.0**-2, rng=0).survivors
    # The first step is the comparison that one would have made without further ones.
    once = rivals.compare(losses, law="beta", c=2.0**-2, rng=0)
    assert np.array_equal(steps.comparisons[0].probability, once.probability)
    assert json.loads(json.dumps(steps.to_dict()))["survivors"] == ["A"]
    assert "Worth keeping: A. Stopped because one model is left." in str(steps)


def test_steps_end_where_no_smaller_c_is_valid(losses):
    calibration = several({"near": (6, 6, 1), "far": (6, 6, 1), "middle": (6, 1, 1)})
    steps = compare_in_steps(losses, calibration=calibration, pairs=PAIRS, rng=0)
    assert steps.c == (2.0**-2,)
    assert set(steps.survivors) == {"A", "B"}
    assert steps.stopped == "no smaller c is valid for near"


def test_every_c_of_a_step_is_valid_and_none_is_skipped(losses):
    """Below a c that is not valid nothing is tried, even if it is valid again."""
    calibration = several({"near": (1, 6, 1), "far": (6, 6, 1), "middle": (6, 1, 1)})
    assert compare_in_steps(losses, calibration=calibration, pairs=PAIRS, rng=0).c == (2.0**-2,)


def test_an_epistemic_distribution_of_no_pair_counts_in_every_step(losses):
    calibration = several({"near": (1, 1, 1), "far": (6, 6, 1), "all": (6, 1, 1)})
    pairs = {"near": ("A", "B"), "far": ("A", "C")}
    steps = compare_in_steps(losses, calibration=calibration, pairs=pairs, rng=0)
    assert steps.c == (2.0**-2, 2.0**-4)
    assert steps.omegas[1] == ("near", "all")


def test_without_any_valid_c_there_is_no_first_step(losses):
    calibration = several({"near": (1, 6, 6), "far": (6, 6, 1), "middle": (1, 1, 1)})
    with pytest.raises(
        ValueError,
        match=r"no value of c is valid for all candidates together:\n[^Z]*all of them +none",
    ):
        compare_in_steps(losses, calibration=calibration, pairs=PAIRS, rng=0)


def test_pairs_are_checked(losses):
    calibration = several({"near": (1, 1, 1), "far": (6, 6, 1)})
    for pairs, message in (
        ({"next": ("A", "B")}, "pairs names the epistemic distribution 'next'"),
        ({"near": ("A", "X")}, r"pairs\['near'\] must be two of the models \['A', 'B', 'C'\]"),
        ({"near": "AB"}, "must be two of the models"),
        ({"near": ("A", "A")}, "must be two of the models"),
    ):
        with pytest.raises(ValueError, match=message):
            compare_in_steps(losses, calibration=calibration, pairs=pairs, rng=0)
    with pytest.warns(rivals.RivalsWarning, match="no epistemic distribution is about 'B' and 'C'"):
        compare_in_steps(
            losses, calibration=calibration, pairs={"near": ("A", "B"), "far": ("A", "C")}, rng=0
        )


def test_under_law_transport_steps_reject_no_less_than_at_the_largest_c_no_more_than_at_the_least():
    """A smaller c moves every probability away from ½, so a rejection at one c is one at each
    smaller c.
    """
    calibration = replace(
        several({"near": (1, 1, 1), "far": (6, 6, 1), "middle": (6, 1, 1)}), law="transport"
    )
    numbers = []
    for seed in range(24):
        rng = np.random.default_rng(seed)
        y, means = rng.standard_normal(100), rng.normal(0, 0.7, 3)
        losses = {
            name: rivals.Losses((y - mean) ** 2 / 2, rng.standard_normal(100) ** 2 / 2)
            for name, mean in zip("ABC", means, strict=True)
        }
        rejected = set(losses) - set(
            compare_in_steps(losses, calibration=calibration, pairs=PAIRS, rng=0).survivors
        )
        largest, smallest = (
            set(rivals.compare(losses, c=c, rng=0).rejections) for c in (C[-1], C[0])
        )
        assert largest <= rejected <= smallest
        numbers.append([len(largest), len(rejected), len(smallest)])
    assert (np.diff(np.sum(numbers, axis=0)) > 0).all()  # and all three differ
