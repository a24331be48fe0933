"""What a job is: pieces of work, the blocks they are handed out in, and how each piece ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

# A piece that fails is tried so often.
ATTEMPTS = 3
# Characters kept of the error of a failed piece.
LONGEST_MESSAGE = 2_000
LONGEST_TRACEBACK = 20_000


class Job(Protocol):
    """Pieces of work, each named by its place in a list and an index.

    Results do not depend on how pieces are divided into blocks.
    """

    contents: str  # in words, for messages
    progress: str  # how far it is, with two places for numbers, such as "{} of {} pieces"

    def prepare(self, place: int, indices: range) -> Mapping[int, Any]:
        """What is computed at once for many pieces, by index.

        Pieces without it compute it themselves.
        """

    def run(self, place: int, index: int, prepared: Any) -> Any:
        """The result of one piece."""


@dataclass(frozen=True)
class Block:
    """Consecutive pieces at one place."""

    place: int
    indices: range
    crashes: int = 0  # how often its worker died
    alone: bool = False  # whether it must run with nothing beside it

    def one(self, index: int, *, alone: bool = False) -> Block:
        """One piece of it, with a fresh count of crashes where it is to run alone."""
        crashes = 0 if alone else self.crashes
        return Block(self.place, range(index, index + 1), crashes, alone or self.alone)


@dataclass(frozen=True)
class Ended:
    """A piece that finished, or failed: then with the error, and how often it was tried."""

    place: int
    index: int
    result: Any = None
    seconds: float = 0.0
    attempts: int = 1
    error: str = ""
    traceback: str = ""


def failed(place: int, index: int, attempts: int, error: str, trace: str = "") -> Ended:
    """The record of a failed piece."""
    return Ended(
        place,
        index,
        attempts=attempts,
        error=_storable(error, LONGEST_MESSAGE),
        traceback=_storable(trace or error, LONGEST_TRACEBACK),
    )


def _storable(text: str, longest: int) -> str:
    """Text that any file accepts.

    Lone surrogates are spelled out. Of very long text the beginning and the end are kept.
    """
    if len(text) > longest:
        text = f"{text[: longest // 2]} … {text[-longest // 2 :]}"
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
