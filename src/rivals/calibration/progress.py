"""Progress of a run, shown by the parent process only: a bar on a terminal or in a notebook, lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, Protocol


class Progress(Protocol):
    """Something that is told how far the run has come."""

    def update(self, done: int, failed: int) -> None:
        """Show that `done` experiments are in the store, of which `failed` failed."""

    def close(self) -> None:
        """Show the last numbers, and leave the terminal as it was."""


@contextmanager
def show_progress(show: bool, total: int, already: int) -> Iterator[Progress]:
    """The kind of progress that suits where the output goes."""
    progress: Progress
    if not show:
        progress = Silence()
    elif sys.stderr.isatty() or _in_notebook():
        progress = Bar(total, already)
    else:
        progress = Lines(total, already)
    with closing(progress):
        yield progress


class Silence:
    """No progress."""

    def update(self, done: int, failed: int) -> None:
        """Say nothing."""

    def close(self) -> None:
        """Say nothing."""


class Lines:
    """A line now and then, for logs: at first every second, then ever more rarely, at the end once more."""

    def __init__(self, total: int, already: int) -> None:
        self._total, self._already = total, already
        self._begin = time.monotonic()
        self._next = self._begin + 1.0
        self._last = (already, 0)

    def update(self, done: int, failed: int) -> None:
        """Write a line if it is time."""
        self._last = (done, failed)
        now = time.monotonic()
        if now >= self._next:
            self._write(done, failed)
            self._next = now + min(max(2.0, 0.2 * (now - self._begin)), 60.0)

    def close(self) -> None:
        """Write the last line."""
        self._write(*self._last)

    def _write(self, done: int, failed: int) -> None:
        elapsed = time.monotonic() - self._begin
        rate = (done - self._already) / elapsed if elapsed > 0 else 0.0
        left = f", about {_duration((self._total - done) / rate)} left" if rate > 0 and done < self._total else ""
        print(
            f"rivals calibrate: {done} of {self._total} experiments, {rate:.3g} per second{left}"
            + (f", {failed} failed" if failed else ""),
            file=sys.stderr,
            flush=True,
        )


class Bar:
    """A bar, by rich."""

    def __init__(self, total: int, already: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        self._bar: Any = Progress(
            TextColumn("calibrating"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[failed]}"),
            console=Console(stderr=True),
        )
        self._already, self._begin = already, time.monotonic()
        self._task = self._bar.add_task("", total=total, completed=already, rate="", failed="")
        self._bar.start()

    def update(self, done: int, failed: int) -> None:
        """Move the bar."""
        rate = (done - self._already) / max(time.monotonic() - self._begin, 1e-9)
        self._bar.update(
            self._task, completed=done, rate=f"{rate:.3g}/s", failed=f"[red]{failed} failed[/red]" if failed else ""
        )

    def close(self) -> None:
        """Leave the bar as it is."""
        self._bar.stop()


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
