"""What the page computes its verdicts and curves from: the numbers of a comparison at each c that it offers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.special import ndtri

from rivals._types import FloatArray
from rivals.comparison import Comparison
from rivals.comparison.laws import Law, law_of
from rivals.core.process import HierarchicalBetaProcess
from rivals.core.sampling_error import mean_covariance
from rivals.core.transport import transport_probability
from rivals.core.verdict import reject
from rivals.plots import density_of, risk_density
from rivals.plots.risk_densities import gaussian_density

Density: TypeAlias = "tuple[FloatArray, FloatArray]"

DENSITY_POINTS = 128
PATHS, PATH_DEPTH = 400, 5
# Standard deviations from the middle to the ends of the central 90 % of a Gaussian.
NINETY = float(ndtri(0.95))


@dataclass(frozen=True, eq=False)
class Run:
    """One c. Models in the order given; risks are relative to the reference of the comparison."""

    c: float
    probability: FloatArray
    standard_error: FloatArray
    low: FloatArray
    high: FloatArray
    rejected_by: list[int | None]
    undecided: list[int]
    densities: list[Density]  # of the models that are drawn
    bands: list[FloatArray]  # likewise, under law "beta": where nine in ten sampled paths run


def adjustable(result: Comparison) -> bool:
    """Whether the page can offer other values of c: law "groups" has none, a calibration holds at its own."""
    return result.law != "groups" and result.calibrated is None


def runs_over_c(result: Comparison, c: Sequence[float], drawn: Sequence[int]) -> list[Run]:
    """The result's own run, and one at each other c, in increasing order; the own alone where c is not adjustable.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> [run.c for run in runs_over_c(rivals.compare(toys.losses(), c=1.0, rng=0), [0.5, 2.0], drawn=[0])]
    [0.5, 1.0, 2.0]
    """
    own = _run(result, drawn)
    if not adjustable(result):
        return [own]
    others = sorted({float(value) for value in c} - {result.c})
    if result.law == "transport":
        runs = _transport_runs(result, others, drawn)
    else:
        law = law_of(list(result.losses.values()), result.settings)
        runs = [_beta_run(result, law.at(value), value, drawn) for value in others]
    return sorted([own, *runs], key=lambda run: run.c)


def _run(result: Comparison, drawn: Sequence[int]) -> Run:
    names = result.names
    low, high = _ends(result)
    rejections = [result.rejections.get(name) for name in names]
    return Run(
        c=result.c,
        probability=result.probability,
        standard_error=result.standard_error,
        low=low,
        high=high,
        rejected_by=[None if rejection is None else names.index(rejection.by) for rejection in rejections],
        undecided=sorted({names.index(duel.model) for duel in result.undecided}),
        densities=[density_of(result, names[index], n_points=DENSITY_POINTS, relative=True) for index in drawn],
        bands=_bands(result, result.c, drawn),
    )


def _ends(result: Comparison) -> tuple[FloatArray, FloatArray]:
    """Ends of the central 90 % of each risk, less the reference."""
    if result.law == "beta":
        low, high = np.array([np.quantile(draws, [0.05, 0.95]) for draws in result.excess_risks]).T
        return low, high
    mean = np.array([result.risk_mean[name] for name in result.names]) - result.reference
    reach = NINETY * np.array([result.risk_std[name] for name in result.names])
    return mean - reach, mean + reach


def _beta_run(result: Comparison, law: Law, c: float, drawn: Sequence[int]) -> Run:
    """As `Comparison.sweep`, but without the verdicts of single simulations, which take most of its time."""
    rejections, undecided = law.decide()  # draws more where the threshold is close
    probability, standard_error = law.matrix()
    draws = law.draws()
    low, high = np.array([np.quantile(sample, [0.05, 0.95]) for sample in draws]).T
    return Run(
        c=c,
        probability=probability,
        standard_error=standard_error,
        low=low,
        high=high,
        rejected_by=[rejections[i].rival if i in rejections else None for i in range(len(draws))],
        undecided=sorted({duel.model for duel in undecided}),
        densities=[risk_density(draws[i], n_points=DENSITY_POINTS) for i in drawn],
        bands=_bands(result, c, drawn),
    )


def _transport_runs(result: Comparison, c: Sequence[float], drawn: Sequence[int]) -> list[Run]:
    """Closed form: distances and sampling errors are the same at each c, so that they are not computed again."""
    means = result.excess_empirical_risk
    squares = np.array([result.distance[name] for name in result.names]) ** 2
    excess = np.stack([sample.observed for sample in result.losses.values()]) - result.reference
    covariance = mean_covariance(excess, order=result.settings.order, groups=result.settings.groups)
    runs = []
    for value in c:
        probability = transport_probability(means, squares, covariance, value)
        rejections = reject(means, probability, result.threshold)
        std = np.sqrt(value * squares + np.diagonal(covariance))
        runs.append(
            Run(
                c=value,
                probability=probability,
                standard_error=np.zeros_like(probability),
                low=means - NINETY * std,
                high=means + NINETY * std,
                rejected_by=[rejections[i].rival if i in rejections else None for i in range(means.size)],
                undecided=[],
                densities=[gaussian_density(float(means[i]), float(std[i]), n_points=DENSITY_POINTS) for i in drawn],
                bands=[],
            )
        )
    return runs


def _bands(result: Comparison, c: float, drawn: Sequence[int]) -> list[FloatArray]:
    """Where nine in ten sampled paths of law "beta" run, on a coarse grid of Φ."""
    if result.law != "beta":
        return []
    bands = []
    for index in drawn:
        # The upper levels of the tree are the same whatever its depth; only these are drawn here.
        process = HierarchicalBetaProcess.from_losses(result.losses[result.names[index]], c, PATH_DEPTH)
        _, paths = process.sample_paths(PATHS, depth=PATH_DEPTH, rng=0)
        bands.append(np.quantile(paths, [0.05, 0.95], axis=0) - result.reference)
    return bands
