"""How far a plan is, in one sentence."""

from __future__ import annotations

import sys
import time
from datetime import timedelta

from rivals._workers.plan import Plan

# How often it is said in place, on a terminal or in a notebook.
IN_PLACE_SECONDS = 0.5
# In a log: the first and the longest pause between two lines, and the part of the time so far.
FIRST_PAUSE = 2.0
LONGEST_PAUSE = 60.0
PAUSE_PART = 0.2


class Progress:
    """Says now and then how far a plan is, and once more at the end.

    In place on a terminal or in a notebook, as lines elsewhere.
    """

    def __init__(self, plan: Plan, sentence: str, *, show: bool) -> None:
        self._plan = plan
        self._words = sentence
        self._show = show
        self._already = plan.done
        self._in_place = show and (sys.stderr.isatty() or _in_notebook())
        self._longest = 0  # of the sentences so far
        self._begin = time.monotonic()
        self._next = self._begin if self._in_place else self._begin + 1.0

    def close(self) -> None:
        """Say it once more."""
        self._say("\n")

    def update(self) -> None:
        """Say how far the plan is, if it is time."""
        now = time.monotonic()
        if now < self._next:
            return
        if self._in_place:
            self._say("")
            pause = IN_PLACE_SECONDS
        else:
            self._say("\n")
            # Logs get fewer and fewer lines.
            pause = min(max(FIRST_PAUSE, PAUSE_PART * (now - self._begin)), LONGEST_PAUSE)
        self._next = now + pause

    def _say(self, end: str) -> None:
        """Say the numbers; in place, over the sentence before."""
        if not self._show:
            return
        sentence = self._sentence()
        self._longest = max(self._longest, len(sentence))
        line = f"\r{sentence.ljust(self._longest)}" if self._in_place else sentence
        print(line, end=end, file=sys.stderr, flush=True)

    def _sentence(self) -> str:
        done = self._plan.done
        total = self._plan.total
        elapsed = time.monotonic() - self._begin
        rate = (done - self._already) / elapsed if elapsed > 0 else 0.0
        sentence = f"{self._words.format(done, total)}, {rate:.3g} per second"
        if rate and done < total:
            sentence += f", about {timedelta(seconds=round((total - done) / rate))} left"
        if self._plan.failed:
            sentence += f", {self._plan.failed} failed"
        return sentence


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"
