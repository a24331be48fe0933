"""What a program printed: its sentences wrap, its tables scroll.

Pages hold outputs as blocks of ```` ```text ````; on a telephone a long sentence in one would have
to be scrolled, too.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any

from docutils import nodes


def lay_out(app: Any, doctree: nodes.document) -> None:
    """Part each output into stretches of rows and of sentences."""
    if app.env.docname.startswith("auto_examples"):
        return
    for block in list(doctree.findall(nodes.literal_block)):
        if block.get("language") == "text":
            block.replace_self(parted(block.astext()))


def parted(text: str) -> nodes.Node:
    shown = nodes.container(classes=["output"])
    for is_table, part in groupby(text.splitlines(), _is_row):
        joined = "\n".join(part).strip("\n")
        if joined:
            kind = "rows" if is_table else "sentences"
            shown += nodes.literal_block(joined, joined, language="text", classes=[kind])
    return shown


def _is_row(line: str) -> bool:
    return "  " in line.strip() or line.startswith("  ")


def setup(app: Any) -> dict[str, Any]:
    app.connect("doctree-read", lay_out, priority=100)
    return {"parallel_read_safe": True}
