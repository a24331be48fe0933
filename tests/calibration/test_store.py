"""The store: what is refused, what is kept."""

import json
import os
import sqlite3
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from omegas import refitted, replicated, toy

import rivals
from rivals.calibration import StoreError, open_store
from rivals.calibration.conditions import Conditions
from rivals.calibration.store import open_reader, open_writer
from rivals.calibration.study import make_study
from rivals.laws import Beta


def run(path, small, **changes):
    return rivals.calibrate(toy, n_experiments=8, store=path, executor=0, **{**small, **changes})


def test_a_path_with_spaces_and_unicode(tmp_path, small):
    path = tmp_path / "eine Studie – 測試.sqlite"
    first = run(path, small)
    np.testing.assert_array_equal(open_store(path).records, first.records)


def test_more_experiments_are_added(tmp_path, small):
    path = tmp_path / "s.sqlite"
    first = run(path, small)
    more = rivals.calibrate(toy, n_experiments=12, store=path, executor=0, **small)
    assert more.n_experiments == 12
    np.testing.assert_array_equal(more.records[: first.records.size], first.records)
    # Asked for fewer again, it gives just these.
    np.testing.assert_array_equal(run(path, small).records, first.records)


def test_fresh_entropy_is_taken_from_the_store(tmp_path, small):
    path = tmp_path / "s.sqlite"
    first = run(path, small, rng=None)
    again = rivals.calibrate(
        toy, n_experiments=10, store=path, executor=0, **{**small, "rng": None}
    )
    assert again.entropy == first.entropy


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rng": 8}, "entropy: the store has '7', this run '8'"),
        ({"c": [1.0]}, r"c: the store has \[0.0625, 1.0\], this run \[1.0\]"),
        ({"n_data": 65}, "n_data: the store has 64, this run 65"),
        ({"n_truth": 301}, "n_truth"),
        ({"law": Beta(depth=4, n_draws=65)}, "options: the store has .*'n_draws': 64"),
        (
            {"law": Beta(n_draws=64)},
            "options: the store has .*'depth': 4.*, this run .*'depth': None",
        ),
        ({"loss_unit": "bits"}, "loss_unit: the store has None, this run 'bits'"),
        ({"law": "transport"}, "law: the store has 'beta', this run 'transport'"),
        ({"n_simulations": 3}, "n_simulations: the store has 2, this run 3"),
        ({"order": "time"}, "order: the store has None, this run 'time'"),
        ({"n_replications": 2}, "n_replications: the store has 1, this run 2"),
    ],
)
def test_another_study_is_refused_with_what_differs(tmp_path, small, changes, message):
    path = tmp_path / "s.sqlite"
    run(path, small)
    with pytest.raises(StoreError, match=f"belongs to another study: .*{message}"):
        run(path, small, **changes)


def test_other_epistemic_distributions_are_refused(tmp_path, small):
    path = tmp_path / "s.sqlite"
    run(path, small)
    with pytest.raises(StoreError, match=r"the store has \['toy'\], this run \['refitted'\]"):
        rivals.calibrate(refitted, n_experiments=8, store=path, executor=0, **small)
    with pytest.raises(
        StoreError,
        match=r"the code or the settings of epistemic distribution\(s\) \['toy'\] changed",
    ):
        rivals.calibrate({"toy": refitted}, n_experiments=8, store=path, executor=0, **small)


@pytest.mark.parametrize("schema", [99, 4])
def test_another_schema_is_refused(tmp_path, small, schema):
    path = tmp_path / "s.sqlite"
    run(path, small)
    with sqlite3.connect(path) as connection:
        connection.execute(f"PRAGMA user_version = {schema}")
    connection.close()
    for use in (lambda: run(path, small), lambda: open_store(path)):
        with pytest.raises(
            StoreError, match=rf"another rivals \(schema {schema}, .*calibrate again"
        ):
            use()


def test_the_question_is_kept(tmp_path, small):
    path = tmp_path / "s.sqlite"
    found = rivals.calibrate(
        replicated, n_experiments=4, n_replications=3, store=path, executor=0, **small
    )
    again = open_store(path)
    assert again.question == found.question == "which candidate is better in a fresh replication"
    assert again.n_replications == 3
    np.testing.assert_array_equal(again.records["truth"], found.records["truth"])


def test_one_study_answers_one_question(small):
    def mixed(rng):
        return toy(rng) if rng.random() < 0.5 else replicated(rng)

    for omegas in (mixed, {"one": toy, "two": replicated}):
        with pytest.raises(ValueError, match="some experiments have a replicate and others do not"):
            rivals.calibrate(omegas, n_experiments=20, executor=0, **small)
    with pytest.raises(ValueError, match="n_replications = 2, but an experiment has no replicate"):
        rivals.calibrate(toy, n_experiments=2, n_replications=2, executor=0, **small)


def test_foreign_and_damaged_files_are_refused(tmp_path, small):
    foreign = tmp_path / "foreign.sqlite"
    connection = sqlite3.connect(foreign)
    connection.execute("CREATE TABLE t (x)")
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match=r"not a calibration store, .*; name another file"):
        run(foreign, small)

    text = tmp_path / "text.sqlite"
    text.write_text("this is no database, and longer than a header of one hundred bytes, " * 3)
    with pytest.raises(StoreError, match="damaged or cut short"):
        run(text, small)
    assert text.read_text().startswith("this is no database")

    whole = tmp_path / "whole.sqlite"
    rivals.calibrate(toy, n_experiments=300, store=whole, executor=0, **small)
    content = whole.read_bytes()
    cut = tmp_path / "cut.sqlite"
    cut.write_bytes(content[: len(content) // 2])
    for use in (lambda: run(cut, small), lambda: open_store(cut)):
        with pytest.raises(StoreError, match="damaged or cut short"):
            use()
    spoilt = bytearray(content)
    spoilt[8192:12288] = os.urandom(4096)
    cut.write_bytes(bytes(spoilt))
    with pytest.raises(StoreError, match="damaged or cut short"):
        open_store(cut)


def test_a_writer_killed_before_its_first_commit_leaves_a_usable_file(tmp_path, small):
    path = tmp_path / "s.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    with pytest.raises(StoreError, match="still empty"):
        open_store(path)
    assert run(path, small).n_experiments == 8


def test_a_second_writer_is_refused_and_a_reader_is_not(tmp_path, small):
    path = tmp_path / "s.sqlite"
    first = run(path, small)
    sizes = {key: value for key, value in small.items() if key not in ("rng", "progress")}
    conditions = Conditions.checked(entropy=small["rng"], **sizes)
    study = make_study(toy, conditions, n_experiments=8)
    with open_writer(path, study):
        with pytest.raises(StoreError, match="another process is writing"):
            run(path, small)
        np.testing.assert_array_equal(open_store(path).records, first.records)
        with open_reader(path) as reader:
            assert reader.status()["being_written"]
    with open_reader(path) as reader:
        status = reader.status()
    assert not status["being_written"]
    assert status["omegas"] == {
        "toy": {"done": 8, "failed": 0, "seconds_each": status["omegas"]["toy"]["seconds_each"]}
    }
    assert json.dumps(status)


def test_where_no_file_can_be(tmp_path, small):
    with pytest.raises(StoreError, match="there is no folder"):
        run(tmp_path / "nowhere" / "s.sqlite", small)
    with pytest.raises(StoreError, match=r"the file cannot be opened; is its folder writable"):
        run("/proc/s.sqlite", small)  # a folder in which even root cannot write
    with pytest.raises(FileNotFoundError, match="there is no calibration store"):
        open_store(tmp_path / "nothing.sqlite")


def test_a_full_disk_loses_nothing_that_was_acknowledged(tmp_path, small):
    """A limit on the size of files (RLIMIT_FSIZE) stands for the full disk."""
    path = tmp_path / "s.sqlite"
    code = f"""
        import resource, sys
        sys.path.insert(0, {str(tmp_path)!r}); sys.path.insert(0, {os.path.dirname(__file__)!r})
        import rivals, rivals.calibration.store as store
        from omegas import Beta, calibrate, toy
        written = store.StudyStore.write
        def write(self, ended):
            written(self, ended)
            print(len(ended), flush=True)
        store.StudyStore.write = write
        resource.setrlimit(resource.RLIMIT_FSIZE, (120_000, 120_000))
        calibrate(
            toy, n_experiments=3000, store={str(path)!r}, executor=0, block_size=20, **{small!r}
        )
    """
    found = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=300
    )
    assert found.returncode != 0
    assert "could not write to the store" in found.stderr
    assert "finished experiments are safe" in found.stderr
    acknowledged = sum(map(int, found.stdout.split()))
    assert acknowledged > 0
    assert open_store(path).n_experiments == acknowledged
    finished = rivals.calibrate(
        toy, n_experiments=acknowledged + 20, store=path, executor=0, **small
    )
    expected = rivals.calibrate(toy, n_experiments=acknowledged + 20, executor=0, **small)
    np.testing.assert_array_equal(finished.records, expected.records)


def test_without_a_write_ahead_log(tmp_path, small, monkeypatch):
    """Where WAL is refused (network file systems) a rollback journal serves."""
    import rivals.calibration.sqlite_file as store

    class Refusing(sqlite3.Connection):
        def execute(self, statement, *arguments):
            if "journal_mode = WAL" in statement:
                statement = "PRAGMA journal_mode"  # answers what is: delete
            return super().execute(statement, *arguments)

    original = sqlite3.connect
    monkeypatch.setattr(
        store.sqlite3, "connect", lambda *a, **k: original(*a, **{**k, "factory": Refusing})
    )
    path = tmp_path / "s.sqlite"
    first = run(path, small)
    assert not (tmp_path / "s.sqlite-wal").exists()
    np.testing.assert_array_equal(open_store(path).records, first.records)


def test_records_as_a_data_frame(tmp_path, small):
    import pandas as pd

    calibration = run(tmp_path / "s.sqlite", small)
    frame = calibration.to_dataframe()
    assert list(frame.columns) == list(calibration.records.dtype.names)
    pd.testing.assert_frame_equal(frame, pd.DataFrame(calibration.records))


@pytest.mark.parametrize("key", ["identity", "descriptions", "target", "about"])
def test_a_study_without_an_entry_is_damaged(tmp_path, small, key):
    """As after one wrong bit in its name."""
    run(tmp_path / "s.sqlite", small)
    connection = sqlite3.connect(tmp_path / "s.sqlite")
    connection.execute("UPDATE study SET key = 'x' WHERE key = ?", (key,))
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match="damaged"):
        open_store(tmp_path / "s.sqlite")


def test_a_finished_study_is_read_once(tmp_path, small, monkeypatch):
    """Resuming it checks every record, and no record twice."""
    import rivals.calibration.store as store

    path = tmp_path / "s.sqlite"
    first = run(path, small)
    sealed = []

    def counted(*values):
        sealed.append(values)
        return seal(*values)

    seal = store.seal
    monkeypatch.setattr(store, "seal", counted)
    again = run(path, small)
    np.testing.assert_array_equal(again.records, first.records)
    of_experiments = [values[:2] for values in sealed if isinstance(values[0], int)]
    assert of_experiments == [(0, index) for index in range(8)]


def test_numbers_take_eight_bytes(tmp_path, small):
    """Of 16 values of c there are 3 · 16 + 4 numbers; with keys and checksum, below 600 bytes."""
    path = tmp_path / "s.sqlite"
    c = [2.0**-k for k in range(16)]
    found = rivals.calibrate(
        toy, n_experiments=200, store=path, executor=0, **{**small, "c": c, "law": "transport"}
    )
    assert path.stat().st_size < 200 * 600 + 20_000
    np.testing.assert_array_equal(open_store(path).records, found.records)
