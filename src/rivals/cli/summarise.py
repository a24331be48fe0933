"""`rivals summarise`: what a site may share of its data, for `rivals compare site-*.json`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from rivals._core.cells import CellSummaries
from rivals._core.summaries import GroupSummaries
from rivals._core.writing import replacing
from rivals.cli.console import writing
from rivals.cli.inputs import read, say_losses
from rivals.cli.options import FILES, Given, check_output, meaning, names, with_options

# Options of tables that are summed where they lie, without reading them whole.
WHERE_THEY_LIE = ("groups", "models", "ignore", "loss_name", "unit", "left_out")


@dataclass(frozen=True)
class Estimates:
    """Columns of a table of estimates, in place of losses."""

    estimate: str | None = meaning("Column of estimates, of each group and model or difference.")
    error: str | None = meaning("Column of their standard errors.")
    model: str | None = meaning("Column that says which model an estimate is of.")
    difference: str | None = meaning(
        "Column that says which model an estimate is the difference of, from the baseline."
    )
    baseline: str | None = meaning("What to call the model that differences are from.")
    correlation: float | None = meaning("Between estimates of one group; 0 if independent.")


@with_options
def summarise(
    source: Annotated[
        str, typer.Argument(help="A table (.csv, .tsv, .parquet, or - for standard input).")
    ],
    files: FILES,
    estimates: Annotated[Given, Estimates],
    site: Annotated[
        str | None, typer.Option(help="All rows are one group of this name, such as a hospital.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="File to write (.json); standard output by default.")
    ] = None,
) -> None:
    """Reduce a table to summaries of its groups, without the loss of any point.

    Example: rivals summarise losses.csv --site "North hospital" --out north.json

    `rivals compare *.json` joins the files of all sites: the decision is that of all their losses.
    """
    check_output(out, "--out", (".json",), [source])
    text = _summaries(source, files, estimates, site).to_json()
    if out is None:
        print(text)
        return
    with writing(out), replacing(out) as file:
        file.write(text.encode())


def _summaries(
    source: str, files: Mapping[str, Any], estimates: Mapping[str, Any], site: str | None
) -> GroupSummaries | CellSummaries:
    if site is None and "groups" not in files:
        raise ValueError(
            "name the column that says which group a row belongs to, --groups, or the one group "
            "that all rows belong to, --site"
        )
    if site is not None and ("groups" in files or "estimate" in estimates):
        raise ValueError("--site: all rows are one group of losses; leave --groups or --site out")
    factors = files.get("groups", [])
    is_lazy = source != "-" and all(name in WHERE_THEY_LIE for name in files)
    # Of estimates that are scores, as an AUC.
    higher = {name: value for name, value in files.items() if name == "higher_is_better"}
    files = {name: value for name, value in files.items() if name != "higher_is_better"}
    if higher and "estimate" not in estimates:
        raise ValueError("--higher-is-better is of estimates, whose column --estimate names")
    if "estimate" in estimates or (is_lazy and site is None):
        from rivals.read._summaries import summaries

        listed: dict[str, Any] = {
            name: names(files[name], f"--{name}") for name in ("models", "ignore") if name in files
        }
        found = summaries(source, **{**files, **listed, **estimates, **higher})
        if "estimate" not in estimates:
            say_losses(source, found.models)
        return found
    losses, _ = read([source], files)
    if isinstance(losses, (GroupSummaries, CellSummaries)):
        return losses
    if len(factors) > 1:
        return CellSummaries.of_losses(losses)
    n_points = next(iter(losses.values())).n_points
    return GroupSummaries.of_losses(losses, None if site is None else [site] * n_points)
