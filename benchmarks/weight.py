"""How heavy the library is, beside peers and an earlier release; and how far one call runs.

    python benchmarks/weight.py [--before COMMIT]

Weight is in nodes of the syntax tree without docstrings, which packing lines does not change. The
peers are installed without what they need into a temporary folder, the earlier release is unpacked
from git. A jump is a call from one file of the package into another. Writes results/weight.json and
results/weight.md.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
RESULT = ROOT / "benchmarks" / "results" / "weight"
BEFORE = "b8519f40"
PEERS = {"arviz-stats": "arviz_stats", "optuna": "optuna", "emcee": "emcee"}
CALLS = ("files", "functions", "jumps", "evaluations")
DEFINITIONS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def weighed(paths: Iterable[Path]) -> dict[str, int]:
    """Nodes, words in strings of several words, lines of code, files."""
    found = {"nodes": 0, "words": 0, "lines": 0, "files": 0}
    for path in paths:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        documents: set[int] = set()
        for node in ast.walk(tree):
            if isinstance(node, DEFINITIONS) and ast.get_docstring(node) is not None:
                documents |= {id(node.body[0]), id(node.body[0].value)}  # type: ignore[attr-defined]
        lines = set()
        for node in ast.walk(tree):
            if id(node) in documents:
                continue
            found["nodes"] += 1
            lines.add(getattr(node, "lineno", 0))
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                several = " " in node.value.strip()
                found["words"] += several * len(re.findall(r"[A-Za-z']{2,}", node.value))
        found["lines"] += len(lines)
        found["files"] += 1
    return found


def public_names(package: Path) -> int:
    """Names that the `__init__` files of a package and of its public packages offer."""
    found: set[str] = set()
    for path in package.rglob("__init__.py"):
        parts = path.parent.relative_to(package).parts
        if not any(part.startswith("_") or part == "tests" for part in parts):
            found |= names_of(path)
    return len(found)


def names_of(path: Path) -> set[str]:
    """What is in `__all__`, or without one what is imported and defined."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            if isinstance(node.value, (ast.List, ast.Tuple)):
                return {ast.literal_eval(each) for each in node.value.elts}
        if isinstance(node, ast.ImportFrom):
            inner = path.parent / (node.module or "").split(".")[-1]
            homes = [
                each for each in (inner.with_suffix(".py"), inner / "__init__.py") if each.exists()
            ]
            for alias in node.names:
                star = alias.name == "*" and homes
                found |= names_of(homes[0]) if star else {alias.asname or alias.name}
    found |= {each.name for each in tree.body if isinstance(each, (ast.ClassDef, ast.FunctionDef))}
    return {name for name in found if not name.startswith("_") and name != "*"}


def sources(package: Path) -> list[Path]:
    """Its files, without tests."""
    return [path for path in sorted(package.rglob("*.py")) if "tests" not in path.parts]


def of_package(package: Path) -> dict[str, Any]:
    names = public_names(package)
    found: dict[str, Any] = weighed(sources(package))
    return {**found, "names": names, "nodes per name": found["nodes"] // max(names, 1)}


def rooms(package: Path) -> dict[str, dict[str, int]]:
    """By folder; files beside them together."""
    by_room: dict[str, list[Path]] = {}
    for path in sources(package):
        parts = path.relative_to(package).parts
        by_room.setdefault(parts[0] if len(parts) > 1 else "files beside them", []).append(path)
    return {room: weighed(paths) for room, paths in sorted(by_room.items())}


def traced(job: Callable[[], Any], package: Path) -> dict[str, int]:
    """Files, functions, jumps between files, and evaluations of a law, of one call."""
    root = str(package)
    files: set[str] = set()
    functions: set[tuple[str, str]] = set()
    stack: list[str] = []
    jumps = evaluations = 0

    def profile(frame: FrameType, event: str, _: Any) -> None:
        nonlocal jumps, evaluations
        path = frame.f_code.co_filename
        if not path.startswith(root):
            return
        if event == "call":
            files.add(path)
            if not frame.f_code.co_name.startswith("<"):
                functions.add((path, frame.f_code.co_name))
            evaluations += frame.f_code.co_name == "below" and f"{os.sep}laws{os.sep}" in path
            jumps += bool(stack) and stack[-1] != path
            stack.append(path)
        elif event == "return" and stack:
            stack.pop()

    job()  # imports
    sys.setprofile(profile)
    try:
        job()
    finally:
        sys.setprofile(None)
    return {
        "files": len(files),
        "functions": len(functions),
        "jumps": jumps,
        "evaluations": evaluations,
    }


def jobs() -> dict[str, Callable[[], Any]]:
    """The main calls, of either release."""

    import rivals
    from rivals.cli import main

    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(12), 50)
    a = rng.exponential(size=600)
    losses = {
        "A": a,
        "B": a + 0.2 + 0.1 * rng.standard_normal(600),
        "C": a + 0.21 + 0.1 * rng.standard_normal(600),
    }
    x = rng.standard_normal((600, 3))
    y = x[:, 0] + rng.standard_normal(600)
    folder = Path(tempfile.mkdtemp(prefix="rivals-weight-"))
    rows = "\n".join(f"{p},{q},{g}" for p, q, g in zip(a, losses["B"], groups, strict=True))
    (folder / "losses.csv").write_text(f"A,B,school\n{rows}\n")

    def scenario(generator: Any) -> Any:
        mean = generator.normal(0, 0.1)
        return rivals.Experiment(
            observe=lambda n, rng: mean + rng.standard_normal(n),
            candidates=tuple(
                rivals.Candidate(
                    loss=lambda data, at=at: (data - at) ** 2 / 2,
                    simulate=lambda n, rng, at=at: at + rng.standard_normal(n),
                )
                for at in (-0.1, 0.1)
            ),
        )

    def cross_validated() -> Any:
        from sklearn.dummy import DummyRegressor
        from sklearn.linear_model import LinearRegression

        models = {"mean": DummyRegressor(), "line": LinearRegression()}
        return rivals.read.cross_validated(models, x, y, groups=groups, rng=0)

    def calibrated() -> Any:
        return rivals.calibrate(
            scenario, n_data=200, n_experiments=8, c=[0.1, 1.0], n_truth=500, rng=0,
            progress=False,
        )  # fmt: skip

    def compared() -> Any:
        models = {
            name: rivals.Losses(each, groups=groups, left_out=False)
            for name, each in losses.items()
        }
        return rivals.compare(models, rng=0)

    def command() -> None:
        sys.argv = ["rivals", "compare", str(folder / "losses.csv"), "--groups", "school"]
        with (
            open(os.devnull, "w") as nowhere,
            contextlib.redirect_stdout(nowhere),
            contextlib.suppress(SystemExit),
        ):
            main()

    return {
        "compare": compared,
        "compare and print": lambda: str(compared()),
        "compare and page": lambda: compared().report(folder / "page.html"),
        "compare and gate": lambda: str(compared().gate("B", model="A")),
        "cross_validated": cross_validated,
        "calibrate": calibrated,
        "command line": command,
    }


def calls() -> dict[str, dict[str, int]]:
    """Of the release that this process imports."""
    import rivals

    package = Path(rivals.__file__).parent
    return {name: traced(job, package) for name, job in jobs().items()}


def calls_of(source: Path) -> dict[str, dict[str, int]]:
    """The same, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", __file__, "--calls"],
        env={**os.environ, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stderr)
    found: dict[str, dict[str, int]] = json.loads(done.stdout.splitlines()[-1])
    return found


def unpacked(commit: str, folder: Path) -> Path:
    """The library as it was."""
    archive = subprocess.run(
        ["git", "archive", commit, "src"], cwd=ROOT, capture_output=True, check=True
    ).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
    return folder / "src"


def table(head: list[str], rows: Iterable[Iterable[Any]]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    return [*lines, *("| " + " | ".join(map(str, row)) + " |" for row in rows), ""]


def page(found: dict[str, Any], commit: str) -> str:
    lines = ["# Weight", "", "Written by `benchmarks/weight.py`; nodes are without docstrings.", ""]
    keys = ["files", "lines", "nodes", "names", "nodes per name", "words"]
    head = [
        "",
        "files",
        "lines of code",
        "nodes",
        "public names",
        "nodes / name",
        "words in strings",
    ]
    lines += table(
        head, ([name, *(each[key] for key in keys)] for name, each in found["all"].items())
    )
    now, before = found["rooms"]["rivals"], found["rooms"][commit]
    lines += table(
        ["room", "nodes", "files", f"nodes, {commit}", f"files, {commit}"],
        (
            [room]
            + [
                each.get(room, {}).get(key, "–")
                for each in (now, before)
                for key in ("nodes", "files")
            ]
            for room in sorted({*now, *before})
        ),
    )
    lines += table(
        ["one call", *CALLS, f"files, {commit}", *CALLS[1:]],
        (
            [name, *each.values(), *found["calls"][commit][name].values()]
            for name, each in found["calls"]["rivals"].items()
        ),
    )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--before", default=BEFORE)
    parser.add_argument("--calls", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.calls:
        print(json.dumps(calls()))
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        before = unpacked(options.before, folder)
        target = ["--quiet", "--no-deps", "--target", str(folder / "peers")]
        subprocess.run([sys.executable, "-m", "pip", "install", *target, *PEERS], check=True)
        packages = {"rivals": ROOT / "src" / "rivals", options.before: before / "rivals"}
        peers = {name: folder / "peers" / module for name, module in PEERS.items()}
        found = {
            "all": {name: of_package(path) for name, path in {**packages, **peers}.items()},
            "rooms": {name: rooms(path) for name, path in packages.items()},
            "calls": {name: calls_of(path.parent) for name, path in packages.items()},
        }
    RESULT.with_suffix(".json").write_text(json.dumps(found, indent=1) + "\n")
    RESULT.with_suffix(".md").write_text(page(found, options.before))
    print(page(found, options.before))


if __name__ == "__main__":
    main()
