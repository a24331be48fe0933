"""The picture of the table.

Numbers on coloured cells, as printed, as published and corrected side by side.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rivals_paper.output import AS_PUBLISHED, CORRECTED, new_figure

SATURATION = 1.5
LABELS = {
    "B^l": "likelihood ratio $B^l$",
    "B^Bayes": "Bayes factor",
    "B^elpd": "elpd",
    "B^R": "risk $B^R$",
    "B^EMD": "$B^{EMD}$, log-odds",
}
# Made to be read one text column wide (8.5 inches shrunk to 7 in print, to 680 pixels on the page).
WIDTH = 8.5
HEIGHT = 9.6
SMALL = 7.5
MEDIUM = 9
LARGE = 10.5
NEGLIGIBLE = 1e-6


def draw(values: dict[str, Any], stored: dict[str, Any], noise: dict[str, list[float]]) -> Any:
    """Return the figure: columns in the paper, our run as published, corrected.

    A strip of rel. σ, then a block for each criterion.

    Parameters
    ----------
    values : dict
        Ours, by variant and criterion.
    stored : dict
        The printed table.
    noise : dict
        The row rel. σ by window: first the one that was not printed, then the printed one.
    """
    figure = new_figure(WIDTH, HEIGHT)
    figure.get_layout_engine().set(w_pad=0.02, wspace=0.01)  # type: ignore[union-attr, call-arg]  # constrained, see there
    axes = figure.subplots(1 + len(LABELS), 3, height_ratios=[2, *[6] * len(LABELS)])
    rows = [str(size) for _ in stored["windows"] for size in stored["sizes"]]
    _noise(axes[0], stored, noise)
    for i, (criterion, label) in enumerate(LABELS.items(), start=1):
        printed = np.array(stored["criteria"][criterion], dtype=float)
        ours = [
            np.reshape(values[v][criterion]["value"], printed.shape)
            for v in (AS_PUBLISHED, CORRECTED)
        ]
        for j, cells in enumerate((printed, *ours)):
            _block(axes[i, j], cells)
            axes[i, j].set_yticks(range(len(rows)), rows if j == 0 else [], fontsize=SMALL)
            axes[i, j].set_xticks([])
        axes[i, 0].set_ylabel(f"{label}\n15–30   20–1000 µm", fontsize=SMALL + 0.5)
    figure.suptitle(
        "Planck (blue) against Rayleigh-Jeans (orange) by five criteria: log$_{10}$ ratios, ±2 is "
        "strong evidence",
        fontsize=LARGE,
    )
    return figure


def _noise(axes: Any, stored: dict[str, Any], noise: dict[str, list[float]]) -> None:
    """Draw the strip above the blocks.

    Gain and bias of the columns, and the relative noise in both windows.
    """
    other, printed = ([f"{100 * value:.0f} %" for value in row] for row in noise.values())
    as_printed = [f"{value} %" for value in stored["relative_noise_percent"]]
    none = [""] * len(printed)
    names = [f"rel. σ, {window.replace('-', '–').removesuffix(' µm')}" for window in noise]
    gains = [f"$2^{{{np.log2(gain):.0f}}}$" for _ in stored["biases"] for gain in stored["gains"]]
    contents = (
        ("in the paper", none, as_printed),
        ("our run as published", none, printed),
        ("corrected", other, printed),
    )
    for each, (title, *rows) in zip(axes, contents, strict=True):
        each.set_title(
            f"{title}\n" + "$B_0 > 0$".center(24) + "$B_0 = 0$".center(24), fontsize=MEDIUM
        )
        each.set(xlim=(-0.5, len(gains) - 0.5), ylim=(1.5, -0.5))
        each.xaxis.tick_top()
        each.set_xticks(range(len(gains)), gains, fontsize=SMALL)
        each.set_yticks(range(2), names if each is axes[0] else [], fontsize=SMALL)
        each.tick_params(length=0)
        for row, texts in enumerate(rows):
            for column, text in enumerate(texts):
                each.text(column, row, text, ha="center", va="center", fontsize=SMALL)
        each.axvline(len(gains) / 2 - 0.5, color="0.3", lw=0.8)


def _block(axes: Any, cells: Any) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    colours = LinearSegmentedColormap.from_list("evidence", ["#E69F00", "#FFFFFF", "#56B4E9"])
    axes.imshow(
        np.clip(cells, -SATURATION, SATURATION),
        cmap=colours,
        vmin=-SATURATION,
        vmax=SATURATION,
        aspect="auto",
    )
    for (row, column), value in np.ndenumerate(cells):
        axes.text(column, row, text(value), ha="center", va="center", fontsize=SMALL)
    axes.axhline(2.5, color="0.3", lw=0.8)
    axes.axvline(2.5, color="0.3", lw=0.8)
    axes.tick_params(length=0)


def text(value: float) -> str:
    """Return a number in at most five letters, rounded as the paper does below 100."""
    if not np.isfinite(value):
        return "+∞" if value > 0 else "-∞"
    if abs(value) < NEGLIGIBLE:
        return "0"
    if abs(value) < 0.01:
        mantissa, exponent = f"{value:.0e}".split("e")
        return f"{mantissa}e{int(exponent)}"
    return f"{value:.2f}" if abs(value) < 100 else f"{value:.0f}"
