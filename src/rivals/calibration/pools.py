"""Where work runs: in this process, in processes of this machine, or in any executor of concurrent.futures."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Any, Protocol

from rivals._checks import need, warn

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")


class Pool(Protocol):
    """Something that runs functions of modules."""

    n_workers: int
    in_process: bool  # whether they run here and now, so that arguments need not travel

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Start a function, now or when a worker is free."""

    def rebuild(self) -> bool:
        """After the death of a worker: make new ones. False if that is not ours to do."""

    def close(self, *, kill: bool) -> None:
        """End what this pool started; at once if `kill`."""


@contextmanager
def open_pool(executor: Executor | int | None) -> Iterator[Pool]:
    """The pool for the `executor` argument of `calibrate` and `cross_validated`; what it started ends with the block, at once on an error."""
    pool = _make_pool(executor)
    try:
        yield pool
    except BaseException:
        pool.close(kill=True)
        raise
    pool.close(kill=False)


def _make_pool(executor: Executor | int | None) -> Pool:
    if executor is None:
        return _local_processes(_cores())
    if isinstance(executor, bool) or not (isinstance(executor, int) or hasattr(executor, "submit")):
        raise TypeError(
            f"executor is not one: got {executor!r}; pass None, a number of processes, or a concurrent.futures.Executor"
        )
    if isinstance(executor, int):
        if executor < 0:
            raise ValueError(f"executor as a number of processes must not be negative: got {executor}; 0 is none")
        return _local_processes(executor) if executor else InProcess()
    return Foreign(executor)


def _local_processes(n_workers: int) -> Pool:
    try:
        return LocalProcesses(n_workers)
    except ImportError as error:
        warn(f"{error}; meanwhile all is run in this process, one after the other")
        return InProcess()


class InProcess:
    """No workers: each function runs when it is submitted. For debugging, and where processes are not wanted."""

    n_workers = 1
    in_process = True

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future

    def rebuild(self) -> bool:
        return False

    def close(self, *, kill: bool) -> None:
        pass


class LocalProcesses:
    """Processes of this machine, by loky: it takes functions from notebooks, and says when a worker died."""

    in_process = False

    def __init__(self, n_workers: int) -> None:
        self.n_workers = n_workers
        self._executor = self._start()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        future: Future[Any] = self._executor.submit(function, *arguments)
        return future

    def rebuild(self) -> bool:
        self._executor.shutdown(wait=True, kill_workers=True)
        self._executor = self._start()
        return True

    def close(self, *, kill: bool) -> None:
        self._executor.shutdown(wait=True, kill_workers=kill)

    def _start(self) -> Any:
        loky = need("loky", extra="parallel", purpose="several processes")
        return loky.ProcessPoolExecutor(
            max_workers=self.n_workers,
            initializer=_prepare_worker,
            initargs=(os.getpid(),),
            env=dict.fromkeys(THREAD_VARIABLES, "1"),
        )


class Foreign:
    """An executor that the user made and owns: a Dask cluster, an MPI pool, a pool of processes or threads."""

    in_process = False

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self.n_workers = _workers_of(executor)

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        return self._executor.submit(function, *arguments)

    def rebuild(self) -> bool:
        return False

    def close(self, *, kill: bool) -> None:
        pass


def _workers_of(executor: Any) -> int:
    """How many workers an executor has, as far as it tells."""
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


def _prepare_worker(parent: int) -> None:
    # Ctrl-C reaches all processes of a terminal; the parent alone decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, args=(parent,), daemon=True).start()


def _end_with_parent(parent: int) -> None:
    """A worker whose parent was killed would wait for work for ever."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)
