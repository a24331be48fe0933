"""`rivals compare`, `sweep` and `report`: they say what the library says, to whom it concerns."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import rivals
from rivals.cli.sweep import DEFAULT_C
from rivals.read import long_table, losses_from_files


@pytest.mark.parametrize("files", [("observed.csv", "synthetic.csv"), ("long.tsv",), ("losses.npz",)], ids=len)
def test_every_form_of_file_gives_the_librarys_answer(folder, run, files):
    shown = run("compare", *files, "--c", "0.25", "--seed", "7", "--json")
    assert shown.exit_code == 0, shown.output
    expected = rivals.compare(losses_from_files("observed.csv", "synthetic.csv"), c=0.25, rng=7)
    assert json.loads(shown.stdout) == json.loads(json.dumps(expected.to_dict()))


def test_every_option_reaches_the_library(folder, run):
    options = {"c": 0.5, "threshold": 0.8, "n_draws": 300, "max_draws": 900, "depth": 5}
    words = [word for name, value in options.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    shown = run("compare", "long.tsv", *words, "--seed", "3", "--json")
    expected = rivals.compare(long_table("long.tsv"), **options, rng=3)
    assert json.loads(shown.stdout) == json.loads(json.dumps(expected.to_dict()))


def test_two_tables_give_verdict_and_report_by_one_command(folder, run):
    shown = run(
        "compare", "observed.csv", "synthetic.csv", "--report", "page.html", "--save", "saved.npz", "--seed", "1"
    )
    assert shown.exit_code == 0, shown.output
    assert "Worth keeping" in shown.stdout
    assert (folder / "page.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert str(rivals.load("saved.npz")) == shown.stdout.strip()
    again = run("report", "saved.npz", "--out", "again.html", "--seed", "1")
    assert (folder / "again.html").read_bytes() == (folder / "page.html").read_bytes(), again.output


def test_seed_is_printed_back_when_omitted_and_repeats_the_run(folder, run):
    first = run("compare", "long.tsv", "--json")
    seed = re.search(r"--seed (\d+)", first.stderr)
    assert seed is not None
    assert run("compare", "long.tsv", "--json", "--seed", seed[1]).stdout == first.stdout
    assert "seed" not in run("compare", "long.tsv", "--seed", "3").stderr


def test_sweep_as_json_is_the_librarys(folder, run):
    shown = json.loads(run("sweep", "long.tsv", "--c", "0.1", "--c", "10", "--seed", "2", "--json").stdout)
    expected = rivals.compare(long_table("long.tsv"), c=0.1, rng=2).sweep([0.1, 10.0])
    assert shown["c"] == [0.1, 10.0]
    assert shown["survivors"] == [list(names) for names in expected.survivors]
    np.testing.assert_array_equal(shown["probability"], expected.probability)


def test_sweep_prints_one_line_per_c(folder, run):
    lines = run("sweep", "long.tsv", "--seed", "2").stdout.splitlines()
    assert [line.split()[0] for line in lines[2:12]] == [f"{c:g}" for c in DEFAULT_C]


def test_warnings_are_sentences_on_the_other_stream(folder, run):
    rows = [
        f"{model},{kind},{value}" for model in "AB" for kind in ("observed", "synthetic") for value in (1.5, 2.5, 3.5)
    ]
    Path("few.csv").write_text("model,kind,loss\n" + "\n".join(rows), encoding="utf-8")
    shown = run("compare", "few.csv", "--seed", "0")
    assert shown.exit_code == 0
    assert "warning: model 'A': only 3 losses" in shown.stderr
    assert "warning" not in shown.stdout
