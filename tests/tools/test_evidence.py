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
    assert text.count("<!-- end -->") >= {"PAGE": 8, "PAPER": 1}[name]


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


def test_the_paper_is_as_long_and_cites_what_it_has(evidence):
    text = evidence["PAPER"].read_text(encoding="utf-8").split("---", 2)[2]
    prose = re.sub(r"```.*?```|<!--.*?-->", " ", text, flags=re.DOTALL)
    words = [word for word in prose.split() if re.search(r"\w", word)]
    assert len(words) <= 1200
    cited = set(re.findall(r"@(\w+\d{4})", prose))
    known = set(re.findall(r"@\w+\{(\w+),", (ROOT / "joss" / "paper.bib").read_text("utf-8")))
    assert cited == known
