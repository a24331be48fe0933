"""The composite action around the gate: its script, as a runner would run it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("yaml")
pytest.importorskip("typer")
pytest.importorskip("polars")

import yaml

from terminal import table, written

ACTION = Path(__file__).parents[2] / "action.yml"
pytestmark = [
    pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash"),
    pytest.mark.skipif(not ACTION.exists(), reason="only in the repository"),
]
INPUT = re.compile(r"\$\{\{ inputs\.(\w+) \}\}")


def run(folder: Path, **given: str) -> tuple[int, dict[str, str], str]:
    """Exit status, outputs and summary of the step, with these inputs."""
    action = yaml.safe_load(ACTION.read_text("utf-8"))
    known = {name: each.get("default", "") for name, each in action["inputs"].items()}
    assert set(given) <= set(known)
    known |= given
    step = action["runs"]["steps"][-1]
    values = {name: INPUT.sub(lambda m: known[m[1]], text) for name, text in step["env"].items()}
    # The name of Python is that of this interpreter.
    (folder / "bin").mkdir(exist_ok=True)
    python = folder / "bin" / "python"
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    files = {"GITHUB_OUTPUT": folder / "output", "GITHUB_STEP_SUMMARY": folder / "summary.md"}
    for path in files.values():
        path.write_text("")
    path = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, **values, **{k: str(v) for k, v in files.items()}, "PATH": path}
    script = folder / "step.sh"
    script.write_text(step["run"])
    # As GitHub runs `shell: bash`.
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    lines = files["GITHUB_OUTPUT"].read_text().splitlines()
    outputs = dict(line.split("=", 1) for line in lines)
    return done.returncode, outputs, files["GITHUB_STEP_SUMMARY"].read_text("utf-8")


OF = {"file": "losses.csv", "groups": "school", "training": "fitted-before"}


@pytest.mark.parametrize(
    ("gap", "given", "status", "outcome"),
    [
        (0.5, {"baseline": "step"}, 0, "passed"),
        (0.5, {"baseline": "line"}, 1, "failed"),
        (0.5, {"baseline": "line", "arguments": "--require not-worse --margin 1"}, 0, "passed"),
        (0.0, {"baseline": "step"}, 3, "undecided"),
        (0.0, {"baseline": "step", "undecided": "pass"}, 0, "undecided"),
        (0.5, {"baseline": "nobody"}, 2, "error"),
        (0.5, {"baseline": "step", "training": "unknown"}, 2, "error"),
    ],
)
def test_the_step_ends_as_the_gate_does(tmp_path, gap, given, status, outcome):
    written(tmp_path, table(gap))
    found, outputs, summary = run(tmp_path, **{**OF, **given})
    assert (found, outputs["outcome"]) == (status, outcome)
    plain = json.loads(Path(outputs["json"]).read_text("utf-8"))
    if outcome == "error":
        assert plain["exit_status"] == 2
    else:
        assert plain["outcome"] == outcome
        assert outcome in summary


def test_what_an_input_holds_is_never_run(tmp_path):
    written(tmp_path, table(0.5))
    found, outputs, _ = run(tmp_path, **{**OF, "baseline": "$(touch owned); touch owned"})
    assert (found, outputs["outcome"]) == (2, "error")
    run(tmp_path, **{**OF, "baseline": "step", "arguments": "$(touch owned) `touch owned`"})
    assert not (tmp_path / "owned").exists()


def test_every_input_is_documented():
    action = yaml.safe_load(ACTION.read_text("utf-8"))
    assert all(each["description"] for each in action["inputs"].values())
    page = ACTION.parent.joinpath("docs", "howto", "gate.md").read_text("utf-8")
    assert all(f"{name}:" in page for name, each in action["inputs"].items() if "required" in each)
