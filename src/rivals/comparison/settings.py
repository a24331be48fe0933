"""The settings of a comparison: enough, with the losses, to repeat it."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import nan
from os import PathLike, fspath
from typing import Any, Literal

from rivals._checks import check_choice, check_depth, check_positive, check_size, check_threshold, show
from rivals._types import IntArray

Law = Literal["beta", "transport", "groups"]
Order = Literal["time"]
Ties = Literal["spread"]

LAWS: tuple[Law, ...] = ("transport", "beta", "groups")
ORDERS: tuple[Order, ...] = ("time",)
TIES: tuple[Ties, ...] = ("spread",)
DEFAULT_LAW: Law = "transport"
# Measured, not derived: uncalibrated, at c = 1/8 stated winners lose in about 5 % of fresh replications, pooled over the families of
# benchmarks/replication.py, but in 10 % of one family. Under law "beta" c = 1 is the original paper's first choice: it abstains.
DEFAULT_C = {"transport": 0.125, "beta": 1.0}

# With 12 000 draws of each risk the standard error of B is at most 0.5 / √12000 = 0.0046, whatever the distributions.
N_DRAWS = 12_000
MAX_DRAWS = 2**18

# Simulations of each candidate: with one, another seed of it changes the verdict too often (docs/does-it-work.md).
N_SIMULATIONS = 16


@dataclass(frozen=True)
class Settings:
    """The law of the risk with its constant, the threshold, and how the random numbers are made."""

    entropy: int
    law: Law = DEFAULT_LAW
    c: float = nan  # nan under law "groups", which has none
    threshold: float = 0.95
    n_draws: int = N_DRAWS
    max_draws: int = MAX_DRAWS
    depth: int | None = None
    order: Order | None = None
    ties: Ties | None = None
    n_simulations: int | None = None  # known from the losses, unless their simulations were not kept
    groups: IntArray | None = field(default=None, compare=False, repr=False)

    @classmethod
    def checked(cls, *, law: Any, c: Any, order: Any, ties: Any, depth: Any, threshold: Any, **sizes: Any) -> Settings:
        """From what a user gives."""
        law = check_choice(law, "law", LAWS)
        if law == "groups" and c is not None:
            raise ValueError(
                f"law 'groups' has no c: got c = {c!r}; leave c out, the spread between groups takes its place"
            )
        if depth is not None and law != "beta":
            raise ValueError(f"law {law!r} has no depth: got {depth!r}; leave depth out, or use law='beta'")
        if ties is not None and law != "beta":
            raise ValueError(
                f"law {law!r} needs no remedy for ties: got ties = {ties!r}; leave ties out, or use law='beta'"
            )
        if isinstance(c, (str, PathLike)):
            raise TypeError(
                f"c must be a number; got {show(fspath(c))!r}. If this is the store of a calibration, pass "
                f"c=rivals.calibration.open_store({show(fspath(c))!r})"
            )
        n_draws = check_size(sizes["n_draws"], "n_draws", least=2)
        return cls(
            entropy=sizes["entropy"],
            law=law,
            c=nan if law == "groups" else check_positive(DEFAULT_C[law] if c is None else c, "c"),
            threshold=check_threshold(threshold),
            n_draws=n_draws,
            max_draws=max(check_size(sizes["max_draws"], "max_draws"), n_draws),
            depth=None if depth is None else check_depth(depth),
            ties=None if ties is None else check_choice(ties, "ties", TIES),
            order=None if order is None else check_choice(order, "order", ORDERS),
            n_simulations=sizes.get("n_simulations"),
        )
