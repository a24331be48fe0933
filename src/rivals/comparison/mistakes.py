"""Mistakes that give confident answers, and how the losses of all models give them away.

Each check asks for something that cannot be so if all losses are of one kind, on the same points,
each model simulated by itself. Pure functions from losses to notes. `benchmarks/false_alarms.py`
measures how often each fires, on healthy problems and on spoiled ones; limits were chosen by
looking at its first 3 000 problems, and its results are of others.

What is not seen: a mistake that is made for all models alike, but for the sign; in losses of
labels, other points and shared simulations; a constant factor or another unit, unless the model
otherwise nearly agrees with a rival.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log, sqrt

import numpy as np

from rivals._say.words import show
from rivals._types import FloatArray
from rivals.comparison.sides import (
    FEW_DISTINCT,
    MOST_POINTS,
    Side,
    correlation,
    correlation_with_others,
    ranks_of,
)
from rivals.losses import Losses, same_by_chance

# With this many points the rank correlation of independent columns has a standard error of 1/8.
FEWEST = 64
FEWEST_SIMULATED = 1000
# Pairs of more models than this are not looked at one by one.
MOST_PAIRED = 64

# Rank correlations with the losses of the other models below which a sign is wrong: of labels, of
# others, and of models that all fit.
OPPOSITE_LABELS = -0.3
OPPOSITE = -0.5
OPPOSITE_THOUGH_FITTING = -0.7
# Rank correlations of losses on the same points, and on different ones.
TOGETHER = 0.3
APART = 0.25
# How much further the low end is from the median than the high end. Log losses on own simulations
# have less than ½ in one dimension, 1 in many; log likelihoods more than 1, and likelihoods of
# normal models nearly 4.
LEANS = 1.5
LEANS_LITTLE = 0.75
UNITS = {"bits beside nats": np.log2(np.e), "nats beside powers of ten": np.log(10.0)}
SAME_UNIT = 0.05
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
    "its losses are {:.3g} times as wide as those of {}, on the data and simulated, as those of "
    "{} are; give all models one loss in one unit"
)
CONSTANT = (
    "its losses are those of {} + {:.3g} ± {:.2g}, though both fit; is a constant missing in one "
    "of the densities?"
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
    others = [other.seen.lean for other in sides if other is not side]
    lean = min(side.seen.lean, side.own.lean)
    limit = OPPOSITE_LABELS if side.simulated.size else OPPOSITE
    if together < limit and lean > LEANS and np.median(others) < 1.0:
        return True
    if side.of_labels:
        return False
    return together < OPPOSITE and lean > LEANS_LITTLE and max(others) < 0.5 * lean


# ---------------------------------------------------------------- unit and kind of loss


def units(sides: Sequence[Side]) -> Found:
    """Losses of two models that fit and nearly agree are equally wide.

    Unless they are of another unit or kind.
    """
    if any(side.of_labels or side.own.span == 0.0 for side in sides):
        return []
    if sides[0].losses.synthetic.size < FEWEST_SIMULATED:
        return []
    by_width = sorted(sides, key=lambda side: side.own.width)
    usual = by_width[(len(sides) - 1) // 2]
    found: Found = []
    for place, side in enumerate(sides):
        ratio = side.own.width / usual.own.width
        if _of_another_kind(side, usual):
            kinds = "squared errors beside log losses"
        elif _agree_but_for(ratio, side, usual):
            kinds = _units_of(ratio)
        else:
            continue
        found.append((place, "unit", UNIT.format(ratio, usual.name, kinds)))
    return found


def _of_another_kind(side: Side, usual: Side) -> bool:
    """Whether one begins at zero, as squared errors do, and the other does not."""
    if not side.fits or side.from_zero == usual.from_zero:
        return False
    return abs(log(side.own.span / usual.own.span)) > log(3.0)


def _units_of(ratio: float) -> str:
    for units, factor in UNITS.items():
        if abs(log(ratio / factor)) < SAME_UNIT:
            return units
    return "squared errors beside log losses"


def _agree_but_for(ratio: float, side: Side, usual: Side) -> bool:
    """Whether losses of both are correlated and fit closely, and this ratio is in the data, too."""
    own = side.seen.width / side.own.width
    other = usual.seen.width / usual.own.width
    if min(own, other) <= 0.0 or abs(log(ratio)) < log(1.25):
        return False
    if max(abs(log(own)), abs(log(other))) >= log(1.25) or abs(log(own / other)) >= log(1.15):
        return False
    return correlation(_standardised(side), _standardised(usual)) > 0.75


def _standardised(side: Side) -> FloatArray:
    return np.asarray((side.observed - np.mean(side.observed)) / side.seen.width)


def constants(sides: Sequence[Side]) -> Found:
    """Densities add up to 1: of two that fit, none can be higher by one factor everywhere."""
    if any(not side.fits or side.of_labels or side.from_zero for side in sides):
        return []
    found: Found = []
    best = min(sides, key=lambda side: float(np.mean(side.observed)))
    for place, side in enumerate(sides):
        if side is best:
            continue
        excess = side.observed - best.observed
        gap = float(np.mean(excess))
        scale = float(np.max(np.abs(excess))) or 1.0
        width = scale * float(np.std(excess / scale))  # squares of huge losses would overflow
        if gap / 2.0 > width + width * min(width, 1e3):
            found.append((place, "constant", CONSTANT.format(best.name, gap, width)))
    return found


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
    found = [*_mirrored(sides), *_copied(sides)]
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
        if opposite and turned < max(as_given, side.seen.span):
            found.append((place, "synthetic_sign", SYNTHETIC_SIGN))
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
    if np.max(np.abs(observed_together)) < APART:
        return _of_all(sides, "swapped", SWAPPED)
    authors = range(len(samples))[:MOST_PAIRED]
    if any(_all_simulated_by(author, samples) for author in authors):
        return _of_all(sides, "shared_simulations", SHARED)
    return []


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
    if n_points < FEWEST or len(sides) > MOST_PAIRED or any(side.of_labels for side in sides):
        return []
    correlations = np.array(
        [[correlation(one.ranks, other.ranks) for other in sides] for one in sides]
    )
    unrelated = np.abs(correlations) < 2.0 / sqrt(n_points)
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
            text = OTHER_POINTS.format(sides[other].name, correlations[place, other])
            found.append((place, "other_points", text))
    return found


def _as_good(one: Side, other: Side) -> bool:
    """Whether two models have about the same mean loss and range.

    And simulate losses where the observed ones are.
    """
    if any(side.simulated.size and not side.fits for side in (one, other)):
        return False
    narrow, wide = sorted((one.seen.span, other.seen.span))
    gap = abs(np.mean(one.observed) - np.mean(other.observed))
    return bool(wide < 1.35 * narrow and gap < 0.1 * narrow)
