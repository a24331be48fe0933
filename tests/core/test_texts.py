"""Hints of the command line speak of options, not of Python."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("typer")
pytest.importorskip("polars")

from rivals._core.texts import in_command, in_python, opt
from terminal import rivals, table, written

# What only a Python program can do.
PYTHON = re.compile(r"\w=|\[…\]|result\.|rivals\.\w|Losses|math\.|\bpass\b.*\(")


NAMES = ("k=5", "Ridge(alpha=1.0)", "model='a'", "groups=", "left_out=True")


@pytest.mark.parametrize("name", NAMES)
def test_what_is_put_into_a_text_is_never_changed(name):
    text = f"{name}: pass {opt.groups}, or {opt.left_out(True)}"
    assert in_command(text) == f"{name}: pass --groups, or --left-out"
    assert in_python(text) == f"{name}: pass groups=, or left_out=True"


@pytest.mark.parametrize("name", NAMES)
def test_names_of_models_are_printed_as_they_are(tmp_path, name):
    text = table(0.5).replace("line", f'"{name}"', 1)
    run = rivals("compare", written(tmp_path, text), "--groups", "school", "--details")
    assert run.status == 0
    assert name in run.out


WRONG = [
    ("compare", "losses.csv"),
    ("compare", "losses.csv", "--groups", "scool"),
    ("compare", "losses.csv", "--groups", "school", "--method", "transport"),
    ("compare", "losses.csv", "--groups", "school", "--new-groups", "1.5"),
    ("compare", "losses.csv", "--groups", "school", "--clusters", "school"),
    ("compare", "losses.csv", "--groups", "school", "--looks", "every"),
    ("compare", "losses.csv", "--groups", "school", "--models", "line"),
    ("compare", "predictions.csv", "--groups", "school"),
    ("compare", "means.csv", "--groups", "school"),
    ("compare", "index.csv", "--groups", "school"),
    ("compare", "scores.csv"),
    ("compare", "few.csv", "--groups", "school"),
    ("plan", "losses.csv", "--groups", "school", "--more-groups", "0"),
    ("gate", "losses.csv", "--groups", "school", "--baseline", "stp"),
    ("gate", "losses.csv", "--groups", "school", "--baseline", "step"),
    ("gate", "losses.csv", "--groups", "school", "--baseline", "step", "--require", "not-worse"),
    ("summarise", "losses.csv"),
    ("summarise", "means.csv", "--groups", "school", "--estimate", "mean"),
    ("summarise", "means.csv", "--groups", "school", "--estimate", "mean", "--error", "sem"),
]


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_no_hint_asks_for_python(tmp_path, monkeypatch, arguments):
    monkeypatch.chdir(tmp_path)
    written(tmp_path, table(0.5))
    written(tmp_path, table(0.5).replace("line,step", "y,line"), "predictions.csv")
    written(tmp_path, table(0.5).replace("line,step", "mean,sem"), "means.csv")
    written(tmp_path, table(0.5).replace("school,line,step", "school,index,step"), "index.csv")
    written(tmp_path, "model,item,score\na,1,0.5\nb,1,0.25\n", "scores.csv")
    written(tmp_path, "school,line,step\na,1,2\nb,1,2\n", "few.csv")
    run = rivals(*arguments)
    assert run.status == 2
    error = next(line for line in run.err.splitlines() if line.startswith("rivals: "))
    assert not PYTHON.search(error), error


def test_a_printed_result_names_options(tmp_path):
    run = rivals("compare", written(tmp_path, table(0.5)), "--groups", "school", "--details")
    assert run.status == 0
    assert not PYTHON.search(run.out), run.out
