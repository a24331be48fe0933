"""The code that pages show."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).parent.parent / "docs"


def blocks(page: Path, language: str) -> list[str]:
    """The code of a page: `python` runs with the page, `py` where its library is installed."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.M)


def recipe(page: str, word: str) -> str:
    """The one block of a how-to page, of those that do not run with it, that has this word."""
    (chosen,) = [each for each in blocks(DOCS / "howto" / page, "py") if word in each]
    return chosen
