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
    rows = [row for row in found["rows"] if not row["calibrated"] and row["law"] != "beta"]
    assert max(row["data_sets"] for row in rows) == DATA_SETS
    expected = {
        (row["law"], row["simulations"], row["groups"], row["error"], row["error_se"])
        for row in rows
    }
    measured = {
        (name, simulations, n, *each)
        for name, law in LAWS.items()
        for simulations, some in law.measured.items()
        for n, each in some.items()
    }
    assert measured == expected


def test_it_is_said_under_a_verdict_and_in_json():
    result = rivals.compare(toys.losses(), rng=0)
    assert "of winners stated from one data set, not calibrated, 10 ± 5 % lost" in " ".join(
        str(result).split()
    )
    assert result.to_dict()["expected_error"] == result.expected_error == pytest.approx(0.1035)


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
    assert eight.expected_error == pytest.approx(0.0429)
    assert thirty.expected_error is None
    assert "winners stated from 8 groups, the most that were tried, 4 ± 1 % lost" in " ".join(
        str(thirty).split()
    )
