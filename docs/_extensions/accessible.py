"""What the theme leaves out for those who read by ear or by keyboard.

Written pages are changed once the build is finished: landmarks get names, headings of the menu a
level, and what scrolls can be reached by the keyboard. `tools/check_pages.py` asks axe.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

CHANGES = {
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="Menu">',
    '<aside class="toc-drawer': '<aside aria-label="On this page" class="toc-drawer',
    'class="caption" role="heading">': 'class="caption" role="heading" aria-level="2">',
    ' role="doc-biblioentry"': ' role="listitem"',
    "<pre>": '<pre tabindex="0">',
    '<div class="wide docutils': '<div tabindex="0" class="wide docutils',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
}
# The gallery shows the title of an example beside its picture, and hides it in the link.
THUMBNAIL = re.compile(
    r'<img alt="" (src="[^"]*" />\s*<p><a class="reference internal" href="[^"]*")>'
    r'(<span class="doc">([^<]*)</span>)'
)


def mend(app: Any, error: Exception | None) -> None:
    """Change every page that was written."""
    if error is not None or app.builder.format != "html":
        return
    for page in Path(app.outdir).rglob("*.html"):
        old = new = page.read_text(encoding="utf-8")
        for what, instead in CHANGES.items():
            new = new.replace(what, instead)
        new = THUMBNAIL.sub(r'<img alt="\3" \1 aria-label="\3">\2', new)
        if new != old:
            page.write_text(new, encoding="utf-8")


def setup(app: Any) -> dict[str, Any]:
    """After all pages were written."""
    app.connect("build-finished", mend)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
