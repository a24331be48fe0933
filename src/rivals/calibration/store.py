"""The durable store of a calibration: one SQLite file, one writer, one commit per block of experiments.

What was acknowledged survives the death of the process and of the machine (WAL, synchronous=FULL). The file holds
numbers, JSON and text; nothing in it is ever executed or unpickled.
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
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._types import BoolArray, FloatArray
from rivals.calibration.experiment import part_won
from rivals.calibration.store_file import (
    StoreError,
    check_file,
    check_identity,
    create,
    explain,
    is_blank,
    is_locked,
    last_change,
    schema_version,
    set_journal,
    take_lock,
)
from rivals.calibration.work import Failure, Success


@dataclass(frozen=True)
class Standing:
    """How far a study has come."""

    missing: list[BoolArray]  # of each epistemic distribution: which of the first experiments are still to be run
    seconds: list[float | None]  # what an experiment took on average
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
    path: str | PathLike[str] | None, identity: Mapping[str, Any], n_experiments: int
) -> Iterator[tuple[Store, Standing]]:
    """Open for writing, and say how far the study has come on its way to so many experiments.

    A new file, or one of the same study; without a path in memory, for what need not survive.
    """
    store = Store.in_memory(identity) if path is None else Store.create_or_resume(os.fspath(path), identity)
    with closing(store):
        store.put("target", n_experiments)  # for `status`
        yield store, store.standing(n_experiments)


@contextmanager
def open_reader(path: str | PathLike[str]) -> Iterator[Store]:
    """Open for reading, also while another process writes."""
    with closing(Store.read_only(os.fspath(path))) as store:
        yield store


def stored_entropy(path: str | PathLike[str]) -> int | None:
    """The entropy of a study that was begun before; None if there is no such store."""
    if not os.path.exists(path):
        return None
    with closing(sqlite3.connect(_read_only(os.fspath(path)), uri=True, timeout=10.0)) as connection:
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
            except BaseException:
                connection.close()
                raise
        except sqlite3.Error as error:
            lock.close()
            raise StoreError(f"{path!r} cannot be used as a store: {explain(error)}") from error
        except BaseException:
            lock.close()
            raise
        return cls(connection, path, lock)

    @classmethod
    def read_only(cls, path: str) -> Store:
        """An existing file; another process may be writing to it."""
        if not os.path.exists(path):
            raise FileNotFoundError(f"there is no calibration store {path!r}; is the name right?")
        try:
            connection = sqlite3.connect(_read_only(path), uri=True, timeout=10.0)
        except sqlite3.Error as error:
            raise StoreError(f"{path!r} cannot be read: {explain(error)}") from error
        try:
            if is_blank(connection):
                raise StoreError(f"{path!r} is still empty: the run that writes it has only just begun; wait a moment")
            check_file(connection, path)
        except BaseException:
            connection.close()
            raise
        return cls(connection, path)

    def close(self) -> None:
        """Close, and let another writer in."""
        self._connection.close()
        if self._lock is not None:
            self._lock.close()

    # ---------------------------------------------------------------- writing

    def write(self, successes: Iterable[Success], failures: Iterable[Failure]) -> None:
        """Write a block in one transaction. When this returns, it is on the disk."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany(
                "INSERT OR IGNORE INTO outcomes VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (_row(item) for item in successes)
            )
            self._connection.executemany(
                "INSERT OR IGNORE INTO failures VALUES (?, ?, ?, ?, ?, ?)",
                ((f.omega, f.experiment, f.attempts, f.seed, f.error, f.traceback) for f in failures),
            )
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            with suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            raise StoreError(
                f"could not write to the store {self.path!r}: {explain(error)}; finished experiments are safe; "
                "correct this and run the same again to continue"
            ) from error

    def put(self, key: str, value: Any) -> None:
        """One entry of the description of the study."""
        self._connection.execute("INSERT OR REPLACE INTO study VALUES (?, ?)", (key, json.dumps(value)))

    # ---------------------------------------------------------------- reading

    def get(self, key: str) -> Any:
        """One entry of the description of the study; None where there is none."""
        row = self._connection.execute("SELECT value FROM study WHERE key = ?", (key,)).fetchone()
        return None if row is None else json.loads(row[0])

    def standing(self, n_experiments: int) -> Standing:
        """Which of the first experiments of each epistemic distribution are still to be run."""
        places = range(len(self.get("identity")["omegas"]))
        missing = [np.ones(n_experiments, dtype=bool) for _ in places]
        for table in ("outcomes", "failures"):
            rows = self._connection.execute(
                f"SELECT omega, experiment FROM {table} WHERE experiment < ?", (n_experiments,)
            )
            for omega, experiment in rows:
                missing[omega][experiment] = False
        return Standing(missing, [self._mean_seconds(place) for place in places], len(self._failures(n_experiments)))

    def contents(self, n_experiments: int | None = None) -> Contents:
        """The first `n_experiments` of each epistemic distribution, or all."""
        limit = -1 if n_experiments is None else n_experiments
        identity = self.get("identity")
        n_c = len(identity["c"])
        size = self._connection.execute("SELECT COUNT(*) FROM outcomes").fetchone()[0]
        keys, risks, truth = np.empty((size, 2), dtype=np.int64), np.empty((size, 3)), np.empty(size)
        probability, standard_error = np.empty((size, n_c)), np.empty((size, n_c))
        with_truth = schema_version(self._connection) > 1
        rows = self._connection.execute(
            "SELECT omega, experiment, probability, standard_error, risk_a, risk_b, truth_error, "
            f"{'truth' if with_truth else 'NULL'} FROM outcomes WHERE ? < 0 OR experiment < ? ORDER BY omega, experiment LIMIT ?",
            (limit, limit, size),  # a writer may be faster than we read
        )
        count = 0
        for count, (omega, experiment, packed_probability, packed_error, *risk, won) in enumerate(rows, start=1):
            keys[count - 1] = omega, experiment
            probability[count - 1] = np.frombuffer(packed_probability, "<f8")
            standard_error[count - 1] = np.frombuffer(packed_error, "<f8")
            risks[count - 1] = risk
            truth[count - 1] = part_won(*risk) if won is None else won
        return Contents(
            identity=identity,
            omega=keys[:count, 0],
            experiment=keys[:count, 1],
            probability=probability[:count],
            standard_error=standard_error[:count],
            risks=risks[:count],
            truth=truth[:count],
            replicated=bool(self.get("replicated")),
            failures=tuple(self._failures(limit)),
        )

    def _failures(self, limit: int) -> list[Failure]:
        rows = self._connection.execute(
            "SELECT * FROM failures WHERE ? < 0 OR experiment < ? ORDER BY omega, experiment", (limit, limit)
        )
        return [Failure(*row) for row in rows]

    def _mean_seconds(self, omega: int) -> float | None:
        row = self._connection.execute("SELECT AVG(seconds) FROM outcomes WHERE omega = ?", (omega,)).fetchone()
        return None if row[0] is None else float(row[0])

    def status(self) -> dict[str, Any]:
        """How far the study has come."""
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
            "seconds_since_last_write": round(time.time() - last_change(self.path), 1),
            "being_written": is_locked(self.path),
        }


def _read_only(path: str) -> str:
    return f"{Path(path).resolve().as_uri()}?mode=ro"


def _row(item: Success) -> tuple[Any, ...]:
    outcome = item.outcome
    return (
        item.omega,
        item.experiment,
        outcome.probability.astype("<f8").tobytes(),
        outcome.standard_error.astype("<f8").tobytes(),
        outcome.risk_a,
        outcome.risk_b,
        outcome.truth_error,
        outcome.truth,
        item.seconds,
    )
