"""Every model beside a baseline: the same numbers as those of the comparison, turned to it."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

import rivals
from rivals.core.sampling_error import mean_error
from rivals.testbeds import toys


def grouped(**settings: object) -> rivals.Comparison:
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(12), 40)
    common = rng.exponential(size=480)
    shifts = {"mean": 0.0, "line": -0.3, "wild": 0.4}
    models = {
        name: common + shift + 0.2 * rng.standard_normal(12)[groups] + 0.1 * rng.random(480)
        for name, shift in shifts.items()
    }
    return rivals.compare(models, groups=groups, rng=0, **settings)


@pytest.mark.parametrize("name", ["mean", "line", "wild"])
def test_differences_are_paired_and_turn_with_the_baseline(name):
    result = grouped()
    beside = result.against(name)
    base = result.names.index(name)
    assert beside.models == tuple(model for model in result.ranking if model != name)
    for model in beside.models:
        place = result.names.index(model)
        losses = result.losses[model].observed - result.losses[name].observed
        difference, error = beside.difference[model]
        assert difference == pytest.approx(losses.mean())
        assert error == mean_error(losses, order=None, clusters=np.repeat(np.arange(12), 40))
        assert beside.probability[model] == result.probability[place, base]
        assert beside.won[model] == result.won[place, base]
        assert result.against(model).difference[name] == pytest.approx((-difference, error))
        assert result.against(model).won[name] == 12 - beside.won[model]
    assert beside.n_groups == 12


def test_beside_the_best_it_is_what_the_comparison_says():
    result = grouped()
    beside = result.against(result.ranking[0])
    for model in beside.models:
        assert beside.difference[model] == pytest.approx(result.difference[model], rel=1e-12)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "If 12 new groups were studied, the risk"),
        ({"new_groups": 1}, "In a single new group, the risk"),
        ({"new_groups": np.inf}, "In the mean over all groups to come"),
    ],
)
def test_it_says_what_the_probability_is_of(settings, words):
    result = grouped(**settings)
    beside = result.against("mean")
    assert words in " ".join(str(beside).split())
    assert beside.probability["line"] == result.over(settings.get("new_groups", 12))[1, 0]


def test_without_groups_nothing_is_won():
    beside = rivals.compare(toys.losses(), rng=0).against("B")
    assert beside.won is None
    assert beside.n_groups is None
    assert "groups won" not in str(beside)
    assert "If the experiment were repeated" in " ".join(beside.about.split())


def test_a_calibrated_probability_is_the_one_that_decides():
    truth = np.arange(400) % 10 > 0
    calibration = rivals.Calibration.from_experiments(
        {0.25: np.full(400, 0.99)}, truth, n_data=1000, n_simulations=1
    )
    result = rivals.compare(toys.losses(), c=calibration, rng=0)
    beside = result.against("B")
    assert beside.probability["A"] == result.calibrated[0, 1] != result.probability[0, 1]
    assert beside.about.endswith(", calibrated.")


def test_all_forms_have_every_model():
    beside = grouped().against("mean")
    assert [line.split()[0] for line in str(beside).splitlines()[2:5]] == ["line", "mean", "wild"]
    assert json.loads(json.dumps(beside.to_dict()))["models"] == beside.rows()
    assert beside.to_markdown().count("\n| ") == 4
    assert beside.to_latex().count(r"\\") == 4
    assert "<td>baseline</td>" in beside._repr_html_()
    again = pickle.loads(pickle.dumps(beside))
    assert str(again) == str(beside) == repr(beside)


def test_as_a_data_frame():
    pytest.importorskip("pandas")
    frame = grouped().against("mean").to_dataframe()
    assert list(frame.index) == ["line", "wild"]
    assert frame.loc["line", "groups_won"] + 0 == grouped().against("mean").won["line"]


def test_an_unknown_baseline_is_refused_with_a_hint():
    with pytest.raises(ValueError, match=r"baseline must be one of .* did you mean 'mean'"):
        grouped().against("meen")
