"""Values as people write them on the command line."""

from __future__ import annotations

import csv
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rivals.calibration import Calibration

SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"


def parse_c(texts: list[str]) -> list[float]:
    """Values of c.

    Examples
    --------
    >>> parse_c(["2^-2, 0.5", "2**3, 2⁻³, 1/8"])
    [0.25, 0.5, 8.0, 0.125, 0.125]
    """
    values = []
    for text in ",".join(texts).split(","):
        value = _number(text)
        if value is None:
            is_file = os.path.isfile(text.strip())
            raise ValueError(
                f"--c is not a number: got {text.strip()!r}{', which is a file' if is_file else ''}; write 0.25 or 2^-2"
                + (" (only rivals compare and demo read c from the store of a calibration)" if is_file else "")
            )
        values.append(value)
    return values


def parse_names(texts: list[str]) -> list[str]:
    """Names separated by commas; a name that contains a comma stands in double quotes.

    Examples
    --------
    >>> parse_names(["A,B", '"C, the other"'])
    ['A', 'B', 'C, the other']
    """
    return [name.strip() for names in csv.reader(texts, skipinitialspace=True) for name in names if name.strip()]


def read_c(text: str | None) -> float | Calibration | None:
    """One value of c, or the calibration in a store; None for the default of the law.

    Examples
    --------
    >>> read_c("2^-2")
    0.25
    """
    if text is None:
        return None
    value = _number(text)
    if value is not None:
        return value
    if not Path(text).is_file():
        raise ValueError(
            f"--c is neither a number nor the store of a calibration: got {text!r}, and there is no such file; write 0.25 or 2^-2, "
            "or the path of a store"
        )
    from rivals.calibration import open_store  # SQLite, when it is asked for

    return open_store(text)


def draw_seed() -> int:
    """A fresh seed, short enough to be typed: ten digits at most."""
    return secrets.randbelow(10**10)


def _number(text: str) -> float | None:
    """0.25, 1/4, 2^-2, 2**-2 or 2⁻²; None if it is not a number."""
    above, fraction, below = text.partition("/")
    if fraction:
        numbers = _number(above), _number(below)
        return numbers[0] / numbers[1] if numbers[0] is not None and numbers[1] else None
    text = text.strip().replace("**", "^")
    base = text.rstrip(SUPERSCRIPTS)  # as our pages write powers
    if base != text:
        text = f"{base}^{text[len(base) :].translate(str.maketrans(SUPERSCRIPTS, '0123456789-'))}"
    base, power, exponent = text.partition("^")
    try:
        return float(base) ** float(exponent) if power else float(base)
    except (ValueError, OverflowError, ZeroDivisionError):
        return None
