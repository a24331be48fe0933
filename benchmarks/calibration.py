"""The black body calibration beside the peer: 4 096 experiments at 8 values of c, on two cores.

    python benchmarks/calibration.py [--experiments 4096] [--workers 2] [--peer-seconds 20]

Runs the bias sweep of the original study (Planck's law against that of Rayleigh and Jeans,
spectrometers of unknown bias) by `rivals.calibrate`, measures what a draw costs the peer on the
losses of a few of the same experiments, and compares the curves with the published ones. Writes
results/calibration.md, .json and .png.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np

import environment
import rivals
from cases import PEERS_METHOD
from rivals.plots import plot_calibration
from rivals.testbeds.blackbody import bias_sweep

matplotlib.use("Agg")

HERE = Path(__file__).parent
LOG2_C = range(-15, 7, 3)
N_DATA = 1024
N_TRUTH = 12_288
PEER_DRAWS = 128  # the least that the peer draws per model and c; it may go up to 1024
EDGES = np.array([0.0, 0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98, 1.0])


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--experiments", type=int, default=4096)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--peer-seconds", type=float, default=20.0, help="for each of three experiments"
    )
    options = parser.parse_args()
    machine = environment.describe()
    ours, calibration = run_ours(options.experiments, options.workers)
    try:
        peer = [run_peer(index, options.peer_seconds) for index in range(3)]
    except environment.BenchmarkError as error:
        print(error, file=sys.stderr)
        return 2
    curves = {power: compare_curves(calibration, power) for power in (-15, -12, -9, -6)}
    write(machine, ours, peer, curves, calibration)
    return 0


def run_ours(n_experiments: int, workers: int) -> tuple[dict[str, Any], rivals.Calibration]:
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        calibration = rivals.calibrate(
            {"bias sweep": bias_sweep},
            **PEERS_METHOD,
            c=[2.0**power for power in LOG2_C],
            n_experiments=n_experiments,
            n_data=N_DATA,
            n_truth=N_TRUTH,
            loss_unit="nats",
            rng=0,
            n_jobs=workers,
            store=Path(folder) / "bias sweep.sqlite",
        )
        wall = time.perf_counter() - begin
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = used.ru_utime + used.ru_stime
    return {
        "experiments": calibration.n_experiments,
        "failed": len(calibration.failures),
        "workers": workers,
        "wall_s": wall,
        "processor_s": processor,
        "processor_s_per_experiment": processor / n_experiments,
        "parent_peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }, calibration


def run_peer(index: int, seconds: float) -> dict[str, Any]:
    """Processor time of one draw by the peer, on the losses of one experiment at c = 2^-3."""
    experiment = bias_sweep(np.random.default_rng(index))
    data = experiment.observe(N_DATA, np.random.default_rng([index, 1]))
    losses = rivals.Candidate(
        experiment.candidates[0].loss, experiment.candidates[0].simulate
    ).losses(data, rng=index)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "losses.npy"
        np.save(path, np.stack([losses.observed, losses.simulated]))
        return environment.run_peer("time", path, 2.0**-3, seconds)


def compare_curves(calibration: rivals.Calibration, power: int) -> list[dict[str, float]]:
    """Part of experiments in which Planck's law is truly better, within intervals of B: published
    and ours.
    """
    published = json.loads(
        (HERE / "data" / "bias_sweep_published.json").read_text(encoding="utf-8")
    )
    theirs = np.array(published["probability"][str(power)]) / 16384
    their_truth = np.array([digit == "1" for digit in published["truly_better"]])
    records = calibration.records[calibration.records["c"] == 2.0**power]
    found = []
    for low, high in pairwise(EDGES.tolist()):
        rows = []
        for probability, truth in (
            (theirs, their_truth),
            (records["probability"], records["risk_a"] < records["risk_b"]),
        ):
            inside = (probability >= low) & ((probability < high) | (high == 1.0))
            rows.append(
                (int(inside.sum()), float(truth[inside].mean()) if inside.any() else float("nan"))
            )
        (n, p), (m, q) = rows
        pooled = (n * p + m * q + 1.0) / (n + m + 2.0) if n and m else 0.5
        z = (q - p) / np.sqrt(pooled * (1 - pooled) * (1 / n + 1 / m)) if n and m else float("nan")
        found.append(
            {
                "low": low,
                "high": high,
                "published_n": n,
                "published": p,
                "ours_n": m,
                "ours": q,
                "z": float(z),
            }
        )
    return found


def write(
    machine: dict[str, Any],
    ours: dict[str, Any],
    peer: list[dict[str, Any]],
    curves: dict[int, list[dict[str, float]]],
    calibration: rivals.Calibration,
) -> None:
    results = HERE / "results"
    draw = float(np.median([row["processor"] for row in peer]))
    peer_experiment = draw * 2 * len(LOG2_C) * PEER_DRAWS
    ratio = peer_experiment / ours["processor_s_per_experiment"]
    lines = [
        "# The black body calibration beside the peer",
        "",
        "Written by `python benchmarks/calibration.py`.",
        "",
        *(f"- {key}: {value}" for key, value in machine.items()),
        "",
        "| what | rivals | emdcmp |",
        "| --- | --- | --- |",
        f"| {ours['experiments']} experiments × {len(LOG2_C)} c on {ours['workers']} workers, wall "
        f"time | {ours['wall_s']:.0f} s | — |",
        f"| processor time of all workers | {ours['processor_s']:.0f} s | — |",
        f"| processor time per experiment | {1e3 * ours['processor_s_per_experiment']:.0f} ms | "
        f"{peer_experiment:.0f} s |",
        f"| ratio | {ratio:.0f} times as fast | |",
        f"| experiments that failed | {ours['failed']} | — |",
        f"| peak memory of the parent | {ours['parent_peak_mib']:.0f} MiB | — |",
        "",
        f"The peer's figure is {1e3 * draw:.0f} ms of processor time per draw (median of "
        f"{len(peer)} experiments, {sum(row['draws'] for row in peer)} draws) × 2 models × "
        f"{len(LOG2_C)} values of c × {PEER_DRAWS} draws, the least that it makes; its fits and "
        "its data are left out. Ours is all of the experiment: fits, data, truth, 2 048 draws per "
        "risk.",
        "",
        "## What the calibration says",
        "",
        "```text",
        str(calibration),
        "```",
        "",
        "## Our curves beside the published ones",
        "",
        "Part of the experiments in which Planck's law is truly better, among those whose B lies "
        "in the interval; both have 4 096 experiments, drawn independently. |z| below 3 is "
        "sampling error.",
        "",
    ]
    for power, rows in curves.items():
        lines += [
            f"### c = 2^{power}",
            "",
            "| B | published (n) | ours (n) | z |",
            "| --- | --- | --- | --- |",
        ]
        for row in rows:
            lines.append(
                f"| {row['low']:g} … {row['high']:g} | {row['published']:.3f} "
                f"({row['published_n']}) | {row['ours']:.3f} ({row['ours_n']}) | {row['z']:+.1f} |"
            )
        lines.append("")
    (results / "calibration.md").write_text("\n".join(lines), encoding="utf-8")
    document = {"machine": machine, "ours": ours, "peer": peer, "ratio": ratio, "curves": curves}
    (results / "calibration.json").write_text(
        json.dumps(document, indent=1) + "\n", encoding="utf-8"
    )
    axes = plot_calibration(calibration, bins=64, band=False)
    axes.get_figure(root=True).savefig(results / "calibration.png", dpi=110)
    print("\n".join(lines))


if __name__ == "__main__":
    sys.exit(main())
