"""`rivals sweep`: how the verdict depends on c."""

from __future__ import annotations

from pathlib import Path

import typer

from rivals.cli.compare import compare_files
from rivals.cli.console import print_result
from rivals.cli.options import SEVERAL_C, described, parse_c


@described(c=f"{SEVERAL_C} By default those that rivals calibrate would try.")
def sweep(
    ctx: typer.Context,
    observed: Path,
    synthetic: Path | None = None,
    models: list[str] | None = None,
    ignore: list[str] | None = None,
    index: str | None = None,
    groups: str | None = None,
    new_groups: float | None = None,
    clusters: str | None = None,
    log_likelihood: bool = False,
    law: str | None = None,
    c: list[str] | None = None,
    threshold: float = 0.95,
    margin: float | None = None,
    order: str | None = None,
    seed: int | None = None,
    as_json: bool = False,
) -> None:
    """Say how the verdict depends on c.

    Example: rivals sweep observed.csv synthetic.csv --c 2^-4,2^-2,1
    """
    values = parse_c(c) if c else None  # before anything is read
    print_result(compare_files(ctx, observed, synthetic).sweep(values), as_json=as_json)
