"""What happens to a signal between the process that makes it and the data: one block for each.

A block is data: a kind, its numbers, and when they are drawn. Called with a signal, its design and
a generator it returns another signal.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rivals._core.setting import one_of
from rivals._core.texts import Refusal, WrongKind
from rivals._core.types import FloatArray, IntArray
from rivals.method.effects import EFFECTS, present, tilted
from rivals.scenarios._draws import Draw, Number, from_plain, lognormal, normal, plain

# The numbers of each kind of block, and what its points are called in a sentence.
NUMBERS = {
    "gain": ("factor",),
    "offset": ("value",),
    "drift": ("height",),
    "gaussian": ("scale",),
    "student": ("scale", "df"),
    "laplace": ("scale",),
    "poisson": ("counts",),
    "coloured": ("scale", "tau"),
    "outliers": ("share", "scale"),
    "tilt": ("strength",),
    "missing": ("share", "run"),
}
JITTER = "jitter"  # its numbers are those of a simulator
FAMILIES = ("gaussian", "student", "laplace", "poisson", "coloured")
SELECTIONS = ("tilt", "missing")
POSITIVE = ("size", "scale", "df", "counts", "tau", "share", "run")
PER = ("recording", "problem")
# A tilted recording is a selection from so many times as many points.
POOL = 4


@dataclass(frozen=True)
class Block:
    """One thing that happens to a signal.

    Made by `gain`, `offset`, `drift`, `noise`, `outliers`, `tilt`, `missing` and `jitter`.

    Parameters
    ----------
    kind : str
    numbers : tuple of (str, number)
        Each a number, a `Draw`, or the name of a parameter of the truth.
    per : {"recording", "problem"}
        Whether numbers that are drawn are drawn for each recording, or once for the problem.
    along : int or str, optional
        The part of the data along which a drift or a tilt goes; the order of the points by default.

    Examples
    --------
    >>> import numpy as np
    >>> from rivals.scenarios import gain, offset
    >>> offset(0.1)(np.zeros(3), None, np.random.default_rng(0)).round(4)
    array([0.0126, 0.0126, 0.0126])
    >>> gain(0.02)
    gain(factor=lognormal(1, 0.02))
    """

    kind: str
    numbers: tuple[tuple[str, Number], ...]
    per: str = "recording"
    along: int | str | None = None

    def __post_init__(self) -> None:
        one_of(*NUMBERS, JITTER)("kind", self.kind)
        one_of(*PER)(f"{self.kind}: per", self.per)
        names = tuple(name for name, _ in self.numbers)
        if names != NUMBERS.get(self.kind, names):
            raise Refusal(f"{self.kind}: its numbers are {NUMBERS[self.kind]}; got {names}")
        checked = tuple(
            (name, value if isinstance(value, Draw | str) else _number(self.kind, name, value))
            for name, value in self.numbers
        )
        object.__setattr__(self, "numbers", checked)

    def __call__(
        self, signal: FloatArray, design: FloatArray | None, rng: np.random.Generator
    ) -> FloatArray:
        """The signal after it; numbers are drawn anew. Without a design, in order of the points."""
        return self.applied(signal, design, rng, self.drawn({}, rng))

    def drawn(self, parameters: Mapping[str, Any], rng: np.random.Generator) -> dict[str, Any]:
        """Its numbers, those of the truth among them."""
        found = {}
        for name, value in self.numbers:
            if isinstance(value, Draw):
                found[name] = value(rng)
            else:
                found[name] = parameters[value] if isinstance(value, str) else value
        return found

    def applied(
        self,
        signal: FloatArray,
        design: FloatArray | None,
        rng: np.random.Generator,
        numbers: Mapping[str, float],
    ) -> FloatArray:
        """The signal after it, with these numbers."""
        if self.kind not in EFFECTS:
            raise Refusal(f"{self.kind} chooses rows or parameters; it needs a whole Scenario")
        if design is None:
            design = np.arange(float(signal.size))
        return EFFECTS[self.kind](signal, design, rng, **numbers)

    def rows(
        self,
        design: FloatArray,
        n: int,
        rng: np.random.Generator,
        numbers: Mapping[str, float],
    ) -> IntArray:
        """Which n rows of a recording there are, of a tilt or of missing points."""
        select = tilted if self.kind == "tilt" else present
        return select(design, n, rng, **numbers)

    def n_before(self, n: int) -> int:
        """How many points it takes for n to be left."""
        if self.kind == "tilt":
            return POOL * n
        if self.kind == "missing":
            return int(np.ceil(n / (1.0 - float(dict(self.numbers)["share"]))))  # type: ignore[arg-type]
        return n

    @property
    def varies(self) -> bool:
        """Whether something that differs between recordings is drawn."""
        return any(isinstance(value, Draw) for _, value in self.numbers)

    def __repr__(self) -> str:
        shown = [f"{name}={_shown(value)}" for name, value in self.numbers]
        shown += ["per='problem'"] * (self.per == "problem")
        shown += [f"along={self.along!r}"] * (self.along is not None)
        return f"{self.kind}({', '.join(shown)})"

    def describe(self) -> str:
        """In a sentence, as "gain (factor ~ lognormal(1, 0.02), for each recording)"."""
        parts = [
            f"{name} {'~' if isinstance(value, Draw) else '='} {_shown(value)}"
            for name, value in self.numbers
        ]
        when = f", for each {self.per}" if self.varies else ""
        along = "" if self.along is None else f" along {self.along!r}"
        name = f"{self.kind} noise" if self.kind in FAMILIES else self.kind
        return f"{name}{along} ({', '.join(parts)}{when})"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        numbers = {name: plain(value) for name, value in self.numbers}
        return {"block": self.kind, "numbers": numbers, "per": self.per, "along": self.along}

    @classmethod
    def from_dict(cls, found: Mapping[str, Any]) -> Block:
        """What `to_dict` gave."""
        numbers = {name: from_plain(value) for name, value in found["numbers"].items()}
        order = NUMBERS.get(found["block"], tuple(numbers))
        if set(order) != set(numbers):
            raise Refusal(f"{found['block']}: its numbers are {order}; got {tuple(numbers)}")
        pairs = tuple((name, numbers[name]) for name in order)
        return cls(found["block"], pairs, found["per"], found["along"])


def _shown(value: Number) -> str:
    return f"{value!r}" if isinstance(value, Draw | str) else f"{value:.6g}"


def _number(kind: str, name: str, value: Any) -> float:
    """A finite number; one that changes nothing is no block."""
    try:
        found = float(value)
    except (TypeError, ValueError):
        raise WrongKind(
            f"{kind}: {name} must be a number, a draw such as normal(0, 1), or the name of a "
            f"parameter of the truth; got {value!r}"
        ) from None
    if not np.isfinite(found) or (name in POSITIVE and found < 0.0):
        raise Refusal(f"{kind}: {name} must be a number above 0; got {value!r}")
    if found == (1.0 if name == "factor" or kind == JITTER else 0.0):
        raise Refusal(f"{kind}: with {name} = {found:g} nothing varies; leave the block out")
    if name == "factor" and found == 0.0:
        raise Refusal("gain: nothing is left of a signal times 0; factors are about 1")
    if name == "share" and found >= 1.0:
        raise Refusal(f"{kind}: share is a part of the points, below 1; got {value!r}")
    return found


def _sized(kind: str, size: Number, drawn: Callable[[float], Draw]) -> Number:
    """A plain size as a draw of that size; draws and names of parameters as they are."""
    if isinstance(size, Draw | str):
        return size
    return drawn(_number(kind, "size", size))


def gain(size: Number, *, per: str = "recording") -> Block:
    """The signal is multiplied: by exp(normal(0, size)), or by the factor that is drawn.

    Examples
    --------
    >>> gain(0.02)
    gain(factor=lognormal(1, 0.02))
    """
    factor = _sized("gain", size, lambda sd: lognormal(1.0, sd))
    return Block("gain", (("factor", factor),), per)


def offset(size: Number, *, per: str = "recording") -> Block:
    """A constant is added: normal(0, size), or the value that is drawn.

    Examples
    --------
    >>> offset(0.02)
    offset(value=normal(0, 0.02))
    """
    value = _sized("offset", size, lambda sd: normal(0.0, sd))
    return Block("offset", (("value", value),), per)


def drift(size: Number, *, along: int | str | None = None, per: str = "recording") -> Block:
    """A straight line is added, from −height to height along the recording.

    Examples
    --------
    >>> drift(0.1, along="time")
    drift(height=normal(0, 0.1), along='time')
    """
    found = _sized("drift", size, lambda sd: normal(0.0, sd))
    return Block("drift", (("height", found),), per, along)


def noise(
    scale: Number,
    family: str = "gaussian",
    *,
    df: Number = 4.0,
    tau: Number | None = None,
    per: str = "recording",
) -> Block:
    """Noise at every point.

    Parameters
    ----------
    scale : float, Draw or str
        Standard deviation, or scale; of family "poisson", counts per unit of the signal.
    family : {"gaussian", "student", "laplace", "poisson", "coloured"}
    df : float
        Degrees of freedom of family "student".
    tau : float, optional
        Points after which coloured noise is forgotten.
    per : {"recording", "problem"}
        When a scale that is drawn is drawn.

    Examples
    --------
    >>> noise(0.1)
    gaussian(scale=0.1)
    >>> noise(0.1, "coloured", tau=20)
    coloured(scale=0.1, tau=20)
    """
    one_of(*FAMILIES)("family", family)
    if family == "poisson":
        return Block("poisson", (("counts", scale),), per)
    if family == "student":
        return Block("student", (("scale", scale), ("df", df)), per)
    if family == "coloured":
        if tau is None:
            raise Refusal("coloured noise: after how many points is it forgotten? pass tau=")
        return Block("coloured", (("scale", scale), ("tau", tau)), per)
    return Block(family, (("scale", scale),), per)


def outliers(share: Number, scale: Number, *, per: str = "recording") -> Block:
    """Normal noise of this scale on a share of the points.

    Examples
    --------
    >>> outliers(0.01, 5.0)
    outliers(share=0.01, scale=5)
    """
    return Block("outliers", (("share", share), ("scale", scale)), per)


def tilt(size: Number, *, along: int | str | None = None, per: str = "recording") -> Block:
    """Points with high, or with low values of the design are rarer, by exp(s · place).

    Places lie between −1 and 1, and s ~ normal(0, size). The points of a recording are chosen from
    four times as many.

    Examples
    --------
    >>> tilt(0.5, along="age")
    tilt(strength=normal(0, 0.5), along='age')
    """
    strength = _sized("tilt", size, lambda sd: normal(0.0, sd))
    return Block("tilt", (("strength", strength),), per, along)


def missing(share: float, *, run: int = 1) -> Block:
    """A share of the points is missing, in runs of so many neighbours.

    Examples
    --------
    >>> missing(0.2, run=10)
    missing(share=0.2, run=10)
    """
    if isinstance(share, Draw | str):
        raise WrongKind(f"missing: share must be a number; got {share!r}")
    return Block("missing", (("share", share), ("run", run)))


def jitter(*, per: str = "recording", **sizes: Number) -> Block:
    """Parameters of a simulator are multiplied: by exp(normal(0, size)), or by what is drawn.

    Examples
    --------
    >>> jitter(temperature=0.01)
    jitter(temperature=lognormal(1, 0.01))
    """
    if not sizes:
        raise Refusal("jitter: name a parameter of the simulator, as jitter(temperature=0.01)")
    return Block(
        JITTER,
        tuple(
            (name, _sized(name, size, lambda sd: lognormal(1.0, sd)))
            for name, size in sizes.items()
        ),
        per,
    )
