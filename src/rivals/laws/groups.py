"""Method "groups", a budget of variance: what was seen of a difference, and what a replication
draws anew.

Assumption. Groups are drawn at random and weigh the same, and new ones are drawn as the observed
ones were; without groups, so are rows. With G of them, d̄ the mean difference of two models over
them, and m new ones,

    t = (x − d̄)/√(seen + new), G − 1 degrees of freedom;   r = new/seen;
    z its normal score · √(1 + r);
    P(R_a − R_b < x) = Σ_j p_j(z) Φ( z k_j/√(k_j + r) ) .

seen and new are the parts of `rivals.method.budget`, p_j(z) and k_j the prior of leads of
`rivals.method.leads`. m = G is the study repeated, m = 1 a single new group, m = ∞ the population
mean. A margin is a lead that starts there. The lower mean is always the favourite, and intervals
are about d̄: an interval excludes a value where P says so. Of the risk of one model alone there is
no prior: Student's t.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from math import nan
from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtr, stdtrit

from rivals._core.evidence import Note
from rivals._core.grouping import Numbered, check_order, look_like_times
from rivals._core.law import TOGETHER, Law, Pairs, pieces
from rivals._core.losses import Provenance, Study
from rivals._core.setting import HowMany, Setting
from rivals._core.summaries import GroupSummaries
from rivals._core.texts import Refusal, opt
from rivals._core.types import BoolArray, FloatArray, IntArray
from rivals.method import leads
from rivals.method.budget import SUPPOSED, Budget, cross_validated, supposed_of_rows
from rivals.method.items import Items
from rivals.method.looks import excludes_zero
from rivals.method.series import Series

# Numbers of this law are measured under this name; a change of any of them is a new one.
RECORD = "budget 1"
# Two groups name next to nothing, of which a fifth fails.
LEAST_GROUPS = 3
# Of fewer 0/1 items the counts are exact where Student's t is not.
FEW_ITEMS = 50
# What is below this part of the losses is rounding.
ROUNDING = 2.0**-46
# What a difference lies beyond with this probability is beyond every interval.
BEYOND = 1e-9
# So few groups, and groups of fewer points, are where winners failed more often than P says
# (benchmarks/results/kept_apart.json).
FEW_GROUPS = 4
SMALL = 16.0
# Differences that vary by less than this part of themselves are the same: nobody measures better.
SAME = 1e-9
# Differences that go with the size of groups are noted from so many groups on, and from a rank
# correlation that has one chance in a hundred where there is none.
ENOUGH_GROUPS = 8
UNLIKELY = 2.58

# For a paper.
OF_LOSSES = (
    "Models were compared by the budget of variance of the rivals package: the mean difference "
    "over {nouns} has the variance seen between them{trained}, new {nouns} add theirs, and leads "
    "have a prior that was learned from all models; P is the probability, with Student's t, that "
    "the lower mean stays lower over {horizon}."
)
TRAINED = {
    None: "",
    False: ", 1 + 2/G times as large since left-out {nouns} share training data",
    True: " and what left-out {nouns} share through their training data, measured on their fits",
}


@dataclass(frozen=True)
class Groups(Law[GroupSummaries]):
    """A budget of variance: the default for groups and rows.

    Examples
    --------
    >>> import rivals
    >>> rivals.laws.Groups().name
    'groups'
    """

    name: ClassVar[str] = "groups"
    needs_groups: ClassVar[bool] = True

    def summarise(self, study: Study) -> GroupSummaries:
        if study.clusters is not None and study.groups is not None:
            raise ValueError(
                "clusters have no place beside groups: points of a group are taken as independent, "
                "and what they share as part of how groups differ; leave clusters out"
            )
        if study.order is not None and study.clusters is not None:
            raise Refusal(f"clusters have no order; pass {opt.order('time')} or {opt.clusters}")
        summary = replace(GroupSummaries.of(study), order=study.order)
        if study.order is not None and not summary.rows:
            check_order(tuple(summary.groups), summary.noun)
        self.check(summary)
        return summary

    def check_setting(self, setting: Setting) -> None:
        super().check_setting(setting)
        if setting.c is not None:
            raise Refusal(
                f"{opt['c']} has no meaning beside groups: how much they differ shows what a "
                f"replication changes; leave it out, or {opt['groups']}"
            )

    def check(self, summary: GroupSummaries) -> None:
        """Refuse fewer groups than can show how much they differ."""
        if summary.n_groups < LEAST_GROUPS:
            few = f"{summary.n_groups} cannot show how much"
            if summary.rows:
                raise Refusal(
                    f"{few} losses differ from {summary.noun} to {summary.noun}; pass three or more"
                )
            raise Refusal(f"{opt['groups']}: {few} groups differ; pass three or more")

    def risk(self, summary: GroupSummaries) -> FloatArray:
        """The mean over groups; where their errors were given and differ, one weighting for all."""
        weights = weights_of_groups(summary)
        if weights is None:
            return np.asarray(summary.first.mean() + summary.gaps.mean(axis=1))
        return np.asarray(weights @ summary.first + summary.gaps @ weights)

    def width(self, summary: GroupSummaries) -> int:
        if summary.rows and summary.order is None:
            return leads.SCALES.size
        return max(leads.SCALES.size, summary.n_groups)

    def differences(
        self, summary: GroupSummaries, setting: Setting, a: IntArray, b: IntArray
    ) -> NewGroups:
        return replace(budget_of(summary, a, b), prior=board(summary).of(a, b))

    def risks(self, summary: GroupSummaries, setting: Setting) -> NewGroups:
        own = np.arange(len(summary.models))
        if summary.rows:
            means = self.risk(summary)
            law = _new_rows(summary, means, summary.between.own_scaled, (own, own))
        else:
            law = _new_groups(
                summary, summary.means, summary.own_sampling, summary.magnitude, (own, own)
            )
        return _in_order(law, summary, summary.means)

    def judged(self, summary: GroupSummaries, pairs: Pairs) -> Pairs:
        """Not all pairs, where estimates came without covariance."""
        if summary.variances is None:
            return pairs
        first, second = pairs
        known = summary.known[first, second]
        return first[known], second[known]

    def methods(self, summary: GroupSummaries) -> str:
        out = summary.source.left_out or None
        return OF_LOSSES.replace("{trained}", TRAINED[out and summary.shared is not None])

    def recorded_as(self, summary: GroupSummaries, setting: Setting) -> dict[str, str] | None:
        source = summary.source
        if summary.variances is not None or source.left_out is None or summary.order is not None:
            return None  # no benchmark has these
        if source.weights != "groups" and not summary.rows:
            return None
        training = "fitted before"
        if source.left_out:
            training = "left out, losses only" if summary.shared is None else "left out"
        units = "groups" if not summary.rows else "rows"
        if summary.rows and not isinstance(summary.groups, Numbered):
            units = "clusters"
        return {"law": RECORD, "units": units, "training": training, "loss": source.loss}

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

    def clear(
        self, summary: GroupSummaries, setting: Setting, a: IntArray, b: IntArray
    ) -> BoolArray:
        if not setting.looks:
            return np.ones(a.size, dtype=bool)
        if summary.order is not None:
            raise Refusal(
                f"a confidence sequence takes {summary.noun}s as independent; leave out "
                f"{opt.looks} or {opt.order}"
            )
        return excludes_zero(summary.gaps[a] - summary.gaps[b])

    def notes(self, summary: GroupSummaries, setting: Setting) -> tuple[Note, ...]:
        source = summary.source
        notes = []
        if source.left_out and summary.shared is None:
            n_rows = summary.n_groups
            supposed = SUPPOSED / n_rows
            if summary.rows:
                supposed = cross_validated(source.n_folds or n_rows) * supposed_of_rows(n_rows)
            notes.append(Note("left out", value=supposed))
        if summary.variances is not None:
            beside = summary.known.sum(axis=0) >= len(summary.models) - 1
            if not beside.all():
                models = tuple(summary.models[place] for place in np.flatnonzero(beside))
                notes.append(Note("errors not known", models))
        if source.left_out is None:
            notes.append(Note("points left out" if source.alone else "training not said"))
        notes += _weak_places(summary)
        if summary.order is None and not summary.rows and look_like_times(summary.groups):
            notes.append(Note("times"))
        if summary.rows:
            return tuple(notes)
        effective = float(summary.sizes.sum()) ** 2 / float(np.sum(summary.sizes**2.0))
        if effective < 0.5 * summary.sizes.size:
            notes.append(Note("unequal sizes", value=effective))
        risk = self.risk(summary)
        order = np.argsort(risk, kind="stable")
        other = "points" if source.weights == "groups" else "groups"
        if summary.variances is None and not source.metric:
            winner = int(np.argmin(self.risk(summary.weighted(other))))
            if risk[winner] > risk[order[0]]:
                pair = (summary.models[order[0]], summary.models[winner])
                notes.append(Note(f"another by {other}", pair))
        with_size = _goes_with_size(summary, int(order[0]), int(order[1]))
        if with_size:
            pair = (summary.models[order[0]], summary.models[order[1]])
            notes.append(Note("goes with size", pair, with_size))
        return tuple(notes)


def _weak_places(summary: GroupSummaries) -> list[Note]:
    """Where named winners failed more often than P says."""
    found = []
    if summary.n_groups <= FEW_GROUPS:
        found.append(Note("few groups", value=summary.n_groups))
    typical = float(np.median(summary.sizes))
    if not summary.rows and summary.variances is None and 1.0 < typical < SMALL:
        found.append(Note("small groups", value=typical))
    if summary.n_groups > FEW_GROUPS:
        first, second = np.argsort(Groups().risk(summary), kind="stable")[:2].tolist()
        gaps = np.abs(summary.gaps[first] - summary.gaps[second])
        place = int(np.argmax(gaps))
        if gaps[place] > 0.5 * gaps.sum():
            pair = (summary.models[first], summary.models[second], summary.groups[place])
            found.append(Note("one unit", pair, float(gaps[place] / gaps.sum())))
    return found


def budget_of(summary: GroupSummaries, a: IntArray, b: IntArray) -> NewGroups:
    """Of the difference of each pair, before any prior."""
    if summary.rows:
        means = summary.gaps.mean(axis=1)
        law = _new_rows(summary, means[a] - means[b], summary.between.of_pairs(a, b), (a, b))
    else:
        law = _new_groups(
            summary,
            summary.gaps[a] - summary.gaps[b],
            summary.sampling(a, b),
            np.maximum(summary.magnitude[a], summary.magnitude[b]),
            (a, b),
        )
    return _in_order(law, summary, summary.gaps[a] - summary.gaps[b])


def _in_order(law: NewGroups, summary: GroupSummaries, values: FloatArray) -> NewGroups:
    """With what neighbours share, where units are in the order of time."""
    if summary.order is None:
        return law
    return replace(law, budget=Series.of_budget(law.budget, values), are_items=False)


def _new_rows(
    summary: GroupSummaries, lead: FloatArray, squares: FloatArray, pairs: Pairs
) -> NewGroups:
    """The mean over new rows, from the sum of squares of each pair over rows."""
    n_rows = summary.n_groups
    degrees = n_rows - 1.0
    magnitude = np.maximum(*(summary.magnitude[places] for places in pairs))
    rounding = ROUNDING * magnitude
    fixed = squares <= n_rows * np.maximum(rounding, SAME * np.abs(lead)) ** 2
    shared = None if summary.shared is None else summary.shared[pairs]
    n_folds = (summary.source.n_folds or n_rows) if summary.source.left_out else 0
    point = np.where(np.abs(lead) > rounding, lead, 0.0)
    same = np.where(point < 0.0, n_rows, 0), np.where(point > 0.0, n_rows, 0)
    counted = Items(*same, n_rows, np.abs(point))
    are_items = n_rows < FEW_ITEMS and not n_folds and summary.binary
    if are_items:
        counted = Items.of(summary.gaps[pairs[0]] - summary.gaps[pairs[1]], np.ones(lead.size))
    return NewGroups(
        Budget.of_rows(lead, squares / degrees, n_rows, degrees, shared, n_folds),
        n_rows,
        n_rows,
        fixed,
        point,
        np.zeros(lead.size, dtype=bool),
        counted=counted,
        are_items=are_items,
    )


def _new_groups(
    summary: GroupSummaries,
    values: FloatArray,
    sampling: FloatArray,
    magnitude: FloatArray,
    pairs: Pairs,
) -> NewGroups:
    """The mean over new groups, from one value of each pair in each group."""
    unknown = np.asarray(np.isnan(sampling).any(axis=1))
    noise = np.where(unknown[:, None], 1.0, sampling)
    # Where nothing varies, neither between groups nor within, the law is a point.
    rounding = ROUNDING * magnitude
    of_points = np.max(noise * summary.sizes, axis=1)
    same = np.maximum(rounding, SAME * np.abs(values[:, 0]))
    fixed = (np.ptp(values, axis=1) <= same) & (of_points <= same**2)
    shared = None if summary.shared is None else summary.shared[pairs]
    n_folds = (summary.source.n_folds or summary.n_groups) if summary.source.left_out else 0
    point = np.where(np.abs(values[:, 0]) > rounding, values[:, 0], 0.0)
    counted = values * fixed[:, None] * (point != 0.0)[:, None]
    return NewGroups(
        Budget.of(values, noise, weights_of_groups(summary), shared, n_folds),
        summary.n_groups,
        summary.n_groups,
        fixed,
        point,
        unknown,
        counted=Items.of(counted, np.abs(point)),
    )


@lru_cache(maxsize=2)
def board(summary: GroupSummaries) -> leads.Board:
    """The priors of leads of all pairs, learned from the leads of the study repeated."""

    def score(a: IntArray, b: IntArray) -> FloatArray:
        found = budget_of(summary, a, b)
        return np.where(found.unknown, nan, found.budget.score(summary.n_groups))

    law = Groups()
    return board_of(law.risk(summary), score, TOGETHER // law.width(summary))


def board_of(
    risk: FloatArray, score: Callable[[IntArray, IntArray], FloatArray], together: int
) -> leads.Board:
    """The same from risks, and z of pairs, so many at a time."""
    order = np.argsort(risk, kind="stable")
    seat = leads.seats(order.size)
    z = np.full((seat.size, seat.size), nan)
    first, second = np.triu_indices(seat.size, 1)
    for piece in pieces(first.size, together):
        i, j = first[piece], second[piece]
        z[i, j] = score(order[seat[i]], order[seat[j]])
    rank = np.empty_like(order)
    rank[order] = np.arange(order.size)
    return leads.Board(rank, seat, leads.learned(z, seat))


@lru_cache(maxsize=2)
def weights_of_groups(summary: GroupSummaries) -> FloatArray | None:
    """w_g ∝ 1/(τ² + v_g) where errors were given, τ² by moments pooled over all pairs.

    One for all models, so that no two pairs contradict a third; None where all weigh the same. A
    wrong τ² costs precision, not truth.
    """
    if summary.variances is None:
        return None
    a, b = np.nonzero(np.triu(summary.known, k=1))
    noise = summary.variances[a, b].sum(axis=0)
    if noise.min() == noise.max():
        return None
    gaps = summary.gaps[a] - summary.gaps[b]
    between = float(np.var(gaps, axis=1, ddof=1).sum())
    weights = 1.0 / (max(between - float(noise.mean()), 0.0) + noise)
    return np.asarray(weights / weights.sum())


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

    Where units are 0/1 items the less sure of two answers is given: of this law, which knows the
    leads of all models, and of the counts, which are exact.

    Attributes
    ----------
    budget : Budget
    n_groups : int
        Observed.
    new_groups : float
    fixed : array of bool
        Pairs of which nothing varies: units are counted, and the law of a risk is a point.
    point : array
        Where it is.
    unknown : array of bool
        Pairs of which no sampling variance is known: their law is nan.
    prior : array, shape (pairs, scales), or None
        Of leads; none of risks.
    counted : Items or None
        Units that are better, worse or tied.
    are_items : bool
        Whether nothing else can be.
    """

    budget: Budget
    n_groups: int
    new_groups: float
    fixed: BoolArray
    point: FloatArray
    unknown: BoolArray
    prior: FloatArray | None = None
    counted: Items | None = None
    are_items: bool = False

    @property
    def tau(self) -> FloatArray:
        """The standard deviation between groups beyond the error of points; nan where nothing
        varies, or where errors are not known.
        """
        between = np.maximum(self.budget.unit - self.budget.noise, 0.0)
        return np.where(self.fixed | self.unknown, nan, np.sqrt(between))

    @property
    def i2(self) -> FloatArray:
        """The part of τ² in the variance of what was observed in a typical group."""
        whole = self.tau**2 + self.budget.typical
        return np.asarray(
            np.divide(self.tau**2, whole, out=np.zeros_like(whole), where=whole != 0.0)
        )

    @property
    def degrees(self) -> float | FloatArray:
        """Degrees of freedom."""
        return self.budget.degrees

    @property
    def parts(self) -> dict[str, FloatArray]:
        """Of the variance, seen and new: how groups differ, their points, shared training data."""
        return self.budget.parts(self.new_groups)

    def below(self, value: FloatArray) -> FloatArray:
        budget, number = self.budget, self.new_groups
        z = budget.score(number, value)
        ratio = budget.ratio(number)
        if self.prior is None:
            found = ndtr(z / np.sqrt(1.0 + ratio))
        else:
            found = leads.again(z, ratio, self.prior)
        found = np.asarray(np.minimum(found, 1.0))
        found[self.fixed] = 0.5 + 0.5 * np.sign(value - self.point)[self.fixed]
        if self.counted is not None and self.prior is not None:
            found = self._counted(found, np.broadcast_to(value, found.shape))
        found[self.unknown] = nan
        return np.asarray(found[None])

    def bracket(self) -> tuple[FloatArray, FloatArray]:
        budget = self.budget
        total = np.sqrt(budget.seen + budget.new(self.new_groups))
        reach = -stdtrit(budget.degrees, BEYOND) * total
        reach[self.unknown] = nan
        low, high = budget.lead - reach, budget.lead + reach
        low, high = np.where(self.fixed, self.point, low), np.where(self.fixed, self.point, high)
        if self.counted is None or self.prior is None:
            return low, high
        far = np.where(self.fixed | self.are_items, self.counted.farthest(self.new_groups), 0.0)
        return np.minimum(low, -far), np.maximum(high, far)

    def _counted(self, found: FloatArray, value: FloatArray) -> FloatArray:
        """By the counts where nothing varies; of items what is nearer to ½ by either."""
        assert self.counted is not None
        chosen = self.fixed | self.are_items
        if not chosen.any():
            return found
        exact = np.where(chosen, self.counted.below(self.new_groups, value), found)
        between = np.clip(0.5, np.minimum(exact, found), np.maximum(exact, found))
        return np.where(self.fixed, exact, between)

    def error(self, value: FloatArray) -> FloatArray:
        return np.zeros(self.fixed.size)

    def over(self, new_groups: HowMany | None) -> NewGroups:
        asked = self.n_groups if new_groups is None else new_groups
        if isinstance(asked, Mapping):
            raise Refusal(
                f"{opt['new_groups']} names factors, {', '.join(asked)}, and there is one grouping "
                f"alone; pass a number, or several factors as {opt.groups}"
            )
        return self if asked == self.new_groups else replace(self, new_groups=asked)
