"""Numbers from committed results, written into pages as they are built.

`{measured}` followed by a path in a result file, as in {measured}`real.json:left_out.10.failed`,
becomes that number; a page never holds a copy.
"""

import json
from pathlib import Path

from docutils import nodes

RESULTS = Path(__file__).parent.parent / "benchmarks" / "results"


def value_at(path: str) -> object:
    """The value that a path names: file, then keys."""
    name, _, keys = path.partition(":")
    found = json.loads((RESULTS / name).read_text(encoding="utf-8"))
    for key in keys.split("."):
        found = found[int(key)] if isinstance(found, list) else found[key]
    return found


def shown(path: str) -> str:
    """As text; after a bar a format, as in `real.json:won|.0%`."""
    path, _, form = path.partition("|")
    return format(value_at(path), form) if form else str(value_at(path))


def measured(name, rawtext, text, lineno, inliner, options=None, content=None):
    """The role."""
    return [nodes.Text(shown(text))], []


def setup(app):
    """Register the role."""
    app.add_role("measured", measured)
    return {"parallel_read_safe": True}
