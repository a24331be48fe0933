"""What a worker notes for the watchdog of its parent: which piece it has begun, and when.

A note is a file of the worker's own, named by its process, in a folder of the pool.
"""

from __future__ import annotations

import os
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

FORMAT = struct.Struct("<qqd")  # place, index, begin


@dataclass(frozen=True)
class Beat:
    """A piece that a worker has begun; the clock is the same in all processes."""

    place: int
    index: int
    begin: float


@contextmanager
def beating(folder: str | None, place: int, index: int) -> Iterator[None]:
    """Note that this piece has begun, and at the end that none is at work; without a folder, not.

    A note that cannot be written costs only the watchdog.
    """
    if folder is None:
        yield
        return
    note = _note(folder, os.getpid())
    with suppress(OSError), open(note, "wb") as file:
        file.write(FORMAT.pack(place, index, time.monotonic()))
    try:
        yield
    finally:
        with suppress(OSError):
            os.truncate(note, 0)


def enrol(folder: str) -> None:
    """Leave an empty note: this process is a worker."""
    with suppress(OSError), open(_note(folder, os.getpid()), "wb"):
        pass


def enrolled(folder: str) -> set[int]:
    """All processes that have left a note, also if they are gone."""
    return {int(name) for name in os.listdir(folder)}


def strike_off(folder: str, pid: int) -> None:
    """Remove the note of a process that is gone."""
    with suppress(FileNotFoundError):
        os.remove(_note(folder, pid))


def last_beat(folder: str, pid: int) -> Beat | None:
    """What a worker is at; None if it is idle, or about to begin a piece."""
    try:
        with open(_note(folder, pid), "rb") as file:
            place, index, begin = FORMAT.unpack(file.read())
    except (OSError, struct.error):
        return None
    return Beat(int(place), int(index), begin)


def _note(folder: str, pid: int) -> str:
    return os.path.join(folder, str(pid))
