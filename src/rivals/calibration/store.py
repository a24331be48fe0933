"""The durable store of a calibration: one SQLite file, one writer, one commit per block of experiments.

What was acknowledged survives the death of the process and of the machine (WAL, synchronous=FULL). The file holds
numbers and text as JSON; nothing in it is ever executed or unpickled. Every record carries a checksum, and the study their
sum: a store that was changed is refused.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._types import BoolArray
from rivals._workers.attempts import Done, Failed
from rivals.calibration import store_file as file
from rivals.calibration.outcomes import AT_EACH_C, NUMBERS, new_outcomes
from rivals.calibration.store_file import MEND, StoreError, as_store_errors, check_seal, real_path, seal
from rivals.laws import LAWS


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


@contextmanager
def open_writer(
    path: str | PathLike[str] | None, identity: Mapping[str, Any], n_experiments: int, *, retry: bool = False
) -> Iterator[tuple[Store, Remaining]]:
    """Open for writing, and say how many of the requested experiments are still to be run.

    A new file, or one of the same study; without a path, in memory, for results that need not survive. With `retry`,
    failed experiments are to be run again.
    """
    with _writer(path, identity) as store:
        store.put("target", n_experiments)  # for `status`
        yield store, store.remaining(n_experiments, retry=retry)


@contextmanager
def _writer(path: str | PathLike[str] | None, identity: Mapping[str, Any]) -> Iterator[Store]:
    if path is None:
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
            store = Store(connection, "")
            store.begin(identity)
            yield store
        return
    name = real_path(path)
    with closing(file.take_lock(name)):
        with as_store_errors(name, "cannot be used as a store"):
            connection = file.connect_to_write(name)
        with closing(connection):
            with as_store_errors(name, "cannot be used as a store"):
                store = Store(connection, name)
                store.begin(identity)
                store.verify()
            yield store


@contextmanager
def open_reader(path: str | PathLike[str]) -> Iterator[Store]:
    """Open for reading, also while another process writes."""
    if not os.path.exists(path):
        raise FileNotFoundError(f"there is no calibration store {os.fspath(path)!r}; is the name right?")
    name = real_path(path)
    with closing(file.connect_to_read(name)) as connection:
        if file.is_blank(connection):
            raise StoreError(f"{name!r} is still empty: the run that writes it has just begun; wait a moment")
        file.check_file(connection, name)
        yield Store(connection, name)


def stored_entropy(path: str | PathLike[str]) -> int | None:
    """The entropy of a study that was begun before; None if there is no such store."""
    if not os.path.exists(real_path(path)):
        return None
    with closing(file.connect_to_read(real_path(path))) as connection:
        if file.is_blank(connection):
            return None
    with open_reader(path) as store:
        return int(store.identity()["entropy"])


class Store:
    """An open store, as `open_writer` and `open_reader` give it."""

    def __init__(self, connection: sqlite3.Connection, path: str) -> None:
        self._connection = connection
        self.path = path
        self._mark = file.mark_of(path) if path else None
        log_is_beside = self._one("PRAGMA journal_mode") == "wal"
        self._log = f"{path}-wal" if log_is_beside else ""

    # ---------------------------------------------------------------- writing

    def begin(self, identity: Mapping[str, Any]) -> None:
        """Lay out an empty store for a study, or check that it is the study of this identity."""
        if not file.is_blank(self._connection):
            differing = _differences(self.identity(), identity)
            if differing:
                raise StoreError(
                    f"{self.path!r} belongs to another study: {'; '.join(differing)}; use the same settings to continue it, or name another file"
                )
            return
        self._connection.execute("BEGIN IMMEDIATE")
        file.lay_out(self._connection)
        self._put("identity", identity)
        self._put("tally", [0, 0])
        self._connection.execute("COMMIT")

    def write(self, done: Iterable[Done], failures: Iterable[tuple[Failed, str]]) -> None:
        """Write a block in one transaction, failures with their seeds. When this returns, it is on the disk, under the name of the store."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            tally = self.get("tally")
            for each in done:
                self._insert(tally, each.place, each.index, 0, float(each.seconds), _as_plain(each.result))
            for failed, seed in failures:
                value = {
                    "attempts": failed.attempts,
                    "seed": seed,
                    "error": failed.error,
                    "traceback": failed.traceback,
                }
                self._insert(tally, failed.place, failed.index, 1, 0.0, value)
            self._put("tally", tally)
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            self._check_place()
            raise self._unwritten(error) from error
        self._check_place()

    def put(self, key: str, value: Any) -> None:
        """One entry of the description of the study."""
        try:
            self._put(key, value)
        except sqlite3.Error as error:
            raise self._unwritten(error) from error

    def _put(self, key: str, value: Any) -> None:
        text = json.dumps(value)
        self._connection.execute("INSERT OR REPLACE INTO study VALUES (?, ?, ?)", (key, text, seal(key, text)))

    def _insert(self, tally: list[int], omega: int, experiment: int, failed: int, seconds: float, value: Any) -> None:
        """Write a record with its checksum. An experiment that failed and was tried again has one record, the last."""
        where = "FROM experiments WHERE omega = ? AND experiment = ?"
        for was_failure, mark in self._rows(f"SELECT failed, checksum {where}", omega, experiment):
            if not was_failure:
                return
            self._connection.execute(f"DELETE {where}", (omega, experiment))
            _count(tally, mark, -1)
        row = (omega, experiment, failed, seconds, json.dumps(value))
        mark = seal(*row)
        self._connection.execute("INSERT INTO experiments VALUES (?, ?, ?, ?, ?, ?)", (*row, mark))
        _count(tally, mark)

    def _unwritten(self, error: sqlite3.Error) -> StoreError:
        return StoreError(
            f"could not write to the store {self.path!r}: {file.explain(error)}; finished experiments are safe; "
            "correct this and run it again to continue"
        )

    def _check_place(self) -> None:
        """A file that was deleted or renamed can still be written to, but nobody would find it."""
        gone = self.path if self._mark is not None and file.mark_of(self.path) != self._mark else self._log
        if gone and (gone == self.path or not os.path.exists(gone)):
            raise StoreError(
                f"{gone!r} was deleted, renamed or replaced during the run: what was finished since then is not kept under this "
                "name; restore it and run it again to continue, and leave it where it is while a run writes to it"
            )

    # ---------------------------------------------------------------- reading

    def identity(self) -> dict[str, Any]:
        """What the study is, checked to be understood."""
        found: dict[str, Any] = self.get("identity")
        with as_store_errors(self.path):
            understood = (
                isinstance(found["omegas"], dict)
                and all(isinstance(c, float) for c in found["c"])
                and all(isinstance(found[name], int) for name in ("n_data", "n_truth"))
                and found["law"] in LAWS
                and isinstance(found["options"], dict)
                and int(found["entropy"]) >= 0
                and "loss_unit" in found
            )
        if not understood:
            raise StoreError(f"{self.path!r} is damaged: its description of the study cannot be understood; {MEND}")
        return found

    def get(self, key: str) -> Any:
        """One entry of the description of the study; None where there is none."""
        with as_store_errors(self.path):
            for text, mark in self._rows("SELECT value, checksum FROM study WHERE key = ?", key):
                check_seal(mark, key, text, what=f"entry {key!r} of the study", path=self.path)
                return json.loads(text)
        return None

    def verify(self) -> None:
        """Refuse a store that was changed since it was written."""
        with self._snapshot():
            for _ in self._checked():
                pass

    def remaining(self, n_experiments: int, *, retry: bool = False) -> Remaining:
        """Which of the first experiments of each epistemic distribution are still to be run."""
        places = range(len(self.identity()["omegas"]))
        missing = [np.ones(n_experiments, dtype=bool) for _ in places]
        with self._snapshot():
            query = "SELECT omega, experiment, failed FROM experiments WHERE experiment < ? AND failed <= ?"
            rows = self._rows(query, n_experiments, int(not retry))
            for omega, experiment, _ in rows:
                missing[omega][experiment] = False
            return Remaining(missing, [self._mean_seconds(place) for place in places], sum(row[2] for row in rows))

    def contents(self, n_experiments: int | None = None) -> tuple[npt.NDArray[Any], tuple[Failure, ...]]:
        """Outcomes and failures of the first `n_experiments` of each epistemic distribution, or all, in order."""
        failures, place = [], 0
        with self._snapshot():
            size = self._one("SELECT COUNT(*) FROM experiments WHERE NOT failed")
            outcomes = new_outcomes(size, len(self.identity()["c"]))
            for omega, experiment, failed, value in self._checked():
                if failed:
                    failures.append(Failure(omega, experiment, **value))
                else:
                    outcomes[place] = (omega, experiment, *(value[name] for name in (*AT_EACH_C, *NUMBERS)))
                    place += 1
            if size and self.get("about") is None:
                raise StoreError(f"{self.path!r} is damaged: the study has no entry 'about'; {MEND}")
        most = np.inf if n_experiments is None else n_experiments
        return outcomes[outcomes["experiment"] < most], tuple(each for each in failures if each.experiment < most)

    def status(self) -> dict[str, Any]:
        """How far the study has come."""
        with self._snapshot():
            query = "SELECT omega, SUM(NOT failed), SUM(failed) FROM experiments GROUP BY omega"
            counts = {omega: (done, failed) for omega, done, failed in self._rows(query)}
            omegas = {}
            for place, name in enumerate(self.identity()["omegas"]):
                done, failed = counts.get(place, (0, 0))
                omegas[name] = {"done": done, "failed": failed, "seconds_each": self._mean_seconds(place)}
            files = [name for name in (self.path, f"{self.path}-wal") if os.path.exists(name)]
            return {
                "store": self.path,
                "experiments_wanted": self.get("target"),
                "omegas": omegas,
                "seconds_since_last_write": round(max(time.time() - max(map(os.path.getmtime, files)), 0.0), 1),
                "being_written": file.is_locked(self.path),
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
        with closing(self._connection.execute("SELECT * FROM experiments ORDER BY omega, experiment")) as rows:
            for *row, mark in rows:
                what = f"experiment {row[1]} of epistemic distribution {row[0]}"
                check_seal(mark, *row, what=what, path=self.path)
                _count(tally, mark)
                yield row[0], row[1], bool(row[2]), json.loads(row[4])
        written = self.get("tally")
        if tally != written:
            raise StoreError(
                f"{self.path!r} is damaged: {written[0]} experiments were written, {tally[0]} are found, or not the same ones; {MEND}"
            )

    def _mean_seconds(self, omega: int) -> float | None:
        mean: float | None = self._one("SELECT AVG(seconds) FROM experiments WHERE omega = ? AND NOT failed", omega)
        return mean

    def _one(self, query: str, *values: Any) -> Any:
        return self._rows(query, *values)[0][0]

    def _rows(self, query: str, *values: Any) -> list[Any]:
        return self._connection.execute(query, values).fetchall()


def _count(tally: list[int], mark: bytes, times: int = 1) -> None:
    """Number of records, and the exclusive or of their checksums: in any order, and a record can be removed again."""
    tally[0] += times
    tally[1] ^= int.from_bytes(mark, "little")


def _as_plain(outcome: Any) -> dict[str, Any]:
    """An outcome as numbers and lists, in full precision; what all have in common is said once for the study."""
    return {name: np.asarray(getattr(outcome, name), dtype=float).tolist() for name in (*AT_EACH_C, *NUMBERS)}


def _differences(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """Sentences on what differs between two identities."""
    sentences = [
        f"{key}: the store has {stored.get(key)!r}, this run {wanted.get(key)!r}"
        for key in sorted(({*stored, *wanted}) - {"omegas"})
        if stored.get(key) != wanted.get(key)
    ]
    old, new = stored["omegas"], wanted["omegas"]
    if list(old) != list(new):
        sentences.append(f"epistemic distributions: the store has {list(old)}, this run {list(new)}")
    elif changed := [name for name in old if old[name] != new[name]]:
        parts = sorted({part for name in changed for part, _ in set(old[name].items()) ^ set(new[name].items())})
        more = f" and {len(parts) - 5} more" if len(parts) > 5 else ""
        sentences.append(
            f"the code or the settings of epistemic distribution(s) {changed} changed: {', '.join(parts[:5])}{more}"
        )
    return sentences
