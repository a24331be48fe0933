"""Which group each point belongs to, by one factor or several: labels, factorised once for all
models.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, overload

import numpy as np

from rivals._core.arrays import factorised, index_of, number_of, spelled
from rivals._core.checks import check_printable
from rivals._core.texts import Refusal, opt
from rivals._core.types import IntArray

# Capitals of no more letters are an abbreviation, as ICU; longer ones are a way to write columns.
LONGEST_ACRONYM = 4
# Of more factors nothing was measured.
MOST_FACTORS = 3


class Numbered(Sequence[str]):
    """Names of so many rows, "1" to "442", of which none is kept.

    Examples
    --------
    >>> Numbered(3)[-1], list(Numbered(2))
    ('3', ['1', '2'])
    """

    def __init__(self, size: int) -> None:
        self.size = size

    def __len__(self) -> int:
        return self.size

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[str, ...]: ...
    def __getitem__(self, place: int | slice) -> str | tuple[str, ...]:
        found = range(1, self.size + 1)[place]
        return str(found) if isinstance(found, int) else tuple(map(str, found))


@dataclass(frozen=True, eq=False)
class Grouping:
    """The group of each point.

    Attributes
    ----------
    codes : array of int
        The group of each point, from 0.
    names : tuple of str
        Of the groups, in the order in which they first appear.
    noun : str
        What one of them is called, as "school".
    index : pandas.Index or None
        The labels of the rows that they came with.
    further : tuple of Grouping
        By further factors, which cross this one or lie in one another.

    Examples
    --------
    >>> Grouping.of(["b", "a", "b"]).codes.tolist()
    [0, 1, 0]
    >>> both = Grouping.of({"subject": ["b", "a", "b"], "item": [1, 1, 2]})
    >>> [factor.noun for factor in both.factors]
    ['subject', 'item']
    """

    codes: IntArray
    names: tuple[str, ...]
    noun: str = "group"
    index: Any = None
    further: tuple[Grouping, ...] = ()

    @classmethod
    def of(cls, labels: Any, noun: str | None = None, what: str = "groups") -> Grouping:
        """From a label for each point, or a grouping that is there already."""
        if isinstance(labels, Grouping):
            return labels
        if hasattr(labels, "columns"):
            labels = {name: labels[name] for name in labels.columns}
        if isinstance(labels, Mapping):
            return cls.of_factors(
                {name: cls.of(each, noun_of(name), what) for name, each in labels.items()}
            )
        codes, found = factorised(labels, opt[what])
        names = tuple(map(spelled, found))
        check_printable(what, names)
        _check_spellings(opt[what], names)
        return cls(codes, names, noun or noun_of(getattr(labels, "name", None)), index_of(labels))

    @classmethod
    def of_factors(cls, factors: Mapping[Any, Grouping]) -> Grouping:
        """The same points, grouped by several factors."""
        if not factors or len(factors) > MOST_FACTORS:
            raise Refusal(
                f"{opt['groups']}: at least one factor and at most {MOST_FACTORS} are taken "
                f"together; got {len(factors)}{': ' * bool(factors)}"
                f"{', '.join(map(str, factors))}; leave out those that matter least"
            )
        first, *further = factors.values()
        nouns: dict[str, Any] = {}
        for name, each in factors.items():
            if each.codes.size != first.codes.size:
                raise Refusal(
                    f"{opt['groups']}: {name!r} has {each.codes.size} labels, and "
                    f"{next(iter(factors))!r} has {first.codes.size}; give one for each point"
                )
            if each.noun in nouns:
                raise Refusal(
                    f"{opt['groups']}: {nouns[each.noun]!r} and {name!r} would both be called "
                    f"{each.noun!r}; rename one of them"
                )
            nouns[each.noun] = name
        return replace(first, further=tuple(further))

    @property
    def factors(self) -> tuple[Grouping, ...]:
        """This and the further ones."""
        return (replace(self, further=()), *self.further)

    @cached_property
    def sizes(self) -> IntArray:
        """Points in each group."""
        return np.bincount(self.codes, minlength=len(self.names))

    @cached_property
    def order(self) -> IntArray:
        """The points, group by group."""
        return np.argsort(self.codes, kind="stable")

    @cached_property
    def begins(self) -> IntArray:
        """Where each group begins in that order."""
        return np.asarray(np.cumsum(self.sizes) - self.sizes)

    def taken(self, points: IntArray) -> Grouping:
        """Of some of the points: groups without any are no groups of theirs."""
        codes = self.codes[points]
        there = np.bincount(codes, minlength=len(self.names)) > 0
        names = tuple(name for name, seen in zip(self.names, there.tolist(), strict=True) if seen)
        further = tuple(each.taken(points) for each in self.further)
        return Grouping((np.cumsum(there) - 1)[codes], names, self.noun, further=further)

    def same_as(self, other: Grouping) -> bool:
        """Whether the same points are together; names and their order do not matter."""
        pairs = zip(self.factors, other.factors, strict=False)
        return len(self.further) == len(other.further) and all(
            np.array_equal(one.codes, another.codes) for one, another in pairs
        )


def _check_spellings(what: str, names: tuple[str, ...]) -> None:
    """Refuse "1" beside "1.0": two groups of one number are a mistake of how a file was read."""
    seen: dict[object, str] = {}
    for name in names:
        value = number_of(name)
        if value in seen:
            raise Refusal(
                f"{what}: {seen[value]!r} and {name!r} are two spellings of one label; give every "
                "group one spelling"
            )
        seen[value] = name


# Days of weeks, and months, by their first letters.
TIMES = re.compile(
    r"(1[5-9]|20)\d\d([-/.](q?\d{1,2}|w\d{1,2})([-/.]\d{1,2})?)?|q[1-4]|(w|week )\d{1,2}|"
    r"(mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*",
    re.IGNORECASE,
)


def look_like_times(names: Sequence[str]) -> bool:
    """Whether all are years, dates, quarters, months, weeks or days.

    Examples
    --------
    >>> look_like_times(["1998", "1999"]), look_like_times(["2020-03", "2020-04"])
    (True, True)
    >>> look_like_times(["Jan", "Feb"]), look_like_times(["north", "1999"])
    (True, False)
    """
    if isinstance(names, Numbered):
        return False
    return all(TIMES.fullmatch(name.strip()) for name in names)


def check_order(names: tuple[str, ...], noun: str) -> None:
    """Refuse numbers that do not increase: groups are in the order in which they first appear."""
    try:
        numbers = [float(name) for name in names]
    except ValueError:
        return
    later = next((i for i in range(1, len(names)) if numbers[i] <= numbers[i - 1]), None)
    if later is not None:
        raise Refusal(
            f"{opt.order('time')}: {noun} {names[later]} first appears after {names[later - 1]}; "
            f"sort the data by {noun}"
        )


def noun_of(name: Any) -> str:
    """What one group is called, from the name of a column: "School" is "school"."""
    if not isinstance(name, str) or not name.strip():
        return "group"
    words = name.replace("_", " ").strip()
    for ending in (" id", " code", " name", " number"):
        if words.lower().endswith(ending):
            words = words[: -len(ending)]
    is_acronym = words.isupper() and len(words) <= LONGEST_ACRONYM
    return words if is_acronym or not (words.istitle() or words.isupper()) else words.lower()
