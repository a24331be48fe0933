"""Checks of single numbers."""

from __future__ import annotations

import operator
import re
from collections.abc import Sequence
from typing import Any

from rivals._core.setting import near, number
from rivals._core.texts import Refusal, WrongKind, opt

# Codes for terminals, ends of lines, marks that turn the direction of what follows, and halves of
# letters, which no file can hold.
UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
# A path of 16 million points.
DEEPEST = 24
# Of more names only the first are listed.
MOST_LISTED = 4


def check_positive(value: Any, what: str) -> float:
    """A finite number above zero."""
    checked: float = number(0.0, float("inf"), least=False)(what, value)
    return checked


def check_size(value: Any, what: str, *, least: int = 1) -> int:
    """A whole number, at least `least`."""
    try:
        found = operator.index(value)
    except TypeError:
        raise WrongKind(f"{opt[what]} must be a whole number; got {value!r}") from None
    if found < least:
        raise Refusal(f"{opt[what]} must be at least {least}; got {found}")
    return found


def check_printable(what: str, names: Sequence[str]) -> None:
    """Refuse names that would change what is printed around them."""
    if UNPRINTABLE.search("".join(names)):
        culprit = next(name for name in names if UNPRINTABLE.search(name))
        raise ValueError(f"{what}: {culprit!r} has letters that cannot be printed; rename it")


def printable(text: str) -> str:
    """A text whose letters change nothing around it: those of UNPRINTABLE are written out.

    Examples
    --------
    >>> print(printable("a\x1b[31m.csv"))
    a\\x1b[31m.csv
    """
    return UNPRINTABLE.sub(lambda found: repr(found[0])[1:-1], text)


def name_of(given: object) -> str:
    """A name of any kind as text; what cannot be printed stands there as Python writes it.

    Examples
    --------
    >>> name_of("k=5"), name_of(("ridge", 0.1)), name_of("red\x1b[31m")
    ('k=5', "('ridge', 0.1)", 'red\\\\x1b[31m')
    """
    return UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), str(given))


def check_depth(value: Any) -> int:
    """A number of refinements for which the tree fits into memory."""
    depth = check_size(value, "depth")
    if depth > DEEPEST:
        raise ValueError(f"depth must be at most {DEEPEST}; got {depth}")
    return depth


def place_of(name: str, names: Sequence[str]) -> int:
    """Where a model stands among others; one that is not there is told which are."""
    if name in names:
        return names.index(name)
    some = ", ".join(names[:MOST_LISTED]) + (", …" if len(names) > MOST_LISTED else "")
    raise ValueError(f"there is no model {name!r}{near(name, names) or f'; there are {some}'}")
