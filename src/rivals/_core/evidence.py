"""What a law says of the losses, as plain arrays: a decision and a result are made from them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from rivals._core.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Note:
    """Something to know, as a code and plain values; `sentences` has the words."""

    code: str
    models: tuple[str, ...] = ()
    value: float = 0.0


@dataclass(frozen=True, eq=False)
class Evidence:
    """Of all models at one setting: pairs, the model of lower risk first.

    Attributes
    ----------
    names : tuple of str
    risk : array, shape (models,)
        What the decision is about. It orders the models, everywhere.
    better, worse : array of int, shape (pairs,)
        The places of both models of each pair that was asked for; the better has the lower risk.
    forward, backward : array, shape (pairs,)
        P(R_better < R_worse − margin), and P(R_worse < R_better − margin).
    error : array, shape (pairs,)
        Monte Carlo standard error of both; zero in closed form.
    clear : array of bool, shape (pairs,)
        False where looks at growing data do not allow a decision yet.
    strongest : array, shape (simulations, models)
        The largest probability of a rival of lower risk against each model, by each simulation
        alone: it is enough for every threshold.
    margin : float
        The smallest difference that matters.
    notes : tuple of Note
    """

    names: tuple[str, ...]
    risk: FloatArray
    better: IntArray
    worse: IntArray
    forward: FloatArray
    backward: FloatArray
    error: FloatArray
    clear: BoolArray
    strongest: FloatArray
    margin: float = 0.0
    notes: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        """One gate: what is no probability, or does not fit together, is no evidence."""
        _check(self)
        for array in vars(self).values():
            if isinstance(array, np.ndarray):
                array.flags.writeable = False

    @cached_property
    def probability(self) -> FloatArray:
        """[a, b] = P(R_a < R_b − margin) of every pair; nan where nobody asked."""
        matrix = np.full((len(self.names), len(self.names)), np.nan)
        np.fill_diagonal(matrix, 0.0 if self.margin else 0.5)
        matrix[self.better, self.worse] = self.forward
        matrix[self.worse, self.better] = self.backward
        return matrix

    @cached_property
    def standard_error(self) -> FloatArray:
        """[a, b], Monte Carlo; zero in closed form."""
        matrix = np.zeros((len(self.names), len(self.names)))
        matrix[self.better, self.worse] = self.error
        matrix[self.worse, self.better] = self.error
        return matrix

    @property
    def is_complete(self) -> bool:
        """Whether every pair was asked for."""
        return self.better.size == len(self.names) * (len(self.names) - 1) // 2

    def joined(self, other: Evidence) -> Evidence:
        """With further pairs, of the same models at the same setting."""
        fields = ("better", "worse", "forward", "backward", "error", "clear")
        both: dict[str, Any] = {
            name: np.concatenate([getattr(self, name), getattr(other, name)]) for name in fields
        }
        return replace(self, **both, strongest=np.maximum(self.strongest, other.strongest))

    def row(self, model: int) -> FloatArray:
        """P(model better than each other one by more than the margin); nan where nobody asked."""
        found = np.full(len(self.names), np.nan)
        found[model] = 0.0 if self.margin else 0.5
        ahead = self.better == model
        behind = self.worse == model
        found[self.worse[ahead]] = self.forward[ahead]
        found[self.better[behind]] = self.backward[behind]
        return found


def _check(evidence: Evidence) -> None:
    """Refuse what no law may say: it would be a table of nonsense."""
    if not np.isfinite(evidence.risk).all():
        place = int(np.argmin(np.isfinite(evidence.risk)))
        raise ValueError(f"model {evidence.names[place]!r}: its risk is not finite")
    both = evidence.forward + evidence.backward
    inside = (evidence.forward >= 0.0) & (evidence.backward >= 0.0) & (both <= 1.0 + 1e-12)
    if not evidence.margin:
        inside &= np.abs(both - 1.0) <= 1e-9
    inside &= (evidence.error >= 0.0) & (evidence.error <= 1.0)
    if not inside.all():
        pair = int(np.argmin(inside))
        first, second = evidence.names[evidence.better[pair]], evidence.names[evidence.worse[pair]]
        raise ValueError(
            f"models {first!r} and {second!r}: no probability follows from their losses "
            f"({evidence.forward[pair]:g} and {evidence.backward[pair]:g}); please report this"
        )
