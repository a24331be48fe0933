"""Reading the built pages as a browser does: links, anchors, width, accessibility.

    python tools/check_pages.py docs/_build/html

Every link within the pages leads to a page, and to an anchor that is there; every picture has an
alternative text. In Chromium, no page scrolls sideways at any of four widths, and axe finds
nothing, light and dark. Without Chromium the latter two are left out, unless
RIVALS_BROWSER=required.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

WIDTHS = (390, 768, 1366, 1920)
# Pages that Sphinx makes of lists only.
MADE = {"genindex.html", "py-modindex.html", "search.html"}
# Of pages that one template makes, so many are shown to axe.
OF_EACH_KIND = 3
GENERATED = ("reference/generated/", "auto_examples/")

SCROLLS = "return document.documentElement.scrollWidth - document.documentElement.clientWidth;"
AXE = """
const done = arguments[0];
axe.run().then(found => done(found.violations.map(
    each => each.id + ": " + each.nodes.slice(0, 3).map(node => node.target.join(" ")).join(", "))
));
"""


class Page(HTMLParser):
    """Where a page links to, what can be linked to in it, and its pictures without a text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: list[str] = []
        self.anchors: set[str] = set()
        self.mute: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what the tag says."""
        given = dict(attrs)
        self.anchors |= {value for key in ("id", "name") if (value := given.get(key))}
        if tag == "img" and not given.get("alt"):
            self.mute.append(given.get("src") or "?")
        target = given.get("href" if tag in ("a", "link") else "src")
        if target:
            self.targets.append(target)


def broken_links(root: Path, pages: dict[str, Page]) -> Iterator[str]:
    """Links within the pages that lead nowhere."""
    for name, page in pages.items():
        for target in page.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            there = (root / name).parent / unquote(parts.path) if parts.path else root / name
            path = os.path.relpath(os.path.normpath(there), root)
            if not (root / path).exists():
                yield f"{name}: {target} is not there"
            elif parts.fragment and path in pages:
                if unquote(parts.fragment) not in pages[path].anchors:
                    yield f"{name}: {target} has no such anchor"


def mute_pictures(pages: dict[str, Page]) -> Iterator[str]:
    """Pictures that say nothing to those who do not see them."""
    for name, page in pages.items():
        for source in page.mute:
            yield f"{name}: {source} has no alternative text"


def seen_in_browser(root: Path, names: list[str]) -> Iterator[str]:
    """Pages that scroll sideways, and what axe finds."""
    import axe_core_python
    from selenium.webdriver import Chrome, ChromeOptions
    from selenium.webdriver.chrome.service import Service

    axe = (Path(axe_core_python.__file__).parent / "axe.min.js").read_text("utf-8")
    options = ChromeOptions()
    for switch in ("--headless=new", "--no-sandbox", "--allow-file-access-from-files"):
        options.add_argument(switch)
    browser = Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        for name in names:
            browser.get((root / name).as_uri())
            for width in WIDTHS:
                _set_width(browser, width)
                excess = browser.execute_script(SCROLLS)
                if excess > 0:
                    yield f"{name}: {excess} px too wide at {width} px"
        for name in _shown_to_axe(names):
            for scheme in ("light", "dark"):
                browser.execute_cdp_cmd(
                    "Emulation.setEmulatedMedia",
                    {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
                )
                _set_width(browser, WIDTHS[2])
                browser.get((root / name).as_uri())
                browser.execute_script(axe)
                for found in browser.execute_async_script(AXE):
                    yield f"{name}, {scheme}: {found}"
    finally:
        browser.quit()


def _set_width(browser: object, width: int) -> None:
    browser.execute_cdp_cmd(  # type: ignore[attr-defined]
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False},
    )


def _shown_to_axe(names: list[str]) -> list[str]:
    kinds = {kind: [name for name in names if name.startswith(kind)] for kind in GENERATED}
    others = [name for name in names if not name.startswith(GENERATED)]
    return others + [name for some in kinds.values() for name in some[:OF_EACH_KIND]]


def main() -> int:
    """Say what is wrong; 1 if anything is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("root", type=Path)
    root = parser.parse_args().root.resolve()
    names = sorted(str(path.relative_to(root)) for path in root.rglob("*.html"))
    names = [name for name in names if not name.startswith("_")]
    pages = {name: Page((root / name).read_text("utf-8")) for name in names}
    found = [*broken_links(root, pages), *mute_pictures(pages)]
    written = [name for name in names if name not in MADE]
    is_there = shutil.which("chromium") and shutil.which("chromedriver")
    if is_there or os.environ.get("RIVALS_BROWSER") == "required":
        found += seen_in_browser(root, written)
        how = f"{len(WIDTHS)} widths, axe in light and dark on {len(_shown_to_axe(written))} pages"
    else:
        how = "no Chromium: widths and accessibility are not checked"
    for line in found:
        print(line)
    n_links = sum(len(page.targets) for page in pages.values())
    print(f"{len(names)} pages, {n_links} links; {how}: {len(found)} findings.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
