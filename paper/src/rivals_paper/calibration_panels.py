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


def draw_neuron_curves(
    panel: Any,
    experiments: Experiments,
    c: Sequence[float],
    *,
    size: float = 3.5,
    line: float = 0.8,
    bins: int | None = None,
) -> None:
    """Curves of one condition for all c, over the overconfident area."""
    frame_panel(panel)
    for column, value in enumerate(c):
        look = C_MAIN.index(value)
        draw_curve(
            panel,
            experiments.curve(column, bins),
            float(np.log2(value)),
            COLOURS[look],
            MARKERS[look],
            size=size,
            line=line,
        )


def draw_curve(
    panel: Any,
    curve: tuple[FloatArray, FloatArray],
    log2_c: float,
    colour: str,
    marker: str,
    *,
    size: float = 3.5,
    line: float = 0.8,
) -> None:
    """One curve, labelled by its c; without a line between its points if that has no width."""
    panel.plot(
        *curve,
        ls=":" if line else "",
        lw=line,
        marker=marker,
        ms=size,
        mew=0,
        color=colour,
        label=f"$2^{{{log2_c:.0f}}}$",
    )


def draw_original(
    panel: Any, experiments: Experiments, column: int, label: str, bins: int | None = None
) -> None:
    """A curve of the original study, behind ours."""
    curve = experiments.curve(column, bins)
    panel.plot(*curve, color="0.45", lw=2.5, alpha=0.5, label=label, zorder=1)


def frame_panel(panel: Any) -> None:
    """The areas in which the paper's bound is broken, in its colours.

    Red where a probability is further from ½ than the part of experiments it stands for, yellow
    where it stands for the wrong model.
    """
    shade_overconfidence(panel, overconfident="#f6cfcb", wrong="#fdf0c4")
    panel.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")


def plain_ticks(panel: Any, *, left: bool, bottom: bool) -> None:
    """Three ticks on each axis of a small panel, with numbers at the edge of a grid.

    Axes that matplotlib shares would do the same, in a time that grows with their number squared.
    """
    numbers = ("0", "½", "1")
    none = ("", "", "")
    panel.set_xticks([0, 0.5, 1], numbers if bottom else none, fontsize=8)
    panel.set_yticks([0, 0.5, 1], numbers if left else none, fontsize=8)
    panel.tick_params(length=2)


def one_legend(part: Any, panel: Any, title: str, **options: Any) -> None:
    """The entries of one panel, beside all of them."""
    handles, labels = panel.get_legend_handles_labels()
    part.legend(
        handles,
        labels,
        title=title,
        fontsize=8,
        title_fontsize=8,
        frameon=False,
        handletextpad=0.4,
        **options,
    )
