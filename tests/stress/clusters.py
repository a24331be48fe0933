"""An experiment that ends its process, on a Dask cluster of two workers whose nannies start them
again.

Each run is a study in a process of its own. It must end with one failure, which names the
experiment, and with the records of all others as a calm run has them, bit for bit. Clusters are as
Dask makes them by default, or impatient: these look for a lost worker before it can have started
again, as others do on a busy machine, and give it up.

    PYTHONPATH=src:tests/calibration python -P tests/stress/clusters.py [RUNS [impatient]]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import warnings
from typing import Any

import numpy as np
from omegas import SMALL, calibrate, toy

import rivals

N = 8
BAD = 3  # the experiment that ends its process
LONGEST = 400.0  # seconds; a cluster gives a block to four workers, each 17 s after it started
IMPATIENT = {
    "distributed.deploy.lost-worker-timeout": "500ms",
    "distributed.scheduler.allowed-failures": 1,
}


def end_workers(seconds: float, seed: int) -> dict[str, Any]:
    """Runs on impatient clusters for so many seconds, at least one; what came of them."""
    end = time.monotonic() + seconds
    found = one_run("impatient")
    while time.monotonic() < end:
        again = one_run("impatient")
        found = {key: found[key] + again[key] for key in found}
    return found


def one_run(cluster: str) -> dict[str, Any]:
    """What came of one study, on a "default" cluster or on an "impatient" one."""
    counts: dict[str, Any] = {
        "faults": 1,
        "lost": 0,
        "hung": 0,
        "silently_wrong": 0,
        "raw_errors": 0,
        "problems": [],
    }

    def problem(what: str, text: str) -> dict[str, Any]:
        counts[what] += 1
        counts["problems"].append(f"a Dask worker ends: {what}: {' '.join(text.split())[-400:]}")
        return counts

    try:
        done = subprocess.run(
            [sys.executable, "-P", __file__, cluster],
            capture_output=True,
            text=True,
            timeout=LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return problem("hung", f"no end after {LONGEST:g} s")
    if done.returncode:
        return problem("lost", done.stderr or done.stdout)
    said = json.loads(done.stdout.splitlines()[-1])
    if said["failed"] != [BAD] or not said["same"]:
        return problem("silently_wrong", done.stdout)
    if "the worker died" not in said["errors"][0]:
        return problem("raw_errors", done.stdout)
    return counts


def ends(rng: np.random.Generator, index: int) -> rivals.Experiment:
    if index == BAD:
        os._exit(1)
    return toy(rng)


def study(settings: dict[str, Any]) -> dict[str, Any]:
    """What a study on a cluster of two workers finds."""
    import dask
    import distributed

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with (
        dask.config.set(settings),
        distributed.LocalCluster(processes=True, silence_logs=50, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        found = calibrate(
            {"e": ends}, n_experiments=N, executor=client.get_executor(), block_size=2, **SMALL
        )
    calm = rivals.calibrate({"e": toy}, n_experiments=N, executor=0, **SMALL).records
    others = calm[calm["experiment"] != BAD]
    return {
        "failed": [failure.experiment for failure in found.failures],
        "errors": [failure.error for failure in found.failures],
        "same": found.records.tobytes() == others.tobytes(),
    }


def main(runs: int, cluster: str = "default") -> None:
    for number in range(1, runs + 1):
        began = time.monotonic()
        counts = one_run(cluster)
        well = "; ".join(counts["problems"]) or f"one failure, of experiment {BAD}"
        print(f"run {number:2d}: {time.monotonic() - began:4.0f} s: {well}", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if sys.argv[1:] == ["default"]:
        print(json.dumps(study({})))
    elif sys.argv[1:] == ["impatient"]:
        print(json.dumps(study(IMPATIENT)))
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else 20, *sys.argv[2:])
