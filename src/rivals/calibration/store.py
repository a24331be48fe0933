"""The durable store of a calibration: one SQLite file, one writer, one commit per block of experiments.

What was acknowledged survives the death of the process and of the machine (WAL, synchronous=FULL). The file holds
numbers and text as JSON; nothing in it is ever executed or unpickled. Every record carries a checksum, and the study their
sum: a store that was changed is refused.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from hashlib import blake2b
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._say.words import listed, show
from rivals._types import BoolArray
from rivals._workers.attempts import Ended
from rivals.calibration.experiment import Outcome
from rivals.calibration.study import Study

APPLICATION_ID = 0x52495641  # "RIVA": tells our files from other SQLite files
SCHEMA_VERSION = 4
# The description of the study, and one row for each experiment that has ended: numbers and text as JSON.
SCHEMA = f"""
CREATE TABLE study (key TEXT PRIMARY KEY, value TEXT NOT NULL, checksum BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE experiments (
    omega INTEGER NOT NULL, experiment INTEGER NOT NULL, failed INTEGER NOT NULL, seconds REAL NOT NULL,
    value TEXT NOT NULL, checksum BLOB NOT NULL, PRIMARY KEY (omega, experiment)
) WITHOUT ROWID;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION}
"""
# What is kept of an outcome.
AT_EACH_C = ("probability", "standard_error", "score")
NUMBERS = ("risk_a", "risk_b", "truth_error", "truth")
SETTINGS = ("n_data", "n_truth", "law", "n_simulations", "order", "n_replications", "loss_unit")
# Of experiments none of which has finished.
NOTHING_KNOWN = {"replicated": False, "n_candidates": 2, "candidates": [], "descriptions": {}}
MEND = "restore it from a copy, or name another file"


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


@dataclass(frozen=True)
class Failure:
    """An experiment that failed: how often it was tried, the seed that repeats it, and the error.

    Parameters
    ----------
    omega : int
        Place of the epistemic distribution.
    experiment : int
    attempts : int
    seed : str
    error, traceback : str

    See Also
    --------
    rivals.Calibration : lists the failures of a study.

    Examples
    --------
    >>> import rivals
    >>> def omega(rng):
    ...     raise RuntimeError("the fit did not converge")
    >>> calibration = rivals.calibrate(
    ...     omega,
    ...     n_data=100,
    ...     n_experiments=2,
    ...     c=[1.0],
    ...     n_truth=2000,
    ...     rng=0,
    ...     executor=0,
    ...     progress=False,
    ... )
    >>> [(failure.experiment, failure.error) for failure in calibration.failures]
    [(0, 'RuntimeError: the fit did not converge'), (1, 'RuntimeError: the fit did not converge')]
    """

    omega: int
    experiment: int
    attempts: int
    seed: str
    error: str
    traceback: str


class EmptyStore(StoreError):
    """A store to which nothing was written yet."""


@contextmanager
def open_writer(path: str | PathLike[str] | None, study: Study) -> Iterator[Store]:
    """Open for writing: a new file, or one of the same study; without a path, in memory, for results that need not survive."""
    name = "" if path is None else real_path(path)
    with (
        locked(name) if name else nullcontext(),
        _connected(name or ":memory:", "cannot be used as a store", timeout=10.0) as connection,
    ):
        store = Store(connection, name)
        with as_store_errors(name, "cannot be used as a store"):
            store.begin(study)
        yield store


@contextmanager
def open_reader(path: str | PathLike[str]) -> Iterator[Store]:
    """Open for reading, also while another process writes."""
    if not os.path.exists(path):
        raise FileNotFoundError(
            f"there is no calibration store {os.fspath(path)!r}; is the name right?"
        )
    name = real_path(path)
    with closing(_connect_to_read(name)) as connection:
        store = Store(connection, name)
        if store.is_blank():
            raise EmptyStore(
                f"{name!r} is still empty: the run that writes it has just begun; wait a moment"
            )
        store.check_file()
        yield store


def stored_entropy(path: str | PathLike[str]) -> int | None:
    """The entropy of a study that was begun before; None if there is no such store."""
    try:
        with open_reader(path) as store, as_store_errors(store.path):
            return int(store.get("identity")["entropy"])
    except (FileNotFoundError, EmptyStore):
        return None


def new_outcomes(size: int, n_c: int) -> npt.NDArray[Any]:
    """Room for so many outcomes, not a number where nothing is written; `omega` is the place of the epistemic distribution."""
    kinds: list[Any] = [
        ("omega", "i8"),
        ("experiment", "i8"),
        *((name, "f8", n_c) for name in AT_EACH_C),
    ]
    outcomes = np.zeros(size, dtype=kinds + [(name, "f8") for name in NUMBERS])
    for name in (*AT_EACH_C, *NUMBERS):
        outcomes[name] = np.nan
    outcomes["experiment"] = np.arange(size)
    return outcomes


class Store:
    """An open store, as `open_writer` and `open_reader` give it."""

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self._connection, self.path = connection, path
        self._files: dict[
            str, os.stat_result
        ] = {}  # those of a writer, to tell them from others of these names

    # ---------------------------------------------------------------- writing

    def begin(self, study: Study) -> None:
        """Lay out an empty store for a study, or check that it is that of this study, and undamaged."""
        blank = self.is_blank()
        if not blank:
            self.check_file()
        # Write-ahead log if the file system allows it, else a rollback journal; always synchronous.
        try:
            mode = self._one("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "lock" not in str(error):
                raise
            mode = "refused"
        if mode != "wal":
            self._one("PRAGMA journal_mode = DELETE")
        self._connection.execute("PRAGMA synchronous = FULL")
        if blank:
            self._connection.execute("BEGIN IMMEDIATE")
            for statement in SCHEMA.split(";"):
                self._connection.execute(statement)
            self._put("identity", study.identity)
            self._put("descriptions", study.descriptions)
            self._put("target", study.n_experiments)
            self._put("tally", [0, 0])
            self._connection.execute("COMMIT")
        elif differing := _differences(self.get("identity"), study.identity):
            raise StoreError(
                f"{self.path!r} belongs to another study: {'; '.join(differing)}; use the same settings to continue it, or name another file"
            )

    def remaining(self, n_experiments: int, *, retry: bool = False) -> tuple[list[BoolArray], int]:
        """Which of the first experiments of each epistemic distribution are still to be run, and how many others failed.

        With `retry`, failed experiments are to be run again. All records are checked before anything is written: what is damaged is not continued.
        """
        n_failed = 0
        with self._snapshot():
            missing = [np.ones(n_experiments, dtype=bool) for _ in self.get("identity")["omegas"]]
            for omega, experiment, failed, _ in self._checked():
                if experiment < n_experiments and not (failed and retry):
                    missing[omega][experiment] = False
                    n_failed += failed
        with self._writing():
            self._put("target", n_experiments)  # for `status`
        names = (
            [self.path, f"{self.path}-wal"]
            if self._one("PRAGMA journal_mode") == "wal"
            else [self.path]
        )
        self._files = {name: os.stat(name) for name in names if self.path}
        return missing, n_failed

    def write(self, ended: Sequence[Ended]) -> None:
        """Write a block in one transaction. When this returns, it is on the disk, under the name of the store."""
        about = self._about([each.result for each in ended if not each.error])
        with self._writing():
            self._put("about", about)
            tally, entropy = self.get("tally"), self.get("identity")["entropy"]
            for each in ended:
                if each.error:
                    seed = f"numpy.random.SeedSequence({entropy}, spawn_key=({each.place}, {each.index}))"
                    value = {
                        "seed": seed,
                        **{
                            name: getattr(each, name) for name in ("attempts", "error", "traceback")
                        },
                    }
                else:
                    numbers = {name: getattr(each.result, name) for name in (*AT_EACH_C, *NUMBERS)}
                    value = {
                        name: np.asarray(number, dtype=float).tolist()
                        for name, number in numbers.items()
                    }
                self._insert(
                    tally,
                    each.place,
                    each.index,
                    int(bool(each.error)),
                    each.seconds,
                    json.dumps(value),
                )
            self._put("tally", tally)

    def _about(self, outcomes: Sequence[Outcome]) -> Any:
        """What is kept of experiments beside their numbers; all of them answer one question about as many candidates."""
        known = self.get("about")
        found: list[dict[str, Any]] = [] if known is None else [known]
        for each in outcomes:
            found.append(
                {
                    "replicated": each.replicated,
                    "n_candidates": each.n_candidates,
                    "candidates": each.names,
                }
            )
        replicated, sizes = (
            {each[key] for each in found} for key in ("replicated", "n_candidates")
        )
        if False in replicated and (number := self.get("identity")["n_replications"]) > 1:
            raise ValueError(
                f"n_replications = {number}, but an experiment has no replicate(n, rng); give it one, or leave n_replications out"
            )
        if len(replicated) > 1 or len(sizes) > 1:
            differing = f"experiments have {' and '.join(map(str, sorted(sizes)))} candidates"
            if len(replicated) > 1:
                differing = "some experiments have a replicate and others do not"
            raise ValueError(
                f"{differing}, but those of a study answer one question about as many candidates; make them alike "
                "(replicate=observe if nothing varies), or run two studies"
            )
        names = sorted({name for each in found for name in each["candidates"]})
        return {**found[0], "candidates": names} if found else None

    def _put(self, key: str, value: Any) -> None:
        row = (key, json.dumps(value))
        self._connection.execute(
            "INSERT OR REPLACE INTO study VALUES (?, ?, ?)", (*row, seal(*row))
        )

    def _insert(self, tally: list[int], *row: Any) -> None:
        """Write a record with its checksum. An experiment that failed and was tried again has one record, the last."""
        for (mark,) in self._rows(
            "SELECT checksum FROM experiments WHERE omega = ? AND experiment = ?", *row[:2]
        ):
            _count(tally, mark, -1)
        mark = seal(*row)
        self._connection.execute(
            "INSERT OR REPLACE INTO experiments VALUES (?, ?, ?, ?, ?, ?)", (*row, mark)
        )
        _count(tally, mark)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction, all or nothing."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            yield
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            self._check_place()
            raise StoreError(
                f"could not write to the store {self.path!r}: {explain(error)}; finished experiments are safe; "
                "correct this and run it again to continue"
            ) from error
        self._check_place()

    def _check_place(self) -> None:
        """A file that was deleted or renamed can still be written to, but nobody would find it."""
        for name, known in self._files.items():
            with suppress(OSError):
                if os.path.samestat(os.stat(name), known):
                    continue
            raise StoreError(
                f"{name!r} was deleted, renamed or replaced during the run: what was finished since then is not kept under this "
                "name; restore it and run it again to continue, and leave it where it is while a run writes to it"
            )

    # ---------------------------------------------------------------- reading

    def is_blank(self) -> bool:
        """Whether nothing was written yet: a new file, or one whose writer was killed before its first commit."""
        try:
            return not self._one("SELECT COUNT(*) FROM sqlite_master") and not self._one(
                "PRAGMA application_id"
            )
        except (sqlite3.DatabaseError, ValueError, MemoryError):  # `check_file` says what is wrong
            return False

    def check_file(self) -> None:
        """Refuse a file that is not a store, is damaged, or was written by another version."""
        with as_store_errors(self.path):
            version, problem = self._one("PRAGMA user_version"), self._one("PRAGMA quick_check(1)")
            if (self._one("PRAGMA application_id"), version) != (APPLICATION_ID, SCHEMA_VERSION):
                raise StoreError(
                    f"{self.path!r} is not a calibration store, or one of another rivals (schema {version}, this one reads "
                    f"{SCHEMA_VERSION}); name another file, or calibrate again"
                )
            if problem != "ok":
                raise StoreError(f"{self.path!r} is damaged or cut short: {show(problem)}; {MEND}")

    def get(self, key: str) -> Any:
        """One entry of the description of the study; None where there is none."""
        with as_store_errors(self.path):
            for text, mark in self._rows("SELECT value, checksum FROM study WHERE key = ?", key):
                self._check_seal(mark, f"entry {key!r} of the study", key, text)
                return json.loads(text)
        return None

    def read(self, n_experiments: int | None = None) -> dict[str, Any]:
        """What a `Calibration` is made of, with the first `n_experiments` of each epistemic distribution, or all, in order."""
        failures, place = [], 0
        with self._snapshot():
            size = self._one("SELECT COUNT(*) FROM experiments WHERE NOT failed")
            entries = {
                key: self.get(key) for key in ("identity", "descriptions", "target", "about")
            }
            for key, entry in entries.items():
                if entry is None and (size or key != "about"):
                    raise StoreError(
                        f"{self.path!r} is damaged: the study has no entry {key!r}; {MEND}"
                    )
            study = entries["identity"]
            outcomes = new_outcomes(size, len(study["c"]))
            for omega, experiment, failed, value in self._checked():
                if failed:
                    failures.append(Failure(omega, experiment, **value))
                else:
                    outcomes[place] = (
                        omega,
                        experiment,
                        *(value[name] for name in (*AT_EACH_C, *NUMBERS)),
                    )
                    place += 1
            most = np.inf if n_experiments is None else n_experiments
            return {
                "omegas": tuple(study["omegas"]),
                "c": tuple(study["c"]),
                **{name: study[name] for name in SETTINGS},
                "entropy": int(study["entropy"]),
                "n_wanted": entries["target"] if n_experiments is None else n_experiments,
                "failures": tuple(each for each in failures if each.experiment < most),
                "about": {
                    **NOTHING_KNOWN,
                    "descriptions": entries["descriptions"],
                    **(entries["about"] or {}),
                },
                "_options": study["options"],
                "_outcomes": outcomes[outcomes["experiment"] < most],
            }

    def status(self) -> dict[str, Any]:
        """How far the study has come."""
        with self._snapshot():
            query = "SELECT omega, SUM(NOT failed), SUM(failed), AVG(CASE WHEN NOT failed THEN seconds END) FROM experiments GROUP BY omega"
            counts = {omega: numbers for omega, *numbers in self._rows(query)}
            files = [name for name in (self.path, f"{self.path}-wal") if os.path.exists(name)]
            return {
                "store": self.path,
                "experiments_wanted": self.get("target"),
                "omegas": {
                    name: dict(
                        zip(
                            ("done", "failed", "seconds_each"),
                            counts.get(place, (0, 0, None)),
                            strict=True,
                        )
                    )
                    for place, name in enumerate(self.get("identity")["omegas"])
                },
                "seconds_since_last_write": round(
                    max(time.time() - max(map(os.path.getmtime, files)), 0.0), 1
                ),
                "being_written": _is_locked(self.path),
            }

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        """Everything read within is from one moment, even while another process writes."""
        with as_store_errors(self.path):
            self._connection.execute("BEGIN")
            try:
                yield
            finally:
                with suppress(sqlite3.Error):
                    self._connection.execute("ROLLBACK")

    def _checked(self) -> Iterator[tuple[int, int, bool, dict[str, Any]]]:
        """All records, each checked to be as it was written, and at the end that none is missing."""
        tally = [0, 0]
        # Closed in every case: a query that is still referenced, as by the traceback of an error, keeps the file open.
        with closing(
            self._connection.execute("SELECT * FROM experiments ORDER BY omega, experiment")
        ) as rows:
            for *row, mark in rows:
                self._check_seal(
                    mark, f"experiment {row[1]} of epistemic distribution {row[0]}", *row
                )
                _count(tally, mark)
                yield row[0], row[1], bool(row[2]), json.loads(row[4])
        written = self.get("tally")
        if tally != written:
            raise StoreError(
                f"{self.path!r} is damaged: {written[0]} experiments were written, {tally[0]} are found, or not the same ones; {MEND}"
            )

    def _check_seal(self, mark: bytes, what: str, *values: object) -> None:
        """Refuse a record that was changed since it was written."""
        if mark != seal(*values):
            raise StoreError(f"{self.path!r} is damaged: the checksum of {what} is wrong; {MEND}")

    def _one(self, query: str) -> Any:
        return self._rows(query)[0][0]

    def _rows(self, query: str, *values: Any) -> list[Any]:
        return self._connection.execute(query, values).fetchall()


def seal(*values: object) -> bytes:
    """A checksum of the values of a record, of their types and of their order.

    Examples
    --------
    >>> seal(1, "a") == seal(1, "a"), seal(1, "a") == seal(1, "b"), seal("ab", "c") == seal("a", "bc")
    (True, False, False)
    """
    return blake2b(json.dumps(values).encode(), digest_size=8).digest()


def _count(tally: list[int], mark: bytes, times: int = 1) -> None:
    """Number of records, and the exclusive or of their checksums: in any order, and a record can be removed again."""
    tally[0] += times
    tally[1] ^= int.from_bytes(mark, "little")


def _differences(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """Sentences on what differs between two identities."""
    sentences = [
        f"{key}: the store has {stored.get(key)!r}, this run {wanted.get(key)!r}"
        for key in sorted(({*stored, *wanted}) - {"omegas"})
        if stored.get(key) != wanted.get(key)
    ]
    old, new = stored["omegas"], wanted["omegas"]
    if list(old) != list(new):
        sentences.append(
            f"epistemic distributions: the store has {list(old)}, this run {list(new)}"
        )
    elif changed := [name for name in old if old[name] != new[name]]:
        parts = sorted(
            {
                part
                for name in changed
                for part, _ in set(old[name].items()) ^ set(new[name].items())
            }
        )
        sentences.append(
            f"the code or the settings of epistemic distribution(s) {changed} changed: {listed(parts, 5)}"
        )
    return sentences


# ---------------------------------------------------------------- the file, the lock of its writer, and what errors mean


def real_path(path: Any) -> str:
    """The file that a name stands for: through links, so that all names of a store share one lock."""
    name = os.fsdecode(path)
    with suppress(ValueError):  # a null byte
        real = os.path.realpath(name)
        if (
            name
            and not name.startswith(":memory:")
            and (os.path.isfile(real) or not os.path.exists(real))
        ):
            return real
    raise StoreError(
        f"store={name!r} is not the name of a plain file, so nothing would be kept; name one, such as 'study.sqlite', or leave store out"
    )


def _connect_to_read(path: str) -> sqlite3.Connection:
    """A connection that cannot write, even if SQLite cannot create the files that it keeps beside a store."""
    address = f"{Path(path).as_uri()}?mode=ro"
    with as_store_errors(path):
        connection = sqlite3.connect(address, uri=True, timeout=10.0, isolation_level=None)
        try:
            connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
        except (sqlite3.Error, ValueError, MemoryError):  # the next query says why
            log = f"{path}-wal"
            if not os.access(os.path.dirname(path), os.W_OK) and not (
                os.path.exists(log) and os.path.getsize(log)
            ):
                connection.close()
                connection = sqlite3.connect(
                    f"{address}&immutable=1", uri=True, isolation_level=None
                )
        return connection


@contextmanager
def locked(path: str) -> Iterator[None]:
    """Hold a lock that ends with this process, however it ends: an open transaction on a file beside the store."""
    folder = os.path.dirname(path)
    if not os.path.isdir(folder):
        raise StoreError(
            f"the store {path!r} cannot be created: there is no folder {folder!r}; create it first"
        )
    if os.path.exists(path) and os.stat(path).st_nlink > 1:
        raise StoreError(
            f"the store {path!r} has another name (a hard link), under which another process could write to it unnoticed; "
            "copy it, and use the copy"
        )
    with _connected(f"{path}-writer", "cannot be written", timeout=0.0) as lock:
        with as_store_errors(path, "cannot be written"):
            lock.execute("BEGIN EXCLUSIVE")
        yield


def _is_locked(path: str) -> bool:
    """Whether some process is writing to the store."""
    if not os.path.exists(f"{path}-writer"):
        return False
    try:
        with locked(path):
            return False
    except StoreError as error:
        return "BUSY" in getattr(error.__cause__, "sqlite_errorname", "")


@contextmanager
def _connected(path: str, problem: str, *, timeout: float) -> Iterator[sqlite3.Connection]:
    with as_store_errors(path, problem):
        connection = sqlite3.connect(path, isolation_level=None, timeout=timeout)
    with closing(connection):
        yield connection


@contextmanager
def as_store_errors(path: str, problem: str = "cannot be read") -> Iterator[None]:
    """Turn any error in the use of a store into one sentence that names the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{path!r} {problem}: {explain(error)}") from error
    except (
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        ArithmeticError,
        MemoryError,
        RecursionError,
    ) as error:
        raise StoreError(
            f"{path!r} is damaged: {type(error).__name__}: {show(error)[:200]}; {MEND}"
        ) from error


# What SQLite's errors mean, and what to do; the first entry that matches the error's name counts.
MEANINGS = {
    "FULL": "the disk is full; make room",
    "READONLY|CANTOPEN|PERM|AUTH": "the file cannot be opened; is its folder writable, and the name right?",
    "BUSY|LOCKED": "another process is writing to it; wait until it ends, or look at it with `rivals calibrate --status`",
    "NOLFS|PROTOCOL|IOERR_.*(LOCK|SHM)": "the file system does not offer what SQLite needs; put the store on a local disk",
    "IOERR(?!_SHORT)": "the disk cannot be read or written; is it full, a limit on file sizes reached, or the medium damaged?",
    "NOMEM": "there is not enough memory",
    "": f"it is not a calibration store, or is damaged or cut short; {MEND}",
}


def explain(error: sqlite3.Error) -> str:
    """What SQLite says, and what it means."""
    name = str(getattr(error, "sqlite_errorname", None) or "").removeprefix("SQLITE_")
    meaning = next(text for pattern, text in MEANINGS.items() if re.match(pattern, name))
    return f"{meaning} ({show(error)[:200]})"
