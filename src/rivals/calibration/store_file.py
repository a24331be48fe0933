"""The file of a store: its schema, its journal, the lock of its writer, and how to tell that it is not what it should be."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from typing import Any

APPLICATION_ID = 0x52495641  # "RIVA": tells our files from other SQLite files
SCHEMA_VERSION = 2  # 1 had no column `truth`

SCHEMA = """
CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE outcomes (
    omega INTEGER NOT NULL, experiment INTEGER NOT NULL,
    probability BLOB NOT NULL, standard_error BLOB NOT NULL,
    risk_a REAL NOT NULL, risk_b REAL NOT NULL, truth_error REAL NOT NULL, truth REAL NOT NULL,
    seconds REAL NOT NULL,
    PRIMARY KEY (omega, experiment)
) WITHOUT ROWID;
CREATE TABLE failures (
    omega INTEGER NOT NULL, experiment INTEGER NOT NULL,
    attempts INTEGER NOT NULL, seed TEXT NOT NULL, error TEXT NOT NULL, traceback TEXT NOT NULL,
    PRIMARY KEY (omega, experiment)
) WITHOUT ROWID;
"""


class StoreError(RuntimeError):
    """A store that cannot be used, with what is wrong and what to do.

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


def create(connection: sqlite3.Connection, identity: Mapping[str, Any]) -> None:
    """Lay out an empty store for the study of this identity."""
    connection.execute("BEGIN IMMEDIATE")
    for statement in SCHEMA.split(";"):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    connection.execute("INSERT INTO study VALUES ('identity', ?)", (json.dumps(identity),))
    connection.execute("COMMIT")


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
        return bool(connection.execute("SELECT COUNT(*) = 0 FROM sqlite_master").fetchone()[0])
    except sqlite3.DatabaseError:
        return False


def check_file(connection: sqlite3.Connection, path: str) -> None:
    """Refuse what is no store, is damaged, or was written by a newer version."""
    try:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = schema_version(connection)
        problem = None if application != APPLICATION_ID else connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise StoreError(
            f"{path!r} is not a calibration store, or is damaged or cut short: {error}; restore it from a copy, or name another file"
        ) from error
    if application != APPLICATION_ID:
        raise StoreError(f"{path!r} is not a calibration store: an SQLite file of another program; name another file")
    if version > SCHEMA_VERSION:
        raise StoreError(
            f"{path!r} was written by a newer rivals: schema {version}, this one knows {SCHEMA_VERSION}; upgrade rivals"
        )
    if problem != "ok":
        raise StoreError(f"{path!r} is damaged or cut short: {problem}; restore it from a copy, or name another file")


def schema_version(connection: sqlite3.Connection) -> int:
    """The version of the layout of a store."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def check_identity(connection: sqlite3.Connection, identity: Mapping[str, Any], path: str) -> None:
    """Refuse the store of another study, with what differs."""
    version = schema_version(connection)
    if version < SCHEMA_VERSION:
        raise StoreError(
            f"{path!r} was written by an older rivals: schema {version}, this one writes {SCHEMA_VERSION}; it can still be read "
            "with open_store, name another file to start anew"
        )
    stored = json.loads(connection.execute("SELECT value FROM study WHERE key = 'identity'").fetchone()[0])
    differing = _differences(stored, identity)
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
                sentences.append(f"the code or the settings of epistemic distribution(s) {changed} changed")
        else:
            sentences.append(f"{key}: the store has {old!r}, this run {new!r}")
    return sentences


def _lock_path(path: str) -> str:
    return f"{path}-writer"


def take_lock(path: str) -> sqlite3.Connection:
    """Hold a lock that ends with this process, however it ends: an open transaction on a file beside the store."""
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise StoreError(f"the store {path!r} cannot be made: there is no folder {folder!r}; make it first")
    try:
        lock = sqlite3.connect(_lock_path(path), isolation_level=None, timeout=0.0)
    except sqlite3.Error as error:
        raise StoreError(f"the store {path!r} cannot be made: {explain(error)}") from error
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        lock.close()
        if "locked" in str(error):
            raise StoreError(
                f"another process is writing to {path!r}; wait until it ends, or look at it with `rivals calibrate --status`"
            ) from None
        raise StoreError(f"the store {path!r} cannot be made: {explain(error)}") from error
    return lock


def is_locked(path: str) -> bool:
    """Whether some process is writing to the store."""
    if not os.path.exists(_lock_path(path)):
        return False
    with closing(sqlite3.connect(_lock_path(path), isolation_level=None, timeout=0.0)) as probe:
        try:
            probe.execute("BEGIN EXCLUSIVE")
        except sqlite3.OperationalError:
            return True
    return False


def last_change(path: str) -> float:
    """When the store was last written to, as a time stamp."""
    return max(os.path.getmtime(name) for name in (path, f"{path}-wal") if os.path.exists(name))


def explain(error: sqlite3.Error) -> str:
    """What SQLite says, with what it probably means."""
    text = str(error)
    if "full" in text or "disk I/O" in text:
        return f"{text} (is the disk full, or a limit on file sizes reached?)"
    if "readonly" in text or "read-only" in text or "unable to open" in text:
        return f"{text} (is the folder writable, and the name right?)"
    return text
