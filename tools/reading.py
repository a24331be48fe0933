"""How far one call carries its reader: `python tools/reading.py`.

A reader follows a call down and reads each function once, when it is first called. What every layer may use (checks of
input, random streams, safe files) is taken by its name and not opened, and so are properties, which read as what they are
called; a comprehension is part of its function. Two counts, for one `compare` of two candidates, one
`calibrate` of eight experiments in this process, and the command `rivals compare a.csv b.csv --report page.html`:

- jumps: how often the file changes from one function read to the next;
- calls: distinct calls (caller to callee) that cross from one file into another.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import rivals

ROOT = os.path.dirname(rivals.__file__)
Function = tuple[str, str]
SHARED = {"_checks.py", "_random.py", "_files.py", "_types.py"}


@dataclass
class Reading:
    """What a reader of one call goes through."""

    functions: list[Function] = field(default_factory=list)
    crossings: set[tuple[Function, Function]] = field(default_factory=set)

    @property
    def jumps(self) -> int:
        """Changes of file."""
        files = [file for file, _ in self.functions]
        return sum(first != second for first, second in pairwise(files))

    @property
    def files(self) -> int:
        """Files that are opened."""
        return len({file for file, _ in self.functions})


def read(call: Callable[[], Any]) -> Reading:
    """Run a call and note every function of the package in it."""
    reading = Reading()
    seen: set[Function] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or not _is_ours(frame):
            return
        function, caller = _name(frame), frame.f_back
        while caller is not None and not _is_ours(caller):
            caller = caller.f_back
        if function not in seen:
            seen.add(function)
            reading.functions.append(function)
        if caller is not None and caller.f_code.co_filename != frame.f_code.co_filename:
            reading.crossings.add((_name(caller), function))

    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
    return reading


def _is_ours(frame: FrameType) -> bool:
    path, name = frame.f_code.co_filename, frame.f_code.co_name
    if not path.startswith(ROOT) or name.startswith("<"):
        return False
    return os.path.relpath(path, ROOT) not in SHARED and name not in properties(path)


@cache
def properties(path: str) -> set[str]:
    """The names of the properties in a file."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and any("property" in ast.unparse(decorator) for decorator in node.decorator_list)
    }


def _name(frame: FrameType) -> Function:
    return os.path.relpath(frame.f_code.co_filename, ROOT), frame.f_code.co_name


def gaussian(mean: float, width: float) -> rivals.Candidate:
    """A Gaussian model."""
    return rivals.Candidate(
        loss=lambda y: np.log(width) + ((y - mean) / width) ** 2 / 2,
        simulate=lambda n, rng: mean + width * rng.standard_normal(n),
    )


def compare() -> Any:
    """One comparison of two candidates."""
    data = np.random.default_rng(0).standard_normal(2000)
    return rivals.compare({"right": gaussian(0.0, 1.0), "wide": gaussian(0.0, 3.0)}, data, rng=1)


def calibrate() -> Any:
    """One calibration of eight experiments at two values of c."""

    def omega(rng: np.random.Generator) -> rivals.Experiment:
        mean = rng.normal(0, 0.1)
        return rivals.Experiment(
            observe=lambda n, rng: mean + rng.standard_normal(n),
            candidates=(gaussian(-0.1, 1.0), gaussian(0.1, 1.0)),
        )

    return rivals.calibrate(
        omega,
        n_data=200,
        n_experiments=8,
        c=[0.25, 1.0],
        n_truth=2000,
        rng=0,
        executor=0,
        progress=False,
    )


def command() -> Any:
    """`rivals compare a.csv b.csv --report page.html`."""
    from rivals.cli.app import main

    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        for name in ("a.csv", "b.csv"):
            losses = rng.exponential(size=(500, 2))
            np.savetxt(
                os.path.join(folder, name), losses, delimiter=",", header="one,two", comments=""
            )
        files = [os.path.join(folder, name) for name in ("a.csv", "b.csv")]
        before, sys.argv = (
            sys.argv,
            ["rivals", "compare", *files, "--report", os.path.join(folder, "page.html")],
        )
        try:
            with contextlib.redirect_stderr(io.StringIO()):
                main()
        except SystemExit as done:
            if done.code:
                raise RuntimeError("the command failed") from done
        finally:
            sys.argv = before


def main() -> None:
    """Print the counts; with -v, every function in the order of reading."""
    for call in (compare, calibrate, command):
        call()  # once before, so that imports do not count
        reading = read(call)
        print(
            f"{call.__name__}: {reading.jumps} jumps, {len(reading.crossings)} calls across, {reading.files} files"
        )
        if "-v" in sys.argv:
            print("\n".join(f"    {file}: {name}" for file, name in reading.functions))
    top = list(Path(ROOT).glob("*.py"))
    print(f"files at the top level: {len(top)}")


if __name__ == "__main__":
    main()
