"""Progress of a run, shown only by the parent process: a bar on a terminal, a changing line in a notebook, lines elsewhere."""

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
    elif _in_notebook():
        progress = Notebook(total, already)
    elif sys.stderr.isatty():
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


class Text:
    """How far the run is, in a sentence shown now and then, and once more at the end."""

    def __init__(self, total: int, already: int) -> None:
        self._total, self._already = total, already
        self._begin = time.monotonic()
        self._next = self._begin
        self._last = (already, 0)

    def update(self, done: int, failed: int) -> None:
        """Show the sentence if it is time."""
        self._last = (done, failed)
        now = time.monotonic()
        if now >= self._next:
            self._show(self._sentence())
            self._next = now + self._pause(now - self._begin)

    def close(self) -> None:
        """Show the last numbers."""
        self._show(self._sentence())

    def _show(self, sentence: str) -> None:
        raise NotImplementedError

    def _pause(self, elapsed: float) -> float:
        raise NotImplementedError

    def _sentence(self) -> str:
        done, failed = self._last
        elapsed = time.monotonic() - self._begin
        rate = (done - self._already) / elapsed if elapsed > 0 else 0.0
        left = f", about {_duration((self._total - done) / rate)} left" if rate > 0 and done < self._total else ""
        return f"rivals calibrate: {done} of {self._total} experiments, {rate:.3g} per second{left}" + (
            f", {failed} failed" if failed else ""
        )


class Lines(Text):
    """A line now and then, for logs: at first every second, then less and less often."""

    def __init__(self, total: int, already: int) -> None:
        super().__init__(total, already)
        self._next += 1.0

    def _show(self, sentence: str) -> None:
        print(sentence, file=sys.stderr, flush=True)

    def _pause(self, elapsed: float) -> float:
        return min(max(2.0, 0.2 * elapsed), 60.0)


class Notebook(Text):
    """One line of plain text in the output of the cell, which changes in place: needs no widgets."""

    def __init__(self, total: int, already: int) -> None:
        super().__init__(total, already)
        from IPython.display import display  # there, or we were not in a notebook

        self._handle: Any = display(self._bundle(self._sentence()), raw=True, display_id=True)

    def _show(self, sentence: str) -> None:
        self._handle.update(self._bundle(sentence), raw=True)

    def _pause(self, elapsed: float) -> float:
        return 0.5

    @staticmethod
    def _bundle(sentence: str) -> dict[str, str]:
        return {"text/plain": sentence}


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
