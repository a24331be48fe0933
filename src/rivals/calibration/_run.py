"""`calibrate`: run simulated experiments, keep them, and return what they say about c."""

from __future__ import annotations

import sys
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from time import monotonic
from typing import Any, TypeAlias

import numpy as np

from rivals._core.cautions import PACKAGE
from rivals._core.checks import check_printable, check_size
from rivals._core.optional import need
from rivals._core.seeds import entropy_from
from rivals._core.texts import Refusal, opt
from rivals._core.types import RNG
from rivals.calibration._experiment import (
    GROWTH,
    N_TRUTH,
    AnyScenario,
    Conditions,
    Outcome,
    is_undecided,
    run_experiment,
)
from rivals.calibration._result import Calibration
from rivals.calibration._store import MEMORY, Store, Study, open_to_write, source_of, stored_entropy
from rivals.laws import Law

# A scenario, its place, the index of an experiment, and points for its truth.
Task: TypeAlias = tuple[AnyScenario, int, int, int]
Found: TypeAlias = tuple[int, int, Outcome | str]

# Seconds between two transactions, and before progress is shown.
BETWEEN = 1.0
QUIET = 5.0
# So many failures of a scenario and no success are a mistake in it.
HOPELESS = 16
# More data decide the truth, until no more than this part of a scenario is undecided.
FEW_UNDECIDED = 0.05


class CalibrationInterrupted(KeyboardInterrupt):
    """The run was stopped; the message says what is kept, and how to go on."""


def calibrate(
    scenarios: Mapping[str, AnyScenario] | AnyScenario,
    *,
    n_data: int,
    n_experiments: int = 2048,
    c: Sequence[float] | None = None,
    method: str | Law[Any] | None = None,
    n_simulations: int | None = None,
    order: str | None = None,
    n_truth: int = N_TRUTH,
    most_truth: int | None = None,
    loss_unit: str = "",
    rng: RNG = None,
    n_jobs: int | None = None,
    store: str | PathLike[str] | None = None,
    retry: bool = False,
    progress: bool = True,
) -> Calibration:
    """Choose the sensitivity c by simulated experiments.

    Parameters
    ----------
    scenarios : mapping, or a function
        Name → scenario Ω: a function from a generator to an `Experiment`. One with a parameter
        `index` without default also receives the index of its experiment, for designs from a list.
    n_data : int
        Points of each experiment: as many as the real one has.
    n_experiments : int
        Of each scenario. A second run with a larger number and the same store adds the rest.
    c : sequence of float, optional
        Values to try, all on the same data and random numbers; 2⁻¹⁰ to 2⁴ by default.
    method : {"transport", "beta", "paper"} or a method of `rivals.laws`, optional
        As in `compare`; "transport" by default. With "groups" there is nothing to calibrate.
    n_simulations : int, optional
        Simulations of each candidate, as in `compare`: 16 by default, 1 under method "paper".
    order : {"time"}, optional
        Points are a series, and neighbours depend on each other: in the data (under methods "beta"
        and "paper" that changes nothing), and in those for the truth.
    n_truth : int
        Points that decide which candidate is truly better.
    most_truth : int, optional
        Where more than a twentieth of a scenario stays undecided by `n_truth`, undecided
        experiments get four times as many points, again and again, up to this number; 16 times
        `n_truth` by default.
    loss_unit : str
        Unit of the losses, as "nats": c may depend on it.
    rng : int, SeedSequence, Generator or None
        Source of randomness. Experiment i of a scenario depends only on the seed, the place of the
        scenario, and i.
    n_jobs : int, optional
        Processes, as in joblib and scikit-learn: -1 for as many as there are cores. By default
        one, or what `joblib.parallel_config` says, which also reaches clusters.
    store : path, optional
        SQLite file that keeps finished experiments. The same call goes on where it was stopped.
    retry : bool
        Whether experiments of the store that failed are run again.
    progress : bool
        Whether a run of more than five seconds shows on standard error how far it is.

    Returns
    -------
    Calibration

    See Also
    --------
    compare : takes a calibration as its c.

    Examples
    --------
    >>> import rivals
    >>> from rivals.testbeds import toys
    >>> calibration = rivals.calibrate(
    ...     toys.omega, n_data=200, n_experiments=64, c=[0.25, 1.0], n_truth=5000, rng=0
    ... )
    >>> calibration.curve(1.0, bins=4).predicted.round(2)
    array([0.41, 0.47, 0.53, 0.62])
    """
    entropy = stored_entropy(store) if rng is None and store is not None else None
    conditions = Conditions.of(
        method=method,
        c=c,
        n_data=n_data,
        n_simulations=n_simulations,
        order=order,
        n_truth=n_truth,
        most_truth=most_truth,
        loss_unit=loss_unit,
        entropy=entropy_from(rng) if entropy is None else entropy,
    )
    if len(conditions.c) < 2:
        raise Refusal(
            f"{opt['c']} must be two or more different numbers, of which the smallest that is kept "
            f"is found; got {list(conditions.c)}"
        )
    n_experiments = check_size(n_experiments, "n_experiments")
    named = _named(scenarios)
    study = Study(conditions, {name: source_of(each) for name, each in named.items()})
    with open_to_write(store, study) as kept:
        kept.wants(n_experiments)
        functions = list(named.values())
        done = kept.done(retry=retry)
        missing = [
            (function, place, index, conditions.n_truth)
            for place, function in enumerate(functions)
            for index in range(n_experiments)
            if (place, index) not in done
        ]
        _run(missing, kept, n_jobs, progress)
        for place, function in enumerate(functions):
            n_truth = conditions.n_truth
            while n_truth * GROWTH <= conditions.most_truth:
                open_ = _undecided(kept, place, n_truth)
                n_truth *= GROWTH
                more = [(function, place, index, n_truth) for index in open_]
                _run(more, kept, n_jobs, progress)
        return Calibration.of_store(kept)


def _named(scenarios: Any) -> dict[str, AnyScenario]:
    """Scenarios by name; one alone is called as its function is."""
    if isinstance(scenarios, Mapping):
        named = dict(scenarios)
    else:
        name = getattr(scenarios, "__name__", type(scenarios).__name__)
        named = {"scenario" if name in ("<lambda>", "partial") else name: scenarios}
    if not named:
        raise ValueError("no scenario: pass {name: function}, from a generator to an Experiment")
    for name, scenario in named.items():
        if not isinstance(name, str) or not name.strip():
            raise TypeError(f"the name of a scenario must be a text; got {name!r}")
        check_printable("scenarios", [name])
        if not callable(scenario):
            raise TypeError(
                f"scenario {name!r} must be a function from a generator to an Experiment; got "
                f"{type(scenario).__name__}"
            )
    return named


def _undecided(kept: Store, place: int, n_truth: int) -> list[int]:
    """Experiments of a scenario that so many points leave undecided, of more than a twentieth.

    It depends on which experiments there are, not on the order in which they were run.
    """
    found = kept.outcomes()
    found = found[found["scenario"] == place]
    unknown = is_undecided(found["risk_a"], found["risk_b"], found["truth_error"])
    open_ = unknown & (found["n_truth"] == n_truth)
    n_open = np.sum(open_) + np.sum(found["n_truth"] > n_truth)
    if n_open <= FEW_UNDECIDED * found.size:
        return []
    return list(found["experiment"][open_].tolist())


# ---------------------------------------------------------------- running


def _run(tasks: Sequence[Task], kept: Store, n_jobs: int | None, progress: bool) -> None:
    """Run experiments, and keep what they found, a transaction each second."""
    if not tasks:
        return
    waiting: list[Found] = []
    hope = _Hope(kept, tasks)
    written = monotonic()
    n_kept = 0
    try:
        for found in _shown(_all(tasks, kept.study.conditions, n_jobs), len(tasks), progress):
            waiting.append(found)
            hope.after(found)
            if monotonic() - written > BETWEEN:
                kept.write(waiting)
                n_kept += len(waiting)
                waiting = []
                written = monotonic()
    except KeyboardInterrupt:
        kept.write(waiting)
        n_kept += len(waiting)
        where = f"{kept.name} has them; run it again to go on"
        if kept.name == MEMORY:
            where = "they are lost; name a store= to keep them next time"
        raise CalibrationInterrupted(
            f"stopped after {n_kept} of {len(tasks)} experiments; {where}"
        ) from None
    kept.write(waiting)


def _all(tasks: Sequence[Task], conditions: Conditions, n_jobs: int | None) -> Iterable[Found]:
    """What all tasks find, in the order in which they end."""
    if n_jobs in (None, 1) and sys.modules.get("joblib") is None:
        return (_attempt(conditions, *task) for task in tasks)
    joblib = need("joblib", extra="parallel", purpose="n_jobs")
    run = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    found: Iterable[Found] = run(joblib.delayed(_attempt)(conditions, *task) for task in tasks)
    return found


def _attempt(
    conditions: Conditions, scenario: AnyScenario, place: int, index: int, n_truth: int
) -> Found:
    """What one experiment finds, or the error that it raises."""
    try:
        return place, index, run_experiment(scenario, conditions, place, index, n_truth)
    except Exception as error:
        return place, index, f"{type(error).__name__}: {error}{_where(error)}"


def _where(error: Exception) -> str:
    """The line that raised it, in code of the user's."""
    theirs = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith(PACKAGE) and "site-packages" not in frame.filename
    ]
    return f" ({Path(theirs[-1].filename).name}, line {theirs[-1].lineno})" if theirs else ""


class _Hope:
    """Stops where a scenario only fails: the mistake is in it."""

    def __init__(self, kept: Store, tasks: Sequence[Task]) -> None:
        self.names = list(kept.study.sources)
        self.left = {
            place: min(n_tasks, HOPELESS)
            for place, n_tasks in Counter(place for _, place, _, _ in tasks).items()
        }
        self.works = {place for place, _ in kept.done(retry=True)}

    def after(self, found: Found) -> None:
        place, index, outcome = found
        if not isinstance(outcome, str):
            self.works.add(place)
        self.left[place] -= 1
        if self.left[place] == 0 and place not in self.works:
            raise RuntimeError(
                f"scenario {self.names[place]!r}: every experiment fails; number {index} with "
                f"{outcome}"
            )


def _shown(found: Iterable[Found], total: int, progress: bool) -> Iterator[Found]:
    """Say on standard error how far a long run is: in place on a terminal, else each minute."""
    in_place = sys.stderr.isatty()
    between = BETWEEN if in_place else 60.0
    begin = monotonic()
    said = begin + QUIET - between
    for number, each in enumerate(found, start=1):
        yield each
        now = monotonic()
        if progress and now - said > between:
            left = (now - begin) / number * (total - number)
            text = f"rivals calibrate: {number} of {total} experiments, {_time(left)} left"
            text = f"\r{text:<78}" if in_place else f"{text}\n"
            print(text, end="", file=sys.stderr, flush=True)
            said = now
    if progress and in_place and monotonic() - begin > QUIET:
        print(file=sys.stderr)


def _time(seconds: float) -> str:
    if seconds < 120.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200.0 else f"{seconds / 3600:.1f} h"
