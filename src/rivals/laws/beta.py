"""Law "beta": the hierarchical beta process of the original paper.

Assumption. The quantile function of a replication strays from q* by δ = |q~ − q*|, independently
in each interval that is halved: q^(0) and q^(1) are normal with variance c δ², and each midpoint
divides the rise of its interval by x ~ Beta(α, β).

Formula. ψ(α) − ψ(β) = ln r and ψ₁(α) + ψ₁(β) = 2 c δ², with r the ratio of both rises of q*. Mean
and variance of R = ∫ q^ follow bottom-up, exactly; probabilities come from draws. `docs/theory.md`
has the derivations. With one simulation this is the paper's process, bit for bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import log, sqrt
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from rivals._random import PROCESS_END_POINTS, PROCESS_NODES, entropy_from, stream
from rivals._say.arguments import check_depth, check_positive, check_size
from rivals._types import RNG, BoolArray, FloatArray, IntArray
from rivals.core import tree
from rivals.core.density import density_of_draws
from rivals.core.end_points import EndPoints
from rivals.core.quantiles import QuantileFunction, grid
from rivals.core.scales import root_mean_square
from rivals.core.verdict import (
    binned_probabilities,
    binned_probability,
    decide,
    exceedance_matrix,
    probability_matrix,
    probability_row,
)
from rivals.laws.base import Applied, Centre, Correct, Law, Measured
from rivals.laws.differences import Sampled
from rivals.laws.draws import N_DRAWS, Draws, draw_seed
from rivals.laws.setting import Setting
from rivals.losses import Losses, with_simulations
from rivals.method.rule import Duel

# "As deep as the data resolve" is 2^depth ≈ L. The paper's 8 levels are the least, for very small
# samples; beyond 16 levels nothing moves any more, because leaves keep the shape of the centre
# (docs/theory.md has the measurement).
MIN_DEPTH = 8
MAX_DEPTH = tree.MAX_LEVELS
# Nodes whose parameters at several c are held at a time.
TOGETHER = 2**17

MAX_DRAWS = 2**18
# In an experiment of a calibration: a standard error of the probability of at most 0.011.
CALIBRATION_DRAWS = 2**11
# Where a picture is enough: an error of at most 0.008.
QUICK_DRAWS = 4000
# With more models than this, quick probabilities are counted in bins.
PAIR_BY_PAIR = 8

# Verdicts of single simulations, which say how stable a verdict is, have this many draws of each
# risk, and levels (`benchmarks/stability.py` measures what that costs).
STABILITY_DRAWS = 1000
STABILITY_DEPTH = 6
# Where they are counted in bins, in so many: finer than the error of their draws.
STABILITY_BINS = 2**11

# Draws beyond the first of each model, of all models together: a gigabyte. Duels that would need
# more stay undecided.
MOST_MORE_DRAWS = 2**27

HEAVY_TIES = 0.5
UNEQUAL_SIZES = 2.0


# ---------------------------------------------------------------- the law of one model


class HierarchicalBetaProcess:
    """A stochastic process on quantile functions around the observed one, and its distribution of
    the risk.

    The parameters of all nodes are solved once; mean and standard deviation of the risk are then
    exact, without sampling, and draws of the risk cost a microsecond or two each.

    Parameters
    ----------
    observed : QuantileFunction
        q*.
    synthetic : QuantileFunction, or several
        q~ of each simulation. The discrepancy is δ = |q~ − q*|; of several simulations δ² is the
        mean.
    c : float
        Sensitivity of the process to the discrepancy.
    depth : int, optional
        Number of times that intervals are halved. By default as deep as the data resolve (2^depth
        ≈ number of losses), where the last pieces keep the shape of q*; with a number given, as
        with the paper's 8, pieces are straight and the risk is the trapezoid sum.
    tolerance : float
        `sample_risk` draws as many nodes as needed for the distribution function of the risk to be
        right to about this much (in probability); the other nodes enter by their exact conditional
        mean and variance.
    reference : float
        What was subtracted from the losses before, and is added to what comes out.

    See Also
    --------
    TransportLaw : the default law of the risk.
    rivals.plots.plot_process : draws paths of a process.
    compare : uses these laws for all models.

    Examples
    --------
    >>> import numpy as np
    >>> from rivals import HierarchicalBetaProcess, Losses
    >>> rng = np.random.default_rng(0)
    >>> losses = Losses(rng.exponential(size=4000), rng.exponential(size=4000))
    >>> process = HierarchicalBetaProcess.from_losses(losses, c=0.5)
    >>> print(f"{process.risk_mean:.3f} ± {process.risk_std:.3f}")
    1.023 ± 0.085
    >>> process.sample_risk(1000, rng=0).mean().round(2)
    np.float64(1.02)
    """

    def __init__(
        self,
        observed: QuantileFunction,
        synthetic: QuantileFunction | Sequence[QuantileFunction],
        *,
        c: float,
        depth: int | None = None,
        tolerance: float = 5e-4,
        reference: float = 0.0,
    ) -> None:
        simulations = (synthetic,) if isinstance(synthetic, QuantileFunction) else tuple(synthetic)
        levels = resolved_depth(observed.size) if depth is None else check_depth(depth)
        self.observed = observed
        self.synthetic = simulations
        self.depth = levels
        self.tolerance = check_positive(tolerance, "tolerance")
        self.reference = reference
        self._straight = depth is not None
        self._geometry = tree.Geometry.of(observed, simulations, levels, straight=self._straight)
        self.c = check_positive(c, "c")
        self._trees = self._geometry.at_each([self.c], self.tolerance)
        self._place = 0  # among the trees

    @classmethod
    def from_losses(
        cls,
        losses: Losses | tuple[Any, Any],
        c: float,
        depth: int | None = None,
        *,
        tolerance: float = 5e-4,
        reference: float | None = None,
    ) -> HierarchicalBetaProcess:
        """The process of one candidate, given by its `Losses` or a pair (observed, synthetic).

        The `reference` is subtracted before anything is computed; by default a typical loss of
        this candidate.
        """
        losses = with_simulations(losses)
        reference = losses.reference if reference is None else reference
        observed, *simulations = (
            QuantileFunction(sample - reference)
            for sample in (losses.observed, *losses.simulations)
        )
        return cls(
            observed, simulations, c=c, depth=depth, tolerance=tolerance, reference=reference
        )

    def at(self, c: float) -> HierarchicalBetaProcess:
        """The same process at another c. All that does not depend on c is kept."""
        return self.at_each([c])[0]

    def at_each(self, values: Sequence[float]) -> list[HierarchicalBetaProcess]:
        """The same process at several c, to the last bit as by `at`.

        The nodes of all are solved at once, which is faster.
        """
        checked = [check_positive(c, "c") for c in values]
        trees = self._geometry.at_each(checked, self.tolerance)
        return [self._with(c, trees, place) for place, c in enumerate(checked)]

    def _with(self, c: float, trees: tree.Trees, place: int) -> HierarchicalBetaProcess:
        """The same process at another c, whose tree stands at this place."""
        other = object.__new__(HierarchicalBetaProcess)
        other.observed = self.observed
        other.synthetic = self.synthetic
        other.depth = self.depth
        other.tolerance = self.tolerance
        other.reference = self.reference
        other._straight = self._straight
        other._geometry = self._geometry
        other.c = c
        other._trees = trees
        other._place = place
        return other

    @property
    def _tree(self) -> tree.Tree:
        return self._trees.each[self._place]

    @property
    def _ends(self) -> EndPoints:
        return self._trees.ends[self._place]

    @property
    def alpha(self) -> FloatArray:
        """α of every node, level by level."""
        return self._tree.alpha

    @property
    def beta(self) -> FloatArray:
        """β of every node."""
        return self._tree.beta

    def discrepancy(self, phi: npt.ArrayLike) -> FloatArray:
        """δ(Φ), the root of the mean over simulations of (q~ − q*)²."""
        centre = self.observed(phi)
        return root_mean_square([simulated(phi) - centre for simulated in self.synthetic])

    # ---------------------------------------------------------------- exact moments

    @cached_property
    def _moments(self) -> tuple[float, float, float]:
        """E[R] less the reference.

        Var[R] due to the end points and to what lies between, in units of scale².
        """
        mean, variance = self._tree.height_moments
        return self._ends.risk_moments(float(mean[0]), float(variance[0]))

    @property
    def risk_mean(self) -> float:
        """E[R], exact."""
        return self.reference + self._moments[0]

    @property
    def risk_std(self) -> float:
        """Standard deviation of R, exact."""
        return self._ends.scale * sqrt(sum(self._moments[1:]))

    @property
    def end_point_share(self) -> float:
        """The fraction of Var[R] due to the end points q^(0) and q^(1), that is, to the extreme
        losses.
        """
        _, ends, interior = self._moments
        return ends / (ends + interior) if ends + interior > 0 else 0.0

    # ---------------------------------------------------------------- sampling

    def sample_risk(self, n_draws: int, rng: RNG = None) -> FloatArray:
        """Independent draws of the risk R = ∫ q^.

        Parameters
        ----------
        n_draws : int
            How many.
        rng : int, SeedSequence, Generator or None
            Source of randomness.
        """
        return self.reference + self.sample_excess_risk(n_draws, rng)

    def sample_excess_risk(self, n_draws: int, rng: RNG = None) -> FloatArray:
        """Draws of R − reference: what to compare when losses have a large common offset."""
        return self.sampler.sample(n_draws, rng)

    @cached_property
    def sampler(self) -> RiskSampler:
        """What draws of the risk are made with: little beside the whole tree."""
        return RiskSampler(self._ends, self._tree.heights(self.drawn_nodes))

    @property
    def drawn_nodes(self) -> IntArray:
        """The nodes that `sample_risk` draws, bottom first.

        The fewest for which the error stays below the tolerance.
        """
        if not self.risk_std > 0.0:
            return np.empty(0, dtype=np.intp)
        return self._trees.drawn[self._place]

    def singles(self, max_depth: int) -> list[Single]:
        """The same for each simulation alone, from a tree of at most `max_depth` levels."""
        levels = self.depth if self._straight else min(self.depth, max_depth)
        geometry = tree.Geometry.of(
            self.observed, self.synthetic, levels, straight=self._straight, each=True
        )
        (mean, *means), (std, *stds), (_, *ends) = geometry.each_at(self.c)
        return [
            Single(end, m - mean, s / std if std > 0 else 1.0)
            for end, m, s in zip(ends, means, stds, strict=True)
        ]

    def sample_paths(
        self, n_paths: int, depth: int = 8, rng: RNG = None
    ) -> tuple[FloatArray, FloatArray]:
        """Whole realisations q^, for pictures and checks.

        Parameters
        ----------
        n_paths : int
            How many.
        depth : int
            Number of refinements. With the same `rng`, a deeper path passes through the points of
            a coarser one.
        rng : int, SeedSequence, Generator or None
            Source of randomness.

        Returns
        -------
        phi : array, shape (2**depth + 1,)
        paths : array, shape (n_paths, 2**depth + 1)
            Never decreasing along the second axis.
        """
        n_paths = check_size(n_paths, "n_paths")
        depth = check_depth(depth)
        nodes = self._tree
        if depth > self.depth:
            deeper = tree.Geometry.of(self.observed, self.synthetic, depth, straight=True)
            nodes = deeper.at_each([self.c], self.tolerance).each[0]
        entropy = entropy_from(rng)
        end_stream = stream(entropy, PROCESS_END_POINTS)
        first, rise = self._ends.at(end_stream.random(n_paths), end_stream.standard_normal(n_paths))
        node_stream = stream(entropy, PROCESS_NODES)
        paths = np.empty((n_paths, 2**depth + 1))
        paths[:, 0] = first
        paths[:, -1] = first + rise
        for k in range(depth):
            step = 2 ** (depth - k)
            here = tree.level(k)
            left = paths[:, :-1:step]
            right = paths[:, step::step]
            x = node_stream.beta(nodes.alpha[here], nodes.beta[here], size=(n_paths, 2**k))
            # Rounding must not carry a point past its right neighbour.
            paths[:, step // 2 :: step] = np.minimum(left + x * (right - left), right)
        return grid(depth), self.reference + self._ends.scale * paths

    def __repr__(self) -> str:
        return (
            f"HierarchicalBetaProcess(c={self.c:g}, depth={self.depth}, R = {self.risk_mean:.5g} "
            f"± {self.risk_std:.2g}, "
            f"end points' share of Var[R] {self.end_point_share:.0%})"
        )


def processes_at_each(
    processes: Sequence[HierarchicalBetaProcess], values: Sequence[float]
) -> Iterator[list[HierarchicalBetaProcess]]:
    """All processes at each c, one list for each.

    So many c are solved at a time that their trees are few megabytes.
    """
    together = max(1, TOGETHER // max(sum(2**process.depth for process in processes), 1))
    for begin in range(0, len(values), together):
        columns = _at_each_of(processes, values[begin : begin + together])
        yield from map(list, zip(*columns, strict=True))


def _at_each_of(
    processes: Sequence[HierarchicalBetaProcess], values: Sequence[float]
) -> list[list[HierarchicalBetaProcess]]:
    """Each process at each c; the nodes of all are solved at once if they are few, in trees of one
    depth.
    """
    kinds = {(process.depth, process.tolerance) for process in processes}
    n_nodes = len(values) * sum(2**process.depth for process in processes)
    if len(kinds) > 1 or n_nodes > TOGETHER:
        return [process.at_each(values) for process in processes]
    checked = [check_positive(c, "c") for c in values]
    geometries = [process._geometry for process in processes]
    trees = tree.Trees.of(geometries, checked, processes[0].tolerance)
    columns = []
    for number, process in enumerate(processes):
        first = number * len(checked)
        columns.append([process._with(c, trees, first + i) for i, c in enumerate(checked)])
    return columns


@dataclass(frozen=True, eq=False)
class RiskSampler:
    """The law of R − reference, ready to be drawn from."""

    ends: EndPoints
    heights: tree.Heights

    def sample(self, n_draws: int, rng: RNG = None) -> FloatArray:
        """Independent draws."""
        uniform, normal, heights = self._numbers(check_size(n_draws, "n_draws"), rng)
        first, rise = self.ends.at(uniform, normal)
        return self.ends.scale * (first + rise * heights)

    def sample_each(
        self, singles: Sequence[Single], n_draws: int, rng: RNG
    ) -> Iterator[FloatArray]:
        """Draws for each simulation alone, in step.

        Heights W have the shape of their law for all, moved and stretched.
        """
        uniform, normal, heights = self._numbers(n_draws, rng)
        centre = self.heights.mean
        for single in singles:
            first, rise = single.ends.at(uniform, normal)
            yield single.ends.scale * (
                first + rise * (centre + single.shift + single.ratio * (heights - centre))
            )

    def _numbers(self, n_draws: int, rng: RNG) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Random numbers for the end points, and draws of W."""
        entropy = entropy_from(rng)
        uniform, normal, remainder = _numbers_of_ends(entropy, n_draws)
        nodes = stream(entropy, PROCESS_NODES)
        return uniform, normal, self.heights.sample(remainder, nodes)


@lru_cache(maxsize=2)  # an experiment draws the two models that it judges in turn, at each c
def _numbers_of_ends(entropy: int, n_draws: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Random numbers that do not depend on c: of the end points, and of what is not drawn."""
    ends = stream(entropy, PROCESS_END_POINTS)
    uniform = ends.random(n_draws)
    normal = ends.standard_normal(n_draws)
    remainder = ends.standard_normal(n_draws)
    for numbers in (uniform, normal, remainder):
        numbers.flags.writeable = False
    return uniform, normal, remainder


class Single(NamedTuple):
    """The law of R under one simulation alone, as it differs from that under all."""

    ends: EndPoints
    shift: float  # of the mean of W
    ratio: float  # of the standard deviations of W


def resolved_depth(n_losses: int) -> int:
    """As deep as the data resolve."""
    return min(max(round(log(n_losses, 2)), MIN_DEPTH), MAX_DEPTH)


# ---------------------------------------------------------------- the law of all models


@dataclass(frozen=True)
class Beta(Law):
    """Law "beta": the hierarchical beta process of the original paper.

    Parameters
    ----------
    depth : int, optional
        Number of times that intervals are halved; by default as deep as the data resolve. The
        paper has 8.
    n_draws : int, optional
        Draws of the risk of each model; 12 000 by default, 2 048 in an experiment of a
        calibration.
    max_draws : int
        More are drawn, up to this number, if a probability lies within two standard errors of the
        threshold. Pairs that remain too close to call are listed in the result.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> law = rivals.laws.Beta(depth=8, n_draws=2**14)
    >>> rivals.compare(toys.losses(), law=law, c=1.0, rng=0).survivors
    ('A',)
    """

    depth: int | None = None
    n_draws: int | None = None
    max_draws: int = MAX_DRAWS

    name: ClassVar[str] = "beta"
    # The original paper's first choice: it abstains.
    default_c: ClassVar[float] = 1.0
    measured: ClassVar = {True: {("next", 1): Measured(5.74, 3.67, 3.77)}}
    grid: ClassVar[tuple[float, ...]] = (2.0**-6, 2.0**-4, 2.0**-2, 1.0, 4.0)
    closed_form: ClassVar[bool] = False
    of_this_paper: ClassVar[bool] = True
    about: ClassVar[str] = (
        "No c suits every problem. It is specific to a loss, its unit and the number of points. "
        "Probabilities at a c that was chosen "
        "by hand are not calibrated. Use groups where the data have them, or rivals.calibrate, to "
        "find c and a curve from simulated "
        "experiments with fresh replications."
    )
    method: ClassVar[str] = (
        "The risk of a model, its mean loss in a replication, was drawn from a hierarchical beta "
        "process on quantile functions of the "
        "loss (René and Longtin, 2025)."
    )
    method_of_c: ClassVar[str] = (
        "Its variance grows with c δ², with δ the distance between the quantile functions of the "
        "losses on the data and on data that the "
        "model simulated itself (law beta)."
    )
    about_c: ClassVar[str] = (
        "Under law “beta” a larger c also moves the risk of models that fit badly, so verdicts "
        "need not become more cautious. At values "
        f"of c other than the run’s, probabilities come from at most {QUICK_DRAWS} draws of each "
        "risk: verdicts near the threshold are "
        "then marked as undecided."
    )

    def __post_init__(self) -> None:
        if self.depth is not None:
            object.__setattr__(self, "depth", check_depth(self.depth))
        if self.n_draws is not None:
            object.__setattr__(self, "n_draws", check_size(self.n_draws, "n_draws", least=2))
        object.__setattr__(self, "max_draws", check_size(self.max_draws, "max_draws"))

    def apply(
        self, losses: Sequence[Losses], setting: Setting, summaries: Sequence[Any] | None = None
    ) -> BetaRisks:
        return BetaRisks(self, losses, setting, summaries)

    def in_experiments(self) -> Beta:
        return self if self.n_draws is not None else replace(self, n_draws=CALIBRATION_DRAWS)

    def summary(self, losses: Losses, setting: Setting) -> BetaRisk:
        """The law of the risk, ready to be drawn from."""
        return BetaRisk.of(
            _process(losses, setting.c, self.depth, losses.reference),
            several=losses.n_simulations > 1,
        )

    def doubts(self, losses: Losses) -> list[tuple[str, str]]:
        doubts = super().doubts(losses)
        tied = tied_fraction(losses.observed)
        if tied > HEAVY_TIES:
            ties = (
                f"{tied:.0%} of its losses are tied: there the process has no spread and says too "
                "little about replications; use law 'transport', or Losses.spread_ties(), or a "
                "continuous score"
            )
            doubts.append(("ties", ties))
        ratio = losses.n_synthetic / losses.n_observed
        if losses.n_simulations and not 1 / UNEQUAL_SIZES <= ratio <= UNEQUAL_SIZES:
            sizes = (
                f"{losses.n_synthetic} synthetic but {losses.n_observed} observed losses: the "
                "extremes differ even for a perfect model, which widens its risk; simulate as many "
                "points as were observed"
            )
            doubts.append(("unequal_sizes", sizes))
        return doubts


def tied_fraction(losses: FloatArray) -> float:
    """Fraction of the losses in large ties: values that more than one in a hundred of them share.

    There q* is flat and the process has no spread. Small ties, such as those from rounding, do no
    harm.
    """
    counts = np.unique(losses, return_counts=True)[1]
    return float(np.sum(counts[(counts > 1) & (counts > 0.01 * losses.size)]) / losses.size)


@dataclass(frozen=True, eq=False)
class BetaRisk:
    """The law of the risk of one model, and under each of its simulations alone.

    Little beside the process.
    """

    reference: float
    mean: float
    std: float
    sampler: RiskSampler
    singles: list[Single]

    @classmethod
    def of(cls, process: HierarchicalBetaProcess, *, several: bool) -> BetaRisk:
        singles = process.singles(STABILITY_DEPTH) if several else []
        return cls(process.reference, process.risk_mean, process.risk_std, process.sampler, singles)


class BetaRisks(Applied):
    """The process of each model: draws, more of them where the threshold is close."""

    law: Beta

    def __init__(
        self,
        law: Beta,
        losses: Sequence[Losses],
        setting: Setting,
        summaries: Sequence[BetaRisk] | None = None,
        *,
        centre: Centre | None = None,
        risks: Sequence[BetaRisk] | None = None,
        processes: Sequence[HierarchicalBetaProcess] | None = None,
        in_bins: bool = False,
    ) -> None:
        super().__init__(law, losses, setting, summaries, centre=centre)
        self._given = risks if risks is not None else summaries
        self._given_processes = processes
        self._in_bins = in_bins

    def changed(self, **changes: Any) -> BetaRisks:
        setting = replace(self.setting, **changes)
        if setting.c != self.setting.c:
            return self._with(setting, [process.at(setting.c) for process in self._processes])
        return BetaRisks(
            self.law,
            self.losses,
            setting,
            self.summaries,
            centre=self.centre,
            risks=self._risks,
            in_bins=self._in_bins,
        )

    @property
    def knows_other_c(self) -> bool:
        return self.losses[0].n_simulations > 0

    def at_each(self, values: Sequence[float]) -> Iterator[BetaRisks]:
        pairs = zip(values, processes_at_each(self._processes, values), strict=True)
        return (self._with(replace(self.setting, c=c), processes) for c, processes in pairs)

    def _with(self, setting: Setting, processes: Sequence[HierarchicalBetaProcess]) -> BetaRisks:
        """At another c. Trees are kept for pictures alone: samplers are little beside them."""
        several = setting.n_simulations > 1 and not setting.in_experiment
        return BetaRisks(
            self.law,
            self.losses,
            setting,
            centre=self.centre,
            risks=[BetaRisk.of(process, several=several) for process in processes],
            processes=processes if self._in_bins else None,
            in_bins=self._in_bins,
        )

    def quick(self) -> BetaRisks:
        n_draws = min(self._n_draws, QUICK_DRAWS)
        law = replace(self.law, n_draws=n_draws, max_draws=n_draws)
        return BetaRisks(
            law,
            self.losses,
            self.setting,
            self.summaries,
            centre=self.centre,
            in_bins=True,
        )

    @cached_property
    def _processes(self) -> list[HierarchicalBetaProcess]:
        """With all that does not depend on c: for other values of it, and for paths."""
        if self._given_processes is not None:
            return list(self._given_processes)
        if not self.knows_other_c:
            raise ValueError(
                "the simulated losses of this comparison were not kept, and law 'beta' needs them "
                "at another c; compare with keep_simulations=True"
            )
        return [
            _process(each, self.setting.c, self.law.depth, self.reference) for each in self.losses
        ]

    @cached_property
    def _risks(self) -> list[BetaRisk]:
        if self._given is not None:
            return list(self._given)
        # One at a time: the trees of all models at once would take too much memory.
        risks = []
        for each in self.losses:
            process = _process(each, self.setting.c, self.law.depth, self.reference)
            risks.append(BetaRisk.of(process, several=each.n_simulations > 1))
        return risks

    # ---------------------------------------------------------------- each risk

    @cached_property
    def risk_mean(self) -> FloatArray:
        return np.array([risk.mean for risk in self._risks])

    @cached_property
    def risk_std(self) -> FloatArray:
        return np.array([risk.std for risk in self._risks])

    @property
    def _n_draws(self) -> int:
        return N_DRAWS if self.law.n_draws is None else self.law.n_draws

    @cached_property
    def _shifts(self) -> FloatArray:
        """From the reference of each model to the common one.

        Zero unless simulations are not kept.
        """
        return np.array([risk.reference - self.reference for risk in self._risks])

    @cached_property
    def _decision(self) -> _Decision:
        """The verdict, and the draws that it took.

        More where a pair was close to the threshold.
        """
        setting = self.setting
        samplers = [risk.sampler for risk in self._risks]
        blocks = [(self._n_draws,)] * len(samplers)
        growing = _Growing(
            Draws(samplers, self._shifts, setting.entropy, setting.key, blocks), self.law.max_draws
        )
        if setting.in_experiment or not setting.more_draws:
            return _Decision(growing.draws, growing.ordered, {}, [])
        rejections, undecided = decide(
            self.empirical, growing.ordered, setting.threshold, growing.more, setting.margin
        )
        return _Decision(growing.draws, growing.ordered, rejections, undecided)

    @property
    def draws(self) -> Draws:
        return self._decision.draws

    @property
    def _sorted(self) -> list[FloatArray]:
        return self._decision.ordered

    def _interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        tails = [0.5 - 0.5 * level, 0.5 + 0.5 * level]
        low, high = np.array([np.quantile(draws, tails) for draws in self._sorted]).T
        return low, high

    def density(self, index: int, n_points: int) -> tuple[FloatArray, FloatArray]:
        return density_of_draws(self.draws[index], n_points=n_points)

    def process(self, index: int) -> HierarchicalBetaProcess | None:
        return self._processes[index] if self.losses[index].n_simulations else None

    # ---------------------------------------------------------------- every pair, and the verdict

    def matrix(self) -> tuple[FloatArray, FloatArray]:
        return self._matrix

    @cached_property
    def _matrix(self) -> tuple[FloatArray, FloatArray]:
        if self._in_bins and len(self._sorted) > PAIR_BY_PAIR:
            return binned_probabilities(self._sorted)
        return probability_matrix(self._sorted)

    def better_best(self) -> FloatArray:
        if self._in_bins:
            return super().better_best()
        return probability_row(self._sorted, self.best)

    def exceedance(self) -> tuple[FloatArray, FloatArray]:
        if self.setting.margin == 0.0:
            return self.matrix()
        return exceedance_matrix(self._sorted, self.setting.margin)

    def differences(self, first: IntArray, second: IntArray) -> Sampled:
        draws = self._sorted
        return Sampled([draws[a] for a in first], [draws[b] for b in second])

    def decide(self) -> tuple[dict[int, Duel], list[Duel]]:
        return self._decision.rejections, self._decision.undecided

    def rejected_by_simulation(self, correct: Correct | None) -> BoolArray:
        if correct is not None:
            return super().rejected_by_simulation(correct)
        n_models = self.empirical.size
        rows = []
        for draws in self._single_draws():
            found, _ = decide(
                self.empirical, draws, self.setting.threshold, _no_more, self.setting.margin
            )
            rows.append([model in found for model in range(n_models)])
        return np.array(rows, dtype=bool)

    def single_matrices(self) -> Iterator[FloatArray]:
        margin = self.setting.margin
        for draws in self._single_draws():
            if margin:
                yield exceedance_matrix(draws, margin)[0]
            elif self._in_bins and len(draws) > PAIR_BY_PAIR:
                yield binned_probability(draws, STABILITY_BINS)
            else:
                yield probability_matrix(draws)[0]

    def _single_draws(self) -> Iterator[list[FloatArray]]:
        entropy = self.setting.entropy
        key = self.setting.key
        draws = [
            risk.sampler.sample_each(risk.singles, STABILITY_DRAWS, draw_seed(entropy, key, model))
            for model, risk in enumerate(self._risks)
        ]
        for of_models in zip(*draws, strict=True):
            pairs = zip(of_models, self._shifts, strict=True)
            yield [np.sort(each + shift) for each, shift in pairs]


@dataclass(frozen=True, eq=False)
class _Decision:
    """A verdict, and the draws that it rests on."""

    draws: Draws
    ordered: list[FloatArray]  # the draws of each model, sorted
    rejections: dict[int, Duel]
    undecided: list[Duel]


class _Growing:
    """Sorted draws of all models, to which a verdict adds while it is made."""

    def __init__(self, draws: Draws, max_draws: int) -> None:
        self.draws = draws
        self.ordered = [np.sort(each) for each in draws]
        self._first = [each.size for each in self.ordered]
        self._max_draws = max_draws

    def more(self, index: int) -> bool:
        """Double the draws of one model.

        False where that would be more than `max_draws`, or more than memory is for.
        """
        size = self.ordered[index].size
        n_more = min(size, self._max_draws - size)
        grown = sum(each.size for each in self.ordered) - sum(self._first)
        if n_more < 1 or grown > MOST_MORE_DRAWS:
            return False
        self.draws = self.draws.with_block(index, n_more)
        block = self.draws.block(index, len(self.draws.blocks[index]) - 1)
        self.ordered[index] = np.sort(np.concatenate([self.ordered[index], block]))
        return True


def _no_more(index: int) -> bool:
    """Single simulations say how stable a verdict is: their draws are enough for that."""
    return False


def _process(
    losses: Losses, c: float, depth: int | None, reference: float
) -> HierarchicalBetaProcess:
    return HierarchicalBetaProcess.from_losses(losses, c, depth, reference=reference)
