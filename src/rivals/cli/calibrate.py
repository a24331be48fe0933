"""`rivals calibrate`: run or resume a calibration, or look at one."""

from __future__ import annotations

import importlib
import json
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

import typer

from rivals.calibration import Calibration, CalibrationInterrupted
from rivals.calibration import calibrate as run_calibration
from rivals.calibration._experiment import N_TRUTH
from rivals.cli.console import INTERRUPTED, print_result, say
from rivals.cli.options import JSON, NAMED, UNDECIDED, numbers

STORES = (".sqlite", ".sqlite3", ".db")


def calibrate(
    targets: Annotated[
        list[str],
        typer.Argument(
            help="module:function of a scenario, or of a mapping from names to several; or a store "
            "to look at."
        ),
    ],
    n_data: Annotated[
        int | None, typer.Option(help="Points of each experiment: as many as the real one has.")
    ] = None,
    n_experiments: Annotated[int, typer.Option(help="Of each scenario.")] = 2048,
    c: Annotated[
        str | None,
        typer.Option(help="Values to try, as 2^-6,2^-4,1.", metavar="NUMBERS"),
    ] = None,
    method: Annotated[str | None, typer.Option(help="Method: transport, beta or paper.")] = None,
    n_simulations: Annotated[
        int | None, typer.Option(help="Simulations of each candidate: 16; 1 by method paper.")
    ] = None,
    order: Annotated[
        str | None, typer.Option(help='"time" if the points are a time series.')
    ] = None,
    n_truth: Annotated[
        int, typer.Option(help="Points that decide which candidate is truly better.")
    ] = N_TRUTH,
    most_truth: Annotated[
        int | None, typer.Option(help="At most so many where more are needed; 16 times as many.")
    ] = None,
    loss_unit: Annotated[str, typer.Option(help="Unit of the losses, such as nats.")] = "",
    rng: Annotated[int | None, typer.Option(help="Seed of the random numbers.")] = None,
    n_jobs: Annotated[
        int | None, typer.Option(help="Processes; -1 for as many as there are cores.")
    ] = None,
    store: Annotated[
        Path | None, typer.Option(help="SQLite file that keeps finished experiments.")
    ] = None,
    retry: Annotated[bool, typer.Option("--retry", help="Run failed experiments again.")] = False,
    progress: Annotated[bool, typer.Option(help="Show how far a long run is.")] = True,
    rule: Annotated[
        str | None, typer.Option(help="What c promises: bound or error; depends on method.")
    ] = None,
    promise: Annotated[
        str, typer.Option(help="What has to be shown of a c: usual or strict.")
    ] = "usual",
    status: Annotated[
        bool, typer.Option("--status", help="Show how far a store is, and stop.")
    ] = False,
    as_json: JSON = False,
) -> int:
    """Choose c, and see what P means, from simulated experiments.

    Example: rivals calibrate my_models:scenario --n-data 4000 --store study.sqlite

    The same command, run again, goes on where it stopped. To see what a store holds: rivals
    calibrate study.sqlite. The exit status is 0 if a c is kept, 3 if none is, and 2 after an error.
    """
    opened = _store_to_show(targets, store if status else None)
    if opened is not None:
        result = Calibration.open(opened)
    else:
        if n_data is None:
            raise ValueError("--n-data: how many points has the real experiment?")
        try:
            with redirect_stdout(sys.stderr):  # what simulators print is no result
                result = run_calibration(
                    scenarios(targets),
                    n_data=n_data,
                    n_experiments=n_experiments,
                    c=None if c is None else numbers(c),
                    method=method,
                    n_simulations=n_simulations,
                    order=order,
                    n_truth=n_truth,
                    most_truth=most_truth,
                    loss_unit=loss_unit,
                    rng=rng,
                    n_jobs=n_jobs,
                    store=store,
                    retry=retry,
                    progress=progress,
                )
        except CalibrationInterrupted as stop:
            say(f"rivals: {stop}")
            return INTERRUPTED
    if status:
        _print_status(result, as_json)
        return NAMED
    return _print(result, rule, promise, as_json)


def _print(result: Calibration, rule: str | None, promise: str, as_json: bool) -> int:
    """The calibration, and the c that is used."""
    chosen = None
    if result.states(rule, promise).kept:
        chosen = result.choose_c(rule, promise)
    if as_json:
        source = None if chosen is None else {"c": float(chosen), **chosen.source}
        print(json.dumps({**result.to_dict(), "chosen": source}, indent=2, allow_nan=False))
    else:
        print_result(result)
        if chosen is not None:
            how = ", ".join(f"{name}: {value}" for name, value in chosen.source.items())
            print(f"c = {chosen:g} ({how}); rng = {result.conditions.entropy}")
    return UNDECIDED if chosen is None else NAMED


def _print_status(result: Calibration, as_json: bool) -> None:
    """How many experiments of each scenario are done, also while a store is being written."""
    done = {
        name: {
            "done": int((result.outcomes["scenario"] == place).sum()),
            "failed": sum(each.scenario == name for each in result.failures),
            "wanted": result.n_wanted,
        }
        for place, name in enumerate(result.scenarios)
    }
    if as_json:
        print(json.dumps(done, indent=2, allow_nan=False))
        return
    for name, counts in done.items():
        print(f"{name}: {counts['done']} of {counts['wanted']} done, {counts['failed']} failed")


def _store_to_show(targets: Sequence[str], store: Path | None) -> str | Path | None:
    """The store, where there is nothing to run."""
    if store is not None:
        return store
    first = targets[0]
    is_store = Path(first).is_file() or Path(first).suffix.lower() in STORES
    if not is_store:
        return None
    if len(targets) > 1:
        raise ValueError(f"{first} is a store; show one at a time")
    return first


# ---------------------------------------------------------------- functions by name


def scenarios(targets: Sequence[str]) -> dict[str, Callable[..., Any]]:
    """The scenarios called module:function, in modules of the path or of this folder."""
    sys.path.insert(0, str(Path.cwd()))
    found: dict[str, Callable[..., Any]] = {}
    for target in targets:
        named = _named(target)
        for name, scenario in named.items():
            if name in found:
                raise ValueError(f"{target!r}: there are two scenarios {name!r}; rename one")
            found[name] = scenario
    return found


def _named(target: str) -> Mapping[str, Any]:
    """One function by its name, or a mapping."""
    module_name, colon, name = target.partition(":")
    if not (colon and name) or module_name.endswith(".py"):
        meant = f"{module_name.removesuffix('.py') or 'my_models'}:{name or 'scenario'}"
        raise ValueError(
            f"{target!r}: a scenario is named by module:function, as {meant.replace('/', '.')}"
        )
    module = _imported(target, module_name)
    if not hasattr(module, name):
        near = get_close_matches(name, dir(module), n=1)
        hint = f"did you mean {near[0]!r}?" if near else "is the name right?"
        raise ValueError(f"{target!r}: module {module_name} has no {name!r}; {hint}")
    thing = getattr(module, name)
    return thing if isinstance(thing, Mapping) else {name: thing}


def _imported(target: str, module_name: str) -> Any:
    try:
        return importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise ValueError(
            f"{target!r}: there is no module {error.name!r}; run this where {error.name}.py is, or "
            "install it"
        ) from None
    except (Exception, SystemExit) as error:
        *_, frame = traceback.extract_tb(error.__traceback__)
        raise ValueError(
            f"{target!r}: {module_name} could not be imported: {type(error).__name__}: {error} "
            f"({frame.filename}, line {frame.lineno})"
        ) from error
