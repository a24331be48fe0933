"""What the parent does: where work runs, which blocks are handed out, what becomes of dead workers, how Ctrl-C ends it, and how far it is.

Work runs in this process, in processes of this machine, or in any executor of concurrent.futures.
"""

from __future__ import annotations

import os
import shutil
import signal
import struct
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from importlib import import_module
from types import FrameType
from typing import Any

import numpy as np

from rivals._say.optional import need
from rivals._say.warn import warn
from rivals._types import BoolArray
from rivals._workers.attempts import (
    ATTEMPTS,
    BEAT,
    Block,
    Ended,
    Job,
    Task,
    TimeLimitExceeded,
    WorkerSetupError,
    failed,
    pack,
    prepare_worker,
    run_block,
)

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
# The grace time after its limit in which an experiment may end by itself before its process is killed: a fraction of the
# limit, and some seconds more.
OVERTIME_PART, OVERTIME_SECONDS = 0.1, 2.0
# A cluster may lose its scheduler or its last worker for this long, for example while it restarts them; workers that are
# done have this long to exit.
PATIENCE = 60.0
LEAVE_SECONDS = 5.0
# Python raises KeyboardInterrupt wherever the main thread happens to be. In a destructor it is swallowed. While
# concurrent.futures holds the locks of its futures, it leaves them locked, and the thread that manages the workers waits for
# them forever. So the loops that hand out work look for a noted Ctrl-C twice a second. If they are stuck, a second Ctrl-C is
# raised at once, but only if it comes later than this, so that pressing twice in a row does no harm.
STUCK_SECONDS = 2.0
IN_FLIGHT_PER_WORKER = 2
BLOCK_SECONDS = 1.0
LARGEST_BLOCK = 2000
LOOK_SECONDS = 0.5  # how often the parent looks after its workers while none of them reports


def run_all(
    job: Job,
    plan: Plan,
    executor: Executor | int | None,
    keep: Callable[[list[Ended]], None],
    *,
    show: bool,
    time_limit: float | None = None,
) -> None:
    """Run all that is missing, and hand the results of each block to `keep`."""
    with open_pool(executor) as pool, closing(Progress(plan, job.progress, show=show)) as progress:
        for ended in execute(pool, job, plan, time_limit):
            keep(ended)
            plan.done += len(ended)
            plan.failed += sum(bool(each.error) for each in ended)
            progress.update()


@dataclass
class Plan:
    """Which pieces of a job are still to be run, handed out in blocks that take about a second."""

    missing: list[BoolArray]  # at each place; without those that are handed out
    block_size: int | None = None
    failed: int = 0  # of those that are done
    done: int = 0  # counted when it is made, and by `run_all`
    again: deque[Block] = field(default_factory=deque)  # blocks to be tried again
    suspects: deque[Block] = field(
        default_factory=deque
    )  # single pieces, to be run with nothing beside them
    _seconds: dict[int, float] = field(
        default_factory=dict
    )  # per piece at each place, as far as known
    _turn: int = 0

    def __post_init__(self) -> None:
        self.total = sum(mask.size for mask in self.missing)
        self.done = self.total - sum(int(mask.sum()) for mask in self.missing)

    def next_block(self, *, free: bool = True) -> Block | None:
        """The next block, the places taking turns; suspects come last, and only where nothing else is out (`free`)."""
        if self.again:
            return self.again.popleft()
        for _ in self.missing:
            place, self._turn = self._turn, (self._turn + 1) % len(self.missing)
            missing = self.missing[place]
            begin = int(missing.argmax())
            if missing[begin]:
                ahead = missing[begin : begin + self._size(place)]
                end = begin + (ahead.size if ahead.all() else int(ahead.argmin()))
                missing[begin:end] = False
                return Block(place, range(begin, end))
        return self.suspects.popleft() if free and self.suspects else None

    def take_back(self, block: Block) -> bool:
        """Take a block back whose worker died. False for a piece that has used up all its attempts alone."""
        tried = replace(block, crashes=block.crashes + 1)
        if not block.alone and tried.crashes < 2:
            self.again.append(tried)
        elif not block.alone:
            self.suspects += [
                Block(block.place, range(index, index + 1), alone=True) for index in block.indices
            ]
        elif tried.crashes < ATTEMPTS:
            self.suspects.append(tried)
        else:
            return False
        return True

    def learn(self, block: Block, seconds: float) -> None:
        """Note how long a block took, to size the next ones."""
        each = seconds / len(block.indices)
        self._seconds[block.place] = 0.7 * self._seconds.get(block.place, each) + 0.3 * each

    def _size(self, place: int) -> int:
        if self.block_size is not None or place not in self._seconds:
            return self.block_size or 1
        return int(np.clip(BLOCK_SECONDS / max(self._seconds[place], 1e-6), 1, LARGEST_BLOCK))


def execute(
    pool: Pool, job: Job, plan: Plan, time_limit: float | None = None
) -> Iterator[list[Ended]]:
    """Run the whole plan, and yield the results of each block, to be committed.

    When a worker dies, we cannot know which block killed it. All blocks that were out are tried again; those that were out
    twice are tried one piece at a time with nothing beside them, and a piece that kills its worker three
    times when alone is recorded as failed. A piece whose worker we killed because it was overdue is known: it alone
    is recorded, and the others are tried again as if nothing had happened.
    """
    task = Task(
        job if pool.in_process else pack(job),
        time_limit,
        None if time_limit is None else pool.notes,
    )
    out: dict[Future[Any], Block] = {}
    overdue: set[tuple[int, int]] = set()
    last = time.monotonic()  # when something came back
    while True:
        broken: BaseException | None = _hand_out(pool, task, plan, out)
        if not out and broken is None:
            if not plan.again:
                return
            time.sleep(LOOK_SECONDS)  # for a cluster to come back
            continue
        dead = []
        done = (
            wait(out, timeout=LOOK_SECONDS, return_when=FIRST_COMPLETED).done
            if broken is None
            else ()
        )
        for future in [
            future for future in out if future in done
        ]:  # in order: the first error is always the same
            block = out.pop(future)
            last = time.monotonic()
            try:
                ended = future.result()
            except (WorkerSetupError, KeyboardInterrupt):
                raise
            except BaseException as error:  # the worker died, or the cluster gave up on it
                dead.append(block)
                broken = error
            else:
                plan.learn(block, sum(piece.seconds for piece in ended))
                yield ended
        ready = pool.is_ready()
        if broken is None:
            if time_limit is not None:
                overdue |= pool.end_overdue(time_limit)
                _check_patience(pool, time_limit, out, last)
            continue
        if isinstance(broken, BrokenExecutor):
            if not pool.rebuild():
                raise RuntimeError(
                    f"the executor is broken: {broken}; finished experiments are kept; run it again with a new executor"
                ) from broken
            dead += out.values()  # a broken pool loses all blocks that were out
            out.clear()
        for block in dead:
            if overdue:
                for index in block.indices:
                    if (block.place, index) in overdue:
                        late = f"TimeLimitExceeded: {TimeLimitExceeded(time_limit or 0.0)}, and could not be interrupted: its process was killed"
                        yield [failed(block.place, index, 1, late)]
                    else:
                        plan.again.append(replace(block, indices=range(index, index + 1)))
            elif not ready:
                plan.again.append(block)
            elif not plan.take_back(block):
                died = f"the worker died {ATTEMPTS} times running this experiment ({type(broken).__name__}: {broken})"
                yield [failed(block.place, block.indices.start, ATTEMPTS, died)]
        overdue.clear()


def _hand_out(
    pool: Pool, task: Task, plan: Plan, out: dict[Future[Any], Block]
) -> BrokenExecutor | None:
    """Submit blocks until all workers are busy; how the pool broke, if it did. A block that cannot be submitted goes back."""
    while len(out) < IN_FLIGHT_PER_WORKER * pool.n_workers and not any(
        block.alone for block in out.values()
    ):
        block = plan.next_block(free=not out)
        if block is None:
            break
        try:
            if not pool.is_ready():
                plan.again.appendleft(block)
                break
            out[pool.submit(run_block, task, block)] = block
        except BrokenExecutor as error:
            plan.again.appendleft(block)
            return error
    return None


def _check_patience(
    pool: Pool, time_limit: float, out: dict[Future[Any], Block], last: float
) -> None:
    """Blocks whose experiments have a time limit come back sooner or later; if none does, workers that we do not own hang."""
    longest = sum(len(block.indices) for block in out.values()) * time_limit * ATTEMPTS
    if isinstance(pool, Foreign) and time.monotonic() - last > longest + PATIENCE:
        raise RuntimeError(
            f"no block came back from the executor for {time.monotonic() - last:.0f} s, though every experiment has a limit of "
            f"{time_limit:g} s: its workers hang in code that cannot be interrupted, or are gone; finished experiments are kept "
            "if there is a store; restart the workers, and run it again to continue"
        )


# ---------------------------------------------------------------- where work runs


@contextmanager
def open_pool(executor: Executor | int | None) -> Iterator[Pool]:
    """The pool for the `executor` argument of `calibrate` and `cross_validated`; what it started ends with the block, immediately on an error."""
    pool = _make_pool(executor)
    with (
        nullcontext() if pool.in_process else pool.interrupts
    ):  # work in this process is interrupted where it is
        try:
            yield pool
        except BaseException:
            pool.close(kill=True)
            raise
        pool.close(kill=False)


def _make_pool(executor: Executor | int | None) -> Pool:
    if isinstance(executor, bool) or not (
        executor is None or isinstance(executor, int) or hasattr(executor, "submit")
    ):
        raise TypeError(
            f"executor must be None, a number of processes, or a futures.Executor: got {executor!r}"
        )
    if executor is not None and not isinstance(executor, int):
        return Foreign(executor)
    n_workers = _cores() if executor is None else executor
    if n_workers < 0:
        raise ValueError(
            f"a number of processes must not be negative: got {n_workers}; 0 runs in this process"
        )
    try:
        return LocalProcesses(n_workers) if n_workers else InProcess()
    except ImportError as error:
        warn(f"{error}; until then everything runs in this process, one after the other")
        return InProcess()


class Interrupts:
    """Within the block the first Ctrl-C is only noted; `look` raises it, or the end of the block at the latest.

    This works in the main thread only, and only in place of Python's own handler: an application that has its own keeps it.
    """

    def __init__(self) -> None:
        self._came: float | None = None

    def look(self) -> None:
        """Raise KeyboardInterrupt if Ctrl-C came."""
        if self._came is not None:
            raise KeyboardInterrupt

    def __enter__(self) -> None:
        here = threading.current_thread() is threading.main_thread()
        if here and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._note)

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        self._restore()
        if not isinstance(error, KeyboardInterrupt):
            self.look()  # it came after the last look

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._came is None:
            self._came = time.monotonic()
        elif time.monotonic() - self._came > STUCK_SECONDS:
            self._restore()
            raise KeyboardInterrupt

    def _restore(self) -> None:
        if signal.getsignal(signal.SIGINT) == self._note:
            signal.signal(signal.SIGINT, signal.default_int_handler)


class Pool:
    """Something that runs functions of modules."""

    n_workers = 1
    in_process = False  # whether they run here and now: arguments then need not be sent
    notes: str | None = (
        None  # folder in which workers note their current piece, if someone watches them
    )
    _executor: Any = None

    def __init__(self) -> None:
        self.interrupts = Interrupts()

    def is_ready(self) -> bool:
        """Look around, between two steps of the work: raise a noted Ctrl-C. False while a cluster is out of reach, or has no
        workers left; after some patience that is an error.
        """
        self.interrupts.look()
        return True

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Start a function, now or when a worker is free."""
        future: Future[Any] = self._executor.submit(function, *arguments)
        return future

    def end_overdue(self, time_limit: float) -> set[tuple[int, int]]:
        """Kill workers whose piece is long past the limit, if they are ours; return these pieces (place, index)."""
        return set()

    def rebuild(self) -> bool:
        """After the death of a worker: start new ones. False if they are not ours to start."""
        return False

    def close(self, *, kill: bool) -> None:
        """End what this pool started; at once if `kill`."""


class InProcess(Pool):
    """No workers: each function runs when it is submitted. For debugging, and where processes are not wanted."""

    in_process = True

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(function(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future


class LocalProcesses(Pool):
    """Processes on this machine, by loky: it accepts functions from notebooks, and reports the death of a worker."""

    def __init__(self, n_workers: int) -> None:
        super().__init__()
        self.n_workers = n_workers
        self._loky = need("loky", extra="parallel", purpose="several processes")
        # A process of loky outlives this one, even if it is killed, and then removes the folder.
        self._tracker = import_module("loky.backend.resource_tracker")
        self._folder = tempfile.mkdtemp(
            prefix="rivals-"
        )  # of each worker a note, named by its number
        self._tracker.register(self._folder, "folder")
        self.notes = self._folder
        self._executor = self._start()

    def end_overdue(self, time_limit: float) -> set[tuple[int, int]]:
        allowed = time_limit * (1.0 + OVERTIME_PART) + OVERTIME_SECONDS
        overdue = set()
        for pid in self._workers():
            try:
                with open(os.path.join(self._folder, str(pid)), "rb") as file:
                    place, index, begin = BEAT.unpack(file.read())
            except (OSError, struct.error):  # idle, or about to begin an experiment
                continue
            if time.monotonic() - begin > allowed:
                _kill_with_children(pid)
                overdue.add((int(place), int(index)))
        return overdue

    def rebuild(self) -> bool:
        self._end(kill=True)
        self._executor = self._start()
        return True

    def close(self, *, kill: bool) -> None:
        self._end(kill=kill)
        shutil.rmtree(self._folder, ignore_errors=True)
        self._tracker.unregister(self._folder, "folder")

    def _workers(self) -> set[int]:
        """Those that have noted themselves, also if they are gone, and those that are about to."""
        starting = getattr(self._executor, "_processes", None) or ()
        return {*starting, *(int(name) for name in os.listdir(self._folder))}

    def _end(self, *, kill: bool) -> None:
        """End the workers and all that they started, in a limited time: one may not exit, because of a thread that the user's code left
        behind, and loky may hang.
        """
        workers = self._workers()
        manager = getattr(self._executor, "_executor_manager_thread", None)
        # Loky's thread may be reading from a worker, so it ends them itself; we kill only those that it does not end.
        self._executor.shutdown(wait=False, kill_workers=kill)
        if manager is not None:
            manager.join(LEAVE_SECONDS)
        for pid in workers | self._workers():
            _kill_with_children(pid)
            with suppress(FileNotFoundError):
                os.remove(os.path.join(self._folder, str(pid)))
        if manager is not None:
            manager.join(LEAVE_SECONDS)

    def _start(self) -> Any:
        return self._loky.ProcessPoolExecutor(
            max_workers=self.n_workers,
            initializer=prepare_worker,
            initargs=(os.getpid(), self._folder),
            env=dict.fromkeys(THREAD_VARIABLES, "1"),
        )


class Foreign(Pool):
    """An executor that the user made and owns: a Dask cluster, an MPI pool, a pool of processes or threads."""

    def __init__(self, executor: Executor) -> None:
        super().__init__()
        self._executor = executor
        self.n_workers = _workers_of(executor)
        self._lost_since: float | None = None

    def is_ready(self) -> bool:
        self.interrupts.look()
        problem = _problem_of(getattr(self._executor, "_client", None))
        if problem is None:
            self._lost_since = None
            return True
        now = time.monotonic()
        self._lost_since = self._lost_since or now
        if now - self._lost_since > PATIENCE or problem == CLOSED:
            raise RuntimeError(
                f"the Dask cluster {problem}; finished experiments are kept if there is a store; restart the scheduler and "
                "the workers, and run it again with a new client to continue"
            )
        return False


CLOSED = "is gone: the connection to its scheduler is closed"


def _problem_of(client: Any) -> str | None:
    """What is wrong with a Dask cluster, as far as its client knows; None for executors of other kinds."""
    status = getattr(client, "status", None)
    if status is None or not hasattr(client, "scheduler_info"):
        return None
    if status in ("closed", "closing", "failed"):
        return CLOSED
    with suppress(Exception):  # the connection may break this very moment
        if status == "running":
            workers = client.scheduler_info().get("workers", {})
            return None if workers else f"has had no workers for {PATIENCE:g} s"
    return f"has been out of reach for {PATIENCE:g} s"


def _workers_of(executor: Any) -> int:
    """How many workers an executor has, as far as it says."""
    client = getattr(executor, "_client", None)
    if client is not None and hasattr(client, "ncores"):  # Dask
        return max(int(sum(client.ncores().values())), 1)
    count = getattr(executor, "_max_workers", None) or getattr(executor, "num_workers", None)
    return count if isinstance(count, int) and count > 0 else _cores()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _kill_with_children(pid: int) -> None:
    """Kill a worker and what it left behind, which is in a group of its own; never another process that has its number now."""
    with suppress(OSError):  # it is not ours
        if hasattr(os, "waitid") and _exists(pid):
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        with suppress(ProcessLookupError, AttributeError):  # it has no group yet
            os.killpg(pid, signal.SIGKILL)
        os.kill(pid, getattr(signal, "SIGKILL", signal.SIGTERM))


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    return True


# ---------------------------------------------------------------- progress


class Progress:
    """How far a plan is, in one sentence, said now and then and once more at the end: in place on a terminal or in a notebook, as lines elsewhere."""

    def __init__(self, plan: Plan, sentence: str, *, show: bool) -> None:
        self._plan, self._words, self._show = plan, sentence, show
        self._already = plan.done
        self._in_place = show and (sys.stderr.isatty() or _in_notebook())
        self._longest = 0  # of the sentences so far
        self._begin = time.monotonic()
        self._next = self._begin + (0.0 if self._in_place else 1.0)

    def close(self) -> None:
        """Say it once more."""
        self._say("\n")

    def update(self) -> None:
        """Say how far the plan is, if it is time."""
        now = time.monotonic()
        if now >= self._next:
            self._say("" if self._in_place else "\n")
            # Logs get fewer and fewer lines.
            self._next = now + (
                0.5 if self._in_place else min(max(2.0, 0.2 * (now - self._begin)), 60.0)
            )

    def _say(self, end: str) -> None:
        """Say the numbers; in place, over the sentence before."""
        if not self._show:
            return
        done, total = self._plan.done, self._plan.total
        elapsed = time.monotonic() - self._begin
        rate = (done - self._already) / elapsed if elapsed > 0 else 0.0
        sentence = f"{self._words.format(done, total)}, {rate:.3g} per second"
        if rate and done < total:
            sentence += f", about {timedelta(seconds=round((total - done) / rate))} left"
        if self._plan.failed:
            sentence += f", {self._plan.failed} failed"
        self._longest = max(self._longest, len(sentence))
        line = f"\r{sentence.ljust(self._longest)}" if self._in_place else sentence
        print(line, end=end, file=sys.stderr, flush=True)


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"
