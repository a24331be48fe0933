"""How `compare` uses a calibration: its c and its law, and P as the law has it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

import rivals
from rivals._core.setting import CalibratedC
from rivals._result.sentences import value_of_c
from rivals.testbeds.toys import gaussian

MODELS = {"a": gaussian(-0.1), "b": gaussian(0.1)}
C = (0.05, 0.2, 0.8)


def calibration(*, sharpness=1.0, **options):
    """Experiments whose log odds are too large by a factor; more cautious at larger c."""
    rng = np.random.default_rng(0)
    odds = 3.0 * rng.standard_normal(2000)
    truth = (rng.random(2000) < expit(odds)).astype(float)
    stated = expit(sharpness * odds[:, None] / np.array([1.0, 1.2, 6.0]))
    experiments = {"calm": (stated, truth)}
    return rivals.Calibration.from_experiments(experiments, C, **{"n_data": 200, **options})


@pytest.fixture
def data():
    return np.random.default_rng(1).standard_normal(200) + 0.15


def test_p_is_that_of_the_law_at_the_chosen_c(data):
    found = calibration(method="beta")
    result = rivals.compare(MODELS, data, c=found, rng=0)
    chosen = found.choose_c()
    plain = rivals.compare(MODELS, data, method="beta", c=float(chosen), rng=0)
    assert result.c == chosen
    assert result.method == found.method
    assert np.array_equal(result.probability, plain.probability)
    assert result.survivors == plain.survivors


def test_a_c_remembers_where_it_came_from(data):
    found = calibration()
    chosen = found.choose_c(promise="strict")
    assert isinstance(chosen, CalibratedC)
    assert chosen == 0.05
    result = rivals.compare(MODELS, data, c=chosen, rng=0)
    for said in ("strict", "2000", "calm"):
        assert said in result.methods()
        assert said in result.details()
    assert "by hand" not in result.details() + result.methods()
    assert rivals.compare(MODELS, data, c=found, rng=0).setting.c.source["rule"] == "error"


def test_a_decision_says_c_what_a_replication_is_and_up_to_which_c_it_holds():
    """A far worse model, and one that is nearly as good."""
    rng = np.random.default_rng(1)
    models = {"near": gaussian(0.0), "nearly": gaussian(0.01), "far": gaussian(0.9)}
    result = rivals.compare(models, rng.standard_normal(200), c=calibration(), rng=0)
    until = result.holds_until
    assert list(until) == ["far"]
    assert "far" in result.at(c=until["far"]).rejections
    assert "far" not in result.at(c=2 * until["far"]).rejections
    assert np.log2(until["far"]).is_integer()
    text = str(result)
    assert f"far is rejected up to c = {value_of_c(until['far'])}; nearly is not rejected" in text
    assert "against far in another recording of the same problem (c = 0.05)" in text
    # Whatever c the decision is made at, it holds up to the same.
    assert result.at(c=0.1).holds_until == until


def test_without_a_calibration_a_replication_is_new_data_of_the_same_process(data):
    models = {"a": gaussian(0.1), "b": gaussian(2.0)}
    result = rivals.compare(models, data, method="paper", c=0.25, rng=0)
    assert "on new data of the same process (c = 0.25)" in str(result)
    assert "if the study were repeated" not in str(result) + result.details()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "beta"}, "method"),
        ({"order": "time"}, "order"),
        ({"n_simulations": 5}, "simulations"),
    ],
)
def test_another_method_than_the_calibrated_one_is_refused(data, options, said):
    with pytest.raises(ValueError, match=f"the calibration is for .*{said}"):
        rivals.compare(MODELS, data, c=calibration(), rng=0, **options)


def test_other_points_or_another_unit_are_refused(data):
    with pytest.raises(ValueError, match="200 points, and this comparison has 100"):
        rivals.compare(MODELS, data[:100], c=calibration())
    in_bits = {
        name: rivals.Losses(*np.random.default_rng(0).exponential(size=(2, 200)), unit="bits")
        for name in "ab"
    }
    with pytest.raises(ValueError, match="losses in nats, and this comparison has bits"):
        rivals.compare(in_bits, c=calibration(loss_unit="nats", n_simulations=1))


def test_simulations_are_as_many_as_calibrated(data):
    result = rivals.compare(MODELS, data, c=calibration(n_simulations=3), rng=0)
    assert result.summary.misfits.shape[0] == 3


def test_a_calibration_is_not_for_groups(data):
    with pytest.raises(ValueError, match="method 'transport'"):
        rivals.compare(MODELS, data, c=calibration(), groups=np.arange(200) % 5)


def test_a_c_that_was_chosen_for_another_law_is_refused(data):
    chosen = calibration(method="paper").choose_c()
    with pytest.raises(ValueError, match=r"calibrated for method 'paper'.*'transport'"):
        rivals.compare(MODELS, data, c=chosen, rng=0)
    with pytest.raises(ValueError, match=r"calibrated for method 'paper'.*'groups'"):
        rivals.compare(MODELS, data, c=chosen, groups=np.arange(200) % 5, rng=0)
    result = rivals.compare(MODELS, data, method="paper", c=chosen, rng=0)
    assert "method paper" in result.methods()


def test_no_points_are_told_for_a_truth_that_was_given(data):
    found = calibration()
    for text in (str(found), found.methods()):
        assert "The better candidate was given; undecided in 0 of 2000" in text
    assert "simulated experiments" not in found.methods()


def test_no_experiments_are_refused():
    with pytest.raises(ValueError, match="no experiments"):
        rivals.Calibration.from_experiments({}, C, n_data=200)


def test_the_chosen_c_survives_a_saved_file(data, tmp_path):
    result = rivals.compare(MODELS, data, c=calibration(), rng=0)
    result.save(tmp_path / "result.npz")
    again = rivals.load(tmp_path / "result.npz")
    assert again.setting.c.source == result.setting.c.source


def test_pictures_are_of_the_c_that_were_tried():
    pytest.importorskip("matplotlib")
    found = calibration()
    labels = [text.get_text() for text in found.plot().get_legend().get_texts()]
    states = [each.state for each in found.states().overall]
    expected = [f"c = {c:g}, {state}" for c, state in zip(C, states, strict=True)]
    assert expected == labels[: len(C)]
