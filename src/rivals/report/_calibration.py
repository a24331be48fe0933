"""The curve of a calibration, where one was used, as plain numbers for the page."""

from __future__ import annotations

from typing import Any

from rivals._core.decided import Decided


def curve_of(result: Decided) -> dict[str, Any] | None:
    """How often a was better where P said so, at the c of the result; None without calibration."""
    if result.calibration is None:
        return None
    curve = result.calibration.curve(result.c)
    rows = zip(curve.predicted, curve.observed, curve.low, curve.high, strict=True)
    return {
        "c": f"{result.c:g}",
        "points": [[100.0 * float(value) for value in row] for row in rows],
        "n_each": int(curve.counts.min()),
        "about": result.calibration.methods(),
    }
