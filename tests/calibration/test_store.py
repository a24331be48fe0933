"""Stores: nothing lost or twice, whatever ends a run; hostile files are refused, and not waited
for."""

from __future__ import annotations

import _thread
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import rivals
from calibration.scenarios import SMALL, replicated, shifted
from rivals.calibration import StoreError
from rivals.calibration._store import SCHEMA, open_to_read, source_of
from rivals.calibration._store import _sentences as sentences
from rivals.scenarios import Scenario, gain, noise, simulator, uniform
from rivals.testbeds.toys import gaussian

N = 60

SCRIPT = """
import sys, time
import rivals
from rivals.testbeds import toys

def slowly(rng):
    time.sleep(0.02)
    return toys.omega(rng)

if __name__ == "__main__":
    rivals.calibrate(
        {"slowly": slowly}, n_data=50, n_truth=100, n_experiments=%d, c=[0.1, 1.0], rng=3,
        store=sys.argv[1], n_jobs=int(sys.argv[2]), progress=False,
    )
"""


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(SCRIPT % N)
    return path


def start(script, store, n_jobs=1):
    command = [sys.executable, str(script), str(store), str(n_jobs)]
    return subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)


def rows(store):
    with closing(sqlite3.connect(store)) as connection:
        return connection.execute("SELECT * FROM experiments ORDER BY experiment").fetchall()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("undisturbed")
    script = folder / "script.py"
    script.write_text(SCRIPT % N)
    assert start(script, folder / "study.sqlite").wait() == 0
    return rows(folder / "study.sqlite")


def kill_after_a_transaction(process, store, before):
    """Kill -9 of all processes of a run, once there is more than before; the number of rows."""
    now = before
    while process.poll() is None and now <= before:
        time.sleep(0.02)
        with contextlib.suppress(sqlite3.Error):  # not made yet
            now = len(rows(store)) if store.exists() else 0
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return now


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_killed_and_resumed_every_experiment_is_there_once(script, tmp_path, undisturbed, n_jobs):
    store = tmp_path / "study.sqlite"
    first = kill_after_a_transaction(start(script, store, n_jobs), store, 0)
    assert 0 < first <= N
    kill_after_a_transaction(start(script, store, n_jobs), store, first)
    assert start(script, store, n_jobs).wait() == 0
    assert rows(store) == undisturbed


def test_two_writers_at_a_time_lose_nothing(script, tmp_path, undisturbed):
    store = tmp_path / "study.sqlite"
    writers = [start(script, store) for _ in range(2)]
    assert [writer.wait() for writer in writers] == [0, 0]
    assert rows(store) == undisturbed


@pytest.mark.skipif(sys.platform == "win32", reason="there is no limit on file sizes")
def test_a_full_disk_gives_a_sentence_and_the_rest_follows_later(tmp_path):
    """A limit on file sizes: SQLite sees it as it sees a full disk."""
    store = tmp_path / "study.sqlite"
    code = (
        "import resource, rivals\nfrom rivals.testbeds import toys\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (12_000, 12_000))\n"
        "rivals.calibrate(toys.omega, n_data=50, n_truth=100, n_experiments=150, rng=0, "
        f"store={str(store)!r}, progress=False)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert "StoreError" in last
    assert str(store) in last
    assert "full" in last
    from rivals.testbeds import toys

    options = {"n_data": 50, "n_truth": 100, "n_experiments": 150, "rng": 0, "progress": False}
    whole = rivals.calibrate(toys.omega, store=store, **options)
    assert np.array_equal(whole.outcomes, rivals.calibrate(toys.omega, **options).outcomes)


# ---------------------------------------------------------------- another study


def run(scenarios, store, **options):
    return rivals.calibrate(
        scenarios, store=store, **{**SMALL, "n_experiments": 5, "most_truth": 1000, **options}
    )


def test_a_store_without_a_name_is_refused_before_anything_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="store: '' is no name of a file; leave it out"):
        run(shifted, "")
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"n_data": 200}, "n_data: 100 there, 200 here"),
        ({"c": [0.1, 0.2]}, "c: "),
        ({"method": "beta"}, "'transport'"),
        ({"rng": 8}, "entropy"),
        ({"order": "time"}, "order"),
    ],
)
def test_another_study_is_refused_with_what_differs(tmp_path, options, said):
    store = tmp_path / "study.sqlite"
    run(shifted, store)
    with pytest.raises(StoreError, match=said):
        run(shifted, store, **options)
    assert rivals.Calibration.open(store).n_experiments == 5


def test_a_changed_scenario_is_refused_and_a_changed_comment_is_not(tmp_path):
    versions = {
        "before": "def omega(rng):\n    return make(0.3, rng)\n",
        "comment": "def omega(rng):  # as in Table 2\n    return make(0.3,  rng)\n",
        "after": "def omega(rng):\n    return make(0.4, rng)\n",
    }
    store = tmp_path / "study.sqlite"
    for name, text in versions.items():
        path = tmp_path / f"{name}.py"
        path.write_text(text)
        space = {"make": lambda spread, rng: shifted(rng, spread)}
        exec(compile(text, str(path), "exec"), space)
        if name == "after":
            with pytest.raises(StoreError, match=r"make\(0.3, rng\).*make\(0.4, rng\)"):
                run(space["omega"], store)
        else:
            run(space["omega"], store)


def test_names_of_scenarios_are_part_of_a_study(tmp_path):
    store = tmp_path / "study.sqlite"
    run({"a": shifted, "b": replicated}, store)
    with pytest.raises(StoreError, match="scenarios"):
        run({"a": shifted}, store)


def test_what_is_bound_to_a_function_is_part_of_it():
    assert source_of(partial(shifted, spread=0.1)) != source_of(partial(shifted, spread=0.2))
    assert "def shifted" in source_of(shifted).code

    @dataclass
    class Condition:
        noise: float

        def __call__(self, rng):
            return shifted(rng, self.noise)

    assert source_of(Condition(0.1)) == source_of(Condition(0.1))
    assert source_of(Condition(0.1)) != source_of(Condition(0.2))
    assert source_of(partial(shifted, spread=object())) == source_of(
        partial(shifted, spread=object())
    )


def constant(n, rng, level):
    return np.full(n, level)


def blocks(size=0.02, *, scale=1.0, function=constant):
    models = {"low": gaussian(-0.1), "high": gaussian(0.1)}
    truth = simulator(function, level=uniform(-0.2, 0.2))
    return Scenario(models, truth, [gain(size), noise(scale)])


def test_scenarios_by_blocks_are_compared_and_not_their_source(tmp_path):
    store = tmp_path / "study.sqlite"
    run({"Ω": blocks()}, store)
    assert run({"Ω": blocks()}, store).n_experiments == 5
    assert "class Scenario" not in source_of(blocks()).code
    message = "scenario 'Ω', chain 0 numbers factor values 1: 0.02 there, 0.05 here"
    with pytest.raises(StoreError, match=message):
        run({"Ω": blocks(0.05)}, store)
    with pytest.raises(StoreError, match=r"chain 1 numbers scale: 1.0 there, 2.0 here"):
        run({"Ω": blocks(scale=2.0)}, store)
    with pytest.raises(StoreError, match=r"another study \(scenario 'Ω', new: 'process' there"):
        run({"Ω": replace(blocks(), new="replication")}, store)
    with pytest.raises(StoreError, match="the code of scenario"):
        run({"Ω": shifted}, store)


def test_the_users_own_function_is_part_of_a_scenario(tmp_path):
    def constant(n, rng, level):
        return np.full(n, level) + 0.0

    constant.__qualname__ = "constant"
    store = tmp_path / "study.sqlite"
    run({"Ω": blocks()}, store)
    with pytest.raises(StoreError, match=r"np.full\(n, level\).*np.full\(n, level\) \+ 0.0"):
        run({"Ω": blocks(function=constant)}, store)


def test_a_stored_scenario_describes_itself(tmp_path):
    store = tmp_path / "study.sqlite"
    omega = blocks()
    made = rivals.calibrate(
        {"Ω": omega}, store=store, n_data=200, n_experiments=400, n_truth=2000, rng=0, c=[2**-9, 1]
    )
    opened = rivals.Calibration.open(store)
    assert opened.to_dict()["blocks"] == {"Ω": omega.to_dict()} == made.to_dict()["blocks"]
    assert omega.describe_data() in opened.methods()
    again = Scenario.from_dict(opened.to_dict()["blocks"]["Ω"], omega.candidates, constant)
    assert again == omega


# ---------------------------------------------------------------- files from anywhere


def hostile(path, *statements):
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)
    return path


ENDLESS = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
    "SELECT i, i, i, i, i, i, i, i, NULL FROM n"
)
HOSTILE = {
    "an endless view": (
        SCHEMA[0],
        "CREATE VIEW experiments (scenario, experiment, risk_a, risk_b, truth_error, n_truth, "
        f"replicated, found, error) AS {ENDLESS}",
    ),
    "a trigger": (*SCHEMA, "CREATE TRIGGER t AFTER INSERT ON experiments BEGIN SELECT 1; END"),
    "another table": (*SCHEMA, "CREATE TABLE more (x)"),
    "a computed column": (
        SCHEMA[0],
        SCHEMA[1].replace("error TEXT", "error TEXT AS (printf('%*s', 1000000000, 'x'))"),
    ),
    "no header": SCHEMA,
    "a header that is no study": (
        *SCHEMA,
        "INSERT INTO study VALUES ('format', 'rivals.Calibration/2')",
        "INSERT INTO study VALUES ('conditions', '[]')",
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_file_is_refused_at_once(tmp_path, name):
    path = hostile(tmp_path / "bad.sqlite", *HOSTILE[name])
    with pytest.raises(StoreError, match="bad"):
        rivals.Calibration.open(path)
    with pytest.raises(StoreError, match="bad"):
        run(shifted, path)


def test_an_interrupt_is_heard_while_a_query_runs(tmp_path):
    store = tmp_path / "study.sqlite"
    run(shifted, store)
    timer = threading.Timer(0.5, _thread.interrupt_main)
    timer.start()
    with open_to_read(store) as opened, pytest.raises(KeyboardInterrupt), sentences(opened.name):
        opened.connection.execute(f"SELECT count(*) FROM ({ENDLESS})").fetchone()


def test_what_is_no_database_is_refused(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("Not a calibration, but some notes of mine. " * 100)
    with pytest.raises(StoreError, match="notes"):
        rivals.Calibration.open(path)
    with pytest.raises(FileNotFoundError):
        rivals.Calibration.open(tmp_path / "nothing.sqlite")
    with pytest.raises(StoreError, match="folder"):
        run(shifted, tmp_path / "no" / "folder" / "study.sqlite")


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE experiments SET found = x'00'",
        "UPDATE experiments SET found = 'text'",
        "UPDATE experiments SET risk_a = 'a lot'",
        "UPDATE experiments SET scenario = 5",
        "UPDATE experiments SET truth_error = NULL",
        "UPDATE experiments SET found = zeroblob(48), risk_b = 9e999",
        "UPDATE experiments SET n_truth = 9e999",
        "UPDATE experiments SET error = x'ff'",
        "UPDATE experiments SET error = 'failed', scenario = -1",
    ],
)
def test_a_damaged_store_is_refused(tmp_path, change):
    store = tmp_path / "study.sqlite"
    run(shifted, store)
    hostile(store, change)
    with pytest.raises(StoreError, match="damaged"):
        rivals.Calibration.open(store)


def test_a_header_is_checked_like_anybodys_options(tmp_path):
    store = tmp_path / "study.sqlite"
    run(shifted, store)
    with closing(sqlite3.connect(store)) as connection:
        (text,) = connection.execute("SELECT value FROM study WHERE name='conditions'").fetchone()
        plain = json.loads(text)
        for wrong in (
            {"n_data": -1},
            {"c": ["x"]},
            {"method": {"name": "os.system"}},
            {"c": [1] * 9},
        ):
            changed = json.dumps({**plain, **wrong})
            connection.execute("UPDATE study SET value=? WHERE name='conditions'", (changed,))
            connection.commit()
            with pytest.raises(StoreError, match="no calibration can be read"):
                rivals.Calibration.open(store)


def test_a_store_is_one_plain_file(tmp_path):
    store = tmp_path / "study.sqlite"
    run(shifted, store)
    assert [path.name for path in Path(tmp_path).iterdir()] == ["study.sqlite"]
