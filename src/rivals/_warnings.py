"""Warnings that point to the user's own line."""

from __future__ import annotations

import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep

# What was said already, where warnings are to be said once.
SAID: ContextVar[set[str] | None] = ContextVar("SAID", default=None)


class RivalsWarning(UserWarning):
    """The input makes an answer less reliable than it looks.

    The message says what to do.

    Examples
    --------
    >>> import warnings
    >>> # To be sure that none is overlooked:
    >>> warnings.filterwarnings("error", category=RivalsWarning)
    >>> warnings.filterwarnings("default", category=RivalsWarning)
    """


def warn(message: str) -> None:
    """Warn with the location of the user's own line, however deep the call."""
    said = SAID.get()
    if said is not None:
        what = re.sub(r"\d+", "", message)  # the same with other numbers says nothing new
        if what in said:
            return
        said.add(what)
        message = f"{message} (said once for all experiments)"
    level = 1
    frame = sys._getframe(0)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        level += 1
        frame = frame.f_back
    warnings.warn(message, RivalsWarning, level)


@contextmanager
def saying_once(said: set[str]) -> Iterator[None]:
    """Leave out warnings that were said before, but for their numbers.

    A thousand experiments would repeat them.
    """
    before = SAID.set(said)
    try:
        yield
    finally:
        SAID.reset(before)
