"""`calibrate`: run simulated experiments, durably, and return what they say about c."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING

from rivals._checks import check_positive, check_size
from rivals._random import entropy_from
from rivals._types import RNG
from rivals.calibration.execution import Plan, execute
from rivals.calibration.experiment import Omega, Settings
from rivals.calibration.pools import open_pool
from rivals.calibration.progress import show_progress
from rivals.calibration.study import Study, make_study
from rivals.calibration.work import Task, pack

if TYPE_CHECKING:
    from rivals.calibration.result import Calibration
    from rivals.calibration.store import Standing, Store

DEFAULT_C = (2.0**-6, 2.0**-4, 2.0**-2, 1.0, 4.0)
N_TRUTH = 2**16
N_DRAWS = 2**11


class CalibrationInterrupted(KeyboardInterrupt):
    """The run was stopped by the user; the message says what is kept and how to go on.

    Examples
    --------
    >>> from rivals.calibration import CalibrationInterrupted
    >>> try:
    ...     raise CalibrationInterrupted("stopped after 10 of 64 experiments")  # as after Ctrl-C
    ... except KeyboardInterrupt as error:
    ...     print(error)
    stopped after 10 of 64 experiments
    """


def calibrate(
    omegas: Mapping[str, Omega] | Omega,
    *,
    n_data: int,
    n_experiments: int,
    c: Sequence[float] = DEFAULT_C,
    n_truth: int = N_TRUTH,
    n_synthetic: int | None = None,
    n_draws: int = N_DRAWS,
    depth: int | None = None,
    loss_unit: str | None = None,
    rng: RNG = None,
    executor: Executor | int | None = None,
    store: str | PathLike[str] | None = None,
    progress: bool = True,
    time_limit: float | None = None,
    block_size: int | None = None,
) -> Calibration:
    """Find out on simulated experiments for which c the probabilities of `compare` can be trusted.

    Parameters
    ----------
    omegas : mapping, or a function
        Name → epistemic distribution: a function from a generator to an `Experiment`. One with a parameter `index` that
        has no default, as `omega(rng, index)`, is told the index of its experiment, too: for designs taken from a list.
    n_data : int
        Data points per experiment: as many as the real one has.
    n_experiments : int
        Experiments per epistemic distribution. Running again with more of them and the same store adds the rest.
    c : sequence of float
        The values to try. All are computed on the same data and random numbers.
    n_truth : int
        Data points from which it is found out which candidate is truly better.
    n_synthetic : int, optional
        Points that candidates simulate; as many as `n_data` by default.
    n_draws : int
        Draws of each risk; 2 048 give a standard error of the probability of at most 0.011.
    depth : int, optional
        Refinements of the process; as deep as the data resolve by default.
    loss_unit : str, optional
        What losses are measured in, such as "nats"; remembered, since c belongs to it.
    rng : int, SeedSequence, Generator or None
        Source of randomness. Experiment i of epistemic distribution j depends on the entropy, i and j alone.
    executor : None, int, or concurrent.futures.Executor
        None for as many processes as there are cores, a number for that many (0: in this process), or any executor,
        such as `Client.get_executor()` of Dask. Functions travel to other processes by cloudpickle.
    store : path, optional
        SQLite file that keeps every finished experiment. The same call resumes it.
    progress : bool
        Whether to show progress on standard error.
    time_limit : float, optional
        Seconds of wall-clock time after which an experiment is given up and recorded as failed.
    block_size : int, optional
        Experiments per block; about a second's worth by default. The results do not depend on it.

    Returns
    -------
    Calibration

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> calibration = rivals.calibrate(
    ...     toys.omega, n_data=200, n_experiments=64, c=[0.25, 1.0], n_truth=5000, rng=0, executor=0, progress=False
    ... )
    >>> calibration.curve(1.0, bins=4).counts
    array([16, 16, 16, 16])
    """
    # SQLite is for the parent alone: workers, which import this package too, need not have it.
    from rivals.calibration.result import Calibration
    from rivals.calibration.store import open_writer, stored_entropy

    manner = Manner(executor, progress, time_limit, block_size)
    entropy = stored_entropy(store) if rng is None and store is not None else None
    settings = Settings(
        c=c,
        n_data=n_data,
        n_synthetic=n_data if n_synthetic is None else n_synthetic,
        n_truth=n_truth,
        n_draws=n_draws,
        entropy=entropy_from(rng) if entropy is None else entropy,
        depth=depth,
    )
    study = make_study(omegas, settings, n_experiments=n_experiments, loss_unit=loss_unit)
    with open_writer(store, study.identity, study.n_experiments) as (opened, standing):
        _run(study, opened, standing, manner)
        return Calibration.from_store(opened, study.n_experiments)


@dataclass(frozen=True)
class Manner:
    """How the experiments are run; no number depends on it."""

    executor: Executor | int | None
    progress: bool
    time_limit: float | None
    block_size: int | None

    def __post_init__(self) -> None:
        if self.time_limit is not None:
            object.__setattr__(self, "time_limit", check_positive(self.time_limit, "time_limit"))
        if self.block_size is not None:
            object.__setattr__(self, "block_size", check_size(self.block_size, "block_size"))


def _run(study: Study, store: Store, standing: Standing, manner: Manner) -> None:
    """Run the experiments that the store has not yet, and write them to it."""
    total = study.n_experiments * len(study.omegas)
    finished, failed = total - sum(int(mask.sum()) for mask in standing.missing), standing.failed
    if finished == total:
        return
    omegas = tuple(study.omegas.values())
    plan = Plan(standing.missing, standing.seconds, manner.block_size)
    try:
        with open_pool(manner.executor) as pool, show_progress(manner.progress, total, finished) as progress:
            task = Task(omegas if pool.in_process else pack(omegas), study.settings, manner.time_limit)
            for successes, failures in execute(pool, task, plan):
                store.write(successes, failures)
                finished += len(successes) + len(failures)
                failed += len(failures)
                progress.update(finished, failed)
    except KeyboardInterrupt:
        kept = (
            f"all of them are in {store.path!r}; run the same again to go on from there"
            if store.path
            else "they are lost; name a store= to keep them next time"
        )
        raise CalibrationInterrupted(f"stopped after {finished} of {total} experiments; {kept}") from None
