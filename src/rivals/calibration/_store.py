"""Where experiments are kept: two tables of SQLite, in memory or in a file.

A header says what the study is: its conditions, and its scenarios: blocks as they are, functions by
their code. Experiments
are written in transactions, many at a time, each experiment under its scenario and index: so
nothing is lost by a kill or a full disk but what was not written yet, and nothing is there twice,
also where two processes write.

A file may come from anywhere. Nothing in it is executed: its tables must be these, word for word,
before anything else is asked of it.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import sqlite3
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from difflib import unified_diff
from functools import partial
from os import PathLike, fspath
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._core.checks import check_printable
from rivals.calibration._experiment import Conditions, Outcome
from rivals.scenarios import Scenario

FORMAT = "rivals.Calibration/2"
MEMORY = ":memory:"
SCHEMA = (
    "CREATE TABLE study (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE experiments (scenario INTEGER, experiment INTEGER, risk_a REAL, risk_b REAL, "
    "truth_error REAL, n_truth INTEGER, replicated INTEGER, found BLOB, error TEXT, "
    "PRIMARY KEY (scenario, experiment)) WITHOUT ROWID",
)
# What is there stays, but for a failure, and for a truth from fewer points.
WRITE = """
INSERT INTO experiments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (scenario, experiment) DO UPDATE SET risk_a = excluded.risk_a, risk_b = excluded.risk_b,
truth_error = excluded.truth_error, n_truth = excluded.n_truth, replicated = excluded.replicated,
found = excluded.found, error = excluded.error
WHERE excluded.error IS NULL AND (error IS NOT NULL OR excluded.n_truth > n_truth)
"""
READ = """
SELECT scenario, experiment, risk_a, risk_b, truth_error, n_truth, replicated, found
FROM experiments WHERE error IS NULL ORDER BY scenario, experiment
"""
# Seconds to wait for another process.
PATIENCE = 60.0
# The longest text that a store may hold, and steps of SQLite between looks at the keyboard.
LONGEST = 2**22
STEPS = 10_000
# What an error of SQLite means, by the beginning of its name.
MEANINGS = {
    "SQLITE_FULL": "the disk is full; make room",
    "SQLITE_IOERR": "the disk cannot be written: is it full, or a limit on file sizes reached?",
    "SQLITE_READONLY": "the file cannot be written",
    "SQLITE_CANTOPEN": "the file cannot be opened: is its folder there?",
    "SQLITE_BUSY": "another process has been writing to it for a minute",
    "SQLITE_NOTADB": "it is not a calibration",
    "SQLITE_CORRUPT": "it is damaged; restore it from a copy",
}


class StoreError(RuntimeError):
    """A store cannot be used; the message says why, and what to do."""


@dataclass(frozen=True)
class Failure:
    """An experiment that raised an error: its scenario, index, and the error."""

    scenario: str
    experiment: int
    error: str


@dataclass(frozen=True)
class Source:
    """What a scenario is.

    Attributes
    ----------
    code : str
        The source text of its function; of a scenario by blocks, of the user's own functions.
    blocks : dict or None
        What `rivals.scenarios.Scenario.to_dict` gives.
    description : str
        In sentences.
    """

    code: str
    blocks: dict[str, Any] | None = None
    description: str = ""


@dataclass(frozen=True)
class Study:
    """What a store is of.

    Attributes
    ----------
    conditions : Conditions
    sources : mapping
        Scenario → what it is.
    """

    conditions: Conditions
    sources: Mapping[str, Source]

    def header(self) -> dict[str, str]:
        """As texts."""
        return {
            "format": FORMAT,
            "conditions": json.dumps(self.conditions.to_dict(), allow_nan=False),
            "scenarios": json.dumps({name: asdict(each) for name, each in self.sources.items()}),
        }


class Store:
    """The experiments of one study.

    Parameters
    ----------
    connection : sqlite3.Connection
    study : Study
    name : str
        For messages.
    """

    def __init__(self, connection: sqlite3.Connection, study: Study, name: str) -> None:
        self.connection = connection
        self.study = study
        self.name = name

    @property
    def n_wanted(self) -> int:
        """How many experiments of each scenario were asked for."""
        return int(_header(self.connection)["n_experiments"])

    def wants(self, n_experiments: int) -> None:
        """Note that so many are asked for, or more."""
        with self._transaction():
            more = max(n_experiments, self.n_wanted)
            self.connection.execute(
                "UPDATE study SET value = ? WHERE name = 'n_experiments'", (str(more),)
            )

    def write(self, found: Sequence[tuple[int, int, Outcome | str]]) -> None:
        """Outcomes, or errors, of experiments (scenario, index): all of them, or none."""
        with self._transaction():
            self.connection.executemany(WRITE, [_row(*each) for each in found])

    def done(self, *, retry: bool = False) -> set[tuple[int, int]]:
        """The experiments that need not be run: those that failed too, unless to `retry` them."""
        which = "WHERE error IS NULL" if retry else ""
        with _sentences(self.name):
            return set(
                self.connection.execute(f"SELECT scenario, experiment FROM experiments {which}")
            )

    def outcomes(self) -> npt.NDArray[Any]:
        """What was found, one row for each experiment."""
        n_c = len(self.study.conditions.c)
        with _sentences(self.name):
            rows = self.connection.execute(READ).fetchall()
        found = np.zeros(len(rows), dtype=kinds(n_c))
        try:
            for place, (*numbers, both) in enumerate(rows):
                probability, error = np.frombuffer(both, "<f8").reshape(2, n_c)
                scenario, experiment, *truth = numbers
                found[place] = (scenario, experiment, probability, error, *truth)
        except (OverflowError, TypeError, ValueError) as error:
            raise self.damaged(error) from None
        return found

    def damaged(self, error: Exception | str) -> StoreError:
        """That what is there makes no sense."""
        return StoreError(f"{self.name} is damaged ({error}); restore it from a copy")

    def failures(self) -> tuple[Failure, ...]:
        """Experiments that have no outcome."""
        query = "SELECT scenario, experiment, error FROM experiments WHERE error IS NOT NULL"
        names = list(self.study.sources)
        with _sentences(self.name):
            rows = self.connection.execute(f"{query} ORDER BY scenario, experiment").fetchall()
        for place, _, error in rows:
            if place not in range(len(names)) or not isinstance(error, str):
                raise self.damaged("a failure is of no scenario, or no text")
        return tuple(Failure(names[place], index, error) for place, index, error in rows)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with _sentences(self.name), _all_or_nothing(self.connection):
            yield


def kinds(n_c: int) -> list[Any]:
    """The fields of an outcome."""
    return [
        ("scenario", "i8"),
        ("experiment", "i8"),
        ("probability", "f8", (n_c,)),
        ("standard_error", "f8", (n_c,)),
        ("risk_a", "f8"),
        ("risk_b", "f8"),
        ("truth_error", "f8"),
        ("n_truth", "i8"),
        ("replicated", "?"),
    ]


def _row(place: int, index: int, found: Outcome | str) -> tuple[Any, ...]:
    if isinstance(found, str):
        return (place, index, None, None, None, 0, 0, None, found[:LONGEST])
    both = np.stack([found.probability, found.standard_error]).astype("<f8").tobytes()
    truth = (found.risk_a, found.risk_b, found.truth_error, found.n_truth, found.replicated)
    return (place, index, *truth, both, None)


# ---------------------------------------------------------------- files


@contextmanager
def open_to_write(path: str | PathLike[str] | None, study: Study) -> Iterator[Store]:
    """The store of a study, new or continued; without a path in memory."""
    name = MEMORY if path is None else fspath(path)
    if not name:
        raise ValueError("store: '' is no name of a file; leave it out to keep nothing")
    with _connected(name, name) as connection:
        with _sentences(name), _all_or_nothing(connection):
            if not _schema(connection):
                for statement in SCHEMA:
                    connection.execute(statement)
                header = {**study.header(), "n_experiments": "0"}
                connection.executemany("INSERT INTO study VALUES (?, ?)", header.items())
        _refuse_another(name, _checked(connection, name).study, study)
        yield Store(connection, study, name)


@contextmanager
def open_to_read(path: str | PathLike[str]) -> Iterator[Store]:
    """A store that somebody made."""
    name = fspath(path)
    if not Path(name).is_file():
        raise FileNotFoundError(f"there is no calibration {name!r}")
    # Not read-only: what a killed process left half-written is rolled back first.
    with _connected(f"{Path(name).absolute().as_uri()}?mode=rw", name) as connection:
        yield _checked(connection, name)


def stored_entropy(path: str | PathLike[str]) -> int | None:
    """The entropy of a study that was begun; None if there is none."""
    if not Path(path).is_file() or not Path(path).stat().st_size:
        return None
    with open_to_read(path) as store:
        return store.study.conditions.entropy


@contextmanager
def _connected(address: str, name: str) -> Iterator[sqlite3.Connection]:
    with _sentences(name):
        connection = sqlite3.connect(
            address, timeout=PATIENCE, isolation_level=None, uri=address != name
        )
    try:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
        connection.set_progress_handler(lambda: 0, STEPS)  # lets Python hear an interrupt
        with _sentences(name):
            connection.execute("PRAGMA trusted_schema = OFF")
        yield connection
    finally:
        connection.close()


def _schema(connection: sqlite3.Connection) -> set[str]:
    return {sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master")}


def _checked(connection: sqlite3.Connection, name: str) -> Store:
    """The store, if its tables are ours and its header makes sense."""
    with _sentences(name):
        if _schema(connection) != set(SCHEMA):
            raise StoreError(f"{name} is not a calibration of this version of rivals")
        try:
            header = _header(connection)
            if header["format"] != FORMAT:
                raise ValueError(f"format {header['format']!r}")
            conditions = Conditions.from_dict(json.loads(header["conditions"]))
            scenarios = json.loads(header["scenarios"])
            sources = {str(name): _source(each) for name, each in scenarios.items()}
            int(header["n_experiments"])
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise StoreError(f"{name}: no calibration can be read from it ({error})") from None
    return Store(connection, Study(conditions, sources), name)


def _source(found: Mapping[str, Any]) -> Source:
    """What a header holds of a scenario."""
    blocks = found["blocks"]
    if not (blocks is None or isinstance(blocks, dict)):
        raise TypeError("the blocks of a scenario are no mapping")
    check_printable("scenarios", [str(found["description"])])
    return Source(str(found["code"]), blocks, str(found["description"]))


def _header(connection: sqlite3.Connection) -> dict[str, str]:
    return dict(connection.execute("SELECT name, value FROM study"))


@contextmanager
def _all_or_nothing(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def _sentences(name: str) -> Iterator[None]:
    """Errors of SQLite as sentences that name the file."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorname", None) or ""
        if code == "SQLITE_INTERRUPT":
            raise KeyboardInterrupt from None
        meaning = next((text for key, text in MEANINGS.items() if code.startswith(key)), str(error))
        raise StoreError(f"{name}: {meaning} ({error})") from None


# ---------------------------------------------------------------- what a study is


def source_of(scenario: Callable[..., Any]) -> Source:
    """Of a scenario by blocks these, and the code of its functions; of another its code."""
    if not isinstance(scenario, Scenario):
        return Source(code_of(scenario))
    code = "\n".join(code_of(each) for each in scenario.functions())
    return Source(code, scenario.to_dict(), scenario.describe_data())


def code_of(scenario: Callable[..., Any]) -> str:
    """The source text of a function, without comments and layout, and what is bound to it.

    What a function takes from elsewhere is not part of it.
    """
    bound = ""
    while isinstance(scenario, partial):
        bound += f"\n{scenario.args!r} {scenario.keywords!r}"
        scenario = scenario.func
    kind: Any = scenario
    if not inspect.isroutine(scenario):
        bound += f"\n{scenario!r}"
        kind = type(scenario)
    bound = re.sub(" at 0x[0-9a-f]+", "", bound)  # differs from run to run
    try:
        text = textwrap.dedent(inspect.getsource(kind))
    except (OSError, TypeError, SyntaxError, TokenError):  # no file, or a file that has changed
        return f"{getattr(kind, '__qualname__', kind)}{bound}"
    try:
        text = ast.unparse(ast.parse(text))
    except SyntaxError:  # a lambda within an expression
        text = text.strip()
    return text + bound


def _refuse_another(name: str, stored: Study, wanted: Study) -> None:
    """Refuse to mix two studies in one file, with what differs."""
    old, new = stored.conditions.to_dict(), wanted.conditions.to_dict()
    found = [f"{key}: {old[key]!r} there, {new[key]!r} here" for key in old if old[key] != new[key]]
    if list(stored.sources) != list(wanted.sources):
        found.append(f"scenarios: {list(stored.sources)} there, {list(wanted.sources)} here")
    else:
        for key, there in stored.sources.items():
            here = wanted.sources[key]
            found += [f"scenario {key!r}, {each}" for each in _changed(there.blocks, here.blocks)]
            if there.code != here.code:
                found.append(
                    f"the code of scenario {key!r}: {_first_change(there.code, here.code)}"
                )
    if found:
        raise StoreError(
            f"{name} holds another study ({'; '.join(found)}); name another file, or run that study"
        )


def _changed(old: Any, new: Any) -> list[str]:
    """What differs between two scenarios by blocks, as "chain 0 numbers scale: 1 there, 2 here"."""
    there, here = _leaves(old), _leaves(new)
    both = {
        path: (there.get(path, "nothing"), here.get(path, "nothing"))
        for path in dict.fromkeys([*there, *here])
    }
    return [
        f"{' '.join(path)}: {was!r} there, {now!r} here"
        for path, (was, now) in both.items()
        if was != now
    ]


def _leaves(value: Any, path: tuple[str, ...] = ()) -> dict[tuple[str, ...], Any]:
    """Every value within, by where it is."""
    if isinstance(value, (list, tuple)):
        value = dict(enumerate(value))
    if not isinstance(value, Mapping):
        return {path: value}
    found: dict[tuple[str, ...], Any] = {}
    for name, each in value.items():
        found |= _leaves(each, (*path, str(name)))
    return found


def _first_change(old: str, new: str) -> str:
    lines = unified_diff(old.splitlines(), new.splitlines(), lineterm="", n=0)
    changes = [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    there = next((line[1:].strip() for line in changes if line[0] == "-"), "nothing")
    here = next((line[1:].strip() for line in changes if line[0] == "+"), "nothing")
    return f"{there!r} there, {here!r} here"
