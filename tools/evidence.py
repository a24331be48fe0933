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
    "elpd ± SE": "elpd difference ± SE, all points pooled",
    "bootstrap": "bootstrap of the points",
    "beta, c = 1/4": "law beta, c = ¼",
    "transport, c = 1/4": "law transport, c = ¼, groups ignored",
    "t prediction": "Student's prediction for a new group",
    "groups, no simulations": "law groups without simulations",
    "groups": "**law groups, the default**",
}
LEFT_OUT = {
    "5-fold by points, elpd ± SE": "5-fold cross-validation by points, elpd ± SE",
    "elpd ± SE": "leave one group out, elpd ± SE of all points",
    "t prediction": "leave one group out, Student's prediction",
    "groups, no simulations": "leave one group out, law groups without simulations",
    "groups": "**leave one group out, law groups: the two lines above**",
}
ONE_DATA_SET = {
    "oracle": "an oracle that knows the law of replications",
    "elpd ± SE": "elpd difference ± SE",
    "beta, c = 2^-2": "law beta, c = ¼",
    "transport, c = 2^-6": "law transport, c = 1/64",
    "transport, c = 2^-3": "law transport, c = ⅛",
    "transport, c = 2^-2": "**law transport, c = ¼, the default**",
    "transport, c = 1": "law transport, c = 1",
    "transport, calibrated on own, 256": "transport, calibrated on the same family, 256 experiments",
    "transport, calibrated on own, 1024": "the same, 1 024 experiments",
    "transport, calibrated on own, vague, 1024": "the same, from a vague Ω (ranges four times as wide)",
    "transport, calibrated on mixture, 1024": "transport, calibrated on all families",
    "transport, calibrated on left out, 1024": "transport, calibrated on the *other* families",
}
RULES = {
    "0.95 each": "0.95 for each pair",
    "1 − .05/(k − 1)": "1 − 0.05/(k − 1)",
    "calibrated c, 1 − .05/(k − 1)": "the same, at a calibrated c",
    "learned threshold": "**learned from experiments with k candidates**",
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
    if one["error"] is None:
        return "– / 0"
    return f"{one['error']:.1f} ± {one['error_se']:.1f} / {one['stated']:.1f}"


def frozen() -> list[str]:
    """Real data, candidates frozen."""
    found = read("real")["frozen"]
    rows = [[words, *(cell(found[k].get(method)) for k in found)] for method, words in FROZEN.items()]
    counts = ["data sets", *(str(found[k]["elpd ± SE"]["data_sets"]) for k in found)]
    return table(["groups at hand", *found], [*rows, counts])


def left_out() -> list[str]:
    """Real data, one group left out at a time."""
    found, best = read("real")["left out"], read("real")["best"]
    rows = []
    for method, words in LEFT_OUT.items():
        truly = [f"{best[k][method]['rejected']:.1f}" if method in best[k] else "–" for k in found]
        rows.append(
            [words, *(cell(found[k].get(method)) for k in found), ", ".join(truly) if set(truly) != {"–"} else "–"]
        )
    return table(["groups in all", *found, "truly best rejected %: 4, 6"], rows)


def scale() -> list[str]:
    """The misfit, or the spread of points, as the scale of what varies."""
    found = read("real")["misfit or spread"]
    rows = [
        [k, f"{one['misfit']['error']:.1f} / {one['misfit']['stated']:.1f}", f"{one['spread']['error']:.1f} / {one['spread']['stated']:.1f}", f"{one['gap']:+.1f} ± {one['gap_se']:.1f}"]
        for k, one in found.items()
    ]  # fmt: skip
    return table(["groups at hand", "misfit", "spread of the points", "difference of the errors"], rows)


def elsewhere() -> list[str]:
    """Nine families made by others."""
    rows = []
    for one in read("elsewhere")["nine families"]["rows"]:
        error = f"{one['error']:g}" + (f" ± {one['error_se']:g}" if one["error_se"] else "")
        rows.append(
            [one["method"], error, *("–" if one[key] is None else f"{one[key]:g}" for key in ("stated", "worst"))]
        )
    return table(["method", "error %", "stated %", "error in the worst family %"], rows)


def one_data_set() -> list[str]:
    """Our own families, one data set at hand."""
    found = read("replication")["scores"]
    oracle = found["oracle"]["pooled"]["stated"]
    rows = [
        [words, cell(one := found[label]["pooled"]), f"{100 * one['stated'] / oracle:.0f}"]
        for label, words in ONE_DATA_SET.items()
    ]
    return table(["method", "error % / stated %", "of what the oracle states %"], rows)


def groups() -> list[str]:
    """Our own families with groups, before and now."""
    now, before = read("groups")["scores"], read("groups_before")["scores"]
    worst = [
        max(
            (one for name, one in by.items() if name != "pooled" and one["error"] is not None),
            key=lambda one: one["error"],
        )
        for by in now.values()
    ]
    rows = [
        ["**law groups, the default**", *(cell(by["pooled"]) for by in now.values())],
        ["its worst family", *(cell(one) for one in worst)],
        ["the law before (own variances, no simulations)", *("refused" if by["pooled"] is None else cell(by["pooled"]) for by in before.values())],
    ]  # fmt: skip
    return table(["groups × points", *now], rows)


def best_of_k() -> list[str]:
    """Three rules for many candidates."""
    found = read("best_of_k")["rows"]
    sizes = sorted({row["k"] for row in found})
    rows = []
    for rule, words in RULES.items():
        line = [words]
        for k in sizes:
            own = [row for row in found if (row["rule"], row["k"]) == (rule, k)]
            rejected, kept = (sum(row[key] for row in own) / len(own) for key in ("best_rejected", "survivors"))
            line.append(f"{rejected:.1f} ({kept:.0f}); {max(row['best_rejected'] for row in own):.1f}")
        rows.append(line)
    return table(["threshold", *(f"k = {k}" for k in sizes)], rows)


def flips() -> list[str]:
    """How often another seed of the simulations changes the verdict."""
    lines = (RESULTS / "flips.md").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return ["| " + " | ".join(row[:3]) + " |" for row in cells]


def page(text: str) -> str:
    """The text with its tables copied anew."""
    for made in (frozen, left_out, scale, elsewhere, one_data_set, groups, best_of_k, flips):
        name = made.__name__
        if f"<!-- {name} -->" in text:
            pattern = rf"(<!-- {name} -->\n).*?(\n<!-- end -->)"
            lines = "\n".join(made())
            text = re.sub(pattern, lambda match, lines=lines: f"{match[1]}\n{lines}\n{match[2]}", text, flags=re.DOTALL)  # type: ignore[misc]
    return text


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
