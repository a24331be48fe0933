"""Which group each point belongs to: labels, factorised once for all models."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rivals._core.checks import check_printable
from rivals._core.texts import Refusal, WrongKind, opt
from rivals._core.types import IntArray

# Capitals of no more letters are an abbreviation, as ICU; longer ones are a way to write columns.
LONGEST_ACRONYM = 4


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

    Examples
    --------
    >>> Grouping.of(["b", "a", "b"]).codes.tolist()
    [0, 1, 0]
    """

    codes: IntArray
    names: tuple[str, ...]
    noun: str = "group"

    @classmethod
    def of(cls, labels: Any, noun: str | None = None) -> Grouping:
        """From a label for each point, or a grouping that is there already."""
        if isinstance(labels, Grouping):
            return labels
        if getattr(labels, "ndim", 1) != 1:
            raise Refusal(
                f"{opt['groups']} must be one label for each point; got an array of shape "
                f"{labels.shape}"
            )
        if isinstance(labels, (str, bytes)) or not hasattr(labels, "__len__"):
            raise WrongKind(f"{opt['groups']} must be one label for each point; got {labels!r}")
        codes, found = _factorised(labels)
        if codes.size and codes.min() < 0:
            missing = int(np.argmin(codes))
            raise Refusal(
                f"{opt['groups']}: the label of point {missing} is missing; leave such "
                "points out, or name "
                "their group"
            )
        names = tuple(map(_spelled, found))
        check_printable("groups", names)
        _check_spellings(names)
        return cls(codes, names, noun or noun_of(getattr(labels, "name", None)))

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
        return Grouping((np.cumsum(there) - 1)[codes], names, self.noun)

    def same_as(self, other: Grouping) -> bool:
        """Whether the same points are together; names and their order do not matter."""
        return np.array_equal(self.codes, other.codes)


def _factorised(labels: Any) -> tuple[IntArray, list[Any]]:
    """Codes by first appearance, −1 where a label is missing, and the labels themselves."""
    if hasattr(labels, "factorize"):  # pandas does it fastest itself
        codes, found = labels.factorize()
        codes = np.asarray(codes, dtype=np.intp)
        if "" in list(found):
            codes[codes == list(found).index("")] = -1
        return codes, list(found)
    if hasattr(labels, "replace_strict") and not labels.null_count():  # polars, narwhals
        listed = labels.unique(maintain_order=True).to_list()
        codes = labels.replace_strict(listed, list(range(len(listed)))).to_numpy()
        return _without_missing(codes.astype(np.intp), listed), listed
    values = np.asarray(labels)
    if values.dtype.kind in "iub":
        return _of_whole_numbers(values)
    places: dict[Any, int] = {}
    listed = values.tolist()
    codes = np.fromiter(
        (-1 if _is_missing(label) else places.setdefault(label, len(places)) for label in listed),
        dtype=np.intp,
        count=len(listed),
    )
    return codes, list(places)


def _of_whole_numbers(values: Any) -> tuple[IntArray, list[Any]]:
    """Those close together are places of a table, so that nothing is sorted."""
    least, most = (int(values.min()), int(values.max())) if values.size else (0, 0)
    if values.dtype.kind == "i" and most - least < 2 * values.size:
        places = values.astype(np.intp) - least
        first = np.full(most - least + 1, values.size)
        first[places[::-1]] = np.arange(values.size)[::-1]  # the last one written stays
    else:
        _, first, places = np.unique(values, return_index=True, return_inverse=True)
        places = places.ravel()
    by_appearance = np.argsort(first, kind="stable")[: np.count_nonzero(first < values.size)]
    rank = np.empty(first.size, dtype=np.intp)
    rank[by_appearance] = np.arange(by_appearance.size)
    return rank[places], values[first[by_appearance]].tolist()


def _without_missing(codes: IntArray, labels: list[Any]) -> IntArray:
    """Codes of −1 where a label is missing, in codes of labels that are listed."""
    missing = [place for place, label in enumerate(labels) if _is_missing(label)]
    return np.where(np.isin(codes, missing), -1, codes) if missing else codes


def _is_missing(label: Any) -> bool:
    return label is None or label != label or label == ""


def _spelled(label: Any) -> str:
    """As people write it: a whole number without a fraction."""
    if isinstance(label, (float, np.floating)) and float(label).is_integer():
        return str(int(label))
    return str(label)


def _check_spellings(names: tuple[str, ...]) -> None:
    """Refuse "1" beside "1.0": two groups of one number are a mistake of how a file was read."""
    seen: dict[float | str, str] = {}
    for name in names:
        try:
            value: float | str = float(name)
        except ValueError:
            value = name.strip()
        if value in seen:
            raise Refusal(
                f"{opt['groups']}: {seen[value]!r} and {name!r} are two spellings of one "
                "label; give every "
                "group one spelling"
            )
        seen[value] = name


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
