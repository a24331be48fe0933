"""A domain's own loss: a block of data is reduced to summary statistics, and becomes one loss."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from rivals._checks import check_choice, check_size, show, warn
from rivals._random import ENSEMBLE, entropy_from, stream
from rivals._types import RNG, FloatArray
from rivals.losses import Candidate
from rivals.read.inputs import as_targets, as_values, n_rows
from rivals.read.scores import ScoreFunction, Scorer, scorer, simulate_of

LEAST_BLOCKS = 8
MEMBERS_PER_STATISTIC = 20

Statistic = Callable[[Any], Any]


def summaries(
    model: Any,
    statistics: Statistic | Sequence[Statistic] | Mapping[str, Statistic],
    *,
    block: int | None,
    score: str | ScoreFunction = "gaussian",
    n_ensemble: int = 2000,
    rng: RNG = 0,
) -> Candidate:
    """A candidate whose losses are of blocks of data, by summary statistics such as spike counts or mean intervals.

    Parameters
    ----------
    model : callable or object
        `simulate(n, rng)`, which gives n simulated points, or an object that has this function.
    statistics : callable, sequence of them, or mapping of name to callable
        Each reduces a block to a number, or to a few, which are finite for every block that can occur.
    block : int or None
        The data are cut into blocks of so many consecutive points. None where they are a sequence of blocks already, as spike trains
        of several trials: then `simulate(n, rng)` gives n blocks.
    score : {"gaussian", "energy"} or callable
        "gaussian", the default: minus the log density of the statistics under a Gaussian with the mean and the covariance
        that they have in blocks which the model simulated (the synthetic likelihood). Otherwise as in `simulator`, with the
        statistics of a block in place of a point. The energy score of one statistic is its CRPS.
    n_ensemble : int
        Number of simulated blocks, from which the law of the statistics is estimated.
    rng : int, SeedSequence, Generator or None
        For these, which are drawn once, here, independently of the data and of all simulations.

    Returns
    -------
    Candidate
        With one loss for each block. It takes the same data as the model: what follows counts blocks, such as `groups=`, has
        one entry for each of them.

    Warns
    -----
    RivalsWarning
        Where there are more blocks than were simulated, or fewer than 20 simulated ones for each statistic.

    See Also
    --------
    simulator : A loss for each point.
    distribution : Models with a density; prefer them.

    Notes
    -----
    It assumes that all blocks have the same law, and that they are long enough to be nearly independent of each other.
    With `block` as a number, the simulated blocks are cut from one long series.

    The Gaussian is the better an approximation, the more each statistic is a sum over many events. Transform skewed ones, by a logarithm
    or a square root, and prefer few statistics to many. Off the diagonal the covariance of k statistics is multiplied by
    1 − k/n_ensemble, which keeps it invertible where statistics depend on each other. For statistics far from Gaussian choose
    "energy"; it weighs several by their units, so scale them.

    Only what the statistics tell is judged: a model that is wrong otherwise is not found out. A `c` that was calibrated for
    the log likelihood of single points is not valid for blocks.

    References
    ----------
    Wood (2010), Nature 466, 1102. Price, Drovandi, Lee and Nott (2018), J. Comput. Graph. Stat. 27, 1.

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
    simulate_points = simulate_of(model)
    named = _named(statistics)
    block = None if block is None else check_size(block, "block")
    n_ensemble = check_size(n_ensemble, "n_ensemble", least=2)
    score = score if callable(score) else check_choice(score, "score", ("gaussian", "energy"))

    def simulate(n: int, rng: np.random.Generator) -> Any:
        return simulate_points(n * (block or 1), rng)

    members = _reduced(simulate(n_ensemble, stream(entropy_from(rng), ENSEMBLE)), named, block, "simulated block")
    if len(members) != n_ensemble:
        raise ValueError(
            f"simulate({n_ensemble * (block or 1)}, rng) gave {len(members)} blocks, where there must be {n_ensemble}"
        )
    scored = _gaussian(members, [name for name, _ in named]) if score == "gaussian" else scorer(members[:, None], score)

    def loss(data: Any) -> FloatArray:
        values = _reduced(data, named, block, "block")
        if len(values) < LEAST_BLOCKS:
            raise ValueError(
                f"the data have {len(values)} blocks{f' of {block} points' if block else ''}, and each becomes one loss: at least {LEAST_BLOCKS} are "
                f"needed, hundreds to be useful; {'choose shorter blocks, or ' if block else ''}hold out more data"
            )
        if len(values) > n_ensemble:
            warn(
                f"{len(values)} blocks are scored by the statistics of {n_ensemble} simulated ones, whose own error may then exceed the "
                f"sampling error; raise n_ensemble to {len(values)} or more"
            )
        return scored(values)

    return Candidate(loss=loss, simulate=simulate)


def _named(statistics: Any) -> list[tuple[str, Statistic]]:
    if isinstance(statistics, Mapping):
        named = list(statistics.items())
    else:
        listed = [statistics] if callable(statistics) else statistics if isinstance(statistics, Iterable) else []
        named = [(getattr(function, "__name__", type(function).__name__), function) for function in listed]
    if not named or not all(callable(function) for _, function in named):
        raise TypeError(
            "statistics must be a function of a block, several of them, or a mapping from name to function; got "
            f"{show(repr(statistics))[:60]}"
        )
    return named


def _reduced(data: Any, named: list[tuple[str, Statistic]], block: int | None, what: str) -> FloatArray:
    """The statistics of each block, shape (blocks, statistics)."""
    if block is None:
        blocks: Iterable[Any] = data
        n_rows(data, "data")
    else:
        values = as_values(data, "data")
        n = n_rows(values, "data")
        if n % block:
            raise ValueError(
                f"{n} points are no whole number of blocks of {block}; leave out the last {n % block}, or choose another block"
            )
        blocks = values.reshape(n // block, block, *values.shape[1:])
    rows: list[FloatArray] = []
    for index, part in enumerate(blocks):
        found = []
        for name, statistic in named:
            value = np.atleast_1d(as_targets(statistic(part), f"statistic '{show(name)}'")).ravel()
            if not np.isfinite(value).all():
                raise ValueError(
                    f"statistic '{show(name)}' of {what} {index} is {value[~np.isfinite(value)][0]}; it must be finite for every block that can occur, "
                    "also for one without events"
                )
            found.append(value)
        row = np.concatenate(found)
        if rows and row.size != rows[0].size:
            raise ValueError(
                f"the statistics are {rows[0].size} numbers for {what} 0, but {row.size} for {what} {index}; they must be as many for each"
            )
        rows.append(row)
    return np.array(rows) if rows else np.empty((0, 0))


def _gaussian(members: FloatArray, names: list[str]) -> Scorer:
    """Minus the log density of a Gaussian with the mean and the shrunken covariance of the members."""
    from scipy import stats  # here, since importing it takes a while

    m, k = members.shape
    constant = np.flatnonzero(np.ptp(members, axis=0) == 0)
    if constant.size:
        which = f"'{show(names[constant[0]])}'" if len(names) == k else f"number {constant[0]}"
        raise ValueError(
            f"statistic {which} is {members[0, constant[0]]:g} in all {m} simulated blocks, and has no density; leave it out, or choose longer blocks"
        )
    if m < k + 2:
        raise ValueError(f"the covariance of {k} statistics needs more than {m} simulated blocks; raise n_ensemble")
    if m < MEMBERS_PER_STATISTIC * k:
        warn(
            f"the law of {k} statistics is estimated from {m} simulated blocks only; raise n_ensemble to {MEMBERS_PER_STATISTIC * k} or more, or "
            "choose fewer statistics"
        )
    mean, deviation = members.mean(axis=0), members.std(axis=0, ddof=1)
    standard = (members - mean) / deviation
    correlation = (1 - k / m) * (standard.T @ standard) / (m - 1)
    np.fill_diagonal(correlation, 1.0)
    law = stats.multivariate_normal(cov=correlation)

    def losses(values: FloatArray) -> FloatArray:
        if values.shape[1] != k:
            raise ValueError(
                f"the statistics are {values.shape[1]} numbers for each block of the data, but {k} for simulated ones"
            )
        return np.asarray(np.log(deviation).sum() - law.logpdf((values - mean) / deviation))

    return losses
