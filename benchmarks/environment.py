"""Where the measurements run: the peer's own environment, one core, one thread, and what machine it
was.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PEER = HERE.parent / ".venv-peer"
# valconfig 0.1.2 is the last one that the peer's configuration works with.
PEER_PACKAGES = ("emdcmp", "valconfig==0.1.2")
ONE_THREAD = {
    f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "VECLIB_MAXIMUM")
}


class BenchmarkError(RuntimeError):
    """The measurement cannot be made; the message says why and what to do."""


def pin_to_one_core() -> str:
    """Bind this process and its children to one core; tell which, where the system allows it."""
    if not hasattr(os, "sched_setaffinity"):
        return "not pinned (this system has no sched_setaffinity)"
    core = max(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    return f"pinned to core {core}"


def peer_python() -> Path:
    """The interpreter of the peer's environment, which is made on first use and kept."""
    python = PEER / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    made = PEER / ".made"
    if not made.exists():
        base = shutil.which("python3.11") or sys.executable
        for command in (
            [base, "-m", "venv", "--clear", str(PEER)],
            [str(python), "-m", "pip", "install", "--quiet", *PEER_PACKAGES],
            [str(python), "-c", "from emdcmp import draw_R_samples"],
        ):
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                reason = (done.stderr.strip() or "no message").splitlines()[-1]
                raise BenchmarkError(
                    f"The peer could not be installed in {PEER.name}, so there is nothing to "
                    f"compare with: {reason} (it wants Python 3.11 and `pip install emdcmp "
                    '"valconfig==0.1.2"`).'
                )
        made.touch()
    return python


def run_ours(*arguments: object) -> dict[str, Any]:
    """Run ours.py in a fresh process."""
    return _run([sys.executable, str(HERE / "ours.py"), *map(str, arguments)], timeout=1800.0)


def run_peer(*arguments: object, timeout: float = 1800.0) -> dict[str, Any]:
    """Run peer.py in a fresh process of its environment; it cannot hang us for longer than the
    timeout.
    """
    return _run(
        [str(peer_python()), "-W", "ignore", str(HERE / "peer.py"), *map(str, arguments)], timeout
    )


def describe() -> dict[str, str]:
    """Date, machine, versions and load."""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": f"{_processor()}, {os.cpu_count()} cores, {platform.system()} "
        f"{platform.machine()}",
        "load average before": _load(),
        "ours": f"rivals {version('rivals')} (commit {_commit()}), Python "
        f"{platform.python_version()}, NumPy {version('numpy')}, SciPy {version('scipy')}",
        "peer": run_peer("versions")["versions"],
    }


def finish(machine: dict[str, str]) -> dict[str, str]:
    """The description with the load at the end, to show how quiet the machine was."""
    return {**machine, "load average after": _load()}


def heading(machine: dict[str, str]) -> str:
    """The description as a list in Markdown."""
    return "\n".join(f"- {key}: {value}" for key, value in machine.items())


def _run(command: list[str], timeout: float) -> dict[str, Any]:
    # A scratch folder as working directory: the peer may leave configuration files behind.
    with tempfile.TemporaryDirectory() as scratch:
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                check=False,
                cwd=scratch,
                env={**os.environ, **ONE_THREAD},
                timeout=timeout,
            )
        except subprocess.TimeoutExpired as error:
            raise BenchmarkError(
                f"{Path(command[-1]).name}: no answer within {timeout:.0f} s"
            ) from error
    if done.returncode != 0:
        raise BenchmarkError(f"{' '.join(command[1:])} failed:\n{done.stderr}")
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or "unknown processor"
    return next(
        (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")),
        "unknown processor",
    )


def _load() -> str:
    return (
        " ".join(f"{value:.2f}" for value in os.getloadavg())
        if hasattr(os, "getloadavg")
        else "unknown"
    )


def _commit() -> str:
    command = ["git", "describe", "--always", "--dirty", "--exclude", "*"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE)
    except OSError:
        return "unknown"
    return done.stdout.strip() or "unknown"
