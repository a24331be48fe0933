"""The tree of midpoints: every node splits the rise of a path in two, and what follows for the
average height.

Nodes are kept level by level in one array: level k holds 2^k nodes, from left to right, at [2^k −
1, 2^(k+1) − 1). The children of node i are 2i + 1 (left half) and 2i + 2 (right half). Of a
sub-path, W is the average height over its interval as a fraction of its rise; it does not depend
on the realisation above it (docs/theory.md, "Exact moments of the risk").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import log

import numpy as np
from scipy.special import betainc

from rivals._core.types import FloatArray, IntArray
from rivals.laws.beta.end_points import EndPoints, variances_at
from rivals.laws.beta.solver import beta_moments, beta_parameters
from rivals.laws.beta.squares import root_mean_square
from rivals.method.quantiles import QuantileFunction, grid

# No more nodes than these are drawn, with their ancestors; a fair coin at every node, the worst
# case, then has its distribution function right to 2⁻⁹.
MAX_DRAWN = 512

# Draws are made in pieces that fit the processor's cache.
CHUNK = 2**13

# Levels of the deepest tree, unless a number is given.
MAX_LEVELS = 16

# A factor that is as good as infinite, but whose product with zero is zero.
LARGEST_FACTOR = 1e300


@dataclass(frozen=True)
class Geometry:
    """What the tree and the end points are made of before c enters: the same for every c."""

    log_ratio: FloatArray  # ln r of each node
    log_discrepancy: FloatArray  # ln δ at the midpoint of each node
    leaves: FloatArray  # W of the last pieces
    end_values: FloatArray  # q*(0), q*(1)
    end_discrepancies: FloatArray  # δ(0), δ(1)
    ends: EndPoints | None = None  # of one's own, the same at every c

    @classmethod
    def of(
        cls,
        observed: QuantileFunction,
        gaps: Callable[[FloatArray, FloatArray], list[FloatArray]],
        depth: int,
        *,
        straight: bool,
        each: bool = False,
        ends: EndPoints | None = None,
    ) -> Geometry:
        """Evaluate q* and δ on the dyadic grid; leaves straight, or as q*.

        `gaps(phi, q*(phi))` are the q~ − q* of all simulations, and δ² their mean square. With
        `each`, of all simulations and of each alone: misfits then have a row for each.
        """
        phi = grid(depth)
        centre = observed(phi)
        integral = observed.antiderivative(phi)
        differences = gaps(phi, centre)
        discrepancy = root_mean_square(differences)
        if each:
            discrepancy = np.stack([discrepancy, *np.abs(differences)])
        with np.errstate(divide="ignore"):
            log_discrepancy = np.log(discrepancy)
        return cls(
            log_ratio=log_ratios(centre, depth),
            log_discrepancy=log_discrepancy[..., midpoints(depth)],
            leaves=np.full(2**depth, 0.5) if straight else _centre_heights(centre, integral),
            end_values=centre[[0, -1]],
            end_discrepancies=discrepancy[..., [0, -1]],
            ends=ends,
        )

    def at_each(self, values: Sequence[float], tolerance: float) -> Trees:
        """At each c the nodes, with v = 2 c δ(m)², and the end points, normal with variances c
        δ(0)² and c δ(1)².
        """
        return Trees.of([self], values, tolerance)

    def ends_at(self, c: float) -> EndPoints:
        """The end points at one c."""
        return self._ends(self.end_discrepancies, c)

    def each_at(self, c: float) -> tuple[FloatArray, FloatArray, list[EndPoints]]:
        """At one c, of all simulations and of each alone.

        Mean and standard deviation of W, and the end points.
        """
        log_variance = log(2.0) + log(c) + 2.0 * self.log_discrepancy
        mean, variance = _solved(self.log_ratio, log_variance, self.leaves).height_moments
        return (
            mean[:, 0],
            np.sqrt(variance[:, 0]),
            [self._ends(row, c) for row in self.end_discrepancies],
        )

    def _ends(self, discrepancies: FloatArray, c: float) -> EndPoints:
        if self.ends is not None:
            return self.ends
        with np.errstate(over="ignore"):
            s0, s1 = np.sqrt(c) * discrepancies
            total = s0 + s1
        if not np.isfinite(total):
            raise ValueError(
                f"losses too large for floating-point numbers at c = {c:g}; rescale the loss"
            )
        m0, m1 = self.end_values
        return EndPoints.from_normals(float(m0), float(m1), float(s0), float(s1))


@dataclass(frozen=True, eq=False)
class Trees:
    """The trees of some geometries, of one depth, at several c: what is asked of one is computed of
    all, at once.

    Nothing is solved before it is asked for.
    """

    geometries: Sequence[Geometry]
    log_scales: FloatArray  # ln(2 c)
    ends: Sequence[EndPoints]  # of the first geometry at each c, then of the second, …
    tolerance: float  # of the distribution function of R, by which nodes are drawn

    @classmethod
    def of(cls, geometries: Sequence[Geometry], values: Sequence[float], tolerance: float) -> Trees:
        """Of each geometry at each c."""
        ends = [geometry.ends_at(c) for geometry in geometries for c in values]
        log_scales = np.array([log(2.0) + log(c) for c in values])
        return cls(geometries, log_scales, ends, tolerance)

    @cached_property
    def each(self) -> list[Tree]:
        """The trees, in the order of the end points."""
        return self._together.each()

    @cached_property
    def drawn(self) -> list[IntArray]:
        """The nodes to draw of each, bottom first."""
        return self._together.nodes_to_draw(self.ends, self.tolerance)

    @cached_property
    def _together(self) -> Tree:
        scales = self.log_scales[:, None]
        log_variances = [scales + 2.0 * each.log_discrepancy for each in self.geometries]
        log_ratios = [each.log_ratio for each in self.geometries]
        leaves = [each.leaves for each in self.geometries]
        return _solved(
            np.repeat(log_ratios, scales.size, axis=0),
            np.concatenate(log_variances),
            np.repeat(leaves, scales.size, axis=0),
        )


def _solved(log_ratio: FloatArray, log_variance: FloatArray, leaves: FloatArray) -> Tree:
    """One tree for each row of variances; the nodes of all are solved at once.

    Ratios and leaves may be the same for all.
    """
    alpha, beta = beta_parameters(np.broadcast_to(log_ratio, log_variance.shape), log_variance)
    every_leaf = np.broadcast_to(leaves, (len(log_variance), leaves.shape[-1]))
    return Tree(alpha, beta, every_leaf, *beta_moments(alpha, beta))


@dataclass(frozen=True, eq=False)
class Tree:
    """Beta distributions at the nodes, straight or curved pieces below the last of them.

    Of several models, values of c, or simulations, the arrays have a row for each, until `each`
    takes them apart.
    """

    alpha: FloatArray
    beta: FloatArray
    leaves: FloatArray
    mean: FloatArray  # of x of every node, as the three below
    variance: FloatArray
    skewness: FloatArray
    kurtosis: FloatArray  # in excess of the Gaussian's

    @cached_property
    def depth(self) -> int:
        """Number of levels."""
        return int(self.leaves.shape[-1]).bit_length() - 1

    @cached_property
    def height_moments(self) -> tuple[FloatArray, FloatArray]:
        """Mean and variance of W of every node; leaves are constants.

        E[W] = ½ [E x (1 + E W_L − E W_R) + E W_R],
        Var[W] = ¼ [Var x (1 + E W_L − E W_R)² + E[x²] Var W_L + E[(1−x)²] Var W_R].
        """
        height_mean = np.empty_like(self.mean)
        height_variance = np.empty_like(self.mean)
        below_mean = self.leaves
        below_variance = np.zeros_like(self.leaves)
        for k in reversed(range(self.depth)):
            here = level(k)
            x = self.mean[..., here]
            v = self.variance[..., here]
            left = below_mean[..., 0::2]
            right = below_mean[..., 1::2]
            lever = 1.0 + left - right
            below_mean = 0.5 * (x * lever + right)
            below_variance = 0.25 * (
                v * lever**2
                + (x**2 + v) * below_variance[..., 0::2]
                + ((1.0 - x) ** 2 + v) * below_variance[..., 1::2]
            )
            height_mean[..., here] = below_mean
            height_variance[..., here] = below_variance
        return height_mean, height_variance

    @cached_property
    def variance_terms(self) -> tuple[FloatArray, FloatArray]:
        """What each node's own x adds to Var W of the root, and the weight with which its subtree
        enters.

        The terms add up to Var W exactly; those below a node, over its weight, to Var W of that
        node.
        """
        terms = np.empty_like(self.mean)
        weights = np.empty_like(self.mean)
        weight = np.ones((*self.mean.shape[:-1], 1))
        # Of node i: 2i and 2i + 1.
        children = np.concatenate([self.height_moments[0][..., 1:], self.leaves], axis=-1)
        for k in range(self.depth):
            here = level(k)
            x = self.mean[..., here]
            v = self.variance[..., here]
            left = children[..., 2 * here.start : 2 * here.stop : 2]
            right = children[..., 2 * here.start + 1 : 2 * here.stop : 2]
            lever = 1.0 + left - right
            terms[..., here] = 0.25 * weight * v * lever**2
            weights[..., here] = weight
            below = np.empty((*weight.shape[:-1], 2 * weight.shape[-1]))
            below[..., 0::2] = weight * (x**2 + v)
            below[..., 1::2] = weight * ((1.0 - x) ** 2 + v)
            weight = 0.25 * below
        return terms, weights

    # ---------------------------------------------------------------- which nodes to draw

    def nodes_to_draw(self, ends: Sequence[EndPoints], tolerance: float) -> list[IntArray]:
        """Of each row, the fewest nodes to draw, bottom first, for which the error of the
        distribution function of R is tolerable.
        """
        found = []
        for errors in self._errors(ends, tolerance):
            order = np.argsort(errors)
            worth_drawing = order[np.cumsum(errors[order]) > tolerance]
            found.append(with_ancestors(worth_drawing[-MAX_DRAWN:]))
        return found

    def _errors(self, ends: Sequence[EndPoints], tolerance: float) -> FloatArray:
        """What the distribution function of R loses when a node is replaced by a Gaussian
        (docs/theory.md), rows × nodes.

        Edgeworth's first terms, from the node's share of the variance. Where splits are coin-like,
        all of the rise may have gone to one branch, on which R varies far less than as a whole; so
        this is added up over all branches, with the share of the variance that is left there,
        times the probability of the branch.
        """
        # One long row of all nodes: branches of different rows stand side by side.
        skew = np.abs(self.skewness).ravel() / 15.0
        kurt = np.abs(self.kurtosis).ravel() / 50.0
        terms, weights = (values.ravel() for values in self.variance_terms)
        height_mean, height_variance = (values.ravel() for values in self.height_moments)
        rise_square = np.array([each.rise_mean**2 + each.rise_variance for each in ends])
        n_nodes = self.mean.shape[-1]
        errors = np.zeros_like(terms)
        for k, rows, branches, reach, offset in self._branches(tolerance):
            begin = n_nodes * rows
            nodes = begin + level(k).start + branches
            scale = rise_square[rows] * 4.0**-k
            height = offset + 2.0**-k * height_mean[nodes]
            total = scale * height_variance[nodes] + variances_at(ends, rows, height)
            unit = total * weights[nodes]
            with np.errstate(over="ignore"):  # of shares that are cut off at one below
                factor = np.divide(scale, unit, out=np.zeros_like(total), where=unit > 0)
            factor = np.minimum(factor, LARGEST_FACTOR)
            below = descendants if self.depth <= MAX_LEVELS else descendants.__wrapped__
            here = below(k, self.depth)[branches] + begin[:, None]
            share = np.minimum(factor[:, None] * terms[here], 1.0)
            lost = share * (skew[here] * np.sqrt(share) + kurt[here] * share)
            errors[here] += reach[:, None] * np.minimum(lost, 0.3)
        return errors.reshape(self.mean.shape)

    def _branches(
        self, tolerance: float
    ) -> Iterator[tuple[int, IntArray, IntArray, FloatArray, FloatArray]]:
        """The branches to which (nearly) all of the rise may have gone, level by level, the root
        first.

        Yields the level, the rows of the branches, which nodes of the level they start from, with
        what probability, and the average height of R before and after them: what lies behind a
        branch is a plateau.
        """
        alpha = self.alpha.ravel()
        beta = self.beta.ravel()
        n_rows, n_nodes = self.mean.shape
        rows = np.arange(n_rows)
        branches = np.zeros(n_rows, dtype=np.intp)
        reach = np.ones(n_rows)
        offset = np.zeros(n_rows)
        for k in range(self.depth):
            yield k, rows, branches, reach, offset
            nodes = n_nodes * rows + level(k).start + branches
            to_left = betainc(beta[nodes], alpha[nodes], 0.1)  # P(x > 0.9)
            to_right = betainc(alpha[nodes], beta[nodes], 0.1)
            rows = np.concatenate([rows, rows])
            branches = np.concatenate([2 * branches, 2 * branches + 1])
            reach = np.concatenate([reach * to_left, reach * to_right])
            offset = np.concatenate([offset + 2.0 ** -(k + 1), offset])
            likely = reach > 0.1 * tolerance
            rows = rows[likely]
            branches = branches[likely]
            reach = reach[likely]
            offset = offset[likely]
            if not branches.size:
                return

    # ---------------------------------------------------------------- sampling

    def heights(self, drawn: IntArray) -> Heights:
        """What it takes to draw W of the root with the nodes in `drawn` (children first) by
        their own law.
        """
        height_mean, height_variance = self.height_moments
        means = np.concatenate([height_mean, self.leaves])
        variances = np.concatenate([height_variance, np.zeros_like(self.leaves)])
        children = 2 * drawn[:, None] + np.array([1, 2])
        return Heights(
            drawn,
            self.alpha[drawn],
            self.beta[drawn],
            means[children],
            variances[children],
            means[0],
            variances[0],
        )

    def each(self) -> list[Tree]:
        """The trees of the rows, one by one."""
        rows = zip(
            self.alpha,
            self.beta,
            self.leaves,
            self.mean,
            self.variance,
            self.skewness,
            self.kurtosis,
            strict=True,
        )
        trees = [Tree(*row) for row in rows]
        for tree, *known in zip(trees, *self.height_moments, strict=True):
            tree.__dict__["height_moments"] = tuple(known)
        return trees


@dataclass(frozen=True, eq=False)
class Heights:
    """The law of W of the root: some nodes by their own law, all others by their exact moments."""

    nodes: IntArray  # those that are drawn, children first
    alpha: FloatArray
    beta: FloatArray
    means: FloatArray  # of W of both children of each
    variances: FloatArray
    mean: float  # of W of the root, where nothing is drawn
    variance: float

    def sample(self, remainder: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Draws of W; `remainder` holds one standard normal number per draw, for all that is
        not drawn.
        """
        heights = np.empty(remainder.size)
        for begin in range(0, remainder.size, CHUNK):
            piece = slice(begin, min(begin + CHUNK, remainder.size))
            mean, variance = self._sample_root(piece.stop - piece.start, rng)
            heights[piece] = mean + np.sqrt(variance) * remainder[piece]
        return heights

    def _sample_root(self, n_draws: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Conditional mean and variance of W of the root, given the x of the nodes that are drawn.

        V = ¼ [x² V_L + (1 − x)² V_R] going up; a child that is not drawn enters by its exact
        moments.
        """
        pending: dict[int, tuple[FloatArray, FloatArray]] = {}
        for place, node in enumerate(self.nodes.tolist()):
            means = self.means[place]
            variances = self.variances[place]
            left_mean, left_variance = pending.pop(2 * node + 1, (means[0], variances[0]))
            right_mean, right_variance = pending.pop(2 * node + 2, (means[1], variances[1]))
            x = rng.beta(self.alpha[place], self.beta[place], size=n_draws)
            mean = 0.5 * (x * (1.0 + left_mean - right_mean) + right_mean)
            variance = 0.25 * (x**2 * left_variance + (1.0 - x) ** 2 * right_variance)
            pending[node] = (mean, variance)
        return pending.pop(0, (np.full(n_draws, self.mean), np.full(n_draws, self.variance)))


def level(depth: int) -> slice:
    """Where the nodes of one level stand."""
    return slice(2**depth - 1, 2 ** (depth + 1) - 1)


@lru_cache(maxsize=MAX_LEVELS)
def midpoints(depth: int) -> IntArray:
    """For each node, the index of its midpoint on `grid(depth)`."""
    return np.concatenate([(2 * np.arange(2**k) + 1) * 2 ** (depth - k - 1) for k in range(depth)])


def log_ratios(centre: FloatArray, depth: int) -> FloatArray:
    """ln r of each node.

    The ratio of the two increments of the centre; −inf, inf or nan where these are zero.
    """
    ratios = np.empty(2**depth - 1)
    for k in range(depth):
        half = 2 ** (depth - k - 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_increments = np.log(np.diff(centre[::half]))
            ratios[level(k)] = log_increments[0::2] - log_increments[1::2]
    return ratios


@lru_cache(maxsize=4 * MAX_LEVELS)
def descendants(depth: int, deepest: int) -> IntArray:
    """For each node of one level: itself and all below, one row each."""
    widths = [2 ** (below - depth) for below in range(depth, deepest)]
    nodes = np.arange(2**depth)[:, None]
    columns = [
        level(depth + k).start + nodes * width + np.arange(width) for k, width in enumerate(widths)
    ]
    return np.concatenate(columns, axis=1)


def with_ancestors(chosen: IntArray) -> IntArray:
    """The chosen nodes and all above them, children first."""
    nodes: set[int] = set()
    for node in chosen.tolist():
        while node >= 0 and node not in nodes:
            nodes.add(node)
            node = (node - 1) // 2 if node else -1
    return np.array(sorted(nodes, reverse=True), dtype=np.intp)


def _centre_heights(centre: FloatArray, integral: FloatArray) -> FloatArray:
    """W of the centre itself on each of the last pieces, so that ∫q* is exact at any depth."""
    rise = np.diff(centre)
    average = np.diff(integral) * (centre.size - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        height = (average - centre[:-1]) / rise
    return np.where(rise > 0, np.clip(height, 0.0, 1.0), 0.5)
