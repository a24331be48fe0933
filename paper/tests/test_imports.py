"""Of the library, the paper uses what is public: packages, and what their `__init__` names."""

import ast
import importlib
from importlib.util import find_spec
from pathlib import Path

import pytest

import rivals_paper

FILES = sorted(Path(rivals_paper.__file__).parent.rglob("*.py"))


def imports_from_the_library(path):
    """Pairs of module and name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.partition(".")[0] == "rivals"
        ):
            yield from ((node.module, alias.name) for alias in node.names)


def is_public(name):
    """Whether its package lists it, or it is a package, or anything of `rivals.testbeds`, which is
    there for the paper too.
    """
    owner, _, last = name.rpartition(".")
    if not owner:
        return True
    if name.startswith("rivals.testbeds."):
        return not last.startswith("_")
    module = importlib.import_module(owner)
    listed = getattr(module, "__all__", None)
    if listed is None:
        return is_public(owner) and not last.startswith("_")
    return is_public(owner) and (last in listed or is_package(name))


def is_package(name):
    spec = (
        find_spec(name)
        if hasattr(importlib.import_module(name.rpartition(".")[0]), "__path__")
        else None
    )
    return spec is not None and spec.submodule_search_locations is not None


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_imports_are_public(path):
    names = [f"{module}.{name}" for module, name in imports_from_the_library(path)]
    assert [name for name in names if not is_public(name)] == []


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_comparisons_and_calibrations_are_by_the_papers_method(path):
    """Defaults of the library are others, and may change.

    Every call says `**PAPER`, or in what it differs from it; steps take the law of a calibration.
    """
    if path.stem == "steps":
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) in (
            "compare",
            "calibrate",
        ):
            spread = [
                ast.unparse(keyword.value) for keyword in node.keywords if keyword.arg is None
            ]
            assert any("PAPER" in each for each in spread), f"line {node.lineno}"
