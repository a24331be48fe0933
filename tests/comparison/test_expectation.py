"""What a verdict is worth is what the benchmark measured, and is said of nothing else."""

import html
import json
from pathlib import Path

import numpy as np
import pytest

import rivals
from rivals.comparison import text
from rivals.comparison.expectation import DATA_SETS, THRESHOLD
from rivals.comparison.table import to_paste
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
    assert measured == expected


def test_it_is_said_under_a_verdict_and_in_json():
    result = rivals.compare(toys.losses(), rng=0)
    error, spread, _ = LAWS["transport"].measured[True]["next", 1]
    words = f"{error:.0f} ± {spread:.0f} % of the winners stated from one data set without"
    assert words in " ".join(str(result).split())
    assert result.to_dict()["expected_error"] == result.expected_error
    assert result.expected_error == pytest.approx(error / 100)


NOT_MEASURED = {
    "c": ({"c": 0.1}, "at c = 0.1"),
    "threshold": ({"threshold": 0.9}, "at threshold 0.9"),
    "order": ({"order": "time"}, "with order 'time'"),
    "clusters": ({"clusters": np.arange(1000) % 10}, "with clusters of points"),
    "margin": ({"margin": 0.01}, "with a margin"),
    "options": ({"law": rivals.laws.Beta(depth=9)}, "with other options of the law"),
    "two": ({"c": 0.1, "order": "time"}, "at c = 0.1 and with order 'time'"),
}


@pytest.mark.parametrize("case", NOT_MEASURED)
def test_what_was_not_measured_says_so(case):
    change, words = NOT_MEASURED[case]
    result = rivals.compare(toys.losses(), **change, rng=0)
    assert result.rejections
    assert result.expected_error is None
    assert result.expected_stated is None
    sentence = f"What to expect was not measured {words} (docs: Does it work?)."
    assert sentence in " ".join(str(result).split())
    assert "What to expect:" not in str(result)


def grouped(rng, n_groups=8, n_points=20, gap=0.5, simulations=0):
    """Two models in groups, with or without a clear difference."""
    n = n_groups * n_points
    a = rng.exponential(size=n)
    observed = {"A": a, "B": a + gap + 0.1 * rng.standard_normal(n)}
    labels = np.repeat(np.arange(n_groups), n_points)
    if not simulations:
        return {name: rivals.Losses(own, groups=labels) for name, own in observed.items()}
    losses = {}
    for name, own in observed.items():
        simulated = rng.exponential(size=(simulations, n)) + own.mean() - 1.0
        losses[name] = rivals.Losses(own, simulated, groups=labels)
    return losses


def test_grouped_losses_under_another_law_say_that_it_was_not_measured():
    losses = grouped(np.random.default_rng(0), simulations=4)
    result = rivals.compare(losses, law="transport", rng=0)
    assert result.rejections
    words = "What to expect was not measured with clusters of points"
    assert words in " ".join(str(result).split())


def test_other_questions_and_single_losses_say_that_they_were_not_measured():
    losses = grouped(np.random.default_rng(0))
    asked = " ".join(str(rivals.compare(losses, new_groups=3, rng=0)).split())
    assert "What to expect was not measured over 3 new groups from 8" in asked
    single = grouped(np.random.default_rng(0), n_groups=40, n_points=1)
    single = " ".join(str(rivals.compare(single, rng=0)).split())
    assert "What to expect was not measured with one loss in each group" in single


def test_attribute_line_json_page_and_methods_agree_in_random_comparisons(tmp_path):
    """One source: whatever the comparison, the number printed is the number returned."""
    pytest.importorskip("jinja2")
    rng = np.random.default_rng(33)
    seen = set()
    for number in range(40):
        n_groups = int(rng.integers(3, 31))
        gap = float(rng.choice([0.0, 0.01, 0.5]))
        losses = grouped(rng, n_groups, gap=gap, simulations=int(rng.choice([0, 4])))
        changes = {
            "new_groups": rng.choice([None, 1, np.inf, 7]),
            "threshold": rng.choice([0.95, 0.95, 0.9]),
            "order": rng.choice([None, None, "time"]),
            "loss_unit": rng.choice([None, "nats"]),
        }
        result = rivals.compare(losses, **changes, rng=number)
        printed = " ".join(str(result).split())
        methods = result.methods()
        found = result.to_dict()
        assert found["expected_error"] == result.expected_error
        assert found["expected_stated"] == result.expected_stated
        if result.expected_error is not None:
            # The benchmark has log losses: that is told unless these are such, too.
            by = "" if result.applied.setting.loss_unit == "nats" else ", by log losses,"
            words = f"{100 * result.expected_error:.0f} ± "
            assert f"What to expect: in {DATA_SETS} real data sets{by} {words}" in printed
            assert f"in {DATA_SETS} real data sets{by} {words}" in methods
        else:
            assert "% of the winners stated" not in printed + methods
        stated = result.expected_stated
        if stated is not None:
            words = f"a winner was stated for {100 * stated:.0f} % of the pairs"
            assert words in printed
            assert words in methods
        else:
            assert "a winner was stated" not in printed + methods
            assert ("What to expect was not measured" in printed) == bool(result.rejections)
        if number < 4:
            result.report(tmp_path / "page.html")
            page = html.unescape((tmp_path / "page.html").read_text(encoding="utf-8"))
            lines = [each for each in text.remarks(result) if each.startswith("What to expect")]
            assert page.count("What to expect") == len(lines)
            assert all(line in page for line in lines)
        seen.add((result.expected_error is None, stated is None, bool(result.rejections)))
    assert len(seen) == 4


def test_more_groups_than_were_tried_are_told_what_fewer_did():
    rng = np.random.default_rng(0)
    a = rng.exponential(size=900)
    models = {"A": a, "B": a + 0.5 + 0.1 * rng.standard_normal(900)}
    eight, nine, thirty = (
        rivals.compare(models, groups=np.arange(900) % n, rng=0) for n in (8, 9, 30)
    )
    measured = LAWS["groups"].measured[False]
    most = max(groups for question, groups in measured if question == "study")
    assert eight.expected_error == pytest.approx(measured["study", 8].error / 100)
    assert nine.expected_error == eight.expected_error
    assert thirty.expected_error == pytest.approx(measured["study", most].error / 100)
    error, spread, _ = measured["study", most]
    words = f"{error:.0f} ± {spread:.0f} % of the winners stated from {most} groups (the most that"
    assert words in " ".join(str(thirty).split())


@pytest.mark.parametrize(
    ("asked", "heading"),
    [({}, "study"), ({"new_groups": 1}, "next"), ({"new_groups": np.inf}, "all")],
)
def test_the_horizon_that_decides_is_marked(asked, heading):
    """In the row of the best, whose own probabilities are empty."""
    result = rivals.compare(grouped(np.random.default_rng(0)), **asked, rng=0)
    headings, cells, _ = to_paste(result)
    marked = [name for name, cell in zip(headings, cells[0], strict=True) if cell == "counts"]
    (name,) = marked
    assert name.startswith(heading)
    assert str(result).count("counts") == 1
    assert {row["decides"] for row in result.to_dict()["models"]} == {heading}


def test_a_margin_or_another_number_of_groups_is_marked_too():
    losses = grouped(np.random.default_rng(0))
    margin = rivals.compare(losses, margin=0.01, rng=0).to_dict()["models"]
    asked = rivals.compare(losses, new_groups=3, rng=0).to_dict()["models"]
    alone = rivals.compare(toys.losses(), rng=0).to_dict()["models"]
    assert [rows[0]["decides"] for rows in (margin, asked, alone)] == ["margin", "asked", None]
