"""Where work runs: in this process, in processes of this machine, or in any executor of concurrent.futures; and how Ctrl-C ends it."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager, nullcontext, suppress
from importlib import import_module
from types import FrameType
from typing import Any

from rivals._checks import need, warn
from rivals._workers.attempts import BEAT

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
# The grace time after its limit in which an experiment may end by itself before its process is killed: a fraction of the
# limit, and some seconds more.
OVERTIME_PART, OVERTIME_SECONDS = 0.1, 2.0
# A cluster may lose its scheduler or its last worker for this long, for example while it restarts them; workers that are
# done have this long to exit.
PATIENCE = 60.0
LEAVE_SECONDS = 5.0
PR_SET_PDEATHSIG = 1  # of Linux: the signal that a process gets when its parent dies
# Python raises KeyboardInterrupt wherever the main thread happens to be. In a destructor it is swallowed. While
# concurrent.futures holds the locks of its futures, it leaves them locked, and the thread that manages the workers waits for
# them forever. So the loops that hand out work look for a noted Ctrl-C twice a second. If they are stuck, a second Ctrl-C is
# raised at once, but only if it comes later than this, so that pressing twice in a row does no harm.
STUCK_SECONDS = 2.0


@contextmanager
def open_pool(executor: Executor | int | None) -> Iterator[Pool]:
    """The pool for the `executor` argument of `calibrate` and `cross_validated`; what it started ends with the block, immediately on an error."""
    pool = _make_pool(executor)
    with nullcontext() if pool.in_process else pool.interrupts:  # work in this process is interrupted where it is
        try:
            yield pool
        except BaseException:
            pool.close(kill=True)
            raise
        pool.close(kill=False)


def _make_pool(executor: Executor | int | None) -> Pool:
    if isinstance(executor, bool) or not (executor is None or isinstance(executor, int) or hasattr(executor, "submit")):
        raise TypeError(
            f"executor must be None, a number of processes, or a concurrent.futures.Executor: got {executor!r}"
        )
    if executor is not None and not isinstance(executor, int):
        return Foreign(executor)
    n_workers = _cores() if executor is None else executor
    if n_workers < 0:
        raise ValueError(
            f"executor as a number of processes must not be negative: got {n_workers}; 0 runs in this process"
        )
    try:
        return LocalProcesses(n_workers) if n_workers else InProcess()
    except ImportError as error:
        warn(f"{error}; until then everything runs in this process, one after the other")
        return InProcess()


class Interrupts:
    """Within the block the first Ctrl-C is only noted; `look` raises it, or the end of the block at the latest.

    This works in the main thread only, and only in place of Python's own handler: an application that has its own keeps it.
    """

    def __init__(self) -> None:
        self._came: float | None = None

    def look(self) -> None:
        """Raise KeyboardInterrupt if Ctrl-C came."""
        if self._came is not None:
            raise KeyboardInterrupt

    def __enter__(self) -> None:
        here = threading.current_thread() is threading.main_thread()
        if here and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._note)

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        self._restore()
        if not isinstance(error, KeyboardInterrupt):
            self.look()  # it came after the last look

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._came is None:
            self._came = time.monotonic()
        elif time.monotonic() - self._came > STUCK_SECONDS:
            self._restore()
            raise KeyboardInterrupt

    def _restore(self) -> None:
        if signal.getsignal(signal.SIGINT) == self._note:
            signal.signal(signal.SIGINT, signal.default_int_handler)


class Pool:
    """Something that runs functions of modules."""

    n_workers = 1
    in_process = False  # whether they run here and now: arguments then need not be sent
    notes: str | None = None  # folder in which workers note their current piece, if someone watches them

    def __init__(self) -> None:
        self.interrupts = Interrupts()

    def is_ready(self) -> bool:
        """Look around, between two steps of the work: raise a noted Ctrl-C. False while a cluster is out of reach, or has no
        workers left; after some patience that is an error.
        """
        self.interrupts.look()
        return True

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Start a function, now or when a worker is free."""
        raise NotImplementedError

    def end_overdue(self, time_limit: float) -> set[tuple[int, int]]:
        """Kill workers whose piece is long past the limit, if they are ours; return these pieces (place, index)."""
        return set()

    def rebuild(self) -> bool:
        """After the death of a worker: start new ones. False if they are not ours to start."""
        return False

    def close(self, *, kill: bool) -> None:
        """End what this pool started; at once if `kill`."""


class InProcess(Pool):
    """No workers: each function runs when it is submitted. For debugging, and where processes are not wanted."""

    in_process = True

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future


class LocalProcesses(Pool):
    """Processes on this machine, by loky: it accepts functions from notebooks, and reports the death of a worker."""

    def __init__(self, n_workers: int) -> None:
        super().__init__()
        self.n_workers = n_workers
        self._loky = need("loky", extra="parallel", purpose="several processes")
        # A process of loky outlives this one, even if it is killed, and then removes the folder.
        self._tracker = import_module("loky.backend.resource_tracker")
        self._folder = tempfile.mkdtemp(prefix="rivals-")  # of each worker a note, named by its number
        self._tracker.register(self._folder, "folder")
        self.notes = self._folder
        self._executor = self._start()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        future: Future[Any] = self._executor.submit(function, *arguments)
        return future

    def end_overdue(self, time_limit: float) -> set[tuple[int, int]]:
        allowed = time_limit * (1.0 + OVERTIME_PART) + OVERTIME_SECONDS
        overdue = set()
        for pid in self._workers():
            try:
                with open(os.path.join(self._folder, str(pid)), "rb") as file:
                    place, index, begin = BEAT.unpack(file.read())
            except (OSError, struct.error):  # idle, or about to begin an experiment
                continue
            if time.monotonic() - begin > allowed:
                _kill_with_children(pid)
                overdue.add((int(place), int(index)))
        return overdue

    def rebuild(self) -> bool:
        self._end(kill=True)
        self._executor = self._start()
        return True

    def close(self, *, kill: bool) -> None:
        self._end(kill=kill)
        shutil.rmtree(self._folder, ignore_errors=True)
        self._tracker.unregister(self._folder, "folder")

    def _workers(self) -> set[int]:
        """Those that have noted themselves, also if they are gone, and those that are about to."""
        starting = getattr(self._executor, "_processes", None) or ()
        return {*starting, *(int(name) for name in os.listdir(self._folder))}

    def _end(self, *, kill: bool) -> None:
        """End the workers and all that they started, in a limited time: one may not exit, because of a thread that the user's code left
        behind, and loky may hang.
        """
        workers = self._workers()
        manager = getattr(self._executor, "_executor_manager_thread", None)
        # Loky's thread may be reading from a worker, so it ends them itself; we kill only those that it does not end.
        self._executor.shutdown(wait=False, kill_workers=kill)
        if manager is not None:
            manager.join(LEAVE_SECONDS)
        for pid in workers | self._workers():
            _kill_with_children(pid)
            with suppress(FileNotFoundError):
                os.remove(os.path.join(self._folder, str(pid)))
        if manager is not None:
            manager.join(LEAVE_SECONDS)

    def _start(self) -> Any:
        return self._loky.ProcessPoolExecutor(
            max_workers=self.n_workers,
            initializer=_prepare_worker,
            initargs=(os.getpid(), self._folder),
            env=dict.fromkeys(THREAD_VARIABLES, "1"),
        )


class Foreign(Pool):
    """An executor that the user made and owns: a Dask cluster, an MPI pool, a pool of processes or threads."""

    def __init__(self, executor: Executor) -> None:
        super().__init__()
        self._executor = executor
        self.n_workers = _workers_of(executor)
        self._lost_since: float | None = None

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        return self._executor.submit(function, *arguments)

    def is_ready(self) -> bool:
        self.interrupts.look()
        problem = _problem_of(getattr(self._executor, "_client", None))
        if problem is None:
            self._lost_since = None
            return True
        now = time.monotonic()
        self._lost_since = self._lost_since or now
        if now - self._lost_since > PATIENCE or problem == CLOSED:
            raise RuntimeError(
                f"the Dask cluster {problem}; finished experiments are kept if there is a store; restart the scheduler and "
                "the workers, and run it again with a new client to continue"
            )
        return False


CLOSED = "is gone: the connection to its scheduler is closed"


def _problem_of(client: Any) -> str | None:
    """What is wrong with a Dask cluster, as far as its client knows; None for executors of other kinds."""
    status = getattr(client, "status", None)
    if status is None or not hasattr(client, "scheduler_info"):
        return None
    if status in ("closed", "closing", "failed"):
        return CLOSED
    with suppress(Exception):  # the connection may break this very moment
        if status == "running":
            workers = client.scheduler_info().get("workers", {})
            return None if workers else f"has had no workers for {PATIENCE:g} s"
    return f"has been out of reach for {PATIENCE:g} s"


def _workers_of(executor: Any) -> int:
    """How many workers an executor has, as far as it says."""
    client = getattr(executor, "_client", None)
    if client is not None and hasattr(client, "ncores"):  # Dask
        return max(int(sum(client.ncores().values())), 1)
    for name in ("_max_workers", "num_workers"):
        count = getattr(executor, name, None)
        if isinstance(count, int) and count > 0:
            return count
    return _cores()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _kill_with_children(pid: int) -> None:
    """Kill a worker and what it left behind, which is in a group of its own; never another process that has its number now."""
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


def _prepare_worker(parent: int, folder: str) -> None:
    # Ctrl-C reaches all processes of a terminal; the parent alone decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)  # with all that it will start
    if sys.platform == "linux":  # the thread below never runs while compiled code holds the interpreter
        _end_with_parent_process()
        os.register_at_fork(after_in_child=_end_with_parent_process)
    threading.Thread(target=_end_with_parent, args=(parent,), daemon=True).start()
    with suppress(OSError), open(os.path.join(folder, str(os.getpid())), "wb"):
        pass


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
