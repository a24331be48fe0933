"""The gate beside trackers of experiments, offline: MLflow and Weights & Biases."""
# needs: rivals[all], mlflow, wandb

from __future__ import annotations

import numpy as np
import pytest

import rivals
from pages import DOCS, blocks, recipe

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def page(tmp_path, monkeypatch):
    """What the page has made before: predictions of two models."""
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    space = {"rivals": rivals}
    exec(blocks(DOCS / "howto" / "gate.md", "python")[0], space)
    return space


def check(found, frame):
    """The predictions came back, to the ten decimals of JSON; and the gate is that of the frame."""
    expected = rivals.read.predictions(frame, target="y", groups="store", left_out=False)
    for name, losses in expected.items():
        np.testing.assert_allclose(found["losses"][name].observed, losses.observed, atol=1e-9)
    gate = rivals.compare(expected).gate("current")
    assert found["gate"].outcome == gate.outcome == "passed"
    assert found["gate"].probability == pytest.approx(gate.probability, abs=1e-6)


def test_mlflow(page, monkeypatch):
    monkeypatch.setenv("MLFLOW_DISABLE_TELEMETRY", "true")
    mlflow = pytest.importorskip("mlflow")
    exec(recipe("gate.md", "import mlflow"), page)
    check(page, page["frame"])
    (logged,) = mlflow.search_runs(
        filter_string="attributes.run_name = 'gate'", output_format="list"
    )
    assert logged.data.tags["gate"] == "passed"
    assert logged.data.metrics["P"] == page["gate"].probability


def test_weights_and_biases(page, monkeypatch, tmp_path):
    monkeypatch.setenv("WANDB_MODE", "offline")
    wandb = pytest.importorskip("wandb")
    exec(recipe("gate.md", "import wandb"), page)
    check(page, page["frame"])
    wandb.teardown()  # its process writes the run's file to the end
    (run,) = tmp_path.glob("wandb/offline-run-*")
    assert list(run.glob("files/media/table/predictions_*.table.json"))
    (history,) = run.glob("*.wandb")
    assert b'"passed"' in history.read_bytes()
