"""A digest of what a function does, by which a store knows the study that it belongs to.

It follows what the function reaches: helper functions and constants of its module and of other modules of the user, captured
values, the state of objects, the object of a bound method. Installed packages and the standard library enter by name only.
docs/calibration-cluster.md lists what no digest can see.
"""

from __future__ import annotations

import dataclasses
import dis
import functools
import hashlib
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

DEEPEST = 60  # deeper nesting does not count
ATOMS = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), type(NotImplemented))
# Entries of a class that Python makes on demand, or that depend on the layout of the file.
PASSING = {"__module__", "__doc__", "__dict__", "__weakref__", "__slotnames__", "__annotations__", "__annotate__"}
PASSING |= {"__annotate_func__", "__annotations_cache__", "__static_attributes__", "__firstlineno__"}
# Generators of random numbers change with every use, and experiments get theirs from us.
CHANGING = (np.random.Generator, np.random.RandomState, np.random.BitGenerator, np.random.SeedSequence)


def fingerprint(function: Any) -> str:
    """One digest of a function and of everything that it reaches. Comments and layout do not count.

    Examples
    --------
    >>> def power(exponent):
    ...     return lambda x: x**exponent
    >>> fingerprint(power(2)) == fingerprint(power(2)), fingerprint(power(2)) == fingerprint(power(3))
    (True, False)
    """
    return _digest([f"{name} {digest}" for name, digest in sorted(parts_of(function).items())])


def parts_of(function: Any) -> dict[str, str]:
    """The digest of a function, and one of each thing that it reaches by name, to tell what changed.

    Examples
    --------
    >>> def doubled(x):
    ...     return 2 * halved(4 * x)
    >>> def halved(x):
    ...     return x / 2
    >>> doubled.__globals__.update(halved=halved)
    >>> list(parts_of(doubled))
    ['the function itself', 'halved']
    """
    return Reach(function).parts


class Reach:
    """What a function reaches, part by part."""

    def __init__(self, root: Any) -> None:
        self.parts: dict[str, str] = {}
        self._root = root
        self._module = getattr(root, "__module__", None) or type(root).__module__
        self._known: dict[int, tuple[Any, str]] = {}  # with the objects, whose addresses are not to be given away again
        self._path: set[int] = set()
        self._part("the function itself", root)

    def _part(self, name: str, value: Any) -> str:
        if name not in self.parts:
            self.parts[name] = ""  # functions may call each other in circles
            self.parts[name] = _digest(self._describe(value))
        return f"→ {name}"

    def _describe(self, value: Any) -> list[str]:
        """Lines that are the same for the same value, in every process."""
        if isinstance(value, ATOMS):
            return [f"{type(value).__name__} {value!r}"]
        if id(value) in self._path or len(self._path) > DEEPEST:
            return ["…"]
        if id(value) not in self._known:
            self._path.add(id(value))
            try:
                self._known[id(value)] = (value, _digest(self._contents(value)))
            finally:
                self._path.remove(id(value))
        return [self._known[id(value)][1]]

    def _contents(self, value: Any) -> list[str]:
        if isinstance(value, FunctionType):
            return self._function(value)
        if isinstance(value, MethodType):
            return ["method", *self._describe(value.__func__), *self._describe(value.__self__)]
        if isinstance(value, BuiltinFunctionType):
            owner = value.__self__
            return [value.__qualname__, *([] if isinstance(owner, ModuleType) else self._describe(owner))]
        if isinstance(value, CodeType):
            return self._code(value)
        if isinstance(value, ModuleType):
            return ["module", value.__name__]
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, np.generic):
            return [str(value.dtype), value.tobytes().hex()]
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, functools.partial):
            return ["partial", *self._all(value.func, value.args, value.keywords)]
        if type(value) in (list, tuple):
            return [type(value).__name__, *self._all(*value)]
        if isinstance(value, (set, frozenset)):
            return [type(value).__name__, *sorted("".join(self._describe(item)) for item in value)]
        if isinstance(value, Mapping):
            return [type(value).__name__, *(line for pair in value.items() for line in self._all(*pair))]
        return self._object(value)

    def _all(self, *values: Any) -> list[str]:
        return [line for value in values for line in self._describe(value)]

    # ---------------------------------------------------------------- functions and classes

    def _function(self, function: FunctionType) -> list[str]:
        if function is not self._root and self._is_library(function.__module__):
            return ["function", f"{function.__module__}.{function.__qualname__}"]
        captured = [_content(cell) for cell in function.__closure__ or ()]
        lines = ["function", function.__name__, *self._code(function.__code__)]
        lines += self._all(captured, function.__defaults__, function.__kwdefaults__, vars(function))
        names = set(_names(function.__code__))
        for name in sorted(_global_names(function.__code__)):
            if name in function.__globals__:
                lines += self._global(function, name, names)
        return lines

    def _global(self, function: FunctionType, name: str, names: set[str]) -> Iterator[str]:
        """What a name in the module of a function stands for; of a module, only what is used."""
        value = function.__globals__[name]
        if not isinstance(value, ModuleType):
            yield self._part(self._name(function.__module__, name), value)
        elif self._is_library(value.__name__):
            yield f"→ {value.__name__}"
        else:
            for attribute in sorted(names & set(vars(value))):
                yield self._part(self._name(value.__name__, attribute), getattr(value, attribute))

    def _code(self, code: CodeType) -> list[str]:
        """The instructions as they run, which the text of a file, edited since, may not be."""
        return [
            code.co_code.hex(),
            *map(str, (code.co_argcount, code.co_kwonlyargcount, code.co_flags)),
            *code.co_names,
            *code.co_varnames,
            *self._all(*code.co_consts),
        ]

    def _class(self, kind: type) -> list[str]:
        lines = ["class", self._name(kind.__module__, kind.__qualname__)]
        if self._is_library(kind.__module__):
            return lines
        for name, member in sorted(vars(kind).items()):
            if name in PASSING:
                continue
            inner = getattr(member, "__func__", None) or getattr(member, "fget", None) or getattr(member, "func", None)
            if isinstance(inner or member, (FunctionType, type, *ATOMS, list, tuple, dict, set, frozenset, np.ndarray)):
                lines += [name, *self._describe(inner or member)]
        return [*lines, *self._all(*kind.__bases__)]

    # ---------------------------------------------------------------- data

    def _array(self, array: Any) -> list[str]:
        if array.dtype.hasobject:
            return ["array", str(array.shape), *self._all(*array.ravel().tolist())]
        mask = self._array(np.ma.getmaskarray(array)) if np.ma.isMaskedArray(array) else []
        content = np.ascontiguousarray(np.asarray(array)).tobytes()
        return ["array", str(array.dtype), str(array.shape), hashlib.sha256(content).hexdigest(), *mask]

    def _object(self, value: Any) -> list[str]:
        """An object by its class and by what it holds, which is what pickle would write."""
        kind = type(value)
        lines = self._describe(kind)
        inner = getattr(value, "__wrapped__", None) or getattr(value, "py_func", None)  # of functools, JAX, Numba
        if callable(inner):
            return [*lines, *self._describe(inner)]
        if isinstance(value, CHANGING):
            return lines
        if dataclasses.is_dataclass(value):
            return [
                *lines,
                *self._all(*((field.name, getattr(value, field.name)) for field in dataclasses.fields(value))),
            ]
        if hasattr(value, "__array__"):
            return [*lines, *self._tensor(value)]
        try:
            reduced = value.__reduce_ex__(4)
        except Exception:  # locks, files, connections: what cannot be sent to workers either
            return lines
        if isinstance(reduced, str):
            return [*lines, reduced]
        make, arguments, state, items, pairs = (*reduced, None, None, None)[:5]
        if isinstance(state, dict):
            # Cached attributes may be there or not.
            state = {
                k: v for k, v in state.items() if not isinstance(getattr(kind, k, None), functools.cached_property)
            }
        return [
            *lines,
            getattr(make, "__qualname__", ""),
            *self._all(
                arguments, state, None if items is None else list(items), None if pairs is None else dict(pairs)
            ),
        ]

    def _tensor(self, value: Any) -> list[str]:
        """Tables, and tensors of other libraries: their numbers, and what these are named by."""
        try:
            plain = value.detach().cpu() if hasattr(value, "detach") else value
            named = [np.asarray(getattr(value, name)) for name in ("index", "columns") if hasattr(value, name)]
            return self._all(np.asarray(plain), *named)
        except Exception:
            return []

    # ---------------------------------------------------------------- names

    def _name(self, module: str | None, name: str) -> str:
        """A script run and the same script imported are the same: names of the own module stand alone."""
        return name if module in (self._module, None, "__main__") else f"{module}.{name}"

    def _is_library(self, module: str | None) -> bool:
        """Whether a module belongs to Python, to rivals or to an installed package other than that of the function."""
        top = (module or "").partition(".")[0]
        if top in ("", "__main__"):
            return False
        if top == "rivals" or top in sys.stdlib_module_names:
            return True
        if top == (self._module or "").partition(".")[0]:
            return False
        file = getattr(sys.modules.get(module or ""), "__file__", None) or getattr(
            sys.modules.get(top), "__file__", None
        )
        return file is not None and str(file).startswith(INSTALLED)


INSTALLED = tuple({sysconfig.get_path(name) for name in ("purelib", "platlib", "stdlib")})


def _digest(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode("utf-8", "backslashreplace")).hexdigest()[:16]


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not yet filled, as for a function that refers to itself
        return None


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names(inner)


def _global_names(code: CodeType) -> set[str]:
    """Names that a function, or one within it, looks up in its module."""
    names = {step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            names |= _global_names(inner)
    return names
