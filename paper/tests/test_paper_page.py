"""The page "The paper, figure by figure" has the numbers of the committed results, and every figure and table."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def tool():
    if not (ROOT / "results").exists():
        pytest.skip("an sdist has neither the results nor the page")
    pytest.importorskip(
        "jinja2", reason='the page is written with jinja2: pip install "rivals[report]"'
    )
    return runpy.run_path(str(ROOT / "tools" / "paper_page.py"))


def test_the_page_is_what_the_results_say(tool):
    assert tool["PAGE"].read_text(encoding="utf-8") == tool["page"](), (
        "run `python paper/tools/paper_page.py`"
    )


def test_every_result_has_its_section(tool):
    text = tool["PAGE"].read_text(encoding="utf-8")
    names = [path.stem for path in (ROOT / "results").glob("*.json")]
    assert names
    for name in names:
        assert f"`rivals reproduce {name}` · " in text
        assert f"../results/{name}.png" in text


def test_a_statement_that_no_longer_holds_stops(tool):
    assert tool["holds"](True) == ""
    with pytest.raises(AssertionError, match="no longer agrees"):
        tool["holds"](False)
    with pytest.raises(LookupError, match="has 0 comparisons 'nothing'"):
        tool["value"]("process", "nothing")


def test_the_corrections_have_the_numbers_of_the_results(tool):
    text = (ROOT / "docs" / "corrections.md").read_text(encoding="utf-8")
    assert tool["length_of_the_truth"]() in text
    assert tool["counts_table"]() in text
    seconds = [tool["gpu_seconds"](variant) for variant in ("constants as published", "corrected")]
    assert "OUT` ({} s) and `corrected` ({} s".format(*seconds) in text
    six = tool["result"]("neuron-calibration")["numbers"]["valid c"]["constants as published"][
        "0.25"
    ]
    key = "AvsD|Gaussian|low|short|weak"
    assert (
        f"in {100 * six['stated'][key]:.0f} % of the experiments at 2⁻², {100 * six['error'][key]:.1f} % of them wrong"
        in text
    )
    everywhere = tool["result"]("neuron-calibration-all")["numbers"]["verdicts beyond 0.95"][
        "constants as published"
    ]["beta"]["0.25"]
    assert (
        f"conditions {100 * everywhere['wrong']:.1f} % of the stated winners are wrong at 2⁻²"
        in text
    )


def test_the_pages_are_short():
    assert (
        sum(len(page.read_text(encoding="utf-8").split()) for page in (ROOT / "docs").glob("*.md"))
        <= 6000
    )


def test_what_steps_cost_is_as_measured(tool):
    text = (ROOT.parent / "docs" / "paper-method.md").read_text(encoding="utf-8")
    assert f"same c, {tool['steps_row']('alike', '5', 'transport')[4]} % of the rejections" in text


def test_every_equation_of_the_method_has_its_function(tool):
    """Labels of the paper's equations about the method, in the table of the page."""
    text = (ROOT.parent / "docs" / "paper-method.md").read_text(encoding="utf-8")
    for label in (
        "empirical-risk", "expected-risk_1d", "delta-EMD_def", "def_qs", "def_delta-emd", "hbp_boundaries", "assignment_subincrements", "def-r-v",
        "root-problem-for-alpha-beta", "empirical-R-dist", "Bemd_def", "Bemd_double-sum", "R-crit", "tail-prob-crit", "theoretical-tail-prob", "def_Bconf", "calib-bound", "BQ_def",
    ):  # fmt: skip
        assert label in text
