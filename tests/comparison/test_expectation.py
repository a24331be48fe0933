"""What a verdict is worth is what the benchmark measured, and is said of nothing else."""

import json
from pathlib import Path

import numpy as np
import pytest

import rivals
from rivals.comparison.expectation import DATA_SETS, THRESHOLD
from rivals.laws import LAWS
from rivals.testbeds import toys

RESULTS = Path(__file__).parents[2] / "benchmarks/results/expected_error.json"


@pytest.mark.skipif(not RESULTS.exists(), reason="the results of the benchmarks are not here")
def test_the_numbers_are_those_of_the_benchmark():
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert found["threshold"] == THRESHOLD
    assert found["data_sets"] == DATA_SETS
    expected = {}
    for name, by_simulations in found["laws"].items():
        for simulations, by_question in by_simulations.items():
            for question, by_groups in by_question.items():
                for groups, row in by_groups.items():
                    key = name, simulations == "true", question, int(groups)
                    expected[key] = (row["error"], row["standard_error"], row["stated"])
    measured = {}
    for name, law in LAWS.items():
        for simulations, some in law.measured.items():
            for (question, groups), each in some.items():
                measured[name, simulations, question, groups] = tuple(each)
    # Law "beta" says nothing of itself: few winners were stated.
    expected = {key: row for key, row in expected.items() if key[0] != "beta"}
    assert measured == expected


def test_it_is_said_under_a_verdict_and_in_json():
    result = rivals.compare(toys.losses(), rng=0)
    error, spread, _ = LAWS["transport"].measured[True]["next", 1]
    words = f"{error:.0f} ± {spread:.0f} % of the winners stated from one data set, not calibrated"
    assert words in " ".join(str(result).split())
    assert result.to_dict()["expected_error"] == result.expected_error
    assert result.expected_error == pytest.approx(error / 100)


@pytest.mark.parametrize(
    "change",
    [{"c": 0.1}, {"threshold": 0.9}, {"order": "time"}, {"clusters": np.arange(1000) % 10}],
)
def test_it_is_not_said_of_what_was_not_measured(change):
    result = rivals.compare(toys.losses(), **change, rng=0)
    assert result.expected_error is None
    assert "What to expect" not in str(result)


def test_more_groups_than_were_tried_are_told_what_fewer_did():
    rng = np.random.default_rng(0)
    a = rng.exponential(size=900)
    models = {"A": a, "B": a + 0.5 + 0.1 * rng.standard_normal(900)}
    eight, thirty = (rivals.compare(models, groups=np.arange(900) % n, rng=0) for n in (8, 30))
    measured = LAWS["groups"].measured[False]
    most = max(groups for question, groups in measured if question == "study")
    assert eight.expected_error == pytest.approx(measured["study", 8].error / 100)
    assert thirty.expected_error is None
    error, spread, _ = measured["study", most]
    words = f"{error:.0f} ± {spread:.0f} % of the winners stated from {most} groups (the most that"
    assert words in " ".join(str(thirty).split())
