"""How long comparisons take, beside an earlier release and the plain lines of `tests/few_lines.py`.

    python benchmarks/speed.py [--before COMMIT] [--rounds 3] [--rows three_models many_models]

Each row is a process of its own, and both releases take turns, so that a noisy machine slows both
alike; of a few rounds the fastest counts. Processor time, one thread. The earlier release is
unpacked from git into a temporary folder. Writes results/speed.json and results/speed.md; rows that
are not measured stay as they are.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
RESULT = ROOT / "benchmarks" / "results" / "speed"
BEFORE = "914c3b2"
MIB = 2.0**20
THREADS = ("OMP", "OPENBLAS", "MKL", "NUMEXPR")

ROWS: dict[str, Callable[[], dict[str, float]]] = {}
WHAT: dict[str, str] = {}


def row(what: str) -> Callable[[Callable[[], dict[str, float]]], Callable[[], dict[str, float]]]:
    """Register a measurement under the name of its function."""

    def register(function: Callable[[], dict[str, float]]) -> Callable[[], dict[str, float]]:
        ROWS[function.__name__] = function
        WHAT[function.__name__] = what
        return function

    return register


def fastest(function: Callable[[], Any], times: int) -> float:
    """Seconds of processor time, of the fastest call."""
    found = []
    for _ in range(times):
        begin = time.process_time()
        function()
        found.append(time.process_time() - begin)
    return min(found)


def boards(n_models: int, n_groups: int, size: int) -> tuple[dict[str, Any], Any]:
    """Losses of models that share what is hard about a point."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(n_groups), size)
    base = rng.exponential(size=groups.size)
    losses = {}
    for place in range(n_models):
        effect = 0.09 * rng.standard_normal(n_groups)[groups]
        noise = 0.2 * rng.standard_normal(groups.size)
        losses[f"m{place}"] = base + 0.1 * place / n_models + effect + noise
    return losses, groups


def compared(n_models: int, n_groups: int, size: int, times: int) -> dict[str, float]:
    """A comparison in groups."""
    import rivals

    losses, groups = boards(n_models, n_groups, size)
    return {"seconds": fastest(lambda: rivals.compare(losses, groups=groups, rng=0), times)}


@row("3 models × 12 groups of 50")
def three_models() -> dict[str, float]:
    return compared(3, 12, 50, 300)


@row("the same, in the plain lines")
def three_models_in_plain_lines() -> dict[str, float]:
    import few_lines

    losses, groups = boards(3, 12, 50)
    x = np.stack(list(losses.values()))
    return {"seconds": fastest(lambda: few_lines.groups_law(x, groups), 300)}


@row("the same and its print")
def three_models_printed() -> dict[str, float]:
    import rivals

    losses, groups = boards(3, 12, 50)
    return {"seconds": fastest(lambda: str(rivals.compare(losses, groups=groups, rng=0)), 100)}


@row("of a print, the text: without what it asks of the law")
def text_of_a_print() -> dict[str, float]:
    import rivals

    spent = 0.0

    class Timed(rivals.laws.Groups):
        """Counts the time of what a print asks."""

        def evidence(self, *asked: Any) -> Any:
            return self._count(super().evidence, asked)

        def interval(self, *asked: Any) -> Any:
            return self._count(super().interval, asked)

        def _count(self, function: Callable[..., Any], asked: tuple[Any, ...]) -> Any:
            nonlocal spent
            begin = time.perf_counter()
            found = function(*asked)
            spent += time.perf_counter() - begin
            return found

    losses, groups = boards(3, 12, 50)
    text, law = [], []
    for _ in range(100):
        result = rivals.compare(losses, groups=groups, method=Timed(), rng=0)
        spent = 0.0
        begin = time.perf_counter()
        str(result)
        text.append(time.perf_counter() - begin - spent)
        law.append(spent)
    return {"seconds": min(text), "asked of the law": min(law)}


@row("30 models × 12 groups of 50")
def thirty_models() -> dict[str, float]:
    return compared(30, 12, 50, 50)


@row("400 models × 20 groups of 50")
def four_hundred_models() -> dict[str, float]:
    return compared(400, 20, 50, 5)


@row("2 000 models × 10 groups of 20")
def many_models() -> dict[str, float]:
    return compared(2000, 10, 20, 3)


@row("10 000 models × 2 000 points, law transport")
def very_many_models() -> dict[str, float]:
    import rivals

    rng = np.random.default_rng(0)
    base = rng.exponential(size=2000)
    losses = {}
    for place in range(10_000):
        observed = base + 0.0002 * place + 0.1 * rng.standard_normal(2000)
        losses[f"m{place}"] = (observed, base + 0.1 * rng.standard_normal(2000) + 0.1)
    return {"seconds": fastest(lambda: rivals.compare(losses, rng=0), 1)}


@row("100 000 models × 10 groups of 10, with the print")
def a_hundred_thousand_models() -> dict[str, float]:
    import rivals

    losses, groups = boards(100_000, 10, 10)
    return {"seconds": fastest(lambda: str(rivals.compare(losses, groups=groups, rng=0)), 1)}


@row("3 models × 1 000 000 groups of 2, with the print")
def a_million_groups() -> dict[str, float]:
    import rivals

    losses, groups = boards(3, 1_000_000, 2)
    return {"seconds": fastest(lambda: str(rivals.compare(losses, groups=groups, rng=0)), 1)}


def with_memory(function: Callable[[], Any], size: int) -> dict[str, float]:
    """Time, and by how many times the input the memory grew."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = fastest(function, 3)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024.0
    return {"seconds": seconds, "extra memory / input": grown / size}


@row("10 models × 1 000 000 points in 100 groups")
def many_points_in_groups() -> dict[str, float]:
    import rivals

    losses, groups = boards(10, 100, 10_000)
    size = sum(each.nbytes for each in losses.values())
    return with_memory(lambda: rivals.compare(losses, groups=groups, rng=0), size)


@row("the same under law transport, one simulation")
def many_points() -> dict[str, float]:
    import rivals

    losses, _ = boards(10, 100, 10_000)
    pairs = {name: (each, 1.1 * each) for name, each in losses.items()}
    size = 2 * sum(each.nbytes for each in losses.values())
    return with_memory(lambda: rivals.compare(pairs, rng=0), size)


@row("the sums that the groups need: gaps, their means, their products")
def sums_of_many_points() -> dict[str, float]:
    losses, groups = boards(10, 100, 10_000)
    x = np.stack(list(losses.values()))
    begins = np.searchsorted(groups, np.arange(100))

    def sums() -> Any:
        gaps = x - x[0]
        return np.add.reduceat(gaps, begins, axis=1), gaps @ gaps.T

    return {"seconds": fastest(sums, 3)}


@row("`import rivals`, and what compare needs")
def import_rivals() -> dict[str, float]:
    code = "import time; t = time.process_time(); import rivals; rivals.compare"
    numpy_first = f"import numpy, scipy.special; {code}; print(time.process_time() - t)"
    found = [
        float(
            subprocess.run(
                [sys.executable, "-c", numpy_first], capture_output=True, check=True
            ).stdout
        )
        for _ in range(5)
    ]
    return {"seconds": min(found)}


# Rows that do not run in an earlier release, or are the same there.
ONLY_NOW = ("three_models_in_plain_lines", "text_of_a_print", "sums_of_many_points")


def measured(name: str, source: Path) -> dict[str, float]:
    """One row, in a process of its own, with the library of a folder."""
    environment = {**os.environ, **{f"{each}_NUM_THREADS": "1" for each in THREADS}}
    environment["PYTHONPATH"] = os.pathsep.join([str(source), str(ROOT / "tests")])
    command = [sys.executable, "-W", "ignore", __file__, "--row", name]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name}: {done.stderr.strip().splitlines()[-1]}")
    found: dict[str, float] = json.loads(done.stdout)
    return found


def unpacked(commit: str, folder: Path) -> Path:
    """The library as it was."""
    archive = subprocess.run(
        ["git", "archive", commit, "src"], cwd=ROOT, capture_output=True, check=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
    return folder / "src"


def better(found: dict[str, float], other: dict[str, float] | None) -> dict[str, float]:
    """The smaller of each number."""
    return found if other is None else {key: min(value, other[key]) for key, value in found.items()}


def page(found: dict[str, Any], commit: str) -> str:
    """The table."""
    head = f"| | now, ms | {commit}, ms | now / {commit} | memory beyond the input, now; {commit} |"
    lines = ["# Speed", "", "Written by `benchmarks/speed.py`: processor time, one thread.", ""]
    lines += [head, "| --- | ---: | ---: | ---: | ---: |"]
    for name in ROWS:
        if name not in found:
            continue
        now, before = found[name]["now"], found[name].get("before")
        cells = [WHAT[name], f"{1e3 * now['seconds']:.3g}"]
        cells += (
            [f"{1e3 * before['seconds']:.3g}", f"{now['seconds'] / before['seconds']:.2f}"]
            if before
            else ["–", "–"]
        )
        memory = "extra memory / input"
        shown = f"{now[memory]:.2f}; {before[memory]:.2f}" if before and memory in now else ""
        lines.append("| " + " | ".join([*cells, shown]) + " |")
    lines += ["", *ratios(found)]
    return "\n".join(lines) + "\n"


def ratios(found: dict[str, Any]) -> list[str]:
    """What must hold, in words."""
    seconds = {name: each["now"]["seconds"] for name, each in found.items()}
    lines = []
    if {"three_models", "three_models_in_plain_lines"} <= seconds.keys():
        ratio = seconds["three_models"] / seconds["three_models_in_plain_lines"]
        lines.append(f"Three models take {ratio:.2f} times the plain lines.")
    if {"three_models", "text_of_a_print"} <= seconds.keys():
        law = found["text_of_a_print"]["now"]["asked of the law"]
        text = seconds["text_of_a_print"] / (seconds["three_models"] + law)
        alone = 1e3 * seconds["text_of_a_print"]
        lines.append(
            f"The text of a print takes {text:.2f} of computing: {alone:.2f} ms beside "
            f"{1e3 * law:.2f} ms that the print asks of the law."
        )
    if {"many_points_in_groups", "sums_of_many_points"} <= seconds.keys():
        ratio = seconds["many_points_in_groups"] / seconds["sums_of_many_points"]
        lines.append(f"Ten models at a million points take {ratio:.1f} times the sums they need.")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", default=BEFORE)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--rows", nargs="*", choices=ROWS, default=list(ROWS))
    parser.add_argument("--row", choices=ROWS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.row:
        print(json.dumps(ROWS[options.row]()))
        return
    path = RESULT.with_suffix(".json")
    found = json.loads(path.read_text()) if path.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        sources = {"now": ROOT / "src", "before": unpacked(options.before, Path(folder))}
        for name in options.rows:
            best: dict[str, dict[str, float]] = {}
            for _ in range(options.rounds):
                for which, source in sources.items():
                    if which == "now" or name not in ONLY_NOW:
                        best[which] = better(measured(name, source), best.get(which))
            found[name] = best
            print(name, json.dumps(best), flush=True)
    path.write_text(json.dumps(found, indent=1) + "\n")
    RESULT.with_suffix(".md").write_text(page(found, options.before))
    print(page(found, options.before))


if __name__ == "__main__":
    main()
