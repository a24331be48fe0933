"""Every option of a comparison, with its default, its meaning and its check, in one place.

The options of the command line, `to_dict` and what a saved file holds are made from the fields of
`Setting`; the signature of `compare` is written by hand, for editors, and a test compares it. A new
option is one more field, and its use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from difflib import get_close_matches
from math import inf, isfinite
from typing import Any, Literal, TypeAlias, TypedDict, Unpack

from rivals._core.texts import Refusal, WrongKind, either, opt

Check = Callable[[str, Any], Any]


def option(default: Any, meaning: str, check: Check) -> Any:
    """A field with its meaning, for help and documentation, and its check."""
    return field(default=default, metadata={"meaning": meaning, "check": check})


def number(low: float, high: float, *, least: bool = True, most: bool = True) -> Check:
    """A finite number from `low` to `high`; `least` and `most` say whether these will do."""

    def check(name: str, value: Any) -> float:
        try:
            found = float(value)
        except (TypeError, ValueError):
            raise WrongKind(f"{opt[name]} must be a number; got {value!r}") from None
        except OverflowError:  # a whole number that no float holds
            found = inf
        inside = isfinite(found) and low <= found <= high
        inside = inside and (least or found > low) and (most or found < high)
        if isinstance(value, bool) or not inside:
            above = "at least" if least else "above"
            below = "at most" if most else "below"
            limit = "" if high == inf else f" and {below} {high:g}"
            raise Refusal(f"{opt[name]} must be {above} {low:g}{limit}; got {value!r}")
        return value if isinstance(value, CalibratedC) else found

    return check


def optional(check: Check) -> Check:
    """None, or what another check lets pass."""
    return lambda name, value: None if value is None else check(name, value)


class Levels(dict[str, float]):
    """How many new levels of each factor a replication draws; 0 of one that it keeps.

    Examples
    --------
    >>> Levels(subject=30.0, item=0.0) == {"subject": 30, "item": 0}
    True
    """

    def __hash__(self) -> int:  # type: ignore[override]  # it is never changed
        return hash(frozenset(self.items()))


# Numbers of new groups, or of new levels of each factor.
HowMany: TypeAlias = float | Levels


def of_each(asked: HowMany | None, number: float) -> HowMany:
    """So many new groups; of several factors, of each that is not kept."""
    if not isinstance(asked, Levels):
        return number
    return Levels({factor: number if n else 0.0 for factor, n in asked.items()})


def new_levels(name: str, value: Any) -> HowMany:
    """A whole number of groups; or of the levels of each factor, where 0 are kept."""
    if not isinstance(value, Mapping):
        return whole_or_infinite(name, value)
    if not value:
        raise Refusal(f"{opt[name]} names no factor; leave it out, or say how many of which")
    checked = {
        str(factor): 0.0 if n == 0 else whole_or_infinite(f"{name}[{factor!r}]", n)
        for factor, n in value.items()
    }
    return Levels(checked)


def whole_or_infinite(name: str, value: Any) -> float:
    """A whole number of groups, one or more, or infinity."""
    found: float = inf if value == inf else number(1.0, inf)(name, value)
    if isfinite(found) and not found.is_integer():
        raise Refusal(
            f"{opt[name]} must be a whole number, or {either('math.inf', 'inf')}; got {value!r}"
        )
    return found


def seed(name: str, value: Any) -> int:
    """A whole number of any size, 0 or more."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise Refusal(f"{opt[name]} must be a whole number, 0 or more; got {value!r}")
    return value


def one_of(*words: str) -> Check:
    """One of a few words; a misspelt one is told what it may mean."""

    def check(name: str, value: Any) -> str:
        if value not in words:
            found = f"{_listed(words)}; got {value!r}{near(value, words)}"
            raise Refusal(f"{opt[name]} must be {found}")
        return str(value)

    return check


class CalibratedC(float):
    """A sensitivity c that a calibration chose, and how.

    Attributes
    ----------
    source : dict
        As the method, the rule, the number of experiments, the names of the scenarios.
    """

    source: dict[str, Any]

    def __new__(cls, value: float, source: Mapping[str, Any]) -> CalibratedC:
        """A number that remembers where it came from."""
        chosen = super().__new__(cls, value)
        chosen.source = dict(source)
        return chosen

    def __getnewargs__(self) -> tuple[float, dict[str, Any]]:  # type: ignore[override]
        """For copies, which workers in other processes get."""
        return float(self), self.source


class Options(TypedDict, total=False):
    """The fields of `Setting`, for type checkers: `at(**options)`."""

    c: float | None
    threshold: float
    margin: float
    new_groups: float | Mapping[str, float] | None
    level: float
    looks: Literal["any"] | None
    rng: int


@dataclass(frozen=True)
class Setting:
    """What a law is applied with, and a decision made with, beside the losses."""

    c: float | None = option(
        None,
        "sensitivity: how far a replication may move the risk, in units of the misfit; the "
        "method's own by default",
        optional(number(0.0, 1e100, least=False)),
    )
    threshold: float = option(
        0.95, "probability above which a winner is named", number(0.5, 1.0, least=False)
    )
    margin: float = option(
        0.0, "smallest difference that matters, in the unit of the loss", number(0.0, 1e150)
    )
    new_groups: HowMany | None = option(  # noqa: RUF009
        None,
        "number of new groups that the decision is about; as many as observed by default; of "
        "several factors that of each, 0 for one that is kept",
        optional(new_levels),
    )
    level: float = option(
        0.9, "probability of an interval", number(0.0, 1.0, least=False, most=False)
    )
    looks: Literal["any"] | None = option(
        None,
        '"any": the decision may be looked at after every new group',
        optional(one_of("any")),
    )
    rng: int = option(0, "seed of a method that draws", seed)

    def __post_init__(self) -> None:
        for each in fields(self):
            checked = each.metadata["check"](each.name, getattr(self, each.name))
            object.__setattr__(self, each.name, checked)

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Setting:
        """From named options; one that does not exist is named, with what it may mean."""
        known = [each.name for each in fields(cls)]
        for name in options:
            if name not in known:
                raise TypeError(f"there is no option {name!r}{_meant(name, known)}")
        return cls(**options)

    def but(self, **options: Unpack[Options]) -> Setting:
        """The same with some options changed."""
        return Setting.of({**self.__dict__, **options})

    def to_dict(self) -> dict[str, Any]:
        """Plain values; `Setting.from_dict(setting.to_dict())` is the same setting."""
        return {
            name: float(value) if name == "c" and value else _finite(value)
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Setting:
        """What `to_dict` gave."""
        return cls.of({name: _infinite(value) for name, value in plain.items()})


def _finite(value: Any) -> Any:
    """As JSON has it."""
    if isinstance(value, Mapping):
        return {name: _finite(each) for name, each in value.items()}
    return "inf" if value == inf else value


def _infinite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _infinite(each) for name, each in value.items()}
    return inf if value == "inf" else value


def _meant(given: Any, words: Any) -> str:
    return near(given, words) or f"; there are {_listed(words)}"


def near(given: Any, words: Any) -> str:
    """What a misspelt word may mean, for the end of a sentence."""
    found = get_close_matches(str(given), list(words), n=1)
    return f"; did you mean {found[0]!r}?" if found else ""


def _listed(words: Any) -> str:
    return ", ".join(repr(word) for word in words)
