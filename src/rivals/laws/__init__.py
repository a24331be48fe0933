"""The laws of the risk, one file each: what it assumes, its formula, its class.

The only place that knows a law by its name.
"""

from __future__ import annotations

from typing import Any

from rivals._say.arguments import check_choice
from rivals.laws.base import Applied, Law
from rivals.laws.beta import Beta
from rivals.laws.beta_process import HierarchicalBetaProcess
from rivals.laws.groups import Groups
from rivals.laws.setting import ORDERS, Grouping, Order, Setting
from rivals.laws.transport import Transport
from rivals.laws.transport_process import TransportLaw

# To add a law: a file with a subclass of Law, and its class here.
LAWS: dict[str, type[Law]] = {law.name: law for law in (Transport, Beta, Groups)}
DEFAULT: type[Law] = Transport

__all__ = [
    "DEFAULT",
    "LAWS",
    "ORDERS",
    "Applied",
    "Beta",
    "Grouping",
    "Groups",
    "HierarchicalBetaProcess",
    "Law",
    "Order",
    "Setting",
    "Transport",
    "TransportLaw",
    "law_of",
]


def law_of(law: str | Law | None, *, groups: bool = False) -> Law:
    """The law that a name or an object stands for; by default that for groups, where there are
    any, or else "transport".

    Examples
    --------
    >>> law_of("beta"), law_of(Beta(depth=8)).depth
    (Beta(depth=None, n_draws=None, max_draws=262144), 8)
    """
    if isinstance(law, Law):
        return law
    if law is None:
        return (Groups if groups else DEFAULT)()
    if isinstance(law, type) and issubclass(law, Law):
        raise TypeError(
            f"law must be a name or an object: got the class {law.__name__}; pass "
            f"rivals.laws.{law.__name__}()"
        )
    return LAWS[check_choice(law, "law", tuple(LAWS))]()


def law_from_options(name: Any, options: dict[str, Any]) -> Law:
    """The law of a saved run."""
    return LAWS[check_choice(name, "law", tuple(LAWS))](**options)
