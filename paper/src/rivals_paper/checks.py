"""Checks of what is given to the simulators, and of packages that they need."""

from __future__ import annotations

import math
import operator
from importlib import import_module
from typing import Any


def check_positive(value: float, what: str) -> float:
    """A finite number above zero.

    Examples
    --------
    >>> check_positive(2, "sigma")
    2.0
    """
    if not (isinstance(value, (int, float)) or hasattr(value, "__float__")) or isinstance(
        value, bool
    ):
        raise TypeError(f"{what} must be a number; got {value!r}")
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{what} must be a finite number above 0; got {value!r}")
    return float(value)


def check_size(value: int, what: str) -> int:
    """A whole number, 1 or more."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} must be a whole number; got {value!r}") from None
    if number < 1:
        raise ValueError(f"{what} must be at least 1; got {number}")
    return number


def need(module: str, purpose: str, *, extra: str = "") -> Any:
    """Import an optional package, or say what it is needed for and how to install it."""
    try:
        return import_module(module)
    except ImportError as error:
        missing = error.name or module
        wheel = f"rivals-paper[{extra}]" if extra else "rivals-paper"
        raise ImportError(
            f'{purpose}: the package {missing!r} is not installed; pip install "{wheel}"',
            name=missing,
        ) from None
