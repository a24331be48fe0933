"""A digest of what a function does, by which a store knows the study that it belongs to."""

from __future__ import annotations

import ast
import dataclasses
import functools
import hashlib
import inspect
import textwrap
from collections.abc import Mapping
from types import CellType, CodeType, FunctionType
from typing import Any

import numpy as np

DEEPEST = 6  # what is captured within captured values, beyond so many levels, does not count


def fingerprint(function: Any) -> str:
    """A digest of a function: of its syntax tree, and of the plain values that it captured.

    Comments and layout do not count. Objects that are not plain data enter by their type alone: what they hold is
    the user's to keep the same.

    Examples
    --------
    >>> def power(exponent):
    ...     return lambda x: x**exponent
    >>> fingerprint(power(2)) == fingerprint(power(2)), fingerprint(power(2)) == fingerprint(power(3))
    (True, False)
    """
    return hashlib.sha256("\n".join(_describe(function, depth=0)).encode()).hexdigest()[:16]


def _describe(value: Any, depth: int) -> list[str]:
    if depth > DEEPEST:
        return ["…"]
    if isinstance(value, functools.partial):
        return ["partial", *_describe([value.func, value.args, value.keywords], depth + 1)]
    if isinstance(value, FunctionType):
        captured = [] if value.__closure__ is None else [_contents(cell) for cell in value.__closure__]
        return [
            value.__name__,
            _syntax(value),
            *_describe([captured, value.__defaults__, value.__kwdefaults__], depth + 1),
        ]
    if isinstance(value, np.ndarray):
        return [str(value.dtype), str(value.shape), hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()]
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes, np.generic)):
        return [repr(value)]
    if isinstance(value, Mapping):
        return [line for key, item in value.items() for line in (repr(key), *_describe(item, depth + 1))]
    if isinstance(value, (list, tuple)):
        return [str(len(value)), *(line for item in value for line in _describe(item, depth + 1))]
    kind = type(value)
    lines = [f"{kind.__module__}.{kind.__qualname__}"]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            lines += [field.name, *_describe(getattr(value, field.name), depth + 1)]
    return lines


def _contents(cell: CellType) -> Any:
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
