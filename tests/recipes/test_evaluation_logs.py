"""Fresh logs of inspect_ai and lm-evaluation-harness, read as the committed ones are."""
# needs: rivals[all], inspect-ai, lm-eval

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import rivals

MAKER = Path(__file__).parent / "evaluation_logs.py"


@pytest.mark.parametrize(
    ("library", "module", "metric"),
    [("inspect", "inspect_ai", None), ("harness", "lm_eval", "acc,none")],
)
def test_fresh_logs(library, module, metric, tmp_path):
    pytest.importorskip(module)
    command = [sys.executable, str(MAKER), library, str(tmp_path)]
    subprocess.run(command, check=True, cwd=tmp_path, capture_output=True)
    losses = rivals.read.evaluations(tmp_path, metric=metric)
    assert {name.partition("/")[2] for name in losses} == {"good", "poor"}
    for each in losses.values():
        assert each.n_points == 10
        assert sorted(each.groups.names) == ["add", "count", "near"]
    assert rivals.compare(losses).ranking[0].endswith("good")
