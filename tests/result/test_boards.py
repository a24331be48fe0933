"""What a page says of boards is what was committed."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "howto" / "many-models.md"
BOARDS = json.loads((ROOT / "benchmarks" / "results" / "boards.json").read_text("utf-8"))["boards"]


@pytest.mark.parametrize("training", ["fitted before", "left out, losses only"])
def test_equal_boards(training):
    own = [x for x in BOARDS if x["board"] == "equal" and x["training"] == training]
    rates = [round(each["some rejection %"]) for each in own]
    assert [each["models"] for each in own] == [10, 30, 100]
    text = PAGE.read_text("utf-8")
    assert f"in {rates[0]}, {rates[1]} and {rates[2]} % of {own[0]['runs']} boards" in text


def test_wrong_rejections():
    text = PAGE.read_text("utf-8")
    (most,) = re.findall(r"at most ([\d.]+) % of all rejections were wrong", text)
    others = [x["wrong of all rejections %"] for x in BOARDS if x["board"] != "equal"]
    assert max(others) <= float(most)
