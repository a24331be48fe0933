"""Models that can only simulate: losses of points, or of summary statistics of blocks of data,
against an ensemble of simulations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from rivals._random import ENSEMBLE, entropy_from, stream
from rivals._say.arguments import check_choice, check_size
from rivals._say.words import show
from rivals._types import RNG, FloatArray
from rivals.models import Candidate
from rivals.read.inputs import as_targets, as_values, n_rows
from rivals.read.proper_scores import ScoreFunction, scorer

Simulate: TypeAlias = Callable[[int, np.random.Generator], Any]
Statistic: TypeAlias = Callable[[Any], Any]


def simulator(
    model: Any,
    *,
    score: str | ScoreFunction = "crps",
    n_ensemble: int = 4000,
    period: int = 1,
    rng: RNG = 0,
) -> Candidate:
    """A candidate from a model that can only simulate: its loss is a proper score against
    an ensemble of simulations.

    Parameters
    ----------
    model : callable or object
        `simulate(n, rng)`, which gives n simulated points, or an object that has this
        function. Points are numbers, shape (n,), or have d numbers each, shape (n, d).
    score : {"crps", "energy"} or callable
        "crps", the continuous ranked probability score, for points that are numbers;
        "energy", the energy score, for points of several. Or a function of the data, (n,)
        or (n, d), and of the ensemble of each point, (n, members) or (n, members, d), which
        gives n losses: those of scoringrules are such functions, for example
        `scoringrules.logs_ensemble` or `scoringrules.vs_ensemble`. It is called once for
        each place of a `period`.
    n_ensemble : int
        Number of members.
    period : int
        1, the default, where all points have the same distribution. Otherwise that of a point
        depends on its place in a series of `period` points, and data are one or more such
        series, one after the other. For points each with one of its own, as at different
        inputs, pass the number of points. The simulator is then run `n_ensemble` times, for
        `period` points each.
    rng : int, SeedSequence, Generator or None
        For the ensemble, which is drawn once, here, independently of the data and of all
        simulations.

    Returns
    -------
    Candidate
        The same ensemble scores observed and simulated data.

    Warns
    -----
    RivalsWarning
        Where there are more points than members: the ensemble's own error may then be the
        larger one.

    See Also
    --------
    summaries : A loss for each block of data, by summary statistics.
    distribution : Models with a density; prefer them.

    Notes
    -----
    Both scores are the *fair* ones: unbiased estimates, whatever the size of the ensemble,
    of the score of the model's distribution, E‖X − y‖ − ½ E‖X − X'‖. They are those of the package
    scoringrules with `estimator="fair"`, to rounding. We compute them ourselves, since the
    part that depends on the ensemble alone is needed once, not for each point, and since a
    result should not depend on what else is installed.

    Each point is scored against the distribution that it has before any other is known. How points
    depend on each other is not judged; that it makes the mean loss less certain is a matter
    of `groups=` or `order="time"` in `rivals.compare`.

    All points share the error of the ensemble. For a model that is nearly right it is
    negligible; for one that is wrong, the mean loss has an error about as large as the
    sampling error of `n_ensemble` points. Verdicts do not allow for it.

    Scores have the unit of the data, not nats. A `c` that was calibrated for log
    likelihoods is therefore not valid. The CRPS is lenient with outliers: use a log density
    where rare events matter.

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
    simulate = _simulate_of(model)
    if not callable(score):
        score = check_choice(score, "score", ("crps", "energy"))
    n_ensemble = check_size(n_ensemble, "n_ensemble", least=2)
    period = check_size(period, "period")
    generator = stream(entropy_from(rng), ENSEMBLE)
    if period == 1:
        members = _simulated(simulate, n_ensemble, generator)[:, None]
    else:
        members = np.stack([_simulated(simulate, period, generator) for _ in range(n_ensemble)])
    scored = scorer(members, score)
    return Candidate(loss=lambda data: scored(as_targets(data, "data")), simulate=simulate)


def summaries(
    model: Any,
    statistics: Statistic | Sequence[Statistic] | Mapping[str, Statistic],
    *,
    block: int | None,
    score: str | ScoreFunction = "gaussian",
    n_ensemble: int = 2000,
    rng: RNG = 0,
) -> Candidate:
    """A candidate whose losses are of blocks of data, by summary statistics such as spike
    counts or mean intervals.

    Parameters
    ----------
    model : callable or object
        `simulate(n, rng)`, which gives n simulated points, or an object that has this function.
    statistics : callable, sequence of them, or mapping of name to callable
        Each reduces a block to a number, or to a few, which are finite for every block that
        can occur.
    block : int or None
        The data are cut into blocks of so many consecutive points. None where they are a
        sequence of blocks already, as spike trains of several trials: then `simulate(n,
        rng)` gives n blocks.
    score : {"gaussian", "energy"} or callable
        "gaussian", the default: minus the log density of the statistics under a Gaussian
        with the mean and the covariance that they have in blocks which the model simulated
        (the synthetic likelihood). Otherwise as in `simulator`, with the statistics of a
        block in place of a point. The energy score of one statistic is its CRPS.
    n_ensemble : int
        Number of simulated blocks, from which the distribution of the statistics is estimated.
    rng : int, SeedSequence, Generator or None
        For these, which are drawn once, here, independently of the data and of all simulations.

    Returns
    -------
    Candidate
        With one loss for each block. It takes the same data as the model: what follows
        counts blocks, such as `groups=`, has one entry for each of them.

    Warns
    -----
    RivalsWarning
        Where there are more blocks than were simulated, or fewer than 20 simulated ones for
        each statistic.

    See Also
    --------
    simulator : A loss for each point.
    distribution : Models with a density; prefer them.

    Notes
    -----
    It assumes that all blocks have the same distribution, and that they are long enough to
    be nearly independent of each other. With `block` as a number, the simulated blocks are
    cut from one long series.

    The Gaussian is the better an approximation, the more each statistic is a sum over many
    events. Transform skewed ones, by a logarithm or a square root, and prefer few
    statistics to many. Off the diagonal the covariance of k statistics is multiplied by 1 −
    k/n_ensemble, which keeps it invertible where statistics depend on each other. For
    statistics far from Gaussian choose "energy"; it weighs several by their units, so scale
    them.

    Only what the statistics tell is judged: a model that is wrong otherwise is not found
    out. A `c` that was calibrated for the log likelihood of single points is not valid for
    blocks.

    References
    ----------
    Wood (2010), Nature 466, 1102. Price, Drovandi, Lee and Nott (2018), J. Comput. Graph.
    Stat. 27, 1.

    Examples
    --------
    Spikes in bins of a millisecond; the count and the longest silence of each 100 ms:

    >>> import numpy as np
    >>> import rivals
    >>> from rivals.read import summaries
    >>> def count(spikes):
    ...     return np.sqrt(spikes.sum())
    >>> def silence(spikes):
    ...     silent = np.diff(np.flatnonzero(spikes), prepend=-1, append=len(spikes))
    ...     return silent.max()
    >>> def spiking(rate):
    ...     return lambda n, rng: rng.binomial(1, rate, size=n)
    >>> spikes = spiking(0.1)(20_000, np.random.default_rng(0))
    >>> models = {
    ...     f"{rate:.0%}": summaries(spiking(rate), [count, silence], block=100)
    ...     for rate in (0.1, 0.2)
    ... }
    >>> rivals.compare(models, spikes, rng=0).survivors
    ('10%',)
    """
    simulate_points = _simulate_of(model)
    named = _named(statistics)
    if block is not None:
        block = check_size(block, "block")
    n_ensemble = check_size(n_ensemble, "n_ensemble", least=2)
    if not callable(score):
        score = check_choice(score, "score", ("gaussian", "energy"))

    def simulate(n: int, rng: np.random.Generator) -> Any:
        return simulate_points(n * (block or 1), rng)

    simulated = simulate(n_ensemble, stream(entropy_from(rng), ENSEMBLE))
    members = _reduced(simulated, named, block, "simulated block")
    if len(members) != n_ensemble:
        raise ValueError(
            f"simulate({n_ensemble * (block or 1)}, rng) gave {len(members)} blocks, not "
            f"{n_ensemble}"
        )
    scored = scorer(members[:, None], score, [name for name, _ in named])

    def loss(data: Any) -> FloatArray:
        return scored(_reduced(data, named, block, "block"))

    return Candidate(loss=loss, simulate=simulate)


def _simulate_of(model: Any) -> Simulate:
    """The function simulate(n, rng) of a model, or the model itself, where it is that function."""
    simulate: Simulate = getattr(model, "simulate", model)
    if isinstance(model, type) or not callable(simulate):
        raise TypeError(
            "expected a function simulate(n, rng), or an object with it, not its class; "
            f"got {show(repr(model))[:60]}"
        )
    return simulate


def _simulated(simulate: Simulate, n: int, rng: np.random.Generator) -> FloatArray:
    members = as_targets(simulate(n, rng), "simulated points")
    if members.ndim == 0 or len(members) != n:
        raise ValueError(
            f"simulate({n}, rng) gave an array of shape {members.shape}, not {n} points"
        )
    if not np.isfinite(members).all():
        raise ValueError(
            f"simulate({n}, rng) gave {int(np.sum(~np.isfinite(members)))} numbers that are "
            "not finite"
        )
    return members


def _named(statistics: Any) -> list[tuple[str, Statistic]]:
    """Statistics with their names: those given, or those of the functions."""
    if isinstance(statistics, Mapping):
        named = list(statistics.items())
    elif callable(statistics):
        named = [(_name(statistics), statistics)]
    elif isinstance(statistics, Iterable):
        named = [(_name(function), function) for function in statistics]
    else:
        named = []
    if not named or not all(callable(function) for _, function in named):
        raise TypeError(
            "statistics must be a function of a block, several, or a mapping from name to "
            f"function; got {show(repr(statistics))[:60]}"
        )
    return named


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _reduced(
    data: Any, named: list[tuple[str, Statistic]], block: int | None, what: str
) -> FloatArray:
    """The statistics of each block, shape (blocks, statistics)."""
    rows: list[FloatArray] = []
    for index, part in enumerate(_blocks(data, block)):
        numbers = []
        for name, statistic in named:
            value = np.ravel(as_targets(statistic(part), f"statistic '{show(name)}'"))
            wrong = value[~np.isfinite(value)]
            if wrong.size:
                raise ValueError(
                    f"statistic '{show(name)}' of {what} {index} is {wrong[0]}; it must be finite "
                    "for every block, also without events"
                )
            numbers.append(value)
        rows.append(np.concatenate(numbers))
        if rows[-1].size != rows[0].size:
            raise ValueError(
                f"the statistics are {rows[0].size} numbers for {what} 0, but {rows[-1].size} "
                f"for {what} {index}; they must be as many for each"
            )
    return np.array(rows)


def _blocks(data: Any, block: int | None) -> Any:
    """Data cut into blocks of so many points; None if they are blocks already."""
    n = n_rows(data, "data")
    if block is None:
        return data
    if n % block:
        raise ValueError(
            f"{n} points are no whole number of blocks of {block}; leave out the last {n % block}"
        )
    values = as_values(data, "data")
    return values.reshape(n // block, block, *values.shape[1:])
