"""`rivals report`: an interactive page, from files of losses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rivals.cli.from_files import Settings, Source, compare_files, given_settings
from rivals.cli.options import (
    C,
    Depth,
    Draws,
    Groups,
    Ignore,
    Index,
    Law,
    LogLikelihood,
    LossUnit,
    MaxDraws,
    Models,
    Observed,
    Order,
    Seed,
    Synthetic,
    Threshold,
    Ties,
    Title,
)
from rivals.cli.outputs import check_page
from rivals.comparison import MAX_DRAWS, N_DRAWS


def report(
    ctx: typer.Context,
    observed: Observed,
    synthetic: Synthetic = None,
    models: Models = None,
    ignore: Ignore = None,
    index: Index = None,
    log_likelihood: LogLikelihood = False,
    out: Annotated[Path, typer.Option(help="File to write.")] = Path("report.html"),
    title: Title = None,
    law: Law = None,
    c: C = None,
    threshold: Threshold = 0.95,
    order: Order = None,
    groups: Groups = None,
    ties: Ties = None,
    n_draws: Draws = N_DRAWS,
    max_draws: MaxDraws = MAX_DRAWS,
    depth: Depth = None,
    loss_unit: LossUnit = None,
    seed: Seed = None,
) -> None:
    """Write an interactive page about the models, in one HTML file.

    Example: rivals report observed.csv synthetic.csv --out report.html
    """
    from rivals.cli.console import print_comparison, write_page

    check_page(out, "--out", inputs=[observed, synthetic])
    settings = Settings(
        law, c, threshold, order, groups, ties, n_draws, max_draws, depth, loss_unit, seed, given_settings(ctx)
    )
    result = compare_files(Source(observed, synthetic, models, ignore, log_likelihood, index), settings)
    print_comparison(result)
    write_page(result, out, title)
