"""The durable store of a calibration: one SQLite file, one writer, one commit per block of experiments.

What was acknowledged survives the death of the process and of the machine (WAL, synchronous=FULL). The file holds
numbers, JSON and text; nothing in it is ever executed or unpickled.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals.calibration.experiment import Outcome
from rivals.calibration.store_file import (
    StoreError,
    check_file,
    check_identity,
    create,
    explain,
    is_blank,
    is_locked,
    last_change,
    set_journal,
    take_lock,
)
from rivals.calibration.study import Study


@dataclass(frozen=True)
class Success:
    """An experiment that came to an end."""

    omega: int
    experiment: int
    outcome: Outcome
    seconds: float


@dataclass(frozen=True)
class Failure:
    """An experiment that did not come to an end: how often it was tried, the seed that repeats it, and the error.

    Parameters
    ----------
    omega : int
        Place of the epistemic distribution.
    experiment : int
    attempts : int
    seed : str
    error, traceback : str

    Examples
    --------
    >>> import rivals
    >>> def omega(rng):
    ...     raise RuntimeError("the fit did not converge")
    >>> calibration = rivals.calibrate(
    ...     omega, n_data=100, n_experiments=2, c=[1.0], n_truth=2000, rng=0, executor=0, progress=False
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


class Store:
    """An open store. Make it with `create_or_resume`, `open_reader` or `in_memory`."""

    def __init__(self, connection: sqlite3.Connection, path: str, lock: sqlite3.Connection | None = None) -> None:
        self._connection = connection
        self._lock = lock
        self.path = path

    # ---------------------------------------------------------------- opening and closing

    @classmethod
    def in_memory(cls, study: Study) -> Store:
        """For a run that need not survive."""
        connection = sqlite3.connect(":memory:", isolation_level=None)
        create(connection, study)
        return cls(connection, "")

    @classmethod
    def create_or_resume(cls, path: str | PathLike[str], study: Study) -> Store:
        """Open for writing: a new file, or one of the same study."""
        target = os.fspath(path)
        lock = take_lock(target)
        try:
            connection = sqlite3.connect(target, isolation_level=None, timeout=10.0)
            try:
                if is_blank(connection):
                    set_journal(connection)
                    create(connection, study)
                else:
                    check_file(connection, target)
                    set_journal(connection)
                    check_identity(connection, study, target)
            except BaseException:
                connection.close()
                raise
        except sqlite3.Error as error:
            lock.close()
            raise StoreError(f"{target!r} cannot be used as a store: {explain(error)}") from error
        except BaseException:
            lock.close()
            raise
        return cls(connection, target, lock)

    @classmethod
    def open_reader(cls, path: str | PathLike[str]) -> Store:
        """Open for reading, also while another process writes."""
        target = os.fspath(path)
        if not os.path.exists(target):
            raise FileNotFoundError(f"there is no calibration store {target!r}")
        try:
            connection = sqlite3.connect(f"{Path(target).resolve().as_uri()}?mode=ro", uri=True, timeout=10.0)
            if is_blank(connection):
                raise StoreError(f"{target!r} is still empty: the run that writes it has only just begun")
            check_file(connection, target)
        except sqlite3.Error as error:
            raise StoreError(f"{target!r} cannot be read: {explain(error)}") from error
        return cls(connection, target)

    def close(self) -> None:
        """Close, and let another writer in."""
        self._connection.close()
        if self._lock is not None:
            self._lock.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ---------------------------------------------------------------- writing

    def write(self, successes: Iterable[Success], failures: Iterable[Failure]) -> None:
        """Write a block in one transaction. When this returns, it is on the disk."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.executemany(
                "INSERT OR IGNORE INTO outcomes VALUES (?, ?, ?, ?, ?, ?, ?, ?)", (_row(item) for item in successes)
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
                f"could not write to the store {self.path!r}: {explain(error)}. What was acknowledged before is safe; "
                "mend this and run the same again to go on from there"
            ) from error

    def set_target(self, n_experiments: int) -> None:
        """Remember how many experiments of each epistemic distribution are wanted, for `status`."""
        self._put("target", n_experiments)

    def _put(self, key: str, value: Any) -> None:
        self._connection.execute("INSERT OR REPLACE INTO study VALUES (?, ?)", (key, json.dumps(value)))

    # ---------------------------------------------------------------- reading

    def get(self, key: str, default: Any = None) -> Any:
        """One entry of the description of the study."""
        row = self._connection.execute("SELECT value FROM study WHERE key = ?", (key,)).fetchone()
        return default if row is None else json.loads(row[0])

    @property
    def identity(self) -> dict[str, Any]:
        """The identity of the study, as it was when the store was made."""
        found: dict[str, Any] = self.get("identity")
        return found

    def counts(self) -> tuple[int, int]:
        """Number of outcomes and of failures."""
        outcomes = self._connection.execute("SELECT COUNT(*) FROM outcomes").fetchone()[0]
        return int(outcomes), int(self._connection.execute("SELECT COUNT(*) FROM failures").fetchone()[0])

    def done(self, omega: int, n_experiments: int) -> npt.NDArray[np.bool_]:
        """Which of the first experiments of an epistemic distribution need not be run again."""
        found = np.zeros(n_experiments, dtype=bool)
        for table in ("outcomes", "failures"):
            rows = self._connection.execute(
                f"SELECT experiment FROM {table} WHERE omega = ? AND experiment < ?", (omega, n_experiments)
            )
            for (experiment,) in rows:
                found[experiment] = True
        return found

    def mean_seconds(self, omega: int) -> float | None:
        """What an experiment took on average."""
        row = self._connection.execute("SELECT AVG(seconds) FROM outcomes WHERE omega = ?", (omega,)).fetchone()
        return None if row[0] is None else float(row[0])

    def outcomes(self, n_experiments: int | None = None) -> Iterator[Sequence[Any]]:
        """Rows in order of epistemic distribution and experiment."""
        limit = -1 if n_experiments is None else n_experiments
        yield from self._connection.execute(
            "SELECT omega, experiment, probability, standard_error, risk_a, risk_b, truth_error FROM outcomes "
            "WHERE ? < 0 OR experiment < ? ORDER BY omega, experiment",
            (limit, limit),
        )

    def failures(self, n_experiments: int | None = None) -> list[Failure]:
        """All failures, in order."""
        limit = -1 if n_experiments is None else n_experiments
        rows = self._connection.execute(
            "SELECT * FROM failures WHERE ? < 0 OR experiment < ? ORDER BY omega, experiment", (limit, limit)
        )
        return [Failure(*row) for row in rows]

    def status(self) -> dict[str, Any]:
        """How far the study has come."""
        names = list(self.identity["omegas"])
        rows = dict(self._connection.execute("SELECT omega, COUNT(*) FROM outcomes GROUP BY omega").fetchall())
        failed = dict(self._connection.execute("SELECT omega, COUNT(*) FROM failures GROUP BY omega").fetchall())
        return {
            "store": self.path,
            "experiments_wanted": self.get("target"),
            "omegas": {
                name: {
                    "done": rows.get(place, 0),
                    "failed": failed.get(place, 0),
                    "seconds_each": self.mean_seconds(place),
                }
                for place, name in enumerate(names)
            },
            "seconds_since_last_write": round(time.time() - last_change(self.path), 1),
            "being_written": is_locked(self.path),
        }


def stored_entropy(path: str | PathLike[str]) -> int | None:
    """The entropy of a study that was begun before; None if there is no such store."""
    if not os.path.exists(path):
        return None
    with closing(sqlite3.connect(f"{Path(path).resolve().as_uri()}?mode=ro", uri=True, timeout=10.0)) as connection:
        if is_blank(connection):
            return None
    with Store.open_reader(path) as store:
        return int(store.identity["entropy"])


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
        item.seconds,
    )
