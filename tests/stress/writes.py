"""Files that are written while the writer is killed, or while the disk has no room: the old file or
the new one.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import rivals
from stress.damage import comparison

WRITER = """
import resource, sys
import rivals
limit = int(sys.argv[3])
result = rivals.load(sys.argv[1])
print("ready", flush=True)
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    try:
        getattr(result, sys.argv[4])(sys.argv[2])
    except OSError:
        sys.exit(3)
    sys.exit(0)
while True:
    result.save(sys.argv[2])
"""


def start(
    source: Path, target: Path, limit: int = 0, method: str = "save"
) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(source), str(target), str(limit), method]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    return process


def interrupt_writes(
    seconds: float, seed: int, *, n_kills: int = 20, n_full: int = 10
) -> dict[str, Any]:
    """Kill a writer at random moments, and let its disk be full at random sizes; look at the file
    each time.
    """
    rng = np.random.default_rng(seed)
    counts: dict[str, Any] = {
        "faults": 0,
        "lost": 0,
        "silently_wrong": 0,
        "hung": 0,
        "left_over": 0,
        "problems": [],
    }
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "out"
        source = Path(name) / "source.npz"
        folder.mkdir()
        comparison().save(source)
        target = folder / "x.npz"
        names = rivals.load(source).names
        for _ in range(n_kills):
            if time.monotonic() > end:
                break
            process = start(source, target)
            while not target.exists() and process.poll() is None:
                time.sleep(0.001)
            time.sleep(rng.uniform(0.0, 0.05))
            os.kill(process.pid, signal.SIGKILL)
            process.communicate()
            counts["faults"] += 1
            if rivals.load(target).names != names:
                counts["silently_wrong"] += 1
        # A writer that is killed cannot tidy up; the next one that is not leaves nothing of its
        # own.
        counts["left_over"] = sum(path.name != "x.npz" for path in folder.iterdir())
        for index in range(n_full):
            if time.monotonic() > end:
                break
            method, page = ("save", target) if index % 2 else ("report", folder / "x.html")
            page.write_bytes(
                before := b"what was there" if method == "report" else target.read_bytes()
            )
            there = {path.name for path in folder.iterdir()}
            process = start(source, page, int(rng.integers(1, 12_000)), method)
            try:
                process.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                counts["hung"] += 1
            counts["faults"] += 1
            if (
                process.returncode != 3
                or page.read_bytes() != before
                or {path.name for path in folder.iterdir()} != there
            ):
                counts["lost"] += 1
                counts["problems"].append(
                    f"{method} on a full disk: exit code {process.returncode}"
                )
    return counts


# ---------------------------------------------------------------- where to

EMOJI = "\U0001f389"
# As another user, who may not write there, where we are root.
NOBODY = 65534
OTHER = """
import os, sys
import rivals
result = rivals.load(sys.argv[1])
ending = os.path.splitext(sys.argv[2])[1]
getattr(result, sys.argv[3])(sys.argv[1] + ending)  # which imports all that it takes
if os.getuid() == 0:
    os.setuid(int(sys.argv[4]))
try:
    getattr(result, sys.argv[3])(sys.argv[2])
except (OSError, ValueError) as error:
    print(error)
    sys.exit(3)
"""


def try_targets(seconds: float, seed: int) -> dict[str, Any]:
    """Every writer, to targets with odd names, without a folder, read-only, or no file at all.

    What is written is whole, and what is refused is named; nothing is left beside either.
    """
    counts: dict[str, Any] = {
        "inputs": 0,
        "lost": 0,
        "silently_wrong": 0,
        "raw_errors": 0,
        "problems": [],
    }
    result = comparison()
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        source = Path(name) / "source.npz"
        result.save(source)
        for number, (writer, target) in enumerate(product(WRITERS, TARGETS)):
            folder = Path(name) / str(number)
            folder.mkdir()
            counts["inputs"] += 1
            what, remark = TARGETS[target](Target(folder, writer, source, result))
            if what:
                counts[what] += 1
                counts["problems"].append(f"{writer} to {target}: {remark[:300]}")
    return counts


WRITERS = {"save": ".npz", "report": ".html"}
Outcome = tuple[str, str]
WELL: Outcome = ("", "")


@dataclass
class Target:
    """Where to write, with what, and how to look at what came of it."""

    folder: Path
    writer: str
    source: Path
    result: rivals.Comparison

    def path(self, name: str = "x") -> Path:
        return self.folder / f"{name}{WRITERS[self.writer]}"

    def write(self, path: Any) -> None:
        getattr(self.result, self.writer)(path)

    def written(self, path: Any, there: Path, *, beside: int = 0) -> Outcome:
        """A file that must be written, whole, with nothing but so many files beside it."""
        try:
            self.write(path)
        except Exception as error:
            return "lost", f"{type(error).__name__}: {error}"
        if not self.is_whole(there):
            return "silently_wrong", "the file is not what was written"
        left = [each.name for each in there.parent.iterdir() if each.name != there.name]
        return WELL if len(left) == beside else ("silently_wrong", f"left beside it: {left}")

    def refused(self, path: Any, words: str) -> Outcome:
        """A file that must be refused, with these words, and with nothing left."""
        before = sorted(self.folder.iterdir())
        try:
            self.write(path)
        except (OSError, ValueError) as error:
            if words not in str(error):
                return "raw_errors", f"{type(error).__name__}: {error}"
        else:
            return "silently_wrong", "nothing was said"
        left = sorted(self.folder.iterdir())
        return WELL if left == before else ("silently_wrong", f"left: {left}")

    def is_whole(self, path: Path) -> bool:
        if self.writer == "save":
            return rivals.load(path).to_dict() == self.result.to_dict()
        return path.read_text(encoding="utf-8").rstrip().endswith("</html>")


def to_emoji(target: Target, *, count: int) -> Outcome:
    """A name of so many letters of four bytes."""
    path = target.path(count * EMOJI)
    if len(os.fsencode(path.name)) <= os.pathconf(target.folder, "PC_NAME_MAX"):
        return target.written(path, path)
    return target.refused(path, EMOJI)


def to_missing_folder(target: Target) -> Outcome:
    return target.refused(target.folder / "no" / target.path().name, "there is no folder")


def to_bytes(target: Target) -> Outcome:
    return target.written(os.fsencode(target.path()), target.path())


def to_read_only_file(target: Target) -> Outcome:
    """The folder may be written to: the file is replaced, and keeps its mode."""
    path = target.path()
    path.write_bytes(b"old")
    path.chmod(0o444)
    found = target.written(path, path)
    if found == WELL and path.stat().st_mode & 0o777 != 0o444:
        return "silently_wrong", f"its mode is {path.stat().st_mode:o}"
    return found


def to_read_only_folder(target: Target) -> Outcome:
    """By another user, in a process of its own."""
    path = target.path()
    path.write_bytes(b"old")
    target.folder.chmod(0o555)
    command = [sys.executable, "-c", OTHER, str(target.source), str(path), target.writer]
    done = subprocess.run([*command, str(NOBODY)], capture_output=True, text=True, check=False)
    target.folder.chmod(0o755)
    if path.read_bytes() != b"old":
        return "lost", "the old file is gone"
    if done.returncode != 3 or str(target.folder) not in done.stdout:
        return "raw_errors", f"exit code {done.returncode}: {done.stdout} {done.stderr}"
    return WELL


def to_folder(target: Target) -> Outcome:
    target.path().mkdir()
    return target.refused(target.path(), target.path().name)


def to_pipe(target: Target) -> Outcome:
    os.mkfifo(target.path())
    return target.refused(target.path(), "not a plain file")


def to_link(target: Target) -> Outcome:
    """A symbolic link stays one, and what it points to is written."""
    elsewhere = target.folder / "elsewhere"
    elsewhere.mkdir()
    real = elsewhere / "real"
    target.path().symlink_to(real)
    found = target.written(target.path(), real)
    if found == WELL and not target.path().is_symlink():
        return "silently_wrong", "the link is gone"
    return found


def to_link_to_itself(target: Target) -> Outcome:
    target.path().symlink_to(target.path())
    return target.refused(target.path(), target.path().name)


def to_hard_link(target: Target) -> Outcome:
    """The other name keeps the old content, as the documentation says."""
    path = target.path()
    path.write_bytes(b"old")
    other = target.folder / "other"
    os.link(path, other)
    found = target.written(path, path, beside=1)
    if found == WELL and other.read_bytes() != b"old":
        return "silently_wrong", "the other name has new content"
    return found


def to_nothing(target: Target) -> Outcome:
    return target.refused("", "")


TARGETS: dict[str, Callable[[Target], Outcome]] = {
    "a name of 60 emoji": partial(to_emoji, count=60),
    "a name of 62 emoji": partial(to_emoji, count=62),
    "a name that is too long": partial(to_emoji, count=64),
    "a folder that is not there": to_missing_folder,
    "a path of bytes": to_bytes,
    "a read-only file": to_read_only_file,
    "a read-only folder": to_read_only_folder,
    "a folder": to_folder,
    "a pipe": to_pipe,
    "a link": to_link,
    "a link to itself": to_link_to_itself,
    "one of two names": to_hard_link,
    "no name": to_nothing,
}


if __name__ == "__main__":
    print(json.dumps(interrupt_writes(float(sys.argv[1]), 15), indent=1))
