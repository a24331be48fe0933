"""How many digits of the numbers of a table mean something, for all rows alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rivals.comparison.rendering import Row

Number = Callable[[float], str]

# Numbers of this size are written without exponents.
SMALLEST = 1e-4
LARGEST = 1e7
MOST_DECIMALS = 12


def format_of_risks(rows: Sequence[Row]) -> Number:
    """As many digits as the narrowest distribution gives meaning to."""
    largest = max(max(abs(row["risk_5"]), abs(row["risk_95"])) for row in rows)
    widths = [row["risk_95"] - row["risk_5"] for row in rows]
    narrowest = min((width for width in widths if width > 1e-13 * largest), default=1e-4 * largest)
    if not SMALLEST < largest < LARGEST:
        return _with_exponent(largest, narrowest)
    return _with_decimals(float(np.ceil(-np.log10(narrowest))) + 2)


def format_of_means(rows: Sequence[Row]) -> Number | None:
    """For mean losses and their differences, if known far better than the risks; else None."""
    errors = [row["difference_error"] for row in rows if row["difference_error"] > 0.0]
    narrowest = min(row["risk_95"] - row["risk_5"] for row in rows)
    largest = max(abs(row["empirical_risk"]) for row in rows)
    if not errors or not SMALLEST < largest < LARGEST:
        return None
    typical = np.median(errors)
    if narrowest < 10.0 * typical:
        return None
    return _with_decimals(float(np.ceil(-np.log10(typical))) + 1)


def format_of_differences(pairs: Sequence[tuple[float, float]]) -> Number:
    """For differences with their errors: as many digits as the median error gives meaning to.

    Where no error is known, as many as the differences themselves do.
    """
    values = np.abs([difference for difference, _ in pairs])
    errors = np.array([error for _, error in pairs])
    known = errors[errors > 0.0]
    typical = float(np.median(known)) if known.size else 0.1 * float(np.median(values))
    largest = float(max(values.max(), errors.max()))
    if typical == 0.0 or not SMALLEST < largest < LARGEST:
        return _with_exponent(largest, typical)
    return _with_decimals(float(np.ceil(-np.log10(typical))) + 1)


def _with_decimals(wanted: float) -> Number:
    decimals = int(np.clip(wanted, 0, MOST_DECIMALS))
    return lambda value: f"{value:z.{decimals}f}"  # no minus before 0.00


def _with_exponent(largest: float, narrowest: float) -> Number:
    most = 6
    finest = -np.inf
    if narrowest > 0.0:  # that of denormal numbers may be zero
        most = int(np.clip(np.ceil(np.log10(largest / narrowest)) + 2, 6, 16))
        finest = np.log10(narrowest) - 2
    return lambda value: f"{value:.{_significant(value, finest, most)}g}"


def _significant(value: float, finest: float, most: int) -> int:
    """Digits of a value down to a power of ten, four at least.

    Beside a value that is huge, a small one has fewer that mean something.
    """
    if value == 0.0 or not np.isfinite([value, finest]).all():
        return most
    before_the_point = np.floor(np.log10(abs(value))) + 1
    return int(np.clip(before_the_point - np.floor(finest), min(4, most), most))
