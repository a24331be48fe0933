"""The picture of the table: numbers on coloured cells, as published beside corrected."""

from __future__ import annotations

from typing import Any

import numpy as np

from rivals_paper.output import AS_PUBLISHED, CORRECTED, new_figure

SATURATION = 1.5
LABELS = {
    "B^l": "likelihood\nratio $B^l$",
    "B^Bayes": "Bayes factor\n$B^{Bayes}$",
    "B^elpd": "elpd\n$B^{elpd}$",
    "B^R": "risk\n$B^R$",
    "B^EMD": "$B^{EMD}$\n(log-odds)",
}


def draw(values: dict[str, Any], stored: dict[str, Any], reading: str) -> Any:
    """Return the figure."""
    figure = new_figure(15, 13)
    axes = figure.subplots(len(LABELS), 2, sharex=True)
    rows = [f"{w[0]:g}–{w[1]:g} µm, {n}" for w in stored["windows"] for n in stored["sizes"]]
    columns = [
        f"{'bias' if bias else 'no bias'}\n$2^{{{np.log2(gain):.0f}}}$"
        for bias in stored["biases"]
        for gain in stored["gains"]
    ]
    for i, (criterion, label) in enumerate(LABELS.items()):
        for j, variant in enumerate((AS_PUBLISHED, CORRECTED)):
            cells = np.reshape(values[variant][criterion]["value"], (len(rows), len(columns)))
            _block(axes[i, j], cells)
            axes[i, j].set_yticks(range(len(rows)), rows if j == 0 else [""] * len(rows), fontsize=8)
            axes[i, j].set_xticks(range(len(columns)), columns, fontsize=8)
        axes[i, 0].set_ylabel(label, fontsize=10)
    axes[0, 0].set_title("as published: window, number of points | gain", fontsize=11)
    axes[0, 1].set_title("corrected", fontsize=11)
    words, lines = reading.split(), [""]
    for word in words:
        lines = [*lines[:-1], f"{lines[-1]} {word}"] if len(lines[-1]) < 130 else [*lines, word]
    figure.suptitle("Planck against Rayleigh-Jeans by five criteria\n" + "\n".join(lines), fontsize=10)
    return figure


def _block(axes: Any, cells: Any) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("evidence", ["#E69F00", "#FFFFFF", "#56B4E9"])
    axes.imshow(np.clip(cells, -SATURATION, SATURATION), cmap=colours, vmin=-SATURATION, vmax=SATURATION, aspect="auto")
    for (row, column), value in np.ndenumerate(cells):
        axes.text(column, row, _text(value), ha="center", va="center", fontsize=8)
    axes.axhline(2.5, color="0.3", lw=0.8)
    axes.axvline(2.5, color="0.3", lw=0.8)
    axes.tick_params(length=0)


def _text(value: float) -> str:
    if not np.isfinite(value):
        return "+∞" if value > 0 else "−∞"
    if value and abs(value) < 0.01:
        mantissa, exponent = f"{value:.0e}".split("e")
        return f"{mantissa}e{int(exponent)}"
    return f"{value:.2f}" if abs(value) < 100 else f"{value:.0f}"
