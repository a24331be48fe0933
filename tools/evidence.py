"""Copy the tables of benchmarks/results into docs/does-it-work.md: `python tools/evidence.py`.

A test runs it and compares, so that the page cannot differ from what was measured.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "does-it-work.md"
RESULTS = ROOT / "benchmarks" / "results"

# Methods of the results, with the words of the page.
FROZEN = {
    "elpd ± SE": "elpd ± SE, points pooled",
    "beta, c = 1/4": "law beta, c = ¼",
    "transport, c = 1/4": "law transport, groups ignored",
    "t prediction": "Student's t for a new group",
    "groups, no simulations": "law groups, no simulations",
    "groups": "**law groups**",
}
LEFT_OUT = {
    "5-fold by points, elpd ± SE": "5-fold by points, elpd ± SE",
    "elpd ± SE": "groups left out, elpd ± SE",
    "t prediction": "groups left out, Student's t",
    "groups, no simulations": "groups left out, no simulations",
    "groups": "**the two lines**",
}
ONE_DATA_SET = {
    "oracle": "an oracle that knows what varies",
    "elpd ± SE": "elpd ± SE",
    "transport, c = 2^-3": "law transport, c = ⅛",
    "transport, c = 2^-2": "**law transport, c = ¼**",
    "transport, calibrated on own, 1024": "calibrated on the same family",
    "transport, calibrated on own, vague, 1024": "calibrated with a vague Ω",
    "transport, calibrated on mixture, 1024": "calibrated on all families",
    "transport, calibrated on left out, 1024": "calibrated on the others",
}
RULES = {
    "0.95 each": "0.95",
    "1 − .05/(k − 1)": "1−0.05/(k−1)",
    "calibrated c, 1 − .05/(k − 1)": "1−0.05/(k−1), calibrated c",
    "the same, and the curve of pairs": "**the same, and the curve of pairs**",
    "learned threshold": "learned",
    "learned, at least 0.95": "**learned, at least 0.95, calibrated c**",
}


def read(name: str) -> Any:
    """A file of results."""
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"))


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    return ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]


def cell(one: dict[str, Any] | None) -> str:
    """Error ± its error / stated."""
    if one is None:
        return "–"
    return (
        "– / 0"
        if one["error"] is None
        else f"{one['error']:.1f}±{one['error_se']:.1f} / {one['stated']:.1f}"
    )


def frozen() -> list[str]:
    """Real data, candidates frozen."""
    found = read("real")["frozen"]
    rows = [
        [words, *(cell(found[k].get(method)) for k in found)] for method, words in FROZEN.items()
    ]
    counts = ["data sets", *(str(found[k]["elpd ± SE"]["data_sets"]) for k in found)]
    return table(["groups at hand", *found], [*rows, counts])


def left_out() -> list[str]:
    """Real data, one group left out at a time; and how often the truly best is rejected."""
    found = read("real")["left out"]
    best = read("real")["best"]
    rows = []
    for method, words in LEFT_OUT.items():
        rejected = "; ".join(
            f"{one[method]['rejected']:.1f}" for one in best.values() if method in one
        )
        rows.append([words, *(cell(found[k].get(method)) for k in found), rejected or "–"])
    return table(["groups in all", *found, "best rejected"], rows)


def scale() -> list[str]:
    """The misfit, or the spread of points, as the scale of what varies."""
    rows = []
    for k, one in read("real")["misfit or spread"].items():
        both = [
            f"{one[name]['error']:.1f} / {one[name]['stated']:.1f}" for name in ("misfit", "spread")
        ]
        rows.append([k, *both, f"{one['gap']:+.1f}±{one['gap_se']:.1f}"])
    return table(["groups at hand", "misfit", "spread of points", "difference"], rows)


def elsewhere() -> list[str]:
    """Nine families made by others."""
    keys = ("error", "stated", "worst")
    shown = [one for one in read("elsewhere")["nine families"]["rows"] if one["stated"] is not None]
    rows = [
        [one["method"], *("–" if one[key] is None else f"{one[key]:g}" for key in keys)]
        for one in shown
    ]
    return table(["method", "error", "stated", "worst family"], rows)


def one_data_set() -> list[str]:
    """Our own families, one data set at hand."""
    found = read("replication")["scores"]
    rows = [[words, cell(found[label]["pooled"])] for label, words in ONE_DATA_SET.items()]
    return table(["method", "error / stated"], rows)


def groups() -> list[str]:
    """Our own families with groups, now and before."""
    now = read("groups")["scores"]
    before = read("groups_before")["scores"]
    rows = [
        ["**law groups**", *(cell(by["pooled"]) for by in now.values())],
        ["worst family", *(cell(worst(by)) for by in now.values())],
        ["the law before", *(cell(by["pooled"]) for by in before.values())],
    ]
    return table(["groups × points", *now], rows)


def worst(by_family: dict[str, Any]) -> Any:
    return max(by_family.values(), key=lambda one: one["error"] or 0.0)


def best_of_k() -> list[str]:
    """Rules for many candidates."""
    found = read("best_of_k")["rows"]
    sizes = sorted({row["k"] for row in found})
    rows = []
    for rule, words in RULES.items():
        line = [words]
        for k in sizes:
            own = [row for row in found if (row["rule"], row["k"]) == (rule, k)]
            rejected, kept = (
                sum(row[key] for row in own) / len(own) for key in ("best_rejected", "survivors")
            )
            line.append(
                f"{rejected:.1f} ({kept:.0f}); {max(row['best_rejected'] for row in own):.1f}"
            )
        rows.append(line)
    return table(["threshold", *(f"k = {k}" for k in sizes)], rows)


def page(text: str) -> str:
    """The text with its tables copied anew."""
    for made in (frozen, left_out, scale, elsewhere, one_data_set, groups, best_of_k):
        pattern = rf"(<!-- {made.__name__} -->\n).*?(\n<!-- end -->)"
        lines = "\n".join(made())
        text = re.sub(
            pattern,
            lambda match, lines=lines: f"{match[1]}\n{lines}\n{match[2]}",
            text,
            flags=re.DOTALL,
        )  # type: ignore[misc]
    return text


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
