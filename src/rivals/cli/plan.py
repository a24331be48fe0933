"""`rivals plan`: how probably more groups decide."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rivals._questions.plan import MORE_GROUPS, checked_numbers
from rivals.cli.console import print_result
from rivals.cli.inputs import compared
from rivals.cli.options import (
    FILES,
    JSON,
    LAW,
    SETTING,
    SOURCES,
    by_factor,
    number_or_factors,
    numbers,
    with_options,
)


@with_options
def plan(
    sources: SOURCES,
    files: FILES,
    setting: SETTING,
    more_groups: Annotated[
        str | None,
        typer.Option(
            help="How many groups might be added, separated by commas; of several factors as "
            "subject=10,subject=20,item=10.",
            metavar="NUMBERS",
            show_default=",".join(map(str, MORE_GROUPS)),
        ),
    ] = None,
    cost: Annotated[
        str | None,
        typer.Option(
            help="What a level of each factor costs, as subject=50,item=1: the cheapest design is "
            "looked for.",
            metavar="FACTOR=NUMBER,…",
        ),
    ] = None,
    method: LAW = None,
    as_json: JSON = False,
) -> None:
    """Say how probably more groups decide what is open.

    Example: rivals plan losses.csv --groups school --more-groups 5,10,20
    """
    asked: Any = MORE_GROUPS
    if more_groups is not None:
        asked = by_factor(more_groups) if "=" in more_groups else numbers(more_groups)
    checked = asked if isinstance(asked, dict) else checked_numbers(asked)  # before it is read
    price = None if cost is None else number_or_factors(cost)
    found = compared(sources, files, setting, method=method).plan(checked, cost=price)
    print_result(found, as_json=as_json)
