"""A limit on the wall-clock time of a piece, in the thread that runs it."""

from __future__ import annotations

import ctypes
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class TimeLimitExceeded(BaseException):
    """A piece took longer than its wall-clock limit.

    Not an Exception: `except Exception` must not hide it.
    """

    def __init__(self, seconds: float = float("nan")) -> None:
        super().__init__(f"took longer than the limit of {seconds:g} s")


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise TimeLimitExceeded in this thread after so many seconds.

    In the main thread of a process by an alarm, which also ends a sleep or a wait; in other threads
    as soon as the interpreter regains control.
    """
    if seconds is None:
        yield
        return
    in_main_thread = threading.current_thread() is threading.main_thread()
    by_alarm = in_main_thread and hasattr(signal, "setitimer")
    with _alarm(seconds) if by_alarm else _asynchronous_exception(seconds):
        yield


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
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
                error = ctypes.py_object(TimeLimitExceeded)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, error)

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
