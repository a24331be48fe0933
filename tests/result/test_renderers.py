"""One table and its renderers: names mean themselves in each."""

import json
import re
from html.parser import HTMLParser
from math import inf, nan

from rivals._result.renderers import Column, Table, markdown, plain

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "a | b \\| c",
    "[text](http://example.org)",
    "![](http://example.org/x.png)",
    "\\input{/etc/passwd}",
    "100 % & $x_1^2$ ~ #1 {}",
    "`code` *bold*",
    "名前 \u200c",
]


def table(names=("A", "B"), losses=(1.0, 12.5)):
    return Table(
        (
            Column("model", names, is_text=True),
            Column("loss", list(losses), lambda value: f"{value:.1f}"),
            Column("low", [0.5] * len(names), over="interval"),
            Column("high", [1.5] * len(names), over="interval"),
        ),
        ("A note.",),
    )


def test_text_is_aligned():
    assert table().text().splitlines() == [
        "                interval",
        "model   loss   low   high",
        "A        1.0   0.5   1.5",
        "B       12.5   0.5   1.5",
    ]
    assert str(table()).endswith("B       12.5   0.5   1.5\nA note.")


class Cells(HTMLParser):
    """The text of all cells, and every tag."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.cells = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_data(self, data):
        self.cells[-1] += data


def test_html_holds_the_names_and_no_tag_of_theirs():
    found = Cells(table(HOSTILE, [1.0] * len(HOSTILE)).html())
    assert found.tags == {"table", "thead", "tbody", "tr", "th", "td"}
    assert found.cells[6::4] == HOSTILE


def test_markdown_holds_the_names_and_no_markup_of_theirs():
    lines = table(HOSTILE, [1.0] * len(HOSTILE)).markdown().splitlines()
    assert len(lines) == 2 + len(HOSTILE)
    for line, name in zip(lines[2:], HOSTILE, strict=True):
        cell = line.split(" | 1.0 | ")[0].removeprefix("| ")
        assert cell == markdown(name)
        # Behind a backslash a sign means itself; no other sign means anything.
        assert not set("`*[]<|") & set(re.sub(r"\\.", "", cell))
    assert markdown("A_1 (P = 0.9)") == "A_1 (P = 0.9)"


def test_latex_holds_the_names_and_no_command_of_theirs():
    text = table(HOSTILE, [1.0] * len(HOSTILE)).latex()
    assert "\\input" not in text
    assert "\\textbackslash input\\{/etc/passwd\\}" in text
    assert "100 \\% \\& \\$x\\_1\\^{}2\\$ \\~{} \\#1 \\{\\}" in text
    assert text.count("\\\\\n") == 2 + len(HOSTILE)


def test_json_knows_neither_infinity_nor_numbers_that_are_missing():
    values = [1.0, inf, -inf, nan, (nan, 1.0), "text", None, True]
    assert plain(values) == [1.0, "inf", "-inf", None, [None, 1.0], "text", None, True]
    assert json.dumps(plain(values), allow_nan=False)


def test_the_first_rows_alone():
    assert table().first(1).rows == [("A", "1.0", "0.5", "1.5")]
