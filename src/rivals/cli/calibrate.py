"""`rivals calibrate`: run or resume a calibration, look at one, export one."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rivals import calibration
from rivals._checks import need
from rivals.calibration.calibrate import N_DRAWS, N_TRUTH
from rivals.cli.values import parse_c
from rivals.comparison.settings import DEFAULT_LAW, N_SIMULATIONS

if TYPE_CHECKING:
    from rivals.calibration import Calibration

NEEDED = {
    "--n-data": "how many data points has the real experiment?",
    "--n-experiments": "how many experiments, of each epistemic distribution?",
}


def calibrate(
    target: Annotated[
        str | None,
        typer.Argument(
            help="module:name of an epistemic distribution, or of a mapping from names to several; or a store."
        ),
    ] = None,
    c: Annotated[
        list[str] | None,
        typer.Option(
            help="Value(s) of c, as 0.25, 2^-2 or a list with commas; may be repeated (the default depends on the law)."
        ),
    ] = None,
    law: Annotated[str, typer.Option(help="Law of the risk: transport or beta.")] = DEFAULT_LAW,
    n_simulations: Annotated[int, typer.Option(help="Simulations of each candidate.")] = N_SIMULATIONS,
    order: Annotated[str | None, typer.Option(help='"time" if the data are a time series.')] = None,
    n_experiments: Annotated[
        int | None, typer.Option(help="Experiments per epistemic distribution (required).")
    ] = None,
    n_data: Annotated[
        int | None, typer.Option(help="Data points per experiment, as many as in the real one (required).")
    ] = None,
    n_truth: Annotated[int, typer.Option(help="Data points that determine the true winner.")] = N_TRUTH,
    n_replications: Annotated[
        int, typer.Option(help="Fresh replications of each experiment that has a replicate.")
    ] = 1,
    n_synthetic: Annotated[
        int | None, typer.Option(help="Points that candidates simulate (default: --n-data).")
    ] = None,
    n_draws: Annotated[int, typer.Option(help="Draws of each risk, under law beta.")] = N_DRAWS,
    depth: Annotated[
        int | None, typer.Option(help="Depth of the process of law beta (default: as deep as the data resolve).")
    ] = None,
    loss_unit: Annotated[str | None, typer.Option(help='Unit of the losses, such as "nats".')] = None,
    store: Annotated[Path | None, typer.Option(help="SQLite file that keeps every finished experiment.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed; drawn and printed if omitted; kept in the store.")] = None,
    workers: Annotated[
        int | None, typer.Option(help="Worker processes (default: one per core; 0: run in this process).")
    ] = None,
    dask: Annotated[str | None, typer.Option(help="Address of a Dask scheduler, such as tcp://host:8786.")] = None,
    time_limit: Annotated[float | None, typer.Option(help="Seconds after which an experiment is abandoned.")] = None,
    progress: Annotated[bool, typer.Option(help="Show progress.")] = True,
    status: Annotated[
        bool, typer.Option("--status", help="Show the progress of a store, also while it is being written.")
    ] = False,
    export: Annotated[
        Path | None, typer.Option(help="Write the records of the store to a .csv or .parquet file.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the calibration curves to this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Find out on simulated experiments what probabilities mean, and which c is best.

    The same line run again resumes where it stopped.

    Examples:

      rivals calibrate my_models:omega --n-experiments 2048 --n-data 4000 --store study.sqlite

      rivals calibrate --status study.sqlite
    """
    if status:
        _print_status(store or _as_path(target, "--status"), as_json)
        return
    if target is None or (export is not None and Path(target).is_file()):
        result = calibration.open_store(store or _as_path(target, "--export or --plot"))
    else:
        _check_needed({"--n-data": n_data, "--n-experiments": n_experiments})
        settings = {
            "c": None if c is None else parse_c(c),
            "law": law,
            "n_simulations": n_simulations,
            "order": order,
            "n_experiments": n_experiments,
            "n_data": n_data,
            "n_truth": n_truth,
            "n_replications": n_replications,
            "n_synthetic": n_synthetic,
            "n_draws": n_draws,
            "depth": depth,
            "loss_unit": loss_unit,
            "rng": seed,
            "store": store,
            "progress": progress,
            "time_limit": time_limit,
        }
        result = _run(load_omegas(target), settings, workers, dask)
    if export is not None:
        _export(result, export)
    if plot is not None:
        _plot(result, plot)
    typer.echo(json.dumps(result.to_dict()) if as_json else f"{result}\nrng = {result.entropy}")


def load_omegas(target: str) -> Mapping[str, Any] | Any:
    """The epistemic distribution(s) named module:name, from the path or the current folder."""
    module_name, colon, name = target.partition(":")
    if not colon or not name:
        raise ValueError(f"the epistemic distribution must be module:name: got {target!r}; write it as my_models:omega")
    sys.path.insert(0, str(Path.cwd()))
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise ValueError(f"{target!r}: {error}; run this where {module_name}.py is, or install it") from None
    if not hasattr(module, name):
        raise ValueError(f"{target!r}: module {module_name} has no {name!r}; is the name right?")
    _send_by_value(module)
    return getattr(module, name)


def _send_by_value(module: Any) -> None:
    """Workers elsewhere need not have the user's module: its functions travel whole."""
    try:
        from cloudpickle import register_pickle_by_value
    except ImportError:
        return
    register_pickle_by_value(module)


def _check_needed(options: Mapping[str, object]) -> None:
    missing = [name for name, value in options.items() if value is None]
    if missing:
        questions = " ".join(NEEDED[name] for name in missing)
        raise ValueError(f"missing {' and '.join(missing)}: {questions}")


def _run(omegas: Any, settings: dict[str, Any], workers: int | None, dask: str | None) -> Calibration:
    try:
        with _executor(workers, dask) as executor:
            return calibration.calibrate(omegas, executor=executor, **settings)
    except calibration.CalibrationInterrupted as stop:
        typer.echo(f"rivals: {stop}", err=True)
        raise typer.Exit(130) from None


@contextmanager
def _executor(workers: int | None, dask: str | None) -> Iterator[Executor | int | None]:
    if dask is None:
        yield workers
        return
    distributed = need("distributed", extra="dask", purpose="--dask")
    with closing(distributed.Client(dask)) as client:
        yield client.get_executor()


def _print_status(path: Path, as_json: bool) -> None:
    from rivals.calibration.store import open_reader  # SQLite, when it is asked for

    with open_reader(path) as store:
        standing = store.status()
    if as_json:
        typer.echo(json.dumps(standing))
        return
    wanted = standing["experiments_wanted"]
    typer.echo(
        f"{path}: {'being written' if standing['being_written'] else 'not being written'}, last change ", nl=False
    )
    typer.echo(f"{standing['seconds_since_last_write']:.0f} s ago")
    for name, counts in standing["omegas"].items():
        each = counts["seconds_each"]
        typer.echo(
            f"  {name}: {counts['done']} of {wanted} done, {counts['failed']} failed"
            + ("" if each is None else f", {each:.3g} s each")
        )


def _export(result: Calibration, path: Path) -> None:
    writers = {".csv": result.to_csv, ".parquet": result.to_parquet}
    if path.suffix.lower() not in writers:
        raise ValueError(f"--export must end in .csv or .parquet: got {path.name!r}; change its ending")
    writers[path.suffix.lower()](path)


def _plot(result: Calibration, path: Path) -> None:
    from rivals.plots import plot_calibration

    figure = need("matplotlib.figure", extra="plot", purpose="--plot").Figure(figsize=(5.6, 5.2), layout="constrained")
    plot_calibration(result, ax=figure.subplots())
    figure.savefig(path, dpi=150)


def _as_path(target: str | None, option: str) -> Path:
    if target is None:
        raise ValueError(
            f"nothing to calibrate: no module:name was given, and {option} needs the path of a store; see rivals calibrate --help"
        )
    return Path(target)
