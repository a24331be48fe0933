"""The run: hands out blocks, collects outcomes, and survives the death of workers."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rivals._types import BoolArray
from rivals._workers.attempts import (
    ATTEMPTS,
    Block,
    Failed,
    Job,
    Results,
    Task,
    WorkerSetupError,
    failure,
    pack,
    run_block,
    timeout_message,
)
from rivals._workers.processes import PATIENCE, Foreign, Pool

IN_FLIGHT_PER_WORKER = 2
BLOCK_SECONDS = 1.0
LARGEST_BLOCK = 2000
LOOK_SECONDS = 0.5  # how often the parent looks after its workers while none of them reports


@dataclass
class Plan:
    """Which pieces of a job are still to be run, handed out in blocks that take about a second."""

    missing: list[BoolArray]  # at each place; without those that are handed out
    seconds: list[float | None]  # seconds per piece at each place, if known
    block_size: int | None = None
    _turn: int = 0

    def next_block(self) -> Block | None:
        """The next block, the places taking turns; None when all are handed out."""
        for _ in self.missing:
            place, self._turn = self._turn, (self._turn + 1) % len(self.missing)
            missing = self.missing[place]
            begin = int(missing.argmax())
            if missing[begin]:
                ahead = missing[begin : begin + self._size(place)]
                end = begin + (ahead.size if ahead.all() else int(ahead.argmin()))
                missing[begin:end] = False
                return Block(place, range(begin, end))
        return None

    def is_open(self) -> bool:
        """Whether something is still to be handed out."""
        return any(bool(missing.any()) for missing in self.missing)

    def learn(self, block: Block, seconds: float) -> None:
        """Note how long a block took, to size the next ones."""
        each = seconds / max(len(block.indices), 1)
        known = self.seconds[block.place]
        self.seconds[block.place] = each if known is None else 0.7 * known + 0.3 * each

    def _size(self, place: int) -> int:
        if self.block_size is not None:
            return self.block_size
        seconds = self.seconds[place]
        return 1 if seconds is None else int(np.clip(BLOCK_SECONDS / max(seconds, 1e-6), 1, LARGEST_BLOCK))


@dataclass
class Lost:
    """Blocks whose worker died, waiting to be tried again."""

    waiting: deque[Block] = field(default_factory=deque)
    suspects: deque[Block] = field(default_factory=deque)  # single experiments, to be run with nothing beside them

    def add(self, block: Block, *, alone: bool) -> bool:
        """Take a lost block back and return True; False for an experiment that has used up all its attempts alone."""
        crashes = block.crashes + 1
        if not alone and crashes < 2:
            self.waiting.append(replace(block, crashes=crashes))
        elif not alone:
            self.suspects.extend(Block(block.place, range(index, index + 1)) for index in block.indices)
        elif crashes < ATTEMPTS:
            self.suspects.append(replace(block, crashes=crashes))
        else:
            return False
        return True


def execute(pool: Pool, job: Job, plan: Plan, time_limit: float | None = None) -> Iterator[Results]:
    """Run the whole plan, and yield the results of each block, to be committed.

    When a worker dies, we cannot know which block killed it. All blocks that were out are tried again; those that were out
    twice are tried one piece at a time with nothing beside them, and a piece that kills its worker three
    times when alone is recorded as failed. A piece whose worker we killed because it was overdue is known: it alone
    is recorded, and the others are tried again as if nothing had happened.
    """
    watched = None if time_limit is None else pool.notes
    task = Task(job if pool.in_process else pack(job), time_limit, watched)
    lost = Lost()
    out: dict[Future[Any], Block] = {}
    overdue: set[tuple[int, int]] = set()
    last = time.monotonic()  # when something came back
    alone = False  # whether a suspect is out, which must run alone
    while True:
        pool.interrupts.look()
        broken: BaseException | None = None
        if not pool.is_lost() and not (alone and out):
            broken = _hand_out(pool, task, plan, lost, out)
            alone = broken is None and not out and bool(lost.suspects)
            if alone:
                broken = _submit(pool, task, lost.suspects.popleft(), lost.suspects, out)
        if not out and broken is None:
            if not (lost.waiting or lost.suspects or plan.is_open()):
                return
            time.sleep(LOOK_SECONDS)  # for a cluster to come back
            continue
        dead = []
        done = wait(out, timeout=LOOK_SECONDS, return_when=FIRST_COMPLETED).done if out and broken is None else ()
        for future in [future for future in out if future in done]:  # in order: the first error is always the same
            block = out.pop(future)
            last = time.monotonic()
            try:
                done_pieces, failed = future.result()
            except (WorkerSetupError, KeyboardInterrupt):
                raise
            except BaseException as error:  # the worker died, or the cluster gave up on it
                dead.append(block)
                broken = error
            else:
                plan.learn(block, sum(piece.seconds for piece in done_pieces))
                yield done_pieces, failed
        if broken is None:
            if task.time_limit is not None:
                overdue |= pool.end_overdue(task.time_limit)
                _check_patience(pool, task.time_limit, out, last)
            continue
        if isinstance(broken, BrokenExecutor):
            if not pool.rebuild():
                raise RuntimeError(
                    f"the executor is broken: {broken}; finished experiments are kept; run it again with a new executor"
                ) from broken
            dead += out.values()  # a broken pool loses all blocks that were out
            out.clear()
        if overdue or (dead and pool.is_lost()):
            for block in dead:
                late = [index for index in block.indices if (block.place, index) in overdue]
                for piece in _without(block, late):
                    lost.waiting.append(piece)
                if late:
                    yield [], [_ended(task, block.place, index) for index in late]
            overdue.clear()
            continue
        for block in dead:
            if not lost.add(block, alone=alone):
                died = (
                    f"the worker died {ATTEMPTS} times while it ran this experiment ({type(broken).__name__}: {broken})"
                )
                yield [], [failure(block.place, block.indices.start, ATTEMPTS, died, died)]


def _hand_out(pool: Pool, task: Task, plan: Plan, lost: Lost, out: dict[Future[Any], Block]) -> BrokenExecutor | None:
    """Submit blocks until all workers are busy; how the pool broke, if it did."""
    while len(out) < IN_FLIGHT_PER_WORKER * pool.n_workers:
        pool.interrupts.look()
        block = lost.waiting.popleft() if lost.waiting else plan.next_block()
        if block is None:
            break
        broken = _submit(pool, task, block, lost.waiting, out)
        if broken is not None:
            return broken
    return None


def _submit(
    pool: Pool, task: Task, block: Block, back: deque[Block], out: dict[Future[Any], Block]
) -> BrokenExecutor | None:
    """Submit a block; if the pool turns out to be broken, take the block back and say so."""
    try:
        out[pool.submit(run_block, task, block)] = block
    except BrokenExecutor as error:
        back.appendleft(block)
        return error
    return None


def _check_patience(pool: Pool, time_limit: float, out: dict[Future[Any], Block], last: float) -> None:
    """Blocks whose experiments have a time limit come back sooner or later; if none does, workers that we do not own hang."""
    longest = sum(len(block.indices) for block in out.values()) * time_limit * ATTEMPTS
    if isinstance(pool, Foreign) and time.monotonic() - last > longest + PATIENCE:
        raise RuntimeError(
            f"no block came back from the executor for {time.monotonic() - last:.0f} s, though every experiment has a limit of "
            f"{time_limit:g} s: its workers hang in code that cannot be interrupted, or are gone; finished experiments are kept "
            "if there is a store; restart the workers, and run it again to continue"
        )


def _without(block: Block, late: list[int]) -> Iterator[Block]:
    """The block without some of its experiments, in consecutive pieces."""
    begin = block.indices.start
    for end in [*late, block.indices.stop]:
        if begin < end:
            yield Block(block.place, range(begin, end), block.crashes)
        begin = end + 1


def _ended(task: Task, place: int, index: int) -> Failed:
    message = f"TimeLimitExceeded: {timeout_message(task.time_limit or 0.0)}, and could not be interrupted: its process was killed"
    return failure(place, index, 1, message, message)
