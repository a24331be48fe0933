"""Speed of the neuron simulator beside `pyloric-network-simulator`, and of a batch on all cores.

    python benchmarks/pyloric.py [--quick | --batch]

The peer is installed into `.venv-pyloric`, so that its pins do not meet ours. Both integrate the same circuit from the
same state with the same solver settings, taking turns; seconds are per simulated second, without compilation.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from rivals.testbeds.noise import ColouredNoise
from rivals.testbeds.pyloric import LOOSE, pair, settled, simulate
from rivals.testbeds.pyloric.integrate import integrate

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "benchmarks" / "results"
PEER = "pyloric-network-simulator"
BATCH, BATCH_DURATION = 256, 4000.0


def main() -> None:
    """Measure, print, and write benchmarks/results/pyloric.json."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="shorter runs, for a first look")
    parser.add_argument("--batch", action="store_true", help="the batch alone")
    options = parser.parse_args()
    quick = options.quick
    if options.batch:
        report("pyloric-batch", {"batch": describe_batch(batch_speed(BATCH, BATCH_DURATION))})
        return
    duration, repeats = (200.0, 1) if quick else (1000.0, 3)
    rows = side_by_side(peer_python(), duration, repeats)
    batch = describe_batch(batch_speed(32 if quick else BATCH, BATCH_DURATION))
    if not quick:
        report("pyloric", {"side by side": rows, "batch": batch})


def report(name: str, found: dict[str, object]) -> None:
    """Write the results with the machine they are from."""
    machine = {"processor": processor(), "cores": os.cpu_count(), "python": platform.python_version()}
    RESULTS.mkdir(exist_ok=True)
    content = {"machine": machine, "load": os.getloadavg(), **found}
    (RESULTS / f"{name}.json").write_text(json.dumps(content, indent=1) + "\n")


def describe_batch(batch: dict[str, object]) -> dict[str, object]:
    """Print the speed of the batch."""
    print(
        f"batch: {batch['simulated seconds per second']:.1f} simulated seconds per second, "
        f"{batch['simulated seconds per processor second']:.1f} per processor second"
    )
    return batch


def peer_python() -> Path:
    """Python of the peer's environment, made if need be."""
    folder = ROOT / ".venv-pyloric"
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        print(f"installing {PEER} into {folder.name} ...", flush=True)
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", PEER], check=True)
    return python


def side_by_side(python: Path, duration: float, repeats: int) -> list[dict[str, object]]:
    """The same runs by both simulators, one after the other."""
    environment = {**os.environ, "JAX_PLATFORMS": "cpu", "PYTHONWARNINGS": "ignore"}
    process = subprocess.Popen(
        [python, Path(__file__).with_name("peer_pyloric.py")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    )
    rows = []
    # Short and long correlation times, as in the paper's calibration and in its example.
    currents = {"no current": None, "current, tau 1.4 ms": (1.4, 1e-5), "current, tau 100 ms": (100.0, 2.0**-5)}
    for cell in ("LP 1", "LP 5"):
        for label, settings in currents.items():
            noise = None if settings is None else ColouredNoise(*settings, duration, rng=0)
            theirs = ask(process, cell, noise, duration, repeats)
            rows.append(row(cell, label, ours(cell, noise, duration, 5 * repeats), theirs, duration))
            print(describe(rows[-1]), flush=True)
    process.stdin.close()
    process.wait()
    return rows


def ask(process, cell, noise, duration, repeats):
    """Let the peer run, and wait for its answer."""
    impulses = None
    if noise is not None:
        impulses = {
            "first": noise.first,
            "tau": noise.tau,
            "times": noise.times.tolist(),
            "weights": noise.weights.tolist(),
        }
    request = {
        "cell": cell,
        "state": settled(pair(cell)).tolist(),
        "duration": duration,
        "noise": impulses,
        "repeats": repeats,
    }
    process.stdin.write(json.dumps(request) + "\n")
    process.stdin.flush()
    for line in process.stdout:
        if line.startswith("answer "):
            return json.loads(line[7:])
    raise RuntimeError("the peer ended without an answer; run benchmarks/peer_pyloric.py by hand to see why")


def ours(cell, noise, duration, repeats):
    """The same for this package."""
    circuit, times = pair(cell), np.arange(0.0, duration + 0.5)
    runs = []
    for _ in range(1 + repeats):
        wall, used = time.perf_counter(), time.process_time()
        v = simulate(circuit, times, current=noise)
        runs.append(
            {"wall": time.perf_counter() - wall, "processor": time.process_time() - used, "last": v[:, -1].tolist()}
        )
    evaluations = integrate(circuit, settled(circuit), times, solver=LOOSE).evaluations if noise is None else None
    return {"runs": runs[1:], "evaluations": evaluations}


def row(cell, label, ours, theirs, duration):
    """Best of the repeats of each, per simulated second."""
    seconds = duration / 1000
    found = {"cell": cell, "input": label, "simulated seconds": seconds}
    for clock in ("wall", "processor"):
        found[f"ours {clock}"] = min(run[clock] for run in ours["runs"]) / seconds
        found[f"peer {clock}"] = min(run[clock] for run in theirs["runs"]) / seconds
        found[f"times {clock}"] = found[f"peer {clock}"] / found[f"ours {clock}"]
    found["peer evaluations"] = theirs["runs"][0]["evaluations"]
    found["ours evaluations"] = ours["evaluations"]
    last = np.array(ours["runs"][0]["last"]) - theirs["runs"][0]["last"]
    found["difference of the last voltages, mV"] = float(np.abs(last).max())
    return found


def describe(found) -> str:
    """One line."""
    return (
        f"{found['cell']}, {found['input']}: ours {found['ours wall']:.4f} s, peer {found['peer wall']:.2f} s per simulated "
        f"second: {found['times wall']:.0f} times faster ({found['times processor']:.0f} times by processor time); "
        f"last voltages differ by {found['difference of the last voltages, mV']:.1e} mV"
    )


def batch_speed(count: int, duration: float) -> dict[str, object]:
    """Experiments of the calibration, their input included, on as many threads as cores."""
    cells = [f"LP {1 + i % 5}" for i in range(count)]
    for cell in set(cells):
        settled(pair(cell))
    times = np.arange(duration - 1000.0, duration + 0.5)

    def experiment(i: int) -> None:
        simulate(cells[i], times, current=ColouredNoise(1.4, 1e-5, duration, rng=i))

    wall, used = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(experiment, range(count)))
    wall, used = time.perf_counter() - wall, time.process_time() - used
    return {
        "experiments": count,
        "simulated seconds each": duration / 1000,
        "threads": os.cpu_count(),
        "wall": wall,
        "processor": used,
        "simulated seconds per second": count * duration / 1000 / wall,
        # What is left of the machine's load: two free cores would do twice this.
        "simulated seconds per processor second": count * duration / 1000 / used,
    }


def processor() -> str:
    """Name of the processor, where Linux tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


if __name__ == "__main__":
    sys.exit(main())
