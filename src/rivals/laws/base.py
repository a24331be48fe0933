"""What a law is: how it reduces losses, once, and what it then says of pairs of models.

Evidence, intervals and whatever else is shown follow from these two in the same way under every
law, and are here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from math import nan
from typing import Any, ClassVar, Protocol, TypeAlias

import numpy as np

from rivals._types import BoolArray, FloatArray, IntArray
from rivals.evidence import Evidence, Note
from rivals.losses import Study
from rivals.method.roots import crossing
from rivals.setting import Setting

# Numbers that are computed at a time: what the processor's cache holds.
TOGETHER = 2**17

Pairs: TypeAlias = tuple[IntArray, IntArray]


class Differences(Protocol):
    """The law of R_a − R_b of several pairs, or of the risk of several models, at a time."""

    def below(self, value: FloatArray) -> FloatArray:
        """P(R_a − R_b < value), priors × pairs: by all simulations together, and by each alone."""

    def bracket(self) -> tuple[FloatArray, FloatArray]:
        """Values that R_a − R_b hardly ever lies outside of, of each pair."""

    def error(self, value: FloatArray) -> FloatArray:
        """Monte Carlo standard error of `below`, of each pair."""


class Law(ABC):
    """How a distribution of the risk is made.

    A new law is a subclass, and a line in `laws`.
    """

    name: ClassVar[str]
    default_c: ClassVar[float]
    needs_groups: ClassVar[bool] = False

    @abstractmethod
    def summarise(self, study: Study) -> Any:
        """Reduce losses to what the law needs.

        All that is expensive, and does not depend on the setting. Refuses what it cannot use.
        """

    @abstractmethod
    def risk(self, summary: Any) -> FloatArray:
        """What the decision is about, of each model."""

    @abstractmethod
    def differences(self, summary: Any, setting: Setting, a: IntArray, b: IntArray) -> Differences:
        """The distribution of R_a − R_b of each pair.

        Pure, and cheap.
        """

    @abstractmethod
    def risks(self, summary: Any, setting: Setting) -> Differences:
        """The law of the risk of each model by itself."""

    @abstractmethod
    def n_simulations(self, summary: Any) -> int:
        """Of each model."""

    def clear(self, summary: Any, setting: Setting, a: IntArray, b: IntArray) -> BoolArray:
        """Whether each pair may be decided at a look."""
        return np.ones(a.size, dtype=bool)

    def check_setting(self, setting: Setting) -> None:
        """Refuse options that mean nothing under this law."""
        asked = {"looks": setting.looks, "new_groups": setting.new_groups}
        for name, value in asked.items():
            if value is not None and not self.needs_groups:
                raise ValueError(
                    f"law {self.name!r} knows no groups, so {name} has no meaning there; pass "
                    "groups=, the group of each point, or leave it out"
                )

    def may_exceed(self, summary: Any, setting: Setting, a: IntArray, b: IntArray) -> BoolArray:
        """Of which pairs P may pass the threshold.

        The others need not be computed.
        """
        return np.ones(a.size, dtype=bool)

    def notes(self, summary: Any, setting: Setting) -> tuple[Note, ...]:
        """What to know about these losses under this law."""
        return ()

    def methods(self, summary: Any) -> str:
        """What was done, for a paper; `{noun}`, `{nouns}` and `{horizon}` are filled in."""
        return f"Models were compared by method {self.name!r}."

    def kappa(self, summary: Any) -> float:
        """By which part shared training data widen the variance."""
        return 0.0

    def heterogeneity(self, summary: Any, setting: Setting, a: int, b: int) -> tuple[float, float]:
        """τ and I² of a difference; nan where the law has none."""
        return nan, nan

    def was_measured(self, setting: Setting) -> bool:
        """Whether the track record is of this law, at this setting."""
        return False

    def width(self, summary: Any) -> int:
        """How many numbers are computed of each pair."""
        return 1

    def c(self, setting: Setting) -> float:
        """The c asked for, or its own."""
        return self.default_c if setting.c is None else setting.c

    def evidence(self, summary: Any, setting: Setting, asked: Pairs | None = None) -> Evidence:
        """The probabilities of pairs, all or those asked for."""
        self.check_setting(setting)
        risk = self.risk(summary)
        first, second = _in_order(every_pair(risk.size) if asked is None else asked)
        turned = risk[second] < risk[first]
        better, worse = np.where(turned, second, first), np.where(turned, first, second)
        forward = np.empty(better.size)
        backward = np.empty(better.size)
        error = np.empty(better.size)
        n_simulations = self.n_simulations(summary)
        strongest = np.zeros((n_simulations if n_simulations > 1 else 0, risk.size))
        for piece in pieces(better.size, TOGETHER // self.width(summary)):
            a, b = first[piece], second[piece]
            law = self.differences(summary, setting, a, b)
            margin = np.full(a.size, setting.margin)
            lower = law.below(-margin)
            upper = 1.0 - (law.below(margin) if setting.margin else lower)
            ahead = np.where(turned[piece], upper, lower)
            forward[piece] = ahead[0]
            backward[piece] = np.where(turned[piece], lower[0], upper[0])
            error[piece] = law.error(-margin)
            decides = risk[a] != risk[b]
            for alone, of_pairs in zip(strongest, ahead[1:], strict=True):
                np.maximum.at(alone, worse[piece][decides], of_pairs[decides])
        clear = self.clear(summary, setting, better, worse)
        notes = self.notes(summary, setting)
        return Evidence(
            summary.models,
            risk,
            better,
            worse,
            forward,
            backward,
            error,
            clear,
            strongest,
            setting.margin,
            notes,
        )

    def at_each_c(
        self, summary: Any, values: Sequence[float], rng: int, a: int, b: int
    ) -> tuple[FloatArray, FloatArray]:
        """P(R_a < R_b) of one pair at each c.

        With its error: what a calibration asks.
        """
        pair = np.array([a]), np.array([b])
        nothing = np.zeros(1)
        laws = [self.differences(summary, Setting(c=c, rng=rng), *pair) for c in values]
        found = np.array([(law.below(nothing)[0, 0], law.error(nothing)[0]) for law in laws])
        return found[:, 0], found[:, 1]

    def interval(
        self, summary: Any, setting: Setting, model: int, others: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Intervals of differences from one model."""
        law = self.differences(summary, setting, others, np.full(others.size, model))
        return central_interval(law, others.size, setting.level)

    def risk_interval(self, summary: Any, setting: Setting) -> tuple[FloatArray, FloatArray]:
        """Between which values the risk of each model lies."""
        return central_interval(self.risks(summary, setting), len(summary.models), setting.level)


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


def _in_order(pairs: Pairs) -> Pairs:
    """The model that was given first, first: P of a pair does not depend on who asks, to the last
    bit.
    """
    a, b = (np.asarray(places, dtype=np.intp) for places in pairs)
    return np.minimum(a, b), np.maximum(a, b)


def pieces(size: int, together: int) -> Iterator[slice]:
    step = max(together, 1)
    return (slice(begin, begin + step) for begin in range(0, size, step))
