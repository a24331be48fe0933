"""How a calibration curve is drawn, in every figure that has some."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from rivals.plots import shade_overconfidence
from rivals_paper.arrays import FloatArray
from rivals_paper.experiments import Experiments
from rivals_paper.neuron_runs import C_MAIN

COLOURS: Final = ("#000000", "#0072B2", "#009E73", "#E69F00", "#D55E00", "#CC79A7")
MARKERS: Final = ("o", "s", "^", "D", "v", "P")


def draw_neuron_curves(panel: Any, experiments: Experiments, c: Sequence[float]) -> None:
    """Curves of one condition for all c, over the overconfident area."""
    frame_panel(panel)
    for column, value in enumerate(c):
        look = C_MAIN.index(value)
        draw_curve(panel, experiments.curve(column), float(np.log2(value)), COLOURS[look], MARKERS[look])


def draw_curve(panel: Any, curve: tuple[FloatArray, FloatArray], log2_c: float, colour: str, marker: str) -> None:
    """One curve, labelled by its c."""
    panel.plot(*curve, ls=":", lw=0.8, marker=marker, ms=3.5, color=colour, label=f"$2^{{{log2_c:.0f}}}$")


def frame_panel(panel: Any) -> None:
    """Grey where a probability is further from ½ than the part of experiments it stands for."""
    shade_overconfidence(panel, overconfident="0.9", wrong=None, diagonal=False)
    panel.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
