"""Faults: each was found by an attack on the package, and must end with the right numbers or with a
sentence.
"""

import collections
import contextlib
import inspect
import itertools
import json
import os
import random
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar

import numpy as np
import pytest
from omegas import SMALL, calibrate, gaussian, toy
from typer.testing import CliRunner

import rivals
from rivals._workers.attempts import one_thread
from rivals._workers.cluster import Foreign
from rivals.calibration import StoreError, open_store
from rivals.calibration.sqlite_file import locked
from rivals.cli.app import app

# They kill processes and wait for them: one after the other, where several tests run at a time.
pytestmark = pytest.mark.xdist_group("processes")

HERE = os.path.dirname(__file__)


def run(path=None, omega=toy, n=8, **changes):
    settings = {"n_experiments": n, "store": path, "executor": 0, **SMALL, **changes}
    return calibrate(omega, **settings)


def run_script(code, *arguments, **environment):
    """Run a script that comes in by standard input, as no file has it."""
    return subprocess.run(
        [sys.executable, "-", *map(str, arguments)],
        input=f"import sys; sys.path.insert(0, {HERE!r})\n{textwrap.dedent(code)}",
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
    )


# ---------------------------------------------------------------- the store


def breaks(rng):
    if rng.random() < 0.25:
        raise ArithmeticError("a blow-up")
    return toy(rng)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A store with outcomes and failures, as bytes, and what it holds."""
    path = tmp_path_factory.mktemp("whole") / "s.sqlite"
    found = run(path, breaks, n=24)
    assert found.failures
    return path.read_bytes(), found


def spoilt_copies(content):
    """Single bits flipped, most of them where there are records; cuts of a few bytes, and at every
    512 bytes.
    """
    moments = random.Random(5)
    used = [place for place, byte in enumerate(content) if byte]
    for _ in range(400):
        spoilt = bytearray(content)
        spoilt[moments.choice(used)] ^= 1 << moments.randrange(8)
        yield bytes(spoilt)
    for cut in [*range(1, 100, 9), *range(512, len(content), 512)]:
        yield content[:-cut]


def test_a_damaged_store_is_refused_or_harmless(tmp_path, whole):
    content, expected = whole
    path = tmp_path / "s.sqlite"
    refused = []
    for spoilt in spoilt_copies(content):
        path.write_bytes(spoilt)
        try:
            found = open_store(path)
        except StoreError as error:
            refused.append(str(error))
        else:
            np.testing.assert_array_equal(found.records, expected.records)
            assert (found.failures, found.omegas, found.entropy) == (
                expected.failures,
                expected.omegas,
                expected.entropy,
            )
    assert len(refused) > 300
    assert all(str(path) in message and "\n" not in message for message in refused)


def test_a_damaged_store_is_not_continued(tmp_path, whole):
    content, expected = whole
    path = tmp_path / "s.sqlite"
    place = content.index(expected.records["risk_a"][0].tobytes())
    changed = bytes([content[place] ^ 1])
    path.write_bytes(content[:place] + changed + content[place + 1 :])
    with pytest.raises(
        StoreError,
        match=r"is damaged: the checksum of experiment \d+ of epistemic .* is wrong; restore it",
    ):
        run(path, breaks, n=24)


def test_a_record_that_vanished_is_noticed(tmp_path, whole):
    import sqlite3

    path = tmp_path / "s.sqlite"
    path.write_bytes(whole[0])
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("DELETE FROM experiments WHERE experiment = 0")
    connection.close()
    n = whole[1].n_experiments + len(whole[1].failures)
    with pytest.raises(
        StoreError, match=rf"is damaged: {n} experiments were written, {n - 1} are found"
    ):
        open_store(path)


@pytest.mark.parametrize("name", ["", ":memory:", "folder", "nothing\0here"])
def test_names_under_which_nothing_would_be_kept(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(
        StoreError, match=r"is not the name of a plain file, so nothing would be kept"
    ):
        run(name)


@pytest.mark.parametrize("moved", [True, False])
def test_a_store_that_goes_away_during_the_run(tmp_path, moved):
    path = tmp_path / "s.sqlite"

    def mischief(rng, index):
        if index == 3:
            os.rename(path, tmp_path / "elsewhere") if moved else os.remove(path)
        return toy(rng)

    with pytest.raises(
        StoreError,
        match=r"s.sqlite' was deleted, renamed or replaced during the run: what was finished",
    ):
        run(path, mischief, block_size=1)


def test_all_names_of_a_store_share_one_lock(tmp_path):
    path, link, twin = (tmp_path / name for name in ("s.sqlite", "link.sqlite", "twin.sqlite"))
    run(path)
    link.symlink_to(path)
    with (
        locked(os.path.realpath(path)),
        pytest.raises(StoreError, match="another process is writing to"),
    ):
        run(link)
    os.link(path, twin)
    with pytest.raises(StoreError, match="has another name"):
        run(twin)


def open_files(folder):
    names = (os.path.join("/proc/self/fd", fd) for fd in os.listdir("/proc/self/fd"))
    return [
        target
        for name in names
        if os.path.lexists(name) and (target := os.readlink(name)).startswith(str(folder))
    ]


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
def test_refused_files_are_closed(tmp_path, whole):
    path = tmp_path / "s.sqlite"
    kept = []
    # A file without content can be begun, and a cut may take away nothing but empty space: both may
    # be accepted.
    accepted = (b"", whole[0][:-80])
    for content in (*accepted, b"no store at all" * 100, whole[0].replace(b"RIVA", b"RAVI")):
        path.write_bytes(content)
        for use in (lambda: open_store(path), lambda: run(path, rng=None)):
            try:
                use()
            except StoreError as error:
                kept.append(error)  # with its traceback, and all that this holds on to
            else:
                assert content in accepted
            assert not open_files(tmp_path)


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="needs users")
def test_a_store_that_may_not_be_written(tmp_path):
    import tempfile

    code = """
        import os, sys, warnings
        import rivals.testbeds, rivals.calibration.store
        from test_faults import run
        if os.getuid() == 0:
            os.setuid(65534)
        try:
            run(sys.argv[1])
        except Exception as error:
            print(type(error).__name__, error)
        print(run(sys.argv[1], n=3).n_experiments)
        print(rivals.calibration.open_store(sys.argv[1]).n_experiments)
    """
    with tempfile.TemporaryDirectory() as folder:  # tmp_path is closed to others
        path = os.path.join(folder, "s.sqlite")
        run(path, n=3)
        os.remove(f"{path}-writer")
        os.chmod(folder, 0o555)
        os.chmod(path, 0o444)
        found = run_script(code, path)
        os.chmod(folder, 0o700)
    assert "StoreError" in found.stdout, found.stderr
    assert "it is read-only, or its folder is, and 5 experiments are still" in found.stdout
    assert "damaged" not in found.stdout
    # Reading needs no more, and a finished study is only read.
    assert found.stdout.splitlines()[-2:] == ["3", "3"]


# ---------------------------------------------------------------- experiments that misbehave


@pytest.mark.parametrize("executor", [0, 2])
def test_whatever_an_experiment_raises_is_recorded(executor):
    class Unspeakable(Exception):
        def __str__(self):
            raise RuntimeError

    def misbehave(rng, index):
        if index == 1:
            sys.exit(0)
        if index == 2:
            raise ValueError("a lone surrogate \udc80 " + "and a flood " * 100_000)
        if index == 3:
            raise Unspeakable
        if index == 4:
            raise GeneratorExit
        return "no experiment" if index == 5 else toy(rng)

    found = run(omega=misbehave, executor=executor)
    assert found.records["experiment"][::2].tolist() == [0, 6, 7]
    errors = [failure.error for failure in found.failures]
    assert errors[0] == "SystemExit: 0"
    assert errors[1].startswith("ValueError: a lone surrogate \\udc80 and a flood")
    assert len(errors[1]) < 3000
    assert errors[2].startswith("Unspeakable: <exception str() failed>")
    assert errors[3] == "GeneratorExit: "
    assert errors[4] == (
        "TypeError: the epistemic distribution must return an Experiment: "
        "got str; return Experiment(observe=..., candidates=...)"
    )


@pytest.mark.parametrize(
    ("asked", "name"), [(SMALL["n_data"], "n_data"), (SMALL["n_truth"], "n_truth")]
)
def test_observe_gives_as_many_points_as_asked_for(asked, name):
    def short(rng):
        return rivals.Experiment(
            observe=lambda n, rng: rng.standard_normal(n - (n == asked)),
            candidates=(gaussian(0.0), gaussian(1.0)),
        )

    error = run(omega=short, n=1).failures[0].error
    assert f"observe({asked}, rng) returned data with {asked - 1}" in error
    assert f"pass {name}={asked - 1}" in error


def test_a_time_limit_ends_what_does_not_want_to_end(monkeypatch):
    """Compiled code that keeps the interpreter, and code that catches everything, in workers; the
    others lose nothing.
    """

    def stubborn(rng, index):
        if index == 2:
            collections.deque(itertools.repeat(None), maxlen=0)
        while index == 5:
            with contextlib.suppress(BaseException):
                time.sleep(0.1)
        return toy(rng)

    monkeypatch.setattr("rivals._workers.local.OVERTIME_SECONDS", 0.3)
    # The others take a tenth of a second where six processes share two cores: they stay far from
    # the limit.
    found = run(omega={"toy": stubborn}, executor=2, time_limit=2.0, block_size=4)
    assert [failure.experiment for failure in found.failures] == [2, 5]
    assert (
        "took longer than the limit of 2 s, and could not be interrupted: its process was killed"
        in found.failures[0].error
    )
    calm = run()
    others = ~np.isin(calm.records["experiment"], [2, 5])
    np.testing.assert_array_equal(found.records, calm.records[others])


@contextlib.contextmanager
def executor_of(kind):
    """In this process, in workers, or in a thread."""
    if kind != "thread":
        yield kind
        return
    with ThreadPoolExecutor(1) as threads:
        yield threads


@pytest.mark.parametrize("kind", [0, "thread"])
@pytest.mark.parametrize("ends_within", [True, False])
def test_a_limit_within_a_limit(kind, ends_within):
    """An experiment that calibrates keeps its own limit, also while the inner one has another."""

    def sleeps(rng):
        for _ in range(600):
            time.sleep(0.1)

    def calibrates(rng):
        run(omega=sleeps if ends_within else toy, n=1, time_limit=30.0)
        return sleeps(rng)

    begin = time.monotonic()
    with executor_of(kind) as executor:
        found = run(omega=calibrates, n=1, time_limit=2.0, executor=executor)
    assert time.monotonic() - begin < 20  # the sleep lasts for 60 s
    (failure,) = found.failures
    assert failure.error == "TimeLimitExceeded: took longer than the limit of 2 s"


def test_the_inner_limit_ends_the_inner_experiment_alone():
    inner = []

    def sleeps(rng):
        time.sleep(60)

    def calibrates(rng):
        inner.append(run(omega=sleeps, n=1, time_limit=0.2))
        return toy(rng)

    found = run(omega=calibrates, n=1, time_limit=60.0)
    assert not found.failures
    assert "took longer than the limit of 0.2 s" in inner[0].failures[0].error


@pytest.mark.parametrize("kind", [0, 1, "thread"])
def test_a_limit_longer_than_any_clock(kind):
    with executor_of(kind) as executor:
        found = run(omega={"toy": toy}, n=2, time_limit=1e10, executor=executor)
    assert not found.failures
    np.testing.assert_array_equal(found.records, run(n=2).records)


@pytest.mark.parametrize("kind", [0, 2, "thread"])
def test_an_interrupt_that_an_experiment_raises_is_its_own(kind):
    def interrupts(rng, index):
        if index == 1:
            raise KeyboardInterrupt("not yours")
        return toy(rng)

    with executor_of(kind) as executor:
        found = run(omega={"toy": interrupts}, n=3, executor=executor)
    (failure,) = found.failures
    assert (failure.experiment, failure.error) == (1, "KeyboardInterrupt: not yours")


def test_what_caught_its_time_limit_is_recorded_all_the_same():
    def hides(rng):
        with contextlib.suppress(BaseException):
            time.sleep(0.5)
        return toy(rng)

    assert run(omega=hides, n=1, time_limit=0.1).failures[0].error == (
        "TimeLimitExceeded: took longer than the limit of 0.1 s"
    )


def test_a_thread_left_behind_in_a_worker_does_not_keep_us(monkeypatch):
    def leaves_a_thread(rng):
        threading.Thread(target=time.sleep, args=(100,)).start()
        return toy(rng)

    monkeypatch.setattr("rivals._workers.local.LEAVE_SECONDS", 0.5)
    begin = time.monotonic()
    found = run(omega={"toy": leaves_a_thread}, executor=1, n=2)
    assert time.monotonic() - begin < 90  # the thread sleeps for 100 s
    np.testing.assert_array_equal(found.records, run(n=2).records)


class Cluster:
    """Stands for an executor of Dask, and its client."""

    _kwargs: ClassVar = {}

    def __init__(self, *states):
        self._client, self._states = self, iter(states)

    def ncores(self):
        return {"worker": 1}

    @property
    def status(self):
        self._state = next(self._states, self.__dict__.get("_state"))
        return "running" if self._state == "no workers" else self._state

    def scheduler_info(self):
        return {"workers": {} if self._state == "no workers" else {"worker": 1}}

    def submit(self, function, *arguments, pure):
        assert not pure  # or Dask would take a block that is tried again for the first one
        with ThreadPoolExecutor(1) as threads:
            return threads.submit(function, *arguments)


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ("no workers", "has had no workers for 0.3 s"),
        ("connecting", "out of reach for 0.3 s"),
        ("closed", "is gone"),
    ],
)
def test_a_cluster_that_is_lost_is_not_waited_for_for_ever(monkeypatch, state, message):
    monkeypatch.setattr("rivals._workers.cluster.PATIENCE", 0.3)
    with pytest.raises(RuntimeError, match=rf"the Dask cluster .*{message}.*run it again"):
        run(executor=Cluster("running", "running", "running", state), block_size=1)


def test_a_result_that_cannot_be_fetched_is_an_error():
    """It is lost with its worker, and the task given up when it runs again: Dask's own executor
    then never says so, and a study waited for ever.
    """

    class Task:
        def add_done_callback(self, call):
            call(self)

        def result(self):
            raise OSError("the worker is gone")

    class Executor(Cluster):
        def submit(self, function, *arguments, pure):
            return Task()

    future = Foreign(Executor("running")).submit(toy)
    with pytest.raises(OSError, match="the worker is gone"):
        future.result(timeout=1.0)


def test_a_cluster_that_comes_back_goes_on():
    states = ["running"] * 4 + ["connecting"] * 2 + ["no workers"] + ["running"] * 1000
    np.testing.assert_array_equal(run(executor=Cluster(*states)).records, run().records)
    assert Foreign(Cluster("running")).is_ready()


def test_threads_of_numerical_libraries_are_given_back():
    threadpoolctl = pytest.importorskip("threadpoolctl")

    def threads():
        return [library["num_threads"] for library in threadpoolctl.threadpool_info()]

    with threadpoolctl.threadpool_limits(2):
        before = threads()
        one, two = one_thread(), one_thread()
        one.__enter__()
        two.__enter__()
        assert set(threads()) <= {1}
        one.__exit__(None, None, None)
        assert set(threads()) <= {1}
        two.__exit__(None, None, None)
        assert threads() == before


# ---------------------------------------------------------------- what failed can be tried again


def test_what_failed_is_tried_again_on_demand(tmp_path):
    path, trouble = tmp_path / "s.sqlite", tmp_path / "trouble"
    trouble.touch()

    def transient(rng, index):
        if index % 3 == 0 and os.path.exists(trouble):
            raise OSError("no space left on device")
        return toy(rng)

    first = run(path, {"toy": transient})
    assert len(first.failures) == 3
    assert "3 failed (retry=True runs them again)" in str(first)
    trouble.unlink()
    again = run(path, {"toy": transient})
    assert again.failures == first.failures
    healed = run(path, {"toy": transient}, retry=True)
    assert not healed.failures
    np.testing.assert_array_equal(healed.records, run(omega={"toy": transient}).records)
    np.testing.assert_array_equal(open_store(path).records, healed.records)


def test_what_fails_again_stays_recorded_once(tmp_path):
    path = tmp_path / "s.sqlite"
    first = run(path, breaks, n=24)
    again = run(path, breaks, n=24, retry=True)
    assert again.failures == first.failures
    np.testing.assert_array_equal(open_store(path).records, first.records)


# ---------------------------------------------------------------- the command line

MODULE = """
import os
from rivals.testbeds import toys

def loud(rng):
    print("simulating")
    os.write(1, b"from compiled code")
    if os.path.exists("trouble"):
        raise OSError("\\x1b[31mno licence")
    return toys.omega(rng)
"""


def invoke(*arguments):
    return CliRunner().invoke(app, ["calibrate", *map(str, arguments)])


def test_json_retry_and_status_on_the_command_line(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "loud_omegas", raising=False)
    (tmp_path / "loud_omegas.py").write_text(MODULE)
    (tmp_path / "trouble").touch()
    sizes = [
        "--n-data",
        "64",
        "--n-truth",
        "300",
        "--no-progress",
        "--workers",
        "0",
        "--n-simulations",
        "2",
        "--n-experiments",
        "3",
    ]
    line = ["loud_omegas:loud", "--store", "s.sqlite", "--json", *sizes]
    message = str(invoke(*line).exception)
    assert "run it again with --retry" in message
    assert "\x1b" not in message
    (tmp_path / "trouble").unlink()
    capfd.readouterr()
    found = invoke(*line, "--retry")
    assert json.loads(found.stdout)["experiments"] == 3
    assert "from compiled code" not in capfd.readouterr().out
    assert json.loads(invoke("--status", "s.sqlite", "--json").stdout)["experiments_wanted"] == 3


def test_status_of_a_store_of_someone_else(tmp_path):
    run(tmp_path / "s.sqlite", {"\x1b]0;owned\x07": toy}, n=2)
    shown = invoke("--status", tmp_path / "s.sqlite")
    assert shown.exit_code == 0, shown.output
    assert "\x1b" not in shown.output
    assert "\\x1b]0;owned\\x07: 2 of 2 done" in shown.output


@pytest.mark.skipif(sys.platform == "win32", reason="the signal is one of POSIX")
def test_a_run_that_is_killed_leaves_no_temporary_folder(tmp_path):
    code = (
        "import time, rivals\nfrom rivals.testbeds import toys\n"
        "def omega(rng):\n    time.sleep(0.1)\n    return toys.omega(rng)\n"
        "rivals.calibrate(omega, n_data=20, n_truth=50, n_experiments=900, "
        "c=[1.0], n_simulations=1, executor=2, progress=False)\n"
    )
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-c", code], env=environment, stderr=subprocess.DEVNULL
    )

    def wait_until(there):
        end = time.monotonic() + 60
        while bool(list(tmp_path.glob("rivals-*"))) != there and time.monotonic() < end:
            time.sleep(0.05)
        return time.monotonic() < end

    assert wait_until(True)
    time.sleep(0.5)  # between the folder and its registration
    process.kill()
    process.wait()
    assert wait_until(False)


# -------------------------------- what an experiment does to its process


def is_running(pid):
    """Whether a process runs; one that has ended but is not collected yet does not."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of forks in a process with threads
@pytest.mark.parametrize("executor", [0, 2])
def test_an_experiment_that_forks_does_not_run_twice(tmp_path, executor):
    def forks(rng, index):
        if index == 1:
            os.fork()  # and both go on
        return toy(rng)

    np.testing.assert_array_equal(
        run(None, {"toy": forks}, executor=executor).records, run(None).records
    )


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="looks for processes in /proc")
def test_processes_that_an_experiment_leaves_behind_are_ended(tmp_path):
    def leaves(rng, index):
        if index == 1:
            pid = os.fork()
            if not pid:
                time.sleep(600)
            program = subprocess.Popen(["sleep", "600"])
            (tmp_path / "left").write_text(f"{pid} {program.pid}")
        return toy(rng)

    found = run(None, {"toy": leaves}, executor=2)
    np.testing.assert_array_equal(found.records, run(None).records)
    left = [int(pid) for pid in (tmp_path / "left").read_text().split()]
    assert len(left) == 2
    deadline = time.monotonic() + 10
    while any(map(is_running, left)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_running, left))


@pytest.mark.parametrize("executor", [0, 1])
def test_streams_that_an_experiment_closes_are_opened_again(executor):
    def closes(rng, index):
        print("still there", file=sys.stderr)
        if index == 1:
            sys.stdout.close()
            sys.stderr.close()
        return toy(rng)

    code = f"""
        import sys
        sys.path.insert(0, {os.path.dirname(__file__)!r})
        import rivals
        from omegas import SMALL, toy
        {textwrap.indent(textwrap.dedent(inspect.getsource(closes)), " " * 8).lstrip()}
        found = rivals.calibrate({{"toy": closes}}, n_experiments=6, executor={executor}, **SMALL)
        print(found.n_experiments, len(found.failures), "at last")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "6 0 at last" in done.stdout
    assert "lost sys.stderr" not in done.stderr
