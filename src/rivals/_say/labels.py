"""Labels of points, of any kind: which points share one, and what each is called."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._say.words import show
from rivals._types import IntArray

Labels = npt.NDArray[Any]

# How files and libraries write that there is nothing; NumPy writes -- for what is masked.
WRITTEN_MISSING = frozenset(
    ["NA", "N/A", "n/a", "#N/A", "#NA", "<NA>", "None", "null", "NULL", "--", "-", ".", "?"]
).union(["nan", "NaN", "NAN", "-nan", "-NaN", "NaT"])
NUMBERS = (int, float, np.bool_, np.integer, np.floating, Decimal, Fraction)
# Fractions of a second that datetime does not have.
TOO_FINE = re.compile(r"\.\d{7}")
# The ranks of some kinds of labels: durations, times without and with a time zone, text.
DURATION = -1
CLOCK = 1
INSTANT = 2
TEXT = 3
# Forms of a letter that look like it: a micro sign like a mu, a ligature like its letters. Raised
# and circled ones do not.
LOOKS_LIKE = ("<compat>", "<font>", "<narrow>", "<noBreak>", "<wide>")
# In place of one that signals, which has no hash.
QUIET = Decimal("NaN")
SEVERAL_PARTS = (tuple, list, set, frozenset, dict, np.ndarray, np.void)


def is_missing(cell: Any) -> bool:
    """Whether a cell is empty, in any library's way: None, NaN, NA, NaT, masked, blanks."""
    if cell is None or cell is np.ma.masked:
        return True
    if isinstance(cell, str):
        return not cell.strip()
    if isinstance(cell, Decimal):
        return cell.is_nan()  # one that signals cannot even be compared
    try:
        return bool(cell != cell)
    except (TypeError, ValueError):  # pandas.NA is neither equal nor different
        return True


def is_missing_label(label: Any) -> bool:
    """Whether a label is missing, or is text that says so, such as NA, or that cannot be seen."""
    if isinstance(label, bytes):
        label = _decoded(label)
    if isinstance(label, str):
        seen = _look(label)
        return not seen or seen in WRITTEN_MISSING
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


def check_alike(texts: Iterable[str], what: str) -> None:
    """Refuse texts that differ and look alike, or say the same.

    Examples
    --------
    >>> check_alike(["1", "2", "1.5"], "simulations")
    """
    labels = [_Label(text, TEXT, text, unicodedata.normalize("NFC", text)) for text in texts]
    _check_looks(labels, what)


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
    if labels.dtype.kind in "biufmM":
        found, codes = np.unique(labels, return_inverse=True)
        return list(found), np.asarray(codes, dtype=np.intp)
    if labels.dtype.kind not in "US":
        _check_whole(labels, what)
    each = [_hashable(label) for label in labels.tolist()]
    numbers = {label: number for number, label in enumerate(dict.fromkeys(each))}
    codes = np.fromiter(map(numbers.__getitem__, each), dtype=np.intp, count=len(each))
    return list(numbers), codes


def _hashable(label: Any) -> Any:
    """A label that can be a key: a number in place of an array of one number."""
    if isinstance(label, Decimal) and label.is_snan():
        return QUIET
    if isinstance(label, np.ndarray):
        return None if np.ma.is_masked(label) else label.item()
    return label


def _check_whole(labels: Labels, what: str) -> None:
    """Refuse labels of several parts, of which some would not even be hashable."""
    kinds = [kind for kind in set(map(type, labels)) if issubclass(kind, SEVERAL_PARTS)]
    if not kinds:
        return
    parts = (row for row, label in enumerate(labels) if type(label) in kinds)
    row = next((row for row in parts if getattr(labels[row], "ndim", 1)), None)
    if row is None:  # arrays of one number each, or masked ones
        return
    raise ValueError(
        f"{what}: the label at position {row} (from 0) has several parts, "
        f"{show(repr(labels[row]))[:60]}; join them into one text, as in "
        "[' / '.join(map(str, parts)) for parts in labels]"
    )


def _check_present(labels: Sequence[Any], codes: IntArray, what: str) -> None:
    missing = np.array([is_missing_label(label) for label in labels])
    if not missing.any():
        return
    rows = np.flatnonzero(missing[codes])
    first = labels[codes[rows[0]]]
    raise _missing(rows.size, codes.size, int(rows[0]), _shown(first), what)


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
    rank: int  # of its kind: durations, numbers, days and hours, instants, text, others
    value: Any
    name: str

    @property
    def key(self) -> Hashable:
        return (self.rank, self.value)

    def place(self) -> tuple[int, float, str]:
        """In which order labels stand: numbers and durations by size, others by their letters."""
        if self.rank > 0:
            return (self.rank, 0.0, str(self.value))
        try:
            return (self.rank, float(self.value), "")
        except OverflowError:
            return (0, inf if self.value > 0 else -inf, str(self.value))


def _read(label: Any, code: int, codes: IntArray, what: str) -> _Label:
    """What a label means, and what it is called."""
    if isinstance(label, bytes):
        label = _decoded(label)
    if isinstance(label, np.timedelta64):
        label = _duration(label)
    if isinstance(label, timedelta):
        return _Label(label, DURATION, label / timedelta(microseconds=1), str(label))
    if isinstance(label, NUMBERS):
        return _Label(label, 0, _number(label), _name_of_number(label))
    if isinstance(label, np.datetime64):
        return _Label(label, CLOCK, _short(str(label.astype(_finer(label)))), _short(str(label)))
    if isinstance(label, (datetime, date)):
        name = _short(str(label))
        if isinstance(label, datetime) and label.tzinfo is not None:
            return _Label(label, INSTANT, str(label.astimezone(UTC)), name)
        return _Label(label, CLOCK, name, name)
    if not isinstance(label, str):
        # A month of pandas is its first day, as one of NumPy is.
        begin = getattr(label, "start_time", None)
        if isinstance(begin, datetime):
            return _Label(label, CLOCK, _short(str(begin)), str(label))
        return _Label(label, 4, str(label), str(label))
    text = unicodedata.normalize("NFC", str(label)).strip()
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        row = int(np.argmax(codes == code))
        raise ValueError(
            f"{what}: the label at position {row} (from 0), {show(repr(text))[:60]}, is not valid "
            "Unicode and cannot be written; read the labels with the encoding of their file, or "
            "rename the group"
        )
    return _Label(label, TEXT, text, text)


def _decoded(label: bytes) -> str:
    return label.decode(errors="surrogateescape")


def _duration(label: np.timedelta64) -> Any:
    """A time span of Python, which has days and seconds; a number of years or months."""
    if np.datetime_data(label.dtype)[0] in ("Y", "M", "generic"):
        return label.astype(np.int64)
    exact = label.astype("timedelta64[us]")
    return exact.item() if exact == label else str(label)


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
    """Refuse labels that differ and look alike, or say the same: 1 and "1", "1" and "1.0"."""
    looks: dict[Hashable, _Label] = {}
    meanings: dict[Hashable, _Label] = {}
    with_text = any(label.rank == TEXT for label in labels)
    _check_zones(labels, what)
    for label in labels:
        other = looks.setdefault(_look(label.name), label)
        if other.key != label.key:
            raise _too_similar(other, label, "look alike but differ", what)
        meaning = _meaning(label.name) if with_text else None
        if meaning is None:
            continue
        other = meanings.setdefault(meaning, label)
        if other.key != label.key:
            raise _too_similar(other, label, "mean the same but are written differently", what)


def _check_zones(labels: Sequence[_Label], what: str) -> None:
    """Refuse times with a time zone beside times without: no one knows which are the same."""
    clocks = (label for label in labels if _is_time(label, CLOCK))
    instants = (label for label in labels if _is_time(label, INSTANT))
    instant = next(instants, None)
    clock = None if instant is None else next(clocks, None)
    if instant is None or clock is None:
        return
    raise ValueError(
        f"{what}: the label {_shown(instant.given)} has a time zone and {_shown(clock.given)} has "
        "none, so that nothing shows whether they are the same; give all of them a zone, or none"
    )


def _is_time(label: _Label, rank: int) -> bool:
    """Whether a label, or a text, is a time with a time zone (an instant), or without."""
    if label.rank != TEXT:
        return label.rank == rank
    time = _meaning(label.name)
    if not isinstance(time, datetime):
        return False
    return (time.tzinfo is None) == (rank == CLOCK)


def _too_similar(one: _Label, other: _Label, found: str, what: str) -> ValueError:
    return ValueError(
        f"{what}: the labels {_shown(one.given)} and {_shown(other.given)} "
        f"{found}; write both in one way, or give them names that differ"
    )


def _shown(label: Any) -> str:
    """A label in a message, with what cannot be seen spelled out."""
    if isinstance(label, np.generic) and not isinstance(label, np.datetime64):
        label = label.item()  # 1 in place of np.int64(1)
    return show(ascii(label))[:60]


def _meaning(name: str) -> Hashable:
    """The number or the time that a name is; None for other names.

    In a text file all labels are text, and only their author knows whether 1 and 1.0 are one group.
    """
    if not name.lstrip("+-.")[:1].isdigit() or "_" in name:
        return None
    try:
        return Decimal(name)
    except InvalidOperation:
        pass
    if TOO_FINE.search(name):
        return None
    try:
        time = datetime.fromisoformat(name)
        return time if time.tzinfo is None else time.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _look(name: str) -> str:
    """A name without what cannot be seen."""
    if name.isascii() and name.isprintable():
        return " ".join(name.split())
    seen = (_plain(letter) for letter in name if unicodedata.category(letter) != "Cf")
    return " ".join("".join(seen).split())


def _plain(letter: str) -> str:
    """The letters that a letter looks like, such as f and i of a ligature; else itself."""
    if unicodedata.decomposition(letter).startswith(LOOKS_LIKE):
        return unicodedata.normalize("NFKC", letter)
    return letter
