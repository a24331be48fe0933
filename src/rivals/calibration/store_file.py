"""The file of a store: its schema, its journal, the lock of its writer, and checks for damage."""

from __future__ import annotations

import json
import os
import sqlite3
import struct
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from rivals._checks import show
from rivals.laws import LAWS

APPLICATION_ID = 0x52495641  # "RIVA": tells our files from other SQLite files
SCHEMA_VERSION = 3  # 1 had no column `truth`, 2 no checksums
FIRST_WITH_CHECKSUMS = 3
MEND = "restore it from a copy, or name another file"

SCHEMA = """
CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT NOT NULL, checksum BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE outcomes (
    omega INTEGER NOT NULL, experiment INTEGER NOT NULL,
    probability BLOB NOT NULL, standard_error BLOB NOT NULL,
    risk_a REAL NOT NULL, risk_b REAL NOT NULL, truth_error REAL NOT NULL, truth REAL NOT NULL,
    seconds REAL NOT NULL, checksum BLOB NOT NULL,
    PRIMARY KEY (omega, experiment)
) WITHOUT ROWID;
CREATE TABLE failures (
    omega INTEGER NOT NULL, experiment INTEGER NOT NULL,
    attempts INTEGER NOT NULL, seed TEXT NOT NULL, error TEXT NOT NULL, traceback TEXT NOT NULL, checksum BLOB NOT NULL,
    PRIMARY KEY (omega, experiment)
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


@dataclass
class Tally:
    """How many records there are, and the sum of their checksums: a missing record is noticed, too."""

    outcomes: int = 0
    failures: int = 0
    total: int = 0  # exclusive or: the order does not matter, and a record can be removed again

    def add(self, table: str, seal: bytes, *, times: int = 1) -> None:
        """Count a record, or take one away again."""
        setattr(self, table, getattr(self, table) + times)
        self.total ^= int.from_bytes(seal, "little")

    def as_plain(self) -> list[Any]:
        """For JSON."""
        return [self.outcomes, self.failures, f"{self.total:016x}"]


def seal(*values: Any) -> bytes:
    """A checksum of the values of a record, of their types and of their order.

    Examples
    --------
    >>> seal(1, "a") == seal(1, "a"), seal(1, "a") == seal(1, "b"), seal("ab", "c") == seal("a", "bc")
    (True, False, False)
    """
    content = blake2b(digest_size=8)
    for value in values:
        if isinstance(value, float):
            part = b"f" + struct.pack("<d", value + 0.0)  # SQLite has no negative zero
        elif isinstance(value, bytes):
            part = b"b" + value
        else:
            part = type(value).__name__[:1].encode() + str(value).encode()
        content.update(len(part).to_bytes(8, "little") + part)
    return content.digest()


def create(connection: sqlite3.Connection, identity: Mapping[str, Any]) -> None:
    """Lay out an empty store for the study of this identity."""
    connection.execute("BEGIN IMMEDIATE")
    for statement in SCHEMA.split(";"):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    put_entry(connection, "identity", identity)
    put_entry(connection, "tally", Tally().as_plain())
    connection.execute("COMMIT")


def put_entry(connection: sqlite3.Connection, key: str, value: Any) -> None:
    """Write one entry of the description of the study."""
    text = json.dumps(value)
    connection.execute("INSERT OR REPLACE INTO study VALUES (?, ?, ?)", (key, text, seal(key, text)))


def get_entry(connection: sqlite3.Connection, key: str, path: str) -> Any:
    """One entry of the description of the study; None where there is none."""
    if schema_version(connection) < FIRST_WITH_CHECKSUMS:
        row = connection.execute("SELECT value FROM study WHERE key = ?", (key,)).fetchone()
        return None if row is None else json.loads(row[0])
    row = connection.execute("SELECT value, checksum FROM study WHERE key = ?", (key,)).fetchone()
    if row is None:
        return None
    check_seal(row[1], key, row[0], what=f"entry {key!r} of the study", path=path)
    return json.loads(row[0])


def check_seal(found: bytes, *values: Any, what: str, path: str) -> None:
    """Refuse a record that was changed since it was written."""
    if found != seal(*values):
        raise StoreError(f"{path!r} is damaged: the checksum of {what} is wrong; {MEND}")


def set_journal(connection: sqlite3.Connection) -> None:
    """Write-ahead log if the file system allows it, else a rollback journal; always synchronous."""
    try:
        mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    except sqlite3.OperationalError as error:
        if "lock" not in str(error):
            raise
        mode = "refused"
    if mode != "wal":
        connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute("PRAGMA synchronous = FULL")


def is_blank(connection: sqlite3.Connection) -> bool:
    """Whether nothing was written yet: a new file, or one whose writer was killed before its first commit."""
    try:
        tables = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]
        return not tables and not connection.execute("PRAGMA application_id").fetchone()[0]
    except (sqlite3.DatabaseError, ValueError, MemoryError):  # `check_file` says what is wrong
        return False


def check_file(connection: sqlite3.Connection, path: str) -> None:
    """Refuse a file that is not a store, is damaged, or was written by a newer version."""
    with as_store_errors(path):
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = schema_version(connection)
        problem = None if application != APPLICATION_ID else connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if application != APPLICATION_ID:
            raise StoreError(
                f"{path!r} is not a calibration store, but an SQLite file of another program; name another file"
            )
        if version > SCHEMA_VERSION:
            raise StoreError(
                f"{path!r} was written by a newer rivals: schema {version}, this one reads up to {SCHEMA_VERSION}; upgrade rivals"
            )
        if problem != "ok":
            raise StoreError(f"{path!r} is damaged or cut short: {show(problem)}; {MEND}")
        columns = [row[1] for row in connection.execute("PRAGMA table_info(outcomes)")]
        if ("checksum" in columns) != (version >= FIRST_WITH_CHECKSUMS):
            raise StoreError(f"{path!r} is damaged: it is not laid out as schema {version}; {MEND}")
        _check_entries(connection, version, path)


def _check_entries(connection: sqlite3.Connection, version: int, path: str) -> None:
    """The description of the study is whole, and can be understood."""
    entries = {
        key: get_entry(connection, key, path) for (key,) in connection.execute("SELECT key FROM study").fetchall()
    }
    needed = {"identity"} if version < FIRST_WITH_CHECKSUMS else {"identity", "tally"}
    if missing := needed - set(entries):
        raise StoreError(f"{path!r} is damaged: the study has no entry {sorted(missing)[0]!r}; {MEND}")
    identity = entries["identity"]
    understood = (
        isinstance(identity["omegas"], dict)
        and all(isinstance(c, float) for c in identity["c"])
        and all(isinstance(identity[name], int) for name in ("n_data", "n_truth"))
        and identity["law"] in LAWS
        and isinstance(identity["options"], dict)
        and int(identity["entropy"]) >= 0
        and "loss_unit" in identity
    )
    if not understood:
        raise StoreError(f"{path!r} is damaged: its description of the study cannot be understood; {MEND}")


@contextmanager
def as_store_errors(path: str) -> Iterator[None]:
    """Turn any error in reading a store into one sentence that names the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{path!r} cannot be read: {explain(error)}") from error
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, MemoryError, RecursionError) as error:
        raise StoreError(f"{path!r} is damaged: {type(error).__name__}: {show(error)[:200]}; {MEND}") from error


def schema_version(connection: sqlite3.Connection) -> int:
    """The version of the layout of a store."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def check_identity(connection: sqlite3.Connection, identity: Mapping[str, Any], path: str) -> None:
    """Refuse the store of another study, with what differs."""
    version = schema_version(connection)
    if version < SCHEMA_VERSION:
        raise StoreError(
            f"{path!r} was written by an older rivals: schema {version}, this one writes {SCHEMA_VERSION}; it can still be read "
            "with open_store; name another file to start again"
        )
    differing = _differences(get_entry(connection, "identity", path), identity)
    if differing:
        raise StoreError(
            f"{path!r} belongs to another study: {'; '.join(differing)}; use the same settings to continue it, or name another file"
        )


def _differences(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """Sentences on what differs between two identities."""
    sentences = []
    for key in sorted(set(stored) | set(wanted)):
        old, new = stored.get(key), wanted.get(key)
        if old == new:
            continue
        if key == "omegas":
            old, new = old or {}, new or {}
            if list(old) != list(new):
                sentences.append(f"epistemic distributions: the store has {list(old)}, this run {list(new)}")
            else:
                changed = [name for name in old if old[name] != new[name]]
                parts = sorted(
                    {part for name in changed for part, _ in set(old[name].items()) ^ set(new[name].items())}
                )
                sentences.append(
                    f"the code or the settings of epistemic distribution(s) {changed} changed: {', '.join(parts[:5])}"
                    + (f" and {len(parts) - 5} more" if len(parts) > 5 else "")
                )
        else:
            sentences.append(f"{key}: the store has {old!r}, this run {new!r}")
    return sentences


def _lock_path(path: str) -> str:
    return f"{path}-writer"


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
        lock = sqlite3.connect(_lock_path(path), isolation_level=None, timeout=0.0)
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        if lock is not None:
            lock.close()
        if _name(error) in ("SQLITE_BUSY", "SQLITE_LOCKED"):
            raise StoreError(
                f"another process is writing to {path!r}; wait until it ends, or look at it with `rivals calibrate --status`"
            ) from None
        raise StoreError(f"the store {path!r} cannot be written: {explain(error)}") from error
    return lock


def is_locked(path: str) -> bool:
    """Whether some process is writing to the store."""
    if not os.path.exists(_lock_path(path)):
        return False
    with closing(sqlite3.connect(_lock_path(path), isolation_level=None, timeout=0.0)) as probe:
        try:
            probe.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            return _name(error) in ("SQLITE_BUSY", "SQLITE_LOCKED")
    return False


def last_change(path: str) -> float:
    """When the store was last written to, as a time stamp."""
    return max(os.path.getmtime(name) for name in (path, f"{path}-wal") if os.path.exists(name))


def mark_of(path: str) -> tuple[int, int] | None:
    """What distinguishes a file from another that takes its name; None if there is no file."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


# What SQLite's errors mean, and what to do; the first entry that begins the error's name counts.
MEANINGS = {
    "SQLITE_FULL": "the disk is full; make room",
    "SQLITE_READONLY": "it is read-only; make the file and its folder writable, or copy it elsewhere",
    "SQLITE_CANTOPEN": "the file cannot be opened; is its folder writable, and the name right?",
    "SQLITE_PERM": "access is not permitted; make the file and its folder readable and writable",
    "SQLITE_AUTH": "access is not permitted; make the file and its folder readable and writable",
    "SQLITE_BUSY": "another process holds it locked; wait until it ends",
    "SQLITE_LOCKED": "another process holds it locked; wait until it ends",
    "SQLITE_PROTOCOL": "the file system offers no locks; put the store on a local disk",
    "SQLITE_NOLFS": "the file system does not allow files this large; put the store on another disk",
    "SQLITE_IOERR_LOCK": "the file system offers no locks; put the store on a local disk",
    "SQLITE_IOERR_RDLOCK": "the file system offers no locks; put the store on a local disk",
    "SQLITE_IOERR_UNLOCK": "the file system offers no locks; put the store on a local disk",
    "SQLITE_IOERR_CHECKRESERVEDLOCK": "the file system offers no locks; put the store on a local disk",
    "SQLITE_IOERR_SHMSIZE": "the disk cannot be written to; is it full, or a limit on file sizes reached?",
    "SQLITE_IOERR_SHM": "the file system offers no shared memory; put the store on a local disk",
    "SQLITE_IOERR_SHORT_READ": f"it is cut short; {MEND}",
    "SQLITE_IOERR_WRITE": "the disk cannot be written to; is it full, or a limit on file sizes reached?",
    "SQLITE_IOERR": "the disk cannot be read or written; is it full, a limit on file sizes reached, or the medium damaged?",
    "SQLITE_NOTADB": f"it is not a calibration store, or is damaged or cut short; {MEND}",
    "SQLITE_NOMEM": "there is not enough memory",
}


def explain(error: sqlite3.Error) -> str:
    """What SQLite says, and what it means."""
    name = _name(error)
    meaning = next(
        (text for begin, text in MEANINGS.items() if name.startswith(begin)), f"it is damaged or cut short; {MEND}"
    )
    return f"{meaning} ({show(error)[:200]})"


def _name(error: sqlite3.Error) -> str:
    return str(getattr(error, "sqlite_errorname", None) or "")
