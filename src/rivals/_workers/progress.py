"""Progress of a run in one sentence, shown by the parent process: in place on a terminal or in a notebook, as lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def show_progress(show: bool, total: int, already: int, what: str) -> Iterator[Progress]:
    """Something to be told how far the run is; `what` is done, in words, as in "rivals calibrate: 3 of 8 experiments"."""
    progress = Progress(total, already, what)
    if show:
        progress.begin()
    try:
        yield progress
    finally:
        progress.end()


class Progress:
    """How far a run is, said now and then and once more at the end."""

    def __init__(self, total: int, already: int, what: str) -> None:
        self._total, self._already, (self._command, self._things) = total, already, what.split(": ")
        self._done, self._failed = already, 0
        self._begin = self._next = time.monotonic()
        self._say: Callable[[str], None] = lambda sentence: None
        self._end, self._in_place = "", True

    def begin(self) -> None:
        """Find out where the output goes."""
        if _in_notebook():
            self._say = _cell(self._sentence())
        elif sys.stderr.isatty():
            self._say, self._end = _rewrite, "\n"
        else:
            self._say, self._in_place = lambda sentence: print(sentence, file=sys.stderr, flush=True), False
            self._next += 1.0

    def update(self, done: int, failed: int) -> None:
        """Say that `done` are done, of which `failed` failed, if it is time."""
        self._done, self._failed = done, failed
        now = time.monotonic()
        if now >= self._next:
            self._say(self._sentence())
            # Logs get fewer and fewer lines.
            self._next = now + (0.5 if self._in_place else min(max(2.0, 0.2 * (now - self._begin)), 60.0))

    def end(self) -> None:
        """Say the last numbers."""
        self._say(self._sentence() + self._end)

    def _sentence(self) -> str:
        elapsed = time.monotonic() - self._begin
        rate = (self._done - self._already) / elapsed if elapsed > 0 else 0.0
        left = (
            f", about {_duration((self._total - self._done) / rate)} left" if rate and self._done < self._total else ""
        )
        failed = f", {self._failed} failed" if self._failed else ""
        return f"{self._command}: {self._done} of {self._total} {self._things}, {rate:.3g} per second{left}{failed}"


def _rewrite(sentence: str) -> None:
    sys.stderr.write(f"\r\x1b[K{sentence}")
    sys.stderr.flush()


def _cell(first: str) -> Callable[[str], None]:
    """One line of plain text in the output of a notebook's cell, which changes in place: needs no widgets."""
    from IPython.display import display  # there, or we were not in a notebook

    handle: Any = display({"text/plain": first}, raw=True, display_id=True)
    return lambda sentence: handle.update({"text/plain": sentence}, raw=True)


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
