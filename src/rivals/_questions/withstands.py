"""Which errors of an instrument would reverse a result, of the observed signal itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rivals._core.decided import Decided
from rivals._core.seeds import COMPARISON_RECORDINGS, entropy_from, stream
from rivals._core.setting import number, one_of
from rivals._core.texts import Refusal
from rivals._core.types import RNG, FloatArray
from rivals._result import sentences as say
from rivals._result.renderers import Answer, Column, Table, rows
from rivals.method import effects as effect
from rivals.method.reversal import (
    FORGOTTEN,
    NAMED,
    bisected,
    chance_behind,
    chances_of_shift,
    first_size,
    gaps,
    moments,
    places,
)
from rivals.scenarios._data import Part, part_of, with_part

SIZES = 2.0 ** np.arange(-9.0, 0.01, 0.125)  # of the largest size
# Realisations of coloured noise, each with its mirror image.
PATHS = 64


@dataclass(frozen=True)
class Withstands(Answer):
    """Up to which size of each effect the best stays ahead.

    Attributes
    ----------
    best : str
    models : tuple of str
        The others, by risk.
    effects : tuple of str
    sizes : tuple of tuple of float
        Of each model, of each effect: the size at which the part `risk` of new recordings would
        put this model ahead of the best; 0 where the sampling error alone does, infinite where no
        size up to the largest does.
    alone : tuple of float
        Of each model: how probably the sampling error alone puts it ahead.
    largest : tuple of float
        Of each effect: the largest size that was tried.
    risk : float
    """

    best: str
    models: tuple[str, ...]
    effects: tuple[str, ...]
    sizes: tuple[tuple[float, ...], ...]
    alone: tuple[float, ...]
    largest: tuple[float, ...]
    risk: float

    COLUMNS: ClassVar[tuple[str, ...]] = (
        "model",
        "beside",
        "effect",
        "size",
        "largest",
        "p_reversed_alone",
    )

    def to_records(self) -> list[dict[str, Any]]:
        """A row for each other model and effect."""
        n_effects = len(self.effects)
        return rows(
            model=np.repeat(self.models, n_effects),
            beside=self.best,
            effect=list(self.effects) * len(self.models),
            size=[size for row in self.sizes for size in row],
            largest=list(self.largest) * len(self.models),
            p_reversed_alone=np.repeat(self.alone, n_effects),
        )

    @property
    def table(self) -> Table:
        """A row for each other model."""
        columns = [Column("model", self.models, is_text=True)]
        for place, name in enumerate(self.effects):
            shown = [say.size_of(name, row[place], self.largest[place]) for row in self.sizes]
            columns.append(Column(name, shown, over=f"{self.best} stays ahead up to"))
        alone = [say.probability(value) for value in self.alone]
        columns.append(Column("P(reversed) by sampling alone", alone))
        return Table(tuple(columns), (self.conclusion,))

    @property
    def conclusion(self) -> str:
        """Beside the nearest rival."""
        return say.withstands(
            self.best, self.models[0], self.effects, self.sizes[0], self.largest, self.risk
        )

    def __str__(self) -> str:
        return str(self.table)


def withstands(
    result: Decided,
    models: Mapping[str, Any],
    data: Any,
    *,
    signal: Part | None,
    effects: Sequence[str],
    risk: float,
    largest: float,
    rng: RNG,
) -> Withstands:
    """Each effect by itself; the losses of all models are computed together."""
    risk = number(0.0, 0.5, least=False, most=False)("risk", risk)
    largest = number(0.0, np.inf, least=False)("largest", largest)
    known = one_of(*NAMED)
    names = tuple(known("effects", name) for name in effects)
    if not names:
        raise Refusal(f"effects: name one or more of {', '.join(NAMED)}")
    at = Recording.of(result.ranking, models, data, signal)
    means, covariance = moments(at.losses(at.signal, "as observed"))
    alone = chance_behind(*gaps(means, covariance, 0))[1:]
    scale = float(np.std(at.signal))
    if scale == 0.0:
        raise Refusal("the signal is the same at all points; there is nothing to distort")
    units = {name: largest if name == "gain" else largest * scale for name in names}
    found = [_sizes(at, name, units[name], risk, rng) for name in names]
    return Withstands(
        result.ranking[0],
        result.ranking[1:],
        names,
        tuple(map(tuple, np.array(found).T.tolist())),
        tuple(alone.tolist()),
        tuple(units.values()),
        risk,
    )


@dataclass(frozen=True, eq=False)
class Recording:
    """Candidates and data, whose signal may be moved."""

    models: Mapping[str, Any]
    data: Any
    name: Part | None
    signal: FloatArray

    @classmethod
    def of(
        cls, ranking: Sequence[str], models: Mapping[str, Any], data: Any, name: Part | None
    ) -> Recording:
        """Refuses models without a loss, and a signal that is not there."""
        if not isinstance(models, Mapping) or set(models) != set(ranking):
            raise Refusal(
                "pass the candidates of the comparison, as they were passed to compare: "
                f"{', '.join(map(repr, ranking))}"
            )
        for model in ranking:
            if not callable(getattr(models[model], "loss", None)):
                raise Refusal(
                    f"model {model!r} has no loss(data); losses of other signals need Candidates"
                )
        return cls({each: models[each] for each in ranking}, data, name, part_of(data, name))

    def losses(self, signal: FloatArray, effect: str) -> FloatArray:
        """Of all models on the data with this signal, models × points."""
        moved = with_part(self.data, self.name, signal)
        found = np.array([model.loss(moved) for model in self.models.values()], dtype=np.float64)
        if not np.isfinite(found).all():
            name = tuple(self.models)[int(np.argmin(np.isfinite(found).all(axis=1)))]
            raise Refusal(
                f"model {name!r}: losses are not finite on the signal {effect}; it may leave the "
                "values that the model knows: ask for smaller sizes, largest=…, or for other "
                "effects"
            )
        return found


def _sizes(at: Recording, name: str, largest: float, risk: float, rng: RNG) -> FloatArray:
    """Of each model but the best, the size of one effect that reverses."""
    if name == "coloured noise":
        return bisected(_chance_of_noise(at, rng), largest, risk)
    design = np.arange(float(at.signal.size))
    where = places(largest)
    shifts = {
        "gain": lambda x: effect.gain(at.signal, design, None, factor=float(np.exp(x))),
        "offset": lambda x: effect.offset(at.signal, design, None, value=x),
        "drift": lambda x: effect.drift(at.signal, design, None, height=x),
    }
    found = [
        gaps(*moments(at.losses(shifts[name](x), f"with {name} {say.short(x)}")), 0)
        for x in where.tolist()
    ]
    behind, errors = (np.array(each) for each in zip(*found, strict=True))
    sizes = largest * SIZES
    return np.array(
        [
            first_size(sizes, chances_of_shift(where, behind[:, k], errors[:, k], sizes), risk)
            for k in range(1, len(at.models))
        ]
    )


def _chance_of_noise(at: Recording, rng: RNG) -> Callable[[float], FloatArray]:
    """P(behind) of each model but the best, by the size of noise; always the same paths."""
    generator = stream(entropy_from(rng), COMPARISON_RECORDINGS)
    size = at.signal.size
    design, none = np.arange(float(size)), np.zeros(size)
    tau = max(FORGOTTEN * size, 1.0)
    paths = [
        effect.coloured(none, design, generator, scale=np.sqrt(2.0), tau=tau) for _ in range(PATHS)
    ]

    def chance(scale: float) -> FloatArray:
        found = [
            chance_behind(*gaps(*moments(at.losses(at.signal + by * path, "with noise")), 0))
            for path in paths
            for by in (scale, -scale)
        ]
        return np.asarray(np.mean(found, axis=0)[1:])

    return chance
