"""Models that can only simulate: proper scores of data against an ensemble of simulations."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from rivals._checks import check_choice, check_size, warn
from rivals._random import ENSEMBLE, entropy_from, stream
from rivals._types import RNG, FloatArray
from rivals.losses import Candidate
from rivals.read.inputs import as_targets

SCORES = ("crps", "energy")

# From data of shape (n,) or (n, d) and members of shape (n, m) or (n, m, d) to n losses: the convention of scoringrules.
ScoreFunction: TypeAlias = Callable[[Any, Any], Any]
Scorer: TypeAlias = Callable[[FloatArray], FloatArray]

# Distances of so many pairs at a time.
CHUNK = 2**22


def simulator(
    model: Any,
    *,
    score: str | ScoreFunction = "crps",
    n_ensemble: int = 4000,
    period: int = 1,
    rng: RNG = 0,
) -> Candidate:
    """A candidate from a model that can only simulate: its loss is a proper score against an ensemble of simulations.

    Parameters
    ----------
    model : callable or object
        `simulate(n, rng)`, which gives n simulated points, or an object that has this function. Points are numbers, shape (n,), or have
        d numbers each, shape (n, d).
    score : {"crps", "energy"} or callable
        "crps", the continuous ranked probability score, for points that are numbers; "energy", the energy score, for points of several.
        Or a function of the data, (n,) or (n, d), and of the ensemble of each point, (n, members) or (n, members, d), which gives
        n losses: those of scoringrules are such functions, for example `scoringrules.logs_ensemble` or `scoringrules.vs_ensemble`. It
        is called once for each place of a `period`.
    n_ensemble : int
        Number of members.
    period : int
        1, the default, where all points have the same law. Otherwise the law of a point depends on its place in a series of
        `period` points, and data are one or more such series, one after the other. For points each with a law of its own, as at different
        inputs, pass the number of points. The simulator is then run `n_ensemble` times, for `period` points each.
    rng : int, SeedSequence, Generator or None
        For the ensemble, which is drawn once, here, independently of the data and of all simulations.

    Returns
    -------
    Candidate
        The same ensemble scores observed and simulated data.

    Warns
    -----
    RivalsWarning
        Where there are more points than members: the ensemble's own error may then be the larger one.

    See Also
    --------
    summaries : A loss for each block of data, by summary statistics.
    distribution : Models with a density; prefer them.

    Notes
    -----
    Both scores are the *fair* ones: unbiased estimates, whatever the size of the ensemble, of the score of the model's law,
    E‖X − y‖ − ½ E‖X − X'‖. They are those of the package scoringrules with `estimator="fair"`, to rounding. We compute them ourselves, since the part that
    depends on the ensemble alone is needed once, not for each point, and since a result should not depend on what else is installed.

    Each point is scored against the law that it has before any other is known. How points depend on each other is not judged; that
    it makes the mean loss less certain is a matter of `groups=` or `order="time"` in `rivals.compare`.

    All points share the error of the ensemble. For a model that is nearly right it is negligible; for one that is wrong, the mean loss has
    an error about as large as the sampling error of `n_ensemble` points. Verdicts do not allow for it.

    Scores have the unit of the data, not nats. A `c` that was calibrated for log likelihoods is therefore not valid. The CRPS is
    lenient with outliers: use a log density where rare events matter.

    References
    ----------
    Gneiting and Raftery (2007), J. Am. Stat. Assoc. 102, 359.

    Examples
    --------
    >>> import numpy as np
    >>> import rivals
    >>> from rivals.read import simulator
    >>> y = np.random.default_rng(0).gamma(2.0, size=500)
    >>> models = {
    ...     "gamma": simulator(lambda n, rng: rng.gamma(2.0, size=n)),
    ...     "normal": simulator(lambda n, rng: rng.normal(2.0, 2.0, size=n)),
    ... }
    >>> rivals.compare(models, y, rng=0).ranking
    ('gamma', 'normal')
    """
    simulate = simulate_of(model)
    score = score if callable(score) else check_choice(score, "score", SCORES)
    n_ensemble, period = check_size(n_ensemble, "n_ensemble", least=2), check_size(period, "period")
    generator = stream(entropy_from(rng), ENSEMBLE)
    if period == 1:
        members = _simulated(simulate, n_ensemble, generator)[:, None]
    else:
        members = np.stack([_simulated(simulate, period, generator) for _ in range(n_ensemble)])
    scored = scorer(members, score)

    def loss(data: Any) -> FloatArray:
        values = as_targets(data, "data")
        if values.ndim and len(values) > n_ensemble * period:
            warn(
                f"{len(values)} points are scored by an ensemble of {n_ensemble}{f' for each of {period}' if period > 1 else ''}, whose own "
                f"error may then exceed the sampling error; raise n_ensemble to {-(-len(values) // period)} or more"
            )
        return scored(values)

    return Candidate(loss=loss, simulate=simulate)


def simulate_of(model: Any) -> Callable[[int, np.random.Generator], Any]:
    """The function simulate(n, rng) of a model, or the model itself, where it is that function."""
    simulate = getattr(model, "simulate", model)
    if isinstance(model, type) or not callable(simulate):
        raise TypeError(
            f"expected a function simulate(n, rng), or an object that has one; got {type(model).__name__}"
            + (f" {model.__name__}; pass an instance" if isinstance(model, type) else "")
        )
    checked: Callable[[int, np.random.Generator], Any] = simulate
    return checked


def scorer(members: FloatArray, score: str | ScoreFunction) -> Scorer:
    """The losses of data, given the ensemble: members of shape (m, period) or (m, period, d).

    What does not depend on the data is computed here, once.
    """
    period, numbers = members.shape[1], members.shape[2:]
    if len(numbers) > 1 or (score == "crps" and numbers):
        raise ValueError(
            f"simulated points have shape {numbers}, but score {score!r} is of "
            + ("single numbers; choose 'energy'" if score == "crps" else "points of d numbers, shape (d,)")
        )
    kernel = partial(_by_function, score) if callable(score) else _energy if numbers else _crps
    at_place = [kernel(members[:, place]) for place in range(period)]

    def losses(values: FloatArray) -> FloatArray:
        if values.ndim == 0 or values.shape[1:] != numbers:
            raise ValueError(
                f"data have shape {values.shape}, but simulated points have shape {numbers or '()'}: data need shape "
                f"(n{''.join(f', {size}' for size in numbers)}{'' if numbers else ','})"
            )
        n = len(values)
        if n % period:
            raise ValueError(
                f"data of {n} points are no whole number of series of period = {period} points; leave out the {n % period} last, or "
                "pass the right period"
            )
        found = np.empty(n)
        for place, of_place in enumerate(at_place):
            found[place::period] = of_place(values[place::period])
        return found

    return losses


def _simulated(simulate: Callable[[int, np.random.Generator], Any], n: int, rng: np.random.Generator) -> FloatArray:
    members = as_targets(simulate(n, rng), "simulated points")
    if members.ndim == 0 or len(members) != n:
        raise ValueError(
            f"simulate({n}, rng) gave an array of shape {members.shape}, where its first axis must be of {n} points"
        )
    if not np.isfinite(members).all():
        raise ValueError(f"simulate({n}, rng) gave {int(np.sum(~np.isfinite(members)))} numbers that are not finite")
    return members


def _crps(members: FloatArray) -> Scorer:
    """By sorting: Σ|xᵢ − y| from partial sums, Σ|xᵢ − xⱼ| from ranks; about the median, so that an offset costs no digits."""
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
    from scipy.spatial.distance import cdist, pdist  # here, since importing it takes a while

    m = len(members)
    step = max(1, CHUNK // m)
    starts = range(0, m, step)
    spread = sum(pdist(members[a : a + step]).sum() for a in starts)
    spread += sum(cdist(members[a : a + step], members[a + step :]).sum() for a in starts if a + step < m)
    spread /= m * (m - 1)

    def losses(values: FloatArray) -> FloatArray:
        parts = [cdist(values[a : a + step], members).mean(axis=1) for a in range(0, len(values), step)]
        return np.asarray(np.concatenate([np.empty(0), *parts]) - spread)

    return losses


def _by_function(score: ScoreFunction, members: FloatArray) -> Scorer:
    """Any score of data and ensembles: that of a point is the same for all."""
    name = getattr(score, "__name__", type(score).__name__)

    def losses(values: FloatArray) -> FloatArray:
        n = len(values)
        found = as_targets(score(values, np.broadcast_to(members, (n, *members.shape))), f"losses of {name}")
        if found.shape != (n,):
            raise ValueError(
                f"{name} gave losses of shape {found.shape}, where there must be one for each of {n} points"
            )
        return found

    return losses
