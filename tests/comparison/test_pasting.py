"""Tables to paste: what stands in them, and that no character in a name means anything else."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache

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


@pytest.mark.parametrize("name", ["[A]", "*", "*A*"])
def test_a_line_of_latex_does_not_begin_with_what_belongs_to_the_end_of_the_last(name):
    lines = latex(["model", "n"], [["B", "2"], [name, "1"]]).splitlines()
    assert lines[4].endswith(r"\\")
    assert lines[5].startswith("{" + name[0] + "}")


@pytest.mark.parametrize("name", ["a--b", "``q''", "!`x", "?`", ",,low", "---"])
def test_latex_joins_no_characters(name):
    assert in_latex(name).replace("{}", "") == name
    assert not re.search(r"--|``|''|,,|[!?]`", in_latex(name))


def test_a_minus_is_a_minus_and_a_hyphen_a_hyphen():
    assert in_latex("-0.5") == "$-$0.5"
    assert in_latex("0.1 … -.5") == r"0.1 \ldots{} $-$.5"
    assert in_latex("model-1, 1e-05") == "model-1, 1e-05"


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


@cache
def calibration(*names: str) -> rivals.Calibration:
    omegas = dict.fromkeys(names, toys.omega)
    return rivals.calibrate(
        omegas,
        n_data=100,
        n_experiments=256,
        c=[0.01, 1.0, 64.0],
        n_truth=1000,
        rng=0,
        executor=0,
        progress=False,
    )


def plan() -> rivals.Plan:
    rng = np.random.default_rng(1)
    group = np.repeat(np.arange(8), 50)
    a = rng.exponential(size=400)
    b = a + 0.1 + 0.2 * rng.standard_normal(8)[group]
    return rivals.compare({STRANGE: a, "τ²": b}, groups=group, rng=0).plan([8, 80])


def cells(text: str) -> list[list[str]]:
    table = text.split("\n\n")[0].splitlines()
    return [cells_of_markdown(line) for line in (table[0], *table[2:])]


def test_a_plan_has_the_table_and_the_sentences_that_it_prints():
    found = plan()
    headings, row = cells(found.to_markdown())
    assert headings == ["model", "P now", "8 more", "80 more", "even odds"]
    assert row[0] == found.models[0]
    printed = str(found).splitlines()[2].removeprefix(found.models[0]).split()
    assert " ".join(row[1:]).split() == printed
    assert in_markdown(found.verdict) in found.to_markdown()
    assert "Monte Carlo error at most" in found.to_markdown()
    assert f"% {found.verdict} Monte Carlo error at most" in found.to_latex()


def test_a_calibration_has_a_line_for_each_c_with_what_was_found():
    one = calibration("an Ω")
    headings, *rows = cells(one.to_markdown())
    assert headings[0] == "c"
    assert [row[0] for row in rows] == ["0.01", "1", "64"]
    judged = one.validity().judgements[0]
    for row, judgement, c in zip(rows, judged, one.c, strict=True):
        assert row[1] == f"{judgement.winners.n} of 256"
        assert row[-1] == f"{one.brier_score(c):.3f}"
    assert rows[-1][2:4] == ["", "says nothing"]
    assert in_markdown(one.conclusion) in one.to_markdown()
    assert one.to_latex().endswith(f"% {one.conclusion}")
    two = calibration("an Ω", STRANGE)
    named = [row[0] for row in cells(two.to_markdown())[1:]]
    assert named == ["an Ω"] * 3 + [STRANGE] * 3
    validity = cells(two.validity().to_markdown())
    assert [row[0] for row in validity[1:]] == ["an Ω", STRANGE, "all of them"]
    assert two.validity().to_latex().count(r"\\") == 4


def test_every_table_is_latex(tmp_path):
    """By LaTeX itself, or else by pandoc; with Greek letters, and all that LaTeX has for itself."""
    grouped = results()[2]
    many = calibration("an Ω", STRANGE)
    tables = [
        latex(HEADINGS, BODY, notes=["a note"]),
        *(result.to_latex() for result in results()),
        grouped.groups_table().to_latex(),
        grouped.against("B").to_latex(),
        grouped.pairs.to_latex(),
        plan().to_latex(),
        many.to_latex(),
        many.validity().to_latex(),
        in_latex("αβγδεζηθικλμνξπρςστυφχψω ΓΔΘΛΞΠΣΦΨΩ 10 µm² ≤ ½"),
    ]
    page = [r"\documentclass{article}", r"\begin{document}", *tables, r"\end{document}"]
    (tmp_path / "page.tex").write_text("\n\n".join(page), encoding="utf-8")
    if shutil.which("pdflatex"):
        command = ["pdflatex", "-halt-on-error", "page.tex"]
    elif shutil.which("pandoc"):
        command = ["pandoc", "page.tex", "--to", "markdown", "--fail-if-warnings"]
    else:
        pytest.skip("neither LaTeX nor pandoc is here")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr


@pytest.mark.parametrize("name", names.NAMES.values(), ids=list(names.NAMES))
def test_names_from_outside_stay_in_their_cells(name):
    body = [[show(name), "1"], ["B", "2"]]
    lines = markdown(["model", "n"], body).splitlines()
    assert [cells_of_markdown(line) for line in lines[2:]] == [
        [show(name).strip(), "1"],
        ["B", "2"],
    ]
    assert len(latex(["model", "n"], body).splitlines()) == 8
