"""What is said of a result, as data: a code, its values, and under which settings it was "
"measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, is_dataclass
from inspect import signature
from typing import Any

from rivals._core.decided import Decided
from rivals._result import sentences
from rivals._result.renderers import plain


@dataclass(frozen=True)
class Measured:
    """For which settings something was measured; the law says whether it was for itself."""

    setting: Mapping[str, Any]

    def fits(self, result: Decided) -> bool:
        """Whether a result is such a one."""
        asked = {name: getattr(result.setting, name) for name in self.setting}
        recorded = result.method.recorded_as(result.summary, result.setting)
        return asked == dict(self.setting) and recorded is not None


@dataclass(frozen=True)
class Claim:
    """One sentence before it is written.

    Attributes
    ----------
    code : str
        As "small_lead"; `rivals._result.sentences` has the words.
    values : dict
        What it is said of.
    measured : Measured or None
        Of a rate on real data, under which settings.
    """

    code: str
    values: Mapping[str, Any] = field(default_factory=dict)
    measured: Measured | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"code": self.code, "values": {name: _plain(v) for name, v in self.values.items()}}


def claim(
    sentence: Callable[..., str], *values: Any, measured: Measured | None = None, **more: Any
) -> Claim:
    """A claim that a function of `sentences` writes."""
    bound = signature(sentence).bind(*values, **more).arguments
    return Claim(sentence.__name__, bound, measured)


def written(result: Decided, claims: Iterable[Claim]) -> list[str]:
    """The sentences; refuses what was measured under other settings than those of the result."""
    found = []
    for each in claims:
        if each.measured is not None and not each.measured.fits(result):
            raise ValueError(
                f"{each.code} was measured for {dict(each.measured.setting)}, and this result is "
                f"of {result.setting}; please report this"
            )
        found.append(getattr(sentences, each.code)(**each.values))
    return found


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return plain(float(value)) if isinstance(value, float) else value
