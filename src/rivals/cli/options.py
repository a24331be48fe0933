"""What the arguments and options of all commands mean, and values as people write them; names and
defaults are those of the library.
"""

from __future__ import annotations

import csv
import inspect
import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, get_type_hints

import typer

from rivals._say.words import show
from rivals.laws import LAWS

if TYPE_CHECKING:
    from rivals.calibration import Calibration

Command = TypeVar("Command", bound=Callable[..., None])

ARGUMENTS = {
    "observed": "Losses on held-out data, one column per model (.csv, .csv.gz, .tsv, .parquet, "
    ".xlsx); or, without a second file, a long table with the columns model, kind, loss, an .npz "
    "archive, a NetCDF file (.nc) or a Zarr folder.",
    "synthetic": "Losses of each model on its own simulations, in the same columns; not needed "
    "with --groups.",
    "target": "module:name of an epistemic distribution, or of a mapping from names to several; or "
    "a store.",
}
OPTIONS = {
    "models": "Models to compare, separated by commas; may be repeated. All by default.",
    "ignore": "Columns to leave out, such as an id or a fold, separated by commas; may be "
    "repeated.",
    "index": "Column that names the data points: rows of all tables are put into its order, and "
    "refused if points differ.",
    "groups": "Column of the observed or long table that says to which replication a point "
    "belongs, such as a session. With three or more, no simulations are needed.",
    "new_groups": "The verdict is about the mean risk over so many new groups: as many as at hand "
    "by default (the study repeated), 1 for the next group, inf for all to come.",
    "more_groups": "How many groups might be added, separated by commas; may be repeated. By "
    "default 5,10,20,40.",
    "clusters": "Column that says which points belong together without being replications: "
    "sampling errors allow for it.",
    "log_likelihood": "The files hold log likelihoods: higher is better.",
    "law": f"Law of the risk: {', '.join(LAWS)}. With --groups that for groups by default, else "
    "the first.",
    "c": "Sensitivity to the discrepancy between model and data, such as 0.25 or 2^-2; or the "
    "store of a calibration, whose law and curve are then used as well. The default depends on "
    "the law.",
    "threshold": "Probability above which a better rival rejects a model.",
    "margin": "Smallest difference that matters, in the unit of the loss: a model is rejected when "
    "a rival is better by more than this.",
    "order": '"time" if the points are a time series: sampling errors then allow for '
    "autocorrelation.",
    "loss_unit": 'Unit of the losses, such as "nats"; must be that of the calibration.',
    "n_simulations": "Simulations of each candidate; 16 by default.",
    "seed": "Seed of the random numbers; drawn and printed if omitted, and kept in a store.",
    "against": "Print every model beside this one, in place of the comparison with the best.",
    "as_json": "Print JSON, for programs.",
    "report": "Also write the interactive page to this file.",
    "title": "Heading of the interactive page.",
    "save": "Also save the comparison to this .npz file.",
    "out": "Folder for the report.",
    "n_experiments": "Experiments per epistemic distribution (required).",
    "n_data": "Data points per experiment: as many as the real one has (required).",
    "n_truth": "Data points that determine the true winner.",
    "n_replications": "Fresh replications of each experiment that has a replicate.",
    "store": "SQLite file that keeps every finished experiment.",
    "workers": "Worker processes; one per core by default, 0 to run in this process.",
    "dask": "Address of a Dask scheduler, such as tcp://host:8786.",
    "time_limit": "Seconds after which an experiment is abandoned.",
    "retry": "Rerun experiments that failed before.",
    "progress": "Show progress.",
    "status": "Show the progress of a store, also while it is being written.",
}
SEVERAL_C = "Values of c, such as 0.25 or 2^-2, separated by commas; may be repeated."
SHOWN_AS = {"models": "NAMES", "ignore": "NAMES", "c": "VALUE"}
SHOWN_AS["more_groups"] = "NUMBERS"
SHOWN_AS["against"] = "MODEL"
SHOWN_AS |= dict.fromkeys(("index", "groups", "clusters"), "COLUMN")
# Those that are only ever switched on.
SWITCHES = {
    "as_json": "--json",
    "log_likelihood": "--log-likelihood",
    "retry": "--retry",
    "status": "--status",
}


def described(**instead: str) -> Callable[[Command], Command]:
    """Tell typer what the parameters of a command mean; some mean something else in this one."""

    def describe(command: Command) -> Command:
        kinds = get_type_hints(command)
        for name, parameter in inspect.signature(command).parameters.items():
            if name in ARGUMENTS:
                meaning: Any = typer.Argument(help=ARGUMENTS[name], show_default=False)
            elif name in OPTIONS:
                meaning = typer.Option(
                    *([SWITCHES[name]] if name in SWITCHES else []),
                    help=instead.get(name, OPTIONS[name]),
                    metavar=SHOWN_AS.get(name),
                    show_default=parameter.default is not None,
                )
            else:
                continue
            command.__annotations__[name] = Annotated[kinds[name], meaning]
        return command

    return describe


def given_options(ctx: typer.Context) -> frozenset[str]:
    """The arguments and options of a command that are not defaults."""
    return frozenset(
        name
        for name in ctx.params
        if getattr(ctx.get_parameter_source(name), "name", "") != "DEFAULT"
    )


def check_output(
    path: str | Path | None,
    option: str,
    *,
    endings: Collection[str] = (),
    inputs: Collection[Path | None] = (),
) -> None:
    """Refuse a file that could not be written, or that would replace one of the inputs: before the
    work, not after it.
    """
    if path is None:
        return
    path = Path(path)  # old releases of typer have text here
    if endings and path.suffix.lower() not in endings:
        raise ValueError(
            f"{option} must end in {' or '.join(endings)}: got {show(path.name)!r}; change its "
            "ending"
        )
    if path.is_dir():
        raise ValueError(f"{option}: {show(path)} is a folder; name a file in it")
    if path.exists() and not path.is_file():
        raise ValueError(f"{option}: {show(path)} is not a plain file; name another one")
    if any(
        other is not None and other.exists() and path.exists() and path.samefile(other)
        for other in inputs
    ):
        raise ValueError(f"{option}: {show(path)} is one of the input files; name another one")
    folder = Path(os.path.realpath(path)).parent
    if not folder.is_dir():
        raise ValueError(
            f"{option}: there is no folder {show(folder)}; make it, or name another one"
        )
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ValueError(f"{option}: the folder {show(folder)} is not writable; name another one")


def parse_c(texts: list[str]) -> list[float]:
    """Values of c.

    Examples
    --------
    >>> parse_c(["2^-2, 0.5", "2**3, 1/8"])
    [0.25, 0.5, 8.0, 0.125]
    """
    return [_number(text.strip()) for text in ",".join(texts).split(",")]


def parse_numbers(texts: list[str], option: str) -> list[float]:
    """Numbers separated by commas.

    Examples
    --------
    >>> parse_numbers(["5,10", "20"], "--more-groups")
    [5.0, 10.0, 20.0]
    """
    numbers = []
    for text in ",".join(texts).split(","):
        try:
            numbers.append(float(text))
        except ValueError:
            raise ValueError(
                f"{option} is not a number: got {show(text)!r}; write numbers separated by commas"
            ) from None
    return numbers


def parse_names(texts: list[str]) -> list[str]:
    """Names separated by commas; a name that contains a comma stands in double quotes.

    Examples
    --------
    >>> parse_names(["A,B", '"C, the other"'])
    ['A', 'B', 'C, the other']
    """
    return [
        name.strip()
        for names in csv.reader(texts, skipinitialspace=True)
        for name in names
        if name.strip()
    ]


def read_c(text: str | None) -> float | Calibration | None:
    """One value of c, or the calibration in a store; None for the default of the law.

    Examples
    --------
    >>> read_c("2^-2")
    0.25
    """
    if text is None:
        return None
    try:
        return _number(text)
    except ValueError:
        if not os.path.isfile(text):
            raise
    from rivals.calibration import open_store  # SQLite, when it is asked for

    return open_store(text)


def _number(text: str) -> float:
    """0.25, 1/4, 2^-2 or 2**-2."""
    plain = text.strip().replace("**", "^")
    above, fraction, below = plain.partition("/")
    base, power, exponent = plain.partition("^")
    try:
        if fraction:
            return _number(above) / _number(below)
        return float(float(base) ** float(exponent)) if power else float(base)
    except (ValueError, TypeError, ArithmeticError):
        raise ValueError(
            f"--c is not a number: got {show(text)!r}; write 0.25 or 2^-2, or, for rivals compare "
            "and demo, the path of the store of a calibration"
        ) from None
