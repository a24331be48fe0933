"""`rivals summarise` at each site, `rivals compare` of all: the decision of all losses together."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("polars")

from terminal import rivals, table, written


def parts_of(text):
    header, *rows = text.splitlines()
    schools = dict.fromkeys(row.split(",")[0] for row in rows)
    for school in schools:
        yield school, "\n".join([header, *(row for row in rows if row.startswith(f"{school},"))])


@pytest.mark.parametrize("as_site", [False, True])
def test_joined_sites_decide_as_all_losses(tmp_path, as_site):
    text = table(0.05)
    files = []
    for place, (school, part) in enumerate(parts_of(text)):
        path = written(tmp_path, part, f"{place}.csv")
        out = tmp_path / f"site-{place:02}.json"
        options = ["--groups", "school"]
        if as_site:
            options = ["--site", school, "--ignore", "school"]
        assert rivals("summarise", path, *options, "--out", out).status == 0
        files.append(out)
    joined = json.loads(rivals("compare", *files, "--json").out)
    whole = json.loads(
        rivals("compare", written(tmp_path, text), "--groups", "school", "--json").out
    )
    for name, row in whole["probability"].items():
        assert joined["probability"][name] == pytest.approx(row, rel=1e-9)
    assert joined["ranking"] == whole["ranking"]
    assert joined["records"][0].keys() == whole["records"][0].keys()


def test_no_loss_of_a_point_is_in_the_file(tmp_path):
    text = table(0.5)
    run = rivals("summarise", written(tmp_path, text), "--groups", "school")
    losses = {cell for row in text.splitlines()[1:] for cell in row.split(",")[1:]}
    numbers = json.loads(run.out)
    held = {f"{value:.6f}" for value in np.ravel([numbers["first"], *numbers["gaps"]])}
    assert not losses & held


@pytest.mark.parametrize("options", [["--groups", "school"], ["--site", "a", "--ignore", "school"]])
def test_what_is_read_as_losses_is_said_beside_the_summaries(tmp_path, options):
    run = rivals("summarise", written(tmp_path, table(0.5)), *options)
    assert "read as losses" in run.err
    assert "--target" in run.err
    assert json.loads(run.out)["models"]


def test_predictions_are_summarised_too(tmp_path):
    text = "y," + table(0.5).replace("\nschool", "\n0.0,school")
    path = written(tmp_path, text)
    run = rivals("summarise", path, "--groups", "school", "--target", "y", "--loss", "squared")
    assert json.loads(run.out)["source"]["loss"] == "squared error"


def test_estimates_with_their_errors(tmp_path):
    rows = "trial,effect,se\na,-0.9,0.3\nb,-0.7,0.2\nc,-0.8,0.25\nd,-1.0,0.3\n"
    out = tmp_path / "trials.json"
    run = rivals(
        "summarise", written(tmp_path, rows), "--groups", "trial", "--estimate", "effect",
        "--error", "se", "--models", "treated,control", "--out", out,
    )  # fmt: skip
    assert run.status == 0
    found = rivals("compare", out)
    assert found.status == 0
    assert "treated would probably win again" in found.out


def test_a_file_that_is_no_site(tmp_path):
    run = rivals("compare", written(tmp_path, "{}", "site.json"))
    assert run.status == 2
    assert "site.json" in run.err
