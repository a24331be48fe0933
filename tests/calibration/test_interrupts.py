"""Ctrl-C wherever it comes: the run ends, what was finished is kept, and no lock is left behind."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from omegas import SMALL, calibrate, toy

import rivals
from rivals._workers.cluster import Foreign
from rivals._workers.interrupts import Interrupts
from rivals._workers.local import LocalProcesses
from rivals._workers.processes import open_pool
from rivals.calibration import CalibrationInterrupted, open_store

# They kill processes and wait for them: one after the other, where several tests run at a time.
pytestmark = pytest.mark.xdist_group("processes")

HERE = os.path.dirname(__file__)


def press():
    signal.raise_signal(signal.SIGINT)


@pytest.fixture(autouse=True)
def handler():
    """Python's own handler, there before and after."""
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


class Swallows(ThreadPoolExecutor):
    """Ctrl-C comes with the sixth block, where something swallows it, as destructors and callbacks
    do.
    """

    submitted = 0

    def submit(self, function, *arguments):
        self.submitted += 1
        if self.submitted == 6:
            with contextlib.suppress(KeyboardInterrupt):
                press()
        return super().submit(function, *arguments)


def test_an_interrupt_that_is_swallowed_ends_the_run(tmp_path, small):
    store = tmp_path / "s.sqlite"
    with (
        Swallows(1) as executor,
        pytest.raises(CalibrationInterrupted, match="run it again to continue") as caught,
    ):
        calibrate(
            {"t": toy}, n_experiments=40, executor=executor, block_size=1, store=store, **small
        )
    kept = open_store(store).n_experiments
    assert executor.submitted == 6
    assert 0 < kept <= 6
    assert f"stopped after {kept} of 40" in str(caught.value)


def test_an_interrupt_among_the_locks_of_futures_does_not_hang():
    """An interrupt raised there leaves a future locked, and the thread that manages the workers
    waits for it forever.
    """
    code = f"""
        import signal, sys
        from concurrent.futures import _base
        sys.path.insert(0, {HERE!r})
        import rivals
        from omegas import Beta, sleeper

        class Interrupted(_base._AcquireFutures):
            def __enter__(self):
                self.futures[0]._condition.acquire()
                signal.raise_signal(signal.SIGINT)
                for future in self.futures[1:]:
                    future._condition.acquire()

        _base._AcquireFutures = Interrupted
        rivals.calibrate(sleeper, n_experiments=4000, executor=2, **{SMALL!r})
    """
    # It takes 2 s; a hang lasts forever, and the work would be 100 s of sleep, however busy the
    # machine is.
    found = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=90
    )
    assert re.search(
        r"CalibrationInterrupted: stopped after \d+ of 4000 experiments", found.stderr
    )  # how many have ended by then is chance


def test_an_interrupt_after_the_last_block_is_not_lost(monkeypatch, small):
    monkeypatch.setattr(Foreign, "close", lambda self, *, kill: press())
    with (
        ThreadPoolExecutor(1) as executor,
        pytest.raises(CalibrationInterrupted, match="stopped after 2 of 2"),
    ):
        rivals.calibrate({"t": toy}, n_experiments=2, executor=executor, **small)


def test_an_experiment_in_this_process_is_interrupted_where_it_is(small):
    reached = []

    def interrupted(rng):
        press()
        reached.append("the next line")

    with pytest.raises(CalibrationInterrupted):
        rivals.calibrate({"i": interrupted}, n_experiments=2, executor=0, **small)
    assert not reached


def test_handlers_of_others_and_other_threads_are_left_alone():
    found = []

    def look():
        with ThreadPoolExecutor(1) as executor, open_pool(executor):
            found.append(signal.getsignal(signal.SIGINT))

    def own(number, frame):
        pass

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    signal.signal(signal.SIGINT, own)
    try:
        look()
        assert signal.getsignal(signal.SIGINT) is own
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    assert found == [signal.default_int_handler, own]


def test_a_second_interrupt_is_raised_at_once_only_if_nobody_looks(monkeypatch):
    reached = []

    def press_twice():
        with Interrupts():
            press()
            press()
            reached.append("the next line")

    with pytest.raises(KeyboardInterrupt):
        press_twice()  # an impatient finger, or a shell that sends it too
    assert reached
    reached.clear()
    monkeypatch.setattr("rivals._workers.interrupts.STUCK_SECONDS", -1.0)
    with pytest.raises(KeyboardInterrupt):
        press_twice()
    assert not reached


def test_an_interrupt_outlives_an_error():
    def fail():
        with Interrupts():
            press()
            raise ValueError("something else")

    with pytest.raises(KeyboardInterrupt) as caught:
        fail()
    assert isinstance(caught.value.__context__, ValueError)


def test_workers_are_ended_even_if_the_thread_that_manages_them_hangs(monkeypatch):
    monkeypatch.setattr("rivals._workers.local.LEAVE_SECONDS", 0.3)
    pool = LocalProcesses(1)
    future = pool.submit(time.sleep, 300)
    (worker,) = pool._executor._processes.values()
    closing = threading.Thread(target=pool.close, kwargs={"kill": True})
    with future._condition:  # what an interrupt at the wrong moment leaves behind
        closing.start()
        closing.join(30)
        hangs = closing.is_alive()
        worker.join(30 if not hangs else 0)
        lives = worker.is_alive()
    closing.join()
    assert not hangs
    assert not lives
