"""Run the Python of every page in the environment that its own install line makes.

    python tools/run_pages.py [PAGE …]

A page says what it needs by `pip install …`, the first such line in it; where it says nothing,
`pip install rivals` has to be enough. Each different line is one environment, made by uv; the
rivals that is installed is that of this repository.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LINE = re.compile(
    r"pip install ((?:\"[^\"]+\"|[\w\[\],.>=<-]+)(?: +(?:\"[^\"]+\"|[\w\[\],.>=<-]+))*)"
)
NOTHING_MORE = ("rivals",)


def pages() -> list[Path]:
    """README and the hand-written pages."""
    skipped = {"_build", "auto_examples", "generated"}
    found = sorted((ROOT / "docs").rglob("*.md"))
    return [ROOT / "README.md", *(page for page in found if not skipped & set(page.parts))]


def python_of(text: str) -> str:
    """All blocks of Python, which run in one go."""
    return "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.M))


def needs(text: str) -> tuple[str, ...]:
    """What the page tells its readers to install."""
    for found in LINE.findall(text):
        what = tuple(sorted(part.strip('"') for part in re.findall(r'"[^"]+"|\S+', found)))
        if any(part.split("[")[0] == "rivals" for part in what):
            return what
    return NOTHING_MORE


def environment(folder: Path, what: tuple[str, ...]) -> Path:
    """The Python of a new environment with just this."""
    uv = shutil.which("uv") or str(Path(sys.executable).with_name("uv"))
    here = [
        part.replace("rivals", str(ROOT), 1) if part.startswith("rivals") else part for part in what
    ]
    subprocess.run([uv, "venv", "--quiet", "--python", sys.executable, folder], check=True)
    subprocess.run([uv, "pip", "install", "--quiet", "--python", folder, *here], check=True)
    return folder / "bin" / "python"


def bring_files(page: Path, folder: Path) -> None:
    """Into the folder where a page runs: `PAGE-name.csv`, and what `<!-- file: … -->` names."""
    for path in page.parent.glob(f"{page.stem}-*.csv"):
        shutil.copy(path, folder / path.name.removeprefix(f"{page.stem}-"))
    for name in re.findall(r"^<!-- file: (\S+) -->$", page.read_text("utf-8"), re.M):
        shutil.copy(ROOT / name, folder)


def run(python: Path, page: Path) -> str:
    """The last line of what went wrong; nothing where nothing did."""
    with tempfile.TemporaryDirectory() as folder:
        bring_files(page, Path(folder))
        done = subprocess.run(
            [python, "-c", python_of(page.read_text("utf-8"))],
            cwd=folder,
            env={**os.environ, "MPLBACKEND": "agg", "PYTHONPATH": ""},
            capture_output=True,
            text=True,
            check=False,
        )
    return done.stderr.strip().splitlines()[-1] if done.returncode else ""


def main() -> int:
    """Every page, by its line; 1 if one of them failed."""
    chosen = [Path(name).resolve() for name in sys.argv[1:]] or pages()
    by_line: dict[tuple[str, ...], list[Path]] = {}
    for page in chosen:
        text = page.read_text("utf-8")
        if python_of(text):
            by_line.setdefault(needs(text), []).append(page)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (what, those) in enumerate(by_line.items()):
            began = time.perf_counter()
            python = environment(Path(folder) / str(number), what)
            print(f"pip install {' '.join(what)}  ({time.perf_counter() - began:.0f} s)")
            for page in those:
                began = time.perf_counter()
                wrong = run(python, page)
                failed += bool(wrong)
                seconds = time.perf_counter() - began
                print(
                    f"  {page.relative_to(ROOT)}: {wrong or 'runs'}  ({seconds:.0f} s)", flush=True
                )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
