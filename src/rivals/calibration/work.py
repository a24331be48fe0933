"""What runs in a worker: a block of consecutive experiments of one epistemic distribution, and how functions get there."""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import struct
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, TypeAlias
from uuid import uuid4

import numpy as np

from rivals._checks import saying_once
from rivals.calibration.experiment import (
    ExperimentLosses,
    Omega,
    Outcome,
    Settings,
    generator_of,
    run_experiment,
    run_given,
)

ATTEMPTS = 3
LONGEST_MESSAGE, LONGEST_TRACEBACK = 2_000, 20_000  # characters kept of the error of a failed experiment
BEAT = struct.Struct("<qqd")  # place, index, begin: what a worker notes for the watchdog of the parent


class ExperimentTimeout(BaseException):
    """An experiment took longer than its wall-clock limit. Not an Exception: `except Exception` must not hide it."""


class WorkerSetupError(RuntimeError):
    """Workers cannot load the functions that they should run; no experiment could succeed."""


@dataclass(frozen=True)
class Success:
    """An experiment that finished."""

    omega: int
    experiment: int
    outcome: Outcome
    seconds: float


@dataclass(frozen=True)
class Failure:
    """An experiment that failed: how often it was tried, the seed that repeats it, and the error.

    Parameters
    ----------
    omega : int
        Place of the epistemic distribution.
    experiment : int
    attempts : int
    seed : str
    error, traceback : str

    See Also
    --------
    rivals.Calibration : lists the failures of a study.

    Examples
    --------
    >>> import rivals
    >>> def omega(rng):
    ...     raise RuntimeError("the fit did not converge")
    >>> calibration = rivals.calibrate(
    ...     omega,
    ...     n_data=100,
    ...     n_experiments=2,
    ...     c=[1.0],
    ...     n_truth=2000,
    ...     rng=0,
    ...     executor=0,
    ...     progress=False,
    ... )
    >>> [(failure.experiment, failure.error) for failure in calibration.failures]
    [(0, 'RuntimeError: the fit did not converge'), (1, 'RuntimeError: the fit did not converge')]
    """

    omega: int
    experiment: int
    attempts: int
    seed: str
    error: str
    traceback: str


Results: TypeAlias = tuple[list[Success], list[Failure]]


@dataclass(frozen=True)
class Block:
    """Consecutive experiments of the epistemic distribution at the place `omega`."""

    omega: int
    experiments: range
    crashes: int = 0


@dataclass(frozen=True)
class Packed:
    """Functions on their way to the workers of one run. Two are equal when they are of the same run."""

    run: str
    content: bytes = field(compare=False, repr=False)


@dataclass(frozen=True)
class Task:
    """What all blocks of a run share."""

    omegas: Sequence[Omega] | Packed  # as they are within this process, packed for others
    settings: Settings
    time_limit: float | None
    watched: str | None = None  # folder in which workers note their current experiment, for the parent's watchdog
    said: set[str] = field(default_factory=set, compare=False, repr=False)  # warnings given, within this process


def run_block(task: Task, block: Block) -> Results:
    """Run the experiments of a block; failures are returned, not raised."""
    omegas = unpack(task.omegas) if isinstance(task.omegas, Packed) else task.omegas
    said = _warned(task.omegas) if isinstance(task.omegas, Packed) else task.said
    successes, failures = [], []
    omega = omegas[block.omega]
    with _one_thread(), saying_once(said):
        begin = time.perf_counter()
        given = _batch(omega, task, block) if hasattr(omega, "batch") else {}
        share = (time.perf_counter() - begin) / len(block.experiments)
        for index in block.experiments:
            result = _try(omega, task, block.omega, index, given.get(index))
            if isinstance(result, Success):
                successes.append(replace(result, seconds=result.seconds + share))
            else:
                failures.append(result)
    return successes, failures


def failure(task: Task, place: int, index: int, attempts: int, error: str, trace: str) -> Failure:
    """The record of a failed experiment; its seed is written as the Python expression that makes it."""
    seed = f"numpy.random.SeedSequence({task.settings.entropy}, spawn_key=({place}, {index}))"
    return Failure(place, index, attempts, seed, _storable(error, LONGEST_MESSAGE), _storable(trace, LONGEST_TRACEBACK))


def timeout_message(seconds: float) -> str:
    """The message for an experiment that took too long."""
    return f"took longer than the limit of {seconds:g} s"


def _batch(omega: Omega, task: Task, block: Block) -> dict[int, ExperimentLosses]:
    """Losses of all experiments of a block in one call; none where it fails, so that each is tried, and blamed, by itself."""
    limit = None if task.time_limit is None else task.time_limit * len(block.experiments)
    try:
        with _time_limit(limit):
            return dict(zip(block.experiments, _asked(omega, task, block.omega, list(block.experiments)), strict=True))
    except KeyboardInterrupt:
        raise
    except BaseException:
        return {}


def _asked(omega: Omega, task: Task, place: int, indices: list[int]) -> Sequence[ExperimentLosses]:
    found = list(omega.batch(indices, partial(generator_of, task.settings.entropy, place)))
    if len(found) != len(indices) or not all(isinstance(each, ExperimentLosses) for each in found):
        kinds = ", ".join(sorted({type(each).__name__ for each in found})) or "nothing"
        raise TypeError(
            f"batch gave {len(found)} results ({kinds}) for {len(indices)} experiments; return one ExperimentLosses for each index"
        )
    return found


def _run(omega: Omega, task: Task, place: int, index: int, given: ExperimentLosses | None) -> Outcome:
    if not hasattr(omega, "batch"):
        return run_experiment(omega, task.settings, place, index)
    return run_given(given or _asked(omega, task, place, [index])[0], task.settings, place, index)


def _try(omega: Omega, task: Task, place: int, index: int, given: ExperimentLosses | None = None) -> Success | Failure:
    attempts = 0
    while attempts < ATTEMPTS:
        attempts += 1
        begin = time.perf_counter()
        try:
            with _watched(task.watched, place, index), _time_limit(task.time_limit):
                outcome = _run(omega, task, place, index, given)
            seconds = time.perf_counter() - begin
            if task.time_limit is not None and seconds > task.time_limit:  # it caught the exception that should end it
                raise ExperimentTimeout(timeout_message(task.time_limit))
            if not np.isfinite(outcome.probability).all():
                raise ArithmeticError("the probabilities are not finite")
            if not np.isfinite([outcome.risk_a, outcome.risk_b, outcome.truth_error]).all():
                raise ArithmeticError("the true risks are not finite")
            return Success(place, index, outcome, seconds)
        except KeyboardInterrupt:
            raise
        except ExperimentTimeout as error:  # it would take as long again
            last: BaseException = error
            break
        except BaseException as error:  # sys.exit, too, ends the experiment and not the run
            last = error
    lines = "".join(traceback.format_exception(last))
    return failure(task, place, index, attempts, f"{type(last).__name__}: {_said(last)}", lines)


def _said(error: BaseException) -> str:
    try:
        return str(error)
    except Exception as another:  # an exception that cannot even say what it is
        return f"(its message is not available: {type(another).__name__})"


def _storable(text: str, longest: int) -> str:
    """Text that any file accepts: lone surrogates are spelled out, and of very long text the beginning and the end are kept."""
    if len(text) > longest:
        text = f"{text[: longest // 2]} … {text[-longest // 2 :]}"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


@contextmanager
def _watched(folder: str | None, place: int, index: int) -> Iterator[None]:
    """Note in a file of this process which experiment has begun, and when; the clock is the same in all processes."""
    if folder is None:
        yield
        return
    note = os.path.join(folder, str(os.getpid()))
    with suppress(OSError), open(note, "wb") as file:
        file.write(BEAT.pack(place, index, time.monotonic()))
    try:
        yield
    finally:
        with suppress(OSError):
            os.truncate(note, 0)


def pack(omegas: Sequence[Omega]) -> Packed:
    """Functions as bytes, for the workers of one run: by cloudpickle, which also accepts lambdas and closures."""
    try:
        from cloudpickle import dumps
    except ImportError:
        from pickle import dumps
    try:
        return Packed(uuid4().hex, bytes(dumps(list(omegas))))
    except Exception as error:
        raise TypeError(
            f"the epistemic distributions cannot be sent to workers: {type(error).__name__}: {error}; do not let them "
            'capture open files, locks or generators, and have cloudpickle: pip install "rivals[parallel]"'
        ) from error


@lru_cache(maxsize=8)
def _warned(packed: Packed) -> set[str]:
    """Warnings that this worker has given in a run."""
    return set()


@lru_cache(maxsize=2)  # by the run, not by the bytes: functions of modules travel by name, and may change under it
def unpack(packed: Packed) -> list[Omega]:
    """The functions again; once per worker and run, since they may hold data. Threads may serve two runs at a time."""
    try:
        omegas: list[Omega] = pickle.loads(
            packed.content
        )  # made by the parent of this very run, never read from a file
    except Exception as error:
        raise WorkerSetupError(
            f"the workers cannot load the epistemic distributions: {type(error).__name__}: {error}; the modules that "
            "these are defined in must be installed, or on the path, where the workers run"
        ) from error
    return omegas


@contextmanager
def _time_limit(seconds: float | None) -> Iterator[None]:
    """Raise ExperimentTimeout in this thread after so many seconds.

    In the main thread of a process by an alarm, which also ends a sleep or a wait; in other threads as soon as the
    interpreter regains control.
    """
    if seconds is None:
        yield
        return
    message = timeout_message(seconds)
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
    turn = threading.Lock()
    over = False

    def interrupt() -> None:
        with turn:  # never what this thread does after the experiment
            if not over:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(ExperimentTimeout))

    timer = threading.Timer(seconds, interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    except ExperimentTimeout:
        raise ExperimentTimeout(message) from None
    finally:
        with turn:
            over = True
        timer.cancel()


class _OneThread:
    """Numerical libraries are kept to one thread per worker: more would only compete for the cores.

    The limit holds for the whole process, in which several threads may run blocks: the first one in sets it, the last one
    out lifts it.
    """

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._inside = 0
        self._limits: Any = None

    @contextmanager
    def __call__(self) -> Iterator[None]:
        with self._turn:
            self._inside += 1
            if self._inside == 1:
                with suppress(ImportError):
                    from threadpoolctl import threadpool_limits

                    self._limits = threadpool_limits(1)
        try:
            yield
        finally:
            with self._turn:
                self._inside -= 1
                if self._inside == 0 and self._limits is not None:
                    self._limits.restore_original_limits()
                    self._limits = None


_one_thread = _OneThread()
