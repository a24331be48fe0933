"""Labels of points, of any kind: which points share one, and what each is called."""

from __future__ import annotations

import unicodedata
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._say.words import show
from rivals._types import IntArray

Labels = npt.NDArray[Any]

# How files and libraries write that there is nothing.
WRITTEN_MISSING = frozenset(
    ("NA", "N/A", "n/a", "#N/A", "<NA>", "nan", "NaN", "NAN", "NaT", "None", "null", "NULL")
)
NUMBERS = (int, float, np.bool_, np.integer, np.floating, Decimal, Fraction)
SEVERAL_PARTS = (tuple, list, set, frozenset, dict, np.ndarray, np.void)


def is_missing(cell: Any) -> bool:
    """Whether a cell is empty, in any library's way: None, NaN, NA, NaT, masked, blanks."""
    if cell is None or cell is np.ma.masked:
        return True
    if isinstance(cell, str):
        return not cell.strip()
    try:
        return bool(cell != cell)
    except (TypeError, ValueError):  # pandas.NA is neither equal nor different
        return True


def is_missing_label(label: Any) -> bool:
    """Whether a label is missing, or is text that says so, such as NA."""
    if isinstance(label, str) and label.strip() in WRITTEN_MISSING:
        return True
    return is_missing(label)


def read_groups(
    values: Any, n_points: int, what: str = "groups"
) -> tuple[IntArray, tuple[str, ...]]:
    """The group of each point as whole numbers from 0, and the names of the groups.

    Labels may be of any kind. Equal ones are one group, however they are written: 1 and 1.0, one
    instant in two time zones, composed and decomposed letters. Different ones that look alike are
    refused.

    Examples
    --------
    >>> read_groups(["b", "a", "b"], 3)
    (array([1, 0, 1]), ('a', 'b'))
    >>> read_groups([1, 2.0, 1.0], 3)
    (array([0, 1, 0]), ('1', '2'))
    """
    labels, codes = _distinct(as_labels(values, n_points, what), what)
    _check_present(labels, codes, what)
    read = [_read(label, code, codes, what) for code, label in enumerate(labels)]
    _check_looks(read, what)
    names: dict[Hashable, _Label] = {}
    for label in read:
        names.setdefault(label.key, label)
    ordered = sorted(names.values(), key=_Label.place)
    number = {label.key: code for code, label in enumerate(ordered)}
    joined = np.array([number[label.key] for label in read], dtype=np.intp)
    return joined[codes], tuple(label.name for label in ordered)


def as_labels(values: Any, n_points: int, what: str = "groups") -> Labels:
    """A read-only array of the labels as they are, one for each point.

    NumPy would drop masks, and turn a number beside text into text.
    """
    if isinstance(values, (list, tuple)):
        labels = np.fromiter(values, dtype=object, count=len(values))
    else:
        labels = np.array(_unmasked(values, what))
    if labels.ndim != 1 or labels.size != n_points:
        raise ValueError(
            f"{what}: got shape {labels.shape}; pass one label for each of {n_points} observed "
            "points"
        )
    labels.flags.writeable = False
    return labels


def _unmasked(values: Any, what: str) -> Any:
    if not np.ma.isMaskedArray(values):
        return values
    masked = np.ma.getmaskarray(values).ravel()
    if masked.any():
        raise _missing(int(masked.sum()), masked.size, int(masked.argmax()), "masked", what)
    return values.data


def _distinct(labels: Labels, what: str) -> tuple[Sequence[Any], IntArray]:
    """The labels, each once, and which of them each point has."""
    if labels.dtype.kind in "biufUSmM":
        found, codes = np.unique(labels, return_inverse=True)
        return list(found), np.asarray(codes, dtype=np.intp)
    numbers: dict[Hashable, int] = {}
    codes = np.empty(labels.size, dtype=np.intp)
    for row, label in enumerate(labels):
        if isinstance(label, SEVERAL_PARTS):
            raise ValueError(
                f"{what}: the label at position {row} (from 0) has several parts, "
                f"{show(repr(label))[:60]}; join them into one text, as in "
                "[' / '.join(map(str, parts)) for parts in labels]"
            )
        codes[row] = numbers.setdefault(label, len(numbers))
    return list(numbers), codes


def _check_present(labels: Sequence[Any], codes: IntArray, what: str) -> None:
    missing = np.array([is_missing_label(label) for label in labels])
    if not missing.any():
        return
    rows = np.flatnonzero(missing[codes])
    first = labels[codes[rows[0]]]
    raise _missing(rows.size, codes.size, int(rows[0]), show(repr(first)), what)


def _missing(count: int, n_points: int, row: int, found: str, what: str) -> ValueError:
    return ValueError(
        f"{what}: {count} of {n_points} points have no label, the first at position {row} "
        f"(from 0): {found}; name their group, in other words than these if that is its name, or "
        "remove these points for all models"
    )


# ---------------------------------------------------------------- what a label means


@dataclass(frozen=True)
class _Label:
    """A label: equal ones have the same key."""

    given: Any
    rank: int  # of its kind: numbers, times, text, others
    value: Any
    name: str

    @property
    def key(self) -> Hashable:
        return (self.rank, self.value)

    def place(self) -> tuple[int, float, str]:
        """In which order labels stand: numbers by size, times and text by their letters."""
        if self.rank:
            return (self.rank, 0.0, str(self.value))
        try:
            return (0, float(self.value), "")
        except OverflowError:
            return (0, inf if self.value > 0 else -inf, str(self.value))


def _read(label: Any, code: int, codes: IntArray, what: str) -> _Label:
    """What a label means, and what it is called."""
    if isinstance(label, bytes):
        label = label.decode(errors="surrogateescape")
    if isinstance(label, NUMBERS):
        return _Label(label, 0, _number(label), _name_of_number(label))
    if isinstance(label, np.datetime64):
        return _Label(label, 1, _short(str(label.astype(_finer(label)))), _short(str(label)))
    if isinstance(label, (datetime, date)):
        name = _short(str(label))
        if isinstance(label, datetime) and label.tzinfo is not None:
            return _Label(label, 2, str(label.astimezone(UTC)), name)
        return _Label(label, 1, name, name)
    if not isinstance(label, str):
        return _Label(label, 4, str(label), str(label))
    text = unicodedata.normalize("NFC", str(label)).strip()
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        row = int(np.argmax(codes == code))
        raise ValueError(
            f"{what}: the label at position {row} (from 0), {show(repr(text))[:60]}, is not valid "
            "Unicode and cannot be written; read the labels with the encoding of their file, or "
            "rename the group"
        )
    return _Label(label, 3, text, text)


def _number(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _name_of_number(label: Any) -> str:
    """1.0 is called 1: data frames make whole numbers floating where some are missing."""
    if isinstance(label, (float, np.floating)):
        number = float(label)
        if abs(number) < 1e16 and number.is_integer():
            return str(int(number))
    return str(label)


def _finer(label: np.datetime64) -> str:
    """The type in which a time is compared with others: a month is its first day."""
    unit = np.datetime_data(label.dtype)[0]
    return "datetime64[D]" if unit in ("Y", "M", "W") else label.dtype.str


def _short(time: str) -> str:
    """A time without the digits that are 0: a date, if it is midnight."""
    day, _, clock = time.replace("T", " ").partition(" ")
    if "." in clock:
        clock = clock.rstrip("0").rstrip(".")
    if clock.count(":") == 1 and clock.replace(":", "").isdigit():
        clock += ":00"
    return day if clock in ("", "00", "00:00:00") else f"{day} {clock}"


def _check_looks(labels: Sequence[_Label], what: str) -> None:
    """Refuse labels that differ and look alike: 1 and "1", or a space that is none."""
    seen: dict[str, _Label] = {}
    for label in labels:
        other = seen.setdefault(_look(label.name), label)
        if other.key != label.key:
            raise ValueError(
                f"{what}: the labels {show(ascii(other.given))[:60]} and "
                f"{show(ascii(label.given))[:60]} look alike but differ; write both in one way, or "
                "name the groups differently"
            )


def _look(name: str) -> str:
    """A name without what cannot be seen."""
    if name.isascii() and name.isprintable():
        return " ".join(name.split())
    seen = (letter for letter in name if unicodedata.category(letter) != "Cf")
    return " ".join("".join(seen).split())
