"""What `compare` asks of a calibration: a c, and how to read the probabilities at that c."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from rivals.comparison.judge import Rule
from rivals.laws.base import Law
from rivals.losses import Losses


@runtime_checkable
class Calibrator(Protocol):
    """Gives a c and a correction of probabilities; `rivals.Calibration` is one."""

    @property
    def n_simulations(self) -> int:
        """Simulations of each candidate in its experiments."""

    def as_law(self) -> Law:
        """The law of the risk that it was made with."""

    def choose_c(self, *, valid_only: bool) -> float:
        """The c to compare at."""

    def check_fit(
        self,
        losses: Mapping[str, Losses],
        *,
        law: str | None,
        order: str | None,
        loss_unit: str | None,
    ) -> None:
        """Refuse losses or settings of a comparison for which it was not made."""

    def rules(self, names: Sequence[str], threshold: float) -> Sequence[Rule]:
        """How to read probabilities: the rule that decides first, then one per distribution."""
