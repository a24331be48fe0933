"""Who makes the data: one of the candidates, a mixture of two, a simulator, or one's own."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rivals._core.setting import one_of
from rivals._core.texts import Refusal, WrongKind
from rivals._core.types import Model
from rivals.scenarios._data import Part, part_of, with_part
from rivals.scenarios._draws import Draw, Number, from_plain, plain

KINDS = ("candidate", "mixture", "simulator", "own")
# Of parameters: makes n points of data with a generator.
Source = Callable[[int, np.random.Generator], Any]


@dataclass(frozen=True)
class Truth:
    """Who makes the data: `one_of_them`, `mixture`, or made by `simulator` or `own`.

    Parameters
    ----------
    kind : {"candidate", "mixture", "simulator", "own"}
    function : callable, optional
        The simulator, or one's own source.
    numbers : tuple of (str, number)
        Parameters of the simulator, and others that blocks take by their names.
    """

    kind: str
    function: Callable[..., Any] | None = None
    numbers: tuple[tuple[str, Number], ...] = ()

    def __post_init__(self) -> None:
        one_of(*KINDS)("truth", self.kind)
        if self.kind in ("simulator", "own") and not callable(self.function):
            raise WrongKind(f"a truth by {self.kind} needs a function; got {self.function!r}")

    def drawn(self, rng: np.random.Generator) -> dict[str, Any]:
        """Its parameters: the problem."""
        return {k: v(rng) if isinstance(v, Draw) else v for k, v in self.numbers}

    def accepts(self) -> set[str]:
        """Those of its parameters that the simulator takes."""
        names = [name for name, _ in self.numbers]
        try:
            taken = inspect.signature(self.function).parameters  # type: ignore[arg-type]
        except (TypeError, ValueError):  # some built-in functions do not tell
            return set(names)
        if any(each.kind is each.VAR_KEYWORD for each in taken.values()):
            return set(names)
        return {name for name in names if name in taken}

    def source(
        self, models: Sequence[Model], signal: Part | None, rng: np.random.Generator
    ) -> Callable[[Mapping[str, Any]], Source]:
        """A function of the parameters of a recording that returns what makes its data."""
        if self.kind == "simulator":
            names = self.accepts()
            assert self.function is not None
            simulate = self.function

            def by(parameters: Mapping[str, Any]) -> Source:
                own = {name: parameters[name] for name in names}
                return lambda n, rng: simulate(n, rng, **own)

            return by
        if self.kind == "own":
            assert self.function is not None
            made = self.function(rng)
            if not callable(made):
                raise WrongKind(
                    "own(f): f(rng) must return a function of n and rng that makes n points; got "
                    f"{type(made).__name__}"
                )
        elif self.kind == "candidate":
            made = models[int(rng.integers(len(models)))].simulate
        else:
            first, second = (models[place] for place in rng.permutation(len(models))[:2])
            made = _mixed(first, second, float(rng.uniform()), signal)
        return lambda _: made

    def describe(self) -> str:
        """As "one of the candidates, each as probable as the other"."""
        if self.kind == "candidate":
            return "one of the candidates, all equally probable"
        if self.kind == "mixture":
            return "a mixture of two of the candidates in an unknown proportion"
        name = getattr(self.function, "__name__", "a simulator")
        drawn = ", ".join(f"{k} {'~' if isinstance(v, Draw) else '='} {v}" for k, v in self.numbers)
        return f"{name} with {drawn}" if drawn else str(name)

    def to_dict(self) -> dict[str, Any]:
        """Plain values; a function by its name."""
        return {
            "kind": self.kind,
            "function": None if self.function is None else name_of(self.function),
            "numbers": {name: plain(value) for name, value in self.numbers},
        }

    @classmethod
    def from_dict(cls, found: Mapping[str, Any], function: Callable[..., Any] | None) -> Truth:
        """What `to_dict` gave, and the function that it names."""
        wanted = found["function"]
        given = None if function is None else name_of(function)
        if wanted != given:
            raise Refusal(f"the truth of this scenario is made by {wanted}; got {given}")
        numbers = tuple((name, from_plain(value)) for name, value in found["numbers"].items())
        return cls(found["kind"], function, numbers)


one_of_them = Truth("candidate")
mixture = Truth("mixture")


def simulator(function: Callable[..., Any], **parameters: Number) -> Truth:
    """A simulator makes the data: function(n, rng, **parameters), parameters drawn per problem.

    Parameters that the function does not take are for blocks, which name them:
    noise("sd").

    Examples
    --------
    >>> import numpy as np
    >>> from rivals.scenarios import simulator, uniform
    >>> def decay(n, rng, lifetime):
    ...     t = rng.uniform(0, 4, n)
    ...     return t, np.exp(-t / lifetime)
    >>> simulator(decay, lifetime=uniform(0.8, 1.2)).describe()
    'decay with lifetime ~ uniform(0.8, 1.2)'
    """
    return Truth("simulator", function, tuple(parameters.items()))


def own(function: Callable[[np.random.Generator], Source]) -> Truth:
    """Your own: function(rng) draws a problem, and returns a function of n and rng.

    Examples
    --------
    >>> def problem(rng):
    ...     mean = rng.normal()
    ...     return lambda n, rng: mean + rng.standard_normal(n)
    >>> own(problem).describe()
    'problem'
    """
    return Truth("own", function)


def name_of(function: Callable[..., Any]) -> str:
    """As "module.function"."""
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return f"{getattr(function, '__module__', None) or '?'}.{name}"


def _mixed(first: Model, second: Model, share: float, signal: Part | None) -> Source:
    def source(n: int, rng: np.random.Generator) -> Any:
        of_first = rng.random(n) < share
        one, other = first.simulate(n, rng), second.simulate(n, rng)
        both = np.where(of_first, part_of(one, signal), part_of(other, signal))
        return with_part(one, signal, both)

    return source
