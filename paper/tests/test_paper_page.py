"""The page of the paper has the numbers of the committed results, and every figure and table."""

import json
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT.parent / "docs" / "paper"


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
        assert f"../../paper/results/{name}.png" in text


def test_a_statement_that_no_longer_holds_stops(tool):
    assert tool["holds"](True) == ""
    with pytest.raises(AssertionError, match="no longer agrees"):
        tool["holds"](False)
    with pytest.raises(LookupError, match="has 0 comparisons 'nothing'"):
        tool["value"]("process", "nothing")


def test_the_corrections_have_the_numbers_of_the_results(tool):
    pages = ("corrections.md", "ideas.md")
    text = "\n".join((PAGES / page).read_text(encoding="utf-8") for page in pages)
    for table in ("copies_table", "replications_table"):
        assert tool[table]() in text, table
    for row, key in (("abc", "B"), ("abc", "gap"), ("def", "B"), ("def", "gap")):
        assert tool["spectra"](row, key) in text
    seconds = [
        tool["gpu_seconds"](variant)
        for variant in (
            "constants as published",
            "corrected",
            "replications, constants as published",
            "replications, corrected",
        )
    ]
    first, second, third, fourth = seconds
    assert f"OUT` ({first} s of one H200) and `corrected` ({second} s)" in text
    assert f"OUT`, {third} and {fourth} s of one H200" in text


def test_what_the_corrections_say_of_both_rules(tool):
    """Two conditions that the rule on winners let pass, or nearly, break the paper's bound."""
    valid = tool["result"]("neuron-calibration")["numbers"]["valid c"]
    six = valid["constants as published"]["0.25"]
    for key in ("AvsD|Gaussian|low|short|weak", "CvsD|Gaussian|low|short|weak"):
        assert not six["bound"]["conditions"][key]["kept"]
    assert six["verdict"]["AvsD|Gaussian|low|short|weak"] == "valid"
    bins = [
        1 - row["bound"]["broken bins"] / row["bound"]["bins"]
        for c, row in valid["original study"].items()
        if 2.0**-4 <= float(c) <= 1
    ]
    text = (PAGES / "corrections.md").read_text(encoding="utf-8")
    assert f"{100 * min(bins):.0f} to {100 * max(bins):.0f} % of the bins do" in text
    found = tool["result"]("neuron-calibration")["numbers"]["truth is a replication"]
    for name, by in found.items():
        if "law" in name:
            for row in by["replication"].values():
                assert row["valid"] < row["of"]
                assert row["bound"]["kept"] < row["of"]


def test_a_c_that_states_no_winner_is_not_called_valid(tool):
    """In all three results that judge calibrations."""
    found = tool["result"]("blackbody-calibration")["numbers"]
    judged = [row["judged"] for by in found.values() for row in by.values()]
    silent = [each for each in judged if each["named"] == 0]
    assert silent
    assert all(each["says nothing"] and not each["valid"] for each in silent)
    for name, key in (
        ("neuron-calibration", "valid c"),
        ("neuron-calibration-all", "valid c, all that was tried"),
    ):
        results = tool["result"](name)["numbers"][key]
        rows = [row for by in results.values() for row in by.values()]
        assert any(row["says nothing"] for row in rows)
        for row in rows:
            assert "kept" in row["bound"]
            speaking = sum(part > 0 for part in row["stated"].values())
            assert row["valid"] <= speaking
            assert row["says nothing"] <= row["of"] - speaking


def test_every_public_name_of_emdcmp_is_mapped(tool):
    """Those of its release 1.1.1: what its modules list in `__all__`, or define without one."""
    text = (PAGES / "from-emdcmp.md").read_text(encoding="utf-8")
    for name in (
        *("Bemd", "draw_R_samples", "make_empirical_risk_ppf", "interp1d", "Config", "config"),
        *("generate_quantile_paths", "generate_path_hierarchical_beta"),
        *("Calibrate", "EpistemicDist", "CalibrateOutput", "Experiment", "unpack_results"),
        *("calibration_plot", "calibration_bins", "calibration_hists", "CalibrationPlotElements"),
        *("compare_matrix", "get_bin_sizes", "GitSHA", "digitize", "memoize"),
    ):
        assert name in text, name


def test_why_the_authors_name_more_winners(tool):
    text = (PAGES / "corrections.md").read_text(encoding="utf-8")
    authors, low, mean, high, _, straight = tool["stated_rates"]()
    assert f"is {authors} % by the authors; of the copies, {low} to {high} %, mean {mean}" in text
    assert f"a mean rate of {mean} %, straight pieces {straight} %" in text


def test_what_counts_and_voltages_recognise(tool):
    text = (PAGES / "corrections.md").read_text(encoding="utf-8")
    found = json.loads(
        (ROOT / "benchmarks" / "results" / "spike_counts.json").read_text(encoding="utf-8")
    )
    counts = "the cell that made the data is better by counts"
    by = found["conditions, 100 ms"]
    others = [row for key, row in by.items() if not key.startswith("AvsB")]
    assert all(row[counts] == 1.0 for row in others)
    voltages = [100 * row["by voltages"] for row in others]
    assert f"voltages in {min(voltages):.0f} to {max(voltages):.0f} %" in text
    weak = by["AvsB|Gaussian|low|short|weak"]
    words = "in {:.0f} % and voltages in {:.0f} %"
    assert words.format(100 * weak[counts], 100 * weak["by voltages"]) in text
    longer = [
        100 * found["conditions, 500 ms"][f"AvsB|Gaussian|low|short|{input}"][counts]
        for input in ("weak", "strong")
    ]
    assert "({:.0f} and {:.0f} %)".format(*longer) in text


def test_what_the_length_of_the_truth_does(tool):
    text = (PAGES / "corrections.md").read_text(encoding="utf-8")
    found = tool["result"]("neuron-calibration")["numbers"]["length of the truth"]["corrected"]
    parts = [
        "{:.0f} and {:.0f} % of".format(
            *(
                100 * found[f"{pair}|Gaussian|low|short|{input}"]["long and fresh agree"]
                for input in ("weak", "strong")
            )
        )
        for pair in ("CvsD", "AvsB")
    ]
    assert all(part in text for part in parts)


def test_every_equation_of_the_method_has_its_function(tool):
    """Labels of the paper's equations about the method, in the table of the page."""
    text = (PAGES / "method.md").read_text(encoding="utf-8")
    for label in (
        "empirical-risk",
        "expected-risk_1d",
        "delta-EMD_def",
        "def_qs",
        "def_delta-emd",
        "hbp_boundaries",
        "assignment_subincrements",
        "def-r-v",
        "root-problem-for-alpha-beta",
        "empirical-R-dist",
        "Bemd_def",
        "Bemd_double-sum",
        "R-crit",
        "tail-prob-crit",
        "theoretical-tail-prob",
        "def_Bconf",
        "calib-bound",
        "BQ_def",
    ):
        assert label in text
