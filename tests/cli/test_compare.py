"""`rivals compare`: the same decision as the library's, from files of every kind."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest

pytest.importorskip("typer")
polars = pytest.importorskip("polars")

import rivals as library  # noqa: E402
from terminal import rivals, table, written  # noqa: E402


def losses_of(text):
    return library.read.table(polars.read_csv(text.encode()), groups="school")


def test_the_decision_is_that_of_the_library(tmp_path):
    text = table(0.05)
    run = rivals("compare", written(tmp_path, text), "--groups", "school", "--json")
    found = json.loads(run.out)
    expected = library.compare(losses_of(text)).to_dict()
    assert found["best"] == expected["best"] == "line"
    for name, row in expected["probability"].items():
        assert found["probability"][name] == pytest.approx(row, rel=1e-12)


@pytest.mark.parametrize(("gap", "status"), [(0.5, 0), (0.0, 3)])
def test_the_exit_status_carries_the_decision(tmp_path, gap, status):
    path = written(tmp_path, table(gap))
    assert rivals("compare", path, "--groups", "school").status == status
    assert rivals("compare", path, "--groups", "school", "--json").status == status


def test_standard_input():
    text = table(0.5)
    run = rivals("compare", "-", "--groups", "school", stdin=text.encode())
    assert run.status == 0
    assert "standard input: read as losses of line, step" in run.err


def test_options_reach_the_setting(tmp_path):
    path = written(tmp_path, table(0.5))
    options = ["--threshold", "0.9", "--margin", "1/8", "--new-groups", "inf"]
    run = rivals("compare", path, "--groups", "school", *options, "--level", "0.8", "--json")
    setting = json.loads(run.out)["setting"]
    assert setting["threshold"] == 0.9
    assert setting["margin"] == 0.125
    assert setting["new_groups"] == "inf"
    assert setting["level"] == 0.8


def test_losses_are_said_to_be_losses_and_predictions_need_a_target(tmp_path):
    rng = np.random.default_rng(0)
    y = rng.normal(size=96)
    store = np.repeat(np.arange(12), 8)
    rows = zip(store, y, y + 0.1 * rng.normal(size=96), y + rng.normal(size=96), strict=True)
    text = "store,y,good,bad\n" + "".join(f"s{a},{b},{c},{d}\n" for a, b, c, d in rows)
    path = written(tmp_path, text)
    wrong = rivals("compare", path, "--groups", "store")
    assert wrong.status == 2
    assert "--target y" in wrong.err
    run = rivals("compare", path, "--groups", "store", "--target", "y", "--loss", "squared")
    assert run.status == 0
    assert "squared error" in run.out
    losses = ("compare", path, "--groups", "store", "--models", "good,bad")
    named = rivals(*losses)
    assert "for predictions give --target" in named.err
    computed = rivals(*losses, "--loss", "squared")
    assert (computed.status, "--loss-name" in computed.err) == (2, True)
    called = rivals(*losses, "--loss-name", "hinge loss", "--json")
    assert json.loads(called.out)["source"]["loss"] == "hinge loss"


def test_simulated_losses_log_likelihoods_and_clusters(tmp_path):
    rng = np.random.default_rng(0)
    header = "near,far\n"
    observed = rng.exponential((1.0, 2.0), (400, 2))
    drawn = rng.exponential((1.0, 2.0), (400, 2))
    lines = ["".join(f"{-a},{-b}\n" for a, b in each) for each in (observed, drawn)]
    first = written(tmp_path, header + lines[0], "observed.csv")
    second = written(tmp_path, header + lines[1], "drawn.csv")
    run = rivals("compare", first, "--simulated", second, "--log-likelihood", "--json")
    found = json.loads(run.out)
    assert (found["method"], found["best"], found["source"]["unit"]) == (
        "transport",
        "near",
        "nats",
    )
    doubled = "patient,near,far\n" + "".join(
        f"p{place % 200},{a},{b}\n" for place, (a, b) in enumerate(observed)
    )
    third = written(tmp_path, doubled, "patients.csv")
    simulated = written(tmp_path, header + lines[1].replace("-", ""), "simulated.csv")
    clustered = rivals("compare", third, "--simulated", simulated, "--clusters", "patient")
    assert clustered.status in (0, 3)


def test_scores_of_items(tmp_path):
    rng = np.random.default_rng(0)
    rows = ["model,task,item,score"]
    for task in range(10):
        for item in range(5):
            for model, chance in (("big", 0.9), ("small", 0.2)):
                rows.append(f"{model},t{task},{item},{int(rng.random() < chance)}")
    path = written(tmp_path, "\n".join(rows))
    run = rivals("compare", path, "--score", "score")
    assert run.status == 0
    assert "big would probably win again" in run.out


def test_saved_comparisons_are_decided_again(tmp_path):
    path = written(tmp_path, table(0.5))
    saved = tmp_path / "saved.npz"
    first = rivals("compare", path, "--groups", "school", "--save", saved)
    assert rivals("compare", saved).out == first.out
    harder = rivals("compare", saved, "--margin", "2")
    assert harder.status == 3
    assert rivals("compare", saved, "--groups", "school").status == 2


def test_models_are_shown_beside_a_baseline(tmp_path):
    path = written(tmp_path, table(0.5))
    run = rivals("compare", path, "--groups", "school", "--beside", "step")
    assert "worse than step" in run.out


@pytest.mark.parametrize("option", [("--report", "page.txt"), ("--save", "no/saved.npz")])
def test_files_that_cannot_be_written_are_refused_before_the_work(tmp_path, monkeypatch, option):
    monkeypatch.chdir(tmp_path)
    run = rivals("compare", "nowhere.csv", *option)
    assert run.status == 2
    assert option[0] in run.err


def test_an_input_is_not_written_over(tmp_path):
    saved = tmp_path / "saved.npz"
    path = written(tmp_path, table(0.5))
    rivals("compare", path, "--groups", "school", "--save", saved)
    assert "one of the input files" in rivals("compare", saved, "--save", saved).err


def test_a_site_whose_file_is_not_there(tmp_path):
    run = rivals("compare", str(tmp_path / "north.json"))
    assert run.status == 2
    assert "north.json: there is no such file" in run.err


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_links_that_lead_nowhere(tmp_path):
    (tmp_path / "a.csv").symlink_to(tmp_path / "b.csv")
    (tmp_path / "b.csv").symlink_to(tmp_path / "a.csv")
    run = rivals("compare", tmp_path / "a.csv")
    assert run.status == 2
    assert "link" in run.err


def test_warnings_are_sentences(tmp_path):
    path = written(tmp_path, "site,line,step\na,1,2\nb,1.5,2\nc,1.25,3\n")
    run = rivals("summarise", path, "--groups", "site")
    assert run.err.splitlines()[1].startswith("warning: ")
    assert ".py" not in run.err
