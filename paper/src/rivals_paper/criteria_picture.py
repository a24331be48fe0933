"""The picture of the criteria figure.

Rows of families, columns of criteria, as published above corrected.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rivals.testbeds import blackbody
from rivals_paper import nested_families as nested
from rivals_paper.blackbody_models import TITLES
from rivals_paper.densities import common_range, density
from rivals_paper.output import AS_PUBLISHED, CORRECTED, new_figure

COLUMNS = ("BIC", "−log evidence", "MDL", "AIC", "−elpd")
# Colour-blind safe, of different lightness, with markers for grey print. The last row compares the
# laws.
STYLES = {0: ("#000000", "o"), 2: ("#0072B2", "s"), 4: ("#D55E00", "^"), 6: ("#56B4E9", "D")}
OTHER_LAW = ("#CC79A7", "v")
ROWS = (
    (
        "Planck + polynomial: all families contain the truth",
        [("planck", m) for m in nested.COEFFICIENTS],
    ),
    (
        "Rayleigh-Jeans + polynomial: none does",
        [("rayleigh-jeans", m) for m in nested.COEFFICIENTS],
    ),
    ("Planck and Rayleigh-Jeans, no polynomial", [("planck", 0), ("rayleigh-jeans", 0)]),
)
# Made to be read one text column wide (8.5 inches shrunk to 7 in print, to 680 pixels on the page).
WIDTH = 8.5
HEIGHT = 11.4
SMALL = 8
MEDIUM = 9
LARGE = 10.5
EXAMPLE_SIZE = 64

Families = list[tuple[str, int]]
Pairs = dict[tuple[str, int, int], tuple[float, float]]


def draw(
    scores: dict[str, Any], stored: dict[str, Any], risks: dict[str, Any], pairs: dict[str, Pairs]
) -> Any:
    """Return the figure.

    Parameters
    ----------
    scores, stored : dict
        Ours and the published ones, by family.
    risks : dict
        Draws of the risk by variant and (law, coefficients, size).
    pairs : dict
        B^EMD by variant and (law, coefficients, size): the reference of the row against that
        family.
    """
    figure = new_figure(WIDTH, HEIGHT)
    parts: Any = figure.subfigures(4, 1, height_ratios=[0.75, 1, 1, 1])
    header, *blocks = parts
    _header(header)
    for block, (title, families) in zip(blocks, ROWS, strict=True):
        block.suptitle(title, fontsize=LARGE, fontweight="bold", x=0.01, ha="left")
        axes = block.subplots(2, 6, width_ratios=[1, 1, 1, 1, 1, 1.9])
        shown = [
            risks[variant][law, m, n]
            for variant in risks
            for law, m in families
            for n in nested.SIZES_SHOWN
        ]
        points = common_range(shown, left_out=0.005, margin=0.0, n_points=300)
        for i, variant in enumerate((AS_PUBLISHED, CORRECTED)):
            for j, column in enumerate(COLUMNS):
                _curves(axes[i, j], column, families, scores, stored, variant)
            axes[i, 0].set_ylabel(f"{variant}\n$L$", fontsize=MEDIUM)
            _risks(axes[i, 5], families, risks[variant], pairs[variant], points)
        for j, column in enumerate((*COLUMNS, "risk $R$            $B^{EMD}$")):
            axes[0, j].set_title(column if j == len(COLUMNS) else f"Δ {column}", fontsize=MEDIUM)
    return figure


def _header(header: Any) -> None:
    """Draw title, legend and an example of the data in each variant."""
    from matplotlib.lines import Line2D

    header.suptitle(
        "Criteria as data accumulate: further down, more data; further left, better",
        fontsize=LARGE + 1,
    )
    legend, published, corrected = header.subplots(1, 3, width_ratios=[0.85, 1, 1])
    legend.set_axis_off()
    handles = [
        Line2D(
            [],
            [],
            color=colour,
            marker=marker,
            ms=4,
            lw=1.2,
            label=f"{m} coefficients" if m else "reference",
        )
        for m, (colour, marker) in STYLES.items()
    ]
    handles.append(
        Line2D(
            [], [], color=OTHER_LAW[0], marker=OTHER_LAW[1], ms=4, lw=1.2, label="Rayleigh-Jeans"
        )
    )
    legend.legend(
        handles=handles,
        loc="center left",
        borderaxespad=0,
        fontsize=MEDIUM,
        title="reference: no coefficients;\nlast block: Planck",
        title_fontsize=MEDIUM,
        alignment="left",
    )
    example = nested.example()
    smooth = nested.nearly_noiseless()
    published.plot(example.wavelength, example.radiance, ".", ms=3, color="0.55", label="$L$ = 100")
    published.plot(
        smooth.wavelength, smooth.radiance, color=STYLES[0][0], lw=1.2, label="hardly any noise"
    )
    published.set_title(
        "as published: an example, whose\nfit made nearly all AIC and BIC", fontsize=MEDIUM
    )
    data = nested.observe(EXAMPLE_SIZE)
    corrected.plot(
        data.wavelength, data.radiance, ".", ms=3, color="0.55", label=f"$L$ = {EXAMPLE_SIZE}"
    )
    for law, (colour, _) in zip(blackbody.LAWS, (STYLES[0], OTHER_LAW), strict=True):
        fit = nested.best_fit(data, law, 0)
        curve = blackbody.radiance(law, data.wavelength, fit.temperature)
        corrected.plot(
            data.wavelength,
            curve,
            color=colour,
            lw=1.2,
            label=f"{TITLES[law]}, {fit.temperature:.0f} K",
        )
    corrected.set_title(
        "corrected: each of the 25 spectra\nis fitted itself, as this one", fontsize=MEDIUM
    )
    for axes in (published, corrected):
        axes.set_xlabel("wavelength (µm)", fontsize=SMALL)
        axes.set_ylim(0, 6.2)
        axes.tick_params(labelsize=SMALL)
        axes.legend(fontsize=SMALL, loc="upper right", frameon=False, borderaxespad=0.2)
    published.set_ylabel("radiance", fontsize=SMALL)


def _style(family: tuple[str, int], families: Families) -> tuple[str, str]:
    law, m = family
    return OTHER_LAW if law != families[0][0] else STYLES[m]


def _curves(
    axes: Any, column: str, families: Families, scores: Any, stored: Any, variant: str
) -> None:
    sizes = np.array(stored["sizes"])
    reference, _ = _score(column, families[0], scores, stored, variant)
    for family in families:
        value, error = _score(column, family, scores, stored, variant)
        colour, marker = _style(family, families)
        shown = np.isfinite(value - reference)
        difference = (value - reference)[shown]
        axes.plot(difference, sizes[shown], marker=marker, ms=2, lw=0.8, color=colour)
        if error is not None and (variant == AS_PUBLISHED or family != families[0]):
            low = difference - error[shown]
            high = difference + error[shown]
            axes.fill_betweenx(sizes[shown], low, high, color=colour, alpha=0.15, lw=0)
    axes.set(yscale="log", ylim=(5000, 55))
    axes.set_yticks([], minor=True)
    axes.set_yticks(
        nested.SIZES_SHOWN, [str(n) for n in nested.SIZES_SHOWN] if column == COLUMNS[0] else []
    )
    axes.locator_params(axis="x", nbins=3)
    axes.xaxis.set_major_formatter(lambda tick, _: short(tick))
    axes.tick_params(labelsize=SMALL)


def short(value: float) -> str:
    """Return a number of an axis in few letters: thousands as k."""
    text = f"{value / 1000:g}k" if abs(value) >= 1000 else f"{value:g}"
    return text.replace("-", "−")


def _score(
    column: str, family: tuple[str, int], scores: Any, stored: Any, variant: str
) -> tuple[Any, Any]:
    """Return a criterion of a family for all sizes, lower is better, and its error or None."""
    key = nested.key(*family)
    if variant == AS_PUBLISHED:
        curves = stored["curves"][key]
        names = {"BIC": "BIC", "AIC": "AIC", "MDL": "MDL", "−log evidence": "logE", "−elpd": "elpd"}
        value = np.array(curves[names[column]], dtype=float)
        error = (
            np.array(curves[f"{names[column]}_se"], dtype=float) if column.startswith("−") else None
        )
    else:
        names = {"−log evidence": "logE corrected", "−elpd": "elpd corrected"}
        name = names.get(column, f"{column} corrected")
        value = np.array(scores[key][name], dtype=float)
        error = (
            np.array(scores[key]["elpd corrected se of the difference"])
            if column == "−elpd"
            else None
        )
    return (-value if column.startswith("−") else value), error


def _risks(
    axes: Any, families: Families, risks: dict[tuple[str, int, int], Any], pairs: Pairs, points: Any
) -> None:
    """Draw the distributions of the risk, one level for each size, and print B^EMD to their
    right.
    """
    width = points[-1] - points[0]
    for level, size in enumerate(nested.SIZES_SHOWN):
        for family in families:
            values = density(risks[*family, size], points)
            height = 0.85 * values / values.max()
            colour, _ = _style(family, families)
            axes.fill_between(points, -level, height - level, color=colour, alpha=0.25, lw=0)
            axes.plot(points, height - level, color=colour, lw=0.8)
        for place, family in enumerate(families[1:]):
            x = (
                points[-1] + (0.2 + 0.28 * place) * width
                if len(families) > 2
                else points[-1] + 0.48 * width
            )
            text = f"{pairs[*family, size][0]:.2f}".removeprefix("0")
            axes.text(
                x,
                0.25 - level,
                text,
                color=_style(family, families)[0],
                fontsize=SMALL,
                ha="center",
            )
    axes.set_xlim(points[0], points[-1] + 0.95 * width)
    axes.set_ylim(0.85 - len(nested.SIZES_SHOWN), 1)
    axes.axvline(points[-1] + 0.03 * width, color="0.6", lw=0.6)
    axes.set_yticks(
        [0.3 - level for level in range(len(nested.SIZES_SHOWN))],
        [str(n) for n in nested.SIZES_SHOWN],
    )
    axes.set_xticks(np.arange(np.ceil(points[0]), points[-1]))
    axes.tick_params(labelsize=SMALL)
