"""A comparison of losses in files, as `rivals compare`, `sweep` and `report` make it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from rivals._checks import show, warn
from rivals.cli.console import say, warnings_as_sentences
from rivals.cli.groups import read_losses
from rivals.cli.options import given_options
from rivals.cli.values import draw_seed, parse_names, read_c
from rivals.comparison import Comparison, compare, load
from rivals.losses import Losses
from rivals.read.npz import is_saved_comparison
from rivals.read.selection import Selection

# Settings that a saved comparison keeps under the name of the argument.
KEPT = ("law", "threshold", "order", "ties", "n_draws", "max_draws", "depth")

SIMULATED = re.compile("synth|simul", re.IGNORECASE)
MANY_MODELS = 12


@dataclass(frozen=True)
class Settings:
    """What the user set: arguments of `rivals.compare`, as text if they have their own syntax, and the seed."""

    law: str | None
    c: str | None
    threshold: float
    order: str | None
    groups: str | None
    ties: str | None
    n_draws: int
    max_draws: int
    depth: int | None
    loss_unit: str | None
    rng: int | None
    given: frozenset[str]  # the names of those that are not defaults

    def arguments(self) -> dict[str, Any]:
        """Those of `rivals.compare`, except for the groups."""
        values = {name: getattr(self, name) for name in (*KEPT, "loss_unit")}
        return values | {"c": read_c(self.c), "rng": draw_seed() if self.rng is None else self.rng}

    def arguments_over(self, saved: Comparison) -> dict[str, Any]:
        """Those of a saved comparison, except for those given now."""
        kept = saved.settings
        values = {name: getattr(kept, name) for name in KEPT}
        values |= {"c": None if kept.law == "groups" else kept.c, "rng": kept.entropy, "groups": kept.groups}
        now = {name: value for name, value in self.arguments().items() if name in self.given}
        calibrated = hasattr(now.get("c"), "choose_c")
        if calibrated or now.get("law", kept.law) != kept.law:
            values |= {"law": None, "c": None, "depth": None, "ties": None}  # they belong to the law
        if saved.calibrated is not None and not calibrated:
            warn(
                "a calibration corrects the probabilities of the saved comparison, but not of this one; give --c and the store "
                "of the calibration to use it again"
            )
        return values | now


@dataclass(frozen=True)
class Source:
    """The files of losses, and which models to read from them."""

    observed: Path
    synthetic: Path | None
    models: list[str] | None
    ignore: list[str] | None
    log_likelihood: bool
    index: str | None = None

    def read(self, groups: str | None, law: str | None) -> tuple[dict[str, Losses], list[Any] | None]:
        """Losses by model, and the group of each observed point."""
        selection = Selection(parse_names(self.models) if self.models else None, parse_names(self.ignore or []))
        return read_losses(
            self.observed,
            self.synthetic,
            groups,
            law=law,
            selection=selection,
            index=self.index,
            log_likelihood=self.log_likelihood,
        )

    @property
    def is_saved_comparison(self) -> bool:
        """Whether there is one file, and `--save` wrote it."""
        return self.synthetic is None and is_saved_comparison(self.observed)

    @property
    def changes_something(self) -> bool:
        """Whether not all models are read as they are."""
        return bool(self.models or self.ignore or self.log_likelihood or self.index)

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


def compare_files(source: Source, settings: Settings) -> Comparison:
    """Compare the models in the files; if no seed was given, say which one was drawn.

    A saved comparison is used as it is, unless options ask for something else; the others then keep their saved values.
    """
    with warnings_as_sentences():
        source.check_order()
        saved = load(source.observed) if source.is_saved_comparison else None
        if saved is not None and not settings.given and not source.changes_something:
            say(source.describe(saved.names))
            return saved
        losses, groups = source.read(settings.groups, settings.law)
        say(source.describe(losses))
        arguments = settings.arguments() if saved is None else settings.arguments_over(saved)
        result = compare(losses, **arguments | ({} if groups is None else {"groups": groups}))
    if settings.rng is None and saved is None:
        say(f"seed {result.entropy} (repeat with --seed {result.entropy})")
    return result


def given_settings(ctx: typer.Context) -> frozenset[str]:
    """The options of this command that were given, by the names of the arguments of `rivals.compare`."""
    names = {"seed": "rng"}
    return frozenset(names.get(name, name) for name in given_options(ctx)) & {*KEPT, "c", "rng", "groups", "loss_unit"}
