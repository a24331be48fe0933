"""What to know before you trust the numbers of a model: mistakes, doubts of the law, tails.

One list for print, page and JSON.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from rivals._say.warn import warn
from rivals._say.words import listed, show
from rivals.comparison.mistakes import mistakes
from rivals.core.tails import extremes, tail_shape, tail_word
from rivals.laws.base import Law
from rivals.laws.setting import Setting
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
    "shifted",
    "same",
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

    Points are counted from 0, as arrays are; messages about files count rows as an editor does, the
    header as row 1.
    """
    every = {}
    twins = {} if law.needs_groups else _twins(losses)  # with groups, the law says so
    for (name, sample), found in zip(losses.items(), mistakes(losses), strict=True):
        pairs = [
            *found,
            *_given_twice(twins.get(name), found),
            *_autocorrelation(sample, setting),
            *_series(sample, setting),
        ]
        if not _one_loss_per_group(setting):
            pairs += [*law.doubts(sample), *_tail(sample)]
        every[name] = tuple(Note(code, text) for code, text in pairs)
    return every


def _twins(losses: Mapping[str, Losses]) -> dict[str, str]:
    """Models that have the losses of another → the first that has them."""
    first: dict[bytes, str] = {}
    found = {}
    for name, sample in losses.items():
        other = first.setdefault(sample.observed.tobytes(), name)
        if other != name:
            found[name] = other
    return found


def _given_twice(
    twin: str | None, mistakes: Sequence[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """Whether a model is another, unless all models are the data themselves."""
    if twin is not None and "data" not in dict(mistakes):
        yield "same", f"its losses are those of {show(twin)}; is one model given twice?"


def _one_loss_per_group(setting: Setting) -> bool:
    """Whether each loss is the result of a group, and no sample within it has a tail to know."""
    return setting.groups is not None and int(setting.groups.sizes.max()) == 1


def _tail(losses: Losses) -> Iterator[tuple[str, str]]:
    """Whether a few large losses dominate the mean."""
    shape = tail_shape(losses.observed)
    word = tail_word(shape)
    if word in TAILS:
        code, advice = TAILS[word]
        points = ", ".join(map(str, extremes(losses.observed, 3).tolist()))
        where = f"tail {shape:.2f}; points {points}, counted from 0"
        yield code, f"few losses dominate: {advice} ({where})"


def _autocorrelation(losses: Losses, setting: Setting) -> Iterator[tuple[str, str]]:
    """Whether the losses of a series are worth less than half as many independent ones."""
    if setting.order == "time" and losses.effective_size < 0.5 * losses.n_observed:
        worth = f"worth {losses.effective_size:.0f} independent ones"
        yield "autocorrelated", f"autocorrelated: {losses.n_observed} losses are {worth}"


def _series(losses: Losses, setting: Setting) -> Iterator[tuple[str, str]]:
    """Whether the losses of a series are judged as if they were independent."""
    if losses.folds == "series" and setting.order is None and not setting.labels:
        yield (
            "series",
            "the folds are stretches of a series (TimeSeriesSplit), but the losses are taken as "
            "independent: pass order='time'",
        )


def by_text(found: Notes, one: str = "{}", several: str = "{}") -> list[tuple[Note, str]]:
    """Each note once, with the models that it belongs to as text."""
    models: dict[Note, list[str]] = {}
    for name, some in found.items():
        for note in some:
            models.setdefault(note, []).append(name)
    lines = []
    for note, names in models.items():
        if len(names) == len(found) > LISTED:
            whose = "all models"
        else:
            whose = (several if len(names) > 1 else one).format(listed(names, LISTED))
        lines.append((note, whose))
    return lines


def warn_of(found: Notes) -> None:
    """Warn of what looks like a mistake, and of what makes the answer less reliable."""
    for note, whose in by_text(found, "model '{}'", "models {}"):
        if note.code not in QUIET:
            warn(f"{whose}: {note.text}")
