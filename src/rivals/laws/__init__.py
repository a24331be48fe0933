"""The laws of the risk, a file each. This is the only place that knows them by name."""

from __future__ import annotations

from typing import Any

from rivals._core.law import Law
from rivals.laws.beta import Beta, HierarchicalBetaProcess, Paper
from rivals.laws.factors import Factors
from rivals.laws.groups import Groups
from rivals.laws.open_process import Process, process
from rivals.laws.reversal import Reversal, other_recordings
from rivals.laws.transport import Transport
from rivals.laws.transport_process import TransportLaw

__all__ = [
    "LAWS",
    "Beta",
    "Factors",
    "Groups",
    "HierarchicalBetaProcess",
    "Law",
    "Paper",
    "Process",
    "Reversal",
    "Transport",
    "TransportLaw",
    "law_of",
    "other_recordings",
    "process",
]

LAWS: dict[str, type[Law[Any]]] = {
    law.name: law for law in (Transport, Groups, Beta, Paper, Reversal)
}


def law_of(law: str | Law[Any] | None, *, groups: bool, several: bool = False) -> Law[Any]:
    """The law that a name stands for.

    By default "groups" where there are groups, else "transport"; of several factors `Factors`.

    Examples
    --------
    >>> law_of(None, groups=True).name
    'groups'
    """
    if several and (law in (None, "groups") or isinstance(law, Groups)):
        return Factors()
    if isinstance(law, Law):
        return law
    if law is None:
        return Groups() if groups else Transport()
    if not isinstance(law, str) or law not in LAWS:
        raise ValueError(f"method must be one of {', '.join(map(repr, LAWS))}; got {law!r}")
    return LAWS[law]()
