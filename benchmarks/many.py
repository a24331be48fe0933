"""How the cost of a comparison grows with the number of candidates and of groups: time and memory,
each case in a process of its own.

Run `python benchmarks/many.py`; it takes about twenty minutes and writes results/many.md and
results/many.json. One case alone: `python benchmarks/many.py beta 100 2000 1 kept`.

    python benchmarks/many.py groups --before ../old-checkout

runs the cases with groups, now and in an earlier checkout in turn, and leaves the others as they
are.
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
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import rivals
from environment import ONE_THREAD

RESULTS = Path(__file__).parent / "results"

# law, candidates, losses of each, simulations, whether their losses are kept, part of the
# candidates near the threshold
CASES: list[tuple[str, int, int, int, str, float]] = [
    ("transport", 100, 2000, 16, "kept", 1.0),
    ("transport", 1_000, 2000, 16, "kept", 1.0),
    ("transport", 10_000, 2000, 16, "kept", 1.0),
    ("transport", 10_000, 2000, 16, "in turn", 1.0),
    ("beta", 100, 4000, 1, "kept", 0.1),
    ("beta", 1_000, 4000, 1, "kept", 0.1),
    ("beta", 100, 2000, 1, "kept", 1.0),
    ("beta", 1_000, 2000, 1, "kept", 1.0),
    ("beta", 10_000, 2000, 1, "kept", 1.0),
    ("beta", 10_000, 2000, 1, "in turn", 1.0),
    ("beta", 10_000, 2000, 16, "in turn", 1.0),
]
# Under law "beta" the c at which a good part of these candidates is rejected and another is not.
C = {"transport": 0.125, "beta": 2.0**-4}

INTRODUCTION = (
    "# Many candidates\n\n`python benchmarks/many.py`, on two cores. Memory is the peak of the "
    "whole process, the losses of the caller included where they are kept. “In turn”: a generator "
    "makes the losses of each model, and `keep_simulations=False` forgets its simulations before "
    "the next; the time to make them is taken off.\n\n"
)
LATER = (
    "\n\nThe last row was measured later than the others, by `python benchmarks/many.py beta 10000 "
    '2000 16 "in turn" 1.0`: rejections that fewer than nine in ten single simulations share are '
    "undecided since. Other work ran beside all of these, so that seconds exceed processor "
    "seconds."
)

# What is done, models, groups, points of each group: so many, or one to so many; and the goal, in
# processor seconds and GiB.
IN_GROUPS: dict[str, tuple[str, int, int, int, str, float, float]] = {
    "800 models": ("print", 800, 10, 100, "equal", 10.0, 1.0),
    "2 000 models": ("print", 2_000, 10, 100, "equal", 10.0, 1.0),
    "2 000 models, unequal groups": ("print", 2_000, 10, 100, "unequal", 10.0, 1.0),
    "10 000 models": ("print", 10_000, 10, 100, "equal", 60.0, np.inf),
    "300 000 groups of one point": ("print", 3, 300_000, 1, "equal", np.inf, 1.0),
    "300 000 groups": ("print", 3, 300_000, 5, "unequal", np.inf, 1.0),
    "300 000 groups, `rivals compare`": ("command", 3, 300_000, 5, "unequal", np.inf, 1.0),
}
# An earlier checkout is stopped after so many processor seconds, and at so much memory.
MOST_SECONDS = 120
MOST_GIB = 8
ABOUT_GROUPS = (
    "\n\n## With groups\n\n`python benchmarks/many.py groups --before {}`: the comparison and its "
    "text, no simulations, one thread; processor seconds and peak memory of the process, in which "
    "the losses are made. Models share most of what happens at a point, and their mean excess is "
    "spread evenly up to 0.3, three times as far as they vary between groups. A run of the "
    "earlier checkout ends after {} processor seconds or at {} GiB.\n\n"
)


def candidates(
    n_models: int, n_losses: int, n_simulations: int, near: float
) -> Iterator[tuple[str, rivals.Losses]]:
    """Losses that share most of what happened at each point; all models are somewhat too wide.

    With `near` = 1 the excess risks are spread evenly up to 30 %. Otherwise that part of the models
    lies where it is hard to say whether they are rejected, and the rest far above.
    """
    rng = np.random.default_rng(0)
    common = rng.exponential(size=n_losses)
    for index in range(n_models):
        if near == 1.0:
            excess = 0.3 * rng.random()
        elif index == 0:
            excess = 0.0
        else:
            excess = (
                0.05 + 0.02 * rng.random() if index <= near * n_models else 0.5 + 0.5 * rng.random()
            )
        observed = (1.0 + excess) * (0.7 * common + 0.3 * rng.exponential(size=n_losses))
        parts = rng.exponential(size=(2, n_simulations, n_losses))
        yield (
            f"m{index}",
            rivals.Losses(observed, 1.1 * (1.0 + excess) * (0.7 * parts[0] + 0.3 * parts[1])),
        )


def measure(
    law: Any, n_models: int, n_losses: int, n_simulations: int, kept: str, near: float
) -> dict[str, Any]:
    """One comparison, in this process."""
    models = candidates(n_models, n_losses, n_simulations, near)
    if kept == "kept":
        held = dict(models)
        begin = time.perf_counter()
        processor = time.process_time()
        result = rivals.compare(held, law=law, c=C[law], rng=0)
        making = 0.0
    else:
        making = -time.process_time()
        for _ in candidates(n_models // 10, n_losses, n_simulations, near):
            pass
        making = 10.0 * (
            making + time.process_time()
        )  # to make the losses, which is not part of the comparison
        begin = time.perf_counter()
        processor = time.process_time()
        result = rivals.compare(models, law=law, c=C[law], keep_simulations=False, rng=0)
    return {
        "law": law,
        "candidates": n_models,
        "losses": n_losses,
        "simulations": n_simulations,
        "simulated losses": kept,
        "near the threshold": near,
        "seconds": time.perf_counter() - begin - making,
        "processor seconds": time.process_time() - processor - making,
        "GiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20,
        "survivors": len(result.survivors),
        "undecided": len(result.undecided),
    }


def in_a_process(case: tuple[Any, ...]) -> dict[str, Any]:
    """The same in a process of its own, so that its memory is its own."""
    command = [sys.executable, __file__, *map(str, case)]
    found: dict[str, Any] = json.loads(
        subprocess.run(command, check=True, capture_output=True, text=True).stdout
    )
    print(found, flush=True)
    return found


def table(found: list[dict[str, Any]]) -> str:
    """As Markdown."""
    columns = list(found[0])
    lines = ["| " + " | ".join(columns) + " |", "| " + " | ".join("---" for _ in columns) + " |"]
    for row in found:
        cells = [
            f"{value:.3g}" if isinstance(value, float) else str(value) for value in row.values()
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


# ---------------------------------------------------------------- with groups


def in_groups(
    n_models: int, n_groups: int, n_points: int, sizes: str
) -> tuple[dict[str, Any], np.ndarray]:
    """Losses that share most of what happens at a point; models differ more in some groups."""
    rng = np.random.default_rng(0)
    of_each = np.full(n_groups, n_points)
    if sizes == "unequal":
        of_each = rng.integers(1, n_points + 1, n_groups)
    group = np.repeat(np.arange(n_groups), of_each)
    common = rng.exponential(size=group.size)
    # Of many groups models differ by their points alone: every spread between groups is likely.
    between = 0.1 if n_models > 3 else 0.0
    models = {}
    for index in range(n_models):
        effect = 0.3 * rng.random() + between * rng.standard_normal(n_groups)
        models[f"m{index}"] = 0.7 * common + 0.3 * rng.exponential(size=group.size) + effect[group]
    return models, group


def measure_groups(name: str) -> dict[str, float]:
    """One case, in this process, or by the command line."""
    what, *sizes = IN_GROUPS[name][:5]
    models, group = in_groups(*sizes)
    warnings.simplefilter("ignore")
    begin = time.process_time()
    if what == "print":
        text = str(rivals.compare(models, groups=group, rng=0))
        assert text
        used = resource.getrusage(resource.RUSAGE_SELF)
        return {"seconds": time.process_time() - begin, "GiB": used.ru_maxrss / 2**20}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "losses.csv"
        table = np.column_stack([*models.values(), group])
        formats = [*["%.6f"] * len(models), "%d"]
        header = ",".join([*models, "school"])
        np.savetxt(path, table, fmt=formats, delimiter=",", header=header, comments="")
        command = "from rivals.cli import main; main()"
        words = ["compare", str(path), "--groups", "school", "--seed", "0"]
        subprocess.run(
            [sys.executable, "-c", command, *words], check=True, stdout=subprocess.DEVNULL
        )
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"seconds": used.ru_utime + used.ru_stime, "GiB": used.ru_maxrss / 2**20}


def groups_of(name: str, checkout: Path, *, earlier: bool) -> dict[str, float] | str:
    """The same in a process of its own, with the library of a checkout; why it was stopped."""
    environment = {**os.environ, **ONE_THREAD, "PYTHONPATH": str(checkout / "src")}

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_GIB * 2**30, MOST_GIB * 2**30))

    done = subprocess.run(
        [sys.executable, __file__, "groups", name],
        env=environment,
        capture_output=True,
        text=True,
        preexec_fn=limited if earlier else None,
    )
    if done.returncode == 0:
        found: dict[str, float] = json.loads(done.stdout)
        return found
    if not earlier:
        raise RuntimeError(done.stderr)
    if "MemoryError" in done.stderr:
        return f"above {MOST_GIB} GiB, stopped"
    return f"above {MOST_SECONDS} s, stopped"


def compare_checkouts(before: Path) -> list[dict[str, Any]]:
    """All cases with groups, now and before, in turn."""
    here = Path(__file__).resolve().parents[1]
    rows = []
    for name, (_, n_models, n_groups, _, _, seconds, memory) in IN_GROUPS.items():
        row = {
            "case": name,
            "models": n_models,
            "groups": n_groups,
            "goal": {"seconds": _finite(seconds), "GiB": _finite(memory)},
            "before": groups_of(name, before, earlier=True),
            "now": groups_of(name, here, earlier=False),
        }
        print(row, flush=True)
        rows.append(row)
    return rows


def _finite(goal: float) -> float | None:
    return None if np.isinf(goal) else goal


def table_of_groups(rows: list[dict[str, Any]]) -> str:
    """As Markdown."""
    lines = [
        "| case | models × groups | goal | before | now |",
        "| --- | --- | --- | --- | --- |",
    ]
    for row in rows:
        cells = [_used(row[key]) for key in ("goal", "before", "now")]
        size = f"{row['models']:,} × {row['groups']:,}".replace(",", " ")
        lines.append(f"| {row['case']} | {size} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _used(used: dict[str, float | None] | str) -> str:
    if isinstance(used, str):
        return used
    units = {"seconds": "s", "GiB": "GiB"}
    parts = [f"{used[key]:.2g} {unit}" for key, unit in units.items() if used[key] is not None]
    return ", ".join(parts)


# ---------------------------------------------------------------- all of it


def write(found: dict[str, Any]) -> None:
    """Both files of results."""
    text = INTRODUCTION + table(found["models"]) + LATER
    if "groups" in found:
        about = ABOUT_GROUPS.format(found["before"], MOST_SECONDS, MOST_GIB)
        text += about + table_of_groups(found["groups"])
    (RESULTS / "many.json").write_text(json.dumps(found, indent=1) + "\n")
    (RESULTS / "many.md").write_text(text + "\n")


def main() -> None:
    """All cases, those with groups, or the one that is named."""
    if sys.argv[1:2] == ["groups"]:
        parser = argparse.ArgumentParser()
        parser.add_argument("case", nargs="?")
        parser.add_argument("--before", type=Path, help="an earlier checkout")
        options = parser.parse_args(sys.argv[2:])
        if options.case is not None:
            print(json.dumps(measure_groups(options.case)))
            return
        found = json.loads((RESULTS / "many.json").read_text())
        found["groups"] = compare_checkouts(options.before.resolve())
        found["before"] = commit_of(options.before)
        write(found)
        return
    if len(sys.argv) > 1:
        law, n_models, n_losses, n_simulations, kept, *near = sys.argv[1:]
        sizes = int(n_models), int(n_losses), int(n_simulations)
        print(json.dumps(measure(law, *sizes, kept, float(near[0]) if near else 1.0)))
        return
    found = json.loads((RESULTS / "many.json").read_text())
    found["models"] = [in_a_process(case) for case in CASES]
    write(found)


def commit_of(checkout: Path) -> str:
    """What it is called in the history."""
    command = ["git", "-C", str(checkout), "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    main()
