"""Exit codes as a shell script sees them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("typer")
pytest.importorskip("polars")

from terminal import table, written

COMPARE = '"$PYTHON" -m rivals compare losses.csv --groups school'
SCRIPT = """
set -u
of="losses.csv --groups school --fitted-before"
gate() { "$PYTHON" -m rivals gate $of "$@" >out 2>err; echo $?; }
gate --baseline step
gate --baseline line
gate --baseline step --margin 0.5
gate --baseline nobody
if "$PYTHON" -m rivals compare losses.csv --groups school >out 2>err; then echo named; fi
"""


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_a_script_branches_on_the_gate(tmp_path):
    written(tmp_path, table(0.5))
    done = subprocess.run(
        ["bash", "-c", SCRIPT],
        cwd=tmp_path,
        env={**os.environ, "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["0", "1", "3", "2", "named"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_outputs_are_no_error(tmp_path, closed):
    written(tmp_path, table(0.5))
    done = subprocess.run(
        [
            "bash",
            "-c",
            f"{COMPARE} {closed}; echo $? > status",
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (tmp_path / "status").read_text(encoding="utf-8").strip() == "0"
    assert "Traceback" not in done.stderr
