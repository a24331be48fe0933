"""The run: the same bits however it is executed, and no death is the end."""

import importlib
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext

import numpy as np
import pytest
from omegas import SMALL, KillsItsWorker, calibrate, gaussian, now_and_then, slow, toy

import rivals
from rivals._say.warn import warn
from rivals._workers.jobs import Block
from rivals._workers.plan import Plan
from rivals._workers.sending import pack, unpack
from rivals.calibration import CalibrationInterrupted, StoreError, open_store
from rivals.calibration.conditions import Conditions
from rivals.calibration.study import make_study

# They kill processes and wait for them: one after the other, where several tests run at a time.
pytestmark = pytest.mark.xdist_group("processes")

HERE = os.path.dirname(__file__)


@pytest.fixture(scope="module")
def expected():
    return rivals.calibrate({"one": toy, "two": toy}, n_experiments=60, executor=0, **SMALL).records


def test_plan_hands_out_each_missing_experiment_once():
    done = [np.zeros(50, dtype=bool), np.arange(50) % 7 == 0]
    for size in (None, 1, 4, 1000):
        plan = Plan([~mask for mask in done], block_size=size)
        plan.learn(Block(0, range(1)), seconds=0.02)
        seen = [set(), set()]
        while (block := plan.next_block()) is not None:
            assert isinstance(block, Block)
            for index in block.indices:
                assert index not in seen[block.place]
                seen[block.place].add(index)
        assert seen == [set(np.flatnonzero(~mask)) for mask in done]


def test_blocks_take_about_a_second():
    plan = Plan([np.ones(1000, dtype=bool)])
    assert len(plan.next_block().indices) == 1
    plan.learn(Block(0, range(50)), seconds=0.5)
    assert len(plan.next_block().indices) == 100


@pytest.mark.parametrize(("executor", "block_size"), [(1, None), (2, 1), (2, 7)])
def test_same_bits_for_any_workers_and_blocks(small, expected, executor, block_size):
    found = calibrate(
        {"one": toy, "two": toy},
        n_experiments=60,
        executor=executor,
        block_size=block_size,
        **small,
    )
    np.testing.assert_array_equal(found.records, expected)


def test_any_executor_will_do(small, expected):
    """Processes and threads of the standard library; lambdas travel too."""
    named = {"one": lambda rng: toy(rng), "two": toy}
    with ProcessPoolExecutor(2) as processes:
        found = rivals.calibrate(named, n_experiments=60, executor=processes, **small)
    np.testing.assert_array_equal(found.records, expected)
    with ThreadPoolExecutor(2) as threads:
        found = rivals.calibrate(named, n_experiments=60, executor=threads, **small)
    np.testing.assert_array_equal(found.records, expected)


@pytest.mark.parametrize("executor", [None, 2])
def test_without_loky_all_run_in_this_process(small, expected, monkeypatch, executor):
    monkeypatch.setitem(sys.modules, "loky", None)
    with pytest.warns(rivals.RivalsWarning, match=r"'loky' is not installed.*runs in this process"):
        found = rivals.calibrate(
            {"one": toy, "two": toy}, n_experiments=60, executor=executor, **small
        )
    np.testing.assert_array_equal(found.records, expected)


def test_a_worker_that_is_killed_costs_nothing(tmp_path, small):
    """kill -9 in six experiments of a hundred, once each: the records are those of a calm run."""
    folder = tmp_path / "markers"
    folder.mkdir()
    found = calibrate(
        {"k": KillsItsWorker(folder)}, n_experiments=100, executor=2, block_size=10, **small
    )
    deaths = len(list(folder.iterdir()))
    assert deaths >= 3
    assert not found.failures
    # Now that all markers exist, nothing is killed any more: the same study in this process.
    again = rivals.calibrate({"k": KillsItsWorker(folder)}, n_experiments=100, executor=0, **small)
    np.testing.assert_array_equal(found.records, again.records)


def test_an_experiment_that_always_kills_its_worker_is_recorded(tmp_path, small):
    found = calibrate(
        {"k": KillsItsWorker(tmp_path, always=True)},
        n_experiments=50,
        executor=2,
        block_size=10,
        **small,
    )
    deadly = len(list(tmp_path.iterdir()))
    assert deadly >= 1
    assert len(found.failures) == deadly
    assert found.n_experiments == 50 - deadly
    assert "the worker died 3 times" in found.failures[0].error


def test_failures_are_recorded_with_seed_and_traceback(small):
    found = rivals.calibrate({"f": now_and_then}, n_experiments=80, executor=0, **small)
    assert 10 < len(found.failures) < 35
    failure = found.failures[0]
    assert failure.attempts == 3
    assert failure.error == "ArithmeticError: a blow-up of the integration"
    assert "omegas.py" in failure.traceback
    assert failure.seed == f"numpy.random.SeedSequence(7, spawn_key=(0, {failure.experiment}))"
    assert found.n_experiments + len(found.failures) == 80
    assert f"{len(found.failures)} failed" in str(found)


def test_a_time_limit_ends_an_experiment(small):
    begin = time.monotonic()
    found = rivals.calibrate({"s": slow}, n_experiments=8, executor=0, time_limit=0.5, **small)
    assert time.monotonic() - begin < 55  # a single one of them sleeps for a minute, on any machine
    assert found.failures
    assert found.failures[0].error == "TimeLimitExceeded: took longer than the limit of 0.5 s"
    assert found.n_experiments + len(found.failures) == 8


def test_a_time_limit_in_a_thread(small):
    """No alarms in threads: a busy loop is ended all the same."""

    def busy(rng):
        while True:
            rng.random()

    with ThreadPoolExecutor(1) as threads:
        found = rivals.calibrate(
            {"b": busy}, n_experiments=1, executor=threads, time_limit=0.3, **small
        )
    assert "took longer than the limit of 0.3 s" in found.failures[0].error


SCRIPT = """
    import sys
    sys.path.insert(0, {here!r})
    import rivals
    from omegas import Beta, {omega}
    rivals.calibrate(
        {{"one": {omega}, "two": {omega}}},
        n_experiments={n}, executor=2, store={store!r}, **{small!r},
    )
    print("finished")
"""


@contextmanager
def started(store, small, *, omega="toy", n=60):
    """A process that calibrates; it and its pipes end with the block, whatever happens there."""
    code = textwrap.dedent(SCRIPT).format(
        here=HERE, store=str(store), small=small, omega=omega, n=n
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def finished_so_far(store):
    try:
        return open_store(store).n_experiments
    except FileNotFoundError:
        return 0
    except StoreError as error:
        if "still empty" in str(error):
            return 0
        raise


@pytest.mark.slow
def test_killing_the_parent_ten_times(tmp_path, small):
    """kill -9 at ten random moments, then to the end: the same bits as in one go."""
    store = tmp_path / "s.sqlite"
    moments = random.Random(3)
    progress = []
    for _ in range(10):
        # 20 s of work for two workers: more than ten lives have
        with started(store, small, omega="sleeper", n=400) as process:
            time.sleep(moments.uniform(1.0, 2.5))
            assert process.poll() is None
            process.kill()
            process.communicate(
                timeout=60
            )  # ends with its last worker: none must outlive the parent
        progress.append(finished_so_far(store))
    assert progress == sorted(progress)
    with started(store, small, omega="sleeper", n=400) as process:
        output, errors = process.communicate(timeout=300)
    assert "finished" in output, errors
    expected = rivals.calibrate({"one": toy, "two": toy}, n_experiments=400, executor=0, **small)
    np.testing.assert_array_equal(open_store(store).records, expected.records)


def test_interrupting_keeps_what_was_acknowledged(tmp_path, small):
    store = tmp_path / "s.sqlite"
    with started(store, small, omega="sleeper", n=2000) as process:
        deadline = time.monotonic() + 120  # three processes start: seconds of processor time
        while finished_so_far(store) <= 3:
            assert time.monotonic() < deadline
            time.sleep(0.1)
        before = open_store(store).n_experiments
        process.send_signal(signal.SIGINT)
        # It takes half a second, and several times that on a busy machine. Had the interrupt been
        # lost, it would take 100 s on any machine: all the work is sleep.
        output, errors = process.communicate(timeout=45)
    assert "finished" not in output
    assert "run it again to continue" in errors
    assert open_store(store).n_experiments >= before


def test_interrupting_in_this_process(small, tmp_path):
    def interrupt(rng):
        if rng.random() < 0.15:
            signal.raise_signal(signal.SIGINT)
        return toy(rng)

    store = tmp_path / "s.sqlite"
    with pytest.raises(
        CalibrationInterrupted, match=r"stopped after \d+ of 40 experiments; all of them are in"
    ) as caught:
        calibrate(
            {"i": interrupt}, n_experiments=40, executor=0, block_size=1, store=store, **small
        )
    assert f"after {open_store(store).n_experiments} of 40" in str(caught.value)
    with pytest.raises(CalibrationInterrupted, match="they are lost; name a store"):
        calibrate({"i": interrupt}, n_experiments=40, executor=0, block_size=1, **small)


def test_memory_of_the_parent_does_not_grow():
    """4·10⁴ experiments in blocks, without the work itself: the parent stays under 200 MiB."""
    code = """
        import tempfile
        import numpy as np
        import rivals._workers.processes as execution
        from rivals import calibrate
        from rivals.calibration.experiment import Outcome
        from rivals._workers.jobs import Ended

        def quick(task, block):
            half = np.full(8, 0.5)
            outcome = Outcome(half, half, half, 0.1, 0.2, 0.01, 1.0, False)
            return [Ended(block.place, i, outcome, 1e-3) for i in block.indices]

        execution.run_block = quick
        with tempfile.TemporaryDirectory() as folder:
            found = calibrate(
                print, c=[2.0**k for k in range(8)], n_data=10, n_experiments=40_000,
                executor=0, progress=False, store=folder + "/s.sqlite",
            )
            assert found.records.size == 320_000
        # Not ru_maxrss, which counts what the test run itself had at the fork.
        peak = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
        print(int(peak.split()[1]) / 1024)
    """
    found = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=300
    )
    assert found.returncode == 0, found.stderr
    assert float(found.stdout) < 200


def test_functions_that_cannot_travel(small):
    lock = threading.Lock()

    def stuck(rng):
        with lock:
            return toy(rng)

    with pytest.raises(TypeError, match="cannot be sent to workers"):
        rivals.calibrate({"s": stuck}, n_experiments=2, executor=1, **small)
    # Within this process they need not travel.
    assert rivals.calibrate({"s": stuck}, n_experiments=2, executor=0, **small).n_experiments == 2


@pytest.mark.parametrize("threads", [0, 2])
def test_an_edited_module_is_not_mistaken_for_the_one_before(tmp_path, monkeypatch, small, threads):
    """Functions of modules travel by name: after a reload the same bytes mean other functions."""
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(
        sys, "dont_write_bytecode", True
    )  # both versions are written within the resolution of a stamp
    file = tmp_path / f"edited_{threads}.py"

    def risk(spread):
        file.write_text(
            f"import omegas\n\ndef omega(rng):\n    return omegas.toy(rng, spread={spread})\n"
        )
        importlib.invalidate_caches()
        if file.stem in sys.modules:
            importlib.reload(sys.modules[file.stem])
        omega = importlib.import_module(file.stem).omega
        with ThreadPoolExecutor(threads) if threads else nullcontext(0) as executor:
            return rivals.calibrate(omega, n_experiments=2, executor=executor, **small).records[
                "risk_a"
            ]

    first, second = risk(0.1), risk(10.0)
    assert (first != second).all()
    np.testing.assert_array_equal(second, risk(10.0))


def test_what_was_unpacked_is_bounded_and_of_one_run():
    job = make_study(
        toy,
        Conditions.checked(c=[1.0], n_data=2, n_truth=2, entropy=0),
        n_experiments=1,
    )
    for _ in range(5):
        packed = pack(job)
        assert unpack(packed) is unpack(packed)
        assert unpack(packed) is not unpack(pack(job))
    assert unpack.cache_info().currsize <= 2


def test_workers_do_not_load_sqlite():
    code = (
        "import sys, rivals.calibration.study; print([name for name in "
        "('sqlite3', '_sqlite3') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "first", ["rivals.calibration", "rivals.calibration.calibrate", "rivals.calibration.result"]
)
def test_the_function_stands_before_its_module_of_the_same_name(first):
    code = f"import importlib, rivals; importlib.import_module({first!r})"
    code += "; print(rivals.calibrate is rivals.calibration.calibrate)"
    code += "; print(callable(rivals.calibrate), rivals.calibration.StoreError.__name__)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["True", "True", "StoreError"]


def test_an_epistemic_distribution_is_told_its_index_by_workers(small):
    """Each experiment is what its index says, in whichever worker it runs."""

    def listed(rng, index):
        mean = [-1.0, 1.0][index % 2]
        return rivals.Experiment(
            observe=lambda n, rng: mean + rng.standard_normal(n),
            candidates=(gaussian(-1.0), gaussian(1.0)),
        )

    found = calibrate(listed, n_experiments=12, executor=2, block_size=1, **{**small, "c": [1.0]})
    assert found.records["truly_better"].tolist() == [True, False] * 6


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"executor": "dask"}, TypeError, "Executor: got 'dask'"),
        ({"executor": -1}, ValueError, "must not be negative"),
        ({"n_experiments": 0}, ValueError, "n_experiments must be at least 1"),
        ({"c": []}, ValueError, "one or more different values"),
        ({"c": [1.0, 1.0]}, ValueError, "one or more different values"),
        ({"c": 1.0}, TypeError, "c is not a sequence of numbers"),
        ({"c": [1.0, -1.0]}, ValueError, r"c\[1\] must be"),
        ({"n_data": 1}, ValueError, "n_data must be at least 2"),
        ({"time_limit": 0}, ValueError, "time_limit must be"),
        ({"omegas": {}}, ValueError, "at least one epistemic distribution"),
        ({"omegas": {"x": 3}}, TypeError, "'x' is not a function: got int"),
    ],
)
def test_bad_arguments(small, arguments, error, message):
    settings = {"n_experiments": 4, "executor": 0, "omegas": toy, **small, **arguments}
    with pytest.raises(error, match=message):
        rivals.calibrate(settings.pop("omegas"), **settings)


def narrow(rng):
    """Candidates that warn of their noise in every experiment, each time with other numbers."""

    def warns(data):
        warn(f"the noise is too narrow: {np.mean(np.abs(data)):.3f}")
        return data**2 / 2

    model = rivals.Candidate(loss=warns, simulate=lambda n, rng: rng.standard_normal(n))
    return rivals.Experiment(
        observe=lambda n, rng: 2 * rng.standard_normal(n), candidates=(model, model)
    )


@pytest.mark.parametrize("in_worker", [False, True])
def test_warnings_of_candidates_are_said_once(small, in_worker):
    with (
        ThreadPoolExecutor(1) if in_worker else nullcontext(0) as executor,
        pytest.warns(rivals.RivalsWarning) as found,
    ):
        assert not rivals.calibrate(narrow, n_experiments=20, executor=executor, **small).failures
    assert len(found) == 1
    assert str(found[0].message).endswith("(said once for all experiments)")
