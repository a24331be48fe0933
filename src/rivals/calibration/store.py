"""The durable store of a calibration: one SQLite file, one writer, one commit per block.

What was acknowledged survives the death of the process and of the machine (WAL, synchronous=FULL).
The file holds numbers, and text as JSON; nothing in it is ever executed or unpickled. Every record
carries a checksum, and the study their sum: a store that was changed is refused.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict
from hashlib import blake2b
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._say.words import listed, show
from rivals._schemas import stamp
from rivals._types import BoolArray
from rivals._workers.jobs import Ended
from rivals.calibration.experiment import Outcome
from rivals.calibration.records import AT_EACH_C, NUMBERS, Failure, in_common, new_outcomes
from rivals.calibration.result import Calibration
from rivals.calibration.sqlite_file import (
    MEND,
    EmptyStore,
    StoreError,
    as_store_errors,
    connected,
    connected_to_read,
    error_name,
    explain,
    is_busy,
    is_locked,
    is_read_only,
    locked,
    real_path,
)
from rivals.calibration.study import Study

APPLICATION_ID = 0x52495641  # "RIVA": tells our files from other SQLite files
SCHEMA_VERSION = 5
# The description of the study as JSON, and one row for each experiment that has ended: the numbers
# of an outcome as they are in memory, or a failure as JSON.
SCHEMA = f"""
CREATE TABLE study (
    key TEXT PRIMARY KEY, value TEXT NOT NULL, checksum BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE experiments (
    omega INTEGER NOT NULL, experiment INTEGER NOT NULL, failed INTEGER NOT NULL,
    seconds REAL NOT NULL, value BLOB NOT NULL, checksum BLOB NOT NULL,
    PRIMARY KEY (omega, experiment)
) WITHOUT ROWID;
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {SCHEMA_VERSION}
"""
NUMBER = np.dtype("<f8")
PLACES = "SELECT omega, experiment, failed FROM experiments"
PROGRESS = """
SELECT omega, SUM(NOT failed), SUM(failed), AVG(CASE WHEN NOT failed THEN seconds END)
FROM experiments GROUP BY omega
"""


def open_store(path: str | PathLike[str]) -> Calibration:
    """The `Calibration` in a store, complete or not, also while it is being written.

    Parameters
    ----------
    path : path
        The SQLite file that `calibrate` was given as `store`.

    Returns
    -------
    Calibration

    See Also
    --------
    rivals.calibrate : runs a study and fills its store.
    Calibration : what is returned.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "study.sqlite"
    ...     sizes = dict(n_data=100, n_experiments=8, c=[1.0], n_truth=2000)
    ...     _ = rivals.calibrate(
    ...         toys.omega, **sizes, rng=0, executor=0, progress=False, store=path
    ...     )
    ...     print(open_store(path).n_experiments)
    8
    """
    with open_reader(path) as store:
        return store.read()


@contextmanager
def open_writer(path: str | PathLike[str], study: Study) -> Iterator[StudyStore]:
    """Open for writing: a new file, or one of the same study.

    One that may only be read will do, if nothing is left to be run.
    """
    name = real_path(path)
    if is_read_only(name):
        with open_reader(name) as finished:
            yield finished.of_study(study)
        return
    problem = "cannot be used as a store"
    with locked(name), connected(name, problem) as connection:
        store = StudyStore(connection, name, study)
        with as_store_errors(name, problem):
            store.begin()
        yield store


@contextmanager
def open_reader(path: str | PathLike[str]) -> Iterator[Store]:
    """Open for reading, also while another process writes."""
    if not os.path.exists(path):
        raise FileNotFoundError(
            f"there is no calibration store {os.fspath(path)!r}; is the name right?"
        )
    name = real_path(path)
    with connected_to_read(name) as connection:
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


class Store:
    """An open store, as `open_reader` gives it."""

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self._connection = connection
        self.path = path

    def of_study(self, study: Study) -> StudyStore:
        """The same store, of this study, which it may not write to."""
        store = StudyStore(self._connection, self.path, study, may_write=False)
        store.check_identity()
        return store

    def is_blank(self) -> bool:
        """Whether nothing was written yet.

        A new file, or one whose writer was killed before its first commit.
        """
        try:
            has_tables = self._one("SELECT COUNT(*) FROM sqlite_master")
            return not has_tables and not self._one("PRAGMA application_id")
        except (sqlite3.DatabaseError, ValueError, MemoryError):  # `check_file` says what is wrong
            return False

    def check_file(self) -> None:
        """Refuse a file that is not a store, is damaged, or was written by another version."""
        with as_store_errors(self.path):
            version = self._one("PRAGMA user_version")
            problem = self._one("PRAGMA quick_check(1)")
            application = self._one("PRAGMA application_id")
            if application != APPLICATION_ID or version != SCHEMA_VERSION:
                raise StoreError(
                    f"{self.path!r} is not a calibration store, or one of another rivals (schema "
                    f"{version}, this one reads {SCHEMA_VERSION}); name another file, or calibrate "
                    "again"
                )
            if problem != "ok":
                raise StoreError(f"{self.path!r} is damaged or cut short: {show(problem)}; {MEND}")

    def get(self, key: str) -> Any:
        """One entry of the description of the study; None where there is none."""
        with as_store_errors(self.path):
            for words, mark in self._rows("SELECT value, checksum FROM study WHERE key = ?", key):
                if mark != seal(key, words):
                    self._refuse_seal(f"entry {key!r} of the study")
                return json.loads(words)
        return None

    def read(self, n_experiments: int | None = None) -> Calibration:
        """The calibration with the first experiments of each epistemic distribution, or all."""
        with self._snapshot():
            size = self._one("SELECT COUNT(*) FROM experiments WHERE NOT failed")
            entries = self._entries(needs_about=size > 0)
            study = entries["identity"]
            places = []
            values = []
            failures = []
            for omega, experiment, failed, value in self._checked():
                if failed:
                    failures.append(Failure(omega, experiment, **json.loads(value)))
                else:
                    places.append((omega, experiment))
                    values.append(value)
            outcomes = _unpacked(places, values, len(study["c"]))
        wanted = entries["target"]
        if n_experiments is not None:
            wanted = n_experiments
            outcomes = outcomes[outcomes["experiment"] < wanted]
            failures = [each for each in failures if each.experiment < wanted]
        return Calibration.of_study(
            study,
            n_wanted=wanted,
            failures=failures,
            about={"descriptions": entries["descriptions"], **(entries["about"] or {})},
            outcomes=outcomes,
        )

    def _entries(self, *, needs_about: bool) -> dict[str, Any]:
        """The description of the study; what is not there is damage."""
        entries = {key: self.get(key) for key in ("identity", "descriptions", "target", "about")}
        for key, entry in entries.items():
            if entry is None and (needs_about or key != "about"):
                raise StoreError(
                    f"{self.path!r} is damaged: the study has no entry {key!r}; {MEND}"
                )
        return entries

    def status(self) -> dict[str, Any]:
        """How far the study has come."""
        with self._snapshot():
            counts = {omega: numbers for omega, *numbers in self._rows(PROGRESS)}
            omegas = {}
            for place, name in enumerate(self.get("identity")["omegas"]):
                done, failed, seconds = counts.get(place, (0, 0, None))
                omegas[name] = {"done": done, "failed": failed, "seconds_each": seconds}
            files = [name for name in (self.path, f"{self.path}-wal") if os.path.exists(name)]
            since = time.time() - max(map(os.path.getmtime, files))
            return {
                **stamp("status"),
                "store": self.path,
                "experiments_wanted": self.get("target"),
                "omegas": omegas,
                "seconds_since_last_write": round(max(since, 0.0), 1),
                "being_written": is_locked(self.path),
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

    def _checked(self) -> Iterator[tuple[int, int, bool, Any]]:
        """All records, each checked to be as it was written, and at the end that none is missing.

        Each with its place, its index, whether it failed, and its value.
        """
        tally = [0, 0]
        query = "SELECT * FROM experiments ORDER BY omega, experiment"
        # Closed in every case: a query that is still referenced, as by the traceback of an error,
        # keeps the file open.
        with closing(self._connection.execute(query)) as rows:
            for *row, mark in rows:
                omega, experiment, failed, _, value = row
                if mark != seal(*row):
                    what = f"experiment {experiment} of epistemic distribution {omega}"
                    self._refuse_seal(what)
                _count(tally, mark)
                yield omega, experiment, bool(failed), value
        written = self.get("tally")
        if tally != written:
            raise StoreError(
                f"{self.path!r} is damaged: {written[0]} experiments were written, {tally[0]} are "
                f"found, or not the same ones; {MEND}"
            )

    def _refuse_seal(self, what: str) -> None:
        """Refuse a record that was changed since it was written."""
        raise StoreError(f"{self.path!r} is damaged: the checksum of {what} is wrong; {MEND}")

    def _one(self, query: str) -> Any:
        return self._rows(query)[0][0]

    def _rows(self, query: str, *values: Any) -> list[Any]:
        return self._connection.execute(query, values).fetchall()


class StudyStore(Store):
    """The store of a study that is being run, as `open_writer` gives it."""

    def __init__(
        self, connection: sqlite3.Connection, path: str, study: Study, *, may_write: bool = True
    ) -> None:
        super().__init__(connection, path)
        self._study = study
        self._may_write = may_write
        # Those of this store, to tell them from others of these names.
        self._files: dict[str, os.stat_result] = {}

    def begin(self) -> None:
        """Lay out an empty store for the study, or check that it is that of this study."""
        blank = self.is_blank()
        if not blank:
            self.check_file()
        self._choose_journal()
        if blank:
            self._lay_out()
        else:
            self.check_identity()

    def check_identity(self) -> None:
        """Refuse the store of another study."""
        differing = _differences(self.get("identity"), self._study.identity)
        if differing:
            raise StoreError(
                f"{self.path!r} belongs to another study: {'; '.join(differing)}; use the same "
                "settings to continue it, or name another file"
            )

    def remaining(self, *, retry: bool = False) -> tuple[list[BoolArray], int]:
        """Which experiments of each epistemic distribution are still to be run.

        And how many others failed; with `retry`, these are to be run again. All records are checked
        before anything is written: what is damaged is not continued. Where nothing is written,
        `read` checks them.
        """
        n_experiments = self._study.n_experiments
        missing = [np.ones(n_experiments, dtype=bool) for _ in self._study.omegas]
        with self._snapshot():
            rows = np.array(self._rows(PLACES), dtype=np.int64).reshape(-1, 3)
            ended = rows[rows[:, 1] < n_experiments]
            if retry:
                ended = ended[ended[:, 2] == 0]
            for omega, is_missing in enumerate(missing):
                is_missing[ended[ended[:, 0] == omega, 1]] = False
            n_failed = int(ended[:, 2].sum())
            n_missing = sum(int(mask.sum()) for mask in missing)
            if n_missing and self._may_write:
                for _ in self._checked():
                    pass
        if n_missing and not self._may_write:
            raise StoreError(
                f"{self.path!r} cannot be written: it is read-only, or its folder is, and "
                f"{n_missing} experiments are still to be run; make both writable, or copy the "
                "store and use the copy"
            )
        if n_missing:
            self._prepare_to_write()
        return missing, n_failed

    def _prepare_to_write(self) -> None:
        """Note how many experiments are wanted, and which files they are written to."""
        with self._writing():
            self._put("target", self._study.n_experiments)  # for `status`
        names = [self.path]
        if self._one("PRAGMA journal_mode") == "wal":
            names.append(f"{self.path}-wal")
        self._files = {name: os.stat(name) for name in names}

    def write(self, ended: Sequence[Ended]) -> None:
        """Write a block in one transaction.

        When this returns, it is on the disk, under the name of the store.
        """
        outcomes = [each.result for each in ended if not each.error]
        n_replications = self._study.conditions.n_replications
        about = in_common(self.get("about"), outcomes, n_replications)
        with self._writing():
            self._put("about", about)
            tally = self.get("tally")
            for each in ended:
                failed = int(bool(each.error))
                value = self._value(each)
                self._insert(tally, each.place, each.index, failed, each.seconds, value)
            self._put("tally", tally)

    def read(self, n_experiments: int | None = None) -> Calibration:
        """The calibration, with the experiments of this study."""
        return super().read(self._study.n_experiments)

    def _value(self, ended: Ended) -> bytes | str:
        """What is kept of an experiment: numbers, or a failure as JSON."""
        if not ended.error:
            return _packed(ended.result)
        failure = asdict(Failure.of(ended, self._study.conditions.entropy))
        del failure["omega"], failure["experiment"]  # columns of their own
        return json.dumps(failure)

    def _choose_journal(self) -> None:
        """A write-ahead log if the file system allows it, else a rollback journal.

        Always synchronous.
        """
        try:
            mode = self._one("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if not is_busy(error) and error_name(error) != "PROTOCOL":
                raise
            mode = "refused"
        if mode != "wal":
            self._one("PRAGMA journal_mode = DELETE")
        self._connection.execute("PRAGMA synchronous = FULL")

    def _lay_out(self) -> None:
        study = self._study
        self._connection.execute("BEGIN IMMEDIATE")
        for statement in SCHEMA.split(";"):
            self._connection.execute(statement)
        self._put("identity", study.identity)
        self._put("descriptions", study.descriptions)
        self._put("target", study.n_experiments)
        self._put("tally", [0, 0])
        self._connection.execute("COMMIT")

    def _put(self, key: str, value: Any) -> None:
        words = json.dumps(value)
        self._connection.execute(
            "INSERT OR REPLACE INTO study VALUES (?, ?, ?)", (key, words, seal(key, words))
        )

    def _insert(self, tally: list[int], *row: Any) -> None:
        """Write a record with its checksum.

        An experiment that failed and was tried again has one record, the last.
        """
        query = "SELECT checksum FROM experiments WHERE omega = ? AND experiment = ?"
        for (mark,) in self._rows(query, *row[:2]):
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
                f"could not write to the store {self.path!r}: {explain(error)}; finished "
                "experiments are safe; correct this and run it again to continue"
            ) from error
        self._check_place()

    def _check_place(self) -> None:
        """A file that was deleted or renamed can still be written to, but nobody would find it."""
        for name, known in self._files.items():
            with suppress(OSError):
                if os.path.samestat(os.stat(name), known):
                    continue
            raise StoreError(
                f"{name!r} was deleted, renamed or replaced during the run: what was finished "
                "since then is not kept under this name; restore it and run it again to continue, "
                "and leave it where it is while a run writes to it"
            )


def _packed(outcome: Outcome) -> bytes:
    """The numbers of an outcome: those at each c, then the others."""
    numbers = [np.ravel(getattr(outcome, name)) for name in (*AT_EACH_C, *NUMBERS)]
    return np.concatenate(numbers).astype(NUMBER).tobytes()


def _unpacked(
    places: Sequence[tuple[int, int]], values: Sequence[bytes], n_c: int
) -> npt.NDArray[Any]:
    """A table of outcomes from their numbers, and their places and indices."""
    outcomes = new_outcomes(len(values), n_c)
    if not values:
        return outcomes
    outcomes["omega"], outcomes["experiment"] = np.transpose(places)
    numbers = np.frombuffer(b"".join(values), dtype=NUMBER)
    numbers = numbers.reshape(len(values), n_c * len(AT_EACH_C) + len(NUMBERS))
    at_each_c = numbers[:, : -len(NUMBERS)].reshape(len(values), len(AT_EACH_C), n_c)
    for column, name in enumerate(AT_EACH_C):
        outcomes[name] = at_each_c[:, column]
    for column, name in enumerate(NUMBERS, start=-len(NUMBERS)):
        outcomes[name] = numbers[:, column]
    return outcomes


def seal(*values: object) -> bytes:
    """A checksum of the values of a record, of their types and of their order.

    Examples
    --------
    >>> seal(1, "a") == seal(1, "a"), seal(1, "a") == seal(1, "b")
    (True, False)
    >>> seal("ab", "c") == seal("a", "bc"), seal(1, "a") == seal(1, b"a")
    (False, False)
    """
    *first, last = values
    content = last if isinstance(last, bytes) else repr(last).encode()
    head = f"{first!r} {type(last).__name__} "
    return blake2b(head.encode() + content, digest_size=8).digest()


def _count(tally: list[int], mark: bytes, times: int = 1) -> None:
    """Number of records, and the exclusive or of their checksums.

    In any order, and a record can be removed again.
    """
    tally[0] += times
    tally[1] ^= int.from_bytes(mark, "little")


def _differences(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """Sentences on what differs between two identities."""
    sentences = []
    for key in sorted({*stored, *wanted} - {"omegas"}):
        old = stored.get(key)
        new = wanted.get(key)
        if old != new:
            sentences.append(f"{key}: the store has {old!r}, this run {new!r}")
    sentences += _differing_omegas(stored["omegas"], wanted["omegas"])
    return sentences


def _differing_omegas(
    old: Mapping[str, Mapping[str, str]], new: Mapping[str, Mapping[str, str]]
) -> list[str]:
    """A sentence on which epistemic distributions differ, or what differs in them."""
    if list(old) != list(new):
        return [f"epistemic distributions: the store has {list(old)}, this run {list(new)}"]
    changed = [name for name in old if old[name] != new[name]]
    if not changed:
        return []
    parts = set()
    for name in changed:
        parts |= {part for part, _ in set(old[name].items()) ^ set(new[name].items())}
    what = f"the code or the settings of epistemic distribution(s) {changed} changed"
    return [f"{what}: {listed(sorted(parts), 5)}"]
