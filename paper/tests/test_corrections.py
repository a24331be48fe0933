"""Every row of the corrections quotes the paper, says where, what is so, and how we know.

Every quotation is looked up in the source of the paper, where the environment variable
RIVALS_PAPER_TEX names it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "paper" / "corrections.md"
HEAD = ["the paper says", "where", "what is so", "how we know"]
# Some cells hold a bar; it is written escaped.
CELL = re.compile(r"(?<!\\)\|")


def tables() -> list[list[str]]:
    """The rows of all tables with a quotation."""
    rows: list[list[str]] = []
    quoting = False
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in CELL.split(line)[1:-1]]
        if not line.startswith("|"):
            quoting = False
        elif cells == HEAD:
            quoting = True
        elif quoting and set(line) - set("|- "):
            rows.append(cells)
    return rows


def plain(text: str) -> str:
    """Without mark-up: the words and formulas in the order in which they stand."""
    text = re.sub(r"\\(?:textit|textbf)\{([^{}]*)\}", r"\1", text)
    text = re.sub(r"\\acrtooltip\{(\w+)\}", r"\1", text)
    text = re.sub(r"\\delta \^\{\\EMD\}", "δ^EMD", text)
    return re.sub(r"\s+", " ", re.sub(r"[$`~]", " ", text)).strip()


@pytest.fixture(scope="module")
def rows():
    if not PAGE.exists():
        pytest.skip("an sdist has no pages")
    return tables()


@pytest.fixture(scope="module")
def paper():
    named = os.environ.get("RIVALS_PAPER_TEX")
    if not named:
        pytest.skip("the source of the paper is not at hand; name it in RIVALS_PAPER_TEX")
    return plain(Path(named).read_text(encoding="utf-8"))


def test_every_row_quotes_places_corrects_and_shows(rows):
    assert len(rows) >= 35
    for cells in rows:
        assert len(cells) == len(HEAD), cells
        assert re.fullmatch(r'".+"', cells[0]), cells[0]
        assert all(cells), cells


def test_every_quotation_stands_in_the_paper(rows, paper):
    missing = [cells[0] for cells in rows if plain(cells[0].strip('"')) not in paper]
    assert not missing


def bare(text: str) -> str:
    """Without spaces, full stops and capitals."""
    return re.sub(r"[\s.]", "", plain(text)).lower()


def test_quotations_in_the_index_of_the_figures_stand_in_the_paper(paper):
    """In italics and quotation marks; […] stands for what is left out."""
    index = PAGE.with_name("index.md").read_text(encoding="utf-8")
    quotations = re.findall(r'\*"([^"\n]+)"\*', index)
    assert len(quotations) >= 11
    parts = [part for each in quotations for part in each.split("[…]")]
    missing = [part for part in parts if bare(part) not in bare(paper)]
    assert not missing


def test_quotations_on_the_page_of_the_ideas_stand_in_the_paper(paper):
    """In quotation marks, of more than one word; single ones are names of laws and options."""
    ideas = PAGE.with_name("ideas.md").read_text(encoding="utf-8")
    quotations = [each for each in re.findall(r'"([^"\n]+)"', ideas) if " " in each]
    assert len(quotations) >= 8
    missing = [each for each in quotations if bare(each) not in bare(paper)]
    assert not missing
