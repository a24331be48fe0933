"""What a calibration study is: its epistemic distributions and sizes, and the identity a store keeps of them."""

from __future__ import annotations

import ast
import dataclasses
import functools
import hashlib
import inspect
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

import numpy as np

from rivals._checks import check_depth, check_name, check_positive, check_size
from rivals.calibration.experiment import ALGORITHM, Experiment, Sizes

Omega = Callable[[np.random.Generator], Experiment]


@dataclass(frozen=True)
class Study:
    """Epistemic distributions by name, sizes, entropy and the unit of the loss."""

    omegas: Mapping[str, Omega]
    sizes: Sizes
    entropy: int
    loss_unit: str | None

    @property
    def names(self) -> tuple[str, ...]:
        """The epistemic distributions, in the order given."""
        return tuple(self.omegas)

    def identity(self) -> dict[str, Any]:
        """What must agree for two runs to belong together, as plain numbers and text."""
        return {
            "algorithm": ALGORITHM,
            "entropy": str(self.entropy),  # larger than what JSON readers elsewhere can hold
            "loss_unit": self.loss_unit,
            **dataclasses.asdict(self.sizes) | {"c": list(self.sizes.c)},
            "omegas": {name: fingerprint(omega) for name, omega in self.omegas.items()},
        }


def make_study(
    omegas: Mapping[str, Omega] | Omega,
    c: Sequence[float],
    n_data: int,
    n_synthetic: int | None,
    n_truth: int,
    n_draws: int,
    depth: int | None,
    entropy: int,
    loss_unit: str | None,
) -> Study:
    """Check what a study is made of."""
    named = omegas if isinstance(omegas, Mapping) else {getattr(omegas, "__name__", "omega"): omegas}
    if not named:
        raise ValueError("calibrate needs at least one epistemic distribution; got an empty mapping")
    for name, omega in named.items():
        check_name(name)
        if not callable(omega):
            raise TypeError(
                f"epistemic distribution {name!r} must be a function rng → Experiment; got {type(omega).__name__}"
            )
    try:
        values = tuple(check_positive(value, f"c[{place}]") for place, value in enumerate(c))
    except TypeError as error:
        raise TypeError(f"c must be a sequence of numbers ({error})") from None
    if not values or len(set(values)) != len(values):
        raise ValueError(f"c must be one or more different values; got {list(values)}")
    n_data = check_size(n_data, "n_data", least=2)
    sizes = Sizes(
        c=tuple(sorted(values)),
        n_data=n_data,
        n_synthetic=n_data if n_synthetic is None else check_size(n_synthetic, "n_synthetic", least=2),
        n_truth=check_size(n_truth, "n_truth", least=2),
        n_draws=check_size(n_draws, "n_draws", least=2),
        depth=None if depth is None else check_depth(depth),
    )
    return Study(dict(named), sizes, entropy, loss_unit)


def differences(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """Sentences on what differs between two identities."""
    found = []
    for key in sorted(set(stored) | set(wanted)):
        old, new = stored.get(key), wanted.get(key)
        if old == new:
            continue
        if key == "omegas":
            old, new = old or {}, new or {}
            if list(old) != list(new):
                found.append(f"epistemic distributions: the store has {list(old)}, this run {list(new)}")
            else:
                changed = [name for name in old if old[name] != new[name]]
                found.append(f"the code or the settings of epistemic distribution(s) {changed} changed")
        else:
            found.append(f"{key}: the store has {old!r}, this run {new!r}")
    return found


def fingerprint(function: Any) -> str:
    """A digest of what a function does: its syntax tree and the plain values that it captured.

    Comments and layout do not count. Objects that are not plain data enter by their type alone: what they hold is
    the user's to keep the same.
    """
    return hashlib.sha256("\n".join(_describe(function, depth=0)).encode()).hexdigest()[:16]


def _describe(thing: Any, depth: int) -> list[str]:
    if depth > 6:
        return ["…"]
    if isinstance(thing, functools.partial):
        return ["partial", *_describe([thing.func, thing.args, thing.keywords], depth + 1)]
    if isinstance(thing, FunctionType):
        captured = [] if thing.__closure__ is None else [_contents(cell) for cell in thing.__closure__]
        return [
            thing.__name__,
            _syntax(thing),
            *_describe([captured, thing.__defaults__, thing.__kwdefaults__], depth + 1),
        ]
    if isinstance(thing, np.ndarray):
        return [str(thing.dtype), str(thing.shape), hashlib.sha256(np.ascontiguousarray(thing).tobytes()).hexdigest()]
    if thing is None or isinstance(thing, (bool, int, float, complex, str, bytes, np.generic)):
        return [repr(thing)]
    if isinstance(thing, Mapping):
        return [line for key, value in thing.items() for line in (repr(key), *_describe(value, depth + 1))]
    if isinstance(thing, (list, tuple)):
        return [str(len(thing)), *(line for value in thing for line in _describe(value, depth + 1))]
    kind = type(thing)
    lines = [f"{kind.__module__}.{kind.__qualname__}"]
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        for field in dataclasses.fields(thing):
            lines += [field.name, *_describe(getattr(thing, field.name), depth + 1)]
    return lines


def _contents(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not yet filled, as for a function that refers to itself
        return None


def _syntax(function: FunctionType) -> str:
    try:
        return ast.dump(ast.parse(textwrap.dedent(inspect.getsource(function))))
    except (OSError, TypeError, SyntaxError, IndentationError):  # typed at a prompt, or a lambda amid an expression
        return _bytecode(function.__code__)


def _bytecode(code: CodeType) -> str:
    constants = [_bytecode(item) if isinstance(item, CodeType) else repr(item) for item in code.co_consts]
    return "|".join([code.co_code.hex(), *constants, *code.co_names])
