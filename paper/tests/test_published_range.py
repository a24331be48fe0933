"""What the authors' own records say of each c."""

import numpy as np

from rivals.calibration import judge_experiments
from rivals_paper import blackbody_records
from rivals_paper.neuron_runs import C_MAIN, MAIN, original


def test_no_c_is_kept_in_all_six_neuron_conditions():
    records = {
        each.key: (original(each.key).probability, original(each.key).truth) for each in MAIN
    }
    for rule in ("bound", "error"):
        for promise in ("usual", "strict"):
            found = judge_experiments(records, C_MAIN, rule=rule, promise=promise)
            assert len(found.scenarios) == 6
            assert found.kept == ()
            rows = dict(zip(found.scenarios, found.states, strict=True))
            with_a = [row for name, row in rows.items() if not name.startswith("CvsD")]
            assert len(with_a) == 4
            for row in with_a:
                at = {each.c: each.state for each in row}
                assert at[2.0**-4] == at[2.0**-2] == "broken", rule
    # "10 to 34 % fail at every c up to 4", of the pairs with A.
    rates = np.array([[each.failure_rate for each in row if each.c <= 4] for row in with_a])
    assert (round(100 * rates.min()), round(100 * rates.max())) == (10, 34)


def test_black_body_as_published_is_kept_up_to_one_and_silent_beyond():
    """Six of 4 096 experiments name a winner at c = 2³: nothing is shown there."""
    record = blackbody_records.committed("as-published")
    experiments = record.experiments
    at = 2.0 ** record.log2_c.astype(float)
    by_both = {}
    for rule in ("bound", "error"):
        found = judge_experiments(
            {"black body": (experiments.probability, experiments.truth)}, at, rule=rule
        )
        assert found.kept == (2.0**-9, 2.0**-6, 2.0**-3, 1.0)
        by_both[rule] = {each.c: each for each in found.overall}
        assert by_both[rule][2.0**-12].state == "broken"
        assert by_both[rule][8.0].state == "silent"
        assert by_both[rule][8.0].named == 6
