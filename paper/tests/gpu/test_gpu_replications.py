"""A replication keeps the cell, and draws from Ω anew.

What a GPU simulates of it is put together here.
"""

from __future__ import annotations

import numpy as np
import pytest

from rivals_paper.gpu import replications
from rivals_paper.gpu.recordings import DATA, FIT, mixed
from rivals_paper.gpu.records import ask
from rivals_paper.neuron_runs import MAIN
from rivals_paper.pyloric.epistemic import COPIES, CORRELATIONS, INPUTS, LEVELS

CONDITION = MAIN[3]
NUMBER = 400


@pytest.fixture(scope="module")
def drawn():
    asked = [ask(CONDITION, index, "published") for index in range(NUMBER)]
    both = [replications.replication(CONDITION, index, each) for index, each in enumerate(asked)]
    firsts, others = zip(*both, strict=True)
    return firsts, others


def test_the_cell_stays_and_every_key_is_its_own(drawn):
    firsts, others = drawn
    assert [each.drawn.cell for each in firsts] == [each.drawn.cell for each in others]
    assert len({each.key for each in (*firsts, *others)}) == 2 * NUMBER


@pytest.mark.parametrize(
    ("name", "mean", "sd"),
    [("strength", INPUTS["strong"], 0.5), ("scale", LEVELS["low"], 0.5)],
)
def test_parameters_are_drawn_anew_from_the_same_law(drawn, name, mean, sd):
    both = np.log([[getattr(each.drawn, name) for each in part] for part in drawn])
    # Means and a correlation of 400 independent draws; four standard errors, seeds fixed.
    assert np.all(np.abs(both.mean(axis=1) - mean) < 4 * sd / np.sqrt(NUMBER))
    assert abs(np.corrcoef(both)[0, 1]) < 4 / np.sqrt(NUMBER)


def test_correlation_times_lie_in_their_range(drawn):
    low, high = CORRELATIONS["short"]
    tau = np.log10([[each.drawn.tau for each in part] for part in drawn])
    assert low <= tau.min() < tau.max() <= high
    assert not np.any(tau[0] == tau[1])


def test_rounding_errors_of_a_replication_are_others(drawn):
    copies = np.array([[each.copy for each in part] for part in drawn]).T
    assert not np.any(copies[:, 0] == copies[:, 1])
    # Of 64 kinds, 400 draws miss one with probability 0.002, so that they meet nearly all.
    assert copies.min() >= 1
    assert copies.max() <= COPIES
    assert len(np.unique(copies)) > COPIES - 4


def test_risks_are_those_of_gaussian_losses():
    wanted = [
        one for place in range(3) for one in replications.recordings_of(place, CONDITION, place)
    ]
    rng = np.random.default_rng(0)
    residual = rng.standard_normal((len(wanted), 2, 50)) * [[[1.0], [2.0]]]
    squares = np.mean(residual**2, axis=2)
    sigma = np.sqrt(replications._of(wanted, squares, FIT, 3))
    found = replications._differences(wanted, squares, sigma)
    for place, each in enumerate(found):
        own = [k for k, one in enumerate(wanted) if one.experiment == place]
        truth = [k for k in own if wanted[k].recording not in (FIT, DATA)]
        width = sigma[place][:, None]
        loss = np.log(width) + residual[truth] ** 2 / (2 * width**2)
        expected = np.mean(loss[:, 0] - loss[:, 1], axis=1)
        np.testing.assert_allclose(each, expected, rtol=1e-12)


def test_numbers_of_recordings_may_differ_within_a_batch():
    keys = np.array([5, 5, 9], dtype=np.uint64)
    together = mixed(keys, np.array([0, 1, 1]))
    alone = [mixed(keys[k : k + 1], number)[0] for k, number in enumerate((0, 1, 1))]
    assert together.tolist() == [int(each) for each in alone]
