"""What the page computes its verdicts and curves from: the numbers of a comparison at each c that it offers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from rivals._types import FloatArray
from rivals.comparison import Comparison
from rivals.core.verdict import binned_probabilities, reject
from rivals.laws import Applied

Density: TypeAlias = "tuple[FloatArray, FloatArray]"
Progress: TypeAlias = "Callable[[int, int], None]"

DENSITY_POINTS = 128
PATHS, PATH_DEPTH = 200, 5
FEW_MODELS = 32


@dataclass(frozen=True, eq=False)
class Run:
    """One c. Models in the order given; risks are relative to the reference of the comparison."""

    c: float
    probability: FloatArray
    standard_error: FloatArray
    low: FloatArray
    high: FloatArray
    rejected_by: list[int | None] | None  # None where the page applies the rule itself
    undecided: list[int]
    densities: list[Density]  # of the models that are drawn
    bands: list[FloatArray]  # likewise, under laws of closed form none: where nine in ten sampled paths run


def adjustable(result: Comparison) -> bool:
    """Whether the page can offer other values of c: not where there is none, nor where a calibration holds at its own."""
    setting = result.applied.setting
    kept = result.applied.law.closed_form or result.applied.losses[0].n_simulations > 0
    return result.applied.law.uses_c(setting.n_simulations) and kept and result.calibrated is None


def runs_over_c(
    result: Comparison, c: Sequence[float], drawn: Sequence[int], progress: Progress | None = None
) -> list[Run]:
    """The result's own run, and one at each other c, in increasing order; the own alone where c is not adjustable.

    `progress(done, total)` is told how many of them there are yet.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> [run.c for run in runs_over_c(rivals.compare(toys.losses(), c=1.0, rng=0), [0.5, 2.0], drawn=[0])]
    [0.5, 1.0, 2.0]
    """
    others = sorted({float(value) for value in c} - {result.c}) if adjustable(result) else []
    runs = [_own_run(result, drawn)]
    for applied in result.applied.quick().at_each(others) if others else ():
        if progress is not None:
            progress(len(runs), 1 + len(others))
        runs.append(_other_run(applied, drawn))
    return sorted(runs, key=lambda run: run.c)


def _own_run(result: Comparison, drawn: Sequence[int]) -> Run:
    names, applied = result.names, result.applied
    few = applied.law.closed_form or len(names) <= FEW_MODELS  # of few, the numbers that the result tells
    probability, standard_error = (
        (result.probability, result.standard_error) if few else binned_probabilities(list(applied.draws))
    )
    rejections = [result.rejections.get(name) for name in names]
    low, high = applied.interval(0.9)
    return Run(
        c=result.c,
        probability=probability,
        standard_error=standard_error,
        low=low,
        high=high,
        rejected_by=[None if rejection is None else names.index(rejection.by) for rejection in rejections],
        undecided=sorted({names.index(duel.model) for duel in result.undecided}),
        densities=[applied.density(index, DENSITY_POINTS) for index in drawn],
        bands=_bands(applied, drawn),
    )


def _other_run(applied: Applied, drawn: Sequence[int]) -> Run:
    """As `Comparison.sweep`, but from fewer draws, and without more of them where the threshold is close."""
    probability, standard_error = applied.matrix()
    low, high = applied.interval(0.9)
    rejections = reject(applied.empirical, probability, applied.setting.threshold)
    rivals = [rejections[model].rival if model in rejections else None for model in range(low.size)]
    return Run(
        c=applied.setting.c,
        probability=probability,
        standard_error=standard_error,
        low=low,
        high=high,
        rejected_by=rivals if applied.law.closed_form else None,
        undecided=[],
        densities=[applied.density(index, DENSITY_POINTS) for index in drawn],
        bands=_bands(applied, drawn),
    )


def _bands(applied: Applied, drawn: Sequence[int]) -> list[FloatArray]:
    """Where nine in ten sampled paths run, on a coarse grid of Φ; none under laws of closed form, whose axis is the tail's."""
    if applied.law.closed_form:
        return []
    found = [applied.paths(index, PATHS, PATH_DEPTH, 0) for index in drawn]
    return [np.quantile(each[1], [0.05, 0.95], axis=0) for each in found if each is not None]
