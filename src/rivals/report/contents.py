"""The numbers that the page shows and computes from: what the run found, and a grid of c computed
beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from rivals._say.words import show
from rivals._types import FloatArray
from rivals.comparison import Comparison
from rivals.comparison.table import cells_of, rows_of, shown_columns
from rivals.core.quantiles import QuantileFunction
from rivals.core.verdict import binned_probabilities
from rivals.laws import Applied
from rivals.method.rule import reject

# Half octaves over the ranges that the original study tried, and two octaves more on either side.
# Under laws that draw, where each value takes its time, octaves, and of many models every second
# one.
GRID_OF_C = tuple(2.0 ** (k / 2) for k in range(-16, 11))
STEP_BY_DRAWS = 2
STEP_OF_MANY = 4
FEW_MODELS = 32
THRESHOLDS = tuple(round(0.505 + 0.005 * k, 3) for k in range(100))

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
    >>> page = contents(rivals.compare(toys.losses(), c=1.0, rng=0), c=[0.5, 2.0])
    >>> page["c"], page["own"]["c"]
    ([0.5, 1.0, 2.0], 1)
    """
    applied = result.applied
    rows = rows_of(result)
    columns = shown_columns(rows, notes=False, telling_only=False)
    cells = cells_of(rows, columns)
    ranking = [result.names.index(name) for name in result.ranking]
    drawn = ranking[:MOST_DRAWN]
    runs = sorted((run.applied.setting.c, _as_text(run, drawn)) for run in runs_over_c(result, c))
    grid = [value for value, _ in runs]
    thresholds = sorted({*THRESHOLDS, result.threshold})
    phi = _phi(result)
    return {
        "names": [show(name) for name in result.names],
        "columns": [[column.heading, column.note] for column in columns],
        "cells": dict(zip(ranking, cells, strict=True)),
        "ranking": ranking,
        "drawn": drawn,
        # What rivals are compared by, without the common offset that would cost digits.
        "excess": applied.empirical.tolist(),
        "reference": applied.reference,
        "unstable": [
            result.names.index(duel.model)
            for duel in result.undecided
            if duel.reason == "simulations"
        ],
        "adjustable": _adjustable(result),
        "c": grid if _adjustable(result) else [None],
        "thresholds": thresholds,
        "own": {
            "c": grid.index(result.c) if len(grid) > 1 else 0,
            "threshold": thresholds.index(result.threshold),
        },
        "runs": [run for _, run in runs],
        # [a, b]: what is compared with the threshold, in place of the raw probabilities of the
        # only run.
        "calibrated": None
        if result.calibrated is None
        else np.round(result.calibrated, 7).tolist(),
        # Quantile functions are drawn over −log10(1 − Φ); sampled bands are too coarse for that.
        "tail": applied.law.closed_form,
        "phi": phi.tolist(),
        "quantiles": {index: _quantiles(result, index, phi) for index in drawn},
        "distance": None if np.isnan(applied.distance).any() else _round(applied.distance),
    }


class Run(NamedTuple):
    """The comparison at one c. Models in the order given."""

    applied: Applied
    probability: FloatArray
    standard_error: FloatArray
    rejected_by: list[int | None] | None  # None where the page applies the rule itself
    undecided: list[int]


def runs_over_c(result: Comparison, c: Sequence[float] | None = None) -> Iterator[Run]:
    """The result's own run, then one at each other c; the own alone where c is not adjustable.

    Use each run before you take the next.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> result = rivals.compare(toys.losses(), c=1.0, rng=0)
    >>> [run.applied.setting.c for run in runs_over_c(result, [0.5, 2.0])]
    [1.0, 0.5, 2.0]
    """
    yield _own_run(result)
    few = len(result.names) <= FEW_MODELS
    step = 1 if result.applied.law.closed_form else STEP_BY_DRAWS if few else STEP_OF_MANY
    others = {float(value) for value in (GRID_OF_C[::step] if c is None else c)} - {result.c}
    if not others or not _adjustable(result):
        return
    yield from map(_other_run, result.applied.quick().at_each(sorted(others)))


def _adjustable(result: Comparison) -> bool:
    """Whether the page can offer other values of c: not where there is none, nor where a
    calibration holds at its own.
    """
    law = result.applied.law
    n_simulations = result.applied.setting.n_simulations
    kept = law.closed_form or result.applied.losses[0].n_simulations > 0
    return law.uses_c(n_simulations) and kept and result.calibrated is None


def _own_run(result: Comparison) -> Run:
    names = result.names
    applied = result.applied
    probability, standard_error = (
        (result.probability, result.standard_error)
        if applied.law.closed_form
        or len(names) <= FEW_MODELS  # of few, the numbers that the result tells
        else binned_probabilities(list(applied.draws))
    )
    rejections = [result.rejections.get(name) for name in names]
    by = [None if rejection is None else names.index(rejection.by) for rejection in rejections]
    undecided = sorted({names.index(duel.model) for duel in result.undecided})
    return Run(applied, probability, standard_error, by, undecided)


def _other_run(applied: Applied) -> Run:
    """As `Comparison.sweep`, but from fewer draws, and without more of them where the threshold is
    close.
    """
    probability, standard_error = applied.matrix()
    rejections = reject(applied.empirical, probability, applied.setting.threshold)
    by = [
        rejections[model].rival if model in rejections else None
        for model in range(applied.empirical.size)
    ]
    return Run(applied, probability, standard_error, by if applied.law.closed_form else None, [])


def _as_text(run: Run, drawn: Sequence[int]) -> dict[str, Any]:
    """One c: probabilities of all pairs a < b, intervals, curves of the models that are drawn, and
    the library's own verdict.
    """
    upper = np.triu_indices(len(run.probability), k=1)
    low, high = run.applied.interval(0.9)
    return {
        "p": np.round(run.probability[upper], 7).tolist(),
        "e": np.round(run.standard_error[upper], 6).tolist() if run.standard_error.any() else None,
        "low": _round(low),
        "high": _round(high),
        "by": run.rejected_by,
        "unclear": run.undecided,
        "density": [_density(*run.applied.density(index, DENSITY_POINTS)) for index in drawn],
        "band": [] if run.applied.law.closed_form else _bands(run.applied, drawn),
    }


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
