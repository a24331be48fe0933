"""What to know before you trust the numbers of a model: mistakes, doubts of the law, tails. One list for print, page and JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from rivals._say.warn import warn
from rivals._say.words import listed
from rivals.comparison.mistakes import mistakes
from rivals.core.tails import extremes, tail_shape, tail_word
from rivals.laws.base import Law, Setting
from rivals.losses import Losses

LISTED = 3
# The word for a tail → its code, and what to do.
TAILS = {
    "look": ("heavy_tail", "look at them"),
    "do not trust": ("very_heavy_tail", "do not trust the mean"),
}
# What one sees in the result, without a warning: facts, and what may be so by chance.
QUIET = (
    "few_points",
    "heavy_tail",
    "very_heavy_tail",
    "autocorrelated",
    "other_points",
    "data",
    "unit",
    "constant",
)


class Note(NamedTuple):
    """What to know before you trust the numbers of a model: a code for programs, a text for people.

    Examples
    --------
    >>> Note("ties", "ties 12%").to_dict()
    {'code': 'ties', 'text': 'ties 12%'}
    """

    code: str
    text: str

    def to_dict(self) -> dict[str, str]:
        """For JSON."""
        return self._asdict()


Notes = Mapping[str, tuple[Note, ...]]


def notes(losses: Mapping[str, Losses], law: Law, setting: Setting) -> dict[str, tuple[Note, ...]]:
    """Name → notes on each model, in short; none for a healthy one.

    Points are counted from 0, as arrays are; messages about files count rows as an editor does, the header as row 1.
    """
    every = {}
    for (name, sample), found in zip(losses.items(), mistakes(losses), strict=True):
        found += law.doubts(sample)
        shape = tail_shape(sample.observed)
        code, advice = TAILS.get(tail_word(shape), ("", ""))
        if code:
            points = ", ".join(map(str, extremes(sample.observed, 3).tolist()))
            found.append(
                (
                    code,
                    f"few losses dominate: {advice} (tail {shape:.2f}; points {points}, counted from 0)",
                )
            )
        if setting.order == "time" and sample.effective_size < 0.5 * sample.n_observed:
            worth = (
                f"{sample.n_observed} losses are worth {sample.effective_size:.0f} independent ones"
            )
            found.append(("autocorrelated", f"autocorrelated: {worth}"))
        every[name] = tuple(Note(*each) for each in found)
    return every


def by_text(found: Notes, one: str = "{}", several: str = "{}") -> list[tuple[Note, str]]:
    """Each note once, with the models that it belongs to as text."""
    models: dict[Note, list[str]] = {}
    for name, some in found.items():
        for note in some:
            models.setdefault(note, []).append(name)
    everyone = len(found) if len(found) > LISTED else 0
    listings = {
        note: (several if names[1:] else one).format(listed(names, LISTED))
        for note, names in models.items()
    }
    return [
        (note, "all models" if len(models[note]) == everyone else text)
        for note, text in listings.items()
    ]


def warn_of(found: Notes) -> None:
    """Warn of what looks like a mistake, and of what makes the answer less reliable than it looks."""
    for note, whose in by_text(found, "model '{}'", "models {}"):
        if note.code not in QUIET:
            warn(f"{whose}: {note.text}")
