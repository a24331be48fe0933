"""The hierarchical beta process on quantile functions, and the distribution of the risk that it implies."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from math import log, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import betainc

from rivals._checks import check_depth, check_positive, check_size
from rivals._random import entropy_from, stream
from rivals._types import RNG, FloatArray
from rivals.core import tree
from rivals.core.beta import beta_moments, beta_parameters, beta_shape
from rivals.core.end_points import EndPoints
from rivals.core.quantiles import QuantileFunction
from rivals.losses import Losses

# "As deep as the data resolve" is 2^depth ≈ L. The paper's 8 levels are the least, for very small samples; beyond
# 16 levels nothing moves any more, because leaves keep the shape of the centre (docs/theory.md has the measurement).
MIN_DEPTH, MAX_DEPTH = 8, 16

# No more nodes than these are drawn, with their ancestors; a fair coin at every node, the worst case, then has its
# distribution function right to 2⁻⁹.
MAX_DRAWN = 512

# Draws are made in pieces that fit the processor's cache.
CHUNK = 2**13


@dataclass(frozen=True)
class Geometry:
    """What the tree is made of before c enters: the same for every c."""

    log_ratio: FloatArray  # ln r of each node
    log_discrepancy: FloatArray  # ln δ at the midpoint of each node
    leaves: FloatArray  # W of the last pieces

    @classmethod
    def of(cls, observed: QuantileFunction, synthetic: QuantileFunction, depth: int, straight: bool) -> Geometry:
        """Evaluate both quantile functions on the dyadic grid."""
        phi = tree.grid(depth)
        centre = observed(phi)
        with np.errstate(divide="ignore"):
            log_discrepancy = np.log(np.abs(synthetic(phi) - centre))
        leaves = np.full(2**depth, 0.5) if straight else _centre_heights(observed, phi, centre)
        return cls(tree.log_ratios(centre, depth), log_discrepancy[tree.midpoints(depth)], leaves)

    def solve(self, c: float) -> tuple[FloatArray, FloatArray]:
        """(α, β) of every node, with v = 2 c δ(m)²."""
        return beta_parameters(self.log_ratio, log(2.0) + log(c) + 2.0 * self.log_discrepancy)


class HierarchicalBetaProcess:
    """A stochastic process on quantile functions around the observed one, and its distribution of the risk.

    The parameters of all nodes are solved once; mean and standard deviation of the risk are then exact, without
    sampling, and draws of the risk cost a microsecond or two each.

    Parameters
    ----------
    observed, synthetic : QuantileFunction
        q* and q~. The discrepancy is δ = |q~ − q*|.
    c : float
        Sensitivity of the process to the discrepancy.
    depth : int, optional
        Number of times that intervals are halved. By default as deep as the data resolve (2^depth ≈ number of
        losses), where the last pieces keep the shape of q*; with a number given, as with the paper's 8, pieces are
        straight and the risk is the trapezoid sum.
    tolerance : float
        `sample_risk` draws as many nodes as needed for the distribution function of the risk to be right to about
        this much (in probability); the other nodes enter by their exact conditional mean and variance.
    reference : float
        What was subtracted from the losses before, and is added to what comes out.

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
        synthetic: QuantileFunction,
        *,
        c: float,
        depth: int | None = None,
        tolerance: float = 5e-4,
        reference: float = 0.0,
    ) -> None:
        self.c = check_positive(c, "c")
        self.tolerance = check_positive(tolerance, "tolerance")
        self.reference = reference
        self.observed, self.synthetic = observed, synthetic
        self._straight_leaves = depth is not None
        self.depth = resolved_depth(len(observed)) if depth is None else check_depth(depth)
        self._geometry = Geometry.of(observed, synthetic, self.depth, self._straight_leaves)
        self.alpha, self.beta = self._geometry.solve(self.c)

    @classmethod
    def from_losses(
        cls,
        losses: Losses | tuple[Any, Any],
        c: float,
        depth: int | None = None,
        *,
        tolerance: float = 5e-4,
    ) -> HierarchicalBetaProcess:
        """The process of one candidate, given by its `Losses` or a pair (observed, synthetic)."""
        losses = losses if isinstance(losses, Losses) else Losses(*losses)
        reference = losses.reference
        return cls(
            QuantileFunction(losses.observed - reference),
            QuantileFunction(losses.synthetic - reference),
            c=c,
            depth=depth,
            tolerance=tolerance,
            reference=reference,
        )

    def at(self, c: float) -> HierarchicalBetaProcess:
        """The same process at another c. All that does not depend on c is kept."""
        other = copy(self)
        for name in (
            "_end_points",
            "_moments",
            "_end_point_variance",
            "_interior_variance",
            "_rise_square",
            "drawn_nodes",
        ):
            other.__dict__.pop(name, None)
        other.c = check_positive(c, "c")
        other.alpha, other.beta = self._geometry.solve(other.c)
        return other

    # ---------------------------------------------------------------- exact moments

    @property
    def risk_mean(self) -> float:
        """E[R], exact."""
        ends = self._end_points
        return self.reference + ends.scale * (ends.first_mean + ends.rise_mean * float(self._moments[0][0]))

    @property
    def risk_std(self) -> float:
        """Standard deviation of R, exact."""
        return self._end_points.scale * sqrt(self._end_point_variance + self._interior_variance)

    @property
    def end_point_share(self) -> float:
        """The part of Var[R] that is due to the end points q^(0) and q^(1), that is, to the extreme losses."""
        total = self._end_point_variance + self._interior_variance
        return self._end_point_variance / total if total > 0 else 0.0

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
        n_draws = check_size(n_draws, "n_draws")
        entropy = entropy_from(rng)
        end_stream, node_stream = stream(entropy, 0), stream(entropy, 1)
        first, rise = self._end_points.sample(n_draws, end_stream)
        remainder = end_stream.standard_normal(n_draws)
        height = np.empty(n_draws)
        for begin in range(0, n_draws, CHUNK):
            piece = slice(begin, min(begin + CHUNK, n_draws))
            mean, variance = tree.sample_root(
                piece.stop - piece.start,
                self.drawn_nodes,
                self.alpha,
                self.beta,
                *self._moments,
                self._geometry.leaves,
                node_stream,
            )
            height[piece] = mean + np.sqrt(variance) * remainder[piece]
        return self._end_points.scale * (first + rise * height)

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
        alpha, beta = (self.alpha, self.beta) if depth <= self.depth else self._deeper(depth)
        entropy = entropy_from(rng)
        first, rise = self._end_points.sample(n_paths, stream(entropy, 0))
        node_stream = stream(entropy, 1)
        paths = np.empty((n_paths, 2**depth + 1))
        paths[:, 0], paths[:, -1] = first, first + rise
        for k in range(depth):
            step = 2 ** (depth - k)
            left, right = paths[:, :-1:step], paths[:, step::step]
            x = node_stream.beta(alpha[tree.level(k)], beta[tree.level(k)], size=(n_paths, 2**k))
            # Rounding must not carry a point past its right neighbour.
            paths[:, step // 2 :: step] = np.minimum(left + x * (right - left), right)
        return tree.grid(depth), self.reference + self._end_points.scale * paths

    @cached_property
    def drawn_nodes(self) -> npt.NDArray[np.intp]:
        """The nodes that `sample_risk` draws, bottom first: the fewest for which the error stays below the tolerance."""
        if not self._end_point_variance + self._interior_variance > 0:
            return np.empty(0, dtype=np.intp)
        errors = self._errors()
        order = np.argsort(errors)
        worth_drawing = order[np.cumsum(errors[order]) > self.tolerance]
        return tree.with_ancestors(worth_drawing[-MAX_DRAWN:])

    def _errors(self) -> FloatArray:
        """What the distribution function of R loses when a node is replaced by a Gaussian (docs/theory.md).

        Edgeworth's first terms, from the node's share of the variance. Where splits are coin-like, all of the rise may
        have gone to one branch, on which R varies far less than as a whole; so this is added up over all branches,
        with the share of the variance that is left there, times the probability of the branch.
        """
        mean, variance = beta_moments(self.alpha, self.beta)
        skewness, kurtosis = beta_shape(self.alpha, self.beta)
        skew, kurt = np.abs(skewness) / 15.0, np.abs(kurtosis) / 50.0
        terms, weights = tree.variance_terms(mean, variance, self._moments[0], self._geometry.leaves)
        errors = np.zeros_like(terms)
        for k, branches, reach, offset in self._branches():
            nodes = tree.level(k).start + branches
            scale = self._rise_square * 4.0**-k
            total = scale * self._moments[1][nodes] + self._end_point_variance_at(
                offset + 2.0**-k * self._moments[0][nodes]
            )
            factor = np.divide(
                scale, total * weights[nodes], out=np.zeros_like(total), where=total * weights[nodes] > 0
            )
            here = tree.descendants(branches, k, self.depth)
            share = np.minimum(factor[:, None] * terms[here], 1.0)
            errors[here] += reach[:, None] * np.minimum(share * (skew[here] * np.sqrt(share) + kurt[here] * share), 0.3)
        return errors

    def _branches(self) -> Iterator[tuple[int, npt.NDArray[np.intp], FloatArray, FloatArray]]:
        """The branches to which (nearly) all of the rise may have gone, level by level, the root first.

        Yields the level, which of its nodes they start from, with what probability, and the average height of R before
        and after them: what lies behind a branch is a plateau.
        """
        branches, reach, offset = np.zeros(1, dtype=np.intp), np.ones(1), np.zeros(1)
        for k in range(self.depth):
            yield k, branches, reach, offset
            nodes = tree.level(k).start + branches
            to_left = betainc(self.beta[nodes], self.alpha[nodes], 0.1)  # P(x > 0.9)
            to_right = betainc(self.alpha[nodes], self.beta[nodes], 0.1)
            branches = np.concatenate([2 * branches, 2 * branches + 1])
            reach = np.concatenate([reach * to_left, reach * to_right])
            offset = np.concatenate([offset + 2.0 ** -(k + 1), offset])
            likely = reach > 0.1 * self.tolerance
            branches, reach, offset = branches[likely], reach[likely], offset[likely]
            if not branches.size:
                return

    def __repr__(self) -> str:
        return (
            f"HierarchicalBetaProcess(c={self.c:g}, depth={self.depth}, R = {self.risk_mean:.5g} ± {self.risk_std:.2g}, "
            f"end points' share of Var[R] {self.end_point_share:.0%})"
        )

    # ---------------------------------------------------------------- the tree

    def _deeper(self, depth: int) -> tuple[FloatArray, FloatArray]:
        return Geometry.of(self.observed, self.synthetic, depth, straight=True).solve(self.c)

    @cached_property
    def _end_points(self) -> EndPoints:
        """q^(0) ~ N(q*(0), c δ(0)²) and q^(1) ~ N(q*(1), c δ(1)²), given that q^(0) < q^(1)."""
        m0, m1 = self.observed([0.0, 1.0])
        with np.errstate(over="ignore"):
            s0, s1 = sqrt(self.c) * np.abs(self.synthetic([0.0, 1.0]) - (m0, m1))
        if not np.isfinite(s0 + s1):
            raise ValueError(f"losses so large overflow at c = {self.c:g}; rescale the loss")
        return EndPoints.from_normals(float(m0), float(m1), float(s0), float(s1))

    @cached_property
    def _moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of W of every node."""
        return tree.moments(*beta_moments(self.alpha, self.beta), self._geometry.leaves)

    @cached_property
    def _end_point_variance(self) -> float:
        return float(self._end_point_variance_at(self._moments[0][0]))

    def _end_point_variance_at(self, height: FloatArray) -> FloatArray:
        """Var(q^(0) + D w) at the average height w, in units of scale²."""
        ends = self._end_points
        return np.asarray(ends.rise_variance * (height - ends.tilt) ** 2 + ends.residual**2)

    @cached_property
    def _interior_variance(self) -> float:
        """E[D²] Var W, in units of scale²."""
        return self._rise_square * float(self._moments[1][0])

    @cached_property
    def _rise_square(self) -> float:
        """E[D²], in units of scale²."""
        return self._end_points.rise_mean**2 + self._end_points.rise_variance


def resolved_depth(n_losses: int) -> int:
    """As deep as the data resolve."""
    return min(max(round(log(n_losses, 2)), MIN_DEPTH), MAX_DEPTH)


def _centre_heights(observed: QuantileFunction, phi: FloatArray, centre: FloatArray) -> FloatArray:
    """W of the centre itself on each of the last pieces, so that ∫q* is exact at any depth."""
    rise = np.diff(centre)
    average = np.diff(observed.antiderivative(phi)) * (phi.size - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        height = (average - centre[:-1]) / rise
    return np.where(rise > 0, np.clip(height, 0.0, 1.0), 0.5)
