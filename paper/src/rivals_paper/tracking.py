"""Progress of a long reproduction: log lines on the error stream, from the parent process only."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")

# A line at most this often, in seconds.
EVERY = 5.0


def track(items: Sequence[Item], what: str, progress: bool) -> Iterator[Item]:
    """Go through the items and say now and then how many are done and how long the rest will
    take.
    """
    start = last = time.monotonic()
    for done, item in enumerate(items):
        now = time.monotonic()
        if progress and done and now - last >= EVERY:
            remaining = (now - start) / done * (len(items) - done)
            print(
                f"  {what}: {done} of {len(items)}, about {remaining:.0f} s to go",
                file=sys.stderr,
                flush=True,
            )
            last = now
        yield item
