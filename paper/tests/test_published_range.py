"""The range of valid c of the original study, by the rule of the package on the study's own records (README, choose-c)."""

from rivals.calibration import judge_experiments
from rivals_paper.neuron_runs import C_MAIN, MAIN, original


def records(*, without=None):
    chosen = [condition for condition in MAIN if condition.pair != without]
    return {each.key: (original(each.key).probability, original(each.key).truth) for each in chosen}


def test_no_c_is_valid_for_all_six_neuron_conditions():
    for bins in (16, 32, 64, 128):
        validity = judge_experiments(records(), C_MAIN, bins=bins)
        assert len(validity.omegas) == 6
        assert validity.for_all == ()
        for name, valid in zip(validity.omegas, validity.valid, strict=True):
            assert valid.any() != name.startswith("AvsD") or bins == 128


def test_without_a_against_d_only_one_is_valid():
    """The study says that it is less concerned with this pair."""
    for bins in (16, 32, 64):
        assert judge_experiments(records(without=("A", "D")), C_MAIN, bins=bins).for_all == (1.0,)
