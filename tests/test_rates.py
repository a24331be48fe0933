"""Every rate that is measured stands with its own number of data sets: pages, prints, methods."""

from __future__ import annotations

import importlib
import json
import re
from pathlib import Path

import numpy as np
import pytest

import rivals
from rivals._result import sentences as say
from rivals._result.track_record import LEAST_DATA_SETS, cell_for, cells, one_data_set

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# The paper's own rates stand in its reproduction; decisions tell of mistakes, not of rates.
APART = {"_build", "paper", "decisions"}
PAGES = [page for page in PAGES if not APART & set(page.parts)]
NUMBER = re.compile(r"<!-- measured: (.*?) -->(.*?)<!-- \. -->")
MADE = re.compile(r"^<!-- (?:made|picture): .*?^<!-- end -->", re.DOTALL | re.M)
RATE = re.compile(r"\d(?: ± [\d.]+)? ?(?:%|points)")
# Of what a rate is.
CASES = re.compile(
    r"\d+ (?:real |public |development |simulated )*(?:data sets|studies|problems|boards|families"
    r"|worlds|experiments)"
)
# Simulated studies are as many in a whole paragraph.
SIMULATED = re.compile(r"\d+ (?:simulated (?:pairs|studies|boards)|studies of each kind)")
# Not a rate: what a limit or an interval is made for, and the size of an effect.
NOMINAL = re.compile(
    r"interval|nominal|made for|threshold|confidence|probability of|one decision|no more than"
    r"|at most|are named for|may vary|gains differ|below|fewer than|asks that|by up to"
)


def text_of(page):
    """A page without its code."""
    return re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.M)


def calls():
    return [
        pytest.param(page, call, shown, id=f"{page.stem}: {call}")
        for page in PAGES
        for call, shown in dict.fromkeys(NUMBER.findall(text_of(page)))
    ]


@pytest.mark.parametrize(("page", "call", "shown"), calls())
def test_a_number_of_a_page_is_that_of_the_results_and_has_its_cases(
    page, call, shown, monkeypatch
):
    pytest.importorskip("matplotlib")
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "explanation"))
    module = call.split(".")[0]
    value = str(eval(call, {module: importlib.import_module(module)}))
    assert shown == value, "python tools/write_pages.py"
    if RATE.search(value) and not CASES.search(value):
        paragraph = next(one for one in text_of(page).splitlines() if call in one)
        assert SIMULATED.search(paragraph), f"{page.name}: {call} gives {value!r}, a rate of what?"


def sentences(text):
    """Dots within code or numbers end none; a table belongs to what leads to it."""
    text = re.sub(r"\n+\|", " |", text)
    return re.split(r"(?<=[.!?:]) (?=[A-Z*`{\[])|\n", text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_holds_a_copy_of_a_rate_without_its_cases(page):
    for sentence in sentences(NUMBER.sub("", MADE.sub("", text_of(page)))):
        written = re.sub(r'`[^`]*`|"[^"]*"', "", sentence)
        if re.search(r"\d ?%", written) and not NOMINAL.search(written):
            assert CASES.search(written), f"{page.name}: {sentence!r}"


def test_the_front_page_says_how_many_data_sets_were_judged():
    sets = json.loads((RESULTS / "one_data_set.json").read_text("utf-8"))["prior"]["n_data_sets"]
    assert f"On {sets} real data sets" in (ROOT / "README.md").read_text("utf-8")


# ---------------------------------------------------------------- what the library says


def study(n_groups, *, left_out, gap=0.5):
    """Two models, the first better by a gap that varies between groups by 0.3."""
    rng = np.random.default_rng(3)
    group = np.repeat(np.arange(n_groups), 40)
    base = rng.exponential(size=group.size)
    other = base + gap + 0.3 * rng.standard_normal(n_groups)[group]
    models = {"A": base, "B": other}
    source = rivals.Provenance(loss="negative log density", left_out=left_out)
    losses = {
        name: rivals.Losses(each, groups=group, source=source) for name, each in models.items()
    }
    return rivals.compare(losses)


@pytest.mark.parametrize("left_out", [True, False])
@pytest.mark.parametrize("n_groups", [4, 5, 6, 8, 10, 20])
def test_print_methods_and_json_carry_one_cell_with_its_own_numbers(n_groups, left_out):
    result = study(n_groups, left_out=left_out, gap=0.9)
    if not result.rejections:
        pytest.skip("no winner is named")
    probability = min(each.probability for each in result.rejections.values())
    recorded = result.method.recorded_as(result.summary, result.setting)
    cell = cell_for(recorded, n_groups, probability)
    said = result.to_dict()["track_record"]
    if cell is None:
        assert said is None
        assert "Track record" not in str(result) + result.methods()
        return
    assert cell.n_data_sets >= LEAST_DATA_SETS
    assert cell.low < probability <= cell.high
    assert said["n_data_sets"] == cell.n_data_sets
    rate = say.rate(cell.won, cell.standard_error)
    for text in (str(result), result.methods(), result.details()):
        (sentence,) = [one for one in re.split(r"(?<=\.) |\n", text) if "Track record" in one]
        assert rate in sentence
        assert f"{cell.n_data_sets} real data sets" in sentence
        assert f"{cell.n_pairs} pairs" in sentence


def test_no_rate_of_a_print_is_without_its_data_sets():
    for result in (study(10, left_out=True), study(20, left_out=False), study(3, left_out=None)):
        for text in (str(result), result.methods(), result.details(), result.conclusion):
            for sentence in re.split(r"(?<=\.) |\n", text):
                if re.search(r"\d ± [\d.]+ %", sentence):
                    assert CASES.search(sentence), sentence


def test_one_data_set_says_of_how_many_its_distribution_of_c_is():
    rng = np.random.default_rng(0)
    y = rng.standard_normal(500)
    losses = {
        name: rivals.Losses(
            0.5 * (y - m) ** 2, 0.5 * (rng.standard_normal((8, 500)) * (1 + m) - m) ** 2
        )
        for name, m in (("A", 0.0), ("B", 0.4))
    }
    result = rivals.compare(losses)
    words = f"{one_data_set().n_data_sets} real data sets"
    for text in (str(result), result.methods(), result.conclusion):
        assert words in text


def test_the_record_is_that_of_the_committed_results():
    """The same bands as the files that pages read, which score.py makes of the same judgements."""
    known = {}
    for row in json.loads((RESULTS / "real.json").read_text("utf-8"))["cells"]:
        for band in filter(None, row.get("reliability", ())):
            key = row["design"], row["method"], row["groups"], band["low"], band["high"]
            known[key] = band["won"]
    for row in json.loads((RESULTS / "reliability.json").read_text("utf-8"))["bands"]:
        key = row["design"], "rivals", row["groups"], row["low"], row["high"]
        if key in known:
            assert known[key] == row["won"]
    methods = {
        "fitted before": ("frozen", "rivals"),
        "left out": ("left out", "rivals"),
        "left out, losses only": ("left out", "rivals, losses only"),
    }
    of_groups = [each for each in cells() if (each.units, each.loss) == ("groups", "log")]
    assert of_groups
    for cell in of_groups:
        won = known[*methods[cell.training], cell.n_units, cell.low, cell.high]
        assert won["data_sets"] == cell.n_data_sets
        assert won["pairs"] == cell.n_pairs
        # Written with two and four digits of a percentage.
        assert won["value"] == pytest.approx(100 * cell.won, abs=0.02)
        assert won["error"] == pytest.approx(100 * cell.standard_error, abs=0.02)
    rows = {
        (row["design"], row["method"], row["rows"], band["low"], band["high"]): band["won"]
        for row in json.loads((RESULTS / "rows.json").read_text("utf-8"))["rows"]
        for band in filter(None, row["bands"])
    }
    methods["fitted before"] = "fitted before", "rivals, fitted before"
    found = 0
    for cell in (each for each in cells() if (each.units, each.loss) == ("rows", "log")):
        won = rows.get((*methods[cell.training], cell.n_units, cell.low, cell.high))
        if won is not None:
            found += 1
            assert won["pairs"] == cell.n_pairs
            assert won["value"] == pytest.approx(100 * cell.won, abs=0.02)
    assert found
    prior = json.loads((RESULTS / "one_data_set.json").read_text("utf-8"))["prior"]
    assert one_data_set().median_c == prior["median_c"]
    assert one_data_set().n_data_sets == prior["n_data_sets"]


def test_no_rate_is_a_constant_of_the_code():
    """Rates come from track_record.json; no sentence of the library holds one."""
    for path in (ROOT / "src" / "rivals").rglob("*.py"):
        code = re.sub(r'""".*?"""', "", path.read_text("utf-8"), flags=re.DOTALL)
        found = re.findall(r"\d ± [\d.]+ %", code)
        assert not found, f"{path.name}: {found}"
