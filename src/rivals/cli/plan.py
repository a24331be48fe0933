"""`rivals plan`: how probably more groups bring a verdict."""

from __future__ import annotations

from pathlib import Path

import typer

from rivals.cli.compare import compare_files
from rivals.cli.console import print_result
from rivals.cli.options import described, parse_numbers
from rivals.comparison.planning import MORE_GROUPS, checked_numbers


@described()
def plan(
    ctx: typer.Context,
    observed: Path,
    synthetic: Path | None = None,
    more_groups: list[str] | None = None,
    models: list[str] | None = None,
    ignore: list[str] | None = None,
    index: str | None = None,
    groups: str | None = None,
    new_groups: float | None = None,
    clusters: str | None = None,
    log_likelihood: bool = False,
    law: str | None = None,
    c: str | None = None,
    threshold: float = 0.95,
    margin: float | None = None,
    order: str | None = None,
    seed: int | None = None,
    as_json: bool = False,
) -> None:
    """Say how probably more groups bring a verdict.

    Example: rivals plan sessions.csv --groups session --more-groups 5,10,20
    """
    numbers = MORE_GROUPS
    if more_groups:  # wrong ones are refused before anything is read
        numbers = checked_numbers(parse_numbers(more_groups, "--more-groups"))
    print_result(compare_files(ctx, observed, synthetic, c).plan(numbers), as_json=as_json)
