"""Processes on this machine, by loky, which are watched, killed where they hang, and replaced."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from contextlib import suppress
from importlib import import_module
from typing import Any

from rivals._say.optional import need
from rivals._workers.beats import enrol, enrolled, last_beat, strike_off
from rivals._workers.pool import Pool

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
# The grace time after its limit in which an experiment may end by itself before its process is
# killed: a fraction of the limit, and some seconds more.
OVERTIME_PART = 0.1
OVERTIME_SECONDS = 2.0
# Workers that are done have this long to exit.
LEAVE_SECONDS = 5.0
PR_SET_PDEATHSIG = 1  # of Linux: the signal that a process gets when its parent dies


class LocalProcesses(Pool):
    """Processes that accept functions from notebooks, and whose death is reported."""

    def __init__(self, n_workers: int) -> None:
        super().__init__()
        self.n_workers = n_workers
        self._loky = need("loky", extra="parallel", purpose="several processes")
        # A process of loky outlives this one, even if it is killed, and then removes the folder.
        self._tracker = import_module("loky.backend.resource_tracker")
        self._folder = tempfile.mkdtemp(prefix="rivals-")
        self._tracker.register(self._folder, "folder")
        self.notes = self._folder
        self._executor = self._start()

    def end_overdue(self, time_limit: float) -> set[tuple[int, int]]:
        allowed = time_limit * (1.0 + OVERTIME_PART) + OVERTIME_SECONDS
        overdue = set()
        for pid in self._workers():
            beat = last_beat(self._folder, pid)
            if beat is not None and time.monotonic() - beat.begin > allowed:
                kill_with_children(pid)
                overdue.add((beat.place, beat.index))
        return overdue

    def rebuild(self) -> bool:
        self._end(kill=True)
        self._executor = self._start()
        return True

    def close(self, *, kill: bool) -> None:
        self._end(kill=kill)
        shutil.rmtree(self._folder, ignore_errors=True)
        self._tracker.unregister(self._folder, "folder")

    def _start(self) -> Any:
        return self._loky.ProcessPoolExecutor(
            max_workers=self.n_workers,
            initializer=prepare_worker,
            initargs=(os.getpid(), self._folder),
            env=dict.fromkeys(THREAD_VARIABLES, "1"),
        )

    def _workers(self) -> set[int]:
        """Those that have noted themselves, also if they are gone, and those that are about to."""
        starting = getattr(self._executor, "_processes", None) or ()
        return enrolled(self._folder).union(starting)

    def _end(self, *, kill: bool) -> None:
        """End the workers and all that they started, in a limited time.

        A worker may not exit, because of a thread that the user's code left behind, and loky may
        hang.
        """
        workers = self._workers()
        manager = getattr(self._executor, "_executor_manager_thread", None)
        # Loky's thread may be reading from a worker, so it ends them itself; we kill only those
        # that it does not end.
        self._executor.shutdown(wait=False, kill_workers=kill)
        if manager is not None:
            manager.join(LEAVE_SECONDS)
        for pid in workers | self._workers():
            kill_with_children(pid)
            strike_off(self._folder, pid)
        if manager is not None:
            manager.join(LEAVE_SECONDS)


def kill_with_children(pid: int) -> None:
    """Kill a worker and what it left behind, which is in a group of its own.

    Never another process that has its number now.
    """
    with suppress(OSError):  # it is not ours
        if hasattr(os, "waitid") and _exists(pid):
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        with suppress(ProcessLookupError, AttributeError):  # it has no group yet
            os.killpg(pid, signal.SIGKILL)
        os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


# ---------------------------------------------------------------- in the worker


def prepare_worker(parent: int, folder: str) -> None:
    """Make this process a worker that ends with its parent, together with all that it starts."""
    # Ctrl-C reaches all processes of a terminal; the parent alone decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)  # with all that it will start
    # The thread below never runs while compiled code holds the interpreter.
    if sys.platform == "linux":
        _end_with_parent_process()
        os.register_at_fork(after_in_child=_end_with_parent_process)
    threading.Thread(target=_end_with_parent, args=(parent,), daemon=True).start()
    enrol(folder)


def _end_with_parent_process() -> None:
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _end_with_parent(parent: int) -> None:
    """A worker whose parent was killed would wait for work forever."""
    while os.getppid() == parent:
        time.sleep(0.5)
    with suppress(OSError, AttributeError):
        os.killpg(os.getpid(), signal.SIGKILL)
    os._exit(1)
