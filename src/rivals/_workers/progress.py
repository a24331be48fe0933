"""Progress of a run in one sentence, shown by the parent process: in place on a terminal or in a notebook, as lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def show_progress(show: bool, total: int, already: int, what: str) -> Iterator[Progress]:
    """Something to be told how far the run is; `what` is done, in words, as in "rivals calibrate: 3 of 8 experiments"."""
    progress = Progress(show, total, already, what)
    try:
        yield progress
    finally:
        progress.say("\n")


class Progress:
    """How far a run is, said now and then and once more at the end."""

    def __init__(self, show: bool, total: int, already: int, what: str) -> None:
        self._show, self._total, self._already = show, total, already
        self._command, self._things = what.split(": ")
        self._done, self._failed = already, 0
        self._in_place = show and (sys.stderr.isatty() or _in_notebook())
        self._longest = 0  # of the sentences so far
        self._begin = time.monotonic()
        self._next = self._begin + (0.0 if self._in_place else 1.0)

    def update(self, done: int, failed: int) -> None:
        """Say that `done` are done, of which `failed` failed, if it is time."""
        self._done, self._failed = done, failed
        now = time.monotonic()
        if now >= self._next:
            self.say("" if self._in_place else "\n")
            # Logs get fewer and fewer lines.
            self._next = now + (0.5 if self._in_place else min(max(2.0, 0.2 * (now - self._begin)), 60.0))

    def say(self, end: str) -> None:
        """Say the numbers; in place, over the sentence before."""
        if self._show:
            sentence = self._sentence()
            self._longest = max(self._longest, len(sentence))
            line = f"\r{sentence.ljust(self._longest)}" if self._in_place else sentence
            print(line, end=end, file=sys.stderr, flush=True)

    def _sentence(self) -> str:
        elapsed = time.monotonic() - self._begin
        rate = (self._done - self._already) / elapsed if elapsed > 0 else 0.0
        left = (
            f", about {_duration((self._total - self._done) / rate)} left" if rate and self._done < self._total else ""
        )
        failed = f", {self._failed} failed" if self._failed else ""
        return f"{self._command}: {self._done} of {self._total} {self._things}, {rate:.3g} per second{left}{failed}"


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
