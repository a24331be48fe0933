"""What everyday calls cost in processor time, now and in an earlier checkout, side by side.

    python benchmarks/wastes.py --before ../old-checkout [--rows page_of_3 page_of_30]

Each row is a process of its own, and both checkouts take turns, so that a noisy machine slows both
alike; of a few runs the fastest counts. Imports do not count, unless the row is a command. Writes
results/wastes.json and results/wastes.md; rows that are not measured stay as they are, with the
checkout that they were measured beside.
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
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from environment import ONE_THREAD, describe

HERE = Path(__file__).parent
RESULTS = HERE / "results"
REPEATS = 3
Row = Callable[[Path], dict[str, float]]
# Rows that read the tables of `prepare`.
READ_FILES = {"csv", "csv_without_pyarrow", "parquet", "small_compare"}


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


def gaussian(mean: float) -> Any:
    """A model of few operations."""
    import rivals

    return rivals.Candidate(
        loss=lambda y: (y - mean) ** 2 / 2,
        simulate=lambda n, rng: mean + rng.standard_normal(n),
    )


def omega(rng: np.random.Generator) -> Any:
    """An epistemic distribution of few operations."""
    import rivals

    centre = rng.normal(0.0, 0.1)
    return rivals.Experiment(
        observe=lambda n, rng: centre + 1.1 * rng.standard_normal(n),
        candidates=(gaussian(-0.1), gaussian(0.1)),
    )


def beta_experiment(folder: Path) -> dict[str, float]:
    """An experiment of 4 000 points, judged at 15 values of c."""
    import rivals

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


# ---------------------------------------------------------------- pages of grouped data


def page(n_models: int, folder: Path) -> dict[str, float]:
    """The page of a comparison of models in 10 groups of 30 points, with simulations."""
    import rivals

    groups = np.repeat(np.arange(10), 30)
    # So that all is imported.
    rivals.compare(models(2, 300, 4), groups=groups, rng=0).report(folder / "page.html")
    result = rivals.compare(models(n_models, 300, 4), groups=groups, rng=0)
    return {"s": seconds(lambda: result.report(folder / "page.html"))}


def page_of_3(folder: Path) -> dict[str, float]:
    return page(3, folder)


def page_of_30(folder: Path) -> dict[str, float]:
    return page(30, folder)


def page_of_300(folder: Path) -> dict[str, float]:
    return page(300, folder)


# ---------------------------------------------------------------- calibrations


def calibration(n_experiments: int) -> Any:
    """A calibration of so many experiments at the 17 c of law "transport"."""
    import rivals

    rng = np.random.default_rng(0)
    score = rng.normal(0.0, 1.5, n_experiments)
    truth = rng.random(n_experiments) < 1.0 / (1.0 + np.exp(-score))
    probability = {}
    for octave in range(-10, 7):
        probability[2.0**octave] = 1.0 / (1.0 + np.exp(-score * 2.0 ** (-octave / 8)))
    return rivals.Calibration.from_experiments(probability, truth, n_data=1000)


def calibrated(use: Callable[[Any], Any]) -> dict[str, float]:
    """The use of a calibration of 100 000 experiments, once a small one has imported all."""
    use(calibration(1000))
    large = calibration(100_000)
    return {"s": seconds(lambda: use(large))}


def corrected_compare(folder: Path) -> dict[str, float]:
    import rivals

    losses = {name: rivals.Losses(*pair) for name, pair in models(3, 1000, 16).items()}
    return calibrated(lambda given: rivals.compare(losses, c=given, rng=0))


def chosen_c(folder: Path) -> dict[str, float]:
    return calibrated(lambda given: given.choose_c())


def best_c(folder: Path) -> dict[str, float]:
    return calibrated(lambda given: given.choose_c(valid_only=False))


def printed_calibration(folder: Path) -> dict[str, float]:
    return calibrated(str)


def resumed_study(folder: Path) -> dict[str, float]:
    """`calibrate` on a store in which all of 100 000 experiments have ended."""
    import hashlib

    import rivals
    from rivals.calibration.experiment import Outcome
    from rivals.calibration.study import Study

    checkout = hashlib.sha256(rivals.__file__.encode()).hexdigest()[:8]
    store = folder / f"study-{checkout}.sqlite"

    def run() -> None:
        rivals.calibrate(
            omega,
            n_data=100,
            n_experiments=100_000,
            executor=0,
            progress=False,
            rng=0,
            store=store,
        )

    # The experiments are not of interest here, only what is kept of them.
    def outcome(self: Any, place: int, index: int, prepared: Any) -> Any:
        rng = np.random.default_rng(index)
        return Outcome(rng.random(17), np.zeros(17), rng.random(17), 1.0, 1.1, 0.01, 1.0, True)

    if not store.exists():
        Study.run = outcome
        run()
    return {"s": seconds(run)}


def experiment(law: str, n_data: int, n_truth: int, n_simulations: int) -> dict[str, float]:
    """One experiment of `calibrate`, and the functions of the user that it calls, by themselves."""
    import rivals

    def run(n_experiments: int) -> None:
        rivals.calibrate(
            omega,
            law=law,
            n_data=n_data,
            n_truth=n_truth,
            n_experiments=n_experiments,
            n_simulations=n_simulations,
            executor=0,
            progress=False,
            rng=0,
        )

    rng = np.random.default_rng(0)

    def functions() -> None:
        made = omega(rng)
        data = made.observe(n_data, rng)
        for model in made.candidates:
            model.loss(data)
            for _ in range(n_simulations):
                model.loss(model.simulate(n_data, rng))
        truth = made.observe(n_truth, rng)
        for model in made.candidates:
            model.loss(truth)

    many = 100 if law == "transport" else 10
    run(2)
    begin = min(seconds(lambda: run(2)) for _ in range(3))
    whole = min(seconds(lambda: run(2 + many)) for _ in range(3))
    own = min(seconds(lambda: [functions() for _ in range(20)]) for _ in range(5))
    return {"s": (whole - begin) / many, "functions": own / 20}


def transport_experiment(folder: Path) -> dict[str, float]:
    return experiment("transport", 100, 1000, 16)


def long_transport_experiment(folder: Path) -> dict[str, float]:
    return experiment("transport", 1000, 2**16, 16)


def one_beta_experiment(folder: Path) -> dict[str, float]:
    return experiment("beta", 1000, 4000, 1)


def many_beta_experiment(folder: Path) -> dict[str, float]:
    return experiment("beta", 1000, 4000, 16)


# ---------------------------------------------------------------- cross-validation


def cross_validation(n_rows: int, **options: Any) -> dict[str, float]:
    """Two linear models of ten inputs, by five folds."""
    from sklearn.linear_model import LinearRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    import rivals

    rng = np.random.default_rng(0)
    inputs = rng.standard_normal((n_rows, 10))
    targets = inputs @ rng.standard_normal(10) + rng.standard_t(5, n_rows)
    estimators = {
        "plain": LinearRegression(),
        "scaled": make_pipeline(StandardScaler(), LinearRegression()),
    }
    few = slice(0, 200)  # so that all is imported
    rivals.read.cross_validated(estimators, inputs[few], targets[few], rng=0, **options)
    return {
        "s": seconds(
            lambda: rivals.read.cross_validated(estimators, inputs, targets, rng=0, **options)
        )
    }


def cross_validated_rows(folder: Path) -> dict[str, float]:
    return cross_validation(100_000)


def empirical_residuals(folder: Path) -> dict[str, float]:
    return cross_validation(8000, residuals="empirical")


def student_residuals(folder: Path) -> dict[str, float]:
    return cross_validation(100_000, residuals="student")


# ---------------------------------------------------------------- large samples, the command


def large_compare(n_losses: int, n_simulations: int) -> dict[str, float]:
    """Law "transport" of two models, and the sorting of their losses by itself."""
    import rivals

    losses = {}
    for name, pair in models(2, n_losses, n_simulations).items():
        losses[name] = rivals.Losses(*pair)
    few = {name: rivals.Losses(*pair) for name, pair in models(2, 1000, 1).items()}
    rivals.compare(few, rng=0)
    sorting = seconds(
        lambda: [(np.sort(each.observed), np.sort(each.synthetic)) for each in losses.values()]
    )
    return {"s": seconds(lambda: rivals.compare(losses, rng=0)), "sorting": sorting}


def large_transport(folder: Path) -> dict[str, float]:
    return large_compare(3_000_000, 4)


def large_transport_once(folder: Path) -> dict[str, float]:
    return large_compare(3_000_000, 1)


TYPER = """
import typer
app = typer.Typer()
@app.command()
def first(name: str): "A command."
@app.command()
def second(name: str): "Another."
app()
"""


def help_of_the_command(folder: Path) -> dict[str, float]:
    bare = [sys.executable, "-c", TYPER, "--help"]
    return {"s": children(rivals_command("--help"), folder), "typer": children(bare, folder)}


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
    "page_of_3": ("page of grouped data, 3 models", page_of_3),
    "page_of_30": ("the same, 30 models", page_of_30),
    "page_of_300": ("the same, 300 models", page_of_300),
    "corrected_compare": ("`compare(c=calibration)` of 10⁵ experiments", corrected_compare),
    "best_c": ("`choose_c(valid_only=False)` of 10⁵ experiments", best_c),
    "chosen_c": ("`choose_c()` of 10⁵ experiments", chosen_c),
    "printed_calibration": ("`print` of a calibration of 10⁵ experiments", printed_calibration),
    "transport_experiment": (
        "transport experiment, 17 c, 16 simulations, 100 points",
        transport_experiment,
    ),
    "long_transport_experiment": (
        "the same, 1 000 points, the truth of 65 536",
        long_transport_experiment,
    ),
    "one_beta_experiment": (
        "beta experiment, 5 c, one simulation, 1 000 points",
        one_beta_experiment,
    ),
    "many_beta_experiment": ("the same, 16 simulations", many_beta_experiment),
    "cross_validated_rows": (
        "`cross_validated`, two linear models, 10⁵ rows",
        cross_validated_rows,
    ),
    "empirical_residuals": ('`residuals="empirical"`, 8 000 rows', empirical_residuals),
    "student_residuals": ('`residuals="student"`, 10⁵ rows', student_residuals),
    "resumed_study": ("resuming a finished study of 10⁵ experiments", resumed_study),
    "large_transport": ("`compare`, transport, 3 × 10⁶ points, 4 simulations", large_transport),
    "large_transport_once": ("the same, one simulation", large_transport_once),
    "help_of_the_command": ("`rivals --help`", help_of_the_command),
}

# Up to minutes in the checkout before: measured once.
ONCE = ("page_of_300", "empirical_residuals", "student_residuals")


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


def written(values: dict[str, float]) -> str:
    """What was measured of one row, in one checkout."""
    cells = []
    for unit, value in values.items():
        if unit == "peer":
            cells.append(f"peer {value:.3g} s")
        elif unit == "functions":
            cells.append(f"{values['s'] / value:.3g} times its functions")
        elif unit in ("sorting", "typer"):
            cells.append(f"{values['s'] / value:.2g} times {unit}")
        else:
            cells.append(f"{value:.3g} {unit}")
    return ", ".join(cells)


def as_markdown(found: dict[str, Any]) -> str:
    lines = [
        "# Everyday calls",
        "",
        "`python benchmarks/wastes.py --before CHECKOUT`: processor time in turn, the best of a "
        "few runs. *Its functions* are those of the user, called as often as the experiment calls "
        "them; *sorting* is that of all losses; *typer* is the help of a command with nothing in "
        "it.",
        "",
        "| call | before | now | runs | commits |",
        "| --- | ---: | ---: | ---: | --- |",
    ]
    for row in found["rows"]:
        cells = [written(row[when]) for when in ("before", "now")]
        commits = " → ".join(row["commits"])
        lines.append(f"| {row['what']} | {' | '.join(cells)} | {row['runs']} | {commits} |")
    return "\n".join(lines) + "\n"


def measured(name: str, checkouts: dict[str, Path], folder: Path, repeats: int) -> dict[str, Any]:
    """A row: the best of a few runs of each checkout, in turn."""
    n_runs = 1 if name in ONCE else repeats
    best: dict[str, Any] = {"name": name, "what": ROWS[name][0], "runs": n_runs}
    runs = [
        {when: measure(name, path, folder) for when, path in checkouts.items()}
        for _ in range(n_runs)
    ]
    for when in checkouts:
        units = runs[0][when]
        best[when] = {unit: min(run[when][unit] for run in runs) for unit in units}
    return best


def commit_of(checkout: Path) -> str:
    git = ["git", "-C", str(checkout), "log", "-1", "--format=%h"]
    return subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()


def kept_rows() -> list[dict[str, Any]]:
    """The rows of the committed results."""
    found = json.loads((RESULTS / "wastes.json").read_text(encoding="utf-8"))
    rows: list[dict[str, Any]] = found["rows"]
    return rows


def write(rows: list[dict[str, Any]]) -> None:
    """Put the rows into the committed results, in the place of those of the same name."""
    by_name = {row["name"]: row for row in [*kept_rows(), *rows]}
    found = {
        "machine": describe(),
        "rows": [by_name[name] for name in ROWS if name in by_name],
    }
    text = json.dumps(found, indent=1, ensure_ascii=False) + "\n"
    (RESULTS / "wastes.json").write_text(text, encoding="utf-8")
    (RESULTS / "wastes.md").write_text(as_markdown(found), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path, help="an earlier checkout of this repository")
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS))
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--row", choices=ROWS, help="measure this row alone, in this process")
    parser.add_argument("--folder", type=Path, help="where files are made, and kept")
    options = parser.parse_args()
    if options.row:
        print(json.dumps(ROWS[options.row][1](options.folder)))
        return
    checkouts = {"now": HERE.parent}
    if options.before:
        checkouts["before"] = options.before.resolve()
    rows = []
    made = nullcontext(options.folder) if options.folder else tempfile.TemporaryDirectory()
    with made as folder:
        if not READ_FILES.isdisjoint(options.rows):
            prepare(Path(folder))
        for name in options.rows:
            row = measured(name, checkouts, Path(folder), options.repeats)
            print(row, flush=True)
            if options.before:
                commits = [commit_of(checkouts[when]) for when in ("before", "now")]
                rows.append({**row, "commits": commits})
                write(rows)


if __name__ == "__main__":
    main()
