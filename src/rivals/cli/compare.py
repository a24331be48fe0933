"""`rivals compare`: which models would win again, from files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rivals._core.texts import in_command
from rivals._result import account
from rivals.cli.console import print_result, writing
from rivals.cli.inputs import compared
from rivals.cli.options import (
    FILES,
    JSON,
    LAW,
    NAMED,
    SETTING,
    SOURCES,
    UNDECIDED,
    check_output,
    with_options,
)


@with_options
def compare(
    sources: SOURCES,
    files: FILES,
    setting: SETTING,
    method: LAW = None,
    beside: Annotated[
        str | None, typer.Option(help="Show every model beside this one, not the best.")
    ] = None,
    details: Annotated[
        bool, typer.Option("--details", help="Also print intervals, sensitivity, notes, settings.")
    ] = False,
    report: Annotated[
        Path | None, typer.Option(help="Also write an interactive page (.html).")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="Also save the comparison (.npz), for any command.")
    ] = None,
    as_json: JSON = False,
) -> int:
    """Say which models would win again if the study were repeated.

    Example: rivals compare losses.csv --groups school

    The exit status is 0 if a winner is named, 3 if none is, and 2 after an error.
    """
    check_output(report, "--report", (".html", ".htm"), sources)
    check_output(save, "--save", (".npz",), sources)
    result = compared(sources, files, setting, method=method)
    shown = None if beside is None else result.beside(beside)
    if save is not None:  # before the result is printed: its reader may stop early
        with writing(save):
            result.save(save)
    if report is not None:
        with writing(report):
            result.report(report)
    if shown is None or as_json:
        print_result(result, as_json=as_json)
    else:
        print(in_command(f"{shown}\n\n{account.conclusion(result._decided)}"))
    if details and not as_json:
        print(in_command(f"\n{account.details(result._decided)}"))
    return NAMED if result.survivors == (result.best,) else UNDECIDED
