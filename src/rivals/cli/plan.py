"""`rivals plan`: how probably more groups decide."""

from __future__ import annotations

from typing import Annotated

import typer

from rivals._questions.plan import MORE_GROUPS, checked_numbers
from rivals.cli.console import print_result
from rivals.cli.inputs import compared
from rivals.cli.options import FILES, JSON, LAW, SETTING, SOURCES, numbers, with_options


@with_options
def plan(
    sources: SOURCES,
    files: FILES,
    setting: SETTING,
    more_groups: Annotated[
        str | None,
        typer.Option(
            help="How many groups might be added, separated by commas.",
            metavar="NUMBERS",
            show_default=",".join(map(str, MORE_GROUPS)),
        ),
    ] = None,
    method: LAW = None,
    as_json: JSON = False,
) -> None:
    """Say how probably more groups decide what is open.

    Example: rivals plan losses.csv --groups school --more-groups 5,10,20
    """
    asked = numbers(more_groups) if more_groups is not None else MORE_GROUPS
    checked = checked_numbers(asked)  # before anything is read
    print_result(compared(sources, files, setting, method=method).plan(checked), as_json=as_json)
