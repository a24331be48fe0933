"""`rivals gate`: may the new model replace the one in production?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from rivals.cli.console import print_result, writing
from rivals.cli.inputs import compared
from rivals.cli.options import FILES, JSON, LAW, SETTING, SOURCES, with_options


@with_options
def gate(
    sources: SOURCES,
    files: FILES,
    setting: SETTING,
    baseline: Annotated[str, typer.Option(help="The model in use.")],
    model: Annotated[
        str | None,
        typer.Option(help="The model that may replace it; by default the only other one."),
    ] = None,
    require: Annotated[
        str, typer.Option(help="What the model must be: better or not-worse, by the margin.")
    ] = "better",
    no_segment_worse: Annotated[
        float | None,
        typer.Option(
            help="With --by: the gate also fails if the model is worse by more than this in a "
            "segment."
        ),
    ] = None,
    method: LAW = None,
    summary: Annotated[
        Path | None,
        typer.Option(help="Also append Markdown to this file, such as $GITHUB_STEP_SUMMARY."),
    ] = None,
    as_json: JSON = False,
) -> int:
    """Say whether a new model is better than the baseline, or not worse.

    Example: rivals gate predictions.parquet --target y --groups store --fitted-before --baseline
    current --margin 0.01

    What the models were fitted to has to be said: --left-out or --fitted-before.

    The exit status is 0 if the gate is passed, 1 if it failed (with a margin: also if the model is
    better by less), 3 if that is open, and 2 after an error.
    """
    result = compared(sources, files, setting, method=method)
    asked: Any = require  # which the gate checks
    found = result.gate(baseline, model=model, require=asked, no_segment_worse=no_segment_worse)
    if summary is not None:
        with writing(summary), summary.open("a", encoding="utf-8") as file:
            file.write(found.to_markdown())
    print_result(found, as_json=as_json)
    return found.exit_status
