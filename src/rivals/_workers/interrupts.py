"""Ctrl-C: while work is handed out, noted first, and raised where it does no harm.

Python raises KeyboardInterrupt wherever the main thread happens to be. In a destructor it is
swallowed. While concurrent.futures holds the locks of its futures, it leaves them locked, and the
thread that manages the workers waits for them forever. So the loops that hand out work look for a
noted Ctrl-C twice a second.
"""

from __future__ import annotations

import signal
import threading
import time
from types import FrameType

# If the loops are stuck, a second Ctrl-C is raised at once, but only if it comes later than this,
# so that pressing twice in a row does no harm.
STUCK_SECONDS = 2.0


class Interrupts:
    """Within the block the first Ctrl-C is only noted; `look` raises it, or the end of the block.

    This works in the main thread only, and only in place of Python's own handler: an application
    that has its own keeps it.
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


class CtrlC:
    """Tells Ctrl-C from a KeyboardInterrupt that the code within the block raised itself.

    Ctrl-C is raised at once, as always.
    """

    def __init__(self) -> None:
        self._came = False
        self._sees = False

    def may_have_come(self) -> bool:
        """Whether Ctrl-C came, or may have come in a way that cannot be seen here."""
        return self._came or not self._sees

    def __enter__(self) -> CtrlC:
        if threading.current_thread() is not threading.main_thread():
            self._sees = True  # it never comes in other threads
            return self
        handler = signal.getsignal(signal.SIGINT)
        if handler is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._note)
        self._sees = handler in (signal.default_int_handler, signal.SIG_IGN)
        return self

    def __exit__(self, *error: object) -> None:
        on_main = threading.current_thread() is threading.main_thread()
        if on_main and signal.getsignal(signal.SIGINT) == self._note:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._came = True
        raise KeyboardInterrupt
