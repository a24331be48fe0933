"""The curve of a calibration, where one was used, as plain numbers for the page; and its figure."""

from __future__ import annotations

import base64
import io
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from rivals._core.decided import Decided

if TYPE_CHECKING:
    from rivals._result.comparison import Comparison

DPI = 160


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


def figure_of(result: Comparison) -> str | None:
    """The figure of the paper as a PNG in base64; None without a calibration, without losses to
    draw, or without matplotlib.
    """
    decided = result._decided
    has_losses = decided.study is not None or hasattr(decided.summary, "processes")
    if decided.calibration is None or not has_losses or find_spec("matplotlib") is None:
        return None
    from matplotlib import pyplot

    from rivals.plots import paper_figure

    with pyplot.style.context("default"):
        figure = paper_figure(result)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=DPI)
        pyplot.close(figure)
    return base64.b64encode(buffer.getvalue()).decode()
