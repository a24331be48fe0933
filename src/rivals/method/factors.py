"""Several factors, crossed or nested: a budget of variance with a part for each of them.

Of the difference of two models at the points i of a cell, a combination of levels,

    d_i = μ + Σ_f u_f[level of i] + e_i,    u_f ~ (0, τ_f²),  e_i ~ (0, σ²),

f the factors, and interactions of those that cross where something finer is left to tell them from.
One weighting w of points, w ∝ 1/(σ² + Σ_f n_f τ_f²) with n_f the points of its level, serves all
pairs. W_l is the weight of level l, and d̄ = Σ w d:

    B_f = Σ_l W_l (d_l − d̄)²,   E B_f = Σ_g (K_fg − h_g) τ_g²,   K_fg = Σ w_lm²/W_l,   h_g = Σ W_l²,

one small linear system for all pairs; a component that comes out negative is 0. Then

    seen = Σ_f h_f τ_f² + h_e σ²,  at least the largest h_f B_f/(1 − h_f) of a factor,
    new  = Σ_f τ_f²/m_f + h_e σ²/growth,

m_f new levels, growth how many times as many points. A factor that is kept drops out of both: its
levels come again. An inner factor comes with the outermost one that it lies in. Degrees of freedom
are Satterthwaite's, of the mean squares B_f/(1 − h_f) of the outermost factors, with 1/h_f − 1
each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from rivals._core.types import BoolArray, FloatArray, IntArray
from rivals.method.error import PairSums

# Cells hold several points, if there are so many times as many: else what cells have of their own
# looks like the noise of points.
SEVERAL = 1.25
# An interaction needs something finer: it may have at most this part of the levels of that.
FINER = 0.8
# A linear system that is worse conditioned says nothing.
CONDITION = 1e10
# Of what is below this part of all variance nothing is known.
LEAST = 1e-9


@dataclass(frozen=True, eq=False)
class Design:
    """Which factors cross, which lie in others, and the parts of variance that can be told apart.

    Attributes
    ----------
    outer : tuple of int
        The factor that each factor lies in; itself where it lies in none.
    n_levels : tuple of int
        Of each factor.
    parts : tuple of tuple of int
        Factors, and interactions of factors.
    codes : tuple of array of int
        The level of each cell, of each part.
    several : bool
        Whether cells hold several points.
    """

    outer: tuple[int, ...]
    n_levels: tuple[int, ...]
    parts: tuple[tuple[int, ...], ...]
    codes: tuple[IntArray, ...]
    several: bool

    @classmethod
    def of(cls, factors: Sequence[IntArray], sizes: IntArray) -> Design:
        """From the level of each cell, of each factor, and the points of each cell.

        Examples
        --------
        >>> school = np.arange(12)
        >>> design = Design.of([school // 3, school, school % 3], np.full(12, 5))
        >>> design.outer, design.parts
        ((0, 0, 2), ((0,), (1,), (2,), (0, 2)))
        """
        n_levels = tuple(int(codes.max()) + 1 for codes in factors)
        outer = list(range(len(factors)))
        for inner, other in combinations(range(len(factors)), 2):
            n_both = int(joined([factors[inner], factors[other]]).max()) + 1
            for a, b in ((inner, other), (other, inner)):
                around = outer[a]
                lies = n_both == n_levels[a] > n_levels[b]
                if lies and (around == a or n_levels[b] > n_levels[around]):
                    outer[a] = b
        crossed = [factor for factor, around in enumerate(outer) if around == factor]
        several = bool(sizes.sum() > SEVERAL * sizes.size)
        most = FINER * (sizes.sum() if several else sizes.size)
        parts: list[tuple[int, ...]] = [(factor,) for factor in range(len(factors))]
        codes = list(factors)
        for size in range(2, len(crossed) + 1):
            for part in combinations(crossed, size):
                together = joined([factors[factor] for factor in part])
                if together.max() + 1 < most:
                    parts.append(part)
                    codes.append(together)
        return cls(tuple(outer), n_levels, tuple(parts), tuple(codes), several)

    def confused(self, sizes: IntArray) -> tuple[int, int] | None:
        """Two parts that these cells cannot tell apart, if there are any; the last is of points."""
        found = _Levels.of(self, sizes, sizes / sizes.sum()).coefficients
        if not np.linalg.cond(found) > CONDITION:
            return None
        alike = np.abs(np.linalg.svd(found)[2][-1])
        first, second = np.argsort(alike)[-2:].tolist()
        return min(first, second), max(first, second)

    @property
    def outermost(self) -> tuple[int, ...]:
        """The factors that lie in no other."""
        return tuple(factor for factor, around in enumerate(self.outer) if around == factor)

    def top(self, factor: int) -> int:
        """The outermost factor that a factor lies in."""
        while self.outer[factor] != factor:
            factor = self.outer[factor]
        return factor

    def cost(self, new_levels: FloatArray) -> tuple[FloatArray, BoolArray, float]:
        """1/m of each part, which parts are drawn anew, and how many times as many points there
        are.

        Parameters
        ----------
        new_levels : array, shape (factors,)
            How many of each outermost factor, 0 for one that is kept.
        """
        growth = np.array(
            [new_levels[self.top(f)] / self.n_levels[self.top(f)] for f in range(len(self.outer))]
        )
        drawn = np.array([any(growth[f] > 0.0 for f in part) for part in self.parts])
        cost = np.zeros(len(self.parts))
        for place, (part, codes) in enumerate(zip(self.parts, self.codes, strict=True)):
            times = np.prod([growth[f] for f in part if growth[f] > 0.0])
            cost[place] = 1.0 / ((codes.max() + 1.0) * times) if drawn[place] else 0.0
        points = np.prod([growth[f] for f in self.outermost if growth[f] > 0.0])
        return cost, drawn, float(points)


def joined(factors: Sequence[IntArray]) -> IntArray:
    """The combination of levels of each cell, numbered from 0.

    Examples
    --------
    >>> joined([np.array([0, 0, 1, 1]), np.array([0, 2, 0, 0])]).tolist()
    [0, 1, 2, 2]
    """
    found = factors[0].astype(np.int64)
    for codes in factors[1:]:
        found = numbered(found * (int(codes.max()) + 1) + codes)
    return found


def numbered(keys: IntArray) -> IntArray:
    """The rank of each key among those that occur; a table where they are close together."""
    if int(keys.max()) < 16 * keys.size:
        occurs = np.zeros(int(keys.max()) + 1, dtype=bool)
        occurs[keys] = True
        return np.asarray((np.cumsum(occurs) - 1)[keys])
    return np.asarray(np.unique(keys, return_inverse=True)[1].ravel())


@dataclass(frozen=True, eq=False)
class Moments:
    """What the cells say of all models at once.

    Attributes
    ----------
    design : Design
    first : float
        The mean of the first model.
    gaps : array, shape (models,)
        The mean of each model less that of the first.
    between : tuple of PairSums
        B of each part, and of points or cells last.
    coefficients : array, shape (parts + 1, parts + 1)
        E B = coefficients · components.
    squares : array, shape (parts + 1,)
        h.
    """

    design: Design
    first: float
    gaps: FloatArray
    between: tuple[PairSums, ...]
    coefficients: FloatArray
    squares: FloatArray

    @classmethod
    def of(
        cls,
        design: Design,
        sizes: IntArray,
        first: FloatArray,
        gaps: FloatArray,
        within: PairSums,
        *,
        weights: FloatArray | None = None,
    ) -> Moments:
        """From the mean losses of cells.

        Parameters
        ----------
        sizes : array of int, shape (cells,)
        first : array, shape (cells,)
            Mean losses of the first model.
        gaps : array, shape (models, cells)
            Those of each model less those of the first.
        within : PairSums
            Of points about the means of their cells.
        weights : array, shape (cells,), optional
            By default those of `weighting`.
        """
        if weights is None:
            weights = weighting(design, sizes, gaps, within)
        levels = _Levels.of(design, sizes, weights)
        mean_first = float(weights @ first)
        mean_gaps = (gaps * weights).sum(axis=1)  # each row by itself, to the last bit
        rows = np.concatenate([(first - mean_first)[None, :], gaps - mean_gaps[:, None]])
        between = [PairSums.of(found[0], found[1:]) for found in levels.rows(rows)]
        last = within.scaled(1.0 / levels.degrees) if design.several else None
        if last is None:
            root = np.sqrt(weights)
            last = PairSums.of(rows[0] * root, rows[1:] * root)
        return cls(
            design, mean_first, mean_gaps, (*between, last), levels.coefficients, levels.squares
        )

    def of_pairs(self, a: IntArray, b: IntArray) -> Components:
        """Of the differences of pairs."""
        return self._components(np.stack([sums.of_pairs(a, b) for sums in self.between]))

    def of_models(self, models: IntArray) -> Components:
        """Of models alone."""
        return self._components(np.stack([sums.own_scaled[models] for sums in self.between]))

    def _components(self, between: FloatArray) -> Components:
        return Components(self.design, between, self.coefficients, self.squares)


def weighting(design: Design, sizes: IntArray, gaps: FloatArray, within: PairSums) -> FloatArray:
    """The weight of each cell, for all models; they add up to one."""
    counts = [np.bincount(codes, sizes) for codes in design.codes]
    weights = sizes / sizes.sum()
    if np.ptp(sizes) == 0 and all(np.ptp(count) == 0.0 for count in counts):
        return np.asarray(weights)
    levels = _Levels.of(design, sizes, weights)
    rows = gaps - (gaps * weights).sum(axis=1)[:, None]
    between = [_pooled(found) for found in levels.rows(rows)]
    if design.several:
        between.append(_pooled_sums(within) / levels.degrees)
    else:
        between.append(_pooled(rows * np.sqrt(weights)))
    components = np.maximum(np.linalg.solve(levels.coefficients, np.array(between)), 0.0)
    components[-1] = max(components[-1], LEAST * components.sum())
    if not components[-1] > 0.0:
        return np.asarray(weights)
    varies = components[-1] + sum(
        part * count[codes]
        for part, count, codes in zip(components, counts, design.codes, strict=False)
    )
    weights = sizes / varies
    return np.asarray(weights / weights.sum())


def _pooled_sums(sums: PairSums) -> float:
    """Of all pairs together."""
    if sums.gaps is not None:
        return sums.factor * _pooled(sums.gaps)
    return 0.5 * float(sums.whole().sum())


def _pooled(rows: FloatArray) -> float:
    """Σ (x_a − x_b)² over all pairs of rows."""
    total = rows.sum(axis=0)
    return float(len(rows) * np.sum(rows**2) - total @ total)


@dataclass(frozen=True, eq=False)
class _Levels:
    """Weights of levels, and the linear system that follows from them."""

    design: Design
    weights: FloatArray
    of_levels: tuple[FloatArray, ...]
    coefficients: FloatArray
    squares: FloatArray
    degrees: float  # of points within cells

    @classmethod
    def of(cls, design: Design, sizes: IntArray, weights: FloatArray) -> _Levels:
        of_levels = tuple(np.bincount(codes, weights).astype(np.float64) for codes in design.codes)
        n_parts = len(of_levels)
        of_points = weights**2 / sizes
        squares = np.array([*(each @ each for each in of_levels), of_points.sum()])
        found = np.ones((n_parts + 1, n_parts + 1))
        for f, codes in enumerate(design.codes):
            found[f, -1] = np.sum(of_points / of_levels[f][codes])
            for g in range(n_parts):
                if g != f:
                    found[f, g] = _shared_weight(design, f, g, weights, of_levels[f])
        found -= squares
        degrees = float(sizes.sum() - sizes.size)
        if design.several:
            found[-1] = 0.0
            found[-1, -1] = 1.0
        else:
            found[-1, :-1] = 1.0 - squares[:-1]
            found[-1, -1] = np.sum(weights / sizes) - squares[-1]
        return cls(design, weights, of_levels, found, squares, degrees)

    def rows(self, rows: FloatArray) -> list[FloatArray]:
        """√W_l d_l of each part: rows × levels."""
        found = []
        for codes, weights in zip(self.design.codes, self.of_levels, strict=True):
            sums = np.stack([np.bincount(codes, row * self.weights, weights.size) for row in rows])
            found.append(sums / np.sqrt(weights))
        return found


def _shared_weight(
    design: Design, f: int, g: int, weights: FloatArray, of_levels: FloatArray
) -> float:
    """K_fg = Σ w_lm²/W_l over the combinations of levels of two parts."""
    codes = design.codes[f]
    own, other = set(design.parts[f]), set(design.parts[g])
    if len(own | other) == len(design.outer):
        return float(np.sum(weights**2 / of_levels[codes]))  # these combinations are the cells
    both = joined([codes, design.codes[g]])
    level = np.zeros(int(both.max()) + 1, dtype=np.intp)
    level[both] = codes
    return float(np.sum(np.bincount(both, weights) ** 2 / of_levels[level]))


@dataclass(frozen=True, eq=False)
class Components:
    """The components of variance of several pairs, or of several models.

    Attributes
    ----------
    design : Design
    between : array, shape (parts + 1, pairs)
        B.
    coefficients, squares : array
        Of `Moments`.
    """

    design: Design
    between: FloatArray
    coefficients: FloatArray
    squares: FloatArray

    @cached_property
    def values(self) -> FloatArray:
        """τ² of each part, and σ² last: (parts + 1) × pairs."""
        return np.asarray(np.maximum(np.linalg.solve(self.coefficients, self.between), 0.0))

    def over(self, new_levels: FloatArray) -> Spent:
        """The budget, over so many new levels of each outermost factor; 0 for one that is kept."""
        design, h = self.design, self.squares
        cost, drawn, growth = design.cost(new_levels)
        seen = np.append(np.where(drawn, h[:-1], 0.0), h[-1])[:, None] * self.values
        new = np.append(cost, h[-1] / growth)[:, None] * self.values
        main = [f for f in design.outermost if drawn[f]]
        single = [f for f in range(len(design.outer)) if drawn[f]]
        square = self.between[single] / np.diag(self.coefficients)[single][:, None]
        floor = h[single][:, None] * square
        short = np.maximum(floor.max(axis=0) - seen.sum(axis=0), 0.0)
        seen[np.asarray(single)[floor.argmax(axis=0)], np.arange(short.size)] += short
        whole = (seen + new).sum(axis=0)
        of_main = [single.index(f) for f in main]
        spent = (h[main] + cost[main])[:, None] * square[of_main]
        rest = (len(main) - 1.0) * (whole - (seen + new)[main].sum(axis=0))
        degrees = np.maximum(1.0 / h[main] - 1.0, 1.0)
        of_rest = max(1.0 / h[-1] - 1.0 - degrees.sum(), 1.0)
        varies = np.sum(spent**2 / degrees[:, None], axis=0) + rest**2 / of_rest
        found = np.divide(
            whole**2, varies, out=np.full_like(whole, degrees.sum()), where=varies > 0.0
        )
        return Spent(seen, new, np.clip(found, 1.0, degrees.sum()))

    def grown(self, growth: FloatArray, new_levels: FloatArray) -> Spent:
        """What is expected of a study with so many times the levels of each outermost factor,
        the observed ones among them, over so many new levels.
        """
        now, then = (
            self._expected(np.ones_like(growth), new_levels),
            self._expected(growth, new_levels),
        )
        degrees = self.over(new_levels).degrees * then.degrees / now.degrees
        return Spent(then.seen, then.new, np.maximum(degrees, 1.0))

    def _expected(self, growth: FloatArray, new_levels: FloatArray) -> Spent:
        """With degrees of freedom of the mean squares that these components give."""
        design = self.design
        cost, drawn, more = design.cost(new_levels)
        kept = [1.0 if new_levels[f] > 0.0 else growth[f] for f in design.outermost]
        times, of_kept = np.empty(len(cost) + 1), np.empty(len(cost) + 1)
        for place, part in enumerate([*design.parts, design.outermost]):
            tops = {design.top(f) for f in part}
            times[place] = np.prod([growth[f] for f in tops])
            of_kept[place] = np.prod([kept[design.outermost.index(f)] for f in tops])
        seen = self.over(new_levels).seen / times[:, None]
        new = np.append(cost, self.squares[-1] / more)[:, None] * self.values / of_kept[:, None]
        both = seen + new
        main = [f for f in design.outermost if drawn[f]]
        spent, of_main = [], []
        for f in main:
            inside = [any(design.top(g) == f for g in part) for part in design.parts]
            spent.append(both[np.append(inside, True)].sum(axis=0))
            of_main.append(max(growth[f] / self.squares[f] - 1.0, 1.0))
        rest = (len(main) - 1.0) * (both.sum(axis=0) - both[main].sum(axis=0))
        of_rest = max(float(np.prod(growth)) / self.squares[-1] - 1.0 - sum(of_main), 1.0)
        varies = rest**2 / of_rest + sum(
            part**2 / degrees for part, degrees in zip(spent, of_main, strict=True)
        )
        whole = both.sum(axis=0) ** 2
        most = np.full_like(whole, sum(of_main))
        found = np.divide(whole, varies, out=most.copy(), where=varies > 0.0)
        return Spent(seen, new, np.clip(found, 1.0, most))


@dataclass(frozen=True, eq=False)
class Spent:
    """What was seen and what is new of each part, and degrees of freedom: (parts + 1) × pairs."""

    seen: FloatArray
    new: FloatArray
    degrees: FloatArray
