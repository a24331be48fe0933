"""What runs functions: the interface of all pools, and the one without workers."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from rivals._workers.interrupts import Interrupts


class Pool:
    """Something that runs functions of modules."""

    n_workers = 1
    # Whether they run here and now: arguments then need not be sent.
    in_process = False
    # Folder in which workers note their current piece, if someone watches them.
    notes: str | None = None
    _executor: Any = None

    def __init__(self) -> None:
        self.interrupts = Interrupts()

    def is_ready(self) -> bool:
        """Look around, between two steps of the work: raise a noted Ctrl-C.

        False while a cluster is out of reach, or has no workers left; after some patience that is
        an error.
        """
        self.interrupts.look()
        return True

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Start a function, now or when a worker is free."""
        future: Future[Any] = self._executor.submit(function, *arguments)
        return future

    def end_overdue(self, time_limit: float) -> set[tuple[int, int]]:
        """Kill workers whose piece is long past the limit, if they are ours.

        Returns these pieces (place, index).
        """
        return set()

    def check_patience(self, silent: float, longest: float) -> None:
        """Give up if nothing came back for longer than all time limits together allow.

        Only workers that are not ours can hang so long: we kill our own.
        """

    def rebuild(self) -> bool:
        """After the death of a worker: start new ones. False if they are not ours to start."""
        return False

    def close(self, *, kill: bool) -> None:
        """End what this pool started; at once if `kill`."""


class InProcess(Pool):
    """No workers: each function runs when it is submitted.

    For debugging, and where processes are not wanted.
    """

    in_process = True

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future


def count_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
