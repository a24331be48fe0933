"""The law of the differences of pairs of models between groups, and what it says of new groups."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rivals._types import BoolArray, FloatArray
from rivals.laws.differences import Mixture
from rivals.laws.grouped_losses import Pairs
from rivals.laws.next_of_many import NextOfMany
from rivals.method.probability import (
    probability_next,
    probability_over,
    residuals,
    share_of_residuals,
)
from rivals.method.spread import Spread, spread_between_groups

# A mixture of more components than this, pairs × grid × groups, is not kept.
MOST_COMPONENTS = 2**22


@dataclass(frozen=True, eq=False)
class GroupDifferences:
    """The law of the differences of some pairs.

    Those of the same losses are 0. Those that differ by a constant are not judged: P is ½.
    """

    differences: FloatArray
    variances: FloatArray
    alike: BoolArray
    constant: BoolArray
    spread: Spread
    residuals: bool

    @classmethod
    def of(
        cls,
        pairs: Pairs,
        scales: FloatArray,
        *,
        residuals: bool,
        points: tuple[int, int] | None = None,
    ) -> GroupDifferences:
        """From the scales of the priors of τ, priors × pairs; `points` as for the spread."""
        alike = pairs.alike
        constant = pairs.constant
        # Any variance serves where the answer does not come from it.
        safe = np.where((alike | constant)[:, None], 1.0, pairs.variances)
        law = spread_between_groups(pairs.differences, safe, scales, points=points)
        return cls(pairs.differences, safe, alike, constant, law, residuals)

    def below(
        self, value: float | FloatArray, new_groups: float, priors: int | None = None
    ) -> FloatArray:
        """P(the mean difference over so many new groups is below the value), priors × pairs.

        One value for all pairs, or one of each.
        """
        limit = np.broadcast_to(value, self.alike.shape)
        spread = self.spread
        if priors is not None:
            spread = replace(spread, weight=spread.weight[:priors])
        if new_groups == 1.0 and self.residuals:
            found = probability_next(spread, self.differences, self.variances, -limit)
        else:
            found = probability_over(spread, new_groups, -limit)
        found[:, self.alike] = 0.5 + 0.5 * np.sign(limit[self.alike])
        found[:, self.constant] = 0.5
        return found

    def mean_over(self, new_groups: float, exponent: int) -> Mixture | NextGroup:
        """The same as a law of the mean difference, under the first prior.

        In the unit of the losses: that of the differences is two to the power `exponent`.
        """
        spread = self.spread
        std = spread.std_over(new_groups)
        std[self.alike | self.constant] = 0.0
        whole = Mixture(spread.weight[0], spread.centre, std)
        if new_groups != 1.0 or not self.residuals:
            return whole.in_unit(exponent)
        if spread.centre.size * self.differences.shape[1] > MOST_COMPONENTS:
            return NextGroup(self, whole.in_unit(exponent), exponent)
        return self._with_residuals(whole).in_unit(exponent)

    def _with_residuals(self, whole: Mixture) -> Mixture:
        """The law of the next group as a mixture, from the normal one of the same width."""
        spread = self.spread
        weight = whole.weight
        std = whole.std
        n_pairs, n_groups = self.differences.shape
        share = share_of_residuals(n_groups)
        centre = spread.centre[:, :, None]
        residual = residuals(
            self.differences[:, None, :] - centre,
            self.variances[:, None, :],
            spread.tau[:, :, None],
        )
        residual[self.alike | self.constant] = 0.0
        around = (centre + residual).reshape(n_pairs, -1)
        around_weight = np.repeat(weight / n_groups, n_groups, axis=1)
        around_std = np.repeat(np.sqrt(spread.variance), n_groups, axis=1)
        around_std[self.alike | self.constant] = 0.0
        return Mixture(
            np.hstack([(1.0 - share) * weight, share * around_weight]),
            np.hstack([spread.centre, around]),
            np.hstack([std, around_std]),
        )


@dataclass(frozen=True, eq=False)
class NextGroup:
    """The law of the difference in the next group, where there are too many to keep a mixture."""

    law: GroupDifferences
    normal: Mixture  # of the same mean and variance, in the unit of the losses
    exponent: int

    @property
    def is_smooth(self) -> bool:
        return True

    def below(self, value: FloatArray) -> FloatArray:
        law = self.law
        limits = np.ldexp(value, -self.exponent).tolist()
        found = [one.below(limit) for one, limit in zip(self._each, limits, strict=True)]
        # Those that do not vary between groups are a step.
        return np.where(law.alike | law.constant, self.normal.below(value), found)

    def bracket(self, probability: float) -> tuple[FloatArray, FloatArray]:
        low, high = self.normal.bracket(probability)
        lowest, highest = np.transpose([one.range() for one in self._each])
        return (
            np.minimum(low, np.ldexp(lowest, self.exponent)),
            np.maximum(high, np.ldexp(highest, self.exponent)),
        )

    @cached_property
    def _each(self) -> list[NextOfMany]:
        law = self.law
        normal = self.normal.in_unit(-self.exponent)
        return [
            NextOfMany(
                law.differences[pair],
                law.variances[pair],
                law.spread.tau[pair],
                law.spread.variance[pair],
                normal.of_pair(pair),
            )
            for pair in range(len(law.differences))
        ]

    @property
    def std(self) -> FloatArray:
        """Of each point of the grid of τ; 0 where nothing varies."""
        return self.normal.std

    @property
    def mean(self) -> FloatArray:
        return self.normal.mean

    @property
    def deviation(self) -> FloatArray:
        return self.normal.deviation
