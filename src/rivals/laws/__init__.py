"""The laws of the risk, a file each. This is the only place that knows them by name.

Other packages add laws by an entry point in the group `rivals.laws`: name = "module:Class".
"""

from __future__ import annotations

from typing import Any

from rivals._core.law import Law
from rivals._core.setting import near
from rivals.laws.beta import Beta, HierarchicalBetaProcess, Paper
from rivals.laws.factors import Factors
from rivals.laws.groups import Groups
from rivals.laws.open_process import Process, process
from rivals.laws.reversal import Reversal
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
    "process",
]

GROUP = "rivals.laws"
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
    return _named(law)()


def known(name: str) -> type[Law[Any]] | None:
    """The law that was saved as `name`: imported already, or of another package."""
    return Law.KNOWN.get(name) or _added().get(name)


def _named(name: Any) -> type[Law[Any]]:
    if isinstance(name, str) and name in LAWS:
        return LAWS[name]
    laws = {**_added(), **LAWS}
    if not isinstance(name, str) or name not in laws:
        listed = ", ".join(map(repr, laws))
        raise ValueError(f"method must be one of {listed}; got {name!r}{near(name, laws)}")
    return laws[name]


def _added() -> dict[str, type[Law[Any]]]:
    """Laws of other packages, by name."""
    from importlib.metadata import entry_points  # takes longer to load than all laws

    found = {}
    for each in entry_points(group=GROUP):
        law = each.load()
        if not (isinstance(law, type) and issubclass(law, Law)):
            raise TypeError(f"method {each.name!r}: {each.value} is no subclass of rivals.laws.Law")
        found[each.name] = law
    return found
