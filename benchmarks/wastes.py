"""What everyday calls cost in processor time, now and in an earlier checkout, side by side.

    python benchmarks/wastes.py --before ../old-checkout

Each row is a process of its own, and both checkouts take turns, so that a noisy machine slows both
alike; of three runs the fastest counts. Imports do not count, unless the row is a command. Writes
results/wastes.json and results/wastes.md.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from environment import ONE_THREAD, describe

HERE = Path(__file__).parent
RESULTS = HERE / "results"
REPEATS = 3
Row = Callable[[Path], dict[str, float]]


def seconds(call: Callable[[], Any]) -> float:
    """Processor time of a call."""
    begin = time.process_time()
    call()
    return time.process_time() - begin


def children(command: list[str], folder: Path) -> float:
    """Processor time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def rivals_command(*words: str) -> list[str]:
    """The command line of the checkout."""
    return [sys.executable, "-c", "from rivals.cli import main; main()", *words]


def models(n_models: int, n_losses: int, n_simulations: int) -> dict[str, Any]:
    """Losses of models of which some are rejected."""
    rng = np.random.default_rng(0)
    common = rng.exponential(size=n_losses)
    found = {}
    for index in range(n_models):
        excess = 1.0 + 0.3 * index / n_models
        simulated = 1.1 * excess * rng.exponential(size=(n_simulations, n_losses))
        found[f"m{index}"] = (
            excess * (0.7 * common + 0.3 * rng.exponential(size=n_losses)),
            simulated,
        )
    return found


# ---------------------------------------------------------------- the rows


def read(folder: Path, ending: str) -> dict[str, float]:
    """Two tables of ten models become losses."""
    import rivals

    rivals.read.wide_tables(
        *(folder / f"small{kind}.{ending}" for kind in ("", "-synthetic"))
    )  # so that all is imported
    return {
        "s": seconds(
            lambda: rivals.read.wide_tables(
                folder / f"observed.{ending}", folder / f"synthetic.{ending}"
            )
        )
    }


def csv(folder: Path) -> dict[str, float]:
    return read(folder, "csv")


def csv_without_pyarrow(folder: Path) -> dict[str, float]:
    sys.modules["pyarrow"] = None  # type: ignore[assignment]
    return read(folder, "csv")


def parquet(folder: Path) -> dict[str, float]:
    return read(folder, "parquet")


def version(folder: Path) -> dict[str, float]:
    return {"s": children(rivals_command("--version"), folder)}


def small_compare(folder: Path) -> dict[str, float]:
    return {"s": children(rivals_command("compare", "small.csv", "small-synthetic.csv"), folder)}


def printed_sweep(folder: Path) -> dict[str, float]:
    import rivals

    swept = rivals.compare(models(3, 1000, 4), rng=0).sweep(c=np.geomspace(1e-3, 1e3, 1000))
    return {"s": seconds(lambda: str(swept))}


def transport_of_one_simulation(folder: Path) -> dict[str, float]:
    import rivals

    losses = {name: rivals.Losses(*pair) for name, pair in models(2, 100_000, 1).items()}
    rivals.compare(losses, rng=0)
    return {"s": seconds(lambda: rivals.compare(losses, rng=0))}


def beta_of_twelve(folder: Path) -> dict[str, float]:
    import rivals

    losses = {name: rivals.Losses(*pair) for name, pair in models(12, 1000, 16).items()}
    rivals.compare(losses, law="beta", rng=0)
    return {"s": seconds(lambda: rivals.compare(losses, law="beta", rng=0))}


def beta_experiment(folder: Path) -> dict[str, float]:
    """An experiment of 4 000 points, judged at 15 values of c."""
    import rivals

    def gaussian(mean: float) -> Any:
        return rivals.Candidate(
            loss=lambda y: (y - mean) ** 2 / 2,
            simulate=lambda n, rng: mean + rng.standard_normal(n),
        )

    def omega(rng: np.random.Generator) -> Any:
        centre = rng.normal(0.0, 0.1)
        return rivals.Experiment(
            observe=lambda n, rng: centre + 1.1 * rng.standard_normal(n),
            candidates=(gaussian(-0.1), gaussian(0.1)),
        )

    def run(n_experiments: int) -> None:
        rivals.calibrate(
            omega,
            law="beta",
            c=np.geomspace(2.0**-6, 4.0, 15).tolist(),
            n_data=4000,
            n_experiments=n_experiments,
            n_simulations=1,
            n_truth=4000,
            executor=0,
            progress=False,
            rng=0,
        )

    run(4)
    return {"s": (seconds(lambda: run(40)) - seconds(lambda: run(4))) / 36}


def printed_result(folder: Path) -> dict[str, float]:
    import rivals

    losses = {name: rivals.Losses(*pair) for name, pair in models(3, 2000, 16).items()}
    result = rivals.compare(losses, rng=0)
    str(result)
    return {
        "s": seconds(lambda: str(rivals.compare(losses, rng=0)))
        - seconds(lambda: rivals.compare(losses, rng=0))
    }


def rejections_of_many(folder: Path) -> dict[str, float]:
    import rivals

    result = rivals.compare(models(10_000, 50, 1), rng=0)
    return {"s": seconds(lambda: (result.rejections, result.survivors))}


def arviz_loo(folder: Path) -> dict[str, float]:
    import arviz_base
    import arviz_stats

    import rivals

    rng = np.random.default_rng(0)
    trees = {}
    for name, shift in (("A", 0.0), ("B", 0.1)):
        draws = (
            -0.5
            * (rng.standard_normal(4000) + shift + 0.1 * rng.standard_normal((4, 1000, 4000))) ** 2
        )
        groups = {key: {"y": draws} for key in ("log_likelihood", "log_likelihood_simulated")}
        trees[name] = arviz_base.from_dict(
            {"posterior": {"mu": rng.standard_normal((4, 1000))}, **groups}
        )
    read = seconds(
        lambda: [
            rivals.read.arviz_tree(tree, reduction="lpd", leave_one_out=True)
            for tree in trees.values()
        ]
    )
    return {"s": read, "peer": seconds(lambda: arviz_stats.compare(trees))}


def saved_bytes(folder: Path) -> dict[str, float]:
    import rivals

    rivals.compare(models(10, 700, 16), rng=0).save(folder / "saved.npz")
    return {"MB": (folder / "saved.npz").stat().st_size / 1e6}


def memory_of_a_sweep(folder: Path) -> dict[str, float]:
    """What a sweep of 3 models over 1 000 values of c keeps under law "beta"."""
    import tracemalloc

    import rivals

    result = rivals.compare(models(3, 1000, 1), law="beta", rng=0)
    tracemalloc.start()
    swept = result.sweep(c=np.geomspace(1e-3, 1e2, 1000))
    kept = tracemalloc.get_traced_memory()[0] / 1e6
    del swept
    return {"MB": kept}


ROWS: dict[str, tuple[str, Row]] = {
    "csv": ("reading CSV, 2 files of 10⁶ × 10", csv),
    "csv_without_pyarrow": ("the same without PyArrow", csv_without_pyarrow),
    "parquet": ("reading Parquet, the same", parquet),
    "printed_sweep": ("printing a sweep of 1 000 c", printed_sweep),
    "transport_of_one_simulation": (
        "`compare`, transport, one simulation, 2 × 10⁵ points",
        transport_of_one_simulation,
    ),
    "beta_of_twelve": ("`compare`, beta, 12 models, 16 simulations", beta_of_twelve),
    "beta_experiment": ("beta experiment in `calibrate`, 15 c, 4 000 points", beta_experiment),
    "printed_result": ("`print(result)`", printed_result),
    "rejections_of_many": ("`rejections` of 10 000 models", rejections_of_many),
    "arviz_loo": (
        "LOO of two ArviZ trees of 4 000 × 4 000 (peer: `arviz_stats.compare`)",
        arviz_loo,
    ),
    "version": ("`rivals --version`", version),
    "small_compare": ("small `rivals compare`", small_compare),
    "saved_bytes": ("saved comparison, 10 models × 700 × 16", saved_bytes),
    "memory_of_a_sweep": ("kept by a beta sweep, 3 models × 1 000 c", memory_of_a_sweep),
}


# ---------------------------------------------------------------- the run


def prepare(folder: Path) -> None:
    """Tables for the rows that read files."""
    import pandas

    rng = np.random.default_rng(0)
    for name, rows, columns in (("", 1_000_000, 10), ("small", 500, 2)):
        for kind in ("observed", "synthetic"):
            frame = pandas.DataFrame(
                rng.exponential(size=(rows, columns)), columns=[f"m{i}" for i in range(columns)]
            )
            stem = kind if not name else name if kind == "observed" else f"{name}-{kind}"
            frame.to_csv(folder / f"{stem}.csv", index=False)
            frame.to_parquet(folder / f"{stem}.parquet", index=False)


def measure(name: str, checkout: Path, folder: Path) -> dict[str, float]:
    """One row in a process of its own; the best of a few runs."""
    environment = os.environ | ONE_THREAD | {"PYTHONPATH": str(checkout / "src")}
    command = [
        sys.executable,
        str(Path(__file__).resolve()),
        "--row",
        name,
        "--folder",
        str(folder),
    ]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name} in {checkout}: {done.stderr.strip().splitlines()[-1]}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def as_markdown(found: dict[str, Any]) -> str:
    lines = [
        "# Everyday calls",
        "",
        f"`python benchmarks/wastes.py --before CHECKOUT`: processor time, the best of {REPEATS} "
        f"runs in turn; before: {found['before']}.",
        "",
        "| call | before | now |",
        "| --- | ---: | ---: |",
    ]
    for row in found["rows"]:
        cells = [
            ", ".join(
                f"{value:.3g} {unit}" if unit != "peer" else f"peer {value:.3g} s"
                for unit, value in row[when].items()
            )
            for when in ("before", "now")
        ]
        lines.append(f"| {row['what']} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, help="an earlier checkout of this repository")
    parser.add_argument("--row", choices=ROWS, help="measure this row alone, in this process")
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    if options.row:
        print(json.dumps(ROWS[options.row][1](options.folder)))
        return
    checkouts = {"now": HERE.parent} | (
        {"before": options.before.resolve()} if options.before else {}
    )
    git = ["git", "-C", str(checkouts.get("before", HERE)), "log", "-1", "--format=%h"]
    found: dict[str, Any] = {
        "before": subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    }
    found |= {"machine": describe(), "rows": []}
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        for name, (what, _) in ROWS.items():
            runs = [
                {when: measure(name, path, Path(folder)) for when, path in checkouts.items()}
                for _ in range(REPEATS)
            ]
            best = {
                when: {unit: min(run[when][unit] for run in runs) for unit in runs[0][when]}
                for when in checkouts
            }
            found["rows"].append({"what": what, **best})
            print(what, best, flush=True)
    if options.before:
        (RESULTS / "wastes.json").write_text(
            json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
        )
        (RESULTS / "wastes.md").write_text(as_markdown(found), encoding="utf-8")


if __name__ == "__main__":
    main()
