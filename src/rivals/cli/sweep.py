"""`rivals sweep`: how the verdict depends on c."""

from __future__ import annotations

from typing import Annotated

import typer

from rivals.cli.from_files import compare_files
from rivals.cli.options import (
    SEVERAL_C,
    Clusters,
    Groups,
    Ignore,
    Index,
    Json,
    Law,
    LogLikelihood,
    Models,
    Observed,
    Order,
    Seed,
    Synthetic,
    Threshold,
)

# In octaves, from where nearly every difference is called reproducible to where hardly any is.
DEFAULT_C = [2.0**k for k in range(-6, 4)]


def sweep(
    ctx: typer.Context,
    observed: Observed,
    synthetic: Synthetic = None,
    models: Models = None,
    ignore: Ignore = None,
    index: Index = None,
    groups: Groups = None,
    clusters: Clusters = None,
    log_likelihood: LogLikelihood = False,
    law: Law = None,
    c: Annotated[
        list[str] | None,
        typer.Option(
            help=f"{SEVERAL_C} 2^-6 to 2^3 in octaves by default.",
            metavar="VALUES",
            show_default=False,
        ),
    ] = None,
    threshold: Threshold = 0.95,
    order: Order = None,
    seed: Seed = None,
    as_json: Json = False,
) -> None:
    """Say how the verdict depends on c.

    Example: rivals sweep observed.csv synthetic.csv --c 2^-4,2^-2,1
    """
    from rivals.cli.console import print_json, print_sweep, working
    from rivals.cli.values import parse_c

    values = parse_c(c) if c else DEFAULT_C
    result = compare_files(ctx, without=["c"])
    with working(f"Comparing at {len(values)} values of c …"):
        over_c = result.sweep(values)
    if as_json:
        print_json(over_c.to_dict())
    else:
        print_sweep(over_c)
