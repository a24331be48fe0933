"""The SQLite file of a store: its name, its connections, the lock of its writer, its errors."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from rivals._say.words import show

# How long a connection waits for another one, in seconds.
PATIENCE = 10.0
MEND = "restore it from a copy, or name another file"
# What SQLite's errors mean, and what to do; the first entry that matches the error's name counts.
MEANINGS = {
    "FULL": "the disk is full; make room",
    "READONLY|CANTOPEN|PERM|AUTH": (
        "the file cannot be opened; is its folder writable, and the name right?"
    ),
    "BUSY|LOCKED": (
        "another process is writing to it; wait until it ends, or look at it with "
        "`rivals calibrate --status`"
    ),
    "NOLFS|PROTOCOL|IOERR_.*(LOCK|SHM)": (
        "the file system does not offer what SQLite needs; put the store on a local disk"
    ),
    "IOERR(?!_SHORT)": (
        "the disk cannot be read or written; is it full, a limit on file sizes reached, or the "
        "medium damaged?"
    ),
    "NOMEM": "there is not enough memory",
    "": f"it is not a calibration store, or is damaged or cut short; {MEND}",
}
# What reading a damaged file may raise.
SIGNS_OF_DAMAGE = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    MemoryError,
    RecursionError,
)


class StoreError(RuntimeError):
    """A store cannot be used; the message says what is wrong and what to do.

    See Also
    --------
    open_store : reads a store.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from rivals.calibration import StoreError, open_store
    >>> with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
    ...     path = Path(folder) / "notes.txt"
    ...     _ = path.write_text("Not a calibration, but some notes of mine.")
    ...     try:
    ...         open_store(path)
    ...     except StoreError:
    ...         print("cannot be used")
    cannot be used
    """


class EmptyStore(StoreError):
    """A store to which nothing was written yet."""


class BusyStore(StoreError):
    """A store to which another process is writing."""


def real_path(path: Any) -> str:
    """The file that a name stands for: through links, so that all names of it share one lock."""
    name = os.fsdecode(path)
    with suppress(ValueError):  # a null byte
        real = os.path.realpath(name)
        is_plain = os.path.isfile(real) or not os.path.exists(real)
        if name and not name.startswith(":memory:") and is_plain:
            return real
    raise StoreError(
        f"store={name!r} is not the name of a plain file, so nothing would be kept; name one, such "
        "as 'study.sqlite', or leave store out"
    )


@contextmanager
def connected(
    path: str, problem: str, *, timeout: float = PATIENCE
) -> Iterator[sqlite3.Connection]:
    """A connection that may write."""
    with as_store_errors(path, problem):
        connection = sqlite3.connect(path, isolation_level=None, timeout=timeout)
    with closing(connection):
        yield connection


@contextmanager
def connected_to_read(path: str) -> Iterator[sqlite3.Connection]:
    """A connection that cannot write."""
    with closing(_connect_to_read(path)) as connection:
        yield connection


def _connect_to_read(path: str) -> sqlite3.Connection:
    """Also where SQLite cannot create the files that it keeps beside a store."""
    address = f"{Path(path).as_uri()}?mode=ro"
    with as_store_errors(path):
        connection = sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None)
        try:
            connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        except (sqlite3.Error, ValueError, MemoryError):  # the next query says why
            if not os.access(os.path.dirname(path), os.W_OK) and not _has_log(path):
                connection.close()
                address += "&immutable=1"
                connection = sqlite3.connect(address, uri=True, isolation_level=None)
        return connection


def is_read_only(path: str) -> bool:
    """Whether a file is there that cannot be written to, or nothing beside it."""
    if not os.path.exists(path):
        return False
    return not (os.access(path, os.W_OK) and os.access(os.path.dirname(path), os.W_OK))


def _has_log(path: str) -> bool:
    """Whether something was written that is not in the file itself yet."""
    log = f"{path}-wal"
    return os.path.exists(log) and os.path.getsize(log) > 0


@contextmanager
def locked(path: str) -> Iterator[None]:
    """Hold a lock that ends with this process, however it ends.

    It is an open transaction on a file beside the store.
    """
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        raise StoreError(
            f"the store {path!r} cannot be created: there is no folder {folder!r}; create it first"
        )
    if os.path.exists(path) and os.stat(path).st_nlink > 1:
        raise StoreError(
            f"the store {path!r} has another name (a hard link), under which another process could "
            "write to it unnoticed; copy it, and use the copy"
        )
    with connected(f"{path}-writer", "cannot be written", timeout=0.0) as lock:
        with as_store_errors(path, "cannot be written"):
            lock.execute("BEGIN EXCLUSIVE")
        yield


def is_locked(path: str) -> bool:
    """Whether some process is writing to the store."""
    if not os.path.exists(f"{path}-writer"):
        return False
    try:
        with locked(path):
            return False
    except BusyStore:
        return True
    except StoreError:
        return False


@contextmanager
def as_store_errors(path: str, problem: str = "cannot be read") -> Iterator[None]:
    """Turn any error in the use of a store into one sentence that names the file."""
    try:
        yield
    except sqlite3.Error as error:
        kind = BusyStore if is_busy(error) else StoreError
        raise kind(f"{path!r} {problem}: {explain(error)}") from error
    except SIGNS_OF_DAMAGE as error:
        raise StoreError(
            f"{path!r} is damaged: {type(error).__name__}: {show(error)[:200]}; {MEND}"
        ) from error


def is_busy(error: sqlite3.Error) -> bool:
    """Whether another connection holds what is needed."""
    return re.match("BUSY|LOCKED", error_name(error)) is not None


def error_name(error: sqlite3.Error) -> str:
    """What SQLite calls the error, without its own name."""
    return str(getattr(error, "sqlite_errorname", None) or "").removeprefix("SQLITE_")


def explain(error: sqlite3.Error) -> str:
    """What SQLite says, and what it means."""
    name = error_name(error)
    meaning = next(words for pattern, words in MEANINGS.items() if re.match(pattern, name))
    return f"{meaning} ({show(error)[:200]})"
