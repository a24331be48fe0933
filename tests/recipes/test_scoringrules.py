# needs: scoringrules>=0.9
"""Scores of scoringrules as losses of models that only simulate: ours are the same, and all
of its functions can be passed.
"""

from __future__ import annotations

import numpy as np
import pytest
import scoringrules
from scipy import stats

import rivals
from rivals._random import ENSEMBLE, stream
from rivals.read import simulator, summaries

# Annual flow of the Nile at Aswan, 1871-1970, in 10⁸ m³ (Cobb 1978).
NILE = np.array([
    1120, 1160, 963, 1210, 1160, 1160, 813, 1230, 1370, 1140, 995, 935, 1110, 994, 1020,
    960, 1180, 799, 958, 1140, 1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774, 840,
    874, 694, 940, 833, 701, 916, 692, 1020, 1050, 969, 831, 726, 456, 824, 702, 1120,
    1100, 832, 764, 821, 768, 845, 864, 862, 698, 845, 744, 796, 1040, 759, 781, 865,
    845, 944, 984, 897, 822, 1010, 771, 676, 649, 846, 812, 742, 801, 1040, 860, 874,
    848, 890, 744, 749, 838, 1050, 918, 986, 797, 923, 975, 815, 1020, 906, 901, 1170,
    912, 746, 919, 718, 714, 740,
], dtype=float)  # fmt: skip
LATE, DECADES = NILE[30:] / 100, (NILE[30:] / 100).reshape(-1, 5)
M = 120


def flow(n, rng):
    return rng.gamma(30.0, 0.3, size=n)


def flows(n, rng):
    """Five years that share good and bad times."""
    return 8.7 + 0.8 * rng.normal(size=(n, 1)) + rng.normal(size=(n, 5))


ONE, FIVE = flow(M, stream(0, ENSEMBLE)), flows(M, stream(0, ENSEMBLE))
OF_EACH = np.broadcast_to(ONE, (len(LATE), M)), np.broadcast_to(FIVE, (len(DECADES), M, 5))


@pytest.mark.parametrize(
    ("score", "model", "data", "by_hand"),
    [
        (
            "crps",
            flow,
            LATE,
            lambda: scoringrules.crps_ensemble(LATE, OF_EACH[0], estimator="fair"),
        ),
        (
            "energy",
            flows,
            DECADES,
            lambda: scoringrules.es_ensemble(DECADES, OF_EACH[1], estimator="fair"),
        ),
    ],
)
def test_our_scores_are_the_fair_ones_of_scoringrules(score, model, data, by_hand):
    np.testing.assert_allclose(
        simulator(model, score=score, n_ensemble=M).loss(data), by_hand(), rtol=0, atol=1e-12
    )


@pytest.mark.parametrize(
    ("function", "model", "data", "ensemble"),
    [
        (scoringrules.crps_ensemble, flow, LATE, OF_EACH[0]),
        (scoringrules.logs_ensemble, flow, LATE, OF_EACH[0]),
        (scoringrules.es_ensemble, flows, DECADES, OF_EACH[1]),
        (scoringrules.vs_ensemble, flows, DECADES, OF_EACH[1]),
        (
            lambda y, ensemble: scoringrules.twcrps_ensemble(y, ensemble, b=7.0),
            flow,
            LATE,
            OF_EACH[0],
        ),
    ],
)
def test_its_functions_are_losses(function, model, data, ensemble):
    found = simulator(model, score=function, n_ensemble=M)
    np.testing.assert_allclose(found.loss(data), function(data, ensemble), rtol=0, atol=1e-12)
    drawn = found.simulate(500, np.random.default_rng(0))
    np.testing.assert_array_equal(drawn, found.simulate(500, np.random.default_rng(0)))


def test_simulations_have_the_law_of_the_model():
    drawn = simulator(flow, n_ensemble=M).simulate(2000, np.random.default_rng(0))
    assert stats.kstest(drawn, stats.gamma(30.0, scale=0.3).cdf).pvalue > 1e-3


def test_of_summary_statistics():
    def mean_and_spread(block):
        return block.mean(), block.std()

    model = summaries(flow, mean_and_spread, block=5, score=scoringrules.es_ensemble, n_ensemble=M)
    blocks = flow(M * 5, stream(0, ENSEMBLE)).reshape(M, 5)
    members = np.column_stack([blocks.mean(axis=1), blocks.std(axis=1)])
    reduced = np.column_stack([DECADES.mean(axis=1), DECADES.std(axis=1)])
    by_hand = scoringrules.es_ensemble(reduced, np.broadcast_to(members, (len(reduced), M, 2)))
    np.testing.assert_allclose(model.loss(LATE), by_hand, rtol=0, atol=1e-12)


def test_the_whole_way():
    models = {
        "gamma": simulator(flow, score=scoringrules.crps_ensemble, n_ensemble=500),
        "too high": simulator(
            lambda n, rng: 3 + flow(n, rng), score=scoringrules.crps_ensemble, n_ensemble=500
        ),
    }
    assert rivals.compare(models, LATE, rng=0).survivors == ("gamma",)
