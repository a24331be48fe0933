"""`calibrate`: run simulated experiments, durably, and return what they say about c."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from os import PathLike
from typing import Any

from rivals._checks import check_positive, check_size
from rivals._random import entropy_from
from rivals._types import RNG
from rivals.calibration.execution import Plan, Results, execute
from rivals.calibration.pools import make_pool
from rivals.calibration.progress import make_progress
from rivals.calibration.result import Calibration
from rivals.calibration.store import Store, stored_entropy
from rivals.calibration.study import Omega, Study, make_study
from rivals.calibration.work import Task

DEFAULT_C = (2.0**-6, 2.0**-4, 2.0**-2, 1.0, 4.0)


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
    n_truth: int = 2**16,
    n_synthetic: int | None = None,
    n_draws: int = 2**11,
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
        Name → epistemic distribution: a function from a generator to an `Experiment`.
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
        such as `Client.get_executor()` of Dask.
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
    >>> import numpy as np
    >>> import rivals
    >>> def gaussian(mean):
    ...     return rivals.Candidate(
    ...         loss=lambda y: (y - mean) ** 2 / 2, simulate=lambda n, rng: mean + rng.standard_normal(n)
    ...     )
    >>> def omega(rng):
    ...     mean = rng.normal(0, 0.1)
    ...     return rivals.Experiment(
    ...         observe=lambda n, rng: mean + rng.standard_normal(n), candidates=(gaussian(-0.1), gaussian(0.1))
    ...     )
    >>> calibration = rivals.calibrate(
    ...     omega, n_data=200, n_experiments=64, c=[0.25, 1.0], n_truth=5000, rng=0, executor=0, progress=False
    ... )
    >>> calibration.curve(1.0, bins=4).counts
    array([16, 16, 16, 16])
    """
    n_experiments = check_size(n_experiments, "n_experiments")
    limit = None if time_limit is None else check_positive(time_limit, "time_limit")
    size = None if block_size is None else check_size(block_size, "block_size")
    entropy = stored_entropy(store) if rng is None and store is not None else None
    study = make_study(
        omegas,
        c,
        n_data,
        n_synthetic,
        n_truth,
        n_draws,
        depth,
        entropy_from(rng) if entropy is None else entropy,
        loss_unit,
    )
    opened = Store.in_memory(study) if store is None else Store.create_or_resume(store, study)
    with opened:
        opened.set_target(n_experiments)
        _run(study, opened, n_experiments, executor, progress, limit, size)
        return Calibration.from_store(opened, n_experiments)


def _run(
    study: Study,
    store: Store,
    n_experiments: int,
    executor: Executor | int | None,
    progress: bool,
    time_limit: float | None,
    block_size: int | None,
) -> None:
    places = range(len(study.names))
    done = [store.done(place, n_experiments) for place in places]
    total, already = n_experiments * len(study.names), int(sum(mask.sum() for mask in done))
    if already == total:
        return
    task = Task(pack(list(study.omegas.values())), study.sizes, study.entropy, time_limit)
    plan = Plan(done, [store.mean_seconds(place) for place in places], block_size)
    finished, failed = already, len(store.failures(n_experiments))
    pool = make_pool(executor)
    kill = True
    try:
        with make_progress(progress, total, already) as shown:

            def acknowledge(results: Results) -> None:
                nonlocal finished, failed
                store.write(*results)
                finished += len(results[0]) + len(results[1])
                failed += len(results[1])
                shown.update(finished, failed)

            execute(pool, task, plan, acknowledge)
        kill = False
    except KeyboardInterrupt:
        kept = (
            f"all of them are in {store.path!r}; run the same again to go on from there"
            if store.path
            else "they are lost; name a store= to keep them next time"
        )
        raise CalibrationInterrupted(f"stopped after {finished} of {total} experiments; {kept}") from None
    finally:
        pool.close(kill=kill)


def pack(functions: list[Any]) -> bytes:
    """Functions as bytes, for workers of this run: by cloudpickle, which also takes lambdas and closures."""
    try:
        from cloudpickle import dumps
    except ImportError:
        from pickle import dumps
    try:
        return bytes(dumps(functions))
    except Exception as error:
        raise TypeError(
            f"the epistemic distributions cannot be sent to workers ({type(error).__name__}: {error}); do not let them "
            'capture open files, locks or generators, and have cloudpickle: pip install "rivals[parallel]"'
        ) from error
