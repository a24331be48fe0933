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
    block_size: int | None = None
    again: deque[Block] = field(default_factory=deque)  # blocks to be tried again
    suspects: deque[Block] = field(default_factory=deque)  # single pieces, to be run with nothing beside them
    _seconds: dict[int, float] = field(default_factory=dict)  # per piece at each place, as far as known
    _turn: int = 0

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
            self.suspects += [Block(block.place, range(index, index + 1), alone=True) for index in block.indices]
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


def execute(pool: Pool, job: Job, plan: Plan, time_limit: float | None = None) -> Iterator[Results]:
    """Run the whole plan, and yield the results of each block, to be committed.

    When a worker dies, we cannot know which block killed it. All blocks that were out are tried again; those that were out
    twice are tried one piece at a time with nothing beside them, and a piece that kills its worker three
    times when alone is recorded as failed. A piece whose worker we killed because it was overdue is known: it alone
    is recorded, and the others are tried again as if nothing had happened.
    """
    task = Task(job if pool.in_process else pack(job), time_limit, None if time_limit is None else pool.notes)
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
        done = wait(out, timeout=LOOK_SECONDS, return_when=FIRST_COMPLETED).done if broken is None else ()
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
                        late = f"TimeLimitExceeded: {timeout_message(time_limit or 0.0)}, and could not be interrupted: its process was killed"
                        yield [], [failure(block.place, index, 1, late, late)]
                    else:
                        plan.again.append(replace(block, indices=range(index, index + 1)))
            elif not ready:
                plan.again.append(block)
            elif not plan.take_back(block):
                died = (
                    f"the worker died {ATTEMPTS} times while it ran this experiment ({type(broken).__name__}: {broken})"
                )
                yield [], [failure(block.place, block.indices.start, ATTEMPTS, died, died)]
        overdue.clear()


def _hand_out(pool: Pool, task: Task, plan: Plan, out: dict[Future[Any], Block]) -> BrokenExecutor | None:
    """Submit blocks until all workers are busy; how the pool broke, if it did. A block that cannot be submitted goes back."""
    while len(out) < IN_FLIGHT_PER_WORKER * pool.n_workers and not any(block.alone for block in out.values()):
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


def _check_patience(pool: Pool, time_limit: float, out: dict[Future[Any], Block], last: float) -> None:
    """Blocks whose experiments have a time limit come back sooner or later; if none does, workers that we do not own hang."""
    longest = sum(len(block.indices) for block in out.values()) * time_limit * ATTEMPTS
    if isinstance(pool, Foreign) and time.monotonic() - last > longest + PATIENCE:
        raise RuntimeError(
            f"no block came back from the executor for {time.monotonic() - last:.0f} s, though every experiment has a limit of "
            f"{time_limit:g} s: its workers hang in code that cannot be interrupted, or are gone; finished experiments are kept "
            "if there is a store; restart the workers, and run it again to continue"
        )
