"""Copy the tables of benchmarks/results into docs/does-it-work.md: `python tools/evidence.py`.

A test runs it and compares, so that the page cannot differ from what was measured.
"""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "does-it-work.md"
RESULTS = ROOT / "benchmarks" / "results"

# Rows of results/replication.md, with the words of the page.
METHODS = {
    "oracle": "an oracle that knows the law of replications",
    "elpd ± SE": "elpd difference ± SE",
    "bootstrap": "bootstrap of the mean difference",
    "model confidence set": "model confidence set, 10 %",
    "Diebold-Mariano, HAC": "Diebold-Mariano, HAC",
    "beta, c = 1": "law beta, c = 1",
    "beta, c = 2^-2": "law beta, c = ¼",
    "beta, c = 2^-4": "law beta, c = 1/16",
    "transport, c = 1": "law transport, c = 1",
    "transport, c = 2^-2": "law transport, c = ¼",
    "transport, c = 2^-3": "**law transport, c = ⅛, the default**",
    "transport, c = 2^-6": "law transport, c = 1/64",
    "beta, calibrated on own, 256": "law beta, calibrated on a broader version of the family, 256 experiments",
    "beta, calibrated on mixture, 1024": "law beta, calibrated on all families, 1 024",
    "transport, calibrated on own, 256": "law transport, calibrated on a broader version of the family, 256",
    "transport, calibrated on own, 1024": "**law transport, calibrated on a broader version of the family, 1 024**",
    "transport, calibrated on own, vague, 1024": "the same, from a vague Ω (ranges four times as wide)",
    "transport, calibrated on mixture, 1024": "law transport, calibrated on all families, 1 024",
    "transport, calibrated on left out, 1024": "law transport, calibrated on the *other* families, 1 024",
    "groups, 8 × 250": "law groups, 8 replications of 250 points at hand",
}


def rows(name: str) -> list[list[str]]:
    """The cells of all table rows of a file of results."""
    text = (RESULTS / f"{name}.md").read_text(encoding="utf-8")
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]


def methods() -> list[str]:
    """Error, stated and Brier score of the methods, pooled."""
    found = {}
    for row in rows("replication"):
        found.setdefault(row[0], row)
    head = ["| method | error % | stated % | of what the oracle states % | Brier |", "| --- | --- | --- | --- | --- |"]
    return head + [f"| {words} | {' | '.join(found[label][1:5])} |" for label, words in METHODS.items()]


def families() -> list[str]:
    """Error and stated by family."""
    table = rows("replication")
    begin = next(index for index, row in enumerate(table) if row[1] == "offset")
    return ["| " + " | ".join(row) + " |" for row in table[begin:]]


def flips() -> list[str]:
    """How often another seed of the simulations changes the verdict."""
    return ["| " + " | ".join(row[:3]) + " |" for row in rows("flips")]


def page(text: str) -> str:
    """The text with its tables copied anew."""
    for table in (methods, families, flips):
        name = table.__name__
        if f"<!-- {name} -->" in text:
            pattern = rf"(<!-- {name} -->\n).*?(\n<!-- end -->)"
            lines = "\n".join(table())
            text = re.sub(pattern, lambda match, lines=lines: f"{match[1]}\n{lines}\n{match[2]}", text, flags=re.DOTALL)  # type: ignore[misc]
    return text


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
