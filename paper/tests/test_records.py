"""The committed records: complete, of the paper's size, and such as the processor makes them."""

import numpy as np
import pytest

from rivals_paper.neuron_runs import (
    C_MAIN,
    COUNT_ALL,
    COUNT_MAIN,
    FRESH,
    MAIN,
    generator_is_first,
    omega_of,
    original,
)
from rivals_paper.output import AS_PUBLISHED, CONSTANTS_PUBLISHED, CORRECTED, VARIANTS
from rivals_paper.pyloric import Condition, conditions
from rivals_paper.records import (
    LAWS,
    recorded,
    recorded_c,
    recorded_fresh,
    recorded_long,
    recorded_loss_only,
    recorded_ratio,
)

MAIN_KEYS = {condition.key for condition in MAIN}


@pytest.mark.parametrize("variant", VARIANTS)
def test_all_conditions_have_the_numbers_of_the_paper(variant):
    assert recorded_c() == C_MAIN
    for condition in conditions():
        count = COUNT_MAIN if condition.key in MAIN_KEYS else COUNT_ALL
        found = [recorded(variant, condition.key, law=law) for law in LAWS]
        for each in (*found, recorded_loss_only(variant, condition.key)):
            assert each.probability.shape == (count, len(C_MAIN))
            assert ((each.probability >= 0) & (each.probability <= 1)).all()
            assert each.truth.shape == (count,)
        assert np.isfinite(recorded_ratio(variant, condition.key)).all()
        if variant != AS_PUBLISHED:
            fresh = recorded_fresh(variant, condition.key)
            assert fresh.shape == (count, FRESH)
            np.testing.assert_array_equal(found[0].truth, fresh.mean(axis=1) < 0)


def test_the_model_that_made_the_data_is_better_as_published():
    for condition in MAIN:
        ours = recorded(AS_PUBLISHED, condition.key).truth
        # In the original study in 0.66 to 0.99.
        assert np.mean(ours == generator_is_first(condition, COUNT_MAIN)) > 0.55
        assert np.mean(ours == original(condition.key).truth) > 0.55


def test_with_the_published_constants_fresh_recordings_name_the_same_model_and_long_ones_too():
    """What the page says: with the documented constants they name the other one.

    Parts of 2048 experiments have a standard error of 0.007 or less; the lowest here is 0.897, and
    A vs B has 0.112.
    """
    for condition in MAIN:
        agree = {
            variant: np.mean(
                (recorded_long(variant, condition.key) < 0)
                == recorded(variant, condition.key).truth
            )
            for variant in (CONSTANTS_PUBLISHED, CORRECTED)
        }
        assert agree[CONSTANTS_PUBLISHED] > 0.87
        if condition == Condition(("A", "B")):
            assert agree[CORRECTED] < 0.14


def test_what_is_not_recorded_is_refused():
    key = MAIN[0].key
    with pytest.raises(ValueError, match="records of"):
        recorded("fixed", key)
    with pytest.raises(ValueError, match="the laws"):
        recorded(CORRECTED, key, law="groups")
    with pytest.raises(ValueError, match="have no 'AvsZ/"):
        recorded(CORRECTED, "AvsZ")


def fit(variant, condition, index):
    """ln(sigma_b / sigma_a) of an experiment on the processor."""
    rng = np.random.default_rng(index)
    omega = omega_of(variant, condition)
    experiment = omega(rng, index) if variant == AS_PUBLISHED else omega(rng)
    first, second = (
        experiment.candidates(experiment.observe(4000, rng))
        if variant == AS_PUBLISHED
        else experiment.candidates
    )
    return float(np.log(second.sigma / first.sigma))


def test_the_processor_repeats_recorded_experiments_as_published():
    """The same parameters and noise, other rounding: one more run.

    Rounding changes the ratio by a few hundredths, another generator its sign.
    """
    condition = Condition(("A", "B"))
    known = recorded_ratio(AS_PUBLISHED, condition.key)
    for index in range(3):
        ratio = fit(AS_PUBLISHED, condition, index)
        assert np.sign(ratio) == np.sign(known[index])
        assert abs(ratio - known[index]) < 0.3


@pytest.mark.parametrize(
    ("variant", "noise"), [(CONSTANTS_PUBLISHED, "Gaussian"), (CORRECTED, "Cauchy")]
)
def test_corrected_records_have_the_law_of_the_processor(variant, noise):
    """Other random numbers: the ratio of the widths has the same distribution."""
    condition = Condition(("A", "B"), noise)
    known = recorded_ratio(variant, condition.key)
    ours = np.array([fit(variant, condition, index) for index in range(3)])
    below = np.array([np.mean(known < value) for value in ours])
    # One of three lies beyond all of 512 with a probability of 0.012, beyond all of 2048 with
    # 0.003.
    assert ((below > 0) & (below < 1)).all()


@pytest.mark.slow
@pytest.mark.parametrize("variant", [CONSTANTS_PUBLISHED, CORRECTED])
def test_corrected_records_have_the_law_of_the_processor_in_more_experiments(variant):
    from scipy.stats import ks_2samp

    for condition in (Condition(("C", "D"), "Cauchy"), Condition(("A", "D"))):
        ours = [fit(variant, condition, index) for index in range(10)]
        assert ks_2samp(ours, recorded_ratio(variant, condition.key)).pvalue > 1e-3
