"""Calibrations that are killed: is every experiment there, once, with the numbers of a whole run?

    python benchmarks/kills.py            # writes results/kills.json and results/kills.md

Twenty times kill -9 of all processes of a run and once more to its end, with joblib's processes and
on a Dask cluster of two workers, of which one is killed in each run, too; two runs that write one
store; and a disk that is full (a limit on the size of files, and a small tmpfs where one can be
mounted).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
N_KILLS = 20
N_EXPERIMENTS = 1200
LIMIT = 900.0  # seconds, of a run that is not killed

RUN = """
import resource, sys, time
import joblib
import rivals
from rivals.testbeds import toys

def slowly(rng):
    time.sleep(0.05)
    return toys.omega(rng)

if __name__ == "__main__":
    store, how, limit = sys.argv[1:]
    if int(limit):
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
    options = dict(
        n_data=50, n_truth=100, most_truth=100, n_experiments=SO_MANY, c=[0.1, 1.0], rng=3,
        store=store, progress=False,
    )
    if how == "dask":
        from distributed import Client, LocalCluster
        cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
        with cluster, Client(cluster):
            with open(store + ".workers", "w") as file:
                file.write(" ".join(str(each.pid) for each in cluster.workers.values()))
            with joblib.parallel_config(backend="dask"):
                rivals.calibrate({"slowly": slowly}, n_jobs=-1, **options)
    else:
        rivals.calibrate({"slowly": slowly}, n_jobs=int(how), **options)
""".replace("SO_MANY", str(N_EXPERIMENTS))


def rows(store: Path) -> list[tuple[object, ...]]:
    """All experiments of a store, in order."""
    with closing(sqlite3.connect(store, timeout=60)) as connection:
        query = "SELECT * FROM experiments ORDER BY scenario, experiment"
        return connection.execute(query).fetchall()


def count(store: Path) -> int:
    """How many there are; none before there is a table."""
    with suppress(sqlite3.Error):
        return len(rows(store)) if store.exists() else 0
    return 0


def start(folder: Path, store: Path, how: str, limit: int = 0) -> subprocess.Popen[str]:
    script = folder / "run.py"
    script.write_text(RUN)
    return subprocess.Popen(
        [sys.executable, str(script), str(store), how, str(limit)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def kill_all(process: subprocess.Popen[str]) -> None:
    """Kill -9 of a run and all its processes."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def killed(folder: Path, how: str, whole: list[tuple[object, ...]]) -> dict[str, object]:
    """Killed after every transaction or two, twenty times, then run to its end."""
    store = folder / f"killed-{how}.sqlite"
    kept = []
    workers_killed = 0
    for number in range(N_KILLS):
        process = start(folder, store, how)
        before = count(store)
        # Just after a transaction, or somewhat later, before the next one.
        while process.poll() is None and count(store) <= before:
            time.sleep(0.02)
        time.sleep(0.4 * (number % 5))
        kill_all(process)
        kept.append(count(store))
    process = start(folder, store, how)
    if how == "dask":
        named = Path(f"{store}.workers")
        named.unlink(missing_ok=True)
        before = count(store)
        while process.poll() is None and not (named.exists() and count(store) > before):
            time.sleep(0.02)
        if process.poll() is None:
            os.kill(int(named.read_text().split()[0]), signal.SIGKILL)
            workers_killed += 1
    process.communicate(timeout=LIMIT)
    found = rows(store)
    return {
        "kills": N_KILLS,
        "experiments after each kill": kept,
        "workers killed in the last run": workers_killed,
        "exit status of the last run": process.returncode,
        "lost": N_EXPERIMENTS - len(found),
        "twice": len(found) - len({row[:2] for row in found}),
        "other numbers than a whole run": sum(a != b for a, b in zip(found, whole, strict=False)),
    }


def two_writers(folder: Path, whole: list[tuple[object, ...]]) -> dict[str, object]:
    """Two runs of one store at a time."""
    store = folder / "two.sqlite"
    writers = [start(folder, store, "1") for _ in range(2)]
    for writer in writers:
        writer.communicate(timeout=LIMIT)
    return {
        "exit status": [writer.returncode for writer in writers],
        "lost": N_EXPERIMENTS - count(store),
        "other numbers than a whole run": sum(
            a != b for a, b in zip(rows(store), whole, strict=False)
        ),
    }


def full_disk(
    folder: Path, store: Path, whole: list[tuple[object, ...]], limit: int
) -> dict[str, object]:
    """A run that meets a full disk, and one that goes on when there is room."""
    process = start(folder, store, "1", limit)
    _, said = process.communicate(timeout=LIMIT)
    kept = count(store)
    if not limit:  # a small file system: the rest is run elsewhere
        store = Path(shutil.copy(store, folder / "moved.sqlite"))
    process = start(folder, store, "1")
    process.communicate(timeout=LIMIT)
    return {
        "said": said.strip().splitlines()[-1].replace(str(folder), "…"),
        "experiments kept": kept,
        "lost after the second run": N_EXPERIMENTS - count(store),
        "other numbers than a whole run": sum(
            a != b for a, b in zip(rows(store), whole, strict=False)
        ),
    }


def on_tmpfs(folder: Path, whole: list[tuple[object, ...]]) -> dict[str, object] | str:
    """The same on a file system of 64 kB."""
    place = folder / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        return "no file system could be mounted here"
    try:
        return full_disk(folder, place / "full.sqlite", whole, 0)
    finally:
        subprocess.run(["umount", str(place)], check=False)


def written(found: dict[str, object]) -> str:
    """As a page."""
    lines = ["# Calibrations that are killed", ""]
    lines.append(f"{N_EXPERIMENTS} experiments of 50 ms; `python benchmarks/kills.py`.")
    for name, result in found.items():
        lines += ["", f"**{name}.**"]
        if isinstance(result, str):
            lines.append(f"{result}.")
            continue
        lines += ["", "| what | found |", "| --- | --- |"]
        lines += [f"| {key} | {value} |" for key, value in result.items()]
    return "\n".join(lines) + "\n"


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    found: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        process = start(folder, folder / "whole.sqlite", "2")
        process.communicate(timeout=LIMIT)
        whole = rows(folder / "whole.sqlite")
        found["two processes"] = killed(folder, "2", whole)
        found["a Dask cluster of two workers"] = killed(folder, "dask", whole)
        found["two writers"] = two_writers(folder, whole)
        found["a limit on the size of files"] = full_disk(
            folder, folder / "full.sqlite", whole, 20_000
        )
        found["a small tmpfs"] = on_tmpfs(folder, whole)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "kills.json").write_text(json.dumps(found, indent=1) + "\n")
    (RESULTS / "kills.md").write_text(written(found))
    print(written(found))


if __name__ == "__main__":
    main()
