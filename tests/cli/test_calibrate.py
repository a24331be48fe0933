"""`rivals calibrate` on the command line."""

import json
import os

import pytest
from typer.testing import CliRunner

from rivals.cli import app
from rivals.cli.values import parse_c

SIZES = ["--n-data", "64", "--n-truth", "300", "--no-progress", "--workers", "0", "--n-simulations", "4"]


@pytest.fixture
def here(monkeypatch):
    monkeypatch.chdir(os.path.dirname(__file__))


def invoke(*arguments):
    return CliRunner().invoke(app, ["calibrate", *map(str, arguments)])


def test_run_resume_status_and_export(here, tmp_path):
    store, table, picture = tmp_path / "s.sqlite", tmp_path / "r.csv", tmp_path / "c.png"
    line = ["omegas:toy", "--c", "2^-4,1", "--n-experiments", "20", "--store", store, "--seed", "3", *SIZES]
    first = invoke(*line, "--export", table, "--plot", picture)
    assert first.exit_code == 0, first.output
    assert "20 experiments" in first.output
    assert "under law 'transport'" in first.output
    assert "question: which candidate is better on new data of the same process" in first.output
    assert "rng = 3" in first.output
    assert len(table.read_text().splitlines()) == 41
    assert picture.read_bytes()[:4] == b"\x89PNG"
    again = invoke(*line)
    assert again.output == first.output
    status = json.loads(invoke("--status", store, "--json").output)
    assert status["omegas"]["toy"]["done"] == 20
    assert "20 of 20 done" in invoke("--status", store).output
    exported = invoke(store, "--export", tmp_path / "again.parquet")
    assert exported.exit_code == 0, exported.output


def test_law_order_and_replications(here):
    beta = ["--law", "beta", "--n-draws", "64", "--depth", "4"]
    found = invoke("omegas:replicated", *beta, "--n-experiments", "4", "--n-replications", "2", "--json", *SIZES)
    assert found.exit_code == 0, found.output
    summary = json.loads(found.output)
    assert (summary["law"], summary["n_simulations"], summary["n_replications"]) == ("beta", 4, 2)
    assert summary["question"].endswith("in a fresh replication")
    series = invoke("omegas:toy", "--order", "time", "--n-experiments", "4", "--json", *SIZES)
    assert json.loads(series.output)["order"] == "time"


def test_json(here):
    found = invoke("omegas:toy", "--c", "1", "--n-experiments", "30", "--json", *SIZES)
    assert found.exit_code == 0, found.output
    summary = json.loads(found.output)
    assert summary["experiments"] == 30
    assert summary["n_data"] == 64
    assert int(summary["rng"]) > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["omegas"], "must be module:name"),
        (["nowhere_at_all:x"], "No module named"),
        (["omegas:nothing"], "has no 'nothing'"),
        (["omegas:toy", "--c", "two"], "--c is not a number: got 'two'"),
        (["omegas:toy", "--law", "groups"], "law 'groups' has no c to calibrate"),
        (["omegas:toy", "--order", "tim"], "did you mean 'time'?"),
        (["omegas:toy", "--n-replications", "2"], "n_replications = 2, but an experiment has no replicate"),
        ([], "needs the path of a store"),
    ],
)
def test_mistakes_are_said_in_a_sentence(here, arguments, message):
    found = invoke(*arguments, "--n-experiments", "2", *SIZES)
    assert found.exit_code != 0
    assert message in str(found.exception)


def test_needed_options_that_are_missing_are_named(here):
    assert "missing --n-data and --n-experiments: how many" in str(invoke("omegas:toy").exception)
    assert "missing --n-experiments: how many" in str(invoke("omegas:toy", "--n-data", "64").exception)


def test_values_of_c():
    assert parse_c(["2^-2,0.5", "2**3"]) == [0.25, 0.5, 8.0]
