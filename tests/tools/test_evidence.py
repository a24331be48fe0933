"""The page "Does it work?" and the paper have the numbers of the committed results."""

import json
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BY_POINTS = "elpd ± SE of points, by points"
DECIDES = "rivals, as compare decides"


@pytest.fixture(scope="module")
def evidence():
    return runpy.run_path(str(ROOT / "tools" / "evidence.py"))


@pytest.mark.parametrize("name", ["PAGE", "PAPER"])
def test_tables_are_those_of_the_results(evidence, name):
    text = evidence[name].read_text(encoding="utf-8")
    assert evidence["page"](text) == text
    assert text.count("<!-- end -->") >= {"PAGE": 13, "PAPER": 1}[name]


@pytest.mark.parametrize("name", ["PAGE", "PAPER"])
def test_numbers_in_running_text_are_those_of_the_results(evidence, name):
    text = " ".join(evidence[name].read_text(encoding="utf-8").split())
    found = json.loads((evidence["RESULTS"] / "real.json").read_text(encoding="utf-8"))
    data = found["data"].values()
    points = f"{sum(one['points'] for one in data):,}".replace(",", " ")
    groups = f"{sum(one['groups'] for one in data):,}".replace(",", " ")
    new = sum(one["chosen"] != "first" for one in data)
    ten = found["left out"]["10"]
    error, spread = ten[DECIDES]["error"]["study"]
    wanted = [
        f"{len(data)} public data sets",
        f"{points} points in {groups}",
        f"{new} of the {len(data)} data sets",
        f"{error:.1f} ± {spread:.1f}",
        f"{ten[BY_POINTS]['stated']:.0f} ",
        f"{ten[DECIDES]['stated']:.0f} ",
    ]
    for words in wanted:
        assert words in text


def test_numbers_about_families_with_groups_are_those_of_the_results(evidence):
    text = " ".join(evidence["PAGE"].read_text(encoding="utf-8").split())
    found = json.loads((evidence["RESULTS"] / "groups.json").read_text(encoding="utf-8"))
    chosen = [found["verdicts"][n_groups] for n_groups in ("4", "8", "30")]
    oracle = [found["oracle"][n_groups] for n_groups in ("4", "8", "30")]
    pooled = [by["pooled"] for by in chosen]
    apart = [by["rare reversal"] for by in chosen]
    offset = found["next group"]["30"]["offset"]
    nats = found["margins"]["0.05 nats"].values()
    spread = found["margins"]["the spread"]
    eight = spread["8"]["pooled"]["equivalent"]
    twenty = spread["20"]["pooled"]["equivalent"]
    half = found["margins"]["½ of the spread"]["30"]["pooled"]["equivalent"]
    ratios = [one["m = G"]["stated"] / one["m = 1"]["stated"] for one in pooled]
    wanted = [
        f"loses {three(one['m = G']['error']['G'] for one in pooled)} % with 4, 8 and 30 groups",
        f"states {three(ratios)} times",
        f"could state {three((one['G'] for one in oracle), 0)} % of the studies",
        f"and {three((one['1'] for one in oracle), 0)} % of the next groups",
        f"lose {three((one['m = G']['error']['G'] for one in apart), 0)} % of repeated studies",
        f"wrong in {three((one['m = ∞']['error']['∞'] for one in apart), 0)} %",
        f"{offset['normal']:.1f} → {offset['residual']:.1f} with 30 groups",
        f"at most {max(by['pooled']['equivalent']['error'] for by in nats):.1f} % of what",
        f"stated in {eight['stated']:.1f} % of the problems",
        f"and {eight['error']:.1f} ± {eight['error_se']:.1f} % of that is false",
        f"bring this to {twenty['error']:.1f} ± {twenty['error_se']:.1f} %",
        f"with thirty groups {half['error']:.1f} ± {half['error_se']:.1f} % of it",
    ]
    for words in wanted:
        assert words in text


def three(values, digits=1):
    """Three numbers as a sentence has them."""
    first, second, third = (f"{value:.{digits}f}" for value in values)
    return f"{first}, {second} and {third}"


def test_the_paper_is_as_long_and_cites_what_it_has(evidence):
    text = evidence["PAPER"].read_text(encoding="utf-8").split("---", 2)[2]
    prose = re.sub(r"```.*?```|<!--.*?-->", " ", text, flags=re.DOTALL)
    words = [word for word in prose.split() if re.search(r"\w", word)]
    assert len(words) <= 1200
    cited = set(re.findall(r"@(\w+\d{4})", prose))
    known = set(re.findall(r"@\w+\{(\w+),", (ROOT / "joss" / "paper.bib").read_text("utf-8")))
    assert cited == known
