"""Options from fields: each is declared once, with its meaning, in a dataclass.

A parameter of a command that is `Annotated[Given, Files]` becomes an option for each field of the
dataclass, and so do those of `Setting`.
"""

from __future__ import annotations

import csv
import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from functools import update_wrapper
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import typer

from rivals._core.setting import Setting

Command = Callable[..., Any]
# The options of a bundle that were given: Annotated[Given, Files].
Given = Mapping[str, Any]


def meaning(text: str, default: Any = None) -> Any:
    """A field with its meaning, for help."""
    return field(default=default, metadata={"meaning": text})


@dataclass(frozen=True)
class Files:
    """What is read, and as what."""

    simulated: str | None = meaning(
        "Losses of each model on its own simulations, in the same columns."
    )
    groups: list[str] | None = meaning(  # noqa: RUF009
        "Column that says which group a row belongs to, such as a school: with three or more, no "
        "simulations are needed. Of several factors, once for each: --groups subject --groups item."
    )
    models: str | None = meaning("Columns to compare, separated by commas; all by default.")
    ignore: str | None = meaning("Columns to leave out, such as an id, separated by commas.")
    target: str | None = meaning("Column of what came true: the others are then predictions.")
    loss: str | None = meaning(
        "With --target: absolute (the default), squared, log, brier or zero-one; or a metric, such "
        "as roc_auc, f1, rmse, r2, or the name of any scorer of scikit-learn."
    )
    loss_name: str | None = meaning("Without --target: what the losses are, as absolute error.")
    weights: str | None = meaning(
        "Whether each group weighs the same (groups, the default) or counts by its rows (points)."
    )
    score: str | None = meaning(
        "Column of scores of items in tasks, one score in a row, with columns model, task and item."
    )
    metric: str | None = meaning("Which score, where logs of evaluations have several.")
    reducer: str | None = meaning(
        "How runs of an item become one score: mean, max, pass_at_2 and so on; by default what "
        "logs say."
    )
    new: str | None = meaning("What is drawn anew of evaluations: tasks, or items of these tasks.")
    cluster: str | None = meaning("What items belong to, as a passage: a column, or metadata.")
    higher_is_better: bool | None = meaning("Whether scores, or estimates, are better if higher.")
    missing: str = meaning("Items that some models lack: refuse or drop.", "refuse")
    clusters: str | None = meaning(
        "Column that says which points belong together without being replications."
    )
    by: str | None = meaning(
        "Column of segments, such as devices: the comparison is also made within each."
    )
    order: str | None = meaning('"time" if the points are a time series.')
    log_likelihood: bool = meaning("The numbers are log likelihoods: higher is better.", False)
    unit: str | None = meaning("Unit of the losses, such as kg.")
    left_out: bool | None = meaning(
        "Each group was predicted by models fitted to the other groups; or all models were fitted "
        "before, to data of none of them."
    )


# Two words for what is so, or is not.
PAIRED = {
    "left_out": ["--left-out/--fitted-before"],
    "higher_is_better": ["--higher-is-better/--lower-is-better"],
}


def with_options(command: Command) -> Command:
    """Let typer see the fields of dataclasses as options.

    The command gets those that were given, as a mapping: defaults are those of the library.
    """
    hints = get_type_hints(command, include_extras=True)
    bundles: dict[str, list[str]] = {}
    parameters = []
    for name, parameter in inspect.signature(command).parameters.items():
        kind = hints[name]
        bundle = next(filter(is_dataclass, getattr(kind, "__metadata__", ())), None)
        if isinstance(bundle, type):
            types = get_type_hints(bundle)
            bundles[name] = [each.name for each in fields(bundle)]
            parameters += [_parameter(each, types[each.name]) for each in fields(bundle)]
        else:
            parameters.append(
                parameter.replace(annotation=kind, kind=inspect.Parameter.KEYWORD_ONLY)
            )

    def run(**given: Any) -> Any:
        chosen = {}
        for parameter, options in bundles.items():
            values = {name: given.pop(name) for name in options}
            said = {name: each for name, each in values.items() if each is not None}
            chosen[parameter] = {name: each for name, each in said.items() if each != []}
        return command(**given, **chosen)

    update_wrapper(run, command)
    del run.__wrapped__  # type: ignore[attr-defined]  # its signature is another
    run.__annotations__ = {}
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run


def _parameter(each: Field[Any], kind: Any) -> inspect.Parameter:
    """An option of the name of a field; it is None where it was not given."""
    default = None if each.default is MISSING else each.default
    text: str = each.metadata["meaning"]
    shown: dict[str, Any] = {
        "help": text[0].upper() + text[1:].rstrip(".") + ".",
        "show_default": str(default) if default not in (None, False) else False,
    }
    reads_number = float in (kind, *get_args(kind))
    if each.name == "c":
        shown |= {"parser": number_or_store, "metavar": "NUMBER|STORE"}
    elif each.name == "new_groups":
        shown |= {"parser": number_or_factors, "metavar": "NUMBER|FACTOR=NUMBER,…"}
    elif reads_number:
        shown |= {"parser": number, "metavar": "NUMBER"}
    if reads_number:
        kind = Any
    declared = [] if kind is not bool else [f"--{each.name.replace('_', '-')}"]
    declared = PAIRED.get(each.name, declared)
    return inspect.Parameter(
        each.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[
            kind if kind is Any else kind | None, typer.Option(*declared, **shown)
        ],
    )


def number(text: str) -> float:
    """0.25, 1/4, 2^-2 or 2**-2, or inf.

    Examples
    --------
    >>> number("2^-2"), number("1/8"), number("inf")
    (0.25, 0.125, inf)
    """
    plain = text.strip().replace("**", "^")
    above, fraction, below = plain.partition("/")
    base, power, exponent = plain.partition("^")
    try:
        if fraction:
            return float(above) / float(below)
        return float(float(base) ** float(exponent)) if power else float(base)
    except (ValueError, TypeError, ArithmeticError):
        hint = "write a number, as 0.25, 1/4 or 2^-2"
        if "," in text:
            hint = f"decimals are written with a point: {text.replace(',', '.')}"
        raise typer.BadParameter(f"{text!r} is no number; {hint}") from None


def number_or_factors(text: str) -> Any:
    """A number, or one for each of several factors.

    Examples
    --------
    >>> number_or_factors("30"), number_or_factors("subject=30,item=0")
    (30.0, {'subject': 30.0, 'item': 0.0})
    """
    if "=" not in text:
        return number(text)
    return {name: found[-1] for name, found in by_factor(text).items()}


def by_factor(text: str) -> dict[str, list[float]]:
    """Numbers of factors, of which each may have several.

    Examples
    --------
    >>> by_factor("subject=10,subject=20,item=5")
    {'subject': [10.0, 20.0], 'item': [5.0]}
    """
    found: dict[str, list[float]] = {}
    for part in text.split(","):
        name, sign, value = part.rpartition("=")
        if not sign or not name.strip():
            raise typer.BadParameter(f"{part!r}: write a factor and a number, as subject=30")
        found.setdefault(name.strip(), []).append(number(value))
    return found


def number_or_store(text: str) -> Any:
    """A number, or the calibration that a store holds."""
    if not Path(text).is_file():
        return number(text)
    from rivals.calibration import Calibration

    return Calibration.open(text)


def names(given: str | None, option: str) -> list[str] | None:
    """Names separated by commas; one that contains a comma stands in double quotes.

    Examples
    --------
    >>> names('A,B,"C, the other"', "--models")
    ['A', 'B', 'C, the other']
    """
    if given is None:
        return None
    rows = csv.reader([given], skipinitialspace=True)
    found = [name.strip() for row in rows for name in row if name.strip()]
    if not found:
        raise ValueError(f"{option}: no name was given; write names of columns, as A,B")
    return found


def numbers(given: str) -> list[float]:
    """Numbers separated by commas."""
    return [number(text) for text in given.split(",")]


def check_output(
    path: Path | None, option: str, endings: Collection[str], sources: Collection[str]
) -> None:
    """Refuse what could not be written, or is an input: before the work, not after it."""
    if path is None:
        return
    if path.suffix.lower() not in endings:
        raise ValueError(f"{option} must end in {' or '.join(endings)}; got {str(path)!r}")
    if any(path.exists() and Path(each).exists() and path.samefile(each) for each in sources):
        raise ValueError(f"{option}: {path} is one of the input files; name another one")
    if path.is_dir():
        raise ValueError(f"{option}: {path} is a folder; name a file in it")
    if not path.parent.is_dir():
        raise ValueError(f"{option}: there is no folder {path.parent}; make it, or name another")


SOURCES = Annotated[
    list[str],
    typer.Argument(
        help="A table of losses, a column for each model (.csv, .tsv, .parquet, or - for standard "
        "input); summaries of sites (.json); logs of evaluations; or a saved comparison (.npz).",
        show_default=False,
    ),
]
LAW = Annotated[
    str | None,
    typer.Option(
        help="Method: groups, a random-effects model (the default with groups), transport (the "
        "default without), beta, or paper."
    ),
]
JSON = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]
FILES = Annotated[Given, Files]
SETTING = Annotated[Given, Setting]
# Exit status of a comparison, beside 2 for errors.
NAMED, UNDECIDED = 0, 3
