"""What the checks for mistakes look at in the losses of one model: ranks, shape, kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np

from rivals._types import FloatArray
from rivals.losses import Losses

# Evenly spaced points and simulated losses that are looked at: more would say the same.
MOST_POINTS = 1024
MOST_SIMULATED = 4096
# Quantiles that tell the shape of a sample.
LEVELS = np.array([0.01, 0.05, 0.5, 0.95, 0.99])
# Those that are compared between samples, and are known from a hundred points.
SHAPE = np.array([0.05, 0.25, 0.5, 0.75, 0.95])
# Of labels or counts are losses with fewer distinct values than this fraction of the points, or
# with the same value in data and simulation at more than this fraction.
FEW_DISTINCT = 0.9
MANY_EQUAL = 0.02


@dataclass(frozen=True, eq=False)
class Side:
    """What the checks look at in one model."""

    name: str
    losses: Losses

    @cached_property
    def observed(self) -> FloatArray:
        """Evenly spaced points, the same of all models."""
        return self.losses.observed[:: -(-self.losses.n_observed // MOST_POINTS)]

    @cached_property
    def simulated(self) -> FloatArray:
        """Evenly spaced simulated losses."""
        values = self.losses.synthetic.ravel()
        return values[:: max(1, -(-values.size // MOST_SIMULATED))]

    @cached_property
    def ranks(self) -> FloatArray:
        """Ranks of the observed losses."""
        return ranks_of(self.observed)

    @cached_property
    def seen(self) -> Shape:
        """Of the observed losses."""
        return Shape.of(self.observed)

    @cached_property
    def own(self) -> Shape:
        """Of the simulated losses; of the observed ones where there are none."""
        return Shape.of(self.simulated) if self.simulated.size else self.seen

    @cached_property
    def of_labels(self) -> bool:
        """Whether losses are those of labels or counts.

        They take few values, or are at many points the same in data and simulation.
        """
        if np.unique(self.observed).size < FEW_DISTINCT * self.observed.size:
            return True
        if not self.losses.n_simulations or self.losses.n_synthetic != self.losses.n_observed:
            return False
        equal = self.losses.simulations[0] == self.losses.observed
        return float(np.mean(equal)) > MANY_EQUAL

    @cached_property
    def fits(self) -> bool:
        """Whether simulated losses are about where the observed ones are, and as wide."""
        if not self.simulated.size:
            return False
        near = abs(self.seen.middle - self.own.middle) <= 0.25 * self.own.span
        as_wide = 0.5 * self.own.span <= self.seen.span <= 2.0 * self.own.span
        return bool(near and as_wide)

    @cached_property
    def from_zero(self) -> bool:
        """Whether the smallest losses are next to nothing, as of squared and absolute errors."""
        lowest = min(self.seen.lowest, self.own.lowest)
        return bool(0.0 <= lowest < 0.01 * self.seen.middle)


@dataclass(frozen=True)
class Shape:
    """Where a sample of losses lies."""

    levels: FloatArray  # quantiles
    lowest: float
    middle: float
    span: float  # from the 5 % to the 95 % quantile
    lean: float  # how much further the low end is from the median than the high end
    width: float  # mean distance from the median

    @classmethod
    def of(cls, values: FloatArray) -> Shape:
        """That of a sample."""
        ordered = np.sort(values)
        places = np.rint(LEVELS * (ordered.size - 1)).astype(int)
        low, few, middle, most, high = ordered[places].tolist()
        return cls(
            levels=ordered[np.rint(SHAPE * (ordered.size - 1)).astype(int)],
            lowest=float(ordered[0]),
            middle=middle,
            span=most - few,
            lean=(middle - low) / (high - middle) if high > middle else 1.0,
            width=float(np.mean(np.abs(values - middle))),
        )

    def same_as(self, other: Shape, factor: float, constant: float, within: float) -> bool:
        """Whether it is the other times a factor plus a constant, within so many widths."""
        apart = np.max(np.abs(self.levels - factor * other.levels - constant))
        return bool(apart < within * factor * other.width)


# ---------------------------------------------------------------- correlations


def ranks_of(values: FloatArray) -> FloatArray:
    """Ranks about their mean, ties in the middle."""
    _, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - 0.5 * (counts - 1.0)
    return np.asarray(ranks[where] - 0.5 * (values.size + 1.0))


def correlation(a: FloatArray, b: FloatArray) -> float:
    """Of two samples about their means."""
    scale = sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / scale if scale > 0.0 else 0.0


def independent(a: FloatArray, b: FloatArray) -> bool:
    """Whether ranks of two samples look independent: not correlated, nor otherwise related.

    Losses of two models on the same points may be uncorrelated: one rises with the data where the
    other falls and rises again. In a table of quarters by quarters that shows: χ² would have mean
    9 and variance 18.
    """
    n = a.size
    if abs(correlation(a, b)) >= 2.0 / sqrt(n):
        return False
    quarters = [np.clip(np.floor(4.0 * (ranks / n + 0.5)), 0, 3).astype(int) for ranks in (a, b)]
    counts = np.bincount(4 * quarters[0] + quarters[1], minlength=16).reshape(4, 4)
    by_chance = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / n
    known = by_chance > 0.0
    chi2 = float(np.sum((counts - by_chance)[known] ** 2 / by_chance[known]))
    return chi2 < 9.0 + 2.0 * sqrt(18.0)


def correlation_with_others(ranks: Sequence[FloatArray]) -> FloatArray:
    """Correlation of the ranks of each model with the mean of those of the others."""
    total = np.sum(ranks, axis=0)
    return np.array([correlation(own, total - own) for own in ranks])
