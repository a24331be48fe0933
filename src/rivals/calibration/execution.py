"""The run: blocks go out, outcomes come in and are committed, and no death of a worker is the end."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, wait
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals.calibration.pools import Pool
from rivals.calibration.store import Failure, Success
from rivals.calibration.work import ATTEMPTS, Block, Task, WorkerSetupError, seed_text

IN_FLIGHT_PER_WORKER = 2
BLOCK_SECONDS = 1.0
LARGEST_BLOCK = 2000

Results = tuple[list[Success], list[Failure]]


class Plan:
    """Which experiments are still to be run, handed out in blocks that take about a second."""

    def __init__(
        self, done: list[npt.NDArray[np.bool_]], seconds: list[float | None], block_size: int | None = None
    ) -> None:
        self._missing = [~mask for mask in done]
        self._cursor = [0] * len(done)
        self._seconds = list(seconds)
        self._block_size = block_size
        self._turn = 0

    def next_block(self) -> Block | None:
        """The next block, the epistemic distributions taking turns; None when all are handed out."""
        for _ in self._missing:
            omega, self._turn = self._turn, (self._turn + 1) % len(self._missing)
            ahead = np.flatnonzero(self._missing[omega][self._cursor[omega] :][: 8 * LARGEST_BLOCK])
            while ahead.size == 0 and self._cursor[omega] < self._missing[omega].size:
                self._cursor[omega] += 8 * LARGEST_BLOCK
                ahead = np.flatnonzero(self._missing[omega][self._cursor[omega] :][: 8 * LARGEST_BLOCK])
            if ahead.size:
                begin = self._cursor[omega] + int(ahead[0])
                run = int(np.argmin(np.append(np.diff(ahead) == 1, False))) + 1  # consecutive ones
                end = begin + min(run, self._size(omega))
                self._cursor[omega] = end
                return Block(omega, begin, end)
        return None

    def learn(self, omega: int, seconds: float, experiments: int) -> None:
        """What a block took, to size the next ones."""
        each = seconds / max(experiments, 1)
        known = self._seconds[omega]
        self._seconds[omega] = each if known is None else 0.7 * known + 0.3 * each

    def _size(self, omega: int) -> int:
        if self._block_size is not None:
            return self._block_size
        seconds = self._seconds[omega]
        return 1 if seconds is None else int(np.clip(BLOCK_SECONDS / max(seconds, 1e-6), 1, LARGEST_BLOCK))


def execute(pool: Pool, task: Task, plan: Plan, acknowledge: Callable[[Results], None]) -> None:
    """Run the plan to its end; `acknowledge` commits what a block found.

    When a worker dies, one cannot know which block killed it. All that were out are tried again; those that were out
    twice are tried one experiment at a time with nothing beside them, and an experiment that kills its worker three
    times when alone is recorded as failed.
    """
    waiting: deque[Block] = deque()
    suspects: deque[Block] = deque()
    out: dict[Future[Any], Block] = {}
    while True:
        while len(out) < IN_FLIGHT_PER_WORKER * pool.n_workers:
            block = waiting.popleft() if waiting else plan.next_block()
            if block is None:
                break
            out[pool.submit(task, block)] = block
        alone = not out and bool(suspects)
        if alone:
            block = suspects.popleft()
            out[pool.submit(task, block)] = block
        if not out:
            return
        lost = []
        broken: BaseException | None = None
        for future in wait(out, return_when=FIRST_COMPLETED).done:
            block = out.pop(future)
            try:
                results = future.result()
            except WorkerSetupError:
                raise
            except BaseException as error:  # the worker died, or the cluster gave up on it
                if isinstance(error, (KeyboardInterrupt, SystemExit)):
                    raise
                lost.append(block)
                broken = error
            else:
                plan.learn(block.omega, sum(item.seconds for item in results[0]), len(block))
                acknowledge(results)
        if broken is None:
            continue
        if isinstance(broken, BrokenExecutor):
            if not pool.rebuild():
                raise RuntimeError(
                    f"the executor is broken ({broken}); what was acknowledged is kept, run the same again with a new one"
                ) from broken
            lost += out.values()  # a broken pool loses all that was out
            out.clear()
        for block in lost:
            _try_again(block, alone, broken, task, waiting, suspects, acknowledge)


def _try_again(
    block: Block,
    alone: bool,
    error: BaseException,
    task: Task,
    waiting: deque[Block],
    suspects: deque[Block],
    acknowledge: Callable[[Results], None],
) -> None:
    crashes = block.crashes + 1
    if not alone and crashes < 2:
        waiting.append(replace(block, crashes=crashes))
    elif not alone:
        suspects.extend(replace(single, crashes=0) for single in block.singles())
    elif crashes < ATTEMPTS:
        suspects.append(replace(block, crashes=crashes))
    else:
        text = f"the worker died {crashes} times while it ran this experiment ({type(error).__name__}: {error})"
        seed = seed_text(task.entropy, block.omega, block.begin)
        acknowledge(([], [Failure(block.omega, block.begin, crashes, seed, text, text)]))
