"""`calibrate`: run simulated experiments, keep them, and return what they say about c."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from os import PathLike
from typing import TYPE_CHECKING

from rivals._random import entropy_from
from rivals._say.arguments import check_positive
from rivals._types import RNG
from rivals._workers.plan import Plan
from rivals._workers.processes import run_all
from rivals.calibration.conditions import N_TRUTH, Conditions
from rivals.calibration.experiment import Omega
from rivals.calibration.memory import Memory
from rivals.calibration.result import Calibration
from rivals.calibration.study import Study, make_study
from rivals.comparison import N_SIMULATIONS
from rivals.laws import Law, Order

if TYPE_CHECKING:
    from rivals.calibration.store import StudyStore

# Experiments per block; about one second of work if None. The results do not depend on it.
BLOCK_SIZE: int | None = None


class CalibrationInterrupted(KeyboardInterrupt):
    """The run was stopped by the user; the message says what is kept and how to continue.

    See Also
    --------
    calibrate : continues from its store where it was stopped.

    Examples
    --------
    >>> from rivals.calibration import CalibrationInterrupted
    >>> try:
    ...     raise CalibrationInterrupted(
    ...         "stopped after 10 of 64 experiments"
    ...     )  # as after Ctrl-C
    ... except KeyboardInterrupt as error:
    ...     print(error)
    stopped after 10 of 64 experiments
    """


def calibrate(
    omegas: Mapping[str, Omega] | Omega,
    *,
    n_data: int,
    n_experiments: int,
    c: Sequence[float] | None = None,
    law: str | Law | None = None,
    n_simulations: int = N_SIMULATIONS,
    order: Order | None = None,
    n_truth: int = N_TRUTH,
    n_replications: int = 1,
    loss_unit: str | None = None,
    rng: RNG = None,
    executor: Executor | int | None = None,
    store: str | PathLike[str] | None = None,
    progress: bool = True,
    time_limit: float | None = None,
    retry: bool = False,
) -> Calibration:
    """Calibrate the probabilities of `compare` on simulated experiments, and find the best c.

    If the experiments have a `replicate`, the question is which candidate wins in a fresh
    replication; otherwise, which wins on new data of the same process.
    `compare(models, data, c=calibration)` uses the law, the c with the best Brier score, and the
    temperature of the curve, which corrects the probabilities. With more than two models, B is held
    against a threshold that is learned from experiments with as many candidates.

    Parameters
    ----------
    omegas : mapping, or a function
        Name → epistemic distribution: a function from a generator to an `Experiment`. One with a
        parameter `index` that has no default, as `omega(rng, index)`, also receives the index of
        its experiment, for designs from a list. An object with a method ``batch(indices, rng_of)``
        computes many experiments at once: see `ExperimentLosses`.
    n_data : int
        Data points per experiment, as many as the real experiment has.
    n_experiments : int
        Experiments per epistemic distribution. A second run with a larger number and the same store
        adds the rest.
    c : sequence of float, optional
        The values to try. All are computed on the same data and random numbers. By default a grid
        that suits the law.
    law : "transport", "beta" or a law of `rivals.laws`, optional
        The law of the risk, as in `compare`. Law "groups" is not calibrated: groups at hand replace
        simulated experiments.
    n_simulations : int
        Simulations of each candidate, as many as in `compare`.
    order : None or "time"
        Whether data are a series, as in `compare`: the sampling error of law "transport" is then
        long-run (HAC).
    n_truth : int
        Data points that determine which candidate is truly better. If models drift away from a time
        series, as with chaotic systems, use `n_data`: the mean loss then grows with the length of
        the series, and a longer series may count right verdicts as wrong.
    n_replications : int
        Fresh replications of each experiment, of `n_truth` points each, for experiments that have a
        `replicate`. The truth is the fraction that candidate a wins. One is enough if experiments
        are cheap: additional experiments are more informative than additional replications.
    loss_unit : str, optional
        Unit of the losses, such as "nats". The calibration keeps it, because c may depend on it.
    rng : int, SeedSequence, Generator or None
        Source of randomness. Experiment i of epistemic distribution j depends only on the entropy,
        i and j.
    executor : None, int, or concurrent.futures.Executor
        None for as many processes as there are cores, a number for that many (0: in this process),
        or any executor, such as `Client.get_executor()` of Dask. Functions are sent to other
        processes by cloudpickle.
    store : path, optional
        SQLite file that keeps every finished experiment. The same call resumes it.
    progress : bool
        Whether to show progress on standard error.
    time_limit : float, optional
        Seconds of wall-clock time after which an experiment is abandoned and recorded as failed. If
        compiled code or a bare `except` keeps a worker busy beyond that, the worker is killed and
        replaced. This works only for processes on this machine: with `executor=0` such code cannot
        be ended, and your own executors are waited for until it is clear that they hang.
    retry : bool
        Whether to rerun the experiments that failed before, for example because of a full disk or a
        missing licence. By default failed experiments stay failed, because they are not missing at
        random. The random numbers are the same, so an error that they cause occurs again.

    Returns
    -------
    Calibration

    See Also
    --------
    rivals.calibration.replications : an epistemic distribution from candidates and one data set.
    Calibration : what is returned.
    compare : takes a calibration as its c.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> calibration = rivals.calibrate(
    ...     toys.omega,
    ...     n_data=200,
    ...     n_experiments=64,
    ...     c=[0.25, 1.0],
    ...     n_truth=5000,
    ...     rng=0,
    ...     executor=0,
    ...     progress=False,
    ... )
    >>> calibration.curve(1.0, bins=4).counts
    array([16, 16, 16, 16])
    """
    limit = None if time_limit is None else check_positive(time_limit, "time_limit")
    conditions = Conditions.checked(
        c=c,
        law=law,
        n_data=n_data,
        n_truth=n_truth,
        entropy=_entropy(rng, store),
        n_simulations=n_simulations,
        order=order,
        n_replications=n_replications,
        loss_unit=loss_unit,
    )
    study = make_study(omegas, conditions, n_experiments)
    with _kept(study, store) as kept:
        missing, failed = kept.remaining(retry=retry)
        plan = Plan(missing, BLOCK_SIZE or study.batch_size, failed)
        try:
            if plan.done < plan.total:
                run_all(study, plan, executor, kept.write, show=progress, time_limit=limit)
        except KeyboardInterrupt:
            where = "they are lost; name a store= to keep them next time"
            if kept.path:
                where = f"all of them are in {kept.path!r}; run it again to continue"
            raise CalibrationInterrupted(
                f"stopped after {plan.done} of {plan.total} experiments; {where}"
            ) from None
        return kept.read()


# Only where a store is named is SQLite needed: workers, which import this package too, and studies
# in memory do without it.


def _entropy(rng: RNG, store: str | PathLike[str] | None) -> int:
    """The entropy of the study: where none is given, that of the store if it was begun before."""
    if rng is None and store is not None:
        from rivals.calibration.store import stored_entropy

        stored = stored_entropy(store)
        if stored is not None:
            return stored
    return entropy_from(rng)


@contextmanager
def _kept(study: Study, store: str | PathLike[str] | None) -> Iterator[Memory | StudyStore]:
    """Where the experiments of a study are kept: in memory, or in a store."""
    if store is None:
        yield Memory(study)
        return
    from rivals.calibration.store import open_writer

    with open_writer(store, study) as opened:
        yield opened
