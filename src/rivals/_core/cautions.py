"""Warnings that point to the user's own line."""

from __future__ import annotations

import os
import sys
import warnings

from rivals._core.texts import in_python

PACKAGE = os.path.dirname(os.path.dirname(__file__)) + os.sep


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

    def __init__(self, text: str) -> None:
        super().__init__(in_python(text))
        self.text = text


def warn(message: str) -> None:
    """Warn with the location of the user's own line, however deep the call."""
    level = 1
    frame = sys._getframe(0)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(PACKAGE):
        level += 1
        frame = frame.f_back
    warnings.warn(RivalsWarning(message), None, level)
