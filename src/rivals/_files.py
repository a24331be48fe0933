"""Writing files so that a crash leaves the old file or the new one, never half of it."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from typing import BinaryIO

from rivals._checks import show


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[BinaryIO]:
    """Write to a new file beside `path`, and move it into place when all is written.

    A symbolic link is followed and stays one; the mode of a file that was there is kept.
    """
    target = os.path.realpath(os.fspath(path))
    mode = _mode(target)
    folder, name = os.path.split(target)
    descriptor, partial = tempfile.mkstemp(prefix=f".{name[:100]}.", dir=folder)
    try:
        with open(descriptor, "wb") as file:
            yield file
        os.chmod(partial, mode)
        os.replace(partial, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(partial)
        raise


def _mode(target: str) -> int:
    """The mode that the file is to have: that of the file that is replaced, or what a new file would get."""
    try:
        status = os.stat(target)
    except FileNotFoundError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
    if not stat.S_ISREG(status.st_mode):
        raise ValueError(f"{show(target)}: cannot be replaced because it is no plain file; name another one")
    return stat.S_IMODE(status.st_mode)
