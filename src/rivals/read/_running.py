"""Every model on every fold, in this process or in several; errors name both."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, TypeVar

from rivals._core.optional import need
from rivals.read._folds import Fold, without

Found = TypeVar("Found")

# Progress is shown on a terminal where it takes longer, in seconds.
LONG = 5.0


def functions_of(given: Any, what: str) -> dict[str, Callable[[Any], Any]]:
    """Functions that fit, by name; one alone has none."""
    functions = dict(given) if isinstance(given, Mapping) else {"": given}
    if not functions:
        raise ValueError(f"{what}: the mapping is empty; give a function for each model")
    for name, each in functions.items():
        if not callable(each):
            raise TypeError(
                f"{what}: expected a function of rows{f' for {name!r}' if name else ''}; got "
                f"{type(each).__name__}, and one fit to all rows has seen every group"
            )
    return functions


def run_folds(
    job: Callable[[int, int], Found],
    models: Sequence[str],
    folds: Sequence[Fold],
    *,
    noun: str = "group",
    n_jobs: int | None = None,
) -> list[list[Found]]:
    """What `job(model, fold)` returns for each fold of each model.

    The results do not depend on the number of processes.
    """
    tasks = list(product(range(len(models)), range(len(folds))))
    where = [_where(models[model], folds, fold, noun) for model, fold in tasks]
    if n_jobs == 1 or (n_jobs is None and sys.modules.get("joblib") is None):
        found = (_attempt(job, *task, said) for task, said in zip(tasks, where, strict=True))
    else:
        joblib = need("joblib", extra="parallel", purpose="several processes (n_jobs=)")
        found = joblib.Parallel(n_jobs=n_jobs, return_as="generator")(
            joblib.delayed(_attempt)(job, *task, said)
            for task, said in zip(tasks, where, strict=True)
        )
    results = list(_shown(found, len(tasks)))
    return [results[first : first + len(folds)] for first in range(0, len(tasks), len(folds))]


def _where(model: str, folds: Sequence[Fold], fold: int, noun: str) -> str:
    """A model and a fold in words."""
    left_out = folds[fold].groups
    said = f", {without(left_out, noun)}" if left_out else ""
    name = f"model {model!r}, " if model else ""
    return f"{name}fold {fold + 1} of {len(folds)}{said}"


def _attempt(job: Callable[[int, int], Found], model: int, fold: int, where: str) -> Found:
    """The result, or an error that says whose."""
    try:
        return job(model, fold)
    except (TypeError, ValueError, ImportError) as error:
        kind = next(
            each for each in (TypeError, ValueError, ImportError) if isinstance(error, each)
        )
        raise kind(f"{where}: {error}") from error
    except Exception as error:
        raise RuntimeError(f"{where}: {type(error).__name__}: {error}") from error


def _shown(found: Iterator[Any], n_tasks: int) -> Iterator[Any]:
    """The same, with a line of progress on a terminal if it takes long."""
    began = time.monotonic()
    shown = False
    for done, result in enumerate(found, start=1):
        if sys.stderr.isatty() and time.monotonic() - began > LONG:
            shown = True
            print(f"\r{done} of {n_tasks} fits", end="", file=sys.stderr, flush=True)
        yield result
    if shown:
        print(file=sys.stderr)
