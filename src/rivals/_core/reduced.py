"""Losses as a law reduced them, and every number that follows from what the law says of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from rivals._core.evidence import Evidence
from rivals._core.law import TOGETHER, Differences, Law, Pairs, S, pieces
from rivals._core.setting import Setting
from rivals._core.types import FloatArray, IntArray
from rivals.method.roots import crossing

# Numbers that are kept of one study, which are then about 30 MB.
MOST_KEPT = 8 * TOGETHER

Made = TypeVar("Made")


@dataclass(frozen=True, eq=False)
class Reduced(Generic[S]):
    """Losses as a law reduced them, and what was computed of them: each number once.

    A law of differences depends on c and the seed alone. It is kept, and read over any number of
    new groups, at any margin and level; the threshold changes none of it.
    """

    law: Law[S]
    summary: S
    _made: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Without what can be computed again."""
        return {**self.__dict__, "_made": {}}

    def differences(self, setting: Setting, a: IntArray, b: IntArray) -> Differences:
        """The law of R_a − R_b of each pair, over the new groups of the setting."""
        made = self._kept(
            ("differences", *_key(setting, a, b)),
            lambda: self.law.differences(self.summary, setting, a, b),
            a.size,
        )
        return self._kept(
            ("over", setting.new_groups, *_key(setting, a, b)),
            lambda: made.over(setting.new_groups),
            a.size,
        )

    def below(self, setting: Setting, a: IntArray, b: IntArray, value: FloatArray) -> FloatArray:
        """P(R_a − R_b < value), priors × pairs."""
        key = ("below", setting.new_groups, value.tobytes(), *_key(setting, a, b))
        return self._kept(key, lambda: self.differences(setting, a, b).below(value), a.size)

    def interval(self, setting: Setting, a: IntArray, b: IntArray) -> tuple[FloatArray, FloatArray]:
        """Between which values R_a − R_b of each pair lies."""
        key = ("interval", setting.new_groups, setting.level, *_key(setting, a, b))
        return self._kept(
            key,
            lambda: central_interval(self.differences(setting, a, b), a.size, setting.level),
            a.size,
        )

    def risk_interval(
        self, setting: Setting, *, without_c: bool = False
    ) -> tuple[FloatArray, FloatArray]:
        """Between which values the risk of each model lies, at c or with c unknown."""
        make = self.law.risks_without_c if without_c else self.law.risks
        law = make(self.summary, setting).over(setting.new_groups)
        return central_interval(law, len(self.summary.models), setting.level)

    def below_without_c(
        self, setting: Setting, a: IntArray, b: IntArray, value: FloatArray
    ) -> FloatArray:
        """P(R_a − R_b < value), c unknown."""
        key = ("without c", setting.rng, a.tobytes(), b.tobytes(), value.tobytes())
        make = self.law.without_c
        return self._kept(key, lambda: make(self.summary, setting, a, b).below(value)[0], a.size)

    def _kept(self, key: Any, make: Callable[[], Made], size: int) -> Made:
        if key in self._made:
            known: Made = self._made[key]
            return known
        made = make()
        numbers = size * self.law.width(self.summary) if key[0] == "differences" else size
        if self._made.get("numbers", 0) + numbers > MOST_KEPT:
            self._made.clear()
        if numbers <= TOGETHER:
            self._made["numbers"] = self._made.get("numbers", 0) + numbers
            self._made[key] = made
        return made

    def evidence(self, setting: Setting, asked: Pairs | None = None) -> Evidence:
        """The probabilities of pairs, all or those asked for."""
        law, summary = self.law, self.summary
        law.check_setting(setting)
        risk = law.risk(summary)
        pairs = law.judged(summary, every_pair(risk.size) if asked is None else asked)
        first, second = in_order(pairs)
        turned = risk[second] < risk[first]
        better, worse = np.where(turned, second, first), np.where(turned, first, second)
        forward = np.empty(better.size)
        backward = np.empty(better.size)
        error = np.empty(better.size)
        n_simulations = summary.n_simulations
        strongest = np.zeros((n_simulations if n_simulations > 1 else 0, risk.size))
        for piece in pieces(better.size, TOGETHER // law.width(summary)):
            a, b = first[piece], second[piece]
            margin = np.full(a.size, setting.margin)
            lower = self.below(setting, a, b, -margin)
            upper = 1.0 - (self.below(setting, a, b, margin) if setting.margin else lower)
            ahead = np.where(turned[piece], upper, lower)
            forward[piece] = ahead[0]
            backward[piece] = np.where(turned[piece], lower[0], upper[0])
            error[piece] = self.differences(setting, a, b).error(-margin)
            decides = risk[a] != risk[b]
            for alone, of_pairs in zip(strongest, ahead[1:], strict=True):
                np.maximum.at(alone, worse[piece][decides], of_pairs[decides])
        return Evidence(
            summary.models,
            risk,
            better,
            worse,
            forward,
            backward,
            error,
            law.clear(summary, setting, better, worse),
            strongest,
            setting.margin,
            law.notes(summary, setting),
        )


def _key(setting: Setting, a: IntArray, b: IntArray) -> tuple[Any, ...]:
    """What a law of differences depends on."""
    return setting.c, setting.rng, a.tobytes(), b.tobytes()


def quantile(law: Differences, probability: FloatArray) -> FloatArray:
    """The value that R_a − R_b is below with this probability, one of each pair."""
    return crossing(lambda value: law.below(value)[0] - probability, *law.bracket())


def central_interval(law: Differences, size: int, level: float) -> tuple[FloatArray, FloatArray]:
    """The ends of the interval that leaves as much on either side, of each pair."""
    tail = np.full(size, 0.5 - 0.5 * level)
    low, high = quantile(law, tail), quantile(law, 1.0 - tail)
    if np.any(low > high):
        raise ValueError("no interval follows from these losses; please report this")
    return low, high


def every_pair(n_models: int) -> Pairs:
    """All pairs of models, each once."""
    places = np.arange(n_models)
    first, second = np.nonzero(places[:, None] < places)
    return first, second


def in_order(pairs: Pairs) -> Pairs:
    """The model that was given first, first: P of a pair does not depend on who asks, to the last
    bit.
    """
    a, b = (np.asarray(places, dtype=np.intp) for places in pairs)
    return np.minimum(a, b), np.maximum(a, b)
