"""What to read from a table: which models, and what the other columns are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Self

from rivals._say.words import listed, show
from rivals._types import FloatArray
from rivals.read.columns import Column

SIMULATION = "simulation"  # the optional column that tells simulations apart

# With how many names a wrong one is compared, if it is not longer than names are.
MANY_TO_COMPARE = 2000
LONG_NAME = 200


@dataclass(frozen=True)
class Selection:
    """Which models to read, all if None, and what to leave out; and what the other columns are.

    Parameters
    ----------
    models, ignore : collections of names
    index : str, optional
        The column that names the points.
    labels : mapping
        Option → the column that it names: groups, clusters.
    log_likelihood : bool
        Whether the numbers are log likelihoods.
    """

    models: Collection[str] | None = None
    ignore: Collection[str] = ()
    index: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    log_likelihood: bool = False

    @classmethod
    def checked(
        cls, models: Iterable[str] | None, ignore: Iterable[str], groups: str | None, **others: Any
    ) -> Self:
        """From what a user gives: one name, or several."""
        labels = {} if groups is None else {"groups": groups}
        wanted = None if models is None else _as_names(models)
        return cls(wanted, _as_names(ignore or ()), labels=labels, **others)

    @property
    def text(self) -> set[str]:
        """The columns that are always text: names, and those that the user names."""
        columns = {"model", "kind", SIMULATION, *self.labels.values()}
        if self.index is not None:
            columns.add(self.index)
        return columns

    def signed(self, values: FloatArray) -> FloatArray:
        """Losses, if these are log likelihoods."""
        return -values if self.log_likelihood else values

    def of(self, names: Iterable[str], where: str) -> list[str]:
        """The selected names, in their order."""
        there = dict.fromkeys(names)
        for option, wanted in (("models", self.models or ()), ("ignore", self.ignore)):
            for name in wanted:
                if name not in there:
                    raise ValueError(
                        f"{option}: {where} has no {show(name)!r}; {_hint(name, there)}"
                    )
        selected = set(there if self.models is None else self.models)
        selected.difference_update(self.ignore)
        return [name for name in there if name in selected]


def _as_names(names: Iterable[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def check_there(option: str, name: str, columns: Mapping[str, Column], where: str) -> None:
    """Refuse the name of a column that is not there, and guess which one was meant."""
    if name not in columns:
        raise ValueError(f"{option}: {where} has no column {show(name)!r}; {_hint(name, columns)}")


def _hint(name: str, there: Collection[str]) -> str:
    near: list[str] = []
    if len(name) < LONG_NAME:
        near = get_close_matches(name, list(there)[:MANY_TO_COMPARE], n=1)
    if near:
        return f"did you mean {show(near[0])!r}?"
    return f"it has {listed(list(there))}"
