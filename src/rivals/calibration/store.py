"""The durable store of a calibration: one SQLite file, one writer, one commit per block of experiments.

What was acknowledged survives the death of the process and of the machine (WAL, synchronous=FULL). The file holds
numbers, JSON and text; nothing in it is ever executed or unpickled. Every record carries a checksum, and the study their
sum: a store that was changed is refused.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._checks import warn
from rivals._types import BoolArray, FloatArray
from rivals._workers.attempts import Done, Failed
from rivals.calibration.experiment import part_won
from rivals.calibration.store_file import (
    FIRST_WITH_CHECKSUMS,
    MEND,
    StoreError,
    Tally,
    as_store_errors,
    check_file,
    check_identity,
    check_seal,
    create,
    explain,
    get_entry,
    is_blank,
    is_locked,
    last_change,
    mark_of,
    put_entry,
    real_path,
    schema_version,
    seal,
    set_journal,
    take_lock,
)

OUTCOME = "omega, experiment, probability, standard_error, risk_a, risk_b, truth_error, truth, seconds"
FAILURE = "omega, experiment, attempts, seed, error, traceback"


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


@dataclass(frozen=True)
class Remaining:
    """What a study still has to run."""

    missing: list[BoolArray]  # of each epistemic distribution: which of the first experiments are still to be run
    seconds: list[float | None]  # mean seconds per experiment
    failed: int


@dataclass(frozen=True)
class Contents:
    """All that a store holds, in the order of epistemic distribution and experiment."""

    identity: dict[str, Any]
    omega: npt.NDArray[np.int64]
    experiment: npt.NDArray[np.int64]
    probability: FloatArray  # (experiments, values of c)
    standard_error: FloatArray
    risks: FloatArray  # risk_a, risk_b, truth_error
    truth: FloatArray
    replicated: bool  # whether the truth is that of fresh replications
    failures: tuple[Failure, ...]


@contextmanager
def open_writer(
    path: str | PathLike[str] | None, identity: Mapping[str, Any], n_experiments: int, *, retry: bool = False
) -> Iterator[tuple[Store, Remaining]]:
    """Open for writing, and say how many of the requested experiments are still to be run.

    A new file, or one of the same study; without a path, in memory, for results that need not survive. With `retry`,
    failed experiments are to be run again.
    """
    store = Store.in_memory(identity) if path is None else Store.create_or_resume(real_path(path), identity)
    with closing(store):
        store.put("target", n_experiments)  # for `status`
        yield store, store.remaining(n_experiments, retry=retry)


@contextmanager
def open_reader(path: str | PathLike[str]) -> Iterator[Store]:
    """Open for reading, also while another process writes."""
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no calibration store {os.fspath(path)!r}; is the name right?")
    with closing(Store.read_only(real_path(path))) as store:
        yield store


def stored_entropy(path: str | PathLike[str]) -> int | None:
    """The entropy of a study that was begun before; None if there is no such store."""
    if not os.path.exists(real_path(path)):
        return None
    with closing(_connect_to_read(real_path(path))) as connection:
        if is_blank(connection):
            return None
    with open_reader(path) as store:
        return int(store.get("identity")["entropy"])


class Store:
    """An open store, as `open_writer` and `open_reader` give it."""

    def __init__(self, connection: sqlite3.Connection, path: str, lock: sqlite3.Connection | None = None) -> None:
        self._connection = connection
        self._lock = lock
        self.path = path
        self._mark = mark_of(path) if path else None
        with as_store_errors(path):
            log_is_beside = connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        self._log = f"{path}-wal" if log_is_beside else ""

    # ---------------------------------------------------------------- opening and closing

    @classmethod
    def in_memory(cls, identity: Mapping[str, Any]) -> Store:
        """A store that ends with the run."""
        connection = sqlite3.connect(":memory:", isolation_level=None)
        create(connection, identity)
        return cls(connection, "")

    @classmethod
    def create_or_resume(cls, path: str, identity: Mapping[str, Any]) -> Store:
        """A new file, or one of the same study; no one else may write to it."""
        lock = take_lock(path)
        try:
            connection = sqlite3.connect(path, isolation_level=None, timeout=10.0)
            try:
                if is_blank(connection):
                    set_journal(connection)
                    create(connection, identity)
                else:
                    check_file(connection, path)
                    set_journal(connection)
                    check_identity(connection, identity, path)
                store = cls(connection, path, lock)
                store.verify()
            except BaseException:
                connection.close()
                raise
        except sqlite3.Error as error:
            lock.close()
            raise StoreError(f"{path!r} cannot be used as a store: {explain(error)}") from error
        except BaseException:
            lock.close()
            raise
        return store

    @classmethod
    def read_only(cls, path: str) -> Store:
        """An existing file; another process may be writing to it."""
        connection = _connect_to_read(path)
        try:
            if is_blank(connection):
                raise StoreError(f"{path!r} is still empty: the run that writes it has just begun; wait a moment")
            check_file(connection, path)
            store = cls(connection, path)
            if not store.has_checksums:
                warn(
                    f"the store {path!r} has no checksum, because an older rivals wrote it: damage to its numbers would go "
                    "unnoticed; calibrate again if that matters"
                )
        except BaseException:
            connection.close()
            raise
        return store

    def close(self) -> None:
        """Close, and let another writer in."""
        self._connection.close()
        if self._lock is not None:
            self._lock.close()

    # ---------------------------------------------------------------- writing

    def write(self, done: Iterable[Done], failures: Iterable[tuple[Failed, str]]) -> None:
        """Write a block in one transaction, failures with their seeds. When this returns, it is on the disk, under the name of the store."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            tally = Tally(*self._stored_tally())
            for each in done:
                self._forget_failure(each.place, each.index, tally)
                self._insert("outcomes", _row(each), tally)
            for failed, seed in failures:
                self._forget_failure(failed.place, failed.index, tally)
                row = (failed.place, failed.index, failed.attempts, seed, failed.error, failed.traceback)
                self._insert("failures", row, tally)
            put_entry(self._connection, "tally", tally.as_plain())
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

    def put(self, key: str, value: Any) -> None:
        """One entry of the description of the study."""
        try:
            put_entry(self._connection, key, value)
        except sqlite3.Error as error:
            raise StoreError(
                f"could not write to the store {self.path!r}: {explain(error)}; finished experiments are safe; "
                "correct this and run it again to continue"
            ) from error

    def _insert(self, table: str, row: tuple[Any, ...], tally: Tally) -> None:
        """Write a record with its checksum, unless there is one of this experiment."""
        mark = seal(*row)
        places = ", ".join("?" * (len(row) + 1))
        if self._connection.execute(f"INSERT OR IGNORE INTO {table} VALUES ({places})", (*row, mark)).rowcount:
            tally.add(table, mark)

    def _forget_failure(self, omega: int, experiment: int, tally: Tally) -> None:
        """An experiment that failed and was tried again has one record, the last."""
        if tally.failures:
            where = "FROM failures WHERE omega = ? AND experiment = ?"
            for (mark,) in self._connection.execute(f"SELECT checksum {where}", (omega, experiment)).fetchall():
                self._connection.execute(f"DELETE {where}", (omega, experiment))
                tally.add("failures", mark, times=-1)

    def _check_place(self) -> None:
        """A file that was deleted or renamed can still be written to, but nobody would find it."""
        gone = self.path if self._mark is not None and mark_of(self.path) != self._mark else self._log
        if gone and (gone == self.path or not os.path.exists(gone)):
            raise StoreError(
                f"{gone!r} was deleted, renamed or replaced during the run: what was finished since then is not kept under this "
                "name; restore it and run it again to continue, and leave it where it is while a run writes to it"
            )

    # ---------------------------------------------------------------- reading

    @property
    def has_checksums(self) -> bool:
        """Whether damage would be noticed: older stores have no checksums."""
        with as_store_errors(self.path):
            return schema_version(self._connection) >= FIRST_WITH_CHECKSUMS

    def get(self, key: str) -> Any:
        """One entry of the description of the study; None where there is none."""
        with as_store_errors(self.path):
            return get_entry(self._connection, key, self.path)

    def verify(self) -> None:
        """Refuse a store that was changed since it was written."""
        with self._snapshot():
            tally = Tally()
            for table, columns in (("outcomes", OUTCOME), ("failures", FAILURE)):
                for _ in self._checked(table, columns, tally):
                    pass
            self._check_tally(tally)

    def remaining(self, n_experiments: int, *, retry: bool = False) -> Remaining:
        """Which of the first experiments of each epistemic distribution are still to be run."""
        places = range(len(self.get("identity")["omegas"]))
        missing = [np.ones(n_experiments, dtype=bool) for _ in places]
        failed = 0
        with as_store_errors(self.path):
            for table in ("outcomes",) if retry else ("outcomes", "failures"):
                rows = self._connection.execute(
                    f"SELECT omega, experiment FROM {table} WHERE experiment < ?", (n_experiments,)
                )
                for omega, experiment in rows.fetchall():
                    missing[omega][experiment] = False
                    failed += table == "failures"
        return Remaining(missing, [self._mean_seconds(place) for place in places], failed)

    def contents(self, n_experiments: int | None = None) -> Contents:
        """The first `n_experiments` of each epistemic distribution, or all."""
        with self._snapshot():
            identity = self.get("identity")
            n_c, tally = len(identity["c"]), Tally()
            size = self._connection.execute("SELECT COUNT(*) FROM outcomes").fetchone()[0]
            keys, risks, truth = np.empty((size, 2), dtype=np.int64), np.empty((size, 3)), np.empty(size)
            probability, standard_error = np.empty((size, n_c)), np.empty((size, n_c))
            with closing(self._checked("outcomes", OUTCOME, tally)) as rows:
                for place, (omega, experiment, packed_probability, packed_error, *risk, won, _) in enumerate(rows):
                    keys[place] = omega, experiment
                    probability[place] = _unpacked(packed_probability, n_c)
                    standard_error[place] = _unpacked(packed_error, n_c)
                    risks[place] = risk
                    truth[place] = part_won(*risk) if won is None else won
            failures = tuple(Failure(*row) for row in self._checked("failures", FAILURE, tally))
            replicated = self.get("replicated")
            self._check_tally(tally)
            self._check_values(keys, probability, standard_error, risks, truth, len(identity["omegas"]), replicated)
        wanted = np.full(size, True) if n_experiments is None else keys[:, 1] < n_experiments
        return Contents(
            identity=identity,
            omega=keys[wanted, 0],
            experiment=keys[wanted, 1],
            probability=probability[wanted],
            standard_error=standard_error[wanted],
            risks=risks[wanted],
            truth=truth[wanted],
            replicated=bool(replicated),
            failures=tuple(f for f in failures if n_experiments is None or f.experiment < n_experiments),
        )

    def status(self) -> dict[str, Any]:
        """How far the study has come."""
        with self._snapshot():
            names = list(self.get("identity")["omegas"])
            rows = dict(self._connection.execute("SELECT omega, COUNT(*) FROM outcomes GROUP BY omega").fetchall())
            failed = dict(self._connection.execute("SELECT omega, COUNT(*) FROM failures GROUP BY omega").fetchall())
            return {
                "store": self.path,
                "experiments_wanted": self.get("target"),
                "omegas": {
                    name: {
                        "done": rows.get(place, 0),
                        "failed": failed.get(place, 0),
                        "seconds_each": self._mean_seconds(place),
                    }
                    for place, name in enumerate(names)
                },
                "seconds_since_last_write": round(max(time.time() - last_change(self.path), 0.0), 1),
                "being_written": is_locked(self.path),
                "checksum": self.has_checksums,
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

    def _checked(self, table: str, columns: str, tally: Tally) -> Generator[tuple[Any, ...], None, None]:
        """The rows of a table, each checked to be as it was written."""
        version = schema_version(self._connection)
        sealed = version >= FIRST_WITH_CHECKSUMS
        wanted = columns if version > 1 else columns.replace(" truth,", " NULL,")
        query = f"SELECT {wanted}, {'checksum' if sealed else 'NULL'} FROM {table} ORDER BY omega, experiment"
        # Closed in every case: a query that is still referenced, as by the traceback of an error, keeps the file open.
        with closing(self._connection.execute(query)) as rows:
            for *values, mark in rows:
                if sealed:
                    what = f"experiment {values[1]} of epistemic distribution {values[0]} ({table})"
                    check_seal(mark, *values, what=what, path=self.path)
                    tally.add(table, mark)
                yield tuple(values)

    def _stored_tally(self) -> tuple[int, int, int]:
        outcomes, failures, total = get_entry(self._connection, "tally", self.path)
        return outcomes, failures, int(total, 16)

    def _check_tally(self, tally: Tally) -> None:
        """Check that no record is missing, and that there are no others."""
        if self.has_checksums and tally != Tally(*self._stored_tally()):
            outcomes, failures, _ = self._stored_tally()
            raise StoreError(
                f"{self.path!r} is damaged: {outcomes} outcomes and {failures} failures were written, {tally.outcomes} and "
                f"{tally.failures} are found, or not the same ones; {MEND}"
            )

    def _check_values(
        self,
        keys: npt.NDArray[np.int64],
        probability: FloatArray,
        standard_error: FloatArray,
        risks: FloatArray,
        truth: FloatArray,
        n_omegas: int,
        replicated: bool | None,
    ) -> None:
        """Older stores have no checksum: at least refuse impossible values."""
        possible = (
            np.all((keys[:, 0] >= 0) & (keys[:, 0] < n_omegas) & (keys[:, 1] >= 0))
            and np.all((probability >= 0.0) & (probability <= 1.0))
            and np.all((standard_error >= 0.0) & (standard_error <= 1.0))
            and np.all((truth >= 0.0) & (truth <= 1.0))
            and np.isfinite(risks).all()
        )
        if not possible:
            raise StoreError(f"{self.path!r} is damaged: some probabilities or risks are impossible; {MEND}")
        if self.has_checksums and keys.size and replicated is None:
            raise StoreError(f"{self.path!r} is damaged: the study has no entry 'replicated'; {MEND}")

    def _mean_seconds(self, omega: int) -> float | None:
        row = self._connection.execute("SELECT AVG(seconds) FROM outcomes WHERE omega = ?", (omega,)).fetchone()
        return None if row[0] is None else float(row[0])


def _connect_to_read(path: str) -> sqlite3.Connection:
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


def _unpacked(packed: bytes, n_c: int) -> FloatArray:
    values = np.frombuffer(packed, "<f8")
    if values.size != n_c:
        raise ValueError(f"{values.size} values where there are {n_c} values of c")
    return values


def _row(item: Done) -> tuple[Any, ...]:
    outcome = item.result
    return (
        item.place,
        item.index,
        outcome.probability.astype("<f8").tobytes(),
        outcome.standard_error.astype("<f8").tobytes(),
        float(outcome.risk_a),
        float(outcome.risk_b),
        float(outcome.truth_error),
        float(outcome.truth),
        float(item.seconds),
    )
