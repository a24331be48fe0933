"""What runs in a worker: a block of a job, piece by piece, each tried up to three times."""

from __future__ import annotations

import os
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from rivals._say.warn import saying_once
from rivals._workers.beats import beating
from rivals._workers.dask import settle
from rivals._workers.interrupts import CtrlC
from rivals._workers.jobs import ATTEMPTS, Block, Ended, Job, failed
from rivals._workers.sending import Packed, unpack
from rivals._workers.time_limits import Limit, TimeLimitExceeded, time_limit


@dataclass(frozen=True)
class Task:
    """What all blocks of a run share."""

    # As it is within this process, packed for others.
    job: Job | Packed
    time_limit: float | None = None
    # Folder in which workers note their current piece, for the parent's watchdog.
    notes: str | None = None
    # When the run began, in seconds since the epoch.
    begun: float = field(default_factory=time.time, compare=False)
    # Warnings given, within this process.
    said: set[str] = field(default_factory=set, compare=False, repr=False)


def run_block(task: Task, block: Block) -> list[Ended]:
    """Run the pieces of a block; failures are returned, not raised."""
    job: Job
    if isinstance(task.job, Packed):
        settle(task.begun)
        job, said = unpack(task.job)
    else:
        job = task.job
        said = task.said
    with one_thread(), saying_once(said), CtrlC() as keys:
        first = _prepare(job, block, task.time_limit, keys)
        # Where this failed, each piece prepares itself, and is blamed for itself.
        prepared = {} if first.error else first.result
        share = first.seconds / len(block.indices)
        ended = []
        for index in block.indices:
            call = partial(job.run, block.place, index, prepared.get(index))
            found = _try(
                call, block.place, index, task.time_limit, keys, notes=task.notes, spent=share
            )
            ended.append(found)
    return ended


def _prepare(job: Job, block: Block, limit: float | None, keys: CtrlC) -> Ended:
    """What is computed at once for all pieces of a block, in as much time as they have together."""
    together = None if limit is None else limit * len(block.indices)
    call = partial(job.prepare, block.place, block.indices)
    return _try(call, block.place, block.indices.start, together, keys, attempts=1)


def _try(
    call: Callable[[], Any],
    place: int,
    index: int,
    limit: float | None,
    keys: CtrlC,
    *,
    notes: str | None = None,
    attempts: int = ATTEMPTS,
    spent: float = 0.0,
) -> Ended:
    """The result of a call, tried so often, with the seconds that it took.

    `spent` are the seconds that were spent on it already.
    """
    for attempt in range(1, attempts + 1):
        own = None if limit is None else Limit(limit)
        begin = time.perf_counter()
        try:
            with _contained(), beating(notes, place, index), time_limit(own):
                result = call()
            seconds = time.perf_counter() - begin
            if own is not None and seconds > own.seconds:  # it caught what should end it
                raise TimeLimitExceeded(own)
            return Ended(place, index, result, seconds + spent)
        except KeyboardInterrupt as error:
            if keys.may_have_come():
                raise
            ended = _failed_with(error, place, index, attempt)
        except TimeLimitExceeded as error:
            if own is None or error.limit is not own:  # that of a piece around this one
                raise
            return _failed_with(error, place, index, attempt)  # it would take as long again
        except BaseException as error:  # sys.exit, too, ends the piece and not the run
            ended = _failed_with(error, place, index, attempt)
    return ended


def _failed_with(error: BaseException, place: int, index: int, attempt: int) -> Ended:
    """The record of a piece that raised this, which may be an error that cannot say what it is."""
    said = traceback.TracebackException.from_exception(error)
    message = f"{type(error).__name__}: {said}"
    return failed(place, index, attempt, message, "".join(said.format()))


@contextmanager
def _contained() -> Iterator[None]:
    """What a piece does to its process ends with it.

    A process that it forked must not go on with our work; standard streams that it closed are
    opened again.
    """
    process = os.getpid()
    streams = {1: ("stdout", sys.stdout), 2: ("stderr", sys.stderr)}
    try:
        yield
    finally:
        if os.getpid() != process:  # the piece forked, and this is the copy
            os._exit(0)
        for number, (name, stream) in streams.items():
            is_closed = getattr(getattr(sys, name), "closed", True)
            if is_closed and stream is not None:
                if stream.closed:
                    stream = os.fdopen(number, "w", closefd=False)
                setattr(sys, name, stream)


_turn = threading.Lock()
# One for each block that runs in this process now; the first knows what was before.
_limits: list[Any] = []
# What numerical libraries were found, when so many modules were loaded.
_found: dict[int, Any] = {}


@contextmanager
def one_thread() -> Iterator[None]:
    """Numerical libraries are kept to one thread: more would only compete for the cores.

    The limit holds for the whole process, in which several threads may run blocks: the last one out
    lifts it.
    """
    with _turn, suppress(ImportError):
        _limits.append(_libraries().limit(limits=1))
    try:
        yield
    finally:
        with _turn:
            last = _limits.pop() if _limits else None
            if last is not None and not _limits:
                last.restore_original_limits()


def _libraries() -> Any:
    """The numerical libraries of this process: to find them takes milliseconds, and new ones come
    with new modules.
    """
    from threadpoolctl import ThreadpoolController

    n_modules = len(sys.modules)
    if n_modules not in _found:
        _found.clear()
        _found[n_modules] = ThreadpoolController()
    return _found[n_modules]
