"""Which pieces of a job are still to be run, and in which blocks."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, replace

import numpy as np

from rivals._types import BoolArray
from rivals._workers.jobs import ATTEMPTS, Block

# How long a block should take, and the most pieces it may have.
BLOCK_SECONDS = 1.0
LARGEST_BLOCK = 2000
# How much the last block counts for the time that a piece is expected to take.
NEWEST = 0.3


@dataclass
class Plan:
    """Pieces still to be run, handed out in blocks that take about a second."""

    missing: list[BoolArray]  # at each place; without those that are handed out
    block_size: int | None = None
    failed: int = 0  # of those that are done
    done: int = 0  # counted when it is made, and by `run_all`
    # Blocks to be tried again, and single pieces to be run with nothing beside them.
    again: deque[Block] = field(default_factory=deque)
    suspects: deque[Block] = field(default_factory=deque)
    # Per piece at each place, as far as known.
    _seconds: dict[int, float] = field(default_factory=dict)
    _turn: int = 0

    def __post_init__(self) -> None:
        self.total = sum(mask.size for mask in self.missing)
        self.done = self.total - sum(int(mask.sum()) for mask in self.missing)

    def next_block(self, *, free: bool = True) -> Block | None:
        """The next block, the places taking turns.

        Suspects come last, and only where nothing else is out (`free`).
        """
        if self.again:
            return self.again.popleft()
        for _ in self.missing:
            place = self._turn
            self._turn = (place + 1) % len(self.missing)
            block = self._first_missing(place)
            if block is not None:
                return block
        if free and self.suspects:
            return self.suspects.popleft()
        return None

    def take_back(self, block: Block, *, several: bool = False) -> bool:
        """Take a block back whose worker died, or `several` of them, one after the other.

        False for a piece that has used up all its attempts alone.
        """
        crashes = ATTEMPTS if several else 1
        tried = replace(block, crashes=block.crashes + crashes)
        if block.alone:
            if tried.crashes >= ATTEMPTS:
                return False
            self.suspects.append(tried)
        elif tried.crashes < 2:
            self.again.append(tried)
        else:
            self.suspects += [block.one(index, alone=True) for index in block.indices]
        return True

    def learn(self, block: Block, seconds: float) -> None:
        """Note how long a block took, to size the next ones."""
        each = seconds / len(block.indices)
        before = self._seconds.get(block.place, each)
        self._seconds[block.place] = (1.0 - NEWEST) * before + NEWEST * each

    def _first_missing(self, place: int) -> Block | None:
        """The first missing pieces at a place, in a row; None where none is missing."""
        missing = self.missing[place]
        begin = int(missing.argmax())
        if not missing[begin]:
            return None
        ahead = missing[begin : begin + self._size(place)]
        length = ahead.size if ahead.all() else int(ahead.argmin())
        missing[begin : begin + length] = False
        return Block(place, range(begin, begin + length))

    def _size(self, place: int) -> int:
        if self.block_size is not None:
            return self.block_size
        if place not in self._seconds:
            return 1
        fitting = BLOCK_SECONDS / max(self._seconds[place], 1e-6)
        return int(np.clip(fitting, 1, LARGEST_BLOCK))
