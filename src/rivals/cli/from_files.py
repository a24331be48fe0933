"""A comparison of losses in files, as `rivals compare`, `sweep` and `report` make it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rivals.comparison import Comparison, compare
from rivals.losses import Losses


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

    def read(self, groups: str | None, law: str | None) -> tuple[dict[str, Losses], list[Any] | None]:
        """Losses by model, and the group of each observed point."""
        from rivals.cli.groups import read_losses
        from rivals.cli.values import parse_names
        from rivals.read.selection import Selection

        selection = Selection(parse_names(self.models) if self.models else None, parse_names(self.ignore or []))
        return read_losses(self.observed, self.synthetic, groups, law=law, selection=selection)


def compare_files(source: Source, settings: Settings) -> Comparison:
    """Compare the models in the files; say which seed was drawn, where none was given."""
    from rivals.cli.console import say, warnings_as_sentences
    from rivals.cli.values import read_c

    with warnings_as_sentences():
        losses, groups = source.read(settings.groups, settings.law)
        result = compare(losses, **{**asdict(settings), "c": read_c(settings.c), "groups": groups})
    if settings.rng is None:
        say(f"seed {result.entropy} (repeat with --seed {result.entropy})")
    return result
