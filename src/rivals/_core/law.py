"""What a law is: how it reduces losses, once, and what it then says of pairs of models.

Evidence, intervals and whatever else is shown follow from these two in the same way under every
law. `Reduced` reads them, and computes nothing twice.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from typing import Any, ClassVar, Generic, Protocol, Self, TypeAlias, TypeVar

import numpy as np

from rivals._core.evidence import Evidence, Note
from rivals._core.losses import Provenance, Study
from rivals._core.setting import Setting
from rivals._core.texts import Refusal, opt
from rivals._core.types import BoolArray, FloatArray, IntArray
from rivals.method.roots import crossing

# Numbers that are computed at a time: what the processor's cache holds.
TOGETHER = 2**17
# Numbers that are kept of one study, which are then about 30 MB.
MOST_KEPT = 8 * TOGETHER

Pairs: TypeAlias = tuple[IntArray, IntArray]


class Differences(Protocol):
    """The law of R_a − R_b of several pairs, or of the risk of several models, at a time."""

    def below(self, value: FloatArray) -> FloatArray:
        """P(R_a − R_b < value), priors × pairs: by all simulations together, and by each alone."""

    def bracket(self) -> tuple[FloatArray, FloatArray]:
        """Values that R_a − R_b hardly ever lies outside of, of each pair."""

    def error(self, value: FloatArray) -> FloatArray:
        """Monte Carlo standard error of `below`, of each pair."""

    def over(self, new_groups: float | None) -> Self:
        """The same over another number of new groups; itself where there are none.

        It may also have `parts`, named parts of the variance, and `tau` and `i2`, of each pair.
        """


class Summary(Protocol):
    """What a law needs of the losses, and what everything that is shown needs of it.

    A dataclass of arrays, numbers and texts is saved and read without a further line.
    """

    @property
    def models(self) -> tuple[str, ...]: ...
    @property
    def source(self) -> Provenance: ...
    @property
    def n_points(self) -> int: ...
    @property
    def n_simulations(self) -> int: ...
    @property
    def n_groups(self) -> int:
        """0 without groups; else it has what `GroupSummaries` has."""


S = TypeVar("S", bound=Summary)
Made = TypeVar("Made")


class Law(ABC, Generic[S]):
    """How a distribution of the risk is made.

    A law is a subclass with a name; where it is imported, saved comparisons by it can be read.
    """

    name: ClassVar[str]
    default_c: ClassVar[float] = 1.0
    needs_groups: ClassVar[bool] = False
    draws: ClassVar[bool] = False  # random numbers, with a seed

    # ---------------------------------------------------------------- what a law must say

    @abstractmethod
    def summarise(self, study: Study) -> S:
        """Reduce losses to what the law needs.

        All that is expensive, and does not depend on the setting. Refuses what it cannot use.
        """

    @abstractmethod
    def risk(self, summary: S) -> FloatArray:
        """What the decision is about, of each model."""

    @abstractmethod
    def differences(self, summary: S, setting: Setting, a: IntArray, b: IntArray) -> Differences:
        """The distribution of R_a − R_b of each pair.

        Pure. Of the setting it may depend on c and rng; new groups are asked for by `over`.
        """

    @abstractmethod
    def risks(self, summary: S, setting: Setting) -> Differences:
        """The law of the risk of each model by itself."""

    # ---------------------------------------------------------------- what it may say

    def methods(self, summary: S) -> str:
        """What was done, for a paper.

        `{noun}`, `{nouns}` and `{horizon}` are filled in.
        """
        return f"Models were compared by method {self.name!r}."

    def notes(self, summary: S, setting: Setting) -> tuple[Note, ...]:
        """What to know about these losses under this law."""
        return ()

    def was_measured(self, setting: Setting) -> bool:
        """Whether the track record holds for it, at this setting."""
        return False

    def without_c(self, summary: S, setting: Setting, a: IntArray, b: IntArray) -> Differences:
        """The law of R_a − R_b, c unknown.

        Asked only where `c_is_unknown`.
        """
        raise NotImplementedError

    def risks_without_c(self, summary: S, setting: Setting) -> Differences:
        """The law of each risk, c unknown.

        Asked only where `c_is_unknown`.
        """
        raise NotImplementedError

    def c_is_unknown(self, setting: Setting) -> bool:
        """Whether nothing says what c is."""
        return False

    def check(self, summary: S) -> None:
        """Refuse a summary that this law cannot judge."""

    def judged(self, summary: S, pairs: Pairs) -> Pairs:
        """Those of the pairs that can be judged."""
        return pairs

    def clear(self, summary: S, setting: Setting, a: IntArray, b: IntArray) -> BoolArray:
        """Whether each pair may be decided at a look."""
        return np.ones(a.size, dtype=bool)

    def width(self, summary: S) -> int:
        """How many numbers are computed of each pair."""
        return 1

    # ---------------------------------------------------------------- saved files

    def to_arrays(self, summary: S) -> tuple[dict[str, Any], dict[str, FloatArray]]:
        """Plain values and arrays, for a file."""
        if not is_dataclass(summary):
            raise TypeError(f"method {self.name!r} does not say how its summaries are saved")
        found = {each.name: getattr(summary, each.name) for each in fields(summary)}
        arrays = {name: value for name, value in found.items() if isinstance(value, np.ndarray)}
        known = {*arrays, "models", "source"}
        return {name: value for name, value in found.items() if name not in known}, arrays

    def from_arrays(
        self,
        models: tuple[str, ...],
        source: Provenance,
        plain: dict[str, Any],
        arrays: dict[str, FloatArray],
    ) -> S:
        """What `to_arrays` took apart, checked."""
        kind: Any = self.summary_type
        if kind is None:
            raise TypeError(f"method {self.name!r} does not say what its summaries are")
        found: S = kind(models=models, source=source, **plain, **arrays)
        return found

    summary_type: ClassVar[Any] = None  # the dataclass that `summarise` returns

    # ---------------------------------------------------------------- the same under every law

    KNOWN: ClassVar[dict[str, type[Law[Any]]]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "name" in cls.__dict__:
            known = Law.KNOWN.setdefault(cls.name, cls)
            if known.__module__ != cls.__module__:
                raise TypeError(f"there is a law {cls.name!r} already, in {known.__module__}")
            Law.KNOWN[cls.name] = cls

    def options(self) -> dict[str, Any]:
        """What the law was made with."""
        return asdict(self) if is_dataclass(self) else {}

    def c(self, setting: Setting) -> float:
        """The c asked for, or its own."""
        return self.default_c if setting.c is None else setting.c

    def check_setting(self, setting: Setting) -> None:
        """Refuse options that mean nothing under this law."""
        asked = {"looks": setting.looks, "new_groups": setting.new_groups}
        for name, value in asked.items():
            if value is not None and not self.needs_groups:
                raise Refusal(
                    f"method {self.name!r} knows no groups, so {opt[name]} has no meaning there; "
                    "pass "
                    f"{opt.groups}, the group of each point, or leave it out"
                )

    def at_each_c(
        self, summary: S, values: Sequence[float], rng: int, a: int, b: int
    ) -> tuple[FloatArray, FloatArray]:
        """P(R_a < R_b) of one pair at each c.

        With its error: what a calibration asks.
        """
        pair = np.array([a]), np.array([b])
        nothing = np.zeros(1)
        laws = [self.differences(summary, Setting(c=c, rng=rng), *pair) for c in values]
        found = np.array([(law.below(nothing)[0, 0], law.error(nothing)[0]) for law in laws])
        return found[:, 0], found[:, 1]

    def evidence(self, summary: S, setting: Setting, asked: Pairs | None = None) -> Evidence:
        """The probabilities of pairs, all or those asked for."""
        return Reduced(self, summary).evidence(setting, asked)

    def interval(
        self, summary: S, setting: Setting, model: int, others: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Intervals of differences from one model."""
        law = self.differences(summary, setting, others, np.full(others.size, model))
        return central_interval(law.over(setting.new_groups), others.size, setting.level)

    def risk_interval(self, summary: S, setting: Setting) -> tuple[FloatArray, FloatArray]:
        """Between which values the risk of each model lies."""
        law = self.risks(summary, setting).over(setting.new_groups)
        return central_interval(law, len(summary.models), setting.level)


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


def pieces(size: int, together: int) -> Iterator[slice]:
    step = max(together, 1)
    return (slice(begin, begin + step) for begin in range(0, size, step))
