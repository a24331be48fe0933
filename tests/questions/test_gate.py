"""The gate: its outcome follows from one probability, and from the rule of comparisons."""

from __future__ import annotations

import math

import numpy as np
import pytest

import rivals


def study(gap, spread=0.05, seed=0, n_groups=12):
    rng = np.random.default_rng(seed)
    site = np.repeat(np.arange(n_groups), 10)
    base = rng.exponential(size=site.size)
    effects = gap + spread * rng.standard_normal(n_groups)
    losses = {"new": base, "old": base + effects[site]}
    said = {name: rivals.Losses(each, left_out=False) for name, each in losses.items()}
    return rivals.compare(said, groups=site)


@pytest.mark.parametrize("seed", range(20))
def test_better_is_the_decision_of_the_comparison(seed):
    result = study(0.03, seed=seed)
    outcome = result.gate("old").outcome
    assert (outcome == "passed") == ("old" in result.rejections)
    assert (result.gate("new", model="old").outcome == "passed") == ("new" in result.rejections)


@pytest.mark.parametrize("seed", range(20))
def test_probabilities_at_a_margin_are_those_of_the_law(seed):
    result = study(0.03, seed=seed)
    at = result.at(margin=0.02)
    better = result.gate("old", margin=0.02)
    tolerated = result.gate("new", model="old", require="not-worse", margin=0.02)
    assert math.isclose(better.probability, at.probability[0, 1], rel_tol=1e-12)
    assert math.isclose(tolerated.probability, 1.0 - at.probability[0, 1], rel_tol=1e-12)
    assert better.margin == 0.02


def test_outcomes_follow_the_probability():
    for gap in np.linspace(-0.1, 0.1, 41):
        gate = study(gap).gate("old")
        if gate.outcome == "passed":
            assert gate.probability > 0.95
        elif gate.outcome == "failed":
            assert gate.probability < 0.05
        else:
            assert 0.0 < gate.probability < 1.0
        assert gate.exit_status == {"passed": 0, "failed": 1, "undecided": 3}[gate.outcome]


def test_better_by_less_than_the_margin_fails():
    assert study(0.2, spread=0.01).gate("old", margin=1.0).outcome == "failed"
    assert study(0.2, spread=0.01).gate("old", margin=0.1).passed


def test_looks_hold_a_gate_back_as_they_hold_a_decision_back():
    result = study(0.1, spread=0.1)
    assert result.gate("old").passed
    looked = result.at(looks="any")
    assert looked.gate("old").passed == ("old" in looked.rejections)


def test_many_models_need_a_name():
    rng = np.random.default_rng(3)
    losses = {name: rivals.Losses(rng.exponential(size=60), left_out=False) for name in "abc"}
    result = rivals.compare(losses, groups=np.repeat(np.arange(6), 10))
    with pytest.raises(ValueError, match="model="):
        result.gate("a")
    assert result.gate("a", model="b").model == "b"


def test_wrong_questions_are_refused():
    result = study(0.1)
    with pytest.raises(ValueError, match="got 'older'; did you mean 'old'"):
        result.gate("older")
    with pytest.raises(ValueError, match="did you mean 'not-worse'"):
        result.gate("old", require="not worse")
    with pytest.raises(ValueError, match="margin="):
        result.gate("old", require="not-worse")
    with pytest.raises(ValueError, match="both"):
        result.gate("old", model="old")
    with pytest.raises(ValueError, match="margin must be"):
        result.gate("old", margin=-1.0)


def test_differences_of_unknown_error_are_refused():
    polars = pytest.importorskip("polars")
    rows = [(site, name, gap, 0.1) for site in "abcd" for name, gap in (("x", 0.5), ("y", 0.7))]
    frame = polars.DataFrame(rows, schema=["site", "arm", "gap", "se"], orient="row")
    summary = rivals.read.summaries(
        frame,
        groups="site",
        estimate="gap",
        error="se",
        difference="arm",
        baseline="old",
        left_out=False,
    )
    result = rivals.compare(summary)
    assert result.gate("old", model="x").outcome == "failed"
    with pytest.raises(ValueError, match="unknown"):
        result.gate("x", model="y")


def test_the_difference_and_its_interval_are_those_of_the_comparison():
    result = study(0.2)
    gate = result.gate("old")
    row = result.beside("old").to_records()[0]
    assert (gate.difference, gate.low, gate.high) == (row["difference"], row["low"], row["high"])
    assert gate.difference == pytest.approx(gate.losses[0] - gate.losses[1], rel=1e-12)
    assert gate.low < gate.difference < gate.high
    assert gate.n_units == 12


def test_what_is_shown():
    gate = study(0.2, spread=0.01).gate("old", margin=0.05)
    assert str(gate).startswith("passed: new would be better than old by more than 0.05")
    assert str(gate).endswith("12 groups, models fitted before.")
    assert "90 % interval" in str(gate)
    assert gate.to_dict()["conclusion"] == str(gate)
    assert list(gate.to_records()[0]) == [
        *("outcome", "model", "baseline", "require", "probability", "difference", "low", "high"),
        *("margin", "threshold", "n_units"),
    ]
    line, _, head, _, values = gate.to_markdown().rstrip().split("\n")
    assert line == f"✅ {gate}"
    cells = dict(zip(head.split(" | "), values.split(" | "), strict=True))
    assert float(cells["difference"]) == pytest.approx(gate.difference, rel=1e-5)


@pytest.mark.parametrize("left_out", [True, False])
def test_the_training_has_to_be_said(left_out):
    rng = np.random.default_rng(0)
    losses = {name: rng.exponential(size=60) for name in ("new", "old")}
    site = np.repeat(np.arange(6), 10)
    unsaid = rivals.compare(losses, groups=site)
    with pytest.raises(ValueError, match=r"left_out=True.*left_out=False"):
        unsaid.gate("old")
    said = {name: rivals.Losses(each, left_out=left_out) for name, each in losses.items()}
    gate = rivals.compare(said, groups=site).gate("old")
    assert gate.left_out is left_out


def test_unsaid_training_passes_what_is_undecided():
    """Why it has to be said: six left-out groups share training data, and P falls by that."""
    rng = np.random.default_rng(0)
    site = np.repeat(np.arange(6), 10)
    passed, undecided = 0, 0
    for _ in range(400):
        values = rng.normal(0.5, 0.6, 6)[site] + 0.5 * rng.standard_normal(60)
        losses = {"new": np.zeros(60), "old": values}
        before, out = (
            rivals.compare(
                {name: rivals.Losses(each, left_out=said) for name, each in losses.items()},
                groups=site,
            ).gate("old")
            for said in (False, True)
        )
        assert abs(out.probability - 0.5) <= abs(before.probability - 0.5) + 1e-12
        passed += before.passed
        undecided += before.passed and out.outcome == "undecided"
    assert undecided > 0.1 * passed > 0
