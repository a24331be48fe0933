"""`rivals compare`: which models survive, from files of losses."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rivals.cli.from_files import compare_files
from rivals.cli.options import (
    C,
    Clusters,
    Groups,
    Ignore,
    Index,
    Json,
    Law,
    LogLikelihood,
    LossUnit,
    Models,
    Observed,
    Order,
    Seed,
    Synthetic,
    Threshold,
    Title,
)
from rivals.cli.outputs import check_output, check_page


def compare(
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
    c: C = None,
    threshold: Threshold = 0.95,
    order: Order = None,
    loss_unit: LossUnit = None,
    seed: Seed = None,
    as_json: Json = False,
    report: Annotated[Path | None, typer.Option(help="Also write the interactive page to this file.")] = None,
    title: Title = None,
    save: Annotated[Path | None, typer.Option(help="Also save the comparison to this .npz file.")] = None,
) -> None:
    """Say which models survive, from files of losses.

    Example: rivals compare observed.csv synthetic.csv --report report.html
    """
    from rivals.cli.console import print_comparison, print_json, write_page, writing

    check_output(save, "--save", endings=[".npz"], inputs=[observed, synthetic])
    check_page(report, "--report", inputs=[observed, synthetic])
    result = compare_files(ctx)
    if save is not None:  # before the result is printed: its reader may stop early
        with writing(save):
            result.save(save)
    if report is not None:
        write_page(result, report, title)
    if as_json:
        print_json(result.to_dict())
    else:
        print_comparison(result)
