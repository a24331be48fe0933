"""No c of the original study is valid in all six conditions, by the study's own records."""

import numpy as np

from rivals.calibration import judge_experiments
from rivals_paper.neuron_runs import C_MAIN, MAIN, original


def test_no_c_is_valid_for_all_six_neuron_conditions():
    records = {
        each.key: (original(each.key).probability, original(each.key).truth) for each in MAIN
    }
    for rule in ("bound", "error"):
        for bins in (16, 32, 64, 128):
            validity = judge_experiments(records, C_MAIN, rule=rule, bins=bins)
            assert len(validity.scenarios) == 6
            assert validity.valid() == ()
    rows = [not name.startswith("CvsD") for name in validity.scenarios]
    # "10 to 34 % fail at every c up to 4", of the pairs with A.
    failed = validity.failure_rate[rows][:, np.array(C_MAIN) <= 4]
    assert (round(100 * failed.min()), round(100 * failed.max())) == (10, 34)
