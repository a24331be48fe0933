"""By what a store knows the study that it belongs to: the files that its functions come from, and what lives only in memory.

Every module of the user that a function reaches counts as a whole, file by file. Of a notebook or a script that is run, which
also holds the call of `calibrate`, only what the function reaches counts. Everywhere values count that no file
shows: what functions captured, the state of objects, constants. Installed packages and the standard library enter by name.
docs/calibration-cluster.md lists what no digest can see.
"""

from __future__ import annotations

import ast
import dis
import functools
import hashlib
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from importlib.machinery import PathFinder
from pathlib import Path
from types import CellType, CodeType, FunctionType, MappingProxyType, ModuleType
from typing import Any

import numpy as np

DEEPEST = 60  # deeper nesting does not count
ATOMS = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis), type(NotImplemented))
# Entries of a class that Python makes on demand, or that depend on the layout of the file.
PASSING = {"__module__", "__doc__", "__dict__", "__weakref__", "__slotnames__", "__annotations__", "__annotate__"}
PASSING |= {"__annotate_func__", "__annotations_cache__", "__static_attributes__", "__firstlineno__"}
# Generators of random numbers change with every use, and experiments get theirs from us.
CHANGING = (np.random.Generator, np.random.RandomState, np.random.BitGenerator, np.random.SeedSequence)
# By these a function may reach anything in its module: a script then counts as a whole, too.
BY_TEXT = {"globals", "eval", "exec", "vars", "modules", "import_module", "__import__"}
INSTALLED = tuple({sysconfig.get_path(name) for name in ("purelib", "platlib", "stdlib")})


def parts_of(function: Any) -> dict[str, str]:
    """A digest of a function, of each file, and of each thing that it reaches by name, to tell what changed.

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
        self._files: set[str] = set()
        self._part("the function itself", root)

    def _part(self, name: str, value: Any) -> str:
        if name not in self.parts:
            self.parts[name] = ""  # functions may call each other in circles
            self.parts[name] = self._describe(value)
        return f"→ {name}"

    # ---------------------------------------------------------------- what lives in memory

    def _describe(self, value: Any) -> str:
        """A text that is the same for the same value, in every process."""
        if isinstance(value, ATOMS):
            return _digest([f"{type(value).__name__} {value!r}"])
        if id(value) in self._path or len(self._path) > DEEPEST:
            return "…"
        if id(value) not in self._known:
            self._path.add(id(value))
            try:
                self._known[id(value)] = (value, _digest(self._contents(value)))
            finally:
                self._path.remove(id(value))
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
            self._follow(value.__name__)
            return ["module", value.__name__]
        if type(value) in (list, tuple):
            return [type(value).__name__, *self._all(*value)]
        if type(value) in (dict, MappingProxyType):
            return ["dict", *(text for pair in value.items() for text in self._all(*pair))]
        if isinstance(value, (set, frozenset)):
            return [type(value).__name__, *sorted(self._all(*value))]
        if isinstance(value, property):
            return self._all(value.fget, value.fset, value.fdel)
        return self._object(value)

    def _function(self, function: FunctionType) -> Iterator[str]:
        module = function.__globals__.get("__name__")
        yield f"function {function.__name__}"
        yield from self._all(*map(_content, function.__closure__ or ()), vars(function))
        if function is not self._root and self._is_library(module):
            yield f"{module}.{function.__qualname__}"
            return
        self._follow(module)
        yield from self._all(function.__code__, function.__defaults__, function.__kwdefaults__)
        used = {name for code in _codes(function.__code__) for name in code.co_names}
        if used & BY_TEXT:
            self._follow(module, whole=True)
        for name in sorted(_looked_up(function.__code__, "LOAD_GLOBAL", "LOAD_NAME") & set(function.__globals__)):
            yield from self._global(function, name, used)
        for name in _looked_up(function.__code__, "IMPORT_NAME"):
            for each in (name, *(f"{name}.{part}" for part in used)):
                self._follow(each)

    def _global(self, function: FunctionType, name: str, used: set[str]) -> Iterator[str]:
        """What a name in the module of a function stands for; of a module, what is used of it."""
        value = function.__globals__[name]
        if not isinstance(value, ModuleType):
            yield self._part(self._name(function.__module__, name), value)
            return
        yield f"→ {value.__name__}"
        if self._is_library(value.__name__):
            return
        self._follow(value.__name__)
        for attribute in sorted(used):
            self._follow(f"{value.__name__}.{attribute}")
            if attribute in vars(value):
                yield self._part(self._name(value.__name__, attribute), vars(value)[attribute])

    def _code(self, code: CodeType) -> Iterator[str]:
        """The instructions as they run, which the text of a file, edited since, may not be."""
        yield from (code.co_code.hex(), getattr(code, "co_exceptiontable", b"").hex())
        yield from map(str, (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags))
        yield from (*code.co_names, *code.co_varnames, *code.co_freevars, *code.co_cellvars)
        yield from self._all(*code.co_consts)

    def _class(self, kind: type) -> Iterator[str]:
        yield f"class {self._name(kind.__module__, kind.__qualname__)}"
        if not self._is_library(kind.__module__):
            self._follow(kind.__module__)
            yield from self._all(type(kind), *kind.__bases__)
            for name, member in sorted(vars(kind).items()):
                if name not in PASSING:
                    yield from (name, self._describe(member))

    def _object(self, value: Any) -> Iterator[str]:
        """An object by its class and by what it holds, which is what pickle would write."""
        kind = type(value)
        yield self._describe(kind)
        if isinstance(value, CHANGING):
            return
        if hasattr(value, "__array__") and not isinstance(value, (np.ndarray, np.generic)):
            yield from self._tensor(value)
            return
        try:
            reduced = value.__reduce_ex__(4)
        except Exception:  # locks, files, connections: what cannot be sent to workers either
            reduced = ()
        state = getattr(value, "__dict__", None) if isinstance(reduced, str) or not reduced else None
        for part in (state, *([reduced] if isinstance(reduced, str) else reduced)):
            if isinstance(part, dict):
                part = {name: held for name, held in part.items() if not _is_cache(kind, name)}
            yield self._describe(list(part) if isinstance(part, Iterator) else part)
        for name in ("__wrapped__", "py_func"):  # of functools, JAX, Numba
            if callable(inner := getattr(value, name, None)):
                yield self._describe(inner)

    def _tensor(self, value: Any) -> Iterable[str]:
        """Tables, and tensors of other libraries: their numbers, and what these are named by."""
        try:
            plain = value.detach().cpu() if hasattr(value, "detach") else value
            named = [np.asarray(getattr(value, name)) for name in ("index", "columns") if hasattr(value, name)]
            return list(self._all(np.asarray(plain), *named))
        except Exception:
            return []

    # ---------------------------------------------------------------- files

    def _follow(self, module: str | None, *, whole: bool = False) -> None:
        """Take the file of a module of the user, and those of all modules that it imports, here or within functions."""
        key = f"{module}!" if whole else f"{module}"
        if module is None or key in self._files or self._is_library(module):
            return
        self._files.add(key)
        file, _ = _find(module)
        if file is None or not file.is_file():
            return
        digest, imports = _read(file.read_bytes(), module, file.stem == "__init__")
        if whole or module != "__main__":
            self.parts[f"the file {file.name}" + (f" of module {module}" if "." in module else "")] = digest
        for name in imports:
            self._follow(name)

    def _is_library(self, module: str | None) -> bool:
        """Whether a module belongs to Python, to rivals or to an installed package other than that of the function."""
        top = (module or "").partition(".")[0]
        if top in ("", "__main__"):
            return False
        if top == "rivals" or top in sys.stdlib_module_names:
            return True
        if top == (self._module or "").partition(".")[0]:
            return False
        file = _find(module or "")[0] or _find(top)[0]
        parts = () if file is None else file.parts
        return "site-packages" in parts or "dist-packages" in parts or str(file).startswith(INSTALLED)

    def _name(self, module: str | None, name: str) -> str:
        """Names of the own module stand alone."""
        return name if module in (self._module, None, "__main__") else f"{module}.{name}"


@functools.lru_cache(maxsize=512)
def _read(source: bytes, module: str, is_package: bool) -> tuple[str, tuple[str, ...]]:
    """A digest of a file, without comments and layout, and the modules that it may import."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):  # a compiled module
        return hashlib.sha256(source).hexdigest()[:16], ()
    package = module.split(".") if is_package else module.split(".")[:-1]
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            names += [base, *(f"{base}.{alias.name}" for alias in node.names)]
    parents = [name.rsplit(".", depth)[0] for name in names for depth in range(name.count(".") + 1)]
    return _digest([ast.dump(tree)]), tuple(dict.fromkeys(parents))


def _find(module: str) -> tuple[Path | None, list[str]]:
    """The file of a module, which need not be loaded, and where its submodules are; nothing is imported to find it."""
    if (loaded := sys.modules.get(module)) is not None:
        own = vars(loaded)  # not getattr: a module may answer to any name
        return (Path(own["__file__"]) if own.get("__file__") else None), list(own.get("__path__") or ())
    parent = module.rpartition(".")[0]
    spec = PathFinder.find_spec(module, _find(parent)[1] if parent else None)
    if spec is None:
        return None, []
    return (None if spec.origin is None else Path(spec.origin)), list(spec.submodule_search_locations or ())


def _digest(texts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode("utf-8", "backslashreplace")).hexdigest()[:16]


def _is_cache(kind: type, name: Any) -> bool:
    """Whether an attribute is a cached one, which may be there or not."""
    return isinstance(getattr(kind, str(name), None), functools.cached_property)


def _content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # not yet filled, as for a function that refers to itself
        return None


def _codes(code: CodeType) -> Iterator[CodeType]:
    """The code of a function and of those within it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)


def _looked_up(code: CodeType, *instructions: str) -> set[str]:
    """The names that some instructions of a function, or of one within it, refer to."""
    steps = (step for each in _codes(code) for step in dis.get_instructions(each))
    return {step.argval for step in steps if step.opname in instructions}
