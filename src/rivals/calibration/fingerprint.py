"""By what a store knows the study that it belongs to: the files that its functions come from, and what lives only in memory.

Every module of the user that a function reaches counts as a whole, file by file. Of a notebook or a script that is run, which
also holds the call of `calibrate`, only what the function reaches counts. Everywhere values count that no file
shows: what functions captured, the state of objects, constants. Installed packages and the standard library enter by name.
docs/calibration-cluster.md lists what no digest can see.
"""

from __future__ import annotations

import ast
import copyreg
import dis
import functools
import hashlib
import inspect
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.machinery import PathFinder
from pathlib import Path
from types import CellType, CodeType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any

import numpy as np

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
}
PASSING |= {
    "__annotate_func__",
    "__annotations_cache__",
    "__static_attributes__",
    "__firstlineno__",
}
# Generators of random numbers change with every use, and experiments get theirs from us; weak references make caches.
RANDOM = (
    np.random.Generator,
    np.random.RandomState,
    np.random.BitGenerator,
    np.random.SeedSequence,
)
# By these a function may reach what it names in a text: other modules, and anything in its own. A script then counts as a whole, too.
IMPORTING = {"modules", "import_module", "__import__"}
BY_TEXT = {"globals", "eval", "exec", "vars", *IMPORTING}
# What properties, and compiled and cached functions of functools, JAX and Numba are made of.
WRAPPED = ("__wrapped__", "fget", "fset", "fdel", "py_func", "targetoptions")
EMPTY = CellType()  # of a variable that is not yet there
PACKAGES = {"site-packages", "dist-packages"}
INSTALLED = tuple({sysconfig.get_path(name) for name in ("purelib", "platlib", "stdlib")})


def parts_of(function: Any) -> dict[str, str]:
    """A digest of a function, of each file, and of each thing that it reaches by name, to tell what changed.

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
        self._known: dict[
            int, tuple[Any, str]
        ] = {}  # with the objects, whose addresses are not to be given away again
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
        """Take what is nested deeply, and what functions may use of the modules that they reach, however these are handed on; whether it was new."""
        before = len(self.parts), len(self._modules)
        for value in self._deep:  # which may grow meanwhile
            self._part(f"nested deeply: {self._describe(value)}", None)
        for own, module in list(self._modules.items()):
            for name in sorted(self._used):
                self._follow(f"{own}.{name}")
                late = f"{own}.{name}" in self._late or "__getattr__" in vars(module)
                if name in vars(module) and not (
                    late and isinstance(vars(module)[name], ModuleType)
                ):
                    self._part(self._name(own, name), vars(module)[name])
        return before != (len(self.parts), len(self._modules))

    # ---------------------------------------------------------------- what lives in memory

    def _describe(self, value: Any) -> str:
        """A text that is the same for the same value, in every process."""
        if type(value) in ATOMS:
            return _digest([f"{type(value).__name__} {value!r}"])
        if type(value) is bytes:
            return hashlib.sha256(value).hexdigest()[:16]
        if id(value) not in self._known:
            if self._depth > DEEPEST:
                self._deep.append(value)
                return "…"
            self._known[id(value)] = (value, "…")  # for what it holds of itself
            self._depth += 1
            self._known[id(value)] = (value, _digest(self._contents(value)))
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
            self._follow(value.__name__)
            if not self._is_library(value.__name__):
                self._modules[value.__name__] = value
            return ["module", value.__name__]
        if isinstance(value, MethodType):
            return self._all(value.__func__, value.__self__)
        if type(value) in (list, tuple):
            return [type(value).__name__, *self._all(*value)]
        if type(value) in (dict, MappingProxyType):
            return ["dict", *(text for pair in value.items() for text in self._all(*pair))]
        if isinstance(value, (set, frozenset)):
            return [
                *self._all(type(value), getattr(value, "__dict__", None)),
                *sorted(self._all(*value)),
            ]
        return self._object(value)

    def _function(self, function: FunctionType) -> Iterator[str]:
        module = function.__globals__.get("__name__")
        yield f"function {function.__name__}"
        if module == "functools" and hasattr(
            function, "registry"
        ):  # single dispatch: the rest of it is a cache
            yield self._describe(function.registry)
            return
        filled = [cell for cell in function.__closure__ or () if cell != EMPTY]
        yield from self._all(*(cell.cell_contents for cell in filled), vars(function))
        if self._is_library(module):
            yield f"{module}.{function.__qualname__}"
            return
        self._follow(module)
        yield from self._all(function.__code__, function.__defaults__, function.__kwdefaults__)
        codes = list(_codes(function.__code__))
        used = {name for code in codes for name in code.co_names}
        texts = {text for code in codes for text in code.co_consts if isinstance(text, str)}
        named, imported = (
            _looked_up(codes, "LOAD_GLOBAL", "LOAD_NAME"),
            _looked_up(codes, "IMPORT_NAME"),
        )
        if used & BY_TEXT:
            self._follow(module, whole=True)
            named, imported = named | texts, imported | texts
        self._used |= used | texts if "getattr" in used else used
        for name in sorted(named & set(function.__globals__)):
            yield self._part(self._name(function.__module__, name), function.__globals__[name])
        for name in imported:
            for each in (name, *(f"{name}.{part}" for part in used)):
                self._follow(each)
                self._late.add(each)

    def _code(self, code: CodeType) -> Iterator[str]:
        """The instructions as they run, which the text of a file, edited since, may not be."""
        yield from (code.co_code.hex(), getattr(code, "co_exceptiontable", b"").hex())
        yield from map(
            str, (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
        )
        yield from (*code.co_names, *code.co_varnames, *code.co_freevars, *code.co_cellvars)
        yield from self._all(*code.co_consts)

    def _class(self, kind: type) -> Iterator[str]:
        yield f"class {self._name(kind.__module__, kind.__qualname__)}"
        if not self._is_library(kind.__module__):
            self._follow(kind.__module__)
            yield from self._all(type(kind), *kind.__bases__)
            yield self._describe(
                {name: vars(kind)[name] for name in sorted(set(vars(kind)) - PASSING)}
            )

    def _object(self, value: Any) -> Iterator[str]:
        """An object by its class and by what it holds, which is what pickle would write."""
        kind: Any = type(value)
        yield self._describe(kind)
        if isinstance(value, RANDOM) or kind.__module__ in ("weakref", "_weakrefset"):
            return
        library = self._is_library(kind.__module__)
        if (
            library
            and hasattr(value, "__array__")
            and not isinstance(value, (np.ndarray, np.generic))
        ):
            with suppress(Exception):  # not an array after all
                yield from self._tensor(value)
                return
        wrapped = [
            getattr(value, name)
            for name in WRAPPED
            if inspect.getattr_static(value, name, None) is not None
        ]
        yield from self._all(*wrapped)
        # What JAX and Numba would have pickle write holds folders, and numbers of the process.
        if (
            wrapped
            and library
            and (kind.__reduce__, kind.__getstate__) != (object.__reduce__, object.__getstate__)
        ):
            return
        try:
            reduced = (
                copyreg.dispatch_table[kind](value)
                if kind in copyreg.dispatch_table
                else value.__reduce_ex__(4)
            )
        except Exception:  # locks, files, connections: what cannot be sent to workers either
            reduced = ""
        state = (
            getattr(value, "__dict__", None)
            if isinstance(value, np.ndarray) or isinstance(reduced, str)
            else None
        )
        for part in (state, *([reduced] if isinstance(reduced, str) else reduced)):
            if isinstance(part, dict):
                part = {
                    name: held for name, held in part.items() if not _is_cache(kind, name)
                } or None
            yield self._describe(list(part) if isinstance(part, Iterator) else part)

    def _tensor(self, value: Any) -> Iterable[str]:
        """Tables, and tensors of other libraries: their numbers, and what these are named by."""
        plain = value.detach().cpu() if hasattr(value, "detach") else value
        named = [
            np.asarray(getattr(value, name))
            for name in ("index", "columns")
            if hasattr(value, name)
        ]
        coordinates = {
            name: np.asarray(each) for name, each in dict(getattr(value, "coords", {})).items()
        }
        return list(self._all(np.asarray(plain), *named, coordinates))

    # ---------------------------------------------------------------- files

    def _follow(self, module: str | None, *, whole: bool = False) -> None:
        """Take the file of a module of the user, and those of all modules that it imports, here or within functions."""
        module = module or ""
        key = f"{module}!" if whole else module
        if (
            key in self._files
            or not module.replace(".", "_").isidentifier()
            or self._is_library(module)
        ):
            return
        self._files.add(key)
        file, _ = _find(module)
        if file is None or not file.is_file():
            return
        digest, imports = _read(file.read_bytes(), module, file.stem == "__init__")
        if whole or module != "__main__":
            self.parts[
                f"the file {file.name}" + (f" of module {module}" if "." in module else "")
            ] = digest
        for name in imports:
            self._follow(name)

    def _is_library(self, module: str | None) -> bool:
        """Whether a module belongs to Python, to rivals or to an installed package other than that of the function."""
        top = (module or "").partition(".")[0]
        if top in ("", "__main__", "rivals"):
            return top == "rivals"
        file = _find(module or "")[0] or _find(top)[0]
        installed = str(file).startswith(INSTALLED) or not PACKAGES.isdisjoint(
            getattr(file, "parts", ())
        )
        if top in sys.stdlib_module_names:  # a module of the user may have the same name
            return installed or file is None
        return installed and top != (self._module or "").partition(".")[0]

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
    nodes = list(ast.walk(tree))
    if any(getattr(node, "attr", getattr(node, "id", None)) in IMPORTING for node in nodes):
        texts = [str(node.value).lstrip(".") for node in nodes if isinstance(node, ast.Constant)]
        names += [".".join(each) for text in texts for each in ([text], [*package, text])]
    for node in nodes:
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
        file, places = map(
            vars(loaded).get, ("__file__", "__path__")
        )  # not getattr: a module may answer to any name
    else:
        spec = PathFinder.find_spec(
            module, _find(module.rpartition(".")[0])[1] if "." in module else None
        )
        file, places = (
            getattr(spec, "origin", None),
            getattr(spec, "submodule_search_locations", None),
        )
    return (Path(file) if file else None), list(places or ())


def _digest(texts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode("utf-8", "backslashreplace")).hexdigest()[:16]


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
    return {
        step.argval
        for code in codes
        for step in dis.get_instructions(code)
        if step.opname in instructions
    }
