"""Proper scores of data against an ensemble of simulations: CRPS, energy score, Gaussian, or any
function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from rivals._say.warn import warn
from rivals._say.words import show
from rivals._types import FloatArray
from rivals.read.inputs import as_targets

# From data of shape (n,) or (n, d) and members of shape (n, m) or (n, m, d) to n losses:
# the convention of scoringrules.
ScoreFunction: TypeAlias = Callable[[Any, Any], Any]
Scorer: TypeAlias = Callable[[FloatArray], FloatArray]

# Distances of so many pairs at a time.
CHUNK = 2**22

MEMBERS_PER_STATISTIC = 20


def scorer(
    members: FloatArray, score: str | ScoreFunction, statistics: Sequence[str] = ()
) -> Scorer:
    """The losses of data, given the ensemble: members of shape (m, period) or (m, period,
    d), of points or of statistics of blocks.

    What does not depend on the data is computed here, once.
    """
    n_ensemble, period = members.shape[:2]
    numbers = members.shape[2:]  # of a point
    _check_score(score, numbers)
    kernel: Callable[[FloatArray], Scorer] = _energy if numbers else _crps
    if callable(score):
        kernel = partial(_by_function, score)
    elif score == "gaussian":
        kernel = partial(_gaussian, statistics)
    at_place = [kernel(members[:, place]) for place in range(period)]
    what = "blocks" if statistics else "points"

    def losses(values: FloatArray) -> FloatArray:
        _check_data(values.shape, numbers, period, what)
        n = len(values)
        if n > n_ensemble * period:
            warn(
                f"{n} {what} are scored by an ensemble of {n_ensemble}, whose own error may "
                f"exceed theirs; raise n_ensemble to {n // period} or more"
            )
        found = np.empty(n)
        for place, of_place in enumerate(at_place):
            found[place::period] = of_place(values[place::period])
        return found

    return losses


def _check_score(score: str | ScoreFunction, numbers: tuple[int, ...]) -> None:
    """Points have the shape that a score is of."""
    if score == "crps" and numbers:
        known = "single numbers; choose 'energy'"
    elif len(numbers) > 1:
        known = "points of d numbers, shape (d,)"
    else:
        return
    raise ValueError(f"simulated points have shape {numbers}, but score {score!r} is of {known}")


def _check_data(shape: tuple[int, ...], numbers: tuple[int, ...], period: int, what: str) -> None:
    """Data have points of the shape that was simulated, in whole series."""
    if not shape or shape[1:] != numbers:
        needed = ", ".join(map(str, ("n", *numbers)))
        if not numbers:
            needed = "n,"
        raise ValueError(
            f"data have shape {shape}, but simulated {what} have shape {numbers or '()'}: data "
            f"need shape ({needed})"
        )
    rest = shape[0] % period
    if rest:
        raise ValueError(
            f"data of {shape[0]} points are no whole number of series of period = {period} "
            f"points; leave out the {rest} last, or pass its period"
        )


def _crps(members: FloatArray) -> Scorer:
    """By sorting: Σ|xᵢ − y| from partial sums, Σ|xᵢ − xⱼ| from ranks; about the median, so
    that an offset costs no digits.
    """
    m = len(members)
    centre = np.median(members)
    ordered = np.sort(members) - centre
    sums = np.concatenate([[0.0], np.cumsum(ordered)])
    spread = np.sum((2 * np.arange(1, m + 1) - m - 1) * ordered) / (m * (m - 1))

    def losses(values: FloatArray) -> FloatArray:
        y = values - centre
        below = np.searchsorted(ordered, y)
        return np.asarray((y * (2 * below - m) + sums[-1] - 2 * sums[below]) / m - spread)

    return losses


def _energy(members: FloatArray) -> Scorer:
    """Distances to all members, and half the mean distance between two of them."""
    from scipy.spatial.distance import cdist  # here, since importing it takes a while

    m = len(members)
    step = max(1, CHUNK // m)

    def distances(values: FloatArray) -> FloatArray:
        """From each value to the members, on average."""
        means = np.empty(len(values))
        for start in range(0, len(values), step):
            part = slice(start, start + step)
            means[part] = cdist(values[part], members).mean(axis=1)
        return means

    spread = distances(members).sum() / (2 * (m - 1))
    return lambda values: distances(values) - spread


def _gaussian(statistics: Sequence[str], members: FloatArray) -> Scorer:
    """Minus the log density of a Gaussian with the mean and the shrunken covariance of the
    members.
    """
    from scipy import stats  # here, since importing it takes a while

    m, k = members.shape
    constant = np.flatnonzero(np.ptp(members, axis=0) == 0)
    if constant.size:
        which: str | int = int(constant[0])
        if len(statistics) == k:  # and none of them is several numbers
            which = show(statistics[constant[0]])
        raise ValueError(
            f"statistic {which!r} is {members[0, constant[0]]:g} in all {m} simulated "
            "blocks, and has no density; leave it out, or choose longer blocks"
        )
    if m < MEMBERS_PER_STATISTIC * k:
        warn(
            f"the distribution of {k} statistics is estimated from {m} simulated blocks "
            f"only; raise n_ensemble to {MEMBERS_PER_STATISTIC * k} or more"
        )
    mean = members.mean(axis=0)
    deviation = members.std(axis=0, ddof=1)
    standard = (members - mean) / deviation
    correlation = max(1 - k / m, 0) * (standard.T @ standard) / (m - 1)
    np.fill_diagonal(correlation, 1.0)
    density = stats.multivariate_normal(cov=correlation)

    def losses(values: FloatArray) -> FloatArray:
        standardised = (values - mean) / deviation
        return np.asarray(np.log(deviation).sum() - density.logpdf(standardised))

    return losses


def _by_function(score: ScoreFunction, members: FloatArray) -> Scorer:
    """Any score of data and ensembles: that of a point is the same for all."""
    name = getattr(score, "__name__", type(score).__name__)

    def losses(values: FloatArray) -> FloatArray:
        n = len(values)
        ensembles = np.broadcast_to(members, (n, *members.shape))
        found = as_targets(score(values, ensembles), f"losses of {name}")
        if found.shape != (n,):
            raise ValueError(
                f"{name} gave losses of shape {found.shape}; there must be one for each of "
                f"{n} points"
            )
        return found

    return losses
