"""Checks of single arguments: numbers, sizes, words, names of models."""

from __future__ import annotations

import operator
from collections.abc import Hashable, Sequence
from difflib import get_close_matches
from typing import Any, TypeVar

import numpy as np

from rivals._say.words import show

Choice = TypeVar("Choice", bound=str)


def check_positive(value: Any, what: str, *, or_zero: bool = False) -> float:
    """A finite number above zero, or zero where that is allowed."""
    number = _as_number(value, what)
    allowed = number >= 0 if or_zero else number > 0
    if not allowed or not np.isfinite(number):
        range_ = ", 0 or more" if or_zero else " above 0"
        raise ValueError(f"{what} must be a finite number{range_}; got {value!r}")
    return number


def check_threshold(value: Any) -> float:
    """A probability in (0.5, 1]."""
    number = _as_number(value, "threshold")
    if not 0.5 < number <= 1.0:
        raise ValueError(
            "threshold must lie in (0.5, 1]: a rival rejects a model only if it is probably "
            f"better; got {value!r}"
        )
    return number


def check_size(value: Any, what: str, *, least: int = 1) -> int:
    """A whole number, at least `least`."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} must be a whole number; got {value!r}") from None
    if number < least:
        raise ValueError(f"{what} must be at least {least}; got {number}")
    return number


def check_choice(value: Any, what: str, choices: Sequence[Choice]) -> Choice:
    """One of a few words; a near miss gets a suggestion."""
    if value in choices:
        return choices[choices.index(value)]
    listing = ", ".join(map(repr, choices))
    near = get_close_matches(str(value), choices, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"{what} must be one of {listing}: got {show(repr(value))}{hint}")


def check_depth(value: Any) -> int:
    """A number of refinements for which the tree fits into memory."""
    depth = check_size(value, "depth")
    if depth > 24:
        raise ValueError(f"depth must be at most 24 (a path of 16 million points); got {depth}")
    return depth


def _as_number(value: Any, what: str) -> float:
    if isinstance(value, (str, bytes, bool)) or value is None:
        raise TypeError(f"{what} must be a number; got {value!r}")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        raise TypeError(f"{what} must be a number; got {show(repr(value))}") from None


def check_word(word: Any, what: str) -> str | None:
    """A word for sentences, such as a unit, which is printed as it is; None where there is none."""
    if word is None or (isinstance(word, str) and word.isprintable()):
        return word
    raise ValueError(
        f"{what} must be printable text, such as 'nats'; got {show(repr(word))[:60]}; write it in "
        "plain letters, or leave it out"
    )


def check_name(name: Hashable) -> str:
    """Names are text, not empty, and can be written to a file."""
    if not isinstance(name, str):
        raise TypeError(
            f"model names must be text; got {show(repr(name))[:60]} of type {type(name).__name__}"
        )
    if not name.strip():
        raise ValueError(f"model names must not be empty; got {name!r}")
    try:
        name.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"model names must be text: '{show(name[:60])}' has half a character (a lone "
            f"surrogate) at position {error.start}, as from bytes in another encoding; "
            "rename the model"
        ) from None
    return name
