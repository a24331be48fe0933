"""Mistakes that give confident answers, and how the losses of all models, side by side, give them away.

Each check asks for something that cannot be so if all losses are of one kind, on the same points, each model simulated by itself.
Pure functions from losses to notes. `benchmarks/false_alarms.py` measures how often each fires, on healthy problems and on spoiled
ones; limits were chosen by looking at its first 3 000 problems, and its results are of others. What is not seen: a mistake that
is made for all models alike, but for the sign; in losses of labels, other points and shared simulations; a constant factor or
another unit, unless the model otherwise nearly agrees with a rival.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log, sqrt

import numpy as np

from rivals._say.words import show
from rivals._types import FloatArray
from rivals.losses import Losses, same_by_chance

# With this many points the rank correlation of independent columns has a standard error of 1/8.
FEWEST = 64
FEWEST_SIMULATED = 1000
# Evenly spaced points and simulated losses that are looked at: more would say the same.
MOST_POINTS, MOST_SIMULATED = 1024, 4096
# Pairs of more models than this are not looked at one by one.
MOST_PAIRED = 64

# Rank correlations with the losses of the other models: of labels, of others, and of models that all fit.
OPPOSITE = (-0.3, -0.5, -0.7)
TOGETHER, APART = 0.3, 0.25
# How much further the low end is from the median than the high end. Log losses on own simulations have less than ½ in one
# dimension, 1 in many; log likelihoods more than 1, and likelihoods of normal models nearly 4.
LEVELS = np.array([0.01, 0.05, 0.5, 0.95, 0.99])
LEANS, LEANS_LITTLE = 1.5, 0.75
UNITS = {"bits beside nats": np.log2(np.e), "nats beside powers of ten": np.log(10.0)}
SAME_UNIT = 0.05
MANY_SHARED = 0.2
# Of this many simulated losses, evenly spaced, none equals an observed one with probability 0.8 ** 40 < 2e-4 if a fifth do.
PROBE = 40
# A block of copied losses has two ends; labels that agree with the observed ones begin and end more often.
SCATTERED = 5

Found = list[tuple[int, str, str]]  # place of the model, code, text

SIGN = (
    "its losses fall where those of the other models rise (rank correlation {:.2f}); is its sign wrong, or are they likelihoods? "
    "Lower must be better"
)
LIKELIHOODS = (
    "the losses of all models have a long tail of low values, as log likelihoods do, but lower must be better; for log likelihoods use "
    "Losses.from_log_likelihood, or --log-likelihood on the command line"
)
UNIT = "its losses are {:.3g} times as wide as those of {}, on the data and simulated, as those of {} are; give all models one loss in one unit"
CONSTANT = "its losses are those of {} + {:.3g} ± {:.2g}, though both fit; is a constant missing in one of the densities?"
SYNTHETIC_SIGN = "its simulated losses would be where the observed ones are if they had the other sign; is that of the synthetic losses wrong?"
COPIED = "{:.0%} of its synthetic losses also occur among the observed ones, to the last digit; were they computed on simulated data?"
SHARED = (
    "simulated losses of all models rise and fall together, as on one simulated data set; judge each model on data that it simulated "
    "itself"
)
SWAPPED = "simulated losses of the models rise and fall together and observed ones do not; are observed and synthetic losses swapped?"
SAME = "all models have the same observed losses; are they the data? Pass the loss of each point under each model"
OTHER_POINTS = (
    "its losses do not rise and fall with those of {}, which is as good (rank correlation {:.2f}); are they of the same points, in the "
    "same order?"
)


def mistakes(losses: Mapping[str, Losses]) -> list[list[tuple[str, str]]]:
    """What looks like a mistake, for each model: pairs (code, text); nothing where all is well.

    Examples
    --------
    >>> y = np.random.default_rng(0).standard_normal(500)
    >>> healthy = {"A": Losses(y**2 / 2), "B": Losses(y**2 / 8 + 0.7)}
    >>> mistakes(healthy)
    [[], []]
    >>> turned = mistakes(healthy | {"B": Losses(-(y**2) / 8 - 0.7)})
    >>> [code for code, text in turned[1]]
    ['sign']
    """
    sides = [Side(show(name), sample) for name, sample in losses.items()]
    found: list[list[tuple[str, str]]] = [[] for _ in sides]
    for check in (signs, units, constants, simulations, points):
        for place, code, text in check(sides):
            found[place].append((code, text))
    return found


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
        return _ranks(self.observed)

    @cached_property
    def seen(self) -> Shape:
        return Shape.of(self.observed)

    @cached_property
    def own(self) -> Shape:
        """Of the simulated losses; of the observed ones where there are none."""
        return Shape.of(self.simulated) if self.simulated.size else self.seen

    @cached_property
    def of_labels(self) -> bool:
        """Whether losses are those of labels or counts: few values, or at many points the same in data and simulation."""
        if np.unique(self.observed).size < 0.9 * self.observed.size:
            return True
        one = self.losses.simulations[0] if self.losses.n_simulations else self.observed[:0]
        return (
            one.size == self.losses.n_observed
            and float(np.mean(one == self.losses.observed)) > 0.02
        )

    @cached_property
    def fits(self) -> bool:
        """Whether simulated losses are about where the observed ones are, and as wide."""
        near = abs(self.seen.middle - self.own.middle) <= 0.25 * self.own.span
        return bool(
            self.simulated.size
            and near
            and 0.5 * self.own.span <= self.seen.span <= 2.0 * self.own.span
        )

    @cached_property
    def from_zero(self) -> bool:
        """Whether the smallest losses are next to nothing, as of squared and absolute errors."""
        return bool(0.0 <= min(self.seen.lowest, self.own.lowest) < 0.01 * self.seen.middle)


@dataclass(frozen=True)
class Shape:
    """Where a sample of losses lies."""

    lowest: float
    middle: float
    span: float  # from the 5 % to the 95 % quantile
    lean: float
    width: float  # mean distance from the median

    @classmethod
    def of(cls, values: FloatArray) -> Shape:
        ordered = np.sort(values)
        low, few, middle, most, high = ordered[np.rint(LEVELS * (ordered.size - 1)).astype(int)]
        lean = (middle - low) / (high - middle) if high > middle else 1.0
        width = np.mean(np.abs(values - middle))
        return cls(*map(float, (ordered[0], middle, most - few, lean, width)))


# ---------------------------------------------------------------- sign, unit, kind of loss


def signs(sides: Sequence[Side]) -> Found:
    """Losses have a long tail of high values, likelihoods of low ones; and on the same points losses rise together."""
    if sides[0].losses.n_observed < FEWEST:
        return []
    if all(_like_likelihood(side) for side in sides):
        return [(place, "log_likelihoods", LIKELIHOODS) for place in range(len(sides))]
    found: Found = []
    leans, together = (
        np.array([side.seen.lean for side in sides]),
        _with_others([side.ranks for side in sides]),
    )
    of_labels, of_others, of_fitting = OPPOSITE
    for place, side in enumerate(sides):
        if together[place] > of_labels:
            continue
        lean, others = min(side.seen.lean, side.own.lean), np.delete(leans, place)
        surely = of_labels if side.simulated.size else of_others
        turned = together[place] < surely and lean > LEANS and np.median(others) < 1.0
        little = together[place] < of_others and lean > LEANS_LITTLE and np.max(others) < 0.5 * lean
        if turned or (little and not side.of_labels):
            found.append((place, "sign", SIGN.format(together[place])))
    if (
        not found
        and np.min(together) < of_fitting
        and all(side.fits and not side.of_labels for side in sides)
    ):
        found = [
            (place, "sign", SIGN.format(each))
            for place, each in enumerate(together)
            if each < of_fitting
        ]
    return found


def _like_likelihood(side: Side) -> bool:
    if side.simulated.size and not side.of_labels:
        return side.own.lean > LEANS and side.seen.lean > LEANS_LITTLE
    centred = side.observed - side.observed.mean()
    scale = np.max(np.abs(centred))
    if not scale > 0.0:
        return False
    skewness = np.mean((centred / scale) ** 3) / np.mean((centred / scale) ** 2) ** 1.5
    return bool(skewness < -1.0 and side.seen.lean > 3.0)


def units(sides: Sequence[Side]) -> Found:
    """Losses of two models that fit and nearly agree are equally wide, unless they are of another unit or kind."""
    if any(side.of_labels or side.own.span == 0.0 for side in sides):
        return []
    if sides[0].losses.synthetic.size < FEWEST_SIMULATED:
        return []
    usual = sorted(sides, key=lambda side: side.own.width)[(len(sides) - 1) // 2]
    found: Found = []
    for place, side in enumerate(sides):
        ratio = side.own.width / usual.own.width
        kinds = (
            side.fits
            and side.from_zero != usual.from_zero
            and abs(log(side.own.span / usual.own.span)) > log(3.0)
        )
        if kinds or _agree_but_for(ratio, side, usual):
            named = [unit for unit, factor in UNITS.items() if abs(log(ratio / factor)) < SAME_UNIT]
            known = named[0] if named and not kinds else "squared errors beside log losses"
            found.append((place, "unit", UNIT.format(ratio, usual.name, known)))
    return found


def _agree_but_for(ratio: float, side: Side, usual: Side) -> bool:
    """Whether losses of both are correlated and fit closely, and are wider by this ratio on the data, too."""
    widths = [each.seen.width / each.own.width for each in (side, usual)]
    if min(widths) <= 0.0 or abs(log(ratio)) < log(1.25):
        return False
    close = max(abs(log(width)) for width in widths) < log(1.25) and abs(
        log(widths[0] / widths[1])
    ) < log(1.15)
    return (
        close
        and _correlation(
            *((each.observed - np.mean(each.observed)) / each.seen.width for each in (side, usual))
        )
        > 0.75
    )


def constants(sides: Sequence[Side]) -> Found:
    """Densities add up to 1: of two that fit, one cannot be higher by about the same factor everywhere."""
    if any(not side.fits or side.of_labels or side.from_zero for side in sides):
        return []
    found: Found = []
    best = min(sides, key=lambda side: float(np.mean(side.observed)))
    for place, side in enumerate(sides):
        excess = side.observed - best.observed
        gap, scale = float(np.mean(excess)), float(np.max(np.abs(excess))) or 1.0
        width = scale * float(np.std(excess / scale))  # squares of huge losses would overflow
        if side is not best and gap / 2.0 > width + width * min(width, 1e3):
            found.append((place, "constant", CONSTANT.format(best.name, gap, width)))
    return found


# ---------------------------------------------------------------- simulations and points


def simulations(sides: Sequence[Side]) -> Found:
    """Observed losses are of the same points, so they rise together; simulations are each model's own, and do not."""
    if not sides[0].simulated.size:
        return []
    found: Found = [
        (place, "synthetic_sign", SYNTHETIC_SIGN)
        for place, side in enumerate(sides)
        if _mirrored(side)
    ]
    for place, side in enumerate(sides):
        shared = 0.0 if side.losses.may_repeat else shared_values(side.losses)
        if shared > MANY_SHARED:
            found.append((place, "copied", COPIED.format(shared)))
    samples, everyone = [side.losses for side in sides], range(len(sides))
    seen = _as_the_first([each.observed for each in samples])
    own = _as_the_first([each.synthetic for each in samples])
    if all(seen) and not all(own):
        return [(place, "data", SAME) for place in everyone]
    if found or any(side.of_labels or side.losses.may_repeat for side in sides):
        return found
    if len({sample.n_synthetic for sample in samples}) > 1 or samples[0].n_synthetic < FEWEST:
        return []
    if any(simulated and not observed for observed, simulated in zip(seen, own, strict=True)):
        return [(place, "shared_simulations", SHARED) for place in everyone]
    if np.min(_simulated_together(sides)) < TOGETHER:
        return []
    if np.max(np.abs(_with_others([side.ranks for side in sides]))) < APART:
        return [(place, "swapped", SWAPPED) for place in everyone]
    if any(_all_simulated_by(author, samples) for author in everyone[:MOST_PAIRED]):
        return [(place, "shared_simulations", SHARED) for place in everyone]
    return []


def _as_the_first(samples: Sequence[FloatArray]) -> list[bool]:
    return [np.array_equal(samples[0], each) for each in samples]


def shared_values(losses: Losses) -> float:
    """Fraction of the simulated losses that equal an observed one, if losses are continuous and not those of labels.

    A simulated label equals the observed one at some points, scattered over the data, and has the same loss there. If a sample
    was copied, shuffled or resampled, shared losses form blocks or belong to other points.
    """
    observed, simulated = losses.observed, losses.simulations[0]
    some = simulated[:: max(1, simulated.size // PROBE)]
    if (
        not np.isin(observed, some).any()
        or same_by_chance(observed)
        or np.unique(observed).size < 0.9 * observed.size
    ):
        return 0.0
    shared = np.isin(simulated, observed)
    if simulated.size == observed.size:
        same_point = simulated == observed
        if (
            np.sum(same_point) >= 0.9 * np.sum(shared)
            and np.count_nonzero(np.diff(same_point)) >= SCATTERED
        ):
            return 0.0
    return float(np.mean(shared))


def _mirrored(side: Side) -> bool:
    """Whether the simulated losses, with the other sign, would be where the observed ones are; of few losses none can tell."""
    if min(side.losses.n_observed, side.losses.n_synthetic) < FEWEST:
        return False
    as_given, turned = (abs(side.seen.middle - sign * side.own.middle) for sign in (1.0, -1.0))
    return (
        side.seen.lean < 1.0 / LEANS
        and side.own.lean > LEANS
        and turned < max(as_given, side.seen.span)
    )


def _simulated_together(sides: Sequence[Side]) -> FloatArray:
    """Rank correlation of the simulated losses of each model with those of the others, beyond that with their observed ones.

    Losses that depend on inputs of the points are correlated through these, whoever simulated them.
    """
    step = -(-sides[0].losses.n_synthetic // MOST_POINTS)
    ranks = [_ranks(side.losses.simulations[0, ::step]) for side in sides]
    together = _with_others(ranks)
    if ranks[0].size != sides[0].ranks.size:
        return together
    observed = np.sum([side.ranks for side in sides], axis=0)
    with_data = [
        _correlation(own, observed - side.ranks) for own, side in zip(ranks, sides, strict=True)
    ]
    return together - np.maximum(with_data, 0.0)


def _all_simulated_by(author: int, samples: Sequence[Losses]) -> bool:
    """Whether p_b / p_a has the mean 1 for all others b, as under data that model a simulated; one seed for all gives another mean."""
    for place, sample in enumerate(samples):
        exponent = samples[author].simulations - sample.simulations
        if place == author:
            continue
        if exponent.max() > 50.0:
            return False
        ratio = np.exp(exponent).mean(axis=0)
        error = float(np.std(ratio)) / sqrt(ratio.size)
        if not (0.0 < error < 0.1 and abs(float(np.mean(ratio)) - 1.0) < 3.0 * error):
            return False
    return True


def points(sides: Sequence[Side]) -> Found:
    """A point that is hard for one model is hard for another that is as good: their losses on the same points rise together."""
    n_points = sides[0].observed.size
    if n_points < FEWEST or len(sides) > MOST_PAIRED or any(side.of_labels for side in sides):
        return []
    correlations = np.array(
        [[_correlation(one.ranks, other.ranks) for other in sides] for one in sides]
    )
    unrelated = np.abs(correlations) < 2.0 / sqrt(n_points)
    found: Found = []
    for place, side in enumerate(sides):
        strange = [
            other
            for other in np.flatnonzero(unrelated[place]).tolist()
            if _as_good(side, sides[other])
        ]
        if (
            strange
            and unrelated[place].sum() == unrelated.sum(axis=1).max() >= (len(sides) - 1) / 2
        ):
            text = OTHER_POINTS.format(sides[strange[0]].name, correlations[place, strange[0]])
            found.append((place, "other_points", text))
    return found


def _as_good(one: Side, other: Side) -> bool:
    """Whether two models have about the same mean loss and range, and simulate losses where the observed ones are."""
    if any(side.simulated.size and not side.fits for side in (one, other)):
        return False
    narrow, wide = sorted((one.seen.span, other.seen.span))
    return bool(
        wide < 1.35 * narrow and abs(np.mean(one.observed) - np.mean(other.observed)) < 0.1 * narrow
    )


# ---------------------------------------------------------------- correlations


def _ranks(values: FloatArray) -> FloatArray:
    """Ranks about their mean, ties in the middle."""
    _, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - 0.5 * (counts - 1.0)
    return np.asarray(ranks[where] - 0.5 * (values.size + 1.0))


def _correlation(a: FloatArray, b: FloatArray) -> float:
    scale = sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / scale if scale > 0.0 else 0.0


def _with_others(ranks: Sequence[FloatArray]) -> FloatArray:
    """Correlation of the ranks of each model with the mean of those of the others."""
    total = np.sum(ranks, axis=0)
    return np.array([_correlation(own, total - own) for own in ranks])
