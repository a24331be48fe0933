"""Files of the user's modules: where they are, what they say, and what they import."""

from __future__ import annotations

import ast
import functools
import hashlib
import sys
import sysconfig
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path

# By these a function may reach modules that it names in a text.
IMPORTING = {"modules", "import_module", "__import__"}
PACKAGES = {"site-packages", "dist-packages"}
INSTALLED = tuple({sysconfig.get_path(name) for name in ("purelib", "platlib", "stdlib")})


@dataclass(frozen=True)
class Source:
    """A digest of a file, without comments and layout, and the modules that it may import."""

    digest: str
    imports: tuple[str, ...] = ()


def digest_of(texts: Iterable[str]) -> str:
    """A short digest of some texts, in order."""
    joined = "\n".join(texts).encode("utf-8", "backslashreplace")
    return _digest_of_bytes(joined)


def _digest_of_bytes(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


@functools.lru_cache(maxsize=512)
def read_source(source: bytes, module: str, is_package: bool) -> Source:
    """What the file of a module says; of a compiled one, its bytes."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):  # a compiled module
        return Source(_digest_of_bytes(source))
    package = module.split(".")
    if not is_package:
        package = package[:-1]
    names = _imported_by_text(tree, package)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += _imported_from(node, package)
    with_parents = []
    for name in names:
        for depth in range(name.count(".") + 1):
            with_parents.append(name.rsplit(".", depth)[0])
    return Source(digest_of([ast.dump(tree)]), tuple(dict.fromkeys(with_parents)))


def _imported_by_text(tree: ast.AST, package: Sequence[str]) -> list[str]:
    """All texts of a file that imports modules by names it puts together."""
    nodes = list(ast.walk(tree))
    if not any(getattr(node, "attr", getattr(node, "id", None)) in IMPORTING for node in nodes):
        return []
    names = []
    for node in nodes:
        if isinstance(node, ast.Constant):
            word = str(node.value).lstrip(".")
            names += [word, ".".join([*package, word])]
    return names


def _imported_from(node: ast.ImportFrom, package: Sequence[str]) -> list[str]:
    """The module that names are imported from, and these names, which may be modules, too."""
    above = package[: len(package) - node.level + 1] if node.level else []
    own = [node.module] if node.module else []
    base = ".".join([*above, *own])
    return [base, *(f"{base}.{alias.name}" for alias in node.names)]


def find_file(module: str) -> Path | None:
    """The file of a module, which need not be loaded; nothing is imported to find it."""
    return _find(module)[0]


def _find(module: str) -> tuple[Path | None, list[str]]:
    """The file of a module, and where its submodules are."""
    loaded = sys.modules.get(module)
    if loaded is not None:
        # Not getattr: a module may answer to any name.
        file = vars(loaded).get("__file__")
        places = vars(loaded).get("__path__")
    else:
        parent = module.rpartition(".")[0]
        spec = PathFinder.find_spec(module, _find(parent)[1] if parent else None)
        file = getattr(spec, "origin", None)
        places = getattr(spec, "submodule_search_locations", None)
    return (Path(file) if file else None), list(places or ())


def is_library(module: str | None, own: str | None) -> bool:
    """Whether a module belongs to Python, to rivals, or to an installed package.

    The package of the function's own module does not count as one.
    """
    top = (module or "").partition(".")[0]
    if top in ("", "__main__", "rivals"):
        return top == "rivals"
    file = find_file(module or "") or find_file(top)
    parts = () if file is None else file.parts
    installed = str(file).startswith(INSTALLED) or not PACKAGES.isdisjoint(parts)
    if top in sys.stdlib_module_names:  # a module of the user may have the same name
        return installed or file is None
    return installed and top != (own or "").partition(".")[0]
