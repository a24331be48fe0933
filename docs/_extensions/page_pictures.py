"""Show the pictures that the Python of a page draws: each block that draws is followed by
its figures.

The blocks of a page are run one after the other, as `tests/test_docs.py` runs them. Only
pages that draw are run.
"""

import contextlib
import io
import os
import re
import tempfile
from pathlib import Path

FOLDER = "generated/pictures"
# A block that runs, with the block of its output, if it follows directly.
BLOCK = re.compile(r"```python\n(?P<code>.*?)```(?:\n\n```text\n.*?```)?", re.DOTALL)


def draws(code: str) -> bool:
    """Whether a block calls one of our plotting functions."""
    return re.search(r"\bplot_\w+\(", code) is not None


def with_pictures(text: str, name: str, folder: Path) -> str:
    """The page with an image after each block that draws; images go to `folder`, and are
    linked from `docs`.
    """
    import matplotlib.pyplot as plt

    namespace: dict = {}
    count = 0

    def run(block: re.Match[str]) -> str:
        nonlocal count
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(block["code"], name, "exec"), namespace)
        shown = block[0]
        for number in plt.get_fignums():
            count += 1
            picture = folder / f"{name}-{count}.png"
            plt.figure(number).savefig(picture, dpi=110)
            shown += (
                f"\n\n```{{image}} /{FOLDER}/{picture.name}\n:alt: what this code "
                "draws\n:class: drawn\n```"
            )
        plt.close("all")
        return shown

    plt.close("all")
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as empty:
        os.chdir(empty)  # pages write files
        try:
            return BLOCK.sub(run, text)
        finally:
            os.chdir(before)


def read(app, name, source):
    """Run a page when Sphinx reads it."""
    if "/" in name or not any(draws(block["code"]) for block in BLOCK.finditer(source[0])):
        return
    import matplotlib

    matplotlib.use("agg")
    folder = Path(app.srcdir) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    source[0] = with_pictures(source[0], name, folder)


def setup(app):
    """Connect to the reading of pages."""
    app.connect("source-read", read)
    return {"parallel_read_safe": True}
