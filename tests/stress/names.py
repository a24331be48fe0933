"""Names that try to be more than text, through everything that shows a name."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
import tempfile
import time
import unicodedata
import warnings
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np

import rivals

# Each calls `boom` where it is taken for code.
NAMES = {
    "script": "</script><script>boom()</script>",
    "image": "<img src=x onerror=boom()>",
    "attribute": '" onmouseover="boom()" x="',
    "svg": "'><svg onload=boom()>",
    "CDATA": "]]><script>boom()</script><![CDATA[",
    "comment": "--><script>boom()</script><!--",
    "entity": "&lt;script&gt;boom()&lt;/script&gt;",
    "address": "javascript:boom()",
    "template": "{{ 7 * 7 }}{% raw %}${boom()}",
    "escape": "\x1b[31mred\x1b]0;title\x07",
    "C1 escape": "a\x9b31mred",
    "newlines": "a\nb\r\nc\x0bd\x85e\u2028f\u2029g",
    "controls": "a\x00b\x01c\x08\x7f",
    "right to left": "abc\u202eexe.txt\u2066\u200f",
    "invisible": "a\u200bb\ufeffc\u00ad",
    "noncharacters": "a\uffffb\ufdd0",
    "10 000 characters": "x" * 10_000,
    "many accents": "a" + "\u0301" * 300,
    "formula": "=1+1",
    "formula after blanks": " \n\t =cmd|' /C calc'!A0",
    "wide formula": "＝1+1",
    "cells": 'a,"b";c\td',
    "mathematics": r"$\frac{1}{$",
    "markup of rich": "[bold red]x[/bold red][link=http://example.org]",
    "format": "{0.__class__}%s%n",
    "path": "../../etc/passwd",
    "underscore": "_hidden",
    "emoji": "👩‍👩‍👧",
    "blanks around": "  name\u00a0 ",
}
# Half of a character is no text: refused wherever names come in.
NO_TEXT = {"low surrogate": "a\udc80b", "high surrogate": "\ud83d"}


class Elements(HTMLParser):
    """The elements of a page, and the attributes that would run or fetch something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: Counter[str] = Counter()
        self.suspect: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        for name, value in attributes:
            fetches = name in ("src", "href", "action") and not (value or "").startswith(
                ("#", "data:,")
            )
            if name.startswith("on") or fetches:
                self.suspect.append(f"{tag} {name}={value}")


def losses(names: list[str], n: int = 120) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    scales = 1.0 + 0.3 * np.arange(len(names))
    return {
        name: (rng.exponential(s, n), rng.exponential(s, (2, n)))
        for name, s in zip(names, scales, strict=True)
    }


def compare(names: list[str]) -> rivals.Comparison:
    return rivals.compare(losses(names), rng=0)


def acting(text: str) -> list[str]:
    """The characters of a text that act on a terminal, or that hide or reorder what it shows."""
    return [
        char
        for char in text
        if char != "\n" and unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    ]


def check_terminal(result: rivals.Comparison) -> None:
    """Nothing of what is printed acts on the terminal."""
    sweep = result.sweep([0.1, 1.0])
    for shown in (str(result), repr(result), str(result.pairs), str(sweep), result.verdict):
        assert acting(shown) == [], f"{acting(shown)} would reach the terminal"
        shown.encode()


def check_json(result: rivals.Comparison) -> None:
    """JSON of every parser, names unchanged."""

    def refuse(constant: str) -> None:
        raise ValueError(f"{constant} is not JSON")

    for content in (result.to_dict(), result.sweep([0.1, 1.0]).to_dict()):
        text = json.dumps(content)
        text.encode("ascii")
        json.loads(text, parse_constant=refuse)
    assert json.loads(json.dumps(result.to_dict()))["names"] == list(result.names)


def check_archive(result: rivals.Comparison) -> None:
    """Names come back as they were."""
    with tempfile.TemporaryDirectory() as folder:
        result.save(Path(folder) / "x.npz")
        assert rivals.load(Path(folder) / "x.npz").names == result.names


def check_frames(result: rivals.Comparison) -> None:
    """Data frames keep names as they are, and can be printed."""
    assert sorted(result.to_dataframe().index) == sorted(result.names)
    assert sorted(result.pairs.to_dataframe().index) == sorted(result.names)
    str(result.to_dataframe()).encode()


def check_html(result: rivals.Comparison) -> None:
    """In a notebook: the elements are those that harmless names give."""
    plain = compare([f"model {index}" for index, _ in enumerate(result.names)])
    for hostile, harmless in (
        (result._repr_html_(), plain._repr_html_()),
        (result.pairs._repr_html_(), plain.pairs._repr_html_()),
        (result.sweep([1.0])._repr_html_(), plain.sweep([1.0])._repr_html_()),
    ):
        page = Elements(hostile)
        assert page.suspect == []
        assert page.tags == Elements(harmless).tags
        hostile.encode()


def check_page(result: rivals.Comparison) -> None:
    """The report: the elements are those that harmless names give, and its policy allows nothing
    from outside.
    """
    texts = []
    for each in (result, compare([f"model {index}" for index, _ in enumerate(result.names)])):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "r.html"
            each.report(path, title=each.names[0])
            texts.append(path.read_text(encoding="utf-8"))
    hostile, harmless = map(Elements, texts)
    assert hostile.suspect == []
    assert hostile.tags == harmless.tags
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', texts[0])
    assert policy is not None
    assert policy[1].startswith("default-src 'none'")
    assert "unsafe" not in policy[1]
    assert "http" not in policy[1]


def check_pictures(result: rivals.Comparison) -> None:
    """SVG that a parser takes, with the elements of a drawing alone."""
    from matplotlib.figure import Figure

    from rivals import plots

    sweep = result.sweep([0.1, 1.0])
    for plot in (plots.plot_risks, plots.plot_sweep):
        figure = Figure()
        file = io.BytesIO()
        plot(sweep if plot is plots.plot_sweep else result, ax=figure.subplots())
        figure.savefig(file, format="svg")
        tags = {
            element.tag.rpartition("}")[2]
            for element in ElementTree.fromstring(file.getvalue()).iter()
        }
        assert tags & {"script", "a", "foreignObject"} == set()


def check_table(result: rivals.Comparison) -> None:
    """Losses under these names, written as a long table and read again: the names are the same, or
    one is refused.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.csv"
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["model", "kind", "loss"])
            for name, sample in result.losses.items():
                for kind, values in (
                    ("observed", sample.observed),
                    ("synthetic", sample.synthetic.ravel()),
                ):
                    writer.writerows([name, kind, repr(float(value))] for value in values[:4])
        try:
            read = rivals.read.long_table(path)
        except ValueError:
            return
        assert [name.strip() for name in read] == [name.strip() for name in result.names]


CHECKS: list[Callable[[rivals.Comparison], None]] = [
    check_terminal,
    check_json,
    check_archive,
    check_frames,
    check_html,
    check_page,
    check_pictures,
    check_table,
]


def mixtures(seed: int) -> Iterator[str]:
    """Names made of pieces of all the others, without end."""
    rng = np.random.default_rng(seed)
    pieces = [piece for name in NAMES.values() for piece in (name[:40], name[:3], name[-5:])]
    while True:
        chosen = rng.choice(len(pieces), size=rng.integers(1, 6))
        name = "".join(pieces[index] for index in chosen)
        if name.strip():
            yield name


def try_names(
    seconds: float, seed: int, checks: list[Callable[..., None]] = CHECKS
) -> dict[str, Any]:
    """Every name, alone beside a harmless one and all together, through every check; then mixtures
    until the time is over.
    """
    end = time.monotonic() + seconds
    counts: dict[str, Any] = {"inputs": 0, "silently_wrong": 0, "executed": 0, "problems": []}
    groups = [[name, "other"] for name in NAMES.values()] + [list(NAMES.values())]
    endless = mixtures(seed)
    warnings.simplefilter("ignore")
    while groups or time.monotonic() < end:
        names = groups.pop(0) if groups else list(dict.fromkeys(next(endless) for _ in range(6)))
        if len(names) < 2:
            continue
        result = compare(names)
        for check in checks:
            counts["inputs"] += len(names)
            try:
                check(result)
            except Exception as error:  # an assertion, or an output that fails at this name
                counts["silently_wrong"] += 1
                counts["problems"].append(
                    f"{check.__name__}, {names[0][:40]!r}: {type(error).__name__}: {error}"[:300]
                )
    for name in NO_TEXT.values():
        counts["inputs"] += 1
        try:
            compare([name, "other"])
        except ValueError:
            continue
        counts["silently_wrong"] += 1
        counts["problems"].append(f"{name!r} was accepted")
    return counts


if __name__ == "__main__":
    print(json.dumps(try_names(float(sys.argv[1]), 15), indent=1))
