"""Files that are written while the writer is killed, or while the disk has no room: the old file or
the new one.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import rivals
from stress.damage import comparison

WRITER = """
import resource, sys
import rivals
limit = int(sys.argv[3])
result = rivals.load(sys.argv[1])
print("ready", flush=True)
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    try:
        getattr(result, sys.argv[4])(sys.argv[2])
    except OSError:
        sys.exit(3)
    sys.exit(0)
while True:
    result.save(sys.argv[2])
"""


def start(
    source: Path, target: Path, limit: int = 0, method: str = "save"
) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(source), str(target), str(limit), method]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    return process


def interrupt_writes(
    seconds: float, seed: int, *, n_kills: int = 20, n_full: int = 10
) -> dict[str, Any]:
    """Kill a writer at random moments, and let its disk be full at random sizes; look at the file
    each time.
    """
    rng = np.random.default_rng(seed)
    counts: dict[str, Any] = {
        "faults": 0,
        "lost": 0,
        "silently_wrong": 0,
        "hung": 0,
        "left_over": 0,
        "problems": [],
    }
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "out"
        source = Path(name) / "source.npz"
        folder.mkdir()
        comparison().save(source)
        target = folder / "x.npz"
        names = rivals.load(source).names
        for _ in range(n_kills):
            if time.monotonic() > end:
                break
            process = start(source, target)
            while not target.exists() and process.poll() is None:
                time.sleep(0.001)
            time.sleep(rng.uniform(0.0, 0.05))
            os.kill(process.pid, signal.SIGKILL)
            process.communicate()
            counts["faults"] += 1
            if rivals.load(target).names != names:
                counts["silently_wrong"] += 1
        # A writer that is killed cannot tidy up; the next one that is not leaves nothing of its
        # own.
        counts["left_over"] = sum(path.name != "x.npz" for path in folder.iterdir())
        for index in range(n_full):
            if time.monotonic() > end:
                break
            method, page = ("save", target) if index % 2 else ("report", folder / "x.html")
            page.write_bytes(
                before := b"what was there" if method == "report" else target.read_bytes()
            )
            there = {path.name for path in folder.iterdir()}
            process = start(source, page, int(rng.integers(1, 12_000)), method)
            try:
                process.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                counts["hung"] += 1
            counts["faults"] += 1
            if (
                process.returncode != 3
                or page.read_bytes() != before
                or {path.name for path in folder.iterdir()} != there
            ):
                counts["lost"] += 1
                counts["problems"].append(
                    f"{method} on a full disk: exit code {process.returncode}"
                )
    return counts


if __name__ == "__main__":
    print(json.dumps(interrupt_writes(float(sys.argv[1]), 15), indent=1))
