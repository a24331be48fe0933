"""Law "groups": replications at hand. The spread between groups says what changes between them.

Assumption. The difference of two risks is N(μ, τ²) over replications, and each group at hand is
one of them. Its mean paired difference d_g has the sampling variance σ²/n_g, with σ² pooled within
groups: losses are skewed, so that a variance of its own would weight down the groups in which a
model does badly. Of series it is the variance of the mean of n_g points of an autoregression.

    d_g ~ N(μ, τ² + σ²/n_g),  μ flat,
    τ ~ half-t with 3 degrees of freedom and scale √(c/2 · mean_g (W_ag² + W_bg²)) .

W_ag is the transport distance of simulated from observed losses of model a *within* group g. Why
c/2: the data at hand deviate from the mean by τ, and so does the next replication; the variance 2
τ² of their difference is the c W² of law "transport", of which this is the continuation to several
data sets. Without simulations τ is flat on [0, ∞), proper from three groups on.

Formula. P(a better than b over m new groups) = E_τ Φ( −μ̂ / √(V + τ²/m) ), μ̂ and V the mean and
variance of μ given τ. m = G, the number of groups at hand, is the study repeated; m = 1 the next
group, for which the residuals of the groups at hand replace the normal law; m = ∞ the mean of all
groups to come. P is of mean risks over new groups that weigh the same, without sampling noise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import inf
from typing import Any, ClassVar

import numpy as np

from rivals._say.words import show
from rivals._types import BoolArray, FloatArray, IntArray
from rivals.core.few_pairs import decide
from rivals.core.more_groups import Outlook
from rivals.core.scales import unit_exponent
from rivals.core.short_series import SHORTEST
from rivals.laws.base import Applied, Centre, Correct, Law, Measured
from rivals.laws.differences import Mixture, interval
from rivals.laws.group_differences import GroupDifferences, NextGroup
from rivals.laws.grouped_losses import CHUNK, GroupedLosses, Pairs
from rivals.laws.setting import Grouping, Setting
from rivals.losses import Losses
from rivals.method.distance import wasserstein_distances
from rivals.method.rule import Duel
from rivals.method.spread import POINTS, Spread, spread_between_groups

# Series of fewer points hardly show their autocorrelation.
SHORT = 5
# With fewer groups than this and no simulations, the flat prior of τ is not proper.
LEAST_GROUPS = 3
# More pairs than this are counted, not named.
MOST_PAIRS = 3
# Below this part of the number of groups, those of most points dominate a mean over points.
FEW_EFFECTIVE = 0.5
# Many pairs are computed roughly first, to see which may reject: with so many points of τ the
# probability is off by less than a third of this error, with so many groups at most (tested).
ROUGH_POINTS = (15, 32)
ROUGH_ERROR = 0.03
MOST_ROUGHLY = 60
# Fewer pairs than this are computed as they are.
FEW_PAIRS = 100


@dataclass(frozen=True)
class Groups(Law):
    """Law "groups": which model is better in new groups, from the spread between those at hand.

    By default the question is the study repeated: as many new groups as there are. Simulations,
    where there are any, are the prior of the spread, with c; two groups are then enough. Without
    them it takes three, and there is no c.

    Parameters
    ----------
    residuals : bool
        Whether the next group takes after the residuals of the groups at hand, which may be
        skewed; False for a normal law. Only the question about one new group depends on it.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> rng = np.random.default_rng(0)
    >>> school = np.repeat(np.arange(8), 100)
    >>> a = rng.exponential(size=800)
    >>> losses = {"A": a, "B": a + 0.3 + 0.1 * rng.standard_normal(8)[school]}
    >>> result = rivals.compare(losses, groups=school)
    >>> result.survivors, result.won.tolist()
    (('A',), [[0, 8], [0, 0]])
    """

    residuals: bool = True

    name: ClassVar[str] = "groups"
    default_c: ClassVar[float] = 0.25
    grid: ClassVar[tuple[float, ...]] = tuple(2.0**octave for octave in range(-6, 5))
    needs_simulations: ClassVar[bool] = False
    needs_groups: ClassVar[bool] = True
    measured: ClassVar = {
        True: {
            ("next", 2): Measured(6.31, 2.02, 8.68),
            ("next", 3): Measured(6.46, 1.48, 10.47),
            ("next", 4): Measured(10.6, 2.99, 10.35),
            ("next", 5): Measured(5.01, 0.91, 13.24),
            ("next", 6): Measured(7.56, 1.65, 14.27),
            ("next", 8): Measured(5.38, 0.91, 17.86),
            ("next", 10): Measured(5.07, 0.9, 18.1),
            ("next", 20): Measured(8.88, 1.76, 24.29),
            ("study", 2): Measured(6.58, 2.46, 10.31),
            ("study", 3): Measured(5.43, 1.36, 17.32),
            ("study", 4): Measured(8.48, 2.75, 17.94),
            ("study", 5): Measured(4.5, 0.94, 26.94),
            ("study", 6): Measured(5.07, 1.32, 28.02),
            ("study", 8): Measured(3.32, 0.73, 36.99),
            ("study", 10): Measured(5.59, 1.39, 40.04),
            ("study", 20): Measured(4.86, 1.17, 53.39),
            ("all", 2): Measured(6.33, 1.99, 19.05),
            ("all", 3): Measured(7.79, 1.54, 28.11),
            ("all", 4): Measured(9.59, 2.33, 29.14),
            ("all", 5): Measured(5.55, 1.09, 37.28),
            ("all", 6): Measured(7.28, 1.56, 38.02),
            ("all", 8): Measured(3.9, 0.75, 47.97),
            ("all", 10): Measured(6.99, 1.48, 50.54),
            ("all", 20): Measured(6.62, 1.4, 60.58),
        },
        False: {
            ("next", 3): Measured(0.89, 1.01, 0.43),
            ("next", 4): Measured(9.42, 3.45, 5.08),
            ("next", 5): Measured(4.35, 1.07, 8.72),
            ("next", 6): Measured(4.65, 1.19, 9.79),
            ("next", 8): Measured(4.41, 0.86, 14.82),
            ("next", 10): Measured(4.47, 0.84, 16.51),
            ("next", 20): Measured(8.84, 1.85, 22.22),
            ("study", 3): Measured(1.53, 1.01, 1.84),
            ("study", 4): Measured(7.8, 3.14, 10),
            ("study", 5): Measured(3.44, 0.83, 19.45),
            ("study", 6): Measured(4.2, 1.33, 23.75),
            ("study", 8): Measured(2.77, 0.66, 33.77),
            ("study", 10): Measured(5.2, 1.22, 37.98),
            ("study", 20): Measured(4.92, 1.21, 51.38),
            ("all", 3): Measured(2.66, 1.56, 4.05),
            ("all", 4): Measured(7.53, 3, 16.19),
            ("all", 5): Measured(4.69, 1.04, 28.33),
            ("all", 6): Measured(5.51, 1.44, 31.08),
            ("all", 8): Measured(3.65, 0.78, 43.97),
            ("all", 10): Measured(6.36, 1.39, 47.44),
            ("all", 20): Measured(6.54, 1.4, 60.32),
        },
    }
    about: ClassVar[str] = (
        "Probabilities are for new groups from the same population. They hold as far as groups "
        "differ as replications of the experiment would."
    )
    method: ClassVar[str] = (
        "For each pair of models, the difference of their mean losses in new groups was predicted "
        "from its spread between the groups at hand: d_g ~ N(μ, τ² + σ²/n_g), with a flat prior of "
        "μ and the pooled variance σ² within groups (law groups)."
    )
    method_of_c: ClassVar[str] = (
        "The prior of τ is half-t with 3 degrees of freedom; its scale squared is c/2 times the "
        "sum of both models' squared 1-Wasserstein distances between losses on the data and on "
        "their own simulations, within groups."
    )
    overlap: ClassVar[str] = (
        "Models meet the same groups, so they may overlap although one is better in nearly all of "
        "them."
    )

    def apply(
        self, losses: Sequence[Losses], setting: Setting, summaries: Sequence[Any] | None = None
    ) -> GroupsRisks:
        return GroupsRisks(self, losses, setting, summaries)

    def uses_c(self, n_simulations: int) -> bool:
        return n_simulations > 0

    def summary(self, losses: Losses, setting: Setting) -> FloatArray:
        """W of each simulation: the root of the mean over groups of its square within each group.

        All groups weigh the same.
        """
        assert setting.groups is not None  # `check` asks for them
        if not losses.n_simulations:
            return np.zeros(0)
        observed = losses.observed - losses.reference
        synthetic = losses.simulations - losses.reference
        distances = np.stack(
            [
                wasserstein_distances(observed[inside], synthetic[:, inside])
                for inside in setting.groups.members()
            ]
        )
        unit = unit_exponent(distances)
        mean_square = np.mean(np.ldexp(distances, -unit) ** 2, axis=0)
        return np.asarray(np.ldexp(np.sqrt(mean_square), unit))

    def check(self, losses: Losses, setting: Setting) -> None:
        groups = setting.groups
        if groups is None:
            raise ValueError(
                "law 'groups' needs groups: got none; pass groups=, the label of the replication "
                "of each point"
            )
        n_groups = len(groups.names)
        if n_groups < 2:
            raise ValueError(
                f"groups: all points are in one group ({show(groups.names[0])}), so nothing shows "
                "what changes between replications; leave groups out and pass simulations (law "
                "'transport')"
            )
        if losses.n_simulations and losses.n_synthetic != losses.n_observed:
            raise ValueError(
                f"{losses.n_synthetic} synthetic but {losses.n_observed} observed losses: law "
                "'groups' compares them group by group, point i of a simulation being in the group "
                "of point i of the data; simulate as many points, in the same order, or leave the "
                "simulations out"
            )
        if n_groups < LEAST_GROUPS and not losses.n_simulations:
            raise ValueError(
                f"groups: {n_groups} groups without simulations cannot tell how much groups "
                f"differ; pass simulations of the models, or {LEAST_GROUPS} groups or more"
            )


class GroupsRisks(Applied):
    """Law "groups" of all models."""

    law: Groups

    def __init__(
        self,
        law: Groups,
        losses: Sequence[Losses],
        setting: Setting,
        summaries: Sequence[Any] | None = None,
        *,
        centre: Centre | None = None,
        grouped: GroupedLosses | None = None,
        horizons: Sequence[float] = (1.0, inf),
    ) -> None:
        super().__init__(law, losses, setting, summaries, centre=centre)
        assert setting.groups is not None  # `Groups.check` asks for them
        self.groups: Grouping = setting.groups
        if grouped is None:
            if summaries is None:
                summaries = [law.summary(each, setting) for each in losses]
            grouped = GroupedLosses.of(self.losses, np.stack(summaries), self.reference, setting)
        self.grouped = grouped
        # Beside the horizon asked for, those at which a table shows the best: the next group, and
        # all to come.
        self._horizons = tuple(horizons)
        self._margin = float(np.ldexp(setting.margin, -grouped.exponent))

    def changed(self, **changes: Any) -> GroupsRisks:
        return GroupsRisks(
            self.law,
            self.losses,
            replace(self.setting, **changes),
            self.summaries,
            centre=self.centre,
            grouped=self.grouped,
            horizons=self._horizons,
        )

    def quick(self) -> GroupsRisks:
        """The same numbers, at the horizon asked for alone; others are made when asked for."""
        return GroupsRisks(
            self.law,
            self.losses,
            self.setting,
            self.summaries,
            centre=self.centre,
            grouped=self.grouped,
            horizons=(),
        )

    # ---------------------------------------------------------------- the verdict

    def decide(self) -> tuple[dict[int, Duel], list[Duel]]:
        return self._decided[0], []

    def rejected_by_simulation(self, correct: Correct | None) -> BoolArray:
        if correct is not None:
            return super().rejected_by_simulation(correct)
        return self._decided[1][1:]

    @cached_property
    def _decided(self) -> tuple[dict[int, Duel], BoolArray]:
        """The duels that reject, and whether each prior rejects each model, from few pairs."""
        threshold = self.setting.threshold
        return decide(self.empirical, threshold, len(self._priors), self._beating)

    def _beating(self, rivals: IntArray, models: IntArray, wanted: BoolArray) -> FloatArray:
        """[prior, rival, model] = P(the rival is better by more than the margin).

        0 where it is not wanted, or surely does not exceed the threshold.
        """
        grouped = self.grouped
        probability = np.zeros((len(self._priors), *wanted.shape))
        if grouped.sizes.size <= MOST_ROUGHLY and np.count_nonzero(wanted) > FEW_PAIRS:
            wanted = self._within_reach(rivals, models, wanted)
        for row, column, pairs in grouped.in_pieces(rivals, models, wanted, self._width):
            probability[:, row, column] = self._exceeding(pairs, forward=pairs.a == rivals[row])
        return probability

    def _within_reach(self, rivals: IntArray, models: IntArray, wanted: BoolArray) -> BoolArray:
        """The wanted pairs whose probability, computed roughly, may exceed the threshold."""
        least = self.setting.threshold - ROUGH_ERROR
        width = sum(ROUGH_POINTS) * len(self._priors)
        found = np.zeros_like(wanted)
        for row, column, pairs in self.grouped.in_pieces(rivals, models, wanted, width):
            forward = pairs.a == rivals[row]
            roughly = self._exceeding(pairs, forward=forward, points=ROUGH_POINTS)
            found[row, column] = roughly.max(axis=0) > least
        return found

    def _exceeding(
        self, pairs: Pairs, *, forward: BoolArray, points: tuple[int, int] | None = None
    ) -> FloatArray:
        """P(a better than b by more than the margin), or b than a where not forward."""
        law = self._law_of(pairs, points)
        limit = np.where(forward, -self._margin, self._margin)
        below = law.below(limit, self.setting.horizon)
        if not self._margin and len(below) > 1:
            # As in `matrix`, to the last bit: without points of τ that only single simulations
            # have.
            below[0] = law.below(limit, self.setting.horizon, priors=1)[0]
        return np.where(forward, below, 1.0 - below)

    # ---------------------------------------------------------------- every pair

    def matrix(self) -> tuple[FloatArray, FloatArray]:
        matrix = self._matrices.better
        return matrix, np.zeros_like(matrix)

    def exceedance(self) -> tuple[FloatArray, FloatArray]:
        return self._matrices.exceeds, np.zeros_like(self._matrices.exceeds)

    def single_matrices(self) -> Iterator[FloatArray]:
        return iter(self._matrices.alone)

    def over(self, new_groups: float) -> FloatArray:
        if new_groups == self.setting.horizon:
            return self._matrices.better
        if new_groups not in self._at_other_horizons:
            other = self.changed(new_groups=new_groups, margin=0.0)
            self._at_other_horizons[new_groups] = other.matrix()[0]
        return self._at_other_horizons[new_groups]

    @cached_property
    def _at_other_horizons(self) -> dict[float, FloatArray]:
        """`over` of other numbers of new groups, where it was asked for."""
        return {}

    @cached_property
    def _matrices(self) -> _Matrices:
        """All pairs, at the horizon of this comparison."""
        n_models = self.empirical.size
        every = np.arange(n_models)
        better = np.full((n_models, n_models), 0.5)
        diagonal = 0.0 if self._margin else 0.5
        exceeds = np.full((len(self._priors), n_models, n_models), diagonal)
        step = max(CHUNK // n_models, 1)
        for begin in range(0, n_models, step):
            here = every[begin : begin + step]
            later = here[:, None] < every[None, :]
            for _, _, pairs in self.grouped.in_pieces(here, every, later, self._width):
                self._fill(pairs, better, exceeds)
        if not self._margin:
            exceeds[0] = better
        return _Matrices(better, exceeds[0], exceeds[1:])

    def _fill(self, pairs: Pairs, better: FloatArray, exceeds: FloatArray) -> None:
        """Write what some pairs say into matrices of all."""
        a = pairs.a
        b = pairs.b
        law = self._law_of(pairs)
        probability = law.below(0.0, self.setting.horizon, priors=1)[0]
        better[a, b] = probability
        better[b, a] = 1.0 - probability
        if self._margin:
            exceeds[:, a, b] = law.below(-self._margin, self.setting.horizon)
            exceeds[:, b, a] = 1.0 - law.below(self._margin, self.setting.horizon)
        elif len(exceeds) > 1:
            probability = law.below(0.0, self.setting.horizon)
            exceeds[:, a, b] = probability
            exceeds[:, b, a] = 1.0 - probability

    # ---------------------------------------------------------------- the best beside each

    def better_best(self) -> FloatArray:
        return self.over_best(self.setting.horizon)

    def over_best(self, new_groups: float) -> FloatArray:
        if new_groups not in self._best_over:
            return self.changed(new_groups=new_groups, margin=0.0).over_best(new_groups)
        return self._best_over[new_groups]

    def exceeds_best(self) -> tuple[FloatArray, FloatArray]:
        return self._best_exceeds

    @cached_property
    def _best_over(self) -> dict[float, FloatArray]:
        """The row of the best model, of `over`: at all horizons that a table shows."""
        n_groups = float(self.grouped.sizes.size)
        horizons = {self.setting.horizon, n_groups, *self._horizons}
        found = {m: np.full(self.empirical.size, 0.5) for m in horizons}
        for other, forward, law in self._beside_best():
            for m, row in found.items():
                below = law.below(0.0, m, priors=1)[0]
                row[other] = np.where(forward, below, 1.0 - below)
        return found

    @cached_property
    def _best_exceeds(self) -> tuple[FloatArray, FloatArray]:
        """The row and the column of the best model, of `exceedance`."""
        if not self._margin:
            row = self._best_over[self.setting.horizon]
            return row, 1.0 - row
        row = np.zeros(self.empirical.size)
        column = np.zeros(self.empirical.size)
        for other, forward, law in self._beside_best():
            less = law.below(-self._margin, self.setting.horizon, priors=1)[0]
            more = 1.0 - law.below(self._margin, self.setting.horizon, priors=1)[0]
            row[other] = np.where(forward, less, more)
            column[other] = np.where(forward, more, less)
        return row, column

    def _beside_best(self) -> Iterator[tuple[IntArray, BoolArray, GroupDifferences]]:
        """The law of the differences of the best model and others, some at a time.

        With the others, and whether the best comes before them, so that it is a.
        """
        every = np.arange(self.empirical.size)
        best = every[[self.best]]
        wanted = (every != self.best)[None, :]
        for _, other, pairs in self.grouped.in_pieces(best, every, wanted, self._width):
            yield other, pairs.a == self.best, self._law_of(pairs)

    # ---------------------------------------------------------------- the law of some pairs

    @cached_property
    def _priors(self) -> FloatArray:
        """W² of each model: the mean over simulations first, then each alone if they are several.

        Priors × models.
        """
        grouped = self.grouped
        several = grouped.singles.shape[1] > 1
        alone = grouped.singles.T if several else np.empty((0, self.empirical.size))
        return np.concatenate([grouped.squares[None, :], alone])

    @property
    def _width(self) -> int:
        """How many numbers are computed of each pair: points of the grid of τ, of each prior."""
        return POINTS * len(self._priors)

    def _law_of(self, pairs: Pairs, points: tuple[int, int] | None = None) -> GroupDifferences:
        """Under all priors."""
        squares = self._priors[:, pairs.a] + self._priors[:, pairs.b]
        scales = self._scale(squares)
        return GroupDifferences.of(pairs, scales, residuals=self.law.residuals, points=points)

    def _pair(self, a: IntArray, b: IntArray) -> GroupDifferences:
        """Under the first prior alone, of each model of a with that of b beside it."""
        squares = self.grouped.squares
        scales = self._scale((squares[a] + squares[b])[None, :])
        pairs = self.grouped.pairs(a, b)
        return GroupDifferences.of(pairs, scales, residuals=self.law.residuals)

    def _scale(self, squares: FloatArray) -> FloatArray:
        """Of the prior of τ, from a sum of W² of two models: √(c/2 · …).

        0, a flat prior, without simulations.
        """
        if not self.grouped.singles.size:
            return np.zeros(squares.shape)
        return np.asarray(np.sqrt(0.5 * self.setting.c * squares))

    def differences(self, first: IntArray, second: IntArray) -> Mixture | NextGroup:
        return self.differences_over(first, second, self.setting.horizon)

    def judged(self, first: IntArray, second: IntArray) -> BoolArray:
        return ~self.grouped.pairs(first, second).constant

    def differences_over(
        self, first: IntArray, second: IntArray, new_groups: float
    ) -> Mixture | NextGroup:
        """The law of the mean difference over so many new groups, in the unit of the losses."""
        return self._pair(first, second).mean_over(new_groups, self.grouped.exponent)

    # ---------------------------------------------------------------- what happened in the groups

    @cached_property
    def won(self) -> IntArray:
        counts = np.stack([self._won_by(model) for model in range(self.empirical.size)])
        counts.flags.writeable = False
        return counts

    @cached_property
    def won_by_best(self) -> IntArray:
        return self._won_by(self.best)

    def _won_by(self, model: int) -> IntArray:
        """In how many groups it has a lower mean loss than each."""
        means = self.grouped.means
        return np.asarray(np.sum(means[model] < means, axis=1))

    def in_each_group(self, a: int, b: int) -> tuple[FloatArray, FloatArray]:
        """Mean loss of a less that of b in each group, with its sampling error."""
        pair = self.grouped.pairs(np.array([a]), np.array([b]))
        exponent = self.grouped.exponent
        error = np.sqrt(pair.variances[0])
        return np.ldexp(pair.differences[0], exponent), np.ldexp(error, exponent)

    def new_difference(self, a: int, b: int) -> Mixture | NextGroup:
        """The law of that difference in the next group, in the unit of the losses."""
        return self.differences_over(np.array([a]), np.array([b]), 1.0)

    def better_in_next(self, a: int, b: int) -> float:
        """P(a better than b in the next group)."""
        pair = self._pair(np.array([a]), np.array([b]))
        return float(pair.below(0.0, 1.0)[0, 0])

    def spread(self, first: IntArray, second: IntArray) -> Spread:
        """The law of μ and τ of each of these pairs, in the unit of the losses."""
        pair = self._pair(first, second)
        exponent = self.grouped.exponent
        return Spread(
            pair.spread.weight,
            np.ldexp(pair.spread.centre, exponent),
            np.ldexp(pair.spread.variance, 2 * exponent),
            np.ldexp(pair.spread.tau, exponent),
        )

    def outlook(self, a: int, b: int) -> Outlook:
        """What more groups, of sizes as at hand, may bring for a pair.

        In the unit of `grouped`.
        """
        pair = self._pair(np.array([a]), np.array([b]))
        # Equal losses exceed no margin, and losses that differ by a constant are not judged.
        margin = inf if pair.alike[0] or pair.constant[0] else self._margin
        return Outlook(
            pair.spread,
            float(pair.variances.mean()),
            at_hand=self.grouped.sizes.size,
            new_groups=self.setting.new_groups,
            margin=margin,
            threshold=self.setting.threshold,
        )

    # ---------------------------------------------------------------- each risk

    @cached_property
    def _risks(self) -> Mixture:
        """The mean risk of each model over the new groups."""
        grouped = self.grouped
        means, own = grouped.single()
        scale = self._scale(grouped.squares)
        # One loss at every point, as of a guess: nothing varies, and any variance serves.
        constant = (own.max(axis=1) == 0.0) & (np.ptp(means, axis=1) == 0.0)
        safe = np.where(constant[:, None], 1.0, own)
        spread = spread_between_groups(means, safe, scale[None, :])
        std = spread.std_over(self.setting.horizon)
        std[constant] = 0.0
        return Mixture(spread.weight[0], spread.centre, std).in_unit(grouped.exponent)

    @cached_property
    def risk_mean(self) -> FloatArray:
        return self.reference + self._risks.mean

    @cached_property
    def risk_std(self) -> FloatArray:
        """Infinite where it does not exist.

        Four groups or fewer and a flat prior have no variance.
        """
        heavy = (self.grouped.squares == 0.0) & (len(self.groups.names) <= 4)
        return np.where(heavy, np.inf, self._risks.deviation)

    def _interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        return interval(self._risks, level)

    @cached_property
    def _drawn(self) -> tuple[FloatArray, FloatArray]:
        """Between which values densities are drawn."""
        return self.interval(0.98)

    def samplers(self) -> Sequence[Any]:
        return [self._risks.one(model) for model in range(self.empirical.size)]

    def density(self, index: int, n_points: int) -> tuple[FloatArray, FloatArray]:
        low = float(self._drawn[0][index])
        high = float(self._drawn[1][index])
        if not high > low:
            return np.array([low]), np.array([np.inf])
        values = np.linspace(low, high, n_points)
        return values, self._risks.density(index, values)

    @property
    def distance(self) -> FloatArray:
        if not self.grouped.singles.size:
            return super().distance
        return np.ldexp(np.sqrt(self.grouped.squares), self.grouped.exponent)

    # ---------------------------------------------------------------- remarks

    @property
    def effective_groups(self) -> float:
        """m_eff = N²/Σ n_g²: so many groups of equal size a mean over all points is worth."""
        sizes = self.groups.sizes.astype(np.float64)
        return float(sizes.sum() ** 2 / np.sum(sizes**2))

    def remarks(self, names: Sequence[str]) -> list[str]:
        return [*self._not_judged(names), *self._on_sizes(), *self._contradictions(names)]

    def _not_judged(self, names: Sequence[str]) -> list[str]:
        """Pairs of the same losses, and pairs that differ by a constant."""
        equal: list[tuple[int, int]] = []
        shifted: list[tuple[int, int]] = []
        for pairs in self.grouped.nearly_equal():
            for found, which in ((equal, pairs.alike), (shifted, pairs.constant)):
                found += zip(pairs.a[which].tolist(), pairs.b[which].tolist(), strict=True)
        return [
            *_told(
                equal,
                names,
                "have the same losses, up to rounding: P is ½; check that none is given twice",
            ),
            *_told(
                shifted,
                names,
                "differ by the same constant at every point, so that nothing shows how groups "
                "differ: this pair is not judged (P is ½); check their losses",
            ),
        ]

    def _on_sizes(self) -> list[str]:
        sizes = self.groups.sizes
        n_groups = sizes.size
        if sizes.max() == 1:
            return [
                "Every group has one loss: the sampling error within groups is unknown and taken "
                "as 0, as it should be for the joint loss of a group. If it is the loss of a row, "
                "a new group is a new row: where rows belong together, as pupils of a school do, "
                "pass the labels of these groups."
            ]
        found = []
        if self.setting.order == "time" and sizes.max() < SHORTEST:
            found.append(
                "No group has more than two points, which show no autocorrelation: order='time' "
                "changes nothing."
            )
        elif self.setting.order == "time" and np.median(sizes) < SHORT:
            found.append(
                f"Groups are short series (half of them have fewer than {SHORT} points): their "
                "autocorrelation is known badly."
            )
        if sizes.min() < 0.05 * np.median(sizes):
            small = show(self.groups.names[int(np.argmin(sizes))])
            misfit = " and like any other in the misfit" if self.grouped.singles.size else ""
            found.append(
                f"Groups are of very unequal size: the smallest ({small}, {sizes.min()} of "
                f"{sizes.sum()} points) counts little in the mean{misfit}."
            )
        if self.effective_groups < FEW_EFFECTIVE * n_groups:
            found.append(
                "New groups weigh the same here. If points weigh the same, with sizes as at hand, "
                f"the {n_groups} groups are worth {self.effective_groups:.1f}: see "
                f"result.over({max(round(self.effective_groups), 1)})."
            )
        return found

    def _contradictions(self, names: Sequence[str]) -> list[str]:
        """Where groups won and P disagree about a pair with the best, or a mean is off its
        interval.
        """
        best = self.best
        n_groups = len(self.groups.names)
        means = self.grouped.means
        probability = self.over_best(1.0)
        found = []
        for other in np.flatnonzero(np.arange(len(names)) != best).tolist():
            won = int(self.won_by_best[other])
            # Groups in which both are as good, as with rates of errors, speak for neither.
            lost = int(np.sum(means[other] < means[best]))
            opposite = (probability[other] - 0.5) * (won - lost) < 0.0
            if opposite and abs(probability[other] - 0.5) > 0.2:
                found.append(
                    f"{show(names[best])} won {won} of {n_groups} groups against "
                    f"{show(names[other])}, but P = {probability[other]:.2f} for the next: a few "
                    "groups decide the mean; look at the differences (plot_groups)."
                )
        low, high = self.interval(0.9)
        off = np.flatnonzero((self.empirical < low) | (self.empirical > high)).tolist()
        if off:
            outside = ", ".join(show(names[model]) for model in off[:3])
            found.append(
                f"The mean loss over all points of {outside} lies outside the interval for new "
                "groups: large groups differ from small ones."
            )
        return found


@dataclass(frozen=True, eq=False)
class _Matrices:
    """What all pairs say."""

    better: FloatArray  # [a, b] = P(a better)
    exceeds: FloatArray  # [a, b] = P(a better by more than the margin), at the horizon asked for
    alone: FloatArray  # [s]: the same under simulation s alone


def _told(pairs: Sequence[tuple[int, int]], names: Sequence[str], what: str) -> list[str]:
    """A sentence on each of the first pairs, and one on how many more there are."""
    sentences = [f"{show(names[a])} and {show(names[b])} {what}." for a, b in pairs[:MOST_PAIRS]]
    if len(pairs) > MOST_PAIRS:
        sentences.append(f"So it is with {len(pairs) - MOST_PAIRS} more pairs.")
    return sentences
