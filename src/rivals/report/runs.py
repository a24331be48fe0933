"""What the page computes its verdicts and curves from: the numbers of a comparison at each c that it offers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.special import ndtri

from rivals._random import COMPARISON_DRAWS
from rivals._types import FloatArray
from rivals.comparison import Comparison
from rivals.core.process import HierarchicalBetaProcess
from rivals.core.sampling_error import mean_covariance
from rivals.core.transport import transport_probability
from rivals.core.verdict import probability_matrix, reject
from rivals.plots import density_of, risk_density
from rivals.plots.risk_densities import gaussian_density

Density: TypeAlias = "tuple[FloatArray, FloatArray]"
Progress: TypeAlias = "Callable[[int, int], None]"

DENSITY_POINTS = 128
PATHS, PATH_DEPTH = 200, 5
# Under law "beta" at values of c other than the run's own: enough for an error of at most 0.008, and the page tells it.
DRAWS_AT_OTHER_C = 4000
FEW_MODELS = 32
# With more models than this their pairs are counted on a grid of this many bins.
PAIR_BY_PAIR = 8
BINS = 2**13
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
    rejected_by: list[int | None] | None  # None where the page applies the rule itself
    undecided: list[int]
    densities: list[Density]  # of the models that are drawn
    bands: list[FloatArray]  # likewise, under law "beta": where nine in ten sampled paths run


def adjustable(result: Comparison) -> bool:
    """Whether the page can offer other values of c: law "groups" has none, a calibration holds at its own."""
    known = result.law == "transport" or (result.law == "beta" and result.keeps_simulations)
    return known and result.calibrated is None


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
    processes = _processes(result) if result.law == "beta" and result.keeps_simulations else []
    runs = [_run(result, drawn, processes)]
    later = _transport_runs(result, others, drawn) if not processes else _beta_runs(result, processes, others, drawn)
    for run in later:
        if progress is not None:
            progress(len(runs), 1 + len(others))
        runs.append(run)
    return sorted(runs, key=lambda run: run.c)


def _run(result: Comparison, drawn: Sequence[int], processes: Sequence[HierarchicalBetaProcess]) -> Run:
    names = result.names
    low, high = _ends(result)
    probability, standard_error = _own_matrices(result)
    rejections = [result.rejections.get(name) for name in names]
    return Run(
        c=result.c,
        probability=probability,
        standard_error=standard_error,
        low=low,
        high=high,
        rejected_by=[None if rejection is None else names.index(rejection.by) for rejection in rejections],
        undecided=sorted({names.index(duel.model) for duel in result.undecided}),
        densities=[density_of(result, names[index], n_points=DENSITY_POINTS, relative=True) for index in drawn],
        bands=_bands(processes, drawn),
    )


def _ends(result: Comparison) -> tuple[FloatArray, FloatArray]:
    """Ends of the central 90 % of each risk, less the reference."""
    if result.law == "beta":
        low, high = np.array([np.quantile(draws, [0.05, 0.95]) for draws in result.excess_risks]).T
        return low, high
    mean = np.array([result.risk_mean[name] for name in result.names]) - result.reference
    reach = NINETY * np.array([result.risk_std[name] for name in result.names])
    return mean - reach, mean + reach


def _own_matrices(result: Comparison) -> tuple[FloatArray, FloatArray]:
    if (
        result.judged.probability is None and len(result.names) > FEW_MODELS
    ):  # of few, the numbers that the result tells
        return binned_probabilities(result.excess_risks)
    return result.probability, result.standard_error


def _processes(result: Comparison) -> list[HierarchicalBetaProcess]:
    """Those of law "beta", as the comparison made them."""
    return [
        HierarchicalBetaProcess.from_losses(
            losses.spread_ties() if result.settings.ties == "spread" else losses,
            result.c,
            result.depth,
            reference=result.reference,
        )
        for losses in result.losses.values()
    ]


def _beta_runs(
    result: Comparison, processes: Sequence[HierarchicalBetaProcess], c: Sequence[float], drawn: Sequence[int]
) -> Iterator[Run]:
    """As `Comparison.sweep`, but from fewer draws, and without more of them where the threshold is close."""
    n_draws = min(result.n_draws, DRAWS_AT_OTHER_C)
    for value in c:
        here = [process.at(value) for process in processes]
        draws = []
        for index, process in enumerate(here):
            seed = np.random.SeedSequence(result.entropy, spawn_key=(COMPARISON_DRAWS, index, 0))
            draws.append(np.sort(process.sample_excess_risk(n_draws, seed)))
        pairs = probability_matrix if len(draws) <= PAIR_BY_PAIR else binned_probabilities
        probability, standard_error = pairs(draws)
        low, high = np.array([np.quantile(sample, [0.05, 0.95]) for sample in draws]).T
        yield Run(
            c=value,
            probability=probability,
            standard_error=standard_error,
            low=low,
            high=high,
            rejected_by=None,
            undecided=[],
            densities=[risk_density(draws[i], n_points=DENSITY_POINTS) for i in drawn],
            bands=_bands(here, drawn),
        )


def binned_probabilities(draws: Sequence[FloatArray]) -> tuple[FloatArray, FloatArray]:
    """[a, b] = P(R_a < R_b) of every pair and its standard error, from counts in common bins: quick for many models.

    Draws that fall into the same bin count half. What this may add, if the order within each bin were a coin's, is part of
    the error.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> probability, error = binned_probabilities([rng.normal(place, 1.0, 4000) for place in (0.0, 0.0, 1.0)])
    >>> probability.round(1).tolist()
    [[0.5, 0.5, 0.8], [0.5, 0.5, 0.8], [0.2, 0.2, 0.5]]
    """
    sizes = np.array([sample.size for sample in draws], dtype=np.float64)
    # Every sample sets equally many edges, so that none of them falls into a few bins.
    each = max(BINS // len(draws), 64)
    ordered = [np.sort(sample) for sample in draws]
    edges = np.unique(
        np.concatenate([sample[np.linspace(0, sample.size - 1, each).astype(np.intp)] for sample in ordered])
    )
    below = np.stack([np.searchsorted(sample, edges) for sample in ordered]) / sizes[:, None]
    below = np.hstack([below, np.ones((len(draws), 1))])
    mass, middle = np.diff(below, axis=1), 0.5 * (below[:, 1:] + below[:, :-1])
    upper = np.triu(middle @ mass.T, k=1)
    probability = upper + np.tril(1.0 - upper.T, k=-1) + 0.5 * np.eye(len(draws))
    placements = middle**2 @ mass.T - probability**2  # variance of the part of a below a draw of b
    variance = placements / sizes[None, :] + placements.T / sizes[:, None] + 0.25 * mass**2 @ (mass**2).T
    error = np.maximum(np.sqrt(np.maximum(variance, 0.0)), 0.5 / np.minimum(sizes[:, None], sizes[None, :]))
    return probability, error - np.diag(np.diagonal(error))


def _transport_runs(result: Comparison, c: Sequence[float], drawn: Sequence[int]) -> Iterator[Run]:
    """Closed form: distances and sampling errors are the same at each c, so that they are not computed again."""
    means = result.excess_empirical_risk
    squares = np.array([result.distance[name] for name in result.names]) ** 2
    excess = np.stack([sample.observed for sample in result.losses.values()]) - result.reference
    covariance = mean_covariance(excess, order=result.settings.order, groups=result.settings.groups)
    for value in c:
        probability = transport_probability(means, squares, covariance, value)
        rejections = reject(means, probability, result.threshold)
        std = np.sqrt(value * squares + np.diagonal(covariance))
        yield Run(
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


def _bands(processes: Sequence[HierarchicalBetaProcess], drawn: Sequence[int]) -> list[FloatArray]:
    """Where nine in ten sampled paths of law "beta" run, on a coarse grid of Φ; none under other laws."""
    if not processes:
        return []
    bands = []
    for index in drawn:
        _, paths = processes[index].sample_paths(PATHS, depth=PATH_DEPTH, rng=0)
        bands.append(np.quantile(paths, [0.05, 0.95], axis=0) - processes[index].reference)
    return bands
