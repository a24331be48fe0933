"""A comparison of losses in files, as `rivals compare`, `sweep` and `report` make it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from rivals.comparison import Comparison, compare


@dataclass(frozen=True)
class Settings:
    """What the user set: arguments of `rivals.compare`, and the seed."""

    c: float
    threshold: float
    n_draws: int
    max_draws: int
    depth: int | None
    rng: int | None


def compare_files(observed: Path, synthetic: Path | None, settings: Settings) -> Comparison:
    """Compare the models in the files; say which seed was drawn, where none was given."""
    from rivals.cli.console import say, warnings_as_sentences
    from rivals.read import losses_from_files

    with warnings_as_sentences():
        result = compare(losses_from_files(observed, synthetic), **asdict(settings))
    if settings.rng is None:
        say(f"seed {result.entropy} (repeat with --seed {result.entropy})")
    return result
