"""What runs in a worker: a block of a job, piece by piece, with a time limit; and how a job gets there."""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import struct
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, Protocol
from uuid import uuid4

from rivals._say.warn import saying_once

ATTEMPTS = 3
LONGEST_MESSAGE, LONGEST_TRACEBACK = 2_000, 20_000  # characters kept of the error of a failed piece
PR_SET_PDEATHSIG = 1  # of Linux: the signal that a process gets when its parent dies
BEAT = struct.Struct(
    "<qqd"
)  # place, index, begin: what a worker notes for the watchdog of the parent


class TimeLimitExceeded(BaseException):
    """A piece took longer than its wall-clock limit. Not an Exception: `except Exception` must not hide it."""

    def __init__(self, seconds: float = float("nan")) -> None:
        super().__init__(f"took longer than the limit of {seconds:g} s")


class WorkerSetupError(RuntimeError):
    """Workers cannot load the job that they should run; no piece of it could succeed."""


class Job(Protocol):
    """Pieces of work, each named by its place in a list and an index; results do not depend on how they are divided."""

    contents: str  # in words, for messages
    progress: str  # how far it is, with two places for numbers, such as "{} of {} pieces"

    def prepare(self, place: int, indices: range) -> Mapping[int, Any]:
        """What is computed at once for many pieces, by index; pieces without it compute it themselves."""

    def run(self, place: int, index: int, prepared: Any) -> Any:
        """The result of one piece."""


@dataclass(frozen=True)
class Ended:
    """A piece that finished, or failed: then with the error, and how often it was tried."""

    place: int
    index: int
    result: Any = None
    seconds: float = 0.0
    attempts: int = 1
    error: str = ""
    traceback: str = ""


@dataclass(frozen=True)
class Block:
    """Consecutive pieces at one place."""

    place: int
    indices: range
    crashes: int = 0  # how often its worker died
    alone: bool = False  # whether it must run with nothing beside it


@dataclass(frozen=True)
class Packed:
    """A job on its way to workers. Two are equal when they are of the same run."""

    run: str
    contents: str
    pickled: bytes = field(compare=False, repr=False)


@dataclass(frozen=True)
class Task:
    """What all blocks of a run share."""

    job: Job | Packed  # as it is within this process, packed for others
    time_limit: float | None = None
    watched: str | None = (
        None  # folder in which workers note their current piece, for the parent's watchdog
    )
    said: set[str] = field(
        default_factory=set, compare=False, repr=False
    )  # warnings given, within this process


def run_block(task: Task, block: Block) -> list[Ended]:
    """Run the pieces of a block; failures are returned, not raised."""
    job, said = unpack(task.job) if isinstance(task.job, Packed) else (task.job, task.said)
    place, size = block.place, len(block.indices)
    ahead = replace(task, time_limit=task.time_limit and task.time_limit * size, watched=None)
    with _one_thread(), saying_once(said):
        # Where this fails, each piece prepares itself, and is blamed for itself.
        first = _try(
            partial(job.prepare, place, block.indices),
            ahead,
            place,
            block.indices.start,
            attempts=1,
        )
        prepared, share = ({} if first.error else first.result), first.seconds / size
        return [
            _try(
                partial(job.run, place, index, prepared.get(index)),
                task,
                place,
                index,
                already=share,
            )
            for index in block.indices
        ]


def failed(place: int, index: int, attempts: int, error: str, trace: str = "") -> Ended:
    """The record of a failed piece."""
    error, trace = _storable(error, LONGEST_MESSAGE), _storable(trace or error, LONGEST_TRACEBACK)
    return Ended(place, index, attempts=attempts, error=error, traceback=trace)


def _try(
    call: Callable[[], Any],
    task: Task,
    place: int,
    index: int,
    *,
    attempts: int = ATTEMPTS,
    already: float = 0.0,
) -> Ended:
    """The result of a call, tried so often, with the seconds that it took besides those that were spent on it already."""
    limit = task.time_limit
    for attempt in range(1, attempts + 1):
        begin = time.perf_counter()
        try:
            with _contained(), _watched(task.watched, place, index), _time_limit(limit):
                result = call()
            seconds = time.perf_counter() - begin
            if limit is not None and seconds > limit:  # it caught the exception that should end it
                raise TimeLimitExceeded(limit)
            return Ended(place, index, result, seconds + already)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # sys.exit, too, ends the piece and not the run
            said = traceback.TracebackException.from_exception(
                error
            )  # also of one that cannot say what it is
            ended = failed(
                place, index, attempt, f"{type(error).__name__}: {said}", "".join(said.format())
            )
            if isinstance(error, TimeLimitExceeded):  # it would take as long again
                break
    return ended


def _storable(text: str, longest: int) -> str:
    """Text that any file accepts: lone surrogates are spelled out, and of very long text the beginning and the end are kept."""
    if len(text) > longest:
        text = f"{text[: longest // 2]} … {text[-longest // 2 :]}"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


@contextmanager
def _contained() -> Iterator[None]:
    """What a piece does to its process ends with it: a process that it forked, and standard streams that it closed."""
    process, streams = os.getpid(), (sys.stdout, sys.stderr)
    try:
        yield
    finally:
        if (
            os.getpid() != process
        ):  # the piece forked, and this is the copy: it must not go on with our work
            os._exit(0)
        for number, name, stream in zip((1, 2), ("stdout", "stderr"), streams, strict=True):
            if getattr(getattr(sys, name), "closed", True) and stream is not None:
                setattr(
                    sys, name, os.fdopen(number, "w", closefd=False) if stream.closed else stream
                )


@contextmanager
def _watched(folder: str | None, place: int, index: int) -> Iterator[None]:
    """Note in a file of this process which piece has begun, and when; the clock is the same in all processes."""
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


@contextmanager
def _time_limit(seconds: float | None) -> Iterator[None]:
    """Raise TimeLimitExceeded in this thread after so many seconds.

    In the main thread of a process by an alarm, which also ends a sleep or a wait; in other threads as soon as the
    interpreter regains control.
    """
    if seconds is None:
        yield
        return
    if threading.current_thread() is not threading.main_thread() or not hasattr(
        signal, "setitimer"
    ):
        with _asynchronous_exception(seconds):
            yield
        return

    def ring(*_: object) -> None:
        raise TimeLimitExceeded(seconds)

    previous = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, previous)


@contextmanager
def _asynchronous_exception(seconds: float) -> Iterator[None]:
    thread = ctypes.c_ulong(threading.get_ident())
    turn = threading.Lock()
    over = False

    def interrupt() -> None:
        with turn:  # never what this thread does after the piece
            if not over:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    thread, ctypes.py_object(TimeLimitExceeded)
                )

    timer = threading.Timer(seconds, interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    except TimeLimitExceeded:
        raise TimeLimitExceeded(seconds) from None
    finally:
        with turn:
            over = True
        timer.cancel()


def pack(job: Job) -> Packed:
    """A job as bytes, for the workers of one run: by cloudpickle, which also accepts lambdas and closures."""
    try:
        from cloudpickle import dumps
    except ImportError:
        from pickle import dumps
    try:
        return Packed(uuid4().hex, job.contents, bytes(dumps(job)))
    except Exception as error:
        raise TypeError(
            f"{job.contents} cannot be sent to workers: {type(error).__name__}: {error}; do not let them "
            'capture open files, locks or generators, and have cloudpickle: pip install "rivals[parallel]"'
        ) from error


@lru_cache(
    maxsize=2
)  # by the run, not by the bytes: functions of modules travel by name, and may change under it
def unpack(packed: Packed) -> tuple[Job, set[str]]:
    """The job again, and room for the warnings that this worker gives in the run.

    Once per worker and run, since a job may hold data. Threads may serve two runs at a time.
    """
    try:
        return pickle.loads(
            packed.pickled
        ), set()  # made by the parent of this very run, never read from a file
    except Exception as error:
        raise WorkerSetupError(
            f"the workers cannot load {packed.contents}: {type(error).__name__}: {error}; the modules that "
            "these are defined in must be installed, or on the path, where the workers run"
        ) from error


_turn = threading.Lock()
_limits: list[
    Any
] = []  # one for each block that runs in this process now; the first knows what was before


@contextmanager
def _one_thread() -> Iterator[None]:
    """Numerical libraries are kept to one thread per worker: more would only compete for the cores.

    The limit holds for the whole process, in which several threads may run blocks: the last one out lifts it.
    """
    with _turn, suppress(ImportError):
        from threadpoolctl import threadpool_limits

        _limits.append(threadpool_limits(1))
    try:
        yield
    finally:
        with _turn:
            last = _limits.pop() if _limits else None
            if last is not None and not _limits:
                last.restore_original_limits()


def prepare_worker(parent: int, folder: str) -> None:
    # Ctrl-C reaches all processes of a terminal; the parent alone decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)  # with all that it will start
    if (
        sys.platform == "linux"
    ):  # the thread below never runs while compiled code holds the interpreter
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
