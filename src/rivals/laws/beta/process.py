"""The hierarchical beta process of the original paper: the law of the risk of one model.

q^(0) and q^(1) are normal with variance c δ², and each midpoint divides the rise of its interval by
x ~ Beta(α, β), with ψ(α) − ψ(β) = ln r and ψ₁(α) + ψ₁(β) = 2 c δ², r the ratio of both rises of q*.
Mean and variance of R = ∫ q^ follow bottom-up, exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from rivals._core.checks import check_depth, check_positive, check_size
from rivals._core.losses import Losses
from rivals._core.seeds import PROCESS_END_POINTS, PROCESS_NODES, entropy_from, stream
from rivals._core.types import RNG, FloatArray, IntArray
from rivals.laws.beta import tree
from rivals.laws.beta.end_points import DrawnEndPoints, EndPoints
from rivals.laws.beta.squares import root_mean_square
from rivals.method.quantiles import QuantileFunction, grid

# "As deep as the data resolve" is 2^depth ≈ L. The paper's 8 levels are the least, for very small
# samples; beyond 16 levels nothing moves any more, because leaves keep the shape of the centre
# (docs/theory.md has the measurement).
MIN_DEPTH = 8
MAX_DEPTH = tree.MAX_LEVELS
# Nodes whose parameters at several c are held at a time.
TOGETHER = 2**17


class HierarchicalBetaProcess:
    """A stochastic process on quantile functions.

    Its realisations lie around the observed quantile function; their integral is the risk.

    The parameters of all nodes are solved once; mean and standard deviation of the risk are then
    exact, without sampling, and draws of the risk cost a microsecond or two each.

    Parameters
    ----------
    observed : QuantileFunction
        q*, less the reference.
    simulated : QuantileFunction, or several
        q~ of each simulation, less the reference. The local misfit is δ = |q~ − q*|; of several
        simulations δ² is the mean.
    c : float
        Sensitivity of the process to the misfit.
    depth : int, optional
        Number of times that intervals are halved. By default as deep as the data resolve (2^depth
        ≈ number of losses), where the last pieces keep the shape of q*; with a number given, as
        with the paper's 8, pieces are straight and the risk is the trapezoid sum.
    tolerance : float
        `sample_risk` draws as many nodes as needed for the distribution function of the risk to be
        right to about this much (in probability); the other nodes enter by their exact conditional
        mean and variance.
    reference : float
        What was subtracted from the losses before, and is added to what comes out: `q`,
        `simulated`, risks and paths are in the unit of the loss.
    delta : QuantileFunction, optional
        δ itself, in place of simulations.
    ends : callable, optional
        `ends(n, rng)` returns arrays of q^(0) and q^(1), less the reference, in place of normal
        ones; it is called once, for 65 536 pairs from which paths draw theirs.

    See Also
    --------
    rivals.process : from functions, arrays or losses.
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
        simulated: QuantileFunction | Sequence[QuantileFunction] = (),
        *,
        c: float,
        depth: int | None = None,
        tolerance: float = 5e-4,
        reference: float = 0.0,
        delta: QuantileFunction | None = None,
        ends: Callable[[int, np.random.Generator], tuple[Any, Any]] | None = None,
    ) -> None:
        simulations = (simulated,) if isinstance(simulated, QuantileFunction) else tuple(simulated)
        levels = resolved_depth(observed.size) if depth is None else check_depth(depth)
        self._observed = observed
        self._simulated = simulations
        self._delta = delta
        self.depth = levels
        self.tolerance: float = check_positive(tolerance, "tolerance")
        self.reference = reference
        self._straight = depth is not None
        drawn = None if ends is None else DrawnEndPoints.of(ends)
        self._geometry = tree.Geometry.of(
            observed, self._gaps, levels, straight=self._straight, ends=drawn
        )
        self.c: float = check_positive(c, "c")
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
        """From `Losses`, or a pair (observed, simulated).

        The `reference` is subtracted before anything is computed; by default a typical loss of
        this candidate.
        """
        losses = losses if isinstance(losses, Losses) else Losses(*losses)
        reference = losses.reference if reference is None else reference
        observed, *simulations = (
            QuantileFunction(sample - reference) for sample in (losses.observed, *losses.simulated)
        )
        return cls(
            observed, simulations, c=c, depth=depth, tolerance=tolerance, reference=reference
        )

    def at(self, c: float) -> HierarchicalBetaProcess:
        """The same process at another c.

        All that does not depend on c is kept.
        """
        return self.at_each([c])[0]

    def at_each(self, values: Sequence[float]) -> list[HierarchicalBetaProcess]:
        """The same process at several c.

        To the last bit as by `at`.

        The nodes of all are solved at once, which is faster.
        """
        checked = [check_positive(c, "c") for c in values]
        trees = self._geometry.at_each(checked, self.tolerance)
        return [self._with(c, trees, place) for place, c in enumerate(checked)]

    def _with(self, c: float, trees: tree.Trees, place: int) -> HierarchicalBetaProcess:
        """The same process at another c, whose tree stands at this place."""
        other = object.__new__(HierarchicalBetaProcess)
        other._observed = self._observed
        other._simulated = self._simulated
        other._delta = self._delta
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

    @cached_property
    def q(self) -> QuantileFunction:
        """q*, in the unit of the loss."""
        return self._observed.moved(self.reference)

    @cached_property
    def simulated(self) -> tuple[QuantileFunction, ...]:
        """q~ of each simulation, in the unit of the loss."""
        return tuple(each.moved(self.reference) for each in self._simulated)

    def delta(self, phi: npt.ArrayLike) -> FloatArray:
        """The local misfit δ(Φ).

        The root of the mean over simulations of (q~ − q*)².
        """
        phi = np.asarray(phi, dtype=np.float64)
        return root_mean_square(self._gaps(phi, self._observed(phi)))

    def _gaps(self, phi: FloatArray, centre: FloatArray) -> list[FloatArray]:
        if self._delta is not None:
            return [self._delta(phi)]
        return [simulated(phi) - centre for simulated in self._simulated]

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
        """The part of Var[R] due to the end points.

        That is, to the extreme losses, q^(0) and q^(1).
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
        """Draws of R − reference.

        What to compare where losses have a large common offset.
        """
        return self.sampler.sample(n_draws, rng)

    @cached_property
    def sampler(self) -> RiskSampler:
        """What draws of the risk are made with.

        Little beside the whole tree.
        """
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
        """The same for each simulation alone.

        From a tree of at most `max_depth` levels.
        """
        levels = self.depth if self._straight else min(self.depth, max_depth)
        geometry = tree.Geometry.of(
            self._observed, self._gaps, levels, straight=self._straight, each=True
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
            deeper = tree.Geometry.of(self._observed, self._gaps, depth, straight=True)
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
            f"end points' share of Var[R] {100 * self.end_point_share:.0f} %)"
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
