"""What law "groups" needs of the losses: means in each group, and what varies within groups.

Nothing here is as large as all pairs of models: pairs are made some at a time, when they are asked
for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rivals._types import BoolArray, FloatArray, IntArray
from rivals.core.sampling_error import ROUNDING, MeanErrors
from rivals.core.scales import largest_magnitude, unit_exponent
from rivals.core.short_series import means_of_series
from rivals.laws.setting import Grouping, Setting
from rivals.losses import Losses

# Pairs are computed in pieces of about this many numbers: what the processor's cache holds.
CHUNK = 2**17
# Squares of larger losses, summed over points, may overflow.
LARGEST = 2.0**480
# Groups are weighted by numbers of this seed, to find models that have the same means in all.
PROJECTION = 0


class Pairs(NamedTuple):
    """Some pairs of models a and b, and their differences a − b in each group.

    Attributes
    ----------
    a, b : array of int, shape (pairs,)
    differences, variances : array, shape (pairs, groups)
        d_g, and its sampling variance σ²/n_g.
    spread : array, shape (pairs,)
        Variance of the losses themselves, which says what is rounding.
    """

    a: IntArray
    b: IntArray
    differences: FloatArray
    variances: FloatArray
    spread: FloatArray

    @property
    def alike(self) -> BoolArray:
        """Whether both models of a pair have the same losses, up to rounding."""
        largest = np.abs(self.differences).max(axis=1)
        same_means = largest <= np.sqrt(ROUNDING * self.spread)
        return np.asarray(same_means & self._same_within)

    @property
    def constant(self) -> BoolArray:
        """Whether a pair differs by the same amount at every point.

        Nothing shows how groups differ.
        """
        largest = np.abs(self.differences).max(axis=1)
        rounding = ROUNDING * (largest + np.sqrt(self.spread))
        same = np.ptp(self.differences, axis=1) <= rounding
        return np.asarray((largest > 0.0) & same & self._same_within & ~self.alike)

    @property
    def _same_within(self) -> BoolArray:
        return np.asarray(self.variances.max(axis=1) <= ROUNDING * self.spread)


@dataclass(frozen=True, eq=False)
class GroupedLosses:
    """What the law needs of the losses, whatever c is; in the unit two to the power `exponent`."""

    exponent: int
    sizes: IntArray
    means: FloatArray  # of each model in each group, less the reference
    within: MeanErrors  # covariance of the losses of all models within groups, pooled
    series: FloatArray | None  # losses group by group, if the points are a series
    singles: FloatArray  # W², [model, simulation]; no column without simulations
    squares: FloatArray  # their means over simulations; 0 without

    @classmethod
    def of(
        cls,
        losses: Sequence[Losses],
        distances: FloatArray,
        reference: float,
        setting: Setting,
    ) -> GroupedLosses:
        """Of all models; `distances` are W of each simulation, [model, simulation]."""
        assert setting.groups is not None  # `Groups.check` asks for them
        rows = np.argsort(setting.groups.codes, kind="stable")
        by_group = np.stack([sample.observed[rows] for sample in losses])
        by_group -= reference
        exponent = unit_exponent(np.hstack([by_group, distances]))
        if exponent:
            np.ldexp(by_group, -exponent, out=by_group)
        _check_magnitudes(by_group)
        singles = np.ldexp(distances, -exponent) ** 2
        squares = singles.mean(axis=1) if singles.size else np.zeros(len(losses))
        series = None
        if setting.order == "time":
            # Not less the reference, which depends on all models.
            series = np.stack([np.ldexp(sample.observed[rows], -exponent) for sample in losses])
        means, within = _means_and_within(by_group, setting.groups)
        return cls(exponent, setting.groups.sizes, means, within, series, singles, squares)

    def single(self) -> tuple[FloatArray, FloatArray]:
        """Means of each model in each group, and their sampling variances."""
        if self.series is None:
            return self.means, np.maximum(self.within.variance[:, None], 0.0) / self.sizes[None, :]
        own = np.empty_like(self.means)
        for model, row in enumerate(self.series):
            own[model] = means_of_series(row[None, :], self.sizes)[1][0]
        return self.means, own

    # ---------------------------------------------------------------- pairs

    def pairs(self, a: IntArray, b: IntArray) -> Pairs:
        """Each model of a with that of b beside it."""
        return self._pairs(a, b, self.within.of_pairs(a, b))

    def in_pieces(
        self, first: IntArray, second: IntArray, wanted: BoolArray, width: int
    ) -> Iterator[tuple[IntArray, IntArray, Pairs]]:
        """The pairs of first[i] and second[j] with wanted[i, j], some at a time, with i and j.

        The model that comes first is a. `width` is how many numbers are computed of each pair.
        """
        covariance = self.within.covariance(first, second)
        rows, columns = np.nonzero(wanted)
        step = max(CHUNK // max(width, self.sizes.size), 1)
        for begin in range(0, rows.size, step):
            row = rows[begin : begin + step]
            column = columns[begin : begin + step]
            a = np.minimum(first[row], second[column])
            b = np.maximum(first[row], second[column])
            yield row, column, self._pairs(a, b, covariance[row, column])

    def _pairs(self, a: IntArray, b: IntArray, covariance: FloatArray) -> Pairs:
        own = self.within.variance
        spread = own[a] + own[b]
        if self.series is None:
            sigma = np.maximum(spread - 2.0 * covariance, 0.0)
            differences = self.means[a] - self.means[b]
            return Pairs(a, b, differences, sigma[:, None] / self.sizes[None, :], spread)
        differences = np.empty((a.size, self.sizes.size))
        variances = np.empty_like(differences)
        step = max(CHUNK // self.series.shape[1], 1)
        for begin in range(0, a.size, step):
            piece = slice(begin, begin + step)
            paired = self.series[a[piece]] - self.series[b[piece]]
            differences[piece], variances[piece] = means_of_series(paired, self.sizes)
        return Pairs(a, b, differences, variances, spread)

    def nearly_equal(self) -> Iterator[Pairs]:
        """Pairs that may be alike or differ by a constant: all of those, and few others.

        Their means less the mean over groups are the same. So is then any weighted sum of them,
        and models with nearly the same sum stand side by side once they are sorted by it.
        """
        means = self.means - self.means.mean(axis=1, keepdims=True)
        n_groups = means.shape[1]
        weights = np.random.default_rng(PROJECTION).random(n_groups)
        place = np.sum(means * weights, axis=1)
        # Both conditions of `Pairs` bound the range of d_g by this. Both models vary alike within
        # groups, so that the variance of one tells that of the other.
        rounding = 4.0 * ROUNDING * np.abs(self.means).max()
        tolerance = 2.0 * np.sqrt(3.0 * ROUNDING * self.within.variance) + rounding
        tolerance *= n_groups
        order = np.argsort(place, kind="stable")
        begins = np.searchsorted(place[order], place - tolerance, side="left")
        ends = np.searchsorted(place[order], place + tolerance, side="right")
        step = max(CHUNK // n_groups, 1)
        for model in np.flatnonzero(ends - begins > 1).tolist():
            beside = order[begins[model] : ends[model]]
            beside = np.sort(beside[beside > model])
            for begin in range(0, beside.size, step):
                others = beside[begin : begin + step]
                yield self.pairs(np.full(others.size, model), others)


def _check_magnitudes(by_group: FloatArray) -> None:
    """Refuse models of which one is so much larger than another that no unit serves both."""
    largest = largest_magnitude(by_group)
    place = int(largest.argmax())
    if largest[place] < LARGEST:
        return
    raise ValueError(
        f"the losses of model {place + 1} of {largest.size} reach {largest[place]:.3g}, and those "
        f"of another {largest.min():.3g}: squares of both have no common unit; leave out the model "
        "whose losses are that large, which has failed, or rescale the loss of all"
    )


def _means_and_within(by_group: FloatArray, groups: Grouping) -> tuple[FloatArray, MeanErrors]:
    """Means in each group, and the pooled covariance: Σ_g Σ_i (d_gi − d_g)² / (N − G) of a pair.

    Losses are in the order of the groups.
    """
    sizes = groups.sizes
    begins = np.cumsum(sizes) - sizes
    group = np.repeat(np.arange(sizes.size), sizes)
    means = np.add.reduceat(by_group, begins, axis=1) / sizes
    deviations = by_group - np.take(means, group, axis=1)
    # Once more: means of large losses are rounded.
    left = np.add.reduceat(deviations, begins, axis=1) / sizes
    deviations -= np.take(left, group, axis=1)
    deviations[:, sizes[group] == 1] = 0.0
    # Each model in a unit of its own, in which squares are safe.
    exponents = np.frexp(largest_magnitude(deviations))[1]
    np.ldexp(deviations, -exponents[:, None], out=deviations)
    degrees = group.size - sizes.size
    factor = 1.0 / degrees if degrees else 0.0
    return means, MeanErrors(deviations, factor, exponents)
