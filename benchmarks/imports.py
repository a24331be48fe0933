"""What `import rivals` costs and loads, each time in a fresh interpreter that has imported nothing
else.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from statistics import median

from environment import ONE_THREAD, BenchmarkError

BASE = "import numpy, scipy.special"
OURS = "import rivals"
HEAVY = ("scipy.stats", "scipy.optimize", "matplotlib", "pandas", "typer")
REPEATS = 21


def measure() -> dict[str, object]:
    """Median seconds of both statements, in turn, and which of the heavy modules were loaded."""
    times: dict[str, list[float]] = {BASE: [], OURS: []}
    loaded: list[str] = []
    for repeat in range(REPEATS + 1):
        for statement in (BASE, OURS) if repeat % 2 else (OURS, BASE):
            seconds, heavy = _fresh(statement)
            if repeat > 0:  # the first round fills the file cache
                times[statement].append(seconds)
            if statement == OURS:
                loaded = heavy
    # Both of one round face the same load, so the ratio is taken round by round.
    ratios = [ours / base for ours, base in zip(times[OURS], times[BASE], strict=True)]
    return {
        "base": median(times[BASE]),
        "ours": median(times[OURS]),
        "ratio": median(ratios),
        "heavy": loaded,
    }


def _fresh(statement: str) -> tuple[float, list[str]]:
    code = (
        f"import time; start = time.perf_counter(); {statement}; seconds = time.perf_counter() - "
        f"start\nimport json, sys; print(json.dumps([seconds, [name for name in {HEAVY!r} if name "
        "in sys.modules]]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **ONE_THREAD},
    )
    if done.returncode != 0:
        raise BenchmarkError(f"{statement!r} failed:\n{done.stderr}")
    seconds, heavy = json.loads(done.stdout)
    return seconds, heavy
