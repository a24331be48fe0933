"""The numbers that the page shows: what the run found, and the same at other c and thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rivals._say.words import show
from rivals._types import FloatArray
from rivals.comparison import Comparison
from rivals.comparison.table import cells_of, rows_of, shown_columns
from rivals.core.quantiles import QuantileFunction
from rivals.laws import Applied
from rivals.plots.sweep_over_c import strongest_of
from rivals.report.baselines import baselines_of
from rivals.report.groups import groups_of, horizons_of
from rivals.report.runs import Run, runs_over_c, stretches, thresholds_of, why_no_c

# In the pictures; the table has all models.
MOST_DRAWN = 12
CURVE_POINTS = 161
DENSITY_POINTS = 128
PATHS = 200
PATH_DEPTH = 5


def contents(result: Comparison, c: Sequence[float] | None = None) -> dict[str, Any]:
    """Everything the page needs, at each c of the grid and at the result's own.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> page = contents(rivals.compare(toys.losses(), c=1.0, rng=0), c=[0.01, 100.0])
    >>> page["c"], page["own"]["c"]
    ([0.01, 1.0, 100.0], 1)
    """
    applied = result.applied
    rows = rows_of(result)
    columns = shown_columns(rows, notes=False)
    cells = cells_of(rows, columns)
    ranking = [result.names.index(name) for name in result.ranking]
    drawn = ranking[:MOST_DRAWN]
    thresholds = thresholds_of(result)
    own_threshold = thresholds.index(result.threshold)
    at_horizons = {
        label: _by_c(other, c, thresholds, drawn) for label, other in horizons_of(result).items()
    }
    no_c = why_no_c(result, c)
    if not no_c and c is None:
        no_c = _why_c_does_not_matter(list(at_horizons.values()), own_threshold)
    if no_c:
        at_horizons = {label: {result.c: by_c[result.c]} for label, by_c in at_horizons.items()}
    # The run's own horizon stands first; it is the only one without groups.
    (horizon, by_c), *others = at_horizons.items()
    grid = sorted(by_c)
    calibrated = None
    if result.calibrated is not None:
        calibrated = np.round(result.calibrated, 7).tolist()
    phi = _phi(result)
    return {
        "names": [show(name) for name in result.names],
        "columns": [[column.heading, column.note, column.varies] for column in columns],
        "cells": dict(zip(ranking, cells, strict=True)),
        "ranking": ranking,
        "drawn": drawn,
        # What rivals are compared by, without the common offset that would cost digits.
        "excess": applied.empirical.tolist(),
        "reference": applied.reference,
        "no_c": no_c,
        "c": [None] if no_c else grid,
        "thresholds": thresholds,
        "own": {"c": grid.index(result.c) if len(grid) > 1 else 0, "threshold": own_threshold},
        "runs": [by_c[value] for value in grid],
        # What the verdict is about, and the same runs about other numbers of new groups.
        "horizon": horizon,
        "others": [
            {"horizon": label, "runs": [other[value] for value in grid]} for label, other in others
        ],
        "groups": groups_of(result, drawn),
        "baselines": baselines_of(result, drawn),
        # [a, b]: what is compared with the threshold, in place of the raw probabilities.
        "calibrated": calibrated,
        # Quantile functions are drawn over −log10(1 − Φ); sampled bands are too coarse for that.
        "tail": applied.law.closed_form,
        "phi": phi.tolist(),
        "quantiles": {index: _quantiles(result, index, phi) for index in drawn},
        "distance": None if np.isnan(applied.distance).any() else _round(applied.distance),
    }


def _by_c(
    result: Comparison,
    c: Sequence[float] | None,
    thresholds: Sequence[float],
    drawn: Sequence[int],
) -> dict[float, dict[str, Any]]:
    """What the page shows at each c."""
    decides = result.calibrated
    found = {}
    for run in runs_over_c(result, thresholds, c):
        probability = run.probability if decides is None else decides
        found[run.applied.setting.c] = _as_text(run, probability, drawn)
    return found


def _as_text(run: Run, decides: FloatArray, drawn: Sequence[int]) -> dict[str, Any]:
    """One c: all pairs a < b, verdicts, intervals, and curves of the models that are drawn."""
    applied = run.applied
    upper = np.triu_indices(len(run.probability), k=1)
    low, high = applied.interval(0.9)
    strongest = strongest_of(applied.empirical, decides)
    return {
        "p": np.round(run.probability[upper], 7).tolist(),
        "rejected": stretches([fates.rejected_by for fates in run.fates]),
        "undecided": stretches([fates.undecided for fates in run.fates]),
        # Of the models that are drawn; null for one that has no rival of lower mean loss.
        "strongest": [_probability(strongest[index]) for index in drawn],
        "low": _round(low),
        "high": _round(high),
        "density": [_density(*applied.density(index, DENSITY_POINTS)) for index in drawn],
        "band": [] if applied.law.closed_form else _bands(applied, drawn),
    }


def _why_c_does_not_matter(
    at_horizons: Sequence[dict[float, dict[str, Any]]], threshold: int
) -> str:
    """Where no c changes the verdict, about any number of new groups, there is nothing to slide."""
    for by_c in at_horizons:
        verdicts = {_rejected_at(run, threshold) for run in by_c.values()}
        if len(by_c) == 1 or len(verdicts) > 1:
            return ""
    return f"No c from {min(by_c):.3g} to {max(by_c):.3g} changes the verdict."


def _rejected_at(run: dict[str, Any], threshold: int) -> frozenset[int]:
    return frozenset(
        model
        for model, found in run["rejected"].items()
        if any(first <= threshold <= last for first, last, _ in found)
    )


def _density(grid: FloatArray, density: FloatArray) -> dict[str, Any]:
    width = grid.size > 1  # else it is one point of infinite density
    peak = float(density.max()) if width else 0.0
    heights = np.round(999 * density / peak).astype(int).tolist() if width else []
    return {
        "from": _digits(grid[0]),
        "to": _digits(grid[-1]),
        "peak": _digits(peak),
        "heights": heights,
    }


def _bands(applied: Applied, drawn: Sequence[int]) -> list[list[list[float]]]:
    """Where nine in ten sampled paths run, on a coarse grid of Φ; nothing where the law is no
    process.
    """
    bands = []
    for process in filter(None, map(applied.process, drawn)):
        paths = process.sample_paths(PATHS, depth=PATH_DEPTH, rng=0)[1] - process.reference
        bands.append([_round(edge) for edge in np.quantile(paths, [0.05, 0.95], axis=0)])
    return bands


def _phi(result: Comparison) -> FloatArray:
    """Evenly spaced on the axis; on the tail axis up to the largest loss of the largest sample."""
    if not result.applied.law.closed_form:
        return np.linspace(0.0, 1.0, CURVE_POINTS)
    largest = max(max(losses.n_observed, losses.n_synthetic) for losses in result.applied.losses)
    return 1.0 - np.logspace(0.0, -np.log10(1 + largest), CURVE_POINTS)


def _quantiles(result: Comparison, index: int, phi: FloatArray) -> dict[str, list[float]]:
    """q* on the data, the mean of q~ over simulations, and the range of several; none where there
    are none.
    """
    losses = result.applied.losses[index]
    reference = result.applied.reference
    curves = {"observed": QuantileFunction(losses.observed - reference)(phi)}
    if losses.n_simulations:
        simulated = np.stack([QuantileFunction(row - reference)(phi) for row in losses.simulations])
        curves["synthetic"] = simulated.mean(axis=0)
        if losses.n_simulations > 1:
            curves |= {"lowest": simulated.min(axis=0), "highest": simulated.max(axis=0)}
    return {key: _round(curve) for key, curve in curves.items()}


def _round(values: Any) -> list[float]:
    return [_digits(value) for value in values]


def _digits(value: Any) -> float:
    """Five digits: finer than a pixel."""
    return float(f"{float(value):.5g}")


def _probability(value: float) -> float | None:
    return None if np.isnan(value) else round(float(value), 7)
