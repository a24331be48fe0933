"""The file of a store: its name, the lock of its writer, its layout, checks for damage, and what the errors of SQLite mean."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

from rivals._checks import show

APPLICATION_ID = 0x52495641  # "RIVA": tells our files from other SQLite files
SCHEMA_VERSION = 4
MEND = "restore it from a copy, or name another file"

# The description of the study, and one row for each experiment that has ended: numbers and text as JSON.
SCHEMA = """
CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT NOT NULL, checksum BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE experiments (
    omega INTEGER NOT NULL, experiment INTEGER NOT NULL, failed INTEGER NOT NULL, seconds REAL NOT NULL,
    value TEXT NOT NULL, checksum BLOB NOT NULL, PRIMARY KEY (omega, experiment)
) WITHOUT ROWID;
"""


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


def real_path(path: Any) -> str:
    """The file that a name stands for: through links, so that all names of a store share one lock."""
    name = os.fsdecode(path)
    if name == "" or name.startswith(":memory:"):
        raise StoreError(f"store={name!r} names no file, so nothing would be kept; give it a name, or leave store out")
    try:
        real = os.path.realpath(name)
    except ValueError as error:  # a null byte
        raise StoreError(f"store={name!r} cannot be the name of a file: {error}; use another name") from None
    if os.path.isdir(real):
        raise StoreError(
            f"the store {name!r} is a folder; name a file in it, such as {os.path.join(name, 'study.sqlite')!r}"
        )
    if os.path.exists(real) and not os.path.isfile(real):
        raise StoreError(f"the store {name!r} is not a plain file; name another")
    return real


# ---------------------------------------------------------------- connections


def connect_to_write(path: str) -> sqlite3.Connection:
    """Write-ahead log if the file system allows it, else a rollback journal; always synchronous."""
    connection = sqlite3.connect(path, isolation_level=None, timeout=10.0)
    try:
        if not is_blank(connection):
            check_file(connection, path)
        try:
            mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        except sqlite3.OperationalError as error:
            if "lock" not in str(error):
                raise
            mode = "refused"
        if mode != "wal":
            connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA synchronous = FULL")
    except BaseException:
        connection.close()
        raise
    return connection


def connect_to_read(path: str) -> sqlite3.Connection:
    """A connection that cannot write, even if SQLite cannot create the files that it keeps beside a store."""
    address = f"{Path(path).as_uri()}?mode=ro"
    with as_store_errors(path):
        connection = sqlite3.connect(address, uri=True, timeout=10.0, isolation_level=None)
        try:
            connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        except (sqlite3.Error, ValueError, MemoryError):  # the next query says why
            log = f"{path}-wal"
            if not os.access(os.path.dirname(path), os.W_OK) and not (os.path.exists(log) and os.path.getsize(log)):
                connection.close()
                connection = sqlite3.connect(f"{address}&immutable=1", uri=True, isolation_level=None)
        return connection


def take_lock(path: str) -> sqlite3.Connection:
    """Hold a lock that ends with this process, however it ends: an open transaction on a file beside the store."""
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        raise StoreError(f"the store {path!r} cannot be created: there is no folder {folder!r}; create it first")
    if os.path.exists(path) and os.stat(path).st_nlink > 1:
        raise StoreError(
            f"the store {path!r} has another name (a hard link), under which another process could write to it unnoticed; "
            "copy it, and use the copy"
        )
    lock = None
    try:
        lock = sqlite3.connect(f"{path}-writer", isolation_level=None, timeout=0.0)
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        if lock is not None:
            lock.close()
        if _is_busy(error):
            raise StoreError(
                f"another process is writing to {path!r}; wait until it ends, or look at it with `rivals calibrate --status`"
            ) from None
        raise StoreError(f"the store {path!r} cannot be written: {explain(error)}") from error
    return lock


def is_locked(path: str) -> bool:
    """Whether some process is writing to the store."""
    if not os.path.exists(f"{path}-writer"):
        return False
    with closing(sqlite3.connect(f"{path}-writer", isolation_level=None, timeout=0.0)) as probe:
        try:
            probe.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            return _is_busy(error)
    return False


def mark_of(path: str) -> tuple[int, int] | None:
    """What distinguishes a file from another that takes its name; None if there is no file."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


# ---------------------------------------------------------------- layout and damage


def lay_out(connection: sqlite3.Connection) -> None:
    """The tables of an empty store, within a transaction."""
    for statement in SCHEMA.split(";"):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def is_blank(connection: sqlite3.Connection) -> bool:
    """Whether nothing was written yet: a new file, or one whose writer was killed before its first commit."""
    try:
        tables = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]
        return not tables and not connection.execute("PRAGMA application_id").fetchone()[0]
    except (sqlite3.DatabaseError, ValueError, MemoryError):  # `check_file` says what is wrong
        return False


def check_file(connection: sqlite3.Connection, path: str) -> None:
    """Refuse a file that is not a store, is damaged, or was written by another version."""
    with as_store_errors(path):
        if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
            raise StoreError(
                f"{path!r} is not a calibration store, but an SQLite file of another program; name another file"
            )
        problem = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA_VERSION:
            raise StoreError(
                f"{path!r} was written by a newer rivals: schema {version}, this one reads {SCHEMA_VERSION}; upgrade rivals"
            )
        if version < SCHEMA_VERSION:
            raise StoreError(
                f"{path!r} was written by an older rivals: schema {version}, this one reads {SCHEMA_VERSION}; calibrate again"
            )
        if problem != "ok":
            raise StoreError(f"{path!r} is damaged or cut short: {show(problem)}; {MEND}")


def seal(*values: object) -> bytes:
    """A checksum of the values of a record, of their types and of their order.

    Examples
    --------
    >>> seal(1, "a") == seal(1, "a"), seal(1, "a") == seal(1, "b"), seal("ab", "c") == seal("a", "bc")
    (True, False, False)
    """
    return blake2b(json.dumps(values).encode(), digest_size=8).digest()


def check_seal(found: bytes, *values: object, what: str, path: str) -> None:
    """Refuse a record that was changed since it was written."""
    if found != seal(*values):
        raise StoreError(f"{path!r} is damaged: the checksum of {what} is wrong; {MEND}")


# ---------------------------------------------------------------- errors


@contextmanager
def as_store_errors(path: str, problem: str = "cannot be read") -> Iterator[None]:
    """Turn any error in the use of a store into one sentence that names the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{path!r} {problem}: {explain(error)}") from error
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, MemoryError, RecursionError) as error:
        raise StoreError(f"{path!r} is damaged: {type(error).__name__}: {show(error)[:200]}; {MEND}") from error


NO_LOCKS = "the file system offers no locks; put the store on a local disk"
NOT_PERMITTED = "access is not permitted; make the file and its folder readable and writable"
LOCKED = "another process holds it locked; wait until it ends"
UNWRITABLE = "the disk cannot be written to; is it full, or a limit on file sizes reached?"
# What SQLite's errors mean, and what to do; the first entry that begins the error's name counts.
MEANINGS = {
    "SQLITE_FULL": "the disk is full; make room",
    "SQLITE_READONLY": "it is read-only; make the file and its folder writable, or copy it elsewhere",
    "SQLITE_CANTOPEN": "the file cannot be opened; is its folder writable, and the name right?",
    "SQLITE_PERM": NOT_PERMITTED,
    "SQLITE_AUTH": NOT_PERMITTED,
    "SQLITE_BUSY": LOCKED,
    "SQLITE_LOCKED": LOCKED,
    "SQLITE_PROTOCOL": NO_LOCKS,
    "SQLITE_NOLFS": "the file system does not allow files this large; put the store on another disk",
    "SQLITE_IOERR_LOCK": NO_LOCKS,
    "SQLITE_IOERR_RDLOCK": NO_LOCKS,
    "SQLITE_IOERR_UNLOCK": NO_LOCKS,
    "SQLITE_IOERR_CHECKRESERVEDLOCK": NO_LOCKS,
    "SQLITE_IOERR_SHMSIZE": UNWRITABLE,
    "SQLITE_IOERR_SHM": "the file system offers no shared memory; put the store on a local disk",
    "SQLITE_IOERR_SHORT_READ": f"it is cut short; {MEND}",
    "SQLITE_IOERR_WRITE": UNWRITABLE,
    "SQLITE_IOERR": "the disk cannot be read or written; is it full, a limit on file sizes reached, or the medium damaged?",
    "SQLITE_NOTADB": f"it is not a calibration store, or is damaged or cut short; {MEND}",
    "SQLITE_NOMEM": "there is not enough memory",
}


def explain(error: sqlite3.Error) -> str:
    """What SQLite says, and what it means."""
    name = _name(error)
    otherwise = f"it is damaged or cut short; {MEND}"
    meaning = next((text for begin, text in MEANINGS.items() if name.startswith(begin)), otherwise)
    return f"{meaning} ({show(error)[:200]})"


def _is_busy(error: sqlite3.Error) -> bool:
    return _name(error) in ("SQLITE_BUSY", "SQLITE_LOCKED")


def _name(error: sqlite3.Error) -> str:
    return str(getattr(error, "sqlite_errorname", None) or "")
