"""Checks of single numbers."""

from __future__ import annotations

import operator
from typing import Any

from rivals.setting import number

# A path of 16 million points.
DEEPEST = 24


def check_positive(value: Any, what: str) -> float:
    """A finite number above zero."""
    checked: float = number(0.0, float("inf"), least=False)(what, value)
    return checked


def check_size(value: Any, what: str, *, least: int = 1) -> int:
    """A whole number, at least `least`."""
    try:
        found = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} must be a whole number; got {value!r}") from None
    if found < least:
        raise ValueError(f"{what} must be at least {least}; got {found}")
    return found


def check_depth(value: Any) -> int:
    """A number of refinements for which the tree fits into memory."""
    depth = check_size(value, "depth")
    if depth > DEEPEST:
        raise ValueError(f"depth must be at most {DEEPEST}; got {depth}")
    return depth
