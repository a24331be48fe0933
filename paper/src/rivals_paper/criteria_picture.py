"""The picture of the criteria figure: rows of families, columns of criteria, as published above corrected."""

from __future__ import annotations

from typing import Any

import numpy as np

from rivals_paper import nested_families as nested
from rivals_paper.densities import common_range, density
from rivals_paper.output import AS_PUBLISHED, CORRECTED, new_figure

COLUMNS = ("BIC", "−log evidence", "MDL", "AIC", "−elpd")
# Colour-blind safe, ordered by lightness, with markers for grey print.
STYLES = {0: ("#000000", "o"), 2: ("#0072B2", "s"), 4: ("#D55E00", "^"), 6: ("#56B4E9", "D")}
ROWS = (
    ("Planck + polynomial", [("planck", m) for m in nested.COEFFICIENTS]),
    ("Rayleigh-Jeans + polynomial", [("rayleigh-jeans", m) for m in nested.COEFFICIENTS]),
    ("Planck and Rayleigh-Jeans", [("planck", 0), ("rayleigh-jeans", 0)]),
)


def draw(scores: dict[str, Any], stored: dict[str, Any], risks: dict[str, Any]) -> Any:
    """Return the figure."""
    figure = new_figure(19, 19)
    halves: Any = figure.subfigures(2, 1)
    for half, variant in zip(halves, (AS_PUBLISHED, CORRECTED), strict=True):
        half.suptitle(
            "AS PUBLISHED (stored curves: AIC and BIC at parameters of another spectrum; priors without the best "
            "Rayleigh-Jeans models; one MDL complexity for both families)"
            if variant == AS_PUBLISHED
            else "CORRECTED (refitted to each spectrum; priors that contain the best models; each family its own complexity)",
            fontsize=12,
        )
        axes = half.subplots(3, 6)
        for i, (title, families) in enumerate(ROWS):
            for j, column in enumerate(COLUMNS):
                _curves(axes[i, j], column, families, scores, stored, variant)
                axes[i, j].set_title(f"{title}: Δ {column}", fontsize=8)
            _risks(axes[i, 5], families, risks[variant])
            axes[i, 5].set_title(f"{title}: risk distributions", fontsize=8)
            axes[i, 0].set_ylabel("number of data $L$", fontsize=8)
            axes[i, 0].legend(fontsize=7, title="coefficients" if i < 2 else "law", title_fontsize=7)
    figure.suptitle(
        "Criteria as data accumulate (downwards). Curves: score minus that of the reference (black); left is better. "
        "Bands: one standard error, above of each model's own score, below of the difference.",
        fontsize=12,
    )
    return figure


def _curves(axes: Any, column: str, families: list[tuple[str, int]], scores: Any, stored: Any, variant: str) -> None:
    sizes = np.array(stored["sizes"])
    reference, _ = _score(column, families[0], scores, stored, variant)
    for law, m in families:
        value, error = _score(column, (law, m), scores, stored, variant)
        different_laws = len(families) == 2
        colour, marker = STYLES[m] if not different_laws else STYLES[0 if law == "planck" else 4]
        label = {"planck": "Planck", "rayleigh-jeans": "Rayleigh-Jeans"}[law] if different_laws else str(m)
        shown = np.isfinite(value - reference)
        difference = (value - reference)[shown]
        axes.plot(difference, sizes[shown], marker=marker, ms=3, lw=1, color=colour, label=label)
        if error is not None and (variant == AS_PUBLISHED or (law, m) != families[0]):
            axes.fill_betweenx(
                sizes[shown], difference - error[shown], difference + error[shown], color=colour, alpha=0.15
            )
    axes.set(yscale="log", ylim=(5000, 55))
    axes.set_yticks(nested.SIZES_SHOWN, [str(size) for size in nested.SIZES_SHOWN])
    axes.set_yticks([], minor=True)
    axes.tick_params(labelsize=7)
    axes.set_xlabel("nats" if column.startswith("−") or column == "MDL" else "2 × nats", fontsize=7)


def _score(column: str, family: tuple[str, int], scores: Any, stored: Any, variant: str) -> tuple[Any, Any]:
    """Return a criterion of a family for all sizes, lower is better, and its error or None."""
    key = nested.key(*family)
    if variant == AS_PUBLISHED:
        curves = stored["curves"][key]
        names = {"BIC": "BIC", "AIC": "AIC", "MDL": "MDL", "−log evidence": "logE", "−elpd": "elpd"}
        value = np.array(curves[names[column]], dtype=float)
        error = np.array(curves[f"{names[column]}_se"], dtype=float) if column.startswith("−") else None
    else:
        names = {"−log evidence": "logE corrected", "−elpd": "elpd corrected"}
        name = names.get(column, f"{column} corrected")
        value = np.array(scores[key][name], dtype=float)
        error = np.array(scores[key]["elpd corrected se of the difference"]) if column == "−elpd" else None
    return (-value if column.startswith("−") else value), error


def _risks(axes: Any, families: list[tuple[str, int]], risks: dict[tuple[str, int, int], Any]) -> None:
    shown = [risks[law, m, size] for law, m in families for size in nested.SIZES_SHOWN]
    points = common_range(shown, left_out=0.005, margin=0.0, n_points=300)
    for level, size in enumerate(nested.SIZES_SHOWN):
        for law, m in families:
            values = density(risks[law, m, size], points)
            height = 0.85 * values / values.max()
            colour = STYLES[m][0] if len(families) > 2 else STYLES[0 if law == "planck" else 4][0]
            axes.fill_between(points, -level, height - level, color=colour, alpha=0.25, lw=0)
            axes.plot(points, height - level, color=colour, lw=0.8)
    axes.set_yticks([-level for level in range(len(nested.SIZES_SHOWN))], [f"$L$ = {s}" for s in nested.SIZES_SHOWN])
    axes.tick_params(labelsize=7)
    axes.set_xlabel("risk $R$ (nats per point); heights scaled alike", fontsize=7)
