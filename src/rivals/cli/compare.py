"""`rivals compare`: which models survive, from files of losses."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import typer

from rivals._say.optional import need
from rivals._say.warn import warn
from rivals._say.words import listed, show
from rivals.cli.console import print_result, say, warnings_as_sentences, writing
from rivals.cli.options import check_output, described, given_options, parse_names, read_c
from rivals.comparison import Comparison, load
from rivals.comparison import compare as compare_models
from rivals.comparison.calibrator import Calibrator
from rivals.read.files import is_labelled, read_files
from rivals.read.npz_files import is_saved_comparison
from rivals.read.selection import Selection
from rivals.report.page import TITLE, write_report

# Options that are arguments of `rivals.compare`, and those that become arguments: columns with
# labels of the points.
SETTINGS = ("law", "threshold", "margin", "order", "new_groups", "loss_unit")
LABELS = ("groups", "clusters")
OUTPUTS = {"save": [".npz"], "report": [".html", ".htm"]}

SIMULATED = re.compile("synth|simul", re.IGNORECASE)


@described()
def compare(
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
    c: str | None = None,
    threshold: float = 0.95,
    margin: float | None = None,
    order: str | None = None,
    loss_unit: str | None = None,
    seed: int | None = None,
    against: str | None = None,
    as_json: bool = False,
    report: Path | None = None,
    title: str = TITLE,
    save: Path | None = None,
) -> None:
    """Say which models survive, from files of losses.

    Example: rivals compare observed.csv synthetic.csv --report report.html
    """
    result = compare_files(ctx, observed, synthetic, c)
    shown = result if against is None else result.against(against)
    if save is not None:  # before the result is printed: its reader may stop early
        with writing(save):
            result.save(save)
    if report is not None:
        with writing(report):
            write_report(result, report, title=title)
    print_result(shown, as_json=as_json)


def compare_files(
    ctx: typer.Context, observed: Path, synthetic: Path | None, c: str | None = None
) -> Comparison:
    """Compare the models in files as the options of a command ask; if no seed was given, say which
    one was drawn.

    A saved comparison is used as it is, unless options ask for something else; the others then keep
    their saved values.
    """
    for option, endings in OUTPUTS.items():
        check_output(
            ctx.params.get(option), f"--{option}", endings=endings, inputs=[observed, synthetic]
        )
    if ctx.params.get("report") is not None:
        need("jinja2", extra="report", purpose="reports")
    selection = _selection(ctx.params)
    given = _given_settings(ctx, c)
    with warnings_as_sentences():
        if synthetic is not None:
            _warn_if_swapped(observed, synthetic)
        saved = load(observed) if synthetic is None and is_saved_comparison(observed) else None
        if saved is not None and not given and not any(vars(selection).values()):
            say(f"losses: {show(observed)}, models: {listed(saved.names)}")
            return saved
        losses, found = read_files(observed, synthetic, selection)
        group_name = ctx.params["groups"]
        losses = {name: replace(each, group_name=group_name) for name, each in losses.items()}
        say(f"{_files_read(observed, synthetic)}, models: {listed(list(losses))}")
        settings = given if saved is None else _over(saved, given)
        result = compare_models(losses, **settings | found)
    if saved is None and "rng" not in given and result.seeded:
        say(f"seed {result.entropy} (repeat with --seed {result.entropy})")
    return result


def _selection(options: dict[str, Any]) -> Selection:
    """What of the files is asked for."""
    labels = {kind: options[kind] for kind in LABELS if options[kind] is not None}
    models = parse_names(options["models"] or [])
    ignore = parse_names(options["ignore"] or [])
    return Selection(models or None, ignore, options["index"], labels, options["log_likelihood"])


def _given_settings(ctx: typer.Context, c: str | None) -> dict[str, Any]:
    """The arguments of `rivals.compare` that were given, and no defaults."""
    given = {name: ctx.params[name] for name in given_options(ctx) if name in SETTINGS}
    if c is not None:
        given["c"] = read_c(c)
    if ctx.params["seed"] is not None:
        given["rng"] = ctx.params["seed"]
    return given


def _warn_if_swapped(observed: Path, synthetic: Path) -> None:
    """The name of the first file says that it is simulated, that of the second does not."""
    if SIMULATED.search(observed.name) and not SIMULATED.search(synthetic.name):
        warn(
            f"{show(observed)} is read as observed losses and {show(synthetic)} as synthetic "
            "ones; swap the arguments if that is wrong"
        )


def _files_read(observed: Path, synthetic: Path | None) -> str:
    """Which files were read, and as what."""
    if synthetic is None:
        return f"losses: {show(observed)}"
    if is_labelled(observed):
        return f"losses: {show(observed)}, {show(synthetic)}"
    return f"observed: {show(observed)}, synthetic: {show(synthetic)}"


def _over(saved: Comparison, now: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a saved comparison, except for those given now."""
    law = saved.applied.law
    kept = saved.applied.setting
    values: dict[str, Any] = {
        "law": law,
        "threshold": kept.threshold,
        "margin": kept.margin or None,
        "order": kept.order,
        "loss_unit": kept.loss_unit,
        "rng": kept.entropy,
    }
    values["c"] = None if math.isnan(kept.c) else kept.c
    values |= {kind: np.array(each.names)[each.codes] for kind, each in kept.labels.items()}
    if kept.groups is not None and law.needs_groups:
        values["new_groups"] = kept.new_groups
    calibrated = isinstance(now.get("c"), Calibrator)
    if calibrated or now.get("law", law.name) != law.name:
        values |= {"law": None, "c": None}  # they belong together
    if saved.calibrated is not None and not calibrated:
        warn(
            "a calibration corrects the probabilities of the saved comparison, but not of this "
            "one; give --c and the store of the calibration to use it again"
        )
    return values | now
