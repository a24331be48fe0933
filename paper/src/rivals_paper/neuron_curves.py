"""How a calibration curve of the neuron models is drawn, in every figure that has some."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from rivals_paper.neuron_runs import C_MAIN, Experiments

COLOURS: Final = ("#000000", "#0072B2", "#009E73", "#E69F00", "#D55E00", "#CC79A7")
MARKERS: Final = ("o", "s", "^", "D", "v", "P")


def draw_curves(panel: Any, each: Experiments, c: Sequence[float]) -> None:
    """Curves of one condition for all c, over the overconfident area."""
    panel.fill_between([0, 0.5], [0, 0.5], [1, 0.5], color="0.9", lw=0)
    panel.fill_between([0.5, 1], [0.5, 0], [0.5, 1], color="0.9", lw=0)
    for place, value in enumerate(c):
        panel.plot(
            *each.curve(place),
            ls=":",
            lw=0.8,
            marker=MARKERS[C_MAIN.index(value)],
            ms=3.5,
            color=COLOURS[C_MAIN.index(value)],
            label=f"$2^{{{np.log2(value):.0f}}}$",
        )
    panel.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
