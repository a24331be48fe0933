"""`rivals calibrate`: run or resume a calibration, look at one, export one."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer


def calibrate(
    target: Annotated[
        str | None, typer.Argument(help="module:name of an epistemic distribution, or of a mapping of them by name.")
    ] = None,
    c: Annotated[
        list[str] | None, typer.Option(help="Value(s) of c, as 0.25, 2^-2 or a list with commas; may be repeated.")
    ] = None,
    experiments: Annotated[int, typer.Option(help="Experiments per epistemic distribution.")] = 512,
    data: Annotated[int | None, typer.Option(help="Data points per experiment: as many as the real one has.")] = None,
    truth: Annotated[int, typer.Option(help="Data points from which the truth is found out.")] = 2**16,
    synthetic: Annotated[int | None, typer.Option(help="Points that candidates simulate (default: --data).")] = None,
    draws: Annotated[int, typer.Option(help="Draws of each risk.")] = 2**11,
    depth: Annotated[
        int | None, typer.Option(help="Refinements of the process (default: as the data resolve).")
    ] = None,
    loss_unit: Annotated[str | None, typer.Option(help='What losses are measured in, such as "nats".')] = None,
    store: Annotated[Path | None, typer.Option(help="SQLite file that keeps every finished experiment.")] = None,
    seed: Annotated[int | None, typer.Option(help="Seed; printed back when omitted, kept in the store.")] = None,
    workers: Annotated[int | None, typer.Option(help="Processes (default: one per core; 0: none).")] = None,
    dask: Annotated[str | None, typer.Option(help="Address of a Dask scheduler to run on, as tcp://host:8786.")] = None,
    time_limit: Annotated[float | None, typer.Option(help="Seconds after which an experiment is given up.")] = None,
    progress: Annotated[bool, typer.Option(help="Show progress.")] = True,
    status: Annotated[
        bool, typer.Option("--status", help="Say how far the store has come, also while it runs.")
    ] = False,
    export: Annotated[
        Path | None, typer.Option(help="Write the records of the store to a .csv or .parquet file.")
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the calibration curves into this file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Find out on simulated experiments for which c the probabilities can be trusted.

    The same line run again resumes where it stopped.

    Examples:

      rivals calibrate my_models:omega --c 2^-6,2^-4,2^-2,1 --experiments 2048 --data 4000 --store study.sqlite

      rivals calibrate --status study.sqlite
    """
    if status:
        _print_status(store or _as_path(target, "--status"), as_json)
        return
    if target is None or (export is not None and _is_store(target)):
        calibration = _open(store or _as_path(target, "--export or --plot"))
    else:
        calibration = _calibrate(
            target,
            c,
            experiments,
            data,
            truth,
            synthetic,
            draws,
            depth,
            loss_unit,
            store,
            seed,
            workers,
            dask,
            time_limit,
            progress,
        )
    if export is not None:
        _export(calibration, export)
    if plot is not None:
        _plot(calibration, plot)
    typer.echo(json.dumps(_summary(calibration)) if as_json else f"{calibration}\nrng = {calibration.entropy}")


def parse_c(texts: list[str]) -> list[float]:
    """Values of c as people write them.

    Examples
    --------
    >>> parse_c(["2^-2, 0.5", "2**3"])
    [0.25, 0.5, 8.0]
    """
    found = []
    for text in ",".join(texts).split(","):
        base, _, exponent = text.strip().replace("**", "^").partition("^")
        try:
            found.append(float(base) ** float(exponent) if exponent else float(base))
        except (ValueError, OverflowError, ZeroDivisionError):
            raise ValueError(f"--c: {text.strip()!r} is not a number; write 0.25 or 2^-2") from None
    return found


def load_omegas(target: str) -> Mapping[str, Any] | Any:
    """The epistemic distribution(s) named module:name, from the path or the current folder."""
    module_name, colon, name = target.partition(":")
    if not colon or not name:
        raise ValueError(f"{target!r} must be module:name, as my_models:omega")
    sys.path.insert(0, str(Path.cwd()))
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise ValueError(f"{target!r}: {error}; run this where {module_name}.py is, or install it") from None
    if not hasattr(module, name):
        raise ValueError(f"{target!r}: module {module_name} has no {name!r}")
    _send_by_value(module)
    return getattr(module, name)


def _send_by_value(module: Any) -> None:
    """Workers elsewhere need not have the user's module: its functions travel whole."""
    try:
        from cloudpickle import register_pickle_by_value
    except ImportError:
        return
    register_pickle_by_value(module)


def _calibrate(
    target: str,
    c: list[str] | None,
    experiments: int,
    data: int | None,
    truth: int,
    synthetic: int | None,
    draws: int,
    depth: int | None,
    loss_unit: str | None,
    store: Path | None,
    seed: int | None,
    workers: int | None,
    dask: str | None,
    time_limit: float | None,
    progress: bool,
) -> Any:
    from rivals.calibration.calibrate import DEFAULT_C, CalibrationInterrupted, calibrate

    if data is None:
        raise ValueError("--data is needed: how many data points has the real experiment?")
    executor: Any = workers
    client = None
    if dask is not None:
        client = _dask_client(dask)
        executor = client.get_executor()
    try:
        return calibrate(
            load_omegas(target),
            c=DEFAULT_C if c is None else parse_c(c),
            n_experiments=experiments,
            n_data=data,
            n_truth=truth,
            n_synthetic=synthetic,
            n_draws=draws,
            depth=depth,
            loss_unit=loss_unit,
            rng=seed,
            executor=executor,
            store=store,
            progress=progress,
            time_limit=time_limit,
        )
    except CalibrationInterrupted as stop:
        typer.echo(f"rivals: {stop}", err=True)
        raise typer.Exit(130) from None
    finally:
        if client is not None:
            client.close()


def _dask_client(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError:
        raise ImportError('--dask needs distributed: pip install "rivals[dask]"') from None
    connect: Any = Client  # untyped where it is installed, unknown where it is not
    return connect(address)


def _open(path: Path) -> Any:
    from rivals.calibration.result import open_store

    return open_store(path)


def _print_status(path: Path, as_json: bool) -> None:
    from rivals.calibration.store import Store

    with Store.open_reader(path) as store:
        found = store.status()
    if as_json:
        typer.echo(json.dumps(found))
        return
    wanted = found["experiments_wanted"]
    typer.echo(f"{path}: {'being written' if found['being_written'] else 'not being written'}, last change ", nl=False)
    typer.echo(f"{found['seconds_since_last_write']:.0f} s ago")
    for name, counts in found["omegas"].items():
        each = counts["seconds_each"]
        typer.echo(
            f"  {name}: {counts['done']} of {wanted} done, {counts['failed']} failed"
            + ("" if each is None else f", {each:.3g} s each")
        )


def _export(calibration: Any, path: Path) -> None:
    writers = {".csv": calibration.to_csv, ".parquet": calibration.to_parquet}
    if path.suffix.lower() not in writers:
        raise ValueError(f"--export: {path.name!r} must end in .csv or .parquet")
    writers[path.suffix.lower()](path)


def _plot(calibration: Any, path: Path) -> None:
    from rivals.plots import plot_calibration

    figure = plot_calibration(calibration).get_figure(root=True)
    assert figure is not None  # new axes always have one
    figure.savefig(path, dpi=150)


def _summary(calibration: Any) -> dict[str, Any]:
    valid = calibration.valid_c()
    return {
        "omegas": list(calibration.omegas),
        "experiments": calibration.n_experiments,
        "failed": len(calibration.failures),
        "rng": str(calibration.entropy),
        "c": list(calibration.c),
        "overconfidence": [calibration.overconfidence(value) for value in calibration.c],
        "valid": list(valid.values),
        "below": valid.low_reason,
        "above": valid.high_reason,
        "chosen": calibration.choose_c() if valid.values else None,
    }


def _as_path(target: str | None, option: str) -> Path:
    if target is None:
        raise ValueError(f"{option} needs the path of a store")
    return Path(target)


def _is_store(target: str) -> bool:
    return Path(target).is_file()
