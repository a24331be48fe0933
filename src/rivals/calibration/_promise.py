"""What a c promises, and what experiments say of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import ceil, log, log1p, nan
from typing import Any

# A winner is named beyond this probability, as in `compare`.
THRESHOLD = 0.95
# What is shown may be wrong with this probability: that any c is wrongly called kept.
LEVEL = 0.05


@dataclass(frozen=True)
class Promise:
    """How often named winners may fail.

    Attributes
    ----------
    most : float
        What is found may be no more than this.
    shown : float
        What is shown, with 95 % confidence, may be no more than this.
    """

    most: float = 1.0 - THRESHOLD
    shown: float = 2.0 * (1.0 - THRESHOLD)

    @property
    def least_winners(self) -> int:
        """Twice as many named winners as would show it if none failed."""
        return ceil(2.0 * log(LEVEL) / log1p(-self.shown))


PROMISES = {"usual": Promise(), "strict": Promise(shown=1.0 - THRESHOLD)}


@dataclass(frozen=True)
class State:
    """What the experiments of one scenario say at one c.

    Attributes
    ----------
    c : float
    state : {"kept", "open", "silent", "broken"}
    n, unknown : int
        Experiments, and those of them whose truth is undecided, which are left out.
    right, wrong, undecided : int
        What became of the named winners.
    excess : float
        By rule "error" the part of named winners that failed; by rule "bound" by how much B was
        more confident than right, in the worst window. nan where there is nothing.
    at_least, at_most : float
        Exact limits of it (Clopper and Pearson), each one-sided with 95 % confidence, of all
        windows together; the lower one also of all c together.
    enough : int or None
        Experiments that would probably settle an open or a silent c; None where none would.
    because : {"", "undecided", "a larger c"}
        Why a c is open although its own winners do not say so.
    """

    c: float
    state: str
    n: int
    unknown: int
    right: int
    wrong: int
    undecided: int
    excess: float
    at_least: float
    at_most: float
    enough: int | None = None
    because: str = ""

    @property
    def named(self) -> int:
        """How many winners are named."""
        return self.right + self.wrong + self.undecided

    @property
    def known(self) -> int:
        """How many of them are right or wrong, and not undecided."""
        return self.right + self.wrong

    @property
    def failure_rate(self) -> float:
        """Part of the named winners of known truth that failed; nan without any."""
        return self.wrong / self.known if self.known else nan

    @property
    def promising(self) -> bool:
        """Whether it would be kept if what was found were shown."""
        return self.excess <= 1.0 - THRESHOLD

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON, which has no nan."""
        found = {**asdict(self), "named": self.named, "failure_rate": self.failure_rate}
        return {name: None if value != value else value for name, value in found.items()}
