"""The laws are the only place that knows a law by its name."""

import ast
from pathlib import Path

import rivals
from rivals.laws import LAWS

ROOT = Path(rivals.__file__).parent


def compares_a_law(node):
    """Whether a comparison or a case of a match has the name of a law on one side."""
    if isinstance(node, ast.MatchValue):
        return is_law(node.value)
    if not isinstance(node, ast.Compare):
        return False
    sides = [node.left, *node.comparators]
    return any(is_law(side) for side in sides) and any("law" in ast.unparse(s) for s in sides)


def is_law(node):
    return isinstance(node, ast.Constant) and node.value in LAWS


def test_no_module_outside_compares_the_name_of_a_law():
    assert compares_a_law(ast.parse('law == "beta"').body[0].value)
    found = [
        path.name
        for path in ROOT.rglob("*.py")
        if path.parent.name != "laws"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if compares_a_law(node)
    ]
    assert found == []
    # The page is written by the same rule.
    for page in (ROOT / "report").glob("page.*"):
        assert 'law == "' not in page.read_text(encoding="utf-8")
