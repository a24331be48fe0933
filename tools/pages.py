"""How heavy the pages are: words, pictures, and numbers per 1 000 words, page by page.

    python tools/pages.py [docs/_build/html]          # pages as readers see them
    python tools/pages.py --source docs README.md     # Markdown, as at an older commit

Code, its output and the API that is made of docstrings do not count.
"""

from __future__ import annotations

import argparse
import re
from html.parser import HTMLParser
from pathlib import Path

SKIPPED = {"pre", "script", "style", "nav", "footer", "header", "svg"}
NUMBER = re.compile(r"(?<![\w.])[−-]?\d[\d  ]*(?:[.,]\d+)?(?![\w])")
GENERATED = ("reference/generated/", "auto_examples/", "_modules/")
LISTS = {"genindex.html", "py-modindex.html", "search.html", "404.html"}


class Text(HTMLParser):
    """The text of an article, and its pictures."""

    def __init__(self) -> None:
        super().__init__()
        self.within = 0
        self.skipped = 0
        self.parts: list[str] = []
        self.pictures = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Enter an article, or what does not count."""
        if tag == "article":
            self.within += 1
        elif tag in SKIPPED:
            self.skipped += 1
        elif tag == "img" and self.within:
            self.pictures += 1

    def handle_endtag(self, tag: str) -> None:
        """Leave them."""
        if tag == "article":
            self.within -= 1
        elif tag in SKIPPED:
            self.skipped -= 1

    def handle_data(self, data: str) -> None:
        """Keep what counts."""
        if self.within and not self.skipped:
            self.parts.append(data)


def of_html(text: str) -> tuple[str, int]:
    """The words and the number of pictures of a built page."""
    parser = Text()
    parser.feed(text)
    return " ".join(parser.parts), parser.pictures


def of_markdown(text: str) -> tuple[str, int]:
    """The same of a source, where what is made in the build cannot be seen."""
    text = re.sub(r"\A---\n.*?\n---\n", "", text, flags=re.DOTALL)
    pictures = len(re.findall(r"!\[|<img |\{picture\}", text))
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.M)
    text = re.sub(r"<[^>]+>|\]\([^)]*\)", " ", text)
    return text, pictures


def main() -> None:
    """Print a table, and the sums."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("places", nargs="*", type=Path, default=[Path("docs/_build/html")])
    parser.add_argument("--source", action="store_true")
    options = parser.parse_args()
    read, kind = (of_markdown, "*.md") if options.source else (of_html, "*.html")
    total = [0, 0, 0]
    print("words  pictures  numbers per 1000 words")
    for place in options.places:
        for path in sorted(place.rglob(kind)) if place.is_dir() else [place]:
            name = str(path.relative_to(place)) if place.is_dir() else str(path)
            if name in LISTS or name.startswith((*GENERATED, "_build", "_static")):
                continue
            text, pictures = read(path.read_text("utf-8"))
            words = len(re.findall(r"[^\W\d_]{2,}|\b[aI]\b", text))
            numbers = len(NUMBER.findall(text))
            print(f"{words:5d}  {pictures:8d}  {1000 * numbers / max(words, 1):8.0f}  {name}")
            total = [total[0] + words, total[1] + pictures, total[2] + numbers]
    print(f"{total[0]:5d}  {total[1]:8d}  {1000 * total[2] / total[0]:8.0f}  all")


if __name__ == "__main__":
    main()
