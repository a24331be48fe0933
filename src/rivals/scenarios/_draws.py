"""Numbers that are drawn: plain data, so that a scenario can be printed, compared and stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Any

import numpy as np

from rivals._core.setting import one_of
from rivals._core.texts import Refusal, WrongKind

# What the two numbers of each distribution are.
MEANS = {
    "uniform": ("low", "high"),
    "normal": ("mean", "standard deviation"),
    "lognormal": ("median", "standard deviation of the logarithm"),
    "loguniform": ("low", "high"),
}


@dataclass(frozen=True)
class Draw:
    """A number, or one of several values, that is drawn anew whenever it is called.

    Parameters
    ----------
    kind : {"uniform", "normal", "lognormal", "loguniform", "choice"}
    values : tuple
        Of the distribution: see the functions of these names; or what to choose from.

    Examples
    --------
    >>> import numpy as np
    >>> from rivals.scenarios import normal
    >>> normal(0.0, 0.1), round(normal(0.0, 0.1)(np.random.default_rng(0)), 4)
    (normal(0, 0.1), 0.0126)
    """

    kind: str
    values: tuple[Any, ...]

    def __post_init__(self) -> None:
        one_of(*MEANS, "choice")("kind", self.kind)
        values = tuple(v.item() if isinstance(v, np.generic) else v for v in self.values)
        object.__setattr__(self, "values", values)
        if self.kind == "choice":
            if len(values) < 2 or not all(isinstance(v, str | int | float) for v in values):
                raise Refusal(f"choice: name two numbers or texts, or more; got {list(values)}")
            return
        names = MEANS[self.kind]
        if len(values) != 2 or not all(_is_number(v) for v in values):
            raise WrongKind(f"{self.kind}: give {names[0]} and {names[1]}; got {list(values)}")
        first, second = values
        if self.kind.startswith("log") and first <= 0.0:
            raise Refusal(f"{self.kind}: {names[0]} must be above 0; got {first:g}")
        if self.kind.endswith("uniform") and second <= first:
            raise Refusal(f"{self.kind}: high must be above low; got {first:g} and {second:g}")
        if self.kind.endswith("normal") and second <= 0.0:
            raise Refusal(f"{self.kind}: {names[1]} must be above 0; got {second:g}")

    def __call__(self, rng: np.random.Generator) -> Any:
        """One value."""
        if self.kind == "choice":
            return self.values[rng.integers(len(self.values))]
        first, second = self.values
        if self.kind == "lognormal":
            return float(np.exp(rng.normal(np.log(first), second)))
        if self.kind == "loguniform":
            return float(np.exp(rng.uniform(np.log(first), np.log(second))))
        return float(getattr(rng, self.kind)(first, second))

    def __repr__(self) -> str:
        shown = (v if isinstance(v, str) else f"{v:.6g}" for v in self.values)
        return f"{self.kind}({', '.join(shown)})"


# A number, one that is drawn, or the name of a parameter of the truth.
Number = float | Draw | str


def uniform(low: float, high: float) -> Draw:
    """Between two limits, each value as probable as the other.

    Examples
    --------
    >>> uniform(0.8, 1.2)
    uniform(0.8, 1.2)
    """
    return Draw("uniform", (low, high))


def normal(mean: float, sd: float) -> Draw:
    """About a mean, with a standard deviation.

    Examples
    --------
    >>> normal(0.0, 0.02)
    normal(0, 0.02)
    """
    return Draw("normal", (mean, sd))


def lognormal(median: float, sd: float) -> Draw:
    """About a median, with the standard deviation of the logarithm.

    Examples
    --------
    >>> lognormal(1.0, 0.05)
    lognormal(1, 0.05)
    """
    return Draw("lognormal", (median, sd))


def loguniform(low: float, high: float) -> Draw:
    """Between two limits, each order of magnitude as probable as the other.

    Examples
    --------
    >>> loguniform(0.02, 0.08)
    loguniform(0.02, 0.08)
    """
    return Draw("loguniform", (low, high))


def choice(*values: float | str) -> Draw:
    """One of several numbers or texts.

    Examples
    --------
    >>> choice("Hill", "exponential")
    choice(Hill, exponential)
    """
    return Draw("choice", values)


def plain(number: Number) -> Any:
    """A number for JSON: itself, {"draw": …}, or {"parameter": …}."""
    if isinstance(number, Draw):
        return {"draw": number.kind, "values": list(number.values)}
    return {"parameter": number} if isinstance(number, str) else number


def from_plain(found: Any) -> Number:
    """What `plain` gave."""
    if isinstance(found, Mapping):
        if set(found) == {"draw", "values"} and isinstance(found["values"], Sequence):
            return Draw(found["draw"], tuple(found["values"]))
        if set(found) == {"parameter"}:
            return str(found["parameter"])
    if not _is_number(found):
        raise Refusal(f"expected a number, a draw or a parameter; got {found!r}")
    return float(found)


def _is_number(value: Any) -> bool:
    return (
        isinstance(value, int | float | np.number)
        and not isinstance(value, bool)
        and isfinite(value)
    )
