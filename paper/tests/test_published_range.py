"""The range of valid c of the original study, by the rule of the package on the study's own records
(choose-c).
"""

import numpy as np
from rivals.calibration import judge_experiments

from rivals_paper.neuron_runs import C_MAIN, MAIN, original


def records():
    return {each.key: (original(each.key).probability, original(each.key).truth) for each in MAIN}


def test_no_c_is_valid_for_all_six_neuron_conditions():
    for bins in (16, 32, 64, 128):
        validity = judge_experiments(records(), C_MAIN, bins=bins)
        assert len(validity.omegas) == 6
        assert validity.for_all == ()
    rows = [not name.startswith("CvsD") for name in validity.omegas]
    at_most_4 = np.array(C_MAIN) <= 4
    errors = validity.error[rows][:, at_most_4]
    # "10 to 34 % are wrong at every c up to 4", of the pairs with A.
    assert not validity.valid[rows][:, at_most_4].any()
    assert (round(100 * errors.min()), round(100 * errors.max())) == (10, 34)
