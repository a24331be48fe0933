"""The laws are the only place that knows a law by its name."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(
    not (ROOT / "tools/weight.py").exists(), reason="tools are not part of what is tested"
)
def test_no_module_outside_compares_the_name_of_a_law(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(ROOT / "tools"), *sys.path])
    from weight import law_comparisons

    found = {
        str(path.relative_to(ROOT)): law_comparisons(path.read_text(encoding="utf-8"))
        for path in (ROOT / "src/rivals").rglob("*.py")
        if path.parent.name != "laws"
    }
    assert {path: number for path, number in found.items() if number} == {}
    # The page is written by the same rule.
    for page in (ROOT / "src/rivals/report").glob("page.*"):
        assert 'law == "' not in page.read_text(encoding="utf-8")
