"""Files: a crash leaves either the old one or the new one; checked before they are read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import ENAMETOOLONG
from os import PathLike
from secrets import token_hex
from typing import BinaryIO

from rivals._say.words import show

# Memory that the content of a file may take, unless the file itself is large: a decompression bomb
# is small. A value of eight bits becomes one of 64.
MAX_BYTES = 2**30
MAX_BYTES_VARIABLE = "RIVALS_MAX_BYTES"
TIMES_ITS_SIZE = 8
DEEPEST = 32
LONGEST_BEGINNING = 100


@contextmanager
def reading(path: str | PathLike[str], what: str, *, folder: bool = False) -> Iterator[None]:
    """Turn any error in decoding a file, or a folder, into one sentence.

    A damaged one may raise anything.
    """
    where = show(name_of_file(path))
    if not folder:
        _check_plain_file(path, where)
    try:
        yield
    except MemoryError:
        raise ValueError(
            f"{where}: there is not enough memory to unpack it; free memory, or split the file"
        ) from None
    except Exception as error:
        if isinstance(error, (PermissionError, ImportError)) or not os.path.exists(path):
            raise
        reason = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        raise ValueError(f"{where}: cannot be read as {what} ({show(reason)[:500]})") from error


def name_of_file(path: str | bytes | PathLike[str]) -> str:
    """The name of a file as text; what names none is refused."""
    try:
        name = os.fsdecode(path)
    except TypeError:
        raise TypeError(
            f"a file is named by text or a path, such as 'result.npz'; got {show(repr(path))[:60]}"
        ) from None
    if "\0" in name:
        raise ValueError(
            f"{show(name)}: the name of a file cannot hold the character 0; choose another"
        )
    return name


def _check_plain_file(path: str | PathLike[str], where: str) -> None:
    """Refuse folders, pipes and devices, also behind links: reading them may never end."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        raise FileNotFoundError(
            f"{where}: there is no such file; check its name and folder"
        ) from None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(f"{where}: is a folder; name a file in it")
    if not stat.S_ISREG(status.st_mode):
        raise ValueError(
            f"{where}: is not a plain file but a pipe or a device; write its content to a file"
        )


def check_memory(path: str | PathLike[str], needed: int) -> None:
    """Refuse a file, or a folder, whose content would take far more memory than it has.

    Before it is unpacked.
    """
    text = os.environ.get(MAX_BYTES_VARIABLE) or str(MAX_BYTES)
    if not (text.isascii() and text.isdigit()):
        raise ValueError(
            f"{MAX_BYTES_VARIABLE} must be a whole number of bytes; got {show(text)!r}"
        )
    if needed <= int(text):
        return
    limit = max(int(text), TIMES_ITS_SIZE * sum(_stored(file) for file in _files_in(path)))
    if needed > limit:
        raise ValueError(
            f"it would unpack to {_in_words(needed)}, but the limit for a file of its size is "
            f"{_in_words(limit)}; if you trust it, set the environment variable "
            f"{MAX_BYTES_VARIABLE} to more bytes"
        )


def check_nesting(depth: int) -> None:
    """Refuse groups in groups in groups, which take xarray minutes."""
    if depth > DEEPEST:
        raise ValueError(
            f"it has groups within groups, more than {DEEPEST} deep; put them beside each other"
        )


def _files_in(path: str | PathLike[str]) -> list[str]:
    """All files in a folder; a file itself."""
    files = [os.path.join(place, name) for place, _, names in os.walk(path) for name in names]
    return files or [os.fspath(path)]


def _stored(path: str) -> int:
    """Bytes on disk: a sparse file counts with what is stored of it."""
    status = os.stat(path)
    return min(status.st_size, 512 * getattr(status, "st_blocks", status.st_size))


def _in_words(size: int) -> str:
    if size >= 2**60:
        return f"more than {2**20} TiB"
    for unit, factor in (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} bytes"


@contextmanager
def replacing(path: str | bytes | PathLike[str]) -> Iterator[BinaryIO]:
    """Write to a new file beside `path`, and move it into place when it is complete and on disk.

    A symbolic link is followed and remains a link; an existing file keeps its mode. Of a file with
    several names (hard links), the other names keep the old content. Errors name the file.
    """
    target = os.path.realpath(name_of_file(path))
    mode = os.stat(target).st_mode if os.path.exists(target) else None
    if mode is not None and not stat.S_ISREG(mode):
        raise ValueError(
            f"{show(target)}: cannot be replaced because it is not a plain file; name another one"
        )
    if os.path.islink(target):
        raise ValueError(f"{show(target)}: is a link that leads to itself; name another file")
    folder, name = os.path.split(target)
    if not os.path.isdir(folder):
        raise FileNotFoundError(
            f"{show(target)}: there is no folder {show(folder)}; make it, or name another one"
        )
    partial = os.path.join(folder, f".{_beginning(name)}.{token_hex(8)}")
    try:
        with open(partial, "xb") as file:
            if mode is not None:
                os.chmod(partial, stat.S_IMODE(mode))
            yield file
            file.flush()
            os.fsync(file.fileno())  # else a power cut may leave the new name without content
        os.replace(partial, target)
    except BaseException as error:
        with suppress(FileNotFoundError):
            os.unlink(partial)
        if isinstance(error, OSError) and error.errno == ENAMETOOLONG:
            raise OSError(
                error.errno,
                f"the name of the file, of {len(os.fsencode(name))} bytes, is too long for this "
                "file system; choose a shorter one",
                target,
            ) from error
        if isinstance(error, OSError) and error.errno and error.filename in (None, partial):
            raise OSError(error.errno, error.strerror, target) from error  # as of a full disk
        raise


def _beginning(name: str) -> str:
    """The beginning of the name of a file, short enough to add to: systems count its bytes."""
    return os.fsencode(name)[:LONGEST_BEGINNING].decode(errors="ignore")
