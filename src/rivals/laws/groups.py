"""Law "groups", a random-effects model: the spread between groups says what a replication changes.

Assumption. The difference of two risks varies between groups as N(μ, τ²), and new groups are drawn
as the observed ones were. The mean difference d_g in a group has the sampling variance σ²/n_g, with
σ² pooled within groups, or one that was given for each group:

    d_g ~ N(μ, τ² + σ²/n_g),  μ flat,
    τ ~ half-t with 3 degrees of freedom and scale √(c/2 · mean_g (W_ag² + W_bg²)),

W_ag the misfit of model a within group g; without simulations τ is flat, from three groups on.

Formula. Over m new groups that weigh the same, μ̂ and V the mean and variance of μ given τ,

    P(R_a < R_b − Δ) = E_τ Φ( (−Δ − μ̂) / √(V (1 + κ) + τ²/m) ) .

m = G is the study repeated, m = 1 a single new group, m = ∞ the population mean. κ = 12/G where
each group was left out in turn: models then share training data, and d_g their error.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from math import inf, nan
from typing import Any, ClassVar

import numpy as np

from rivals._types import BoolArray, FloatArray, IntArray
from rivals._words import Refusal, opt
from rivals.evidence import Note
from rivals.laws.base import TOGETHER, Law, Pairs, pieces
from rivals.laws.transport import FAR, together_and_alone
from rivals.losses import Provenance, Study
from rivals.method.looks import excludes_zero
from rivals.method.probability import probability_next, probability_over
from rivals.method.spread import POINTS, Spread, spread_between_groups
from rivals.setting import Setting, number
from rivals.summaries import GroupSummaries

# The c of the risk of one model by itself: risks of several models move together, so that a
# difference moves by less than they do (benchmarks/results/principle.md and intervals.json).
RISK_C = 1.0
# Without simulations the prior of τ is flat, and proper from so many groups on.
LEAST_GROUPS = 3
# What is below this part of the losses is rounding.
ROUNDING = 2.0**-46
# No prior of τ is narrower than this part of what is seen between groups.
NARROWEST = 1e-3
# Of many pairs, P is computed roughly first: with so many points of τ it is off by less than a
# third of this error, up to so many groups (tested).
ROUGH_POINTS = (15, 32)
ROUGH_ERROR = 0.03
MOST_ROUGHLY = 60
FEW_PAIRS = 100
# Differences that go with the size of groups are noted from so many groups on, and from a rank
# correlation that has one chance in a hundred where there is none.
ENOUGH_GROUPS = 8
UNLIKELY = 2.58

# For a paper.
OF_LOSSES = (
    "Models were compared by the random-effects model of the rivals package: the difference "
    "of their mean losses varies between {nouns} as N(μ, τ²), with the sampling error pooled "
    "within {nouns}; P is the probability that the lower mean stays lower over {horizon}."
)
OF_ESTIMATES = (
    "Models were compared by the random-effects model of the rivals package: the difference "
    "of two models varies between {nouns} as N(μ, τ²), with the sampling error that was given"
    " for each {noun}; P is the probability that the lower mean stays lower over {horizon}."
)


@dataclass(frozen=True)
class Groups(Law[GroupSummaries]):
    """The default where there are groups: a random-effects model.

    Parameters
    ----------
    shared_training : float
        κ of left-out groups, times their number; 0 takes them as independent.

    Examples
    --------
    >>> import rivals
    >>> rivals.laws.Groups(shared_training=0.0).name
    'groups'
    """

    shared_training: float = 12.0

    name: ClassVar[str] = "groups"
    default_c: ClassVar[float] = 0.25
    needs_groups: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check = number(0.0, inf)
        check("shared_training (κ times the number of groups)", self.shared_training)

    def summarise(self, study: Study) -> GroupSummaries:
        if study.clusters is not None:
            raise ValueError(
                "clusters have no place beside groups: points of a group are taken as independent, "
                "and what they share as part of how groups differ; leave clusters out"
            )
        if study.order is not None:
            raise ValueError(
                "order has no place beside groups: points of a group are taken as independent, and "
                "what neighbours share as part of how groups differ; leave order out"
            )
        summary = GroupSummaries.of(study)
        self.check(summary)
        return summary

    def check(self, summary: GroupSummaries) -> None:
        """Refuse fewer groups than can show how much they differ."""
        n_groups = summary.sizes.size
        if n_groups < (2 if len(summary.misfits) else LEAST_GROUPS):
            raise Refusal(
                f"{opt['groups']}: {n_groups} cannot show how much groups differ; pass "
                "three or more, or "
                "two and simulations of the models"
            )

    def risk(self, summary: GroupSummaries) -> FloatArray:
        """The mean over groups, small ones trusted less: one weighting for all models."""
        weights = weights_of_groups(summary)
        return np.asarray(weights @ summary.first + summary.gaps @ weights)

    def width(self, summary: GroupSummaries) -> int:
        return max(POINTS * (len(summary.misfits) + 1), summary.sizes.size)

    def may_exceed(
        self, summary: GroupSummaries, setting: Setting, a: IntArray, b: IntArray
    ) -> BoolArray:
        found = np.ones(a.size, dtype=bool)
        if a.size < FEW_PAIRS or summary.sizes.size > MOST_ROUGHLY:
            return found
        for piece in pieces(a.size, TOGETHER // sum(ROUGH_POINTS)):
            law = self.differences(summary, setting, a[piece], b[piece], ROUGH_POINTS)
            rough = law.below(np.full(a[piece].size, -setting.margin)).max(axis=0)
            found[piece] = rough > setting.threshold - ROUGH_ERROR
        return found

    def differences(
        self,
        summary: GroupSummaries,
        setting: Setting,
        a: IntArray,
        b: IntArray,
        points: tuple[int, int] | None = None,
    ) -> NewGroups:
        of_models = (
            together_and_alone(summary.misfits.mean(axis=2)) if len(summary.misfits) else None
        )
        misfits = None if of_models is None else of_models[:, a] + of_models[:, b]
        return self._new_groups(
            summary,
            setting,
            self.c(setting),
            summary.gaps[a] - summary.gaps[b],
            summary.sampling(a, b),
            misfits,
            np.maximum(summary.magnitude[a], summary.magnitude[b]),
            points,
        )

    def judged(self, summary: GroupSummaries, pairs: Pairs) -> Pairs:
        """Not all pairs, where estimates came without covariance."""
        if summary.variances is None:
            return pairs
        first, second = pairs
        known = summary.known[first, second]
        return first[known], second[known]

    def risks(self, summary: GroupSummaries, setting: Setting) -> NewGroups:
        misfits = together_and_alone(summary.misfits.mean(axis=2)) if len(summary.misfits) else None
        return self._new_groups(
            summary,
            setting,
            RISK_C if setting.c is None else setting.c,
            summary.means,
            summary.own_sampling,
            misfits,
            summary.magnitude,
        )

    def _new_groups(
        self,
        summary: GroupSummaries,
        setting: Setting,
        c: float,
        values: FloatArray,
        sampling: FloatArray,
        misfits: FloatArray | None,
        magnitude: FloatArray,
        points: tuple[int, int] | None = None,
    ) -> NewGroups:
        """The law of the mean over new groups, from one value of each pair in each group."""
        unknown = np.asarray(np.isnan(sampling).any(axis=1))
        variances = np.where(unknown[:, None], 1.0, sampling)
        # Where nothing varies, neither between groups nor within, the law is a point.
        rounding = ROUNDING * magnitude
        of_points = np.max(variances * summary.sizes, axis=1)
        fixed = (np.ptp(values, axis=1) <= rounding) & (of_points <= rounding**2)
        variances[fixed] = 1.0  # any will do: the answer does not come from it
        scales = _prior(c, misfits, values, variances)
        spread = spread_between_groups(values, variances, scales, points=points)
        return NewGroups(
            replace(spread, variance=spread.variance * (1.0 + self.kappa(summary))),
            values,
            variances,
            summary.sizes.size if setting.new_groups is None else setting.new_groups,
            fixed,
            np.where(np.abs(values[:, 0]) > rounding, values[:, 0], 0.0),
            unknown,
            self.kappa(summary),
        )

    def methods(self, summary: GroupSummaries) -> str:
        return OF_ESTIMATES if summary.variances is not None else OF_LOSSES

    def was_measured(self, setting: Setting) -> bool:
        return setting.c is None and self == Groups()

    def to_arrays(self, summary: GroupSummaries) -> tuple[dict[str, Any], dict[str, FloatArray]]:
        return {"json": summary.to_json()}, {}

    def from_arrays(
        self,
        models: tuple[str, ...],
        source: Provenance,
        plain: dict[str, Any],
        arrays: dict[str, FloatArray],
    ) -> GroupSummaries:
        return GroupSummaries.from_json(plain["json"])

    def kappa(self, summary: GroupSummaries) -> float:
        """κ: by which part shared training data widen V."""
        return self.shared_training / summary.sizes.size if summary.source.left_out else 0.0

    def clear(
        self, summary: GroupSummaries, setting: Setting, a: IntArray, b: IntArray
    ) -> BoolArray:
        if not setting.looks:
            return np.ones(a.size, dtype=bool)
        return excludes_zero(summary.gaps[a] - summary.gaps[b])

    def notes(self, summary: GroupSummaries, setting: Setting) -> tuple[Note, ...]:
        source = summary.source
        notes = []
        if source.left_out:
            notes.append(Note("left out", value=self.kappa(summary)))
        if summary.variances is not None:
            beside = summary.known.sum(axis=0) >= len(summary.models) - 1
            if not beside.all():
                models = tuple(summary.models[place] for place in np.flatnonzero(beside))
                notes.append(Note("errors not known", models))
        if source.left_out is None:
            notes.append(Note("training not said"))
        if summary.variances is None and summary.sizes.max() == 1:
            notes.append(Note("one point in each group"))
        effective = float(summary.sizes.sum()) ** 2 / float(np.sum(summary.sizes**2.0))
        if effective < 0.5 * summary.sizes.size:
            notes.append(Note("unequal sizes", value=effective))
        order = np.argsort(self.risk(summary), kind="stable")
        with_size = _goes_with_size(summary, int(order[0]), int(order[1]))
        if with_size:
            pair = (summary.models[order[0]], summary.models[order[1]])
            notes.append(Note("goes with size", pair, with_size))
        return tuple(notes)


def _prior(
    c: float,
    misfits: FloatArray | None,
    values: FloatArray,
    variances: FloatArray,
) -> FloatArray:
    """The scale of the half-t prior of τ, priors × pairs; infinite, which is flat, without
    simulations.

    Simulations that equal the data are no certainty that groups do not differ: a misfit below
    the sampling error of the mean of a group cannot be seen, so the scale is never below it.
    """
    if misfits is None:
        return np.full((1, len(values)), inf)
    seen = np.maximum(misfits, variances.mean(axis=1))
    narrowest = NARROWEST * np.std(values, axis=1)
    return np.asarray(np.maximum(np.sqrt(0.5 * c * seen), narrowest))


@lru_cache(maxsize=1)
def weights_of_groups(summary: GroupSummaries) -> FloatArray:
    """w_g ∝ 1/(τ² + σ²/n_g), τ² by moments pooled over all pairs: one for all models.

    The more groups differ beside the noise within them, the more alike they weigh; of one noise all
    weigh the same. A wrong τ² costs precision, not truth.
    """
    noise = _pooled_noise(summary)
    n_groups = noise.size
    if noise.min() == noise.max():
        return np.full(n_groups, 1.0 / n_groups)
    excess = max(_between(summary) - float(noise.mean()), 0.0)
    weights = 1.0 / (excess + noise)
    return np.asarray(weights / weights.sum())


def _between(summary: GroupSummaries) -> float:
    """The variance of differences between groups, summed over all pairs that can be judged."""
    centred = summary.gaps - summary.gaps.mean(axis=1, keepdims=True)
    if summary.variances is None:
        total = centred.sum(axis=0)
        # Of all pairs: Σ_{a<b} |x_a − x_b|² = k Σ |x_a|² − |Σ x_a|².
        squares = len(centred) * np.sum(centred**2) - total @ total
    else:
        a, b = np.nonzero(np.triu(summary.known, k=1))
        squares = np.sum((centred[a] - centred[b]) ** 2)
    return float(squares) / (summary.sizes.size - 1)


def _pooled_noise(summary: GroupSummaries) -> FloatArray:
    """The sampling variance in each group, summed over all pairs that can be judged."""
    pairs = summary.pairs
    if summary.variances is not None:
        a, b = np.nonzero(np.triu(summary.known, k=1))
        return np.asarray(summary.variances[a, b].sum(axis=0))
    if pairs.matrix is not None:
        squares = float(pairs.matrix.sum()) / 2.0
    else:
        assert pairs.gaps is not None
        total = pairs.gaps.sum(axis=0)
        squares = float(len(pairs.gaps) * np.sum(pairs.gaps**2) - total @ total)
    return np.asarray(pairs.factor * squares / summary.degrees / summary.sizes)


def _goes_with_size(summary: GroupSummaries, a: int, b: int) -> float:
    """Spearman's correlation of the difference of two models with the size of groups, if it is
    large; else 0.
    """
    sizes = summary.sizes
    if sizes.size < ENOUGH_GROUPS or sizes.min() == sizes.max():
        return 0.0
    middle = 0.5 * (sizes.size - 1.0)
    by_size, by_difference = (
        np.argsort(np.argsort(values, kind="stable"), kind="stable") - middle
        for values in (sizes, summary.gaps[a] - summary.gaps[b])
    )
    found = float(by_size @ by_difference / (by_size @ by_size))
    return found if abs(found) * np.sqrt(sizes.size - 1.0) > UNLIKELY else 0.0


@dataclass(frozen=True, eq=False)
class NewGroups:
    """The law of a mean over new groups: of the differences of pairs, or of the risks of models.

    Attributes
    ----------
    spread : Spread
        τ, μ̂, and V with what left-out groups share.
    values, variances : array, shape (pairs, groups)
        What was seen in each group, and its sampling variance.
    new_groups : float
    fixed : array of bool
        Pairs of which nothing varies: their law is a point.
    point : array
        Where it is.
    unknown : array of bool
        Pairs of which no sampling variance is known: their law is nan.
    kappa : float
        By which part V is larger for what left-out groups share.
    """

    spread: Spread
    values: FloatArray
    variances: FloatArray
    new_groups: float
    fixed: BoolArray
    point: FloatArray
    unknown: BoolArray
    kappa: float = 0.0

    @property
    def tau(self) -> FloatArray:
        """The median of τ; nan where nothing varies, or where errors are not known."""
        return np.where(self.fixed | self.unknown, nan, self._tau)

    @property
    def i2(self) -> FloatArray:
        """The part of τ² in the variance of what was observed in a typical group."""
        has_none = self.variances.min(axis=1) <= 0.0
        variances = np.where(has_none[:, None], 1.0, self.variances)
        typical = np.where(has_none, 0.0, 1.0 / np.mean(1.0 / variances, axis=1))
        square = self._tau**2
        whole = square + typical
        part = np.divide(square, whole, out=np.zeros_like(whole), where=whole > 0.0)
        return np.where(self.fixed | self.unknown, nan, part)

    @property
    def parts(self) -> dict[str, FloatArray]:
        """Of the variance at the median of τ: new and observed groups, points, shared training."""
        total = self._tau[:, None] ** 2 + self.variances
        both = 1.0 / np.sum(1.0 / total, axis=1)
        squares = np.sum((both[:, None] / total) ** 2, axis=1)
        return {
            "groups": self._tau**2 * (squares + 1.0 / self.new_groups),
            "points": np.sum((both[:, None] / total) ** 2 * self.variances, axis=1),
            "training": self.kappa * both,
        }

    @cached_property
    def _tau(self) -> FloatArray:
        cumulative = np.cumsum(self.spread.weight[0], axis=1)
        half = np.array([np.searchsorted(row, 0.5) for row in cumulative])
        return np.asarray(self.spread.tau[np.arange(half.size), half])

    def below(self, value: FloatArray) -> FloatArray:
        if self.new_groups == 1:
            found = probability_next(self.spread, self.values, self.variances, -value)
        else:
            found = probability_over(self.spread, self.new_groups, -value)
        found[:, self.fixed] = 0.5 + 0.5 * np.sign(value - self.point)[self.fixed]
        found[:, self.unknown] = np.nan
        return found

    def bracket(self) -> tuple[FloatArray, FloatArray]:
        reach = FAR * self.spread.std_over(self.new_groups).max(axis=1)
        reach[self.unknown] = np.nan
        low = self.spread.centre.min(axis=1) - reach
        high = self.spread.centre.max(axis=1) + reach
        return np.where(self.fixed, self.point, low), np.where(self.fixed, self.point, high)

    def error(self, value: FloatArray) -> FloatArray:
        return np.zeros(len(self.values))

    def over(self, new_groups: float | None) -> NewGroups:
        asked = self.values.shape[1] if new_groups is None else new_groups
        return self if asked == self.new_groups else replace(self, new_groups=asked)
