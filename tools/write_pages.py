"""What the pages show, written into them: outputs of code, numbers and pictures of results.

    python tools/write_pages.py [PAGE …]           # run, and rewrite what has changed
    python tools/write_pages.py --check [PAGE …]   # 1, and the differences, if a page is not fresh

A page is plain Markdown that anybody can read where it stands; comments say where its parts come
from, and this tool fills them in again:

- A block ```` ```python ```` runs with the others of its page, in a folder of its own where a
  file `PAGE-name.csv` beside the page lies as `name.csv`, and the file that a line
  `<!-- file: benchmarks/results/name -->` names as `name`; ```` ```console ```` runs in a shell.
  What is printed and drawn follows, up to `<!-- end -->`. A comment before the block,
  `<!-- alt: … -->`, says what its picture shows; `<!-- varies -->` that digits depend on the
  machine, so that nothing is compared. The language `py` does not run.
- `<!-- measured: charts.won(10) -->92 %<!-- . -->` is what a function of docs/explanation returns.
- `<!-- made: charts.table() -->` … `<!-- end -->` is the Markdown that a function returns, and
  `<!-- picture: charts.gap -->` … `<!-- end -->` a picture that it draws; it returns what the
  picture shows.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib
import io
import os
import re
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from run_pages import bring_files

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PICTURES = DOCS / "_static" / "pages"
# Pictures have no background, and ink that can be read on white and on black.
INK = "#7d828a"
STYLE = {
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "legend.framealpha": 0.0,
    **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor"), INK),
    **dict.fromkeys(("xtick.color", "ytick.color", "legend.labelcolor", "axes.titlecolor"), INK),
}
MADE = {"_build", "auto_examples", "generated"}
# In the shell of a page `rivals` is the one of this environment.
PRELUDE = f'rivals() {{ COLUMNS=100 "{sys.executable}" -m rivals "$@"; }}\n'
# A block that runs, and what followed it when it last did.
BLOCK = re.compile(
    r"^```(?P<language>python|console)\n(?P<code>.*?)^```\n"
    r"(?:\n<!-- output -->\n.*?^<!-- end -->\n)?",
    re.DOTALL | re.M,
)
NUMBER = re.compile(r"<!-- measured: (?P<call>.*?) -->.*?<!-- \. -->")
PART = re.compile(
    r"^<!-- (?P<kind>made|picture): (?P<call>.*?) -->\n.*?^<!-- end -->\n", re.DOTALL | re.M
)


def main() -> int:
    """Rewrite pages, or say which are not fresh."""
    check = "--check" in sys.argv
    chosen = [Path(name).resolve() for name in sys.argv[1:] if name != "--check"]
    stale = 0
    for page in chosen or pages():
        before = page.read_text("utf-8")
        after = written(page, draw=not check)
        if before == after:
            continue
        stale += 1
        name = str(page.relative_to(ROOT))
        if check:
            lines = difflib.unified_diff(
                before.splitlines(), after.splitlines(), name, "as it runs now", lineterm="", n=1
            )
            print("\n".join(lines))
        else:
            page.write_text(after, "utf-8")
            print(f"{name}: written")
    if check and stale:
        print(f"{stale} pages are not fresh: python tools/write_pages.py", file=sys.stderr)
    return int(check and stale > 0)


def pages() -> Iterator[Path]:
    """README and the pages."""
    yield ROOT / "README.md"
    yield from (
        page for page in sorted(DOCS.rglob("*.md")) if not MADE & set(page.relative_to(DOCS).parts)
    )


def written(page: Path, *, draw: bool) -> str:
    """A page with all that it shows; pictures are kept where they are drawn."""
    pictures = Pictures(page, draw)
    text = page.read_text("utf-8")
    text = NUMBER.sub(lambda found: _number(found["call"]), text)
    text = PART.sub(lambda found: _part(found["kind"], found["call"], pictures), text)
    return _with_outputs(text, page, pictures)


# ---------------------------------------------------------------- numbers and parts of results


def _number(call: str) -> str:
    return f"<!-- measured: {call} -->{value_of(call)}<!-- . -->"


def _part(kind: str, call: str, pictures: Pictures) -> str:
    if kind == "made":
        shown = str(value_of(call))
    else:
        alt = value_of(call if "(" in call else f"{call}()")
        shown = pictures.keep(re.sub(r"[^a-z0-9]+", "-", call.lower()).strip("-"), alt)
    return f"<!-- {kind}: {call} -->\n\n{shown.strip()}\n\n<!-- end -->\n"


def value_of(call: str) -> Any:
    """What a call returns, as "charts.won(10)"."""
    if str(DOCS / "explanation") not in sys.path:
        sys.path.insert(0, str(DOCS / "explanation"))
    module = importlib.import_module(call.split(".")[0])
    return eval(call, {module.__name__: module})


# ---------------------------------------------------------------- outputs of code


def _with_outputs(text: str, page: Path, pictures: Pictures) -> str:
    if not BLOCK.search(text):
        return text
    space: dict[str, Any] = {"__name__": "page"}
    parts, end = [], 0
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        bring_files(page, Path(folder))
        for number, block in enumerate(BLOCK.finditer(text)):
            before = text[end : block.start()]
            shown = _output_of(block, before, space, pictures, f"{page.stem}-{number}")
            parts += [before, shown]
            end = block.end()
    return "".join([*parts, text[end:]])


def _output_of(
    block: re.Match[str], before: str, space: dict[str, Any], pictures: Pictures, name: str
) -> str:
    language, code = block["language"], block["code"]
    is_python = language == "python"
    printed = run_python(code, space, name) if is_python else run_console(code)
    shown = [f"```text\n{printed}\n```"] if printed else []
    drawn = pictures.drawn(name, _said("alt", before))
    if before.rstrip().endswith("<!-- varies -->") and not pictures.draw:
        return block[0]
    fence = f"```{language}\n{code}```\n"
    if not shown and not drawn:
        return fence
    return "\n\n".join([f"{fence}\n<!-- output -->", *shown, *drawn, "<!-- end -->\n"])


def run_python(code: str, space: dict[str, Any], name: str) -> str:
    """Run a block in a name space; what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(code, name, "exec"), space)
    return _tidy(printed.getvalue())


def run_console(lines: str) -> str:
    """Run what stands after dollar signs; what it prints, errors too."""
    commands = [line[2:] for line in lines.splitlines() if line.startswith("$ ")]
    done = subprocess.run(
        ["bash", "-c", PRELUDE + "\n".join(commands)],
        env={**os.environ, "NO_COLOR": "1", "TERM": "dumb"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return _tidy(done.stdout)


def _tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def _said(word: str, before: str) -> str:
    """What a comment right before a block says."""
    found = re.search(rf"<!--\s*{word}:\s*((?:(?!-->).)*?)\s*-->\s*$", before, re.DOTALL)
    return " ".join(found[1].split()) if found else ""


class Pictures:
    """The pictures of one page, on no background, beside the pages."""

    def __init__(self, page: Path, draw: bool) -> None:
        self.page, self.draw = page, draw
        self.folder = os.path.relpath(PICTURES, page.parent)

    def drawn(self, name: str, alt: str) -> list[str]:
        """The figures that a block left open."""
        if "matplotlib.pyplot" not in sys.modules:
            return []
        import matplotlib.pyplot as plt

        found = [
            self.keep(f"{name}-{figure}" if place else name, alt, figure)
            for place, figure in enumerate(plt.get_fignums())
        ]
        plt.close("all")
        return found

    def keep(self, name: str, alt: str, figure: int | None = None) -> str:
        """One figure, the current one by default, as a line of Markdown."""
        import matplotlib.pyplot as plt

        if not alt:
            raise ValueError(f"{self.page.name}: a picture has no <!-- alt: … --> before its block")
        chosen = plt.gcf() if figure is None else plt.figure(figure)
        path = PICTURES / f"{name}.png"
        if self.draw:
            path.parent.mkdir(exist_ok=True, parents=True)
            chosen.savefig(path, dpi=120, transparent=True, bbox_inches="tight")
        elif not path.exists():
            raise ValueError(f"{self.page.name}: its picture {path.name} is not there")
        if figure is None:
            plt.close("all")
        return f"![{alt}]({self.folder}/{name}.png)"


if __name__ == "__main__":
    import matplotlib

    matplotlib.use("agg")
    matplotlib.rcParams.update(STYLE)
    # Pages that use JAX do not look for other devices, and clusters do not tell how they close.
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    os.environ.setdefault("DASK_LOGGING__DISTRIBUTED", "error")
    sys.exit(main())
