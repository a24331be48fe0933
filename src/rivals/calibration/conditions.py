"""The conditions of a study: what the numbers of its experiments depend on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from rivals._say.arguments import check_choice, check_positive, check_size
from rivals.comparison import N_SIMULATIONS
from rivals.laws import ORDERS, Law, Order, law_of

N_TRUTH = 2**16
# The least that makes sense of each size.
LEAST = {"n_data": 2, "n_truth": 2, "n_simulations": 1, "n_replications": 1}


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """What the numbers of an experiment depend on, besides its Ω and its index."""

    c: Sequence[float]  # sorted, once it is checked
    n_data: int
    law: Law
    n_truth: int = N_TRUTH
    entropy: int = 0
    n_simulations: int = N_SIMULATIONS
    order: Order | None = None
    n_replications: int = 1
    loss_unit: str | None = None  # kept, because c may depend on it

    @classmethod
    def checked(
        cls, *, c: Sequence[float] | None = None, law: str | Law | None = None, **others: Any
    ) -> Conditions:
        """Conditions that make sense, by default with the values of c that suit the law."""
        chosen = law_of(law)
        if chosen.needs_groups or not chosen.has_c:
            raise ValueError(
                f"law {chosen.name!r} is not calibrated: it has no c, or groups at hand take the "
                "place of simulated experiments; use it in compare directly"
            )
        values = _checked_values(chosen.grid if c is None else c)
        conditions = cls(c=values, law=chosen, **others)
        sizes: dict[str, Any] = {}
        for name, least in LEAST.items():
            sizes[name] = check_size(getattr(conditions, name), name, least=least)
        if conditions.order is not None:
            check_choice(conditions.order, "order", ORDERS)
        return replace(conditions, **sizes)

    def plain(self) -> dict[str, Any]:
        """As plain numbers and text, as a store keeps them."""
        return {
            **vars(self),
            "law": self.law.name,
            "options": self.law.options(),
            "c": list(self.c),
            "entropy": str(self.entropy),  # larger than what JSON readers elsewhere can hold
        }


def _checked_values(c: Sequence[float]) -> tuple[float, ...]:
    """Different positive numbers, in order."""
    try:
        values = sorted(check_positive(value, f"c[{place}]") for place, value in enumerate(c))
    except TypeError as error:
        raise TypeError(
            f"c is not a sequence of numbers: {error}; pass a list of numbers"
        ) from None
    if not values or len(set(values)) != len(values):
        raise ValueError(
            f"c must be one or more different values: got {values}; list each value once"
        )
    return tuple(values)
