"""The hierarchical beta process on quantile functions, and the distribution of the risk that it implies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from rivals._checks import check_depth, check_positive, check_size
from rivals._random import PROCESS_END_POINTS, PROCESS_NODES, entropy_from, stream
from rivals._types import RNG, FloatArray, IntArray
from rivals.core import tree
from rivals.core.end_points import EndPoints
from rivals.core.quantiles import QuantileFunction
from rivals.losses import Losses, with_simulations

# "As deep as the data resolve" is 2^depth ≈ L. The paper's 8 levels are the least, for very small samples; beyond
# 16 levels nothing moves any more, because leaves keep the shape of the centre (docs/theory.md has the measurement).
MIN_DEPTH, MAX_DEPTH = 8, tree.MAX_LEVELS
# Nodes whose parameters at several c are held at a time.
TOGETHER = 2**17


class HierarchicalBetaProcess:
    """A stochastic process on quantile functions around the observed one, and its distribution of the risk.

    The parameters of all nodes are solved once; mean and standard deviation of the risk are then exact, without
    sampling, and draws of the risk cost a microsecond or two each.

    Parameters
    ----------
    observed : QuantileFunction
        q*.
    synthetic : QuantileFunction, or several
        q~ of each simulation. The discrepancy is δ = |q~ − q*|; of several simulations δ² is the mean.
    c : float
        Sensitivity of the process to the discrepancy.
    depth : int, optional
        Number of times that intervals are halved. By default as deep as the data resolve (2^depth ≈ number of
        losses), where the last pieces keep the shape of q*; with a number given, as with the paper's 8, pieces are
        straight and the risk is the trapezoid sum.
    max_depth : int
        The most of the former; where the data would resolve more, the last pieces still keep the shape of q*.
    tolerance : float
        `sample_risk` draws as many nodes as needed for the distribution function of the risk to be right to about
        this much (in probability); the other nodes enter by their exact conditional mean and variance.
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
        max_depth: int = MAX_DEPTH,
        tolerance: float = 5e-4,
        reference: float = 0.0,
    ) -> None:
        simulations = (synthetic,) if isinstance(synthetic, QuantileFunction) else tuple(synthetic)
        levels = min(resolved_depth(observed.size), max_depth) if depth is None else check_depth(depth)
        self.observed, self.synthetic, self.depth = observed, simulations, levels
        self.tolerance = check_positive(tolerance, "tolerance")
        self.reference = reference
        self._straight = depth is not None
        self._geometry = tree.Geometry.of(observed, simulations, levels, straight=self._straight)
        self.c = check_positive(c, "c")
        self._set(*self._geometry.at_each([self.c])[0])

    @classmethod
    def from_losses(
        cls,
        losses: Losses | tuple[Any, Any],
        c: float,
        depth: int | None = None,
        *,
        max_depth: int = MAX_DEPTH,
        tolerance: float = 5e-4,
        reference: float | None = None,
    ) -> HierarchicalBetaProcess:
        """The process of one candidate, given by its `Losses` or a pair (observed, synthetic).

        The `reference` is subtracted before anything is computed; by default a typical loss of this candidate.
        """
        losses = with_simulations(losses)
        reference = losses.reference if reference is None else reference
        observed, *simulations = (
            QuantileFunction.of_checked(sample - reference) for sample in (losses.observed, *losses.simulations)
        )
        return cls(
            observed,
            simulations,
            c=c,
            depth=depth,
            max_depth=max_depth,
            tolerance=tolerance,
            reference=reference,
        )

    def at(self, c: float) -> HierarchicalBetaProcess:
        """The same process at another c. All that does not depend on c is kept."""
        return self.at_each([c])[0]

    def at_each(self, values: Sequence[float]) -> list[HierarchicalBetaProcess]:
        """The same process at several c, to the last bit as by `at`; the nodes of all are solved at once, which is faster."""
        values = [check_positive(c, "c") for c in values]
        return [self._with(c, *parts) for c, parts in zip(values, self._geometry.at_each(values), strict=True)]

    def _with(self, c: float, *parts: Any) -> HierarchicalBetaProcess:
        other = object.__new__(type(self))
        for name in ("observed", "synthetic", "depth", "tolerance", "reference", "_straight", "_geometry"):
            setattr(other, name, getattr(self, name))
        # All that depends on c hangs on these, so that nothing can go stale.
        other.c = c
        other._set(*parts)
        return other

    def _set(self, nodes: tree.Tree, ends: EndPoints, moments: tree.RiskMoments) -> None:
        self._tree, self._ends, self._moments = nodes, ends, moments

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
        return tree.root_mean_square([simulated(phi) - centre for simulated in self.synthetic])

    # ---------------------------------------------------------------- exact moments

    @property
    def risk_mean(self) -> float:
        """E[R], exact."""
        return self.reference + self._moments.mean

    @property
    def risk_std(self) -> float:
        """Standard deviation of R, exact."""
        return self._ends.scale * sqrt(self._moments.end_point_variance + self._moments.interior_variance)

    @property
    def end_point_share(self) -> float:
        """The fraction of Var[R] due to the end points q^(0) and q^(1), that is, to the extreme losses."""
        total = self._moments.end_point_variance + self._moments.interior_variance
        return self._moments.end_point_variance / total if total > 0 else 0.0

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

    def single_samplers(self, max_depth: int) -> list[RiskSampler]:
        """The same for each simulation alone, with a tree of at most `max_depth` levels.

        Which nodes are drawn is decided once for all, with the mean of δ²: it is no choice to be made from few draws.
        """
        levels = self.depth if self._straight else min(self.depth, max_depth)
        geometry = tree.Geometry.of_each(self.observed, self.synthetic, levels, straight=self._straight)
        drawn = self.drawn_nodes[self.drawn_nodes < 2**levels - 1]
        return [RiskSampler(ends, nodes.heights(drawn)) for nodes, ends in geometry.each_at(self.c)]

    @cached_property
    def drawn_nodes(self) -> IntArray:
        """The nodes that `sample_risk` draws, bottom first: the fewest for which the error stays below the tolerance."""
        if not self.risk_std > 0:
            return np.empty(0, dtype=np.intp)
        return self._tree.nodes_to_draw(self._ends, self.tolerance)

    def sample_paths(self, n_paths: int, depth: int = 8, rng: RNG = None) -> tuple[FloatArray, FloatArray]:
        """Whole realisations q^, for pictures and checks.

        Parameters
        ----------
        n_paths : int
            How many.
        depth : int
            Number of refinements. With the same `rng`, a deeper path passes through the points of a coarser one.
        rng : int, SeedSequence, Generator or None
            Source of randomness.

        Returns
        -------
        phi : array, shape (2**depth + 1,)
        paths : array, shape (n_paths, 2**depth + 1)
            Never decreasing along the second axis.
        """
        n_paths, depth = check_size(n_paths, "n_paths"), check_depth(depth)
        nodes = self._tree if depth <= self.depth else self._deeper_tree(depth)
        entropy = entropy_from(rng)
        first, rise = self._ends.sample(n_paths, stream(entropy, PROCESS_END_POINTS))
        node_stream = stream(entropy, PROCESS_NODES)
        paths = np.empty((n_paths, 2**depth + 1))
        paths[:, 0], paths[:, -1] = first, first + rise
        for k in range(depth):
            step, here = 2 ** (depth - k), tree.level(k)
            left, right = paths[:, :-1:step], paths[:, step::step]
            x = node_stream.beta(nodes.alpha[here], nodes.beta[here], size=(n_paths, 2**k))
            # Rounding must not carry a point past its right neighbour.
            paths[:, step // 2 :: step] = np.minimum(left + x * (right - left), right)
        return tree.grid(depth), self.reference + self._ends.scale * paths

    def _deeper_tree(self, depth: int) -> tree.Tree:
        return tree.Geometry.of(self.observed, self.synthetic, depth, straight=True).at_each([self.c])[0][0]

    def __repr__(self) -> str:
        return (
            f"HierarchicalBetaProcess(c={self.c:g}, depth={self.depth}, R = {self.risk_mean:.5g} ± {self.risk_std:.2g}, "
            f"end points' share of Var[R] {self.end_point_share:.0%})"
        )


def processes_at_each(
    processes: Sequence[HierarchicalBetaProcess], values: Sequence[float]
) -> Iterator[list[HierarchicalBetaProcess]]:
    """All processes at each c, one list for each; so many c are solved at a time that their trees are few megabytes."""
    together = max(1, TOGETHER // max(sum(2**process.depth for process in processes), 1))
    for begin in range(0, len(values), together):
        columns = [process.at_each(values[begin : begin + together]) for process in processes]
        yield from map(list, zip(*columns, strict=True))


@dataclass(frozen=True, eq=False)
class RiskSampler:
    """The law of R − reference, ready to be drawn from."""

    ends: EndPoints
    heights: tree.Heights

    def sample(self, n_draws: int, rng: RNG = None) -> FloatArray:
        """Independent draws."""
        n_draws = check_size(n_draws, "n_draws")
        entropy = entropy_from(rng)
        end_stream, node_stream = stream(entropy, PROCESS_END_POINTS), stream(entropy, PROCESS_NODES)
        first, rise = self.ends.sample(n_draws, end_stream)
        remainder = end_stream.standard_normal(n_draws)
        return self.ends.scale * (first + rise * self.heights.sample(remainder, node_stream))


def resolved_depth(n_losses: int) -> int:
    """As deep as the data resolve."""
    return min(max(round(log(n_losses, 2)), MIN_DEPTH), MAX_DEPTH)
