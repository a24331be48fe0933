"""By what a store knows its study: the files of its functions, and what lives only in memory.

Every module of the user that a function reaches counts as a whole, file by file. Of a notebook or a
script that is run, which also holds the call of `calibrate`, only what the function reaches counts.
Everywhere values count that no file shows: what functions captured, the state of objects,
constants. Installed packages and the standard library enter by name. docs/calibration-cluster.md
lists what no digest can see.
"""

from __future__ import annotations

import copyreg
import dis
import functools
import hashlib
import inspect
from collections.abc import Iterable, Iterator
from contextlib import suppress
from types import CellType, CodeType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any

import numpy as np

from rivals.calibration.sources import IMPORTING, digest_of, find_file, is_library, read_source

DEEPEST = 60  # what is nested deeper is described later: Python does not go down without end
ATOMS = (bool, int, float, complex, str, type(None), type(Ellipsis), type(NotImplemented))
# Entries of a class that Python makes on demand, or that depend on the layout of the file.
PASSING = {
    "__module__",
    "__doc__",
    "__dict__",
    "__weakref__",
    "__slotnames__",
    "__annotations__",
    "__annotate__",
    "__annotate_func__",
    "__annotations_cache__",
    "__static_attributes__",
    "__firstlineno__",
}
# Generators of random numbers change with every use, and experiments get theirs from us.
RANDOM = (
    np.random.Generator,
    np.random.RandomState,
    np.random.BitGenerator,
    np.random.SeedSequence,
)
WEAK = ("weakref", "_weakrefset")  # modules of weak references, which make caches
# By these a function may reach what it names in a text: other modules, and anything in its own. A
# script then counts as a whole, too.
BY_TEXT = {"globals", "eval", "exec", "vars", *IMPORTING}
# What properties, and compiled and cached functions of functools, JAX and Numba are made of.
WRAPPED = ("__wrapped__", "fget", "fset", "fdel", "py_func", "targetoptions")
EMPTY = CellType()  # of a variable that is not yet there


def parts_of(function: Any) -> dict[str, str]:
    """A digest of a function, of each file, and of each thing that it reaches by name.

    They tell what changed.

    Examples
    --------
    >>> def doubled(x):
    ...     return 2 * halved(4 * x)
    >>> def halved(x):
    ...     return x / 2
    >>> doubled.__globals__.update(halved=halved, __name__="notebook")
    >>> list(parts_of(doubled))
    ['the function itself', 'halved']
    """
    return Reach(function).parts


class Reach:
    """What a function reaches, part by part."""

    def __init__(self, root: Any) -> None:
        self.parts: dict[str, str] = {}
        self._module = getattr(root, "__module__", None) or type(root).__module__
        # With the objects, whose addresses are not to be given away again.
        self._known: dict[int, tuple[Any, str]] = {}
        self._depth = 0
        self._files: set[str] = set()
        self._deep: list[Any] = []
        self._modules: dict[str, ModuleType] = {}  # of the user, and in memory
        self._used: set[str] = set()  # names that functions look up, here or in other things
        self._late: set[str] = set()  # modules that functions import, which are in memory or not
        self._part("the function itself", root)
        while self._take_rest():
            pass

    def _part(self, name: str, value: Any) -> str:
        if isinstance(value, ModuleType):
            return self._describe(value)
        if name not in self.parts:
            self.parts[name] = ""  # functions may call each other in circles
            self.parts[name] = self._describe(value)
        return f"→ {name}"

    def _take_rest(self) -> bool:
        """Take what is nested deeply, and what functions may use of the modules that they reach.

        However these are handed on. Returns whether anything was new.
        """
        before = (len(self.parts), len(self._modules))
        for value in self._deep:  # which may grow meanwhile
            self._part(f"nested deeply: {self._describe(value)}", None)
        for own, module in list(self._modules.items()):
            for name in sorted(self._used):
                self._take_from(own, module, name)
        return before != (len(self.parts), len(self._modules))

    def _take_from(self, own: str, module: ModuleType, name: str) -> None:
        """Take what a module of the user has under a name, and the module that this may be."""
        self._follow(f"{own}.{name}")
        contents = vars(module)
        if name not in contents:
            return
        late = f"{own}.{name}" in self._late or "__getattr__" in contents
        if not (late and isinstance(contents[name], ModuleType)):
            self._part(self._name(own, name), contents[name])

    # ---------------------------------------------------------------- what lives in memory

    def _describe(self, value: Any) -> str:
        """A text that is the same for the same value, in every process."""
        if type(value) in ATOMS:
            return digest_of([f"{type(value).__name__} {value!r}"])
        if type(value) is bytes:
            return hashlib.sha256(value).hexdigest()[:16]
        if id(value) not in self._known:
            if self._depth > DEEPEST:
                self._deep.append(value)
                return "…"
            self._known[id(value)] = (value, "…")  # for what it holds of itself
            self._depth += 1
            self._known[id(value)] = (value, digest_of(self._contents(value)))
            self._depth -= 1
        return self._known[id(value)][1]

    def _all(self, *values: Any) -> Iterator[str]:
        return map(self._describe, values)

    def _contents(self, value: Any) -> Iterable[str]:
        if isinstance(value, FunctionType):
            return self._function(value)
        if isinstance(value, CodeType):
            return self._code(value)
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, ModuleType):
            return self._module_named(value)
        if isinstance(value, MethodType):
            return self._all(value.__func__, value.__self__)
        if type(value) in (list, tuple):
            return [type(value).__name__, *self._all(*value)]
        if type(value) in (dict, MappingProxyType):
            return ["dict", *(text for pair in value.items() for text in self._all(*pair))]
        if isinstance(value, (set, frozenset)):
            kind = self._all(type(value), getattr(value, "__dict__", None))
            return [*kind, *sorted(self._all(*value))]
        return self._object(value)

    def _module_named(self, module: ModuleType) -> list[str]:
        self._follow(module.__name__)
        if not self._is_library(module.__name__):
            self._modules[module.__name__] = module
        return ["module", module.__name__]

    def _function(self, function: FunctionType) -> Iterator[str]:
        module = function.__globals__.get("__name__")
        yield f"function {function.__name__}"
        # Single dispatch: the rest of it is a cache.
        if module == "functools" and hasattr(function, "registry"):
            yield self._describe(function.registry)
            return
        filled = [cell for cell in function.__closure__ or () if cell != EMPTY]
        yield from self._all(*(cell.cell_contents for cell in filled), vars(function))
        if self._is_library(module):
            yield f"{module}.{function.__qualname__}"
            return
        self._follow(module)
        yield from self._all(function.__code__, function.__defaults__, function.__kwdefaults__)
        yield from self._looked_up_by(function, module)

    def _looked_up_by(self, function: FunctionType, module: str | None) -> Iterator[str]:
        """What the instructions of a function name: global things, modules, attributes."""
        codes = list(_codes(function.__code__))
        used = {name for code in codes for name in code.co_names}
        texts = {text for code in codes for text in code.co_consts if isinstance(text, str)}
        named = _looked_up(codes, "LOAD_GLOBAL", "LOAD_NAME")
        imported = _looked_up(codes, "IMPORT_NAME")
        if used & BY_TEXT:
            self._follow(module, whole=True)
            named |= texts
            imported |= texts
        self._used |= used
        if "getattr" in used:
            self._used |= texts
        for name in sorted(named & set(function.__globals__)):
            yield self._part(self._name(function.__module__, name), function.__globals__[name])
        for name in imported:
            for each in (name, *(f"{name}.{part}" for part in used)):
                self._follow(each)
                self._late.add(each)

    def _code(self, code: CodeType) -> Iterator[str]:
        """The instructions as they run, which the text of a file, edited since, may not be."""
        yield code.co_code.hex()
        yield getattr(code, "co_exceptiontable", b"").hex()
        yield str(code.co_argcount)
        yield str(code.co_posonlyargcount)
        yield str(code.co_kwonlyargcount)
        yield str(code.co_flags)
        yield from (*code.co_names, *code.co_varnames, *code.co_freevars, *code.co_cellvars)
        yield from self._all(*code.co_consts)

    def _class(self, kind: type) -> Iterator[str]:
        yield f"class {self._name(kind.__module__, kind.__qualname__)}"
        if not self._is_library(kind.__module__):
            self._follow(kind.__module__)
            yield from self._all(type(kind), *kind.__bases__)
            lasting = sorted(set(vars(kind)) - PASSING)
            yield self._describe({name: vars(kind)[name] for name in lasting})

    def _object(self, value: Any) -> Iterator[str]:
        """An object by its class and by what it holds, which is what pickle would write."""
        kind: Any = type(value)
        yield self._describe(kind)
        if isinstance(value, RANDOM) or kind.__module__ in WEAK:
            return
        library = self._is_library(kind.__module__)
        is_array = isinstance(value, (np.ndarray, np.generic))
        if library and hasattr(value, "__array__") and not is_array:
            with suppress(Exception):  # not an array after all
                yield from self._tensor(value)
                return
        wrapped = []
        for name in WRAPPED:
            if inspect.getattr_static(value, name, None) is not None:
                wrapped.append(getattr(value, name))
        yield from self._all(*wrapped)
        # What JAX and Numba would have pickle write holds folders, and numbers of the process.
        if wrapped and library and _has_own_pickle(kind):
            return
        for part in _pickled_parts(value, kind):
            yield self._describe(part)

    def _tensor(self, value: Any) -> list[str]:
        """Tables, and tensors of other libraries: their numbers, and what these are named by."""
        plain = value.detach().cpu() if hasattr(value, "detach") else value
        named = []
        for name in ("index", "columns"):
            if hasattr(value, name):
                named.append(np.asarray(getattr(value, name)))
        coordinates = dict(getattr(value, "coords", {}))
        for name, each in coordinates.items():
            coordinates[name] = np.asarray(each)
        return list(self._all(np.asarray(plain), *named, coordinates))

    # ---------------------------------------------------------------- files

    def _follow(self, module: str | None, *, whole: bool = False) -> None:
        """Take the file of a module of the user, and those of all modules that it imports.

        Here or within functions.
        """
        module = module or ""
        key = f"{module}!" if whole else module
        is_name = module.replace(".", "_").isidentifier()
        if key in self._files or not is_name or self._is_library(module):
            return
        self._files.add(key)
        file = find_file(module)
        if file is None or not file.is_file():
            return
        source = read_source(file.read_bytes(), module, file.stem == "__init__")
        if whole or module != "__main__":
            of_module = f" of module {module}" if "." in module else ""
            self.parts[f"the file {file.name}{of_module}"] = source.digest
        for name in source.imports:
            self._follow(name)

    def _is_library(self, module: str | None) -> bool:
        return is_library(module, self._module)

    def _name(self, module: str | None, name: str) -> str:
        """Names of the own module stand alone."""
        return name if module in (self._module, None, "__main__") else f"{module}.{name}"


def _has_own_pickle(kind: Any) -> bool:
    """Whether a class says itself what pickle writes."""
    default = (object.__reduce__, object.__getstate__)
    return (kind.__reduce__, kind.__getstate__) != default


def _pickled_parts(value: Any, kind: Any) -> Iterator[Any]:
    """What pickle would write of an object, without what is cached."""
    try:
        if kind in copyreg.dispatch_table:
            reduced = copyreg.dispatch_table[kind](value)
        else:
            reduced = value.__reduce_ex__(4)
    except Exception:  # locks, files, connections: what cannot be sent to workers either
        reduced = ""
    by_name = isinstance(reduced, str)
    state = None
    if by_name or isinstance(value, np.ndarray):
        state = getattr(value, "__dict__", None)
    parts = [reduced] if by_name else list(reduced)
    for part in (state, *parts):
        if isinstance(part, dict):
            kept = {name: held for name, held in part.items() if not _is_cache(kind, name)}
            yield kept or None
        elif isinstance(part, Iterator):
            yield list(part)
        else:
            yield part


def _is_cache(kind: type, name: Any) -> bool:
    """Whether an attribute is a cached one, which may be there or not."""
    return isinstance(getattr(kind, str(name), None), functools.cached_property)


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of a function and of those within it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def _looked_up(codes: Iterable[CodeType], *instructions: str) -> set[str]:
    """The names that some instructions of a function, or of one within it, refer to."""
    found = set()
    for code in codes:
        for step in dis.get_instructions(code):
            if step.opname in instructions:
                found.add(step.argval)
    return found
