"""Tables to paste: what stands in them, and that no character in a name means anything else."""

from __future__ import annotations

import shutil
import subprocess

import numpy as np
import pytest

import rivals
from rivals._say.words import show
from rivals.comparison.pasting import LATEX, in_latex, in_markdown, latex, markdown
from rivals.testbeds import toys
from stress import names

STRANGE = r"a|b_c*d*`e` <f> $g$ & 50 % #h {i} \j ~k ^l -1"
HEADINGS = ["model", "difference"]
BODY = [[STRANGE, "-0.5 ± 0.1"], ["B", ""]]


def cells_of_markdown(line: str) -> list[str]:
    """What a reader of Markdown has of a row: split at bars without a backslash before them."""
    cells, cell, escaped = [], "", False
    for character in line.strip().strip("|"):
        if escaped or character not in "\\|":
            cell += character
            escaped = False
        elif character == "\\":
            escaped = True
        else:
            cells.append(cell.strip())
            cell = ""
    return [*cells, cell.strip()]


def test_markdown_gives_back_every_cell():
    lines = markdown(HEADINGS, BODY).splitlines()
    assert set(lines[1]) == {"|", "-", " "}
    read = [cells_of_markdown(line) for line in (lines[0], *lines[2:])]
    assert read == [HEADINGS, *BODY]


def test_markdown_is_read_as_a_table():
    parser = pytest.importorskip("markdown_it").MarkdownIt("commonmark").enable("table")
    html = parser.render(markdown(HEADINGS, BODY, notes=["B: *few* points"]))
    assert html.count("<td>") == 4
    assert "<em>" not in html
    assert "<code>" not in html
    assert "a|b_c*d*`e` &lt;f&gt; $g$ &amp; 50 % #h {i} \\j ~k ^l -1" in html


def test_latex_has_no_character_left_that_it_would_take_for_a_command():
    text = in_latex(STRANGE)
    for kept in LATEX.values():
        text = text.replace(kept, "")
    assert not set(text) & set(r"\{}&%$#_~^<>|")


def test_a_minus_is_a_minus_and_a_hyphen_a_hyphen():
    assert in_latex("-0.5") == "$-$0.5"
    assert in_latex("0.1 … -.5") == r"0.1 \ldots{} $-$.5"
    assert in_latex("model-1, 1e-05") == "model-1, 1e-05"


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX here")
def test_latex_compiles(tmp_path):
    table = latex(HEADINGS, BODY, notes=["a note"])
    page = "\n".join([r"\documentclass{article}", r"\begin{document}", table, r"\end{document}"])
    (tmp_path / "page.tex").write_text(page, encoding="utf-8")
    subprocess.run(
        ["pdflatex", "-halt-on-error", "page.tex"], cwd=tmp_path, check=True, capture_output=True
    )


def results() -> list[rivals.Comparison]:
    rng = np.random.default_rng(0)
    y = rng.standard_normal(60)
    few = {
        STRANGE: (y**2 / 2, rng.standard_normal((16, 60)) ** 2 / 2),
        "B": (y**2 / 8 + 1, rng.standard_normal((16, 60)) ** 2 / 2),
    }
    grouped = {name: pair[0] for name, pair in few.items()}
    return [
        rivals.compare(toys.losses(), rng=0),
        rivals.compare(few, rng=0),
        rivals.compare(grouped, groups=np.arange(60) % 6, rng=0),
    ]


@pytest.mark.parametrize("result", results())
def test_a_comparison_has_one_line_for_each_model_and_all_notes(result):
    as_markdown = result.to_markdown().splitlines()
    assert [cells_of_markdown(line)[0] for line in as_markdown[2 : 2 + len(result.names)]] == list(
        result.ranking
    )
    as_latex = result.to_latex().splitlines()
    rows = [line for line in as_latex if line.endswith(r"\\")]
    assert [row.split(" & ")[0] for row in rows[1:]] == [in_latex(n) for n in result.ranking]
    for notes in result.diagnostics.values():
        for note in notes:
            assert in_markdown(note.text) in result.to_markdown()
            assert note.text in result.to_latex()


def test_a_sweep_and_the_pairs_have_the_rows_that_they_print():
    result = rivals.compare(toys.losses(), rng=0)
    sweep = result.sweep([0.25, 1.0])
    lines = sweep.to_markdown().splitlines()
    assert [cells_of_markdown(line) for line in lines[2:3]] == [["0.25 … 1", "A"]]
    assert lines[-1] == in_markdown(sweep.verdict)
    assert r"\begin{tabular}{ll}" in sweep.to_latex()
    pairs = result.pairs
    assert cells_of_markdown(pairs.to_markdown().splitlines()[2]) == pairs.cells()[0]
    assert r"\begin{tabular}{lll}" in pairs.to_latex()


@pytest.mark.parametrize("name", names.NAMES.values(), ids=list(names.NAMES))
def test_names_from_outside_stay_in_their_cells(name):
    body = [[show(name), "1"], ["B", "2"]]
    lines = markdown(["model", "n"], body).splitlines()
    assert [cells_of_markdown(line) for line in lines[2:]] == [
        [show(name).strip(), "1"],
        ["B", "2"],
    ]
    assert len(latex(["model", "n"], body).splitlines()) == 8
