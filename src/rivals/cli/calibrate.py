"""`rivals calibrate`: run or resume a calibration, or look at one."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import sys
import traceback
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing, contextmanager, redirect_stdout, suppress
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from rivals import calibration
from rivals._say.optional import need
from rivals._say.words import show
from rivals.calibration.conditions import N_TRUTH
from rivals.cli.console import print_result, say, warnings_as_sentences
from rivals.cli.options import SEVERAL_C, check_output, described, given_options, parse_c
from rivals.comparison import N_SIMULATIONS
from rivals.laws import DEFAULT

if TYPE_CHECKING:
    from rivals.calibration import Calibration

STORES = (".sqlite", ".sqlite3", ".db")


@described(
    c=f"{SEVERAL_C} The default depends on the law.",
    law="Law of the risk, one that has a c.",
    n_simulations="Simulations of each candidate.",
)
def calibrate(
    ctx: typer.Context,
    target: str | None = None,
    c: list[str] | None = None,
    law: str = DEFAULT.name,
    n_simulations: int = N_SIMULATIONS,
    order: str | None = None,
    n_experiments: int | None = None,
    n_data: int | None = None,
    n_truth: int = N_TRUTH,
    n_replications: int = 1,
    loss_unit: str | None = None,
    store: Path | None = None,
    seed: int | None = None,
    workers: int | None = None,
    dask: str | None = None,
    time_limit: float | None = None,
    retry: bool = False,
    progress: bool = True,
    status: bool = False,
    as_json: bool = False,
) -> None:
    """Find the best c, and what probabilities mean, from simulated experiments.

    Example: rivals calibrate my_models:omega --n-data 4000 --n-experiments 2048 --store
    study.sqlite

    The same command, run again, resumes where it stopped. To see what a store holds: rivals
    calibrate study.sqlite
    """
    check_output(store, "--store")
    opened = _store_to_show(ctx, target, store)
    if opened is None:
        result = _run(ctx, str(target), store)
    else:
        if status or not as_json:
            _print_status(opened, as_json)
        if status:
            return
        result = calibration.open_store(opened)
    _check_finished(result)
    print_result(result, as_json=as_json)
    if not as_json:
        typer.echo(f"rng = {result.entropy}")


def load_omegas(target: str) -> Mapping[str, Any] | Any:
    """The epistemic distribution(s) named module:name, from the path or the current folder."""
    module_name, colon, name = target.partition(":")
    if not colon or not name or module_name.endswith(".py"):
        suggestion = f"{module_name.removesuffix('.py') or 'my_models'}:{name or 'omega'}".replace(
            "/", "."
        )
        raise ValueError(
            f"the epistemic distribution must be module:name: got {show(target)!r}; write it as "
            f"{show(suggestion)}"
        )
    sys.path.insert(0, str(Path.cwd()))
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:
        hint = "correct it"
        if isinstance(error, ModuleNotFoundError):
            hint = f"run this where {error.name}.py is, or install it"
        elif isinstance(error, SystemExit):
            hint = "keep what must not run on import under `if __name__ == '__main__':`"
        raise ValueError(
            f"{show(target)!r}: {module_name} could not be imported: {type(error).__name__}: "
            f"{error}{_line_of(error)}; {hint}"
        ) from error
    if not hasattr(module, name):
        near = get_close_matches(name, dir(module), n=1)
        hint = f"did you mean {near[0]!r}?" if near else "is the name right?"
        raise ValueError(f"{show(target)!r}: module {module_name} has no {name!r}; {hint}")
    omegas = getattr(module, name)
    if not (callable(omegas) or isinstance(omegas, Mapping)):
        raise TypeError(
            f"{show(target)!r} is not a function: got {type(omegas).__name__}; name a function "
            "from a generator to an Experiment, or a mapping of such functions by name"
        )
    with suppress(
        ImportError
    ):  # workers elsewhere need not have the user's module: its functions are sent by value
        importlib.import_module("cloudpickle").register_pickle_by_value(module)
    return omegas


def _line_of(error: BaseException) -> str:
    """Where the user's own code failed; a syntax error and a missing module say so themselves."""
    *_, frame = traceback.extract_tb(error.__traceback__)
    says_it = isinstance(error, (SyntaxError, ModuleNotFoundError))
    return "" if says_it else f" ({show(frame.filename)}, line {frame.lineno})"


def _store_to_show(ctx: typer.Context, target: str | None, store: Path | None) -> Path | None:
    """The store, where there is nothing to run."""
    asked = given_options(ctx)
    path = store if store is not None and (target is None or "status" in asked) else target
    if path is None:
        raise ValueError(
            "nothing to calibrate: neither a module:name nor a store was given; see rivals "
            "calibrate --help"
        )
    is_store = os.path.isfile(path) or (
        ":" not in str(path) and Path(path).suffix.lower() in STORES
    )
    if path is target and not is_store and "status" not in asked:
        return None
    if not os.path.isfile(path):
        raise ValueError(f"there is no store {show(path)}; is its path right?")
    to_run = {"c", "n_data", "n_experiments", "store", "seed"} & asked
    if path is target and to_run:
        raise ValueError(
            f"{show(target)} is a store, which has no functions to run: got "
            f"{_as_options(sorted(to_run))}, too; to continue the study, write rivals calibrate "
            f"module:name ... --store {show(target)}"
        )
    return Path(path)


def _as_options(names: Sequence[str], between: str = ", ") -> str:
    return between.join(f"--{name.replace('_', '-')}" for name in names)


def _run(ctx: typer.Context, target: str, store: Path | None) -> Calibration:
    """The calibration, run or resumed; what simulators print goes to standard error."""
    options = ctx.params
    missing = [name for name in ("n_data", "n_experiments") if options[name] is None]
    if missing:
        raise ValueError(
            f"missing {_as_options(missing, ' and ')}: how many data points has the real "
            "experiment, and how many experiments are to be made for each epistemic distribution?"
        )
    arguments = inspect.signature(calibration.calibrate).parameters
    settings = {name: value for name, value in options.items() if name in arguments}
    settings["c"] = parse_c(options["c"]) if options["c"] else None
    settings["rng"] = options["seed"]
    try:
        with (
            _result_alone_on_stdout(),
            warnings_as_sentences(),
            _executor(options["workers"], options["dask"]) as executor,
        ):
            return calibration.calibrate(load_omegas(target), executor=executor, **settings)
    except calibration.CalibrationInterrupted as stop:
        say(f"rivals: {stop}")
        raise typer.Exit(130) from None


@contextmanager
def _executor(workers: int | None, dask: str | None) -> Iterator[Executor | int | None]:
    if dask is None:
        yield workers
        return
    distributed = need("distributed", extra="dask", purpose="--dask")
    with closing(distributed.Client(dask)) as client:
        yield client.get_executor()


@contextmanager
def _result_alone_on_stdout() -> Iterator[None]:
    """Send what simulators print, here or in workers that start meanwhile, to standard error: it
    must not mix with the result.
    """
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        with redirect_stdout(sys.stderr):
            yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 1)
        os.close(kept)


def _check_finished(result: Calibration) -> None:
    """Stop where an epistemic distribution has no finished experiment, and show why; say what else
    failed.
    """
    why = result.unfinished()
    if why:
        remedy = "Wait, and follow the run with --status"
        if result.failures:
            remedy = (
                "Correct the function and start again, with another store if you gave one. If the "
                "cause lay elsewhere (a full disk, a missing licence), run it again with --retry"
            )
        # A store from someone else may hold anything.
        raise RuntimeError(
            "\n".join(show(line) for text in (*why, remedy) for line in text.split("\n"))
        )
    for place, name in enumerate(result.omegas):
        errors = [failure.error for failure in result.failures if failure.omega == place]
        if errors:
            say(
                f"{len(errors)} experiments of {show(name)!r} failed, the first with "
                f"{show(errors[0])}; --retry runs them again"
            )


def _print_status(path: Path, as_json: bool) -> None:
    from rivals.calibration.store import open_reader  # SQLite, when it is asked for

    with open_reader(path) as store:
        standing = store.status()
    if as_json:
        typer.echo(json.dumps(standing))
        return
    written = "being written" if standing["being_written"] else "not being written"
    typer.echo(
        f"{show(path)}: {written}, last change {standing['seconds_since_last_write']:.0f} s ago"
    )
    wanted = (
        "" if standing["experiments_wanted"] is None else f" of {standing['experiments_wanted']}"
    )
    for name, counts in standing["omegas"].items():
        each = "" if counts["seconds_each"] is None else f", {counts['seconds_each']:.3g} s each"
        typer.echo(
            f"  {show(name)}: {counts['done']}{wanted} done, {counts['failed']} failed{each}"
        )
