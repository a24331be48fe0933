"""The run: blocks go out, outcomes come in, and no death of a worker is the end."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rivals._types import BoolArray
from rivals.calibration.pools import Pool
from rivals.calibration.work import ATTEMPTS, Block, Results, Task, WorkerSetupError, failure, run_block

IN_FLIGHT_PER_WORKER = 2
BLOCK_SECONDS = 1.0
LARGEST_BLOCK = 2000


@dataclass
class Plan:
    """Which experiments are still to be run, handed out in blocks that take about a second."""

    missing: list[BoolArray]  # of each epistemic distribution; what is handed out is taken off
    seconds: list[float | None]  # what an experiment takes, where that is known
    block_size: int | None = None
    _turn: int = 0

    def next_block(self) -> Block | None:
        """The next block, the epistemic distributions taking turns; None when all are handed out."""
        for _ in self.missing:
            omega, self._turn = self._turn, (self._turn + 1) % len(self.missing)
            missing = self.missing[omega]
            begin = int(missing.argmax())
            if missing[begin]:
                ahead = missing[begin : begin + self._size(omega)]
                end = begin + (ahead.size if ahead.all() else int(ahead.argmin()))
                missing[begin:end] = False
                return Block(omega, range(begin, end))
        return None

    def learn(self, block: Block, seconds: float) -> None:
        """What a block took, to size the next ones."""
        each = seconds / max(len(block.experiments), 1)
        known = self.seconds[block.omega]
        self.seconds[block.omega] = each if known is None else 0.7 * known + 0.3 * each

    def _size(self, omega: int) -> int:
        if self.block_size is not None:
            return self.block_size
        seconds = self.seconds[omega]
        return 1 if seconds is None else int(np.clip(BLOCK_SECONDS / max(seconds, 1e-6), 1, LARGEST_BLOCK))


@dataclass
class Lost:
    """Blocks whose worker died, waiting to be tried again."""

    waiting: deque[Block] = field(default_factory=deque)
    suspects: deque[Block] = field(default_factory=deque)  # single experiments, to be run with nothing beside them

    def add(self, block: Block, *, alone: bool) -> bool:
        """Take a lost block back, and say so; False for an experiment that has had all its attempts when alone."""
        crashes = block.crashes + 1
        if not alone and crashes < 2:
            self.waiting.append(replace(block, crashes=crashes))
        elif not alone:
            self.suspects.extend(Block(block.omega, range(index, index + 1)) for index in block.experiments)
        elif crashes < ATTEMPTS:
            self.suspects.append(replace(block, crashes=crashes))
        else:
            return False
        return True


def execute(pool: Pool, task: Task, plan: Plan) -> Iterator[Results]:
    """Run the plan to its end, and yield what each block found, to be committed.

    When a worker dies, one cannot know which block killed it. All that were out are tried again; those that were out
    twice are tried one experiment at a time with nothing beside them, and an experiment that kills its worker three
    times when alone is recorded as failed.
    """
    lost = Lost()
    out: dict[Future[Any], Block] = {}
    while True:
        while len(out) < IN_FLIGHT_PER_WORKER * pool.n_workers:
            block = lost.waiting.popleft() if lost.waiting else plan.next_block()
            if block is None:
                break
            out[pool.submit(run_block, task, block)] = block
        alone = not out and bool(lost.suspects)
        if alone:
            block = lost.suspects.popleft()
            out[pool.submit(run_block, task, block)] = block
        if not out:
            return
        dead = []
        broken: BaseException | None = None
        for future in wait(out, return_when=FIRST_COMPLETED).done:
            block = out.pop(future)
            try:
                successes, failures = future.result()
            except (WorkerSetupError, KeyboardInterrupt, SystemExit):
                raise
            except BaseException as error:  # the worker died, or the cluster gave up on it
                dead.append(block)
                broken = error
            else:
                plan.learn(block, sum(success.seconds for success in successes))
                yield successes, failures
        if broken is None:
            continue
        if isinstance(broken, BrokenExecutor):
            if not pool.rebuild():
                raise RuntimeError(
                    f"the executor is broken: {broken}; finished experiments are kept; run the same again with a new executor"
                ) from broken
            dead += out.values()  # a broken pool loses all that was out
            out.clear()
        for block in dead:
            if not lost.add(block, alone=alone):
                died = (
                    f"the worker died {ATTEMPTS} times while it ran this experiment ({type(broken).__name__}: {broken})"
                )
                yield [], [failure(task, block.omega, block.experiments.start, ATTEMPTS, died, died)]
