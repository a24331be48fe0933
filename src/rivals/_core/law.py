"""What a law is: how it reduces losses, once, and what it then says of pairs of models.

Evidence, intervals and whatever else is shown follow from these two in the same way under every
law; `rivals._core.reduced` has how.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields, is_dataclass
from typing import Any, ClassVar, Generic, Protocol, Self, TypeAlias, TypeVar

import numpy as np

from rivals._core.evidence import Note
from rivals._core.losses import Provenance, Study
from rivals._core.setting import HowMany, Setting
from rivals._core.texts import Refusal, opt
from rivals._core.types import BoolArray, FloatArray, IntArray

# Numbers that are computed at a time: what the processor's cache holds.
TOGETHER = 2**17
# Whose idea this is, for a paper.
SOURCE = "René and Longtin (2025, doi:10.1038/s41467-025-64658-7)"
OF_MISFITS = (
    "The distribution of the risk over replications, the misfit and the sensitivity c are those of "
    f"{SOURCE}."
)

Pairs: TypeAlias = tuple[IntArray, IntArray]


class Differences(Protocol):
    """The law of R_a − R_b of several pairs, or of the risk of several models, at a time."""

    def below(self, value: FloatArray) -> FloatArray:
        """P(R_a − R_b < value), priors × pairs: by all simulations together, and by each alone."""
        ...

    def bracket(self) -> tuple[FloatArray, FloatArray]:
        """Values that R_a − R_b hardly ever lies outside of, of each pair."""
        ...

    def error(self, value: FloatArray) -> FloatArray:
        """Monte Carlo standard error of `below`, of each pair."""
        ...

    def over(self, new_groups: Any) -> Self:
        """The same over another number of new groups; itself where there are none.

        It may also have `parts`, named parts of the variance, and `tau` and `i2`, of each pair.
        """
        ...


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
        ...


S = TypeVar("S", bound=Summary)


class Law(ABC, Generic[S]):
    """How a distribution of the risk is made.

    A law is a subclass with a name; where it is imported, saved comparisons by it can be read.
    """

    name: ClassVar[str]
    default_c: ClassVar[float] = 1.0
    needs_groups: ClassVar[bool] = False
    draws: ClassVar[bool] = False  # random numbers, with a seed
    # Whose ideas it uses, for a paper.
    credit: ClassVar[str] = f"The question, whether a result would replicate, follows {SOURCE}."
    again: ClassVar[str] = ""  # in what a winner would win again, if it is neither rows nor groups

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

    def recorded_as(self, summary: S, setting: Setting) -> Mapping[str, str] | None:
        """What its track record is kept under, of such losses.

        None where nothing was measured, as at options that are not the default.
        """
        return None

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

    def wins_in_new_rows(self, summary: S) -> FloatArray | None:
        """P of every pair in as many new rows.

        [a, b] = P that a wins, where a law is of another question.
        """
        return None

    def c_is_unknown(self, setting: Setting) -> bool:
        """Whether nothing says what c is."""
        return False

    def horizon(self, summary: S, new_groups: HowMany | None) -> HowMany | None:
        """How many new groups, or levels of each factor.

        None without groups.
        """
        return new_groups or summary.n_groups or None

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

    known_as: ClassVar[str]  # its name, where no other law has that

    def __init_subclass__(cls, known_as: str = "", **options: Any) -> None:
        super().__init_subclass__(**options)
        if "name" in cls.__dict__:
            cls.known_as = known_as or cls.name
            known = Law.KNOWN.setdefault(cls.known_as, cls)
            if known.__module__ != cls.__module__:
                raise TypeError(f"there is a law {cls.known_as!r} already, in {known.__module__}")
            Law.KNOWN[cls.known_as] = cls

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


def pieces(size: int, together: int) -> Iterator[slice]:
    step = max(together, 1)
    return (slice(begin, begin + step) for begin in range(0, size, step))
