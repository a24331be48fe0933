"""The paper for the journal: every number comes from results, every citation is there."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib", reason='pip install "rivals[plot]"')

JOSS = Path(__file__).parent.parent / "joss"
# The journal asks for 750 to 1 750 words.
FEWEST, MOST = 750, 1750


@pytest.fixture(scope="module")
def paper() -> str:
    sys.path.insert(0, str(JOSS))
    import build

    sys.path.remove(str(JOSS))
    return build.paper()


def test_every_number_is_filled_in(paper):
    assert "{measured}" not in paper
    assert "{made}" not in paper
    assert "| data sets |" in paper


def test_it_is_as_long_as_the_journal_asks(paper):
    assert FEWEST < len(paper.split("# Summary")[1].split()) < MOST


def test_what_is_cited_is_in_the_bibliography_and_nothing_else(paper):
    cited = set(re.findall(r"@([a-z]+\d{4})", paper))
    assert cited == set(re.findall(r"^@\w+\{(\w+),", (JOSS / "paper.bib").read_text(), re.M))
