"""`rivals gate`: one line, an exit status, JSON, and a summary for GitHub."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("typer")
pytest.importorskip("polars")

from terminal import rivals, table, written

BETTER = ("--groups", "school", "--fitted-before", "--baseline", "step")
WORSE = ("--groups", "school", "--fitted-before", "--baseline", "line")


@pytest.mark.parametrize(
    ("gap", "arguments", "status", "outcome"),
    [
        (0.5, BETTER, 0, "passed"),
        (0.5, WORSE, 1, "failed"),
        (0.0, BETTER, 3, "undecided"),
        (0.5, (*BETTER, "--margin", "1"), 1, "failed"),  # better, but by less
        (0.5, (*BETTER, "--margin", "0.25"), 0, "passed"),
        (0.5, (*WORSE, "--require", "not-worse", "--margin", "1"), 0, "passed"),
        (0.5, (*WORSE, "--require", "not-worse", "--margin", "0.25"), 1, "failed"),
    ],
)
def test_exit_status_line_and_json(tmp_path, gap, arguments, status, outcome):
    path = written(tmp_path, table(gap))
    run = rivals("gate", path, *arguments)
    assert run.status == status
    assert run.out.startswith(f"{outcome}: ")
    assert run.out.count("\n") == 1
    plain = json.loads(rivals("gate", path, *arguments, "--json").out)
    assert (plain["outcome"], plain["exit_status"]) == (outcome, status)
    assert plain["low"] < plain["difference"] < plain["high"]
    assert (plain["n_units"], plain["left_out"]) == (12, False)


def test_errors_have_their_own_status(tmp_path):
    path = written(tmp_path, table(0.5))
    assert rivals("gate", path, "--groups", "school", "--baseline", "stp").status == 2
    assert rivals("gate", path, "--groups", "school").status == 2
    unsaid = rivals("gate", path, "--groups", "school", "--baseline", "step")
    assert (unsaid.status, unsaid.out) == (2, "")
    assert "--left-out" in unsaid.err
    assert "--fitted-before" in unsaid.err
    assert rivals("gate", path, *BETTER, "--require", "best").status == 2
    assert rivals("gate", path, *BETTER, "--require", "not-worse").status == 2


def test_predictions_beside_what_came_true(tmp_path):
    text = table(0.5).replace("school,line,step", "school,current,new")
    path = written(
        tmp_path,
        text.replace("school ", "school,0.0,").replace(
            "school,current,new", "name,y,school,current,new"
        ),
    )
    run = rivals(
        "gate", path, "--target", "y", "--groups", "school", "--ignore", "name", "--left-out",
        "--baseline", "new",
    )  # fmt: skip
    assert run.status == 0


def test_a_summary_is_appended(tmp_path):
    path, summary = written(tmp_path, table(0.5)), tmp_path / "summary.md"
    for _ in range(2):
        rivals("gate", path, *BETTER, "--summary", summary)
    text = summary.read_text("utf-8")
    assert text.count("passed: line would be better than step") == 2
    assert text.count("| 12 |") == 2
    nowhere = rivals("gate", path, *BETTER, "--summary", tmp_path / "no" / "summary.md")
    assert (nowhere.status, "could not be written" in nowhere.err) == (2, True)


def test_a_segment_that_is_worse_fails_the_gate(tmp_path):
    head, *rows = table(0.5).splitlines()
    # Of each school, the first row of four is of a phone, on which the order is turned.
    turned = []
    for place, row in enumerate(rows):
        school, line, step = row.split(",")
        phone = place % 4 == 0
        turned.append(
            ",".join(
                [school, *((step, line) if phone else (line, step)), "phone" if phone else "desk"]
            )
        )
    path = written(tmp_path, "\n".join([f"{head},device", *turned]) + "\n")
    asked = (*BETTER, "--by", "device")
    run = rivals("gate", path, *asked, "--no-segment-worse", "0.1")
    assert (run.status, run.out.startswith("failed: line is worse than step by more")) == (1, True)
    assert rivals("gate", path, *asked).status == 0
    plain = json.loads(rivals("gate", path, *asked, "--json").out)
    assert {row["segment"] for row in plain["segments"]} == {"phone", "desk"}
    shown = rivals("compare", path, "--groups", "school", "--by", "device")
    assert "line is worse than step in phone" in shown.out
    wrong = rivals("gate", path, *BETTER, "--ignore", "device", "--no-segment-worse", "0.1")
    assert (wrong.status, "--by" in wrong.err) == (2, True)
