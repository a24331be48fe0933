"""Mistakes that give confident answers, and how the losses of all models give them away.

Each check asks for something that cannot be so if all losses are of one kind, on the same points,
each model simulated by itself. Pure functions from losses to notes. `benchmarks/false_alarms.py`
measures how often each fires, on healthy problems and on spoiled ones; limits were chosen by
looking at its first 3 000 problems, and its results are of others.

What is not seen: a mistake that is made for all models alike, but for the sign; in losses of
labels, other points and shared simulations; a constant or another unit, unless the model otherwise
nearly agrees with a rival. `docs/reading.md` lists it, with how to check oneself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import log, sqrt
from typing import Any, NamedTuple

import numpy as np

from rivals._say.words import show
from rivals._types import BoolArray, FloatArray
from rivals.comparison.sides import (
    FEW_DISTINCT,
    MOST_POINTS,
    Side,
    correlation,
    correlation_with_others,
    independent,
    ranks_of,
)
from rivals.losses import Losses, same_by_chance

# With this many points the rank correlation of independent columns has a standard error of 1/8.
FEWEST = 64
FEWEST_SIMULATED = 1000
# Without simulations nothing shows that models fit, and more points are needed.
FEWEST_ALONE = 256
# Pairs of more models than this are not looked at one by one.
MOST_PAIRED = 64

# Rank correlations with the losses of the other models below which a sign is wrong: of labels, of
# others, of those without simulations, and of models that all fit.
OPPOSITE_LABELS = -0.3
OPPOSITE = -0.5
OPPOSITE_ALONE = -0.8
OPPOSITE_THOUGH_FITTING = -0.7
# Rank correlations of losses on the same points, and on different ones.
TOGETHER = 0.3
APART = 0.25
# How much further the low end is from the median than the high end. Log losses on own simulations
# have less than ½ in one dimension, 1 in many; log likelihoods more than 1, and likelihoods of
# normal models nearly 4.
LEANS = 1.5
LEANS_ALONE = 3.0
LEANS_LITTLE = 0.75
UNITS = {"bits beside nats": np.log2(np.e), "nats beside powers of ten": np.log(10.0)}
# Losses of models that nearly agree: their correlation, and how far quantiles may be apart, in
# mean distances from the median.
AGREE = 0.75
ENOUGH = 8
SAME_SHAPE = 0.3
SAME_HEIGHT = 0.5
# Losses of densities that fit are bounded below, with a long tail of high values. Those of a model
# that is far off may be another's plus a constant, and lean to no side.
LEANS_TO_HIGH = 0.35
# A constant this many spans apart, in the observed losses of a model and not in its simulated ones.
FAR = 3.0


class Limits(NamedTuple):
    """How near two losses are to the same in two units."""

    width: float  # the logarithm of the ratio of their widths, beside that of the units
    level: float  # quantiles, in mean distances from the median


# Of models that both fit: simulations have more points than the data; and of a model beside two
# that agree.
FITTING = Limits(0.07, 0.8)
ALONE = Limits(0.03, SAME_SHAPE)
MANY_SHARED = 0.2
# Of this many simulated losses, evenly spaced, none equals an observed one with probability
# 0.8 ** 40 < 2e-4 if a fifth do.
PROBE = 40
# A block of copied losses has two ends; labels that agree with the observed ones begin and end
# more often.
SCATTERED = 5

Found = list[tuple[int, str, str]]  # place of the model, code, text

SIGN = (
    "its losses fall where those of the other models rise (rank correlation {:.2f}); is its sign "
    "wrong, or are they likelihoods? Lower must be better"
)
LIKELIHOODS = (
    "the losses of all models have a long tail of low values, as log likelihoods do, but lower "
    "must be better; for log likelihoods use Losses.from_log_likelihood, or --log-likelihood on "
    "the command line"
)
UNIT = (
    "its losses are {:.3g} times as wide as those of {}, as those of {} are; give all models one "
    "loss in one unit"
)
CONSTANT = (
    "its losses are those of {} + {:.3g} ± {:.2g}, and of the same shape; is a constant "
    "missing in one of the densities?"
)
SHIFTED = (
    "its observed losses are its simulated ones {:+.3g}, and of the same shape; is a constant "
    "missing in one of the two?"
)
SYNTHETIC_SIGN = (
    "its simulated losses would be where the observed ones are if they had the other sign; is "
    "that of the synthetic losses wrong?"
)
COPIED = (
    "{:.0%} of its synthetic losses also occur among the observed ones, to the last digit; were "
    "they computed on simulated data?"
)
SHARED = (
    "simulated losses of all models rise and fall together, as on one simulated data set; judge "
    "each model on data that it simulated itself"
)
SWAPPED = (
    "simulated losses of the models rise and fall together and observed ones do not; are observed "
    "and synthetic losses swapped?"
)
SAME = (
    "all models have the same observed losses; are they the data? Pass the loss of each point "
    "under each model"
)
OTHER_POINTS = (
    "its losses do not rise and fall with those of {}, which is as good (rank correlation "
    "{:.2f}); are they of the same points, in the same order?"
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
            # Another unit is another level, too.
            if code != "constant" or not found[place]:
                found[place].append((code, text))
    return found


def _of_all(sides: Sequence[Side], code: str, text: str) -> Found:
    return [(place, code, text) for place in range(len(sides))]


# ---------------------------------------------------------------- sign


def signs(sides: Sequence[Side]) -> Found:
    """Losses have a long tail of high values, likelihoods of low ones.

    And on the same points losses rise together.
    """
    if sides[0].losses.n_observed < FEWEST:
        return []
    if all(_like_likelihood(side) for side in sides):
        return _of_all(sides, "log_likelihoods", LIKELIHOODS)
    together = correlation_with_others([side.ranks for side in sides])
    wrong = [place for place in range(len(sides)) if _turned(sides, place, together[place])]
    if not wrong and all(side.fits and not side.of_labels for side in sides):
        wrong = np.flatnonzero(together < OPPOSITE_THOUGH_FITTING).tolist()
    return [(place, "sign", SIGN.format(together[place])) for place in wrong]


def _like_likelihood(side: Side) -> bool:
    """Whether losses have a long tail of low values."""
    if side.simulated.size and not side.of_labels:
        return side.own.lean > LEANS and side.seen.lean > LEANS_LITTLE
    centred = side.observed - side.observed.mean()
    scale = np.max(np.abs(centred))
    if not scale > 0.0:
        return False
    skewness = np.mean((centred / scale) ** 3) / np.mean((centred / scale) ** 2) ** 1.5
    return bool(skewness < -1.0 and side.seen.lean > 3.0)


def _turned(sides: Sequence[Side], place: int, together: float) -> bool:
    """Whether losses fall where those of others rise, and lean to where those of no other lean."""
    side = sides[place]
    limit = OPPOSITE_LABELS if side.simulated.size else OPPOSITE_ALONE
    if together >= limit:
        return False
    others = [other.seen.lean for other in sides if other is not side]
    lean = min(side.seen.lean, side.own.lean)
    if not side.simulated.size:  # two models that are far off, to either side, look like it
        return bool(lean > LEANS_ALONE and np.median(others) < 1.0)
    if lean > LEANS and np.median(others) < 1.0:
        return True
    if side.of_labels:
        return False
    return together < OPPOSITE and lean > LEANS_LITTLE and max(others) < 0.5 * lean


# ---------------------------------------------------------------- unit and kind of loss


def units(sides: Sequence[Side]) -> Found:
    """Losses of two models that nearly agree are equally wide.

    Unless they are of another unit or kind. Whether they agree otherwise is seen in simulations
    that both fit, or in a third model.
    """
    found: Found = []
    usual = sorted(sides, key=lambda side: side.own.width)[(len(sides) - 1) // 2]
    agreeing = _agreeing(sides)
    for place, side in enumerate(sides):
        kinds = ""
        other = usual
        if side is not usual:
            kinds = _kinds(side, usual)
        for other in [] if kinds else agreeing:
            kinds = "" if other is side else _unit_between(side, other, ALONE)
            if kinds:
                break
        if kinds:
            ratio = side.own.width / other.own.width
            found.append((place, "unit", UNIT.format(ratio, other.name, kinds)))
    return found


def _kinds(side: Side, usual: Side) -> str:
    """What the losses of two models that fit are of, if not of one unit and kind."""
    if side.losses.synthetic.size < FEWEST_SIMULATED or side.of_labels or usual.of_labels:
        return ""
    if min(side.own.span, usual.own.span) == 0.0:
        return ""
    if _of_another_kind(side, usual):
        return "squared errors beside log losses"
    return _unit_between(side, usual, FITTING) if _fits_as_closely(side, usual) else ""


def _agreeing(sides: Sequence[Side]) -> list[Side]:
    """Some models of which another has nearly the same losses, best first."""
    if len(sides) > MOST_PAIRED:
        return []
    levels = np.stack([side.seen.levels for side in sides])
    widths = np.array([side.seen.width for side in sides])
    apart = np.max(np.abs(levels[:, None] - levels[None]), axis=2)
    near = apart < SAME_SHAPE * widths[None]
    np.fill_diagonal(near, val=False)
    found = []
    for place in sorted(range(len(sides)), key=lambda place: float(np.mean(sides[place].observed))):
        others = np.flatnonzero(near[place]).tolist()
        if any(_agree(sides[place], sides[other]) for other in others):
            found.append(sides[place])
        if len(found) == ENOUGH:
            break
    return found


def _unit_between(side: Side, other: Side, limits: Limits) -> str:
    """The units in which losses would be the same, point by point and at every level.

    A density that is narrower than another has wider losses, too, but at another level.
    """
    if side.observed.size < FEWEST or min(side.own.width, other.own.width) <= 0.0:
        return ""
    ratio = side.own.width / other.own.width
    for units, factor in UNITS.items():
        for each in (factor, 1.0 / factor):
            if abs(log(ratio / each)) > limits.width:
                continue
            if side.seen.same_as(other.seen, each, 0.0, limits.level) and _agree(side, other):
                return units
    return ""


def _agree(one: Side, other: Side) -> bool:
    """Whether losses are nearly the same, but for a unit and a constant."""
    return correlation(_standardised(one), _standardised(other)) > AGREE


def _of_another_kind(side: Side, usual: Side) -> bool:
    """Whether one begins at zero, as squared errors do, and the other does not."""
    if not side.fits or side.from_zero == usual.from_zero:
        return False
    if abs(log(side.own.span / usual.own.span)) > log(3.0):
        return True
    if min(side.own.width, usual.own.width) <= 0.0:
        return False
    wider = abs(log(side.own.width / usual.own.width)) > log(1.25)
    return wider and _fits_as_closely(side, usual) and _agree(side, usual)


def _fits_as_closely(side: Side, usual: Side) -> bool:
    """Whether losses of both are as wide on the data as simulated."""
    own = side.seen.width / side.own.width
    other = usual.seen.width / usual.own.width
    if min(own, other) <= 0.0 or max(abs(log(own)), abs(log(other))) >= log(1.25):
        return False
    return abs(log(own / other)) < log(1.15)


def _standardised(side: Side) -> FloatArray:
    return np.asarray((side.observed - np.mean(side.observed)) / side.seen.width)


def constants(sides: Sequence[Side]) -> Found:
    """Densities add up to 1: of two that fit, none can be higher by one factor everywhere."""
    by_mean = sorted(range(len(sides)), key=lambda place: float(np.mean(sides[place].observed)))
    if len(sides) > MOST_PAIRED:
        by_mean = by_mean[:1]  # beside the best alone
    found: Found = []
    likely = _far_apart(sides, by_mean)
    for place, side in enumerate(sides):
        for column in np.flatnonzero(likely[place]).tolist():
            better = sides[by_mean[column]]
            gap, width = _apart(side, better)
            if _is_constant(gap, width) and _alike(side, better, gap):
                found.append((place, "constant", CONSTANT.format(better.name, gap, width)))
                break
    return found


def _is_constant(gap: Any, width: Any) -> Any:
    """Whether losses differ by much more than the difference varies."""
    return gap / 2.0 > width + width * np.minimum(width, 1e3)


def _far_apart(sides: Sequence[Side], others: Sequence[int]) -> BoolArray:
    """Which models may be others plus a constant: all pairs at once, up to rounding."""
    values = np.stack([side.observed for side in sides])
    scale = float(np.max(np.abs(values))) or 1.0  # squares of huge losses would overflow
    means = np.mean(values / scale, axis=1)
    centred = values / scale - means[:, None]
    variances = np.mean(centred**2, axis=1)
    covariances = centred @ centred[others].T / centred.shape[1]
    spread = variances[:, None] + variances[None, others] - 2.0 * covariances
    width = scale * np.sqrt(np.maximum(spread, 0.0))
    gap = scale * (means[:, None] - means[None, others])
    return np.asarray(_is_constant(gap, 0.99 * width))


def _alike(side: Side, better: Side, gap: float) -> bool:
    """Whether both fit; without simulations, whether they look as if they did.

    Losses are then the same but for a constant, and none of them labels or squared errors.
    """
    if side.fits and better.fits and not (side.of_labels or better.of_labels):
        return not (side.from_zero or better.from_zero) and _same_but_for(side, better, gap)
    if side.from_zero and better.from_zero:
        return False
    return _same_but_for_constant(side, better, gap)


def _same_but_for(side: Side, better: Side, gap: float) -> bool:
    """Whether a constant is so large that nothing else makes it, or the shape is the same."""
    width = max(side.seen.width, better.seen.width)
    if gap > 3.0 * width:
        return True
    same = side.seen.same_as(better.seen, 1.0, gap, FITTING.level)
    return same and better.seen.same_as(side.seen, 1.0, -gap, FITTING.level)


def _apart(side: Side, better: Side) -> tuple[float, float]:
    """The difference of the losses, and how much it varies."""
    excess = side.observed - better.observed
    scale = float(np.max(np.abs(excess))) or 1.0  # squares of huge losses would overflow
    return float(np.mean(excess)), scale * float(np.std(excess / scale))


def _same_but_for_constant(side: Side, better: Side, gap: float) -> bool:
    """Whether losses look like those of densities that fit, and differ by a constant only."""
    if side.observed.size < FEWEST:
        return False
    if max(side.seen.lean, better.seen.lean) > LEANS_TO_HIGH:
        return False
    same = side.seen.same_as(better.seen, 1.0, gap, SAME_HEIGHT)
    return same and better.seen.same_as(side.seen, 1.0, -gap, SAME_HEIGHT) and _agree(side, better)


# ---------------------------------------------------------------- simulations


def simulations(sides: Sequence[Side]) -> Found:
    """Observed losses are of the same points, so they rise together.

    Simulations are each model's own, and do not. The first kind of mistake is told, not those that
    may follow from it.
    """
    if not sides[0].simulated.size:
        return []
    if _are_the_data(sides):
        return _of_all(sides, "data", SAME)
    found = [*_mirrored(sides), *_copied(sides), *_shifted(sides)]
    if found:
        return found
    if any(side.of_labels or side.losses.may_repeat for side in sides):
        return []
    sizes = {side.losses.n_synthetic for side in sides}
    if len(sizes) > 1 or min(sizes) < FEWEST:
        return []
    return _together(sides)


def _are_the_data(sides: Sequence[Side]) -> bool:
    """Whether observed losses are the same of all models, and simulated ones are not."""
    first = sides[0].losses
    same_observed = all(np.array_equal(first.observed, side.losses.observed) for side in sides)
    same_simulated = all(np.array_equal(first.synthetic, side.losses.synthetic) for side in sides)
    return same_observed and not same_simulated


def _mirrored(sides: Sequence[Side]) -> Found:
    """Simulated losses that would be where the observed ones are if they had the other sign."""
    found: Found = []
    for place, side in enumerate(sides):
        if min(side.losses.n_observed, side.losses.n_synthetic) < FEWEST:  # none can tell
            continue
        as_given = abs(side.seen.middle - side.own.middle)
        turned = abs(side.seen.middle + side.own.middle)
        opposite = side.seen.lean < 1.0 / LEANS and side.own.lean > LEANS
        if opposite and turned < max(as_given, min(side.seen.span, side.own.span)):
            found.append((place, "synthetic_sign", SYNTHETIC_SIGN))
    return found


def _shifted(sides: Sequence[Side]) -> Found:
    """Observed losses that have the shape of the simulated ones, far from them.

    A model that is wrong has observed losses of another shape, too: its misfit varies.
    """
    found: Found = []
    for place, side in enumerate(sides):
        if min(side.losses.n_observed, side.losses.n_synthetic) < FEWEST or side.of_labels:
            continue
        gap = side.seen.middle - side.own.middle
        if abs(gap) < FAR * side.own.span:
            continue
        if side.seen.lean < LEANS_TO_HIGH and side.seen.same_as(side.own, 1.0, gap, SAME_HEIGHT):
            found.append((place, "shifted", SHIFTED.format(gap)))
    return found


def _copied(sides: Sequence[Side]) -> Found:
    """Simulated losses of which many are observed ones."""
    found: Found = []
    for place, side in enumerate(sides):
        shared = 0.0 if side.losses.may_repeat else shared_values(side.losses)
        if shared > MANY_SHARED:
            found.append((place, "copied", COPIED.format(shared)))
    return found


def shared_values(losses: Losses) -> float:
    """Fraction of the simulated losses that equal an observed one, if losses are continuous.

    A simulated label equals the observed one at some points, scattered over the data, and has the
    same loss there. If a sample was copied, shuffled or resampled, shared losses form blocks or
    belong to other points.
    """
    observed = losses.observed
    simulated = losses.simulations[0]
    some = simulated[:: max(1, simulated.size // PROBE)]
    if not np.isin(observed, some).any() or same_by_chance(observed):
        return 0.0
    if np.unique(observed).size < FEW_DISTINCT * observed.size:
        return 0.0
    shared = np.isin(simulated, observed)
    if simulated.size == observed.size:
        same_point = simulated == observed
        scattered = np.count_nonzero(np.diff(same_point)) >= SCATTERED
        if scattered and np.sum(same_point) >= 0.9 * np.sum(shared):
            return 0.0
    return float(np.mean(shared))


def _together(sides: Sequence[Side]) -> Found:
    """Simulated losses of all models that rise and fall together, as on one data set."""
    samples = [side.losses for side in sides]
    if any(_only_simulations_equal(samples[0], sample) for sample in samples):
        return _of_all(sides, "shared_simulations", SHARED)
    if np.min(_simulated_together(sides)) < TOGETHER:
        return []
    observed_together = correlation_with_others([side.ranks for side in sides])
    apart = np.max(np.abs(observed_together)) < APART
    if apart and _all_independent(sides):
        return _of_all(sides, "swapped", SWAPPED)
    authors = range(len(samples))[:MOST_PAIRED]
    if any(_all_simulated_by(author, samples) for author in authors):
        return _of_all(sides, "shared_simulations", SHARED)
    return []


def _all_independent(sides: Sequence[Side]) -> bool:
    """Whether the observed losses of each model tell nothing of those of the next."""
    return all(independent(one.ranks, other.ranks) for one, other in pairwise(sides))


def _only_simulations_equal(one: Losses, other: Losses) -> bool:
    if np.array_equal(one.observed, other.observed):
        return False
    return np.array_equal(one.synthetic, other.synthetic)


def _simulated_together(sides: Sequence[Side]) -> FloatArray:
    """Rank correlation of the simulated losses of each model with those of the others.

    Beyond that with their observed ones: losses that depend on inputs of the points are correlated
    through these, whoever simulated them.
    """
    step = -(-sides[0].losses.n_synthetic // MOST_POINTS)
    ranks = [ranks_of(side.losses.simulations[0, ::step]) for side in sides]
    together = correlation_with_others(ranks)
    if ranks[0].size != sides[0].ranks.size:
        return together
    observed = np.sum([side.ranks for side in sides], axis=0)
    with_data = [
        correlation(own, observed - side.ranks) for own, side in zip(ranks, sides, strict=True)
    ]
    return together - np.maximum(with_data, 0.0)


def _all_simulated_by(author: int, samples: Sequence[Losses]) -> bool:
    """Whether p_b / p_a has the mean 1 for all others b, as under data that model a simulated.

    One seed for all gives another mean.
    """
    for place, sample in enumerate(samples):
        if place == author:
            continue
        exponent = samples[author].simulations - sample.simulations
        if exponent.max() > 50.0:
            return False
        ratio = np.exp(exponent).mean(axis=0)
        error = float(np.std(ratio)) / sqrt(ratio.size)
        agrees = abs(float(np.mean(ratio)) - 1.0) < 3.0 * error
        if not agrees or not 0.0 < error < 0.1:
            return False
    return True


# ---------------------------------------------------------------- points


def points(sides: Sequence[Side]) -> Found:
    """A point that is hard for one model is hard for another that is as good.

    Their losses on the same points rise together.
    """
    n_points = sides[0].observed.size
    fewest = FEWEST if sides[0].simulated.size else FEWEST_ALONE
    if n_points < fewest or len(sides) > MOST_PAIRED or any(side.of_labels for side in sides):
        return []
    unrelated = _unrelated([side.ranks for side in sides])
    counts = unrelated.sum(axis=1)
    most = counts.max()
    if most < (len(sides) - 1) / 2:
        return []
    found: Found = []
    for place in np.flatnonzero(counts == most).tolist():
        others = np.flatnonzero(unrelated[place]).tolist()
        as_good = [other for other in others if _as_good(sides[place], sides[other])]
        if as_good:
            other = as_good[0]
            together = correlation(sides[place].ranks, sides[other].ranks)
            text = OTHER_POINTS.format(sides[other].name, together)
            found.append((place, "other_points", text))
    return found


def _unrelated(ranks: Sequence[FloatArray]) -> BoolArray:
    """Which pairs look independent; only those that are not correlated are looked at closely."""
    stacked = np.stack(ranks)
    norms = np.sqrt(np.sum(stacked**2, axis=1))
    norms[norms == 0.0] = 1.0
    correlations = stacked @ stacked.T / np.outer(norms, norms)
    found = np.abs(correlations) < 2.0 / sqrt(stacked.shape[1])
    for one, other in np.argwhere(np.triu(found, 1)).tolist():
        found[one, other] = independent(ranks[one], ranks[other])
        found[other, one] = found[one, other]
    return np.asarray(found)


def _as_good(one: Side, other: Side) -> bool:
    """Whether two models have about the same mean loss and range.

    And simulate losses where the observed ones are.
    """
    if any(side.simulated.size and not side.fits for side in (one, other)):
        return False
    narrow, wide = sorted((one.seen.span, other.seen.span))
    gap = abs(np.mean(one.observed) - np.mean(other.observed))
    return bool(wide < 1.35 * narrow and gap < 0.1 * narrow)
