"""Run a job: hand out blocks, collect what ended, and see to workers that die or hang.

Work runs in this process, in processes of this machine, or in any executor of concurrent.futures.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, wait
from contextlib import closing, contextmanager, nullcontext
from typing import Any

from rivals._say.warn import warn
from rivals._workers.attempts import Task, run_block
from rivals._workers.cluster import Foreign
from rivals._workers.dask import gave_up
from rivals._workers.jobs import ATTEMPTS, Block, Ended, Job, failed
from rivals._workers.local import LocalProcesses
from rivals._workers.plan import Plan
from rivals._workers.pool import InProcess, Pool, count_cores
from rivals._workers.progress import Progress
from rivals._workers.sending import WorkerSetupError, pack
from rivals._workers.time_limits import Limit, TimeLimitExceeded

IN_FLIGHT_PER_WORKER = 2
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


@contextmanager
def open_pool(executor: Executor | int | None) -> Iterator[Pool]:
    """The pool for the `executor` argument of `calibrate` and `cross_validated`.

    What it started ends with the block, immediately on an error.
    """
    pool = _make_pool(executor)
    # Work in this process is interrupted where it is.
    with nullcontext() if pool.in_process else pool.interrupts:
        try:
            yield pool
        except BaseException:
            pool.close(kill=True)
            raise
        pool.close(kill=False)


def _make_pool(executor: Executor | int | None) -> Pool:
    is_number = isinstance(executor, int) and not isinstance(executor, bool)
    if not (executor is None or is_number or hasattr(executor, "submit")):
        raise TypeError(
            f"executor must be None, a number of processes, or a futures.Executor: got {executor!r}"
        )
    if executor is not None and not isinstance(executor, int):
        return Foreign(executor)
    n_workers = count_cores() if executor is None else executor
    if n_workers < 0:
        raise ValueError(
            f"a number of processes must not be negative: got {n_workers}; 0 runs in this process"
        )
    if n_workers == 0:
        return InProcess()
    try:
        return LocalProcesses(n_workers)
    except ImportError as error:
        warn(f"{error}; until then everything runs in this process, one after the other")
        return InProcess()


def execute(
    pool: Pool, job: Job, plan: Plan, time_limit: float | None = None
) -> Iterator[list[Ended]]:
    """Run the whole plan, and yield the results of each block, to be committed.

    When a worker dies, we cannot know which block killed it. All blocks that were out are tried
    again; those that were out twice are tried one piece at a time with nothing beside them, and a
    piece that kills its worker three times when alone is recorded as failed. A piece whose worker
    we killed because it was overdue is known: it alone is recorded, and the others are tried again
    as if nothing had happened.
    """
    run = Run(pool, job, plan, time_limit)
    while True:
        broken = run.hand_out()
        if not run.out and broken is None:
            if not plan.again:
                return
            time.sleep(LOOK_SECONDS)  # for a cluster to come back
            continue
        dead: list[Block] = []
        if broken is None:
            for block, future in run.done():
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
            run.end_overdue()
            continue
        if isinstance(broken, BrokenExecutor):
            dead += run.rebuild(broken)
        for block in dead:
            yield from run.bury(block, broken, ready=ready)
        run.overdue.clear()


class Run:
    """A plan on its way: the blocks that are out in a pool, and the pieces that took too long."""

    def __init__(self, pool: Pool, job: Job, plan: Plan, time_limit: float | None) -> None:
        self.out: dict[Future[Any], Block] = {}
        self.overdue: set[tuple[int, int]] = set()
        self._pool = pool
        self._plan = plan
        self._time_limit = time_limit
        self._last = time.monotonic()  # when something came back
        sent = job if pool.in_process else pack(job)
        notes = None if time_limit is None else pool.notes
        self._task = Task(sent, time_limit, notes)

    def hand_out(self) -> BaseException | None:
        """Submit blocks until all workers are busy; how the pool broke, if it did.

        A block that cannot be submitted goes back.
        """
        most = IN_FLIGHT_PER_WORKER * self._pool.n_workers
        while len(self.out) < most and not any(block.alone for block in self.out.values()):
            block = self._plan.next_block(free=not self.out)
            if block is None:
                break
            try:
                if not self._pool.is_ready():
                    self._plan.again.appendleft(block)
                    break
                self.out[self._pool.submit(run_block, self._task, block)] = block
            except BrokenExecutor as error:
                self._plan.again.appendleft(block)
                return error
        return None

    def done(self) -> Iterator[tuple[Block, Future[Any]]]:
        """Blocks that came back, after a moment in which none may have.

        In the order in which they went out: the first error is always the same.
        """
        done = wait(self.out, timeout=LOOK_SECONDS, return_when=FIRST_COMPLETED).done
        for future in [future for future in self.out if future in done]:
            block = self.out.pop(future)
            self._last = time.monotonic()
            yield block, future

    def end_overdue(self) -> None:
        """Kill workers that are past all limits; give up on those that we cannot kill."""
        if self._time_limit is not None:
            self.overdue |= self._pool.end_overdue(self._time_limit)
            pieces = sum(len(block.indices) for block in self.out.values())
            longest = pieces * self._time_limit * ATTEMPTS
            self._pool.check_patience(time.monotonic() - self._last, longest)

    def rebuild(self, broken: BaseException) -> list[Block]:
        """Start new workers, and return the blocks that were out: a broken pool loses them all."""
        if not self._pool.rebuild():
            raise RuntimeError(
                f"the executor is broken: {broken}; finished experiments are kept; run it again "
                "with a new executor"
            ) from broken
        lost = list(self.out.values())
        self.out.clear()
        return lost

    def bury(self, block: Block, broken: BaseException, *, ready: bool) -> Iterator[list[Ended]]:
        """See to a block whose worker is gone: most go back into the plan, others have failed."""
        if self.overdue:
            for index in block.indices:
                if (block.place, index) in self.overdue:
                    late = TimeLimitExceeded(Limit(self._time_limit or 0.0))
                    message = (
                        f"TimeLimitExceeded: {late}, and could not be interrupted: its process "
                        "was killed"
                    )
                    yield [failed(block.place, index, 1, message)]
                else:
                    self._plan.again.append(block.one(index))
        elif not ready and not gave_up(broken):
            self._plan.again.append(block)
        # What a cluster gave up counts once while it has no workers, which may be its own fault;
        # not at all, and a block that ends every worker would go round for ever.
        elif not self._plan.take_back(block, several=ready and gave_up(broken)):
            message = (
                f"the worker died {ATTEMPTS} times running this experiment "
                f"({type(broken).__name__}: {broken})"
            )
            yield [failed(block.place, block.indices.start, ATTEMPTS, message)]
