"""The page "The paper, figure by figure" has the numbers of the committed results, and every figure
and table.
"""

import json
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
    for table in ("length_of_the_truth", "counts_table", "copies_table", "replications_table"):
        assert tool[table]() in text, table
    assert tool["true_cell_table"]() in text
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
    assert [f"{100 * part:.0f}" for part in (min(bins), max(bins))] == ["74", "89"]
    found = tool["result"]("neuron-calibration")["numbers"]["truth is a replication"]
    for name, by in found.items():
        if "law" in name:
            for row in by["replication"].values():
                assert row["valid"] < row["of"]
                assert row["bound"]["kept"] < row["of"]


def test_what_is_said_of_the_six_conditions(tool):
    """In the authors' experiments, in words, on both pages."""
    valid = tool["result"]("neuron-calibration")["numbers"]["valid c"]
    authors = {float(c): row for c, row in valid["original study"].items()}
    kept = {
        (c, key): each["kept"]
        for c, row in authors.items()
        for key, each in row["bound"]["conditions"].items()
    }
    pair = [kept[c, key] for c, key in kept if key.startswith("CvsD") and c <= 1]
    assert pair
    assert all(pair)
    assert sum(kept[c, key] for c, key in kept if key.startswith("A")) == 1
    hardly = [
        part
        for c, row in authors.items()
        for key, part in row["stated"].items()
        if key.startswith("CvsD") and 0.25 <= c <= 1
    ]
    assert max(hardly) < 0.005
    with_a = {c: _of_a(row["error"]) for c, row in authors.items()}
    wrong = [100 * each for c in (2.0**-4, 2.0**-2, 1.0) for each in with_a[c]]
    assert [f"{each:.0f}" for each in (min(wrong), max(wrong))] == ["11", "20"]
    stated = [
        [100 * each for each in _of_a(valid[name]["1"]["stated"])]
        for name in ("original study", "as published")
    ]
    assert [f"{each:.0f}" for each in (min(stated[0]), max(stated[0]))] == ["14", "20"]
    assert [f"{each:.0f}" for each in (min(stated[1]), max(stated[1]))] == ["4", "5"]
    copies = tool["result"]("neuron-calibration")["numbers"]["copies: wrong and stated"]
    parts = copies["AvsB|Gaussian|low|short|weak"]["0.25"]["stated"]
    assert [f"{100 * each:.0f}" for each in (min(parts), max(parts))] == ["5", "59"]


def _of_a(by_condition):
    return [value for key, value in by_condition.items() if key.startswith("A")]


def test_a_c_that_states_no_winner_is_not_called_valid(tool):
    """In all three results that judge calibrations."""
    found = tool["result"]("blackbody-calibration")["numbers"]
    judged = [row["judged"] for by in found.values() for row in by.values()]
    silent = [each for each in judged if each["reason"] == "no winner is stated"]
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


def test_what_is_said_of_black_body_radiation(tool):
    """Numbers that stand in sentences."""
    numbers = tool["result"]("blackbody-calibration")["numbers"]
    mended = numbers["published experiments, exact process"]
    right = [100 * mended[f"2^-{k}"]["picks the truly better model"] for k in (15, 12, 9, 6, 3)]
    assert [f"{each:.1f}" for each in (min(right), max(right))] == ["98.5", "98.7"]
    scores = sorted(
        abs(tool["_score"](row))
        for row in tool["rows"]("blackbody-calibration", ".*", "as published")
    )
    assert len(scores) == 24
    assert scores[-2] < 2.7 < 3.35 < scores[-1] < 3.45
    risks = [
        tool["result"]("blackbody-rdists")["numbers"][panel]["corrected"][law]["empirical_risk"]
        for panel in "ghi"
        for law in ("Planck", "Rayleigh-Jeans")
    ]
    assert [f"{each:.2f}" for each in (min(risks), max(risks))] == ["-0.07", "2.24"]
    spectra = tool["result"]("blackbody-rdists")["numbers"]["many spectra"]
    for panel in spectra.values():
        same, another = (panel[f"fitted to {which}"]["B"][1] for which in ("the same", "another"))
        assert abs(same - another) < 0.02
    text = (ROOT / "docs" / "corrections.md").read_text(encoding="utf-8")
    at_c = [
        tool["value"]("blackbody-rdists", rf"observed spectrum, c = 2.{k}.*") for k in ("-3", "0")
    ]
    assert "{:.0f} and {:.0f} %, at the fitted temperature".format(*(100 * b for b in at_c)) in text
    assert million_is_valid(tool, (-9, -6, -3, 0, 1, 2, 3, 4))
    assert not million_is_valid(tool, (6,))


def million_is_valid(tool, powers):
    return all(tool["million"](2.0**k)["valid by all"] for k in powers)


def test_what_is_said_of_the_criteria(tool):
    text = (ROOT / "docs" / "corrections.md").read_text(encoding="utf-8")
    odds = tool["span"]("criteria-table", "B\\^EMD.*").replace(" … ", " to ")
    assert f"(log₁₀ odds {odds})" in text
    cell = r"B\^l, 20-1000 µm, L = 32768, gain 2\^20, no bias"
    both = [tool["value"]("criteria-table", cell, each) for each in ("as published", "corrected")]
    assert [f"{each:.2f}" for each in both] == ["-8.50", "6.19"]
    assert "−8.50 becomes +6.19" in text
    clear = tool["values"]("criteria-table", r"B\^l, 15-30 µm, .* gain 2\^20, .*")
    assert len(clear) == 6
    assert f"(log₁₀ odds {min(clear):.1f} to {max(clear):.0f})" in text
    exact = [
        abs(row["ours"] - row["reference"])
        for row in tool["rows"]("criteria-table", r"B\^[lR],.*", "as published")
    ]
    assert len(exact) == 72
    assert max(exact) < 7e-4
    published = tool["rows"]("criteria-table", r"B\^EMD.*", "as published")
    assert len(published) == 36
    assert max(abs(tool["_score"](row)) for row in published) < 2.3
    information = tool["rows"]("criteria", "[AB]IC, .*", "as published")
    near = [abs(row["ours"] - row["reference"]) <= 0.03 for row in information]
    assert (sum(near), len(near)) == (350, 400)
    numbers = tool["result"]("criteria")["numbers"]
    scores = numbers["scores"]
    growth = {
        name: scores["planck,6"][name][-1] - scores["planck,0"][name][-1]
        for name in ("AIC as published", "AIC corrected")
    }
    assert f"{growth['AIC as published']:.0f}" == "179"
    assert f"{growth['AIC corrected']:.1f}" == "6.0"
    spread = numbers["spread of the risk over simulations"]
    halved = spread["planck,0,4096"]["median"] / spread["planck,0,64"]["median"]
    assert 0.45 < halved < 0.55
    noise = tool["result"]("criteria-table")["numbers"]["relative noise"]["20-1000 µm"]
    assert [f"{100 * each:.1g}" for each in noise] == ["9", "2", "0.6", "9", "2", "0.6"]


def test_what_is_said_of_the_neurons(tool):
    risks = tool["neuron_risks"]("as published", ["LP 1"])
    assert f"{risks[0]:.1f}" == "4.3"
    widths = tool["neuron_risks"]("as published", ["A", "B", "C", "D"], "sigma")
    assert [f"{each:.0f}" for each in (min(widths), max(widths))] == ["17", "21"]
    steps = tool["result"]("neuron-calibration")["numbers"]["out of step"]
    for strength in ("weak", "strong"):
        missed = steps[f"AvsB|Gaussian|low|short|{strength}"][
            "residuals of the true cell and of the other, mV"
        ]
        assert 7 < missed["fitted"][0] < 8
        assert [f"{each:.0f}" for each in missed["fifth second"]] in (["13", "13"], ["13", "14"])
    wrong = {"same process": [], "replication": []}
    found = tool["result"]("neuron-calibration")["numbers"]["truth is a replication"]
    for name, errors in wrong.items():
        for c in ("0.25", "1"):
            by = found["constants as published, law beta"][name][c]["error"]
            errors += [100 * each for each in by.values()]
    ranges = [f"{each:.0f}" for errors in wrong.values() for each in (min(errors), max(errors))]
    assert ranges == ["0", "12", "6", "17"]


@pytest.mark.parametrize("strength", ["weak", "strong"])
def test_the_better_of_a_and_b_changes_only_with_twice_the_noise(strength):
    """With the published constants, where the truth is a replication."""
    from rivals_paper.gpu.records import ask
    from rivals_paper.gpu.replications import replication
    from rivals_paper.neuron_runs import MAIN
    from rivals_paper.records import replicated

    key = f"AvsB|Gaussian|low|short|{strength}"
    condition = next(each for each in MAIN if each.key == key)
    same, other = replicated("constants as published", key).values()
    changed = [place for place, one in enumerate(same.truth) if one != other.truth[place]]
    assert len(changed) > 100
    for place in changed:
        first, again = replication(condition, place, ask(condition, place, "published"))
        assert again.drawn.scale > 2 * first.drawn.scale


def test_every_public_name_of_emdcmp_is_mapped():
    """Those of its release 1.1.1: what its modules list in `__all__`, or define without one."""
    text = (ROOT.parent / "docs" / "from-emdcmp.md").read_text(encoding="utf-8")
    for name in (
        *("Bemd", "draw_R_samples", "make_empirical_risk_ppf", "interp1d", "Config", "config"),
        *("generate_quantile_paths", "generate_path_hierarchical_beta"),
        *("Calibrate", "EpistemicDist", "CalibrateOutput", "Experiment", "unpack_results"),
        *("calibration_plot", "calibration_bins", "calibration_hists", "CalibrationPlotElements"),
        *("compare_matrix", "get_bin_sizes", "GitSHA", "digitize", "memoize"),
    ):
        assert name in text, name


def test_why_the_authors_state_more_winners(tool):
    text = (ROOT / "docs" / "corrections.md").read_text(encoding="utf-8")
    authors, low, mean, high, few, straight = tool["stated_rates"]()
    assert f"is {authors} % by the authors; of the copies, {low} to {high} %, mean {mean}" in text
    assert f"mean rate {mean} or {straight} %" in text
    assert f"| {few} % instead of {mean} |" in text
    file = ROOT / "benchmarks" / "results" / "stated_winners.json"
    found = json.loads(file.read_text(encoding="utf-8"))
    rates = found["copies"]["mean of these rates"]
    assert rates["Simpson"]["below the authors"] == 58
    assert rates["straight pieces"]["below the authors"] == rates["straight pieces"]["copies"] == 64
    for by in found["limits"]["stated"].values():
        for row in by.values():
            assert row["mirrored"] == row["exact"]
    related = tool["rows"]("loss-criterion", "Avs.*correlation of ln.*", "as published")
    assert {f"{row['reference']:.2f}" for row in related} == {"0.96"}
    ours = [row["ours"] for row in related]
    assert [f"{each:.2f}" for each in (min(ours), max(ours))] == ["0.94", "0.97"]


def test_what_longer_windows_say_of_counts():
    text = (ROOT / "docs" / "corrections.md").read_text(encoding="utf-8")
    file = ROOT / "benchmarks" / "results" / "spike_counts.json"
    found = json.loads(file.read_text(encoding="utf-8"))["conditions, 500 ms"]
    better = [
        100
        * found[f"AvsB|Gaussian|low|short|{input}"][
            "the cell that made the data is better by counts"
        ]
        for input in ("weak", "strong")
    ]
    assert "({:.0f} and {:.0f} %)".format(*better) in text


def test_the_pages_are_short():
    """All pages about the paper, here and in the documentation."""
    pages = list((ROOT / "docs").glob("*.md"))
    names = ("paper-method", "paper-ideas", "from-emdcmp")
    pages += [ROOT.parent / "docs" / f"{name}.md" for name in names]
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in pages) <= 8000


def test_what_steps_cost_is_as_measured(tool):
    text = (ROOT.parent / "docs" / "paper-method.md").read_text(encoding="utf-8")
    part = tool["steps_row"]("alike", "5", "transport")[4]
    assert f'under law "transport", {part} % of the rejections' in text


def test_every_equation_of_the_method_has_its_function(tool):
    """Labels of the paper's equations about the method, in the table of the page."""
    text = (ROOT.parent / "docs" / "paper-method.md").read_text(encoding="utf-8")
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
