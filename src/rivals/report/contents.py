"""What the page shows and computes from: plain numbers, a grid of c computed beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rivals._checks import show
from rivals._types import FloatArray
from rivals.comparison import Comparison
from rivals.comparison.table import Column, Row, cells_of, rows_of, shown_columns
from rivals.core.quantiles import QuantileFunction
from rivals.report.runs import FEW_MODELS, Density, Progress, Run, adjustable, runs_over_c

# Half octaves over the ranges that the original study tried, and two octaves more on either side. Under laws that draw, where
# each value takes its time, octaves, and of many models every second one.
GRID_OF_C = tuple(2.0 ** (k / 2) for k in range(-16, 11))
STEP_BY_DRAWS, STEP_OF_MANY = 2, 4
THRESHOLDS = tuple(round(0.505 + 0.005 * k, 3) for k in range(100))

# In the pictures; the table has all models.
MOST_DRAWN = 12
CURVE_POINTS = 161


def page_columns(rows: Sequence[Row]) -> list[Column]:
    """All but the notes, which have a place of their own."""
    return [column for column in shown_columns(rows) if column.heading != "notes"]


def grid_of_c(result: Comparison) -> tuple[float, ...]:
    """The values of c that the page offers, beside the result's own, if none are asked for."""
    if result.applied.law.closed_form:
        return GRID_OF_C
    return GRID_OF_C[:: STEP_BY_DRAWS if len(result.names) <= FEW_MODELS else STEP_OF_MANY]


def contents(result: Comparison, c: Sequence[float] | None = None, progress: Progress | None = None) -> dict[str, Any]:
    """Everything the page needs, at each c of the grid and at the result's own.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> page = contents(rivals.compare(toys.losses(), c=1.0, rng=0), c=[0.5, 2.0])
    >>> page["c"], page["own"]["c"]
    ([0.5, 1.0, 2.0], 1)
    """
    rows = rows_of(result)
    columns = page_columns(rows)
    ranking = [result.names.index(name) for name in result.ranking]
    drawn = [result.names.index(name) for name in result.ranking[:MOST_DRAWN]]
    runs = runs_over_c(result, grid_of_c(result) if c is None else c, drawn, progress)
    grid = [run.c for run in runs]
    thresholds = sorted({*THRESHOLDS, result.threshold})
    return {
        "names": [show(name) for name in result.names],
        "headings": [column.heading for column in columns],
        "cells": dict(zip(ranking, cells_of(rows, columns), strict=True)),
        "ranking": ranking,
        "drawn": drawn,
        # What rivals are compared by, without the common offset that would cost digits.
        "excess": result.applied.empirical.tolist(),
        "reference": result.applied.reference,
        "stability": None if _stability_unknown(result) else [result.stability[name] for name in result.names],
        "unstable": [result.names.index(duel.model) for duel in result.undecided if duel.reason == "simulations"],
        "adjustable": adjustable(result),
        "c": grid if adjustable(result) else [None],
        "thresholds": thresholds,
        "own": {"c": grid.index(result.c) if len(grid) > 1 else 0, "threshold": thresholds.index(result.threshold)},
        "runs": [_run(run) for run in runs],
        # [a, b]: what is compared with the threshold, in place of the raw probabilities of the only run.
        "calibrated": None if result.calibrated is None else np.round(result.calibrated, 7).tolist(),
        "tail": _has_tail_axis(result),
        "phi": [float(value) for value in _phi(result)],
        "quantiles": {index: _quantiles(result, result.names[index]) for index in drawn},
        "distance": _distances(result),
    }


def _distances(result: Comparison) -> list[float] | None:
    distances = result.applied.distance
    return None if np.isnan(distances).any() else _round(distances)


def _stability_unknown(result: Comparison) -> bool:
    return any(np.isnan(part) for part in result.stability.values())


def _run(run: Run) -> dict[str, Any]:
    """One c: probabilities of all pairs a < b, table, curves, and the library's own verdict at its own threshold."""
    upper = np.triu_indices(len(run.probability), k=1)
    return {
        "p": np.round(run.probability[upper], 7).tolist(),
        "e": np.round(run.standard_error[upper], 6).tolist() if run.standard_error.any() else None,
        "low": _round(run.low),
        "high": _round(run.high),
        "by": run.rejected_by,
        "unclear": run.undecided,
        "density": [_density(density) for density in run.densities],
        "band": [[_round(edge) for edge in band] for band in run.bands],
    }


def _density(curve: Density) -> dict[str, Any]:
    grid, density = curve
    if grid.size == 1:  # a distribution without width
        return {"from": float(grid[0]), "to": float(grid[0]), "peak": 0.0, "heights": []}
    peak = float(density.max())
    return {
        "from": _digits(grid[0]),
        "to": _digits(grid[-1]),
        "peak": _digits(peak),
        "heights": np.round(999 * density / peak).astype(int).tolist(),
    }


def _has_tail_axis(result: Comparison) -> bool:
    """Whether quantile functions are drawn over −log10(1 − Φ); sampled bands are too coarse for that."""
    return result.applied.law.closed_form


def _phi(result: Comparison) -> FloatArray:
    """Evenly spaced on the axis; on the tail axis up to the largest loss of the largest sample."""
    if not _has_tail_axis(result):
        return np.linspace(0.0, 1.0, CURVE_POINTS)
    largest = max(max(losses.n_observed, losses.n_synthetic) for losses in result.losses.values())
    return 1.0 - np.logspace(0.0, -np.log10(1 + largest), CURVE_POINTS)


def _quantiles(result: Comparison, name: str) -> dict[str, Any]:
    """q* on the data, the mean of q~ over simulations, and the range of several; none where there are none."""
    losses = result.losses[name]
    phi = _phi(result)
    curves = {"observed": QuantileFunction(losses.observed - result.applied.reference)(phi)}
    if losses.n_simulations:
        simulated = np.stack([QuantileFunction(row - result.applied.reference)(phi) for row in losses.simulations])
        curves["synthetic"] = simulated.mean(axis=0)
        if losses.n_simulations > 1:
            curves |= {"lowest": simulated.min(axis=0), "highest": simulated.max(axis=0)}
    return {key: _round(curve) for key, curve in curves.items()}


def _round(values: Any) -> list[float]:
    """Five digits: finer than a pixel."""
    return [_digits(value) for value in values]


def _digits(value: Any) -> float:
    return float(f"{float(value):.5g}")
