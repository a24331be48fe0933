"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import IO

# Bytes of the random part of the name of a file that is not there yet.
RANDOM = 8


@contextmanager
def replacing(path: str | PathLike[str]) -> Iterator[IO[bytes]]:
    """A file to write to, which takes the place of another one when all of it is written.

    It is made beside its target under a name that nobody can foresee, so that no link leads
    elsewhere. A crash leaves the old file or the new one; of two writers one wins, whole.

    Examples
    --------
    >>> import tempfile
    >>> target = Path(tempfile.mkdtemp()) / "result.txt"
    >>> with replacing(target) as file:
    ...     _ = file.write(b"all of it")
    >>> target.read_bytes(), len(list(target.parent.iterdir()))
    (b'all of it', 1)
    """
    target = Path(path)
    _check_regular(target)
    # Not the name of the target: it may be as long as names can be.
    partial = target.with_name(f".rivals-{os.urandom(RANDOM).hex()}")
    file = partial.open("xb")
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, target)
    except BaseException:
        with suppress(OSError):
            partial.unlink()
        raise


def _check_regular(target: Path) -> None:
    """Refuse what would be lost if a file took its place: devices, pipes, links, folders."""
    try:
        mode = os.lstat(target).st_mode
    except FileNotFoundError:
        if not target.parent.is_dir():
            raise FileNotFoundError(f"{target}: there is no folder {target.parent}") from None
        return
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(f"{target} is a folder; name a file in it")
    if stat.S_ISLNK(mode):
        raise FileExistsError(f"{target} is a link; name the file that it leads to")
    if not stat.S_ISREG(mode):
        raise FileExistsError(f"{target} is a device or a pipe, not a file; name another one")
