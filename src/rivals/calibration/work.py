"""What runs in a worker: a block of consecutive experiments of one epistemic distribution."""

from __future__ import annotations

import ctypes
import signal
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from rivals.calibration.experiment import Sizes, run_experiment
from rivals.calibration.store import Failure, Success

ATTEMPTS = 3


class ExperimentTimeout(Exception):
    """An experiment took longer than its wall-clock limit."""


class WorkerSetupError(RuntimeError):
    """Workers cannot load what they are to run; no experiment could succeed."""


@dataclass(frozen=True)
class Block:
    """Consecutive experiments [begin, end) of the epistemic distribution at `omega`."""

    omega: int
    begin: int
    end: int
    crashes: int = 0

    def __len__(self) -> int:
        return self.end - self.begin

    def singles(self) -> list[Block]:
        """One block for each of its experiments."""
        return [Block(self.omega, index, index + 1, self.crashes) for index in range(self.begin, self.end)]


@dataclass(frozen=True)
class Task:
    """What all blocks of a run share. The functions travel as bytes, from parent to worker only."""

    functions: bytes
    sizes: Sizes
    entropy: int
    time_limit: float | None


def run_block(task: Task, block: Block) -> tuple[list[Success], list[Failure]]:
    """Run the experiments of a block; what fails is returned, not raised."""
    omega = _functions(task.functions)[block.omega]
    successes, failures = [], []
    with _one_thread():
        for index in range(block.begin, block.end):
            found = _try(omega, task, block.omega, index)
            if isinstance(found, Success):
                successes.append(found)
            else:
                failures.append(found)
    return successes, failures


def seed_text(entropy: int, omega: int, index: int) -> str:
    """How to get the seed of an experiment back, in Python."""
    return f"numpy.random.SeedSequence({entropy}, spawn_key=({omega}, {index}))"


def _try(omega: Any, task: Task, place: int, index: int) -> Success | Failure:
    attempts = 0
    while attempts < ATTEMPTS:
        attempts += 1
        begin = time.perf_counter()
        try:
            with _time_limit(task.time_limit):
                outcome = run_experiment(omega, task.sizes, task.entropy, place, index)
            if not np.isfinite(outcome.probability).all():
                raise ArithmeticError("the probabilities are not finite")
            return Success(place, index, outcome, time.perf_counter() - begin)
        except ExperimentTimeout as error:  # it would take as long again
            last: Exception = error
            break
        except Exception as error:
            last = error
    lines = "".join(traceback.format_exception(last))
    return Failure(
        place, index, attempts, seed_text(task.entropy, place, index), f"{type(last).__name__}: {last}", lines
    )


_cache: dict[bytes, list[Any]] = {}


def _functions(packed: bytes) -> list[Any]:
    """The epistemic distributions; unpacked once per worker, since they may hold data."""
    if packed not in _cache:
        import pickle

        _cache.clear()
        try:
            _cache[packed] = pickle.loads(packed)  # made by the parent of this very run, never read from a file
        except Exception as error:
            raise WorkerSetupError(
                f"the workers cannot load the epistemic distributions ({type(error).__name__}: {error}); the modules that "
                "these are defined in must be installed, or on the path, where the workers run"
            ) from error
    return _cache[packed]


@contextmanager
def _time_limit(seconds: float | None) -> Iterator[None]:
    """Raise ExperimentTimeout in this thread after so many seconds.

    In the main thread of a process by an alarm, which also ends a sleep or a wait; in other threads as soon as the
    interpreter gets a word in.
    """
    if seconds is None:
        yield
        return
    message = f"took longer than the limit of {seconds:g} s"
    if threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer"):

        def ring(*_: object) -> None:
            raise ExperimentTimeout(message)

        previous = signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, previous)
        return
    thread = ctypes.c_ulong(threading.get_ident())
    timer = threading.Timer(
        seconds, ctypes.pythonapi.PyThreadState_SetAsyncExc, (thread, ctypes.py_object(ExperimentTimeout))
    )
    timer.daemon = True
    timer.start()
    try:
        yield
    except ExperimentTimeout:
        raise ExperimentTimeout(message) from None
    finally:
        timer.cancel()


def _one_thread() -> Any:
    """Numerical libraries are kept to one thread per worker: more would only fight for the cores."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        return nullcontext()
    return threadpool_limits(1)
