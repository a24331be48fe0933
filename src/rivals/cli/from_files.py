"""A comparison of losses in files, as `rivals compare`, `sweep` and `report` make it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rivals._checks import show, warn
from rivals.comparison import Comparison, compare
from rivals.losses import Losses

SIMULATED = re.compile("synth|simul", re.IGNORECASE)
MANY_MODELS = 12


@dataclass(frozen=True)
class Settings:
    """What the user set: arguments of `rivals.compare`, as text where they have a form of their own, and the seed."""

    law: str | None
    c: str | None
    threshold: float
    order: str | None
    groups: str | None
    n_draws: int
    max_draws: int
    depth: int | None
    rng: int | None


@dataclass(frozen=True)
class Source:
    """The files of losses, and which models to read from them."""

    observed: Path
    synthetic: Path | None
    models: list[str] | None
    ignore: list[str] | None
    log_likelihood: bool

    def read(self, groups: str | None, law: str | None) -> tuple[dict[str, Losses], list[Any] | None]:
        """Losses by model, and the group of each observed point."""
        from rivals.cli.groups import read_losses
        from rivals.cli.values import parse_names
        from rivals.read.selection import Selection

        selection = Selection(parse_names(self.models) if self.models else None, parse_names(self.ignore or []))
        return read_losses(
            self.observed,
            self.synthetic,
            groups,
            law=law,
            selection=selection,
            log_likelihood=self.log_likelihood,
        )

    def describe(self, models: Iterable[str]) -> str:
        """Which file is taken for what, and which models were found, in one line."""
        names = [show(name) for name in models]
        beyond = f", … ({len(names)} in all)" if len(names) > MANY_MODELS else ""
        files = f"observed: {show(self.observed)}, synthetic: {show(self.synthetic)}"
        if self.synthetic is None:
            files = f"losses: {show(self.observed)}"
        return f"{files}, models: {', '.join(names[:MANY_MODELS])}{beyond}"

    def check_order(self) -> None:
        """Warn where the names of the files say that they are swapped."""
        if (
            self.synthetic is not None
            and SIMULATED.search(self.observed.name)
            and not SIMULATED.search(self.synthetic.name)
        ):
            warn(
                f"{show(self.observed)} is taken for the observed losses and {show(self.synthetic)} for the synthetic ones; if it is the "
                "other way round, swap them"
            )


def compare_files(source: Source, settings: Settings) -> Comparison:
    """Compare the models in the files; say which seed was drawn, where none was given."""
    from rivals.cli.console import say, warnings_as_sentences
    from rivals.cli.values import read_c

    with warnings_as_sentences():
        source.check_order()
        losses, groups = source.read(settings.groups, settings.law)
        say(source.describe(losses))
        result = compare(losses, **{**asdict(settings), "c": read_c(settings.c), "groups": groups})
    if settings.rng is None:
        say(f"seed {result.entropy} (repeat with --seed {result.entropy})")
    return result
