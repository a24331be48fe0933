"""A comparison of losses in files, as `rivals compare` and `rivals sweep` make it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import typer

from rivals._checks import show, warn
from rivals.cli.console import say, warnings_as_sentences
from rivals.cli.options import given_options
from rivals.cli.values import draw_seed, parse_names, read_c
from rivals.comparison import Comparison, compare, load
from rivals.read.files import read_files
from rivals.read.npz_files import is_saved_comparison
from rivals.read.selection import Selection

# Options of the commands that are arguments of `rivals.compare`, by their names there.
SETTINGS = {"law": "law", "c": "c", "threshold": "threshold", "order": "order", "loss_unit": "loss_unit", "seed": "rng"}
# Options that name columns with labels of the points, and become arguments of `rivals.compare`, too.
LABELS = ("groups", "clusters")

SIMULATED = re.compile("synth|simul", re.IGNORECASE)
MANY_MODELS = 12


@dataclass(frozen=True)
class Source:
    """The files of losses, and which models to read from them."""

    observed: Path
    synthetic: Path | None
    selection: Selection

    @classmethod
    def of(cls, options: dict[str, Any]) -> Source:
        """From the options of a command."""
        models, ignore = (parse_names(options[key] or []) for key in ("models", "ignore"))
        labels = {option: options[option] for option in LABELS if options[option] is not None}
        return cls(
            Path(options["observed"]),
            None if options["synthetic"] is None else Path(options["synthetic"]),
            Selection(models or None, ignore, options["index"], labels, options["log_likelihood"]),
        )

    @property
    def is_saved_comparison(self) -> bool:
        """Whether there is one file, and `--save` wrote it."""
        return self.synthetic is None and is_saved_comparison(self.observed)

    @property
    def changes_something(self) -> bool:
        """Whether not all models are read as they are."""
        return any(vars(self.selection).values())

    def describe(self, models: Iterable[str]) -> str:
        """Which file is read as what, and which models were found, in one line."""
        names = [show(name) for name in models]
        beyond = f", … ({len(names)} in all)" if len(names) > MANY_MODELS else ""
        files = f"observed: {show(self.observed)}, synthetic: {show(self.synthetic)}"
        if self.synthetic is None:
            files = f"losses: {show(self.observed)}"
        return f"{files}, models: {', '.join(names[:MANY_MODELS])}{beyond}"

    def check_order(self) -> None:
        """Warn if the names of the files suggest that they are swapped."""
        if (
            self.synthetic is not None
            and SIMULATED.search(self.observed.name)
            and not SIMULATED.search(self.synthetic.name)
        ):
            warn(
                f"{show(self.observed)} is read as observed losses and {show(self.synthetic)} as synthetic ones; swap the "
                "arguments if that is wrong"
            )


def compare_files(ctx: typer.Context, *, without: Iterable[str] = ()) -> Comparison:
    """Compare the models in the files that the options of a command name; if no seed was given, say which one was drawn.

    A saved comparison is used as it is, unless options ask for something else; the others then keep their saved values.
    Options named in `without` mean something else to the command.
    """
    source = Source.of(ctx.params)
    options = {name: value for name, value in ctx.params.items() if name in SETTINGS and name not in without}
    given = {SETTINGS[name] for name in given_options(ctx) if name in options}
    arguments: dict[str, Any] = {SETTINGS[name]: value for name, value in options.items()}
    if "c" in arguments:
        arguments["c"] = read_c(arguments["c"])
    with warnings_as_sentences():
        source.check_order()
        saved = load(source.observed) if source.is_saved_comparison else None
        if saved is not None and not given and not source.changes_something:
            say(source.describe(saved.names))
            return saved
        losses, labels = read_files(source.observed, source.synthetic, source.selection)
        say(source.describe(losses))
        if saved is not None:
            arguments = _over(saved, {name: arguments[name] for name in given})
        elif arguments["rng"] is None:
            arguments["rng"] = draw_seed()
        result = compare(losses, **arguments | labels)
    if saved is None and "rng" not in given:
        say(f"seed {result.entropy} (repeat with --seed {result.entropy})")
    return result


def _over(saved: Comparison, now: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a saved comparison, except for those given now."""
    law, kept = saved.applied.law, saved.applied.setting
    values: dict[str, Any] = {"law": law, "threshold": kept.threshold, "order": kept.order, "rng": kept.entropy}
    values["c"] = None if math.isnan(kept.c) else kept.c
    for kind, grouping in (("groups", kept.groups), ("clusters", kept.clusters)):
        values[kind] = None if grouping is None else np.array(grouping.names)[grouping.codes]
    calibrated = hasattr(now.get("c"), "choose_c")
    if calibrated or now.get("law", law.name) != law.name:
        values |= {"law": None, "c": None}  # they belong together
    if saved.calibrated is not None and not calibrated:
        warn(
            "a calibration corrects the probabilities of the saved comparison, but not of this one; give --c and the store "
            "of the calibration to use it again"
        )
    return values | now
