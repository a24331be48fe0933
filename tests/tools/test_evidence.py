"""The page "Does it work?" has the numbers of the committed results."""

import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_tables_of_the_page_are_those_of_the_results():
    evidence = runpy.run_path(str(ROOT / "tools" / "evidence.py"))
    text = evidence["PAGE"].read_text(encoding="utf-8")
    assert evidence["page"](text) == text
    assert text.count("<!-- end -->") >= 3
