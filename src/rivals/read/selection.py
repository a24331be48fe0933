"""What to read from a table. Models are the columns that the user names, or all, if none looks like an index."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np

from rivals._checks import show, warn
from rivals._types import FloatArray

LABELS = ("model", "kind", "simulation")

# What pandas calls an index in a Parquet file, and a column without a name.
INDEX_NAME = re.compile(r"__index_level_\d+__|Unnamed: (\d+)")
# In fewer rows, losses may look like an index by chance, or in an example.
FEW_ROWS = 10
# How many names, and how much of a long one, a message shows; and with how many names a wrong one is compared.
MANY_NAMES, LONG_NAME, MANY_TO_COMPARE = 12, 200, 2000


@dataclass(frozen=True)
class Selection:
    """What to read from a table: which models, all if None, and what to leave out; and what the other columns are."""

    models: Collection[str] | None = None
    ignore: Collection[str] = ()
    index: str | None = None  # the column that names the points
    labels: Mapping[str, str] = field(
        default_factory=dict
    )  # option → the column that it names, such as that of the groups
    log_likelihood: bool = False

    @classmethod
    def checked(
        cls, models: Iterable[str] | str | None, ignore: Iterable[str] | str, groups: str | None, **others: Any
    ) -> Selection:
        """From what a user gives: one name, or several."""
        labels = {} if groups is None else {"groups": groups}
        return cls(None if models is None else _as_names(models), _as_names(ignore), labels=labels, **others)

    @property
    def text(self) -> set[str]:
        """The columns that are always text: names, and those that the user names."""
        return {*LABELS, *self.labels.values(), *({self.index} if self.index is not None else ())}

    def signed(self, values: FloatArray) -> FloatArray:
        """Losses, if these are log likelihoods."""
        return -values if self.log_likelihood else values

    def of(self, names: Iterable[str], where: str) -> list[str]:
        """The selected names, in their order."""
        there = dict.fromkeys(names)
        for option, wanted in (("models", self.models or ()), ("ignore", self.ignore)):
            for name in wanted:
                if name not in there:
                    raise ValueError(f"{option}: {where} has no {show(name)!r}; {_hint(name, list(there))}")
        left = set(there if self.models is None else self.models).difference(self.ignore)
        return [name for name in there if name in left]

    def check_names(self, names: Iterable[str], where: str) -> None:
        """Refuse the index of a data frame, unless it was named as a model."""
        for name in names if self.models is None else ():
            match = INDEX_NAME.fullmatch(name)
            if match and match[1]:
                raise ValueError(
                    f"{where}: column {int(match[1]) + 1} has no name and seems to be an index; {_leave_out(name)} (pandas: "
                    "to_csv(..., index=False))"
                )
            if match:
                raise ValueError(f"{where}: column {name!r} is the index of a data frame; {_leave_out(name)}")

    def check_values(self, observed: Mapping[str, FloatArray], synthetic: Mapping[str, FloatArray], where: str) -> None:
        """Refuse columns that cannot be losses, and warn about those that hardly are; models that the user named are accepted."""
        if self.models is not None or min((column.size for column in observed.values()), default=0) < FEW_ROWS:
            return
        same = {name for name in synthetic if _begins_with(synthetic[name], observed[name])}
        for name, column in observed.items():
            if _holds(lambda part: bool(np.all(np.diff(part) == 1)), column):
                raise ValueError(f"{where}: column {show(name)!r} is a running number; {_leave_out(name)}")
            if name in same and len(same) < len(observed):
                raise ValueError(
                    f"{where}: column {show(name)!r} is the same in the observed and the synthetic table, as an id or a fold is; "
                    f"{_leave_out(name)}"
                )
        whole = [name for name, column in observed.items() if _holds(_is_whole, column)]
        for name in whole[:MANY_NAMES] if len(whole) < len(observed) else ():
            warn(
                f"{where}: column {show(name)!r} holds whole numbers only, unlike the others, and is taken for a model; if it is an id "
                f"or a fold, {_leave_out(name)}"
            )


def _as_names(names: Iterable[str] | str) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _begins_with(longer: FloatArray, column: FloatArray) -> bool:
    parts = (slice(FEW_ROWS), slice(column.size))
    return all(np.array_equal(longer[part], column[part]) for part in parts) and bool(np.ptp(column) > 0)


def _is_whole(column: FloatArray) -> bool:
    return np.array_equal(column, np.round(column))


def _holds(law: Callable[[FloatArray], bool], column: FloatArray) -> bool:
    """Whether something holds for every part of a column; mostly its beginning tells that it does not."""
    return law(column[:FEW_ROWS]) and law(column)


def listed(names: Collection[str]) -> str:
    """Names for a message, the first ones of many."""
    first = [show(name)[:LONG_NAME] for _, name in zip(range(MANY_NAMES), names, strict=False)]
    return ", ".join(first) + (f", … ({len(names)} in all)" if len(names) > MANY_NAMES else "")


def _hint(name: str, there: list[str]) -> str:
    near = get_close_matches(name, there[:MANY_TO_COMPARE], n=1) if len(name) < LONG_NAME else []
    return f"did you mean {show(near[0])!r}?" if near else f"it has {listed(there)}"


def no_numbers(name: str) -> str:
    """What to do about a column without a single number."""
    return f"; if the column is an id, {_leave_out(name)}"


def _leave_out(name: str) -> str:
    word = show(name)
    quoted = f"'{word}'" if " " in word else word
    return (
        f"leave it out by ignore=[{word!r}] (--ignore {quoted}), align rows by it with index={word!r} (--index {quoted}), or name the "
        "models by models=[...] (--models)"
    )
