"""The comparison in steps: c falls as candidates are rejected."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

import rivals
from rivals._core.candidates import losses_of_all
from rivals.testbeds.toys import gaussian
from rivals_paper.steps import compare_in_steps

MODELS = {"A": gaussian(0.0), "B": gaussian(0.35), "C": gaussian(1.2)}
PAIRS = {"near": ("A", "B"), "far": ("A", "C"), "middle": ("B", "C")}
C = (2.0**-6, 2.0**-4, 2.0**-2)


@pytest.fixture(scope="module")
def losses():
    """Under method "paper", A rejects C at c = 2⁻² and 2⁻⁴, and B only at 2⁻⁶."""
    data = np.random.default_rng(0).standard_normal(100)
    return losses_of_all(MODELS, data, n_simulations=1, entropy=0)


def several(overconfident, method="paper"):
    """A calibration whose log odds are too large by a factor, of each scenario at each c."""
    experiments = {}
    for place, (name, factors) in enumerate(overconfident.items()):
        rng = np.random.default_rng(place)
        odds = rng.normal(0.0, 3.0, 4096)
        truth = rng.random(4096) < expit(odds)
        experiments[name] = expit(np.outer(odds, factors)), truth
    return rivals.Calibration.from_experiments(
        experiments, C, n_data=100, method=method, n_simulations=1
    )


def test_steps_lower_c_for_the_survivors(losses):
    calibration = several({"near": (1, 1, 1), "far": (6, 6, 1), "middle": (6, 1, 1)})
    steps = compare_in_steps(losses, calibration=calibration, pairs=PAIRS)
    assert steps.c == (2.0**-2, 2.0**-6)
    assert [set(each.ranking) for each in steps.comparisons] == [set("ABC"), set("AB")]
    assert steps.scenarios == (("near", "far", "middle"), ("near",))
    assert steps.survivors == ("A",)
    assert steps.stopped == "one model is left"
    # At the c that is valid for all, B would not have been rejected.
    once = rivals.compare(losses, method="paper", c=2.0**-2, rng=0)
    assert "B" in once.survivors
    assert np.array_equal(steps.comparisons[0].probability, once.probability)
    assert "Not rejected: A. Stopped because one model is left." in str(steps)


def test_steps_end_where_no_smaller_c_is_valid(losses):
    calibration = several({"near": (6, 6, 1), "far": (6, 6, 1), "middle": (6, 1, 1)})
    steps = compare_in_steps(losses, calibration=calibration, pairs=PAIRS)
    assert steps.c == (2.0**-2,)
    assert set(steps.survivors) == {"A", "B"}
    assert steps.stopped == "no smaller c is kept for near"


def test_every_c_of_a_step_is_valid_and_none_is_skipped(losses):
    """Below a c that is not valid nothing is tried, even if it is valid again."""
    calibration = several({"near": (1, 6, 1), "far": (6, 6, 1), "middle": (6, 1, 1)})
    assert compare_in_steps(losses, calibration=calibration, pairs=PAIRS).c == (2.0**-2,)


def test_a_scenario_of_no_pair_counts_in_every_step(losses):
    calibration = several({"near": (1, 1, 1), "far": (6, 6, 1), "all": (6, 1, 1)})
    pairs = {"near": ("A", "B"), "far": ("A", "C")}
    steps = compare_in_steps(losses, calibration=calibration, pairs=pairs)
    assert steps.c == (2.0**-2, 2.0**-4)
    assert steps.scenarios[1] == ("near", "all")


def test_without_any_valid_c_there_is_no_first_step(losses):
    calibration = several({"near": (6, 6, 6), "far": (6, 6, 1), "middle": (1, 1, 1)})
    with pytest.raises(ValueError, match="0\\.25"):
        compare_in_steps(losses, calibration=calibration, pairs=PAIRS)


def test_pairs_are_checked(losses):
    calibration = several({"near": (1, 1, 1), "far": (6, 6, 1)})
    for pairs, message in (
        ({"next": ("A", "B")}, "the scenario 'next'"),
        ({"near": ("A", "X")}, "must be two of the models"),
        ({"near": "AB"}, "must be two of the models"),
        ({"near": ("A", "A")}, "must be two of the models"),
    ):
        with pytest.raises(ValueError, match=message):
            compare_in_steps(losses, calibration=calibration, pairs=pairs)


def test_under_law_transport_steps_reject_no_less_than_at_the_largest_c_no_more_than_at_the_least():
    """A smaller c moves every probability away from ½, so a rejection at one c is one at each
    smaller c.
    """
    calibration = several({"near": (1, 1, 1), "far": (6, 6, 1), "middle": (6, 1, 1)}, "transport")
    numbers = []
    for seed in range(24):
        rng = np.random.default_rng(seed)
        y, means = rng.standard_normal(100), rng.normal(0, 0.7, 3)
        losses = {
            name: rivals.Losses((y - mean) ** 2 / 2, rng.standard_normal(100) ** 2 / 2)
            for name, mean in zip("ABC", means, strict=True)
        }
        found = compare_in_steps(losses, calibration=calibration, pairs=PAIRS)
        rejected = set(losses) - set(found.survivors)
        largest, smallest = (set(rivals.compare(losses, c=c).rejections) for c in (C[-1], C[0]))
        assert largest <= rejected <= smallest
        numbers.append([len(largest), len(rejected), len(smallest)])
    assert (np.diff(np.sum(numbers, axis=0)) > 0).all()  # and all three differ
