"""Of the library, the paper uses what has no underscore; and it names the method it means."""

import ast
from pathlib import Path

import pytest

import rivals_paper

FILES = sorted(Path(rivals_paper.__file__).parent.rglob("*.py"))


def imports_from_the_library(path):
    """Pairs of module and name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "rivals":
            yield from ((node.module, alias.name) for alias in node.names)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_imports_are_not_private(path):
    for module, name in imports_from_the_library(path):
        assert not any(part.startswith("_") for part in f"{module}.{name}".split(".")) or (
            name == "__version__"
        )


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_comparisons_and_calibrations_are_by_the_papers_method(path):
    """Defaults of the library are others, and may change.

    Every call says `**PROCESS` or `**ALGORITHM`, or in what it differs; steps take the law of a
    calibration.
    """
    if path.stem == "steps":
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        called = getattr(getattr(node, "func", None), "id", None)
        if called in ("compare", "calibrate"):
            spread = [ast.unparse(each.value) for each in node.keywords if each.arg is None]
            assert any("PROCESS" in each or "ALGORITHM" in each for each in spread), node.lineno
