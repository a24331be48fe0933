"""A limit on the wall-clock time of a piece, in the thread that runs it.

Limits may be nested, as where an experiment calibrates something itself. Each is known by an
object of its own, so that an outer limit that ends within an inner piece is not taken for the
inner one.
"""

from __future__ import annotations

import ctypes
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

# No run lasts that long (three years), and clocks of systems overflow not far beyond.
LONGEST = 1e8
# A limit that is over already is over at once: 0 would mean none.
AT_ONCE = 1e-6


@dataclass(frozen=True, eq=False)
class Limit:
    """One limit, told from others by its identity."""

    seconds: float


class TimeLimitExceeded(BaseException):
    """A piece took longer than its wall-clock limit.

    Not an Exception: `except Exception` must not hide it.
    """

    def __init__(self, limit: Limit | None = None) -> None:
        self.limit = limit
        seconds = float("nan") if limit is None else limit.seconds
        super().__init__(f"took longer than the limit of {seconds:g} s")


@contextmanager
def time_limit(limit: Limit | None) -> Iterator[None]:
    """Raise TimeLimitExceeded in this thread when the time is over.

    In the main thread of a process by an alarm, which also ends a sleep or a wait; in other
    threads as soon as the interpreter regains control.
    """
    if limit is None or limit.seconds > LONGEST:
        yield
        return
    in_main_thread = threading.current_thread() is threading.main_thread()
    by_alarm = in_main_thread and hasattr(signal, "setitimer")
    with _alarm(limit) if by_alarm else _asynchronous_exception(limit):
        yield


@contextmanager
def _alarm(limit: Limit) -> Iterator[None]:
    """There is one alarm in a process.

    An outer limit gets it back, with what is left of its time.
    """
    outer, _ = signal.getitimer(signal.ITIMER_REAL)
    if 0.0 < outer <= limit.seconds:  # the outer one ends first, and ends this one with it
        yield
        return

    def ring(*_: object) -> None:
        raise TimeLimitExceeded(limit)

    begin = time.monotonic()
    previous = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, limit.seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, previous)
        if outer > 0.0:
            left = outer - (time.monotonic() - begin)
            signal.setitimer(signal.ITIMER_REAL, max(left, AT_ONCE))


@contextmanager
def _asynchronous_exception(limit: Limit) -> Iterator[None]:
    """An exception that another thread raises in this one: only its class can be given."""
    thread = ctypes.c_ulong(threading.get_ident())
    turn = threading.Lock()
    over = False
    raised = False

    def interrupt() -> None:
        nonlocal raised
        with turn:  # never what this thread does after the piece
            if not over:
                raised = True
                error = ctypes.py_object(TimeLimitExceeded)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, error)

    timer = threading.Timer(limit.seconds, interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    except TimeLimitExceeded as error:
        if not raised or error.limit is not None:  # that of an outer or an inner piece
            raise
        raise TimeLimitExceeded(limit) from None
    finally:
        with turn:
            over = True
        timer.cancel()
