"""A comparison of losses in files, as `rivals compare`, `sweep` and `report` make it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from rivals.comparison import Comparison, compare


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


def compare_files(observed: Path, synthetic: Path | None, settings: Settings) -> Comparison:
    """Compare the models in the files; say which seed was drawn, where none was given."""
    from rivals.cli.console import say, warnings_as_sentences
    from rivals.cli.groups import read_losses
    from rivals.cli.values import read_c

    with warnings_as_sentences():
        losses, groups = read_losses(observed, synthetic, settings.groups, law=settings.law)
        result = compare(losses, **{**asdict(settings), "c": read_c(settings.c), "groups": groups})
    if settings.rng is None:
        say(f"seed {result.entropy} (repeat with --seed {result.entropy})")
    return result
