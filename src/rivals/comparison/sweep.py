"""A comparison at several values of c."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from rivals._types import FloatArray
from rivals.comparison import table

if TYPE_CHECKING:
    from rivals.comparison import Comparison


@dataclass(frozen=True, eq=False)
class Sweep:
    """A comparison at several values of c: where does the verdict change?

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> rng = np.random.default_rng(0)
    >>> losses = {name: tuple(rng.exponential(scale, (2, 1000))) for name, scale in [("A", 1.0), ("B", 3.0)]}
    >>> sweep = rivals.compare(losses, rng=0).sweep(c=[0.25, 1.0])
    >>> sweep.survivors
    (('A',), ('A',))
    >>> sweep.changes
    ()
    """

    c: tuple[float, ...]
    comparisons: tuple[Comparison, ...] = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The models, in the order given."""
        return self.comparisons[0].names

    @cached_property
    def probability(self) -> FloatArray:
        """(k, n, n): P(R_a < R_b) at each c."""
        return np.stack([run.probability for run in self.comparisons])

    @cached_property
    def standard_error(self) -> FloatArray:
        """(k, n, n): Monte Carlo standard error of `probability`."""
        return np.stack([run.standard_error for run in self.comparisons])

    @property
    def survivors(self) -> tuple[tuple[str, ...], ...]:
        """The survivors at each c."""
        return tuple(run.survivors for run in self.comparisons)

    @property
    def changes(self) -> tuple[tuple[float, float], ...]:
        """The neighbouring values of c, in increasing order, between which the set of survivors changes."""
        order = np.argsort(self.c, kind="stable")
        pairs = [(int(i), int(j)) for i, j in pairwise(order)]
        return tuple((self.c[i], self.c[j]) for i, j in pairs if set(self.survivors[i]) != set(self.survivors[j]))

    def __str__(self) -> str:
        return table.sweep_text(self)

    __repr__ = __str__
