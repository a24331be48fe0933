"""`rivals compare`: which models survive, from files of losses."""

from __future__ import annotations

from pathlib import Path

import typer

from rivals.cli.from_files import compare_files
from rivals.cli.options import described
from rivals.cli.outputs import check_output, check_page


@described()
def compare(
    ctx: typer.Context,
    observed: Path,
    synthetic: Path | None = None,
    models: list[str] | None = None,
    ignore: list[str] | None = None,
    index: str | None = None,
    groups: str | None = None,
    clusters: str | None = None,
    log_likelihood: bool = False,
    law: str | None = None,
    c: str | None = None,
    threshold: float = 0.95,
    order: str | None = None,
    loss_unit: str | None = None,
    seed: int | None = None,
    as_json: bool = False,
    report: Path | None = None,
    title: str | None = None,
    save: Path | None = None,
) -> None:
    """Say which models survive, from files of losses.

    Example: rivals compare observed.csv synthetic.csv --report report.html
    """
    from rivals.cli.console import print_json, print_result, write_page, writing

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
        print_result(result)
