"""What the Python of a page prints and draws, below it.

The blocks ```` ```python ```` of a page run in one go as the page is built, in a folder of their
own; blocks ```` ```console ```` run in a shell there, each line after a dollar sign. A file
`PAGE-name.csv` beside the page PAGE lies there as `name.csv`. What a block prints follows it, and
so does a picture for each figure that it leaves open. A comment before the block,
`<!-- alt: … -->`, says what the picture shows. The language `py` does not run.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from itertools import groupby
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.logging import getLogger

LOGGER = getLogger(__name__)

# In the shell of a page `rivals` is the one that the page is built with.
PRELUDE = f'rivals() {{ COLUMNS=100 "{sys.executable}" -m rivals "$@"; }}\n'
PICTURES = Path("generated") / "pictures"
# Inches; a wider picture cannot be read on a telephone unless it scrolls.
WIDE = 7.0


def run_python(code: str, space: dict[str, Any], name: str) -> str:
    """Run a block in a name space; what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, name, "exec"), space)
    return printed.getvalue()


def run_console(lines: str, folder: Path) -> str:
    """Run what stands after dollar signs; what it prints, errors too."""
    commands = [line[2:] for line in lines.splitlines() if line.startswith("$ ")]
    done = subprocess.run(
        ["bash", "-c", PRELUDE + "\n".join(commands)],
        cwd=folder,
        env={**os.environ, "NO_COLOR": "1", "TERM": "dumb"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout


def run_page(app: Any, doctree: nodes.document) -> None:
    """Run all blocks of a page, in the order in which they stand."""
    page = app.env.docname
    if page.startswith("auto_examples"):
        return
    blocks = [
        block
        for block in doctree.findall(nodes.literal_block)
        if block.get("language") in ("python", "console")
    ]
    if not blocks:
        return
    space: dict[str, Any] = {"__name__": "page"}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        lay_out(Path(app.srcdir) / page, Path(folder))
        for number, block in enumerate(blocks):
            try:
                shown = _shown(app, page, number, block, space, Path(folder))
            except Exception as error:
                where = f"{page}, block {number}"
                LOGGER.warning("%s: %s: %s", where, type(error).__name__, error)
                _forget_pictures()
                return
            place = block.parent.index(block) + 1
            block.parent[place:place] = [node for node in shown if node is not None]


def lay_out(page: Path, folder: Path) -> None:
    """The files that belong to a page, without its name before theirs."""
    for path in page.parent.glob(f"{page.stem}-*.csv"):
        shutil.copy(path, folder / path.name.removeprefix(f"{page.stem}-"))


def _shown(app: Any, page: str, number: int, block: Any, space: Any, folder: Path) -> list[Any]:
    if block["language"] == "console":
        return [_output(run_console(block.astext(), folder))]
    printed = _output(run_python(block.astext(), space, page))
    return [printed, *_pictures(app, page, number, block)]


def _output(text: str) -> nodes.Node | None:
    """What was printed: sentences wrap, tables scroll."""
    shown = nodes.container(classes=["output"])
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    for is_table, part in groupby(lines, _is_row):
        joined = "\n".join(part).strip("\n")
        if joined:
            kind = "rows" if is_table else "sentences"
            shown += nodes.literal_block(joined, joined, language="text", classes=[kind])
    return shown if shown.children else None


def _is_row(line: str) -> bool:
    return "  " in line.strip() or line.startswith("  ")


def _pictures(app: Any, page: str, number: int, block: nodes.literal_block) -> list[nodes.Node]:
    """The figures that a block left open, as images."""
    import matplotlib.pyplot as plt

    found: list[nodes.Node] = []
    for figure in plt.get_fignums():
        alt = _alt(block)
        if not alt:
            raise ValueError("a picture has no <!-- alt: … --> before its block")
        name = PICTURES / f"{page.replace('/', '-')}-{number}-{figure}.png"
        found.append(save(plt.figure(figure), Path(app.srcdir), name, alt))
    _forget_pictures()
    return found


def _forget_pictures() -> None:
    import matplotlib.pyplot as plt

    plt.close("all")


def save(figure: Any, root: Path, name: Path, alt: str) -> nodes.Node:
    """A picture on white, which can be read on a dark page, too; a wide one scrolls."""
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=120, facecolor="white", bbox_inches="tight")
    image = nodes.image(uri=f"/{name.as_posix()}", alt=alt)
    if figure.get_figwidth() <= WIDE:
        return image
    return nodes.container("", image, classes=["wide"])


def _alt(block: nodes.literal_block) -> str:
    before = block.parent.index(block) - 1
    comment = block.parent[before].astext() if before >= 0 else ""
    found = re.fullmatch(r"<!--\s*alt:\s*(.*?)\s*-->", comment.strip(), re.DOTALL)
    return " ".join(found[1].split()) if found else ""


def setup(app: Any) -> dict[str, Any]:
    """Before the pictures of a page are collected."""
    app.connect("doctree-read", run_page, priority=100)
    return {"parallel_read_safe": True}
