"""Copy the tables of benchmarks/results into docs/does-it-work.md and joss/paper.md.

`python tools/evidence.py`. Tables stand between comments that name the function below.

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

PAPER = ROOT / "joss" / "paper.md"

# Methods of the benchmark on real data, with the words of the page.
BY_POINTS = "elpd ± SE of points, by points"
BY_GROUPS = "elpd ± SE of points, by groups"
CORRECTED = "corrected t (Nadeau and Bengio; baycomp), by groups"
DECIDES = "rivals, as compare decides"
LEFT_OUT = {
    BY_POINTS: "5-fold by points, elpd ± SE",
    BY_GROUPS: "groups left out, elpd ± SE of points",
    "paired t, by groups": "groups left out, paired t over groups",
    CORRECTED: "groups left out, corrected t (Nadeau and Bengio)",
    "rivals, study repeated, no simulations": "the two lines, no simulations",
    DECIDES: "**the two lines**",
}
FROZEN = {
    BY_GROUPS: "elpd ± SE, points pooled",
    "bootstrap of points": "bootstrap of points",
    "rivals, one data set (law beta)": "law beta",
    "rivals, one data set (law transport)": "law transport",
    "paired t, by groups": "paired t over groups",
    "rivals, study repeated, no simulations": "law groups, no simulations",
    DECIDES: "**law groups**",
}
QUESTIONS = {"next": "next group", "study": "study repeated", "all": "all groups"}
TEN = "10"
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
# Methods of our own families with groups: their words, and the question that they answer.
FAMILY_METHODS = {
    "elpd ± SE": ("elpd ± SE, points pooled", "G"),
    "Student's t": ("Student's t over groups", "G"),
    "m = 1": ("next group (m = 1)", "1"),
    "m = G": ("**study repeated (m = G)**", "G"),
    "m = ∞": ("all groups to come (m = ∞)", "∞"),
    "m = G, no simulations": ("study repeated, no simulations", "G"),
}
NOT_A_FAMILY = ("pooled", "skewed effects", "rare reversal")
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


def lost(score: dict[str, Any] | None, question: str) -> str:
    """Error ± its error / stated, of the benchmark on real data."""
    if score is None:
        return "–"
    if score["error"][question] is None:
        return "– / 0"
    error, spread = score["error"][question]
    return f"{error:.1f}±{spread:.1f} / {score['stated']:.0f}"


def left_out() -> list[str]:
    """Real data, groups left out in turn: lost in repeated studies, and the truly best rejected."""
    found = read("real")["left out"]
    rows = []
    for method, words in LEFT_OUT.items():
        cells = [lost(found[k].get(method), "study") for k in found]
        best = [f"{found[k][method]['best']['rejected'][0]:.0f}" for k in found]
        rows.append([words, *cells, ", ".join(best)])
    sizes = [str(found[k][DECIDES]["data_sets"]) for k in found]
    return table(["groups at hand", *found, "best rejected"], [*rows, ["data sets", *sizes, ""]])


def every_method() -> list[str]:
    """Real data, ten groups left out: all methods, by the three questions."""
    found = read("real")
    rows = []
    for method, score in found["left out"][TEN].items():
        cells = []
        for question in QUESTIONS:
            one = score["error"][question]
            text = "–" if one is None else f"{one[0]:.1f}±{one[1]:.1f}"
            cells.append(f"**{text}**" if found["questions"][method] == question else text)
        equal = score["equal"]["20"]
        cells.append(f"{score['stated']:.0f}")
        cells.append("–" if equal is None else ", ".join(f"{equal[q][0]:.1f}" for q in QUESTIONS))
        rows.append([method, *cells])
    return table(["method", *QUESTIONS.values(), "stated", "at 20 % stated"], rows)


def horizons() -> list[str]:
    """Real data: each horizon of law "groups" by each question."""
    found = read("real")["left out"]
    rows = []
    names = {"rivals, next group": "next", DECIDES: "study", "rivals, all groups": "all"}
    for method, horizon in names.items():
        for question, words in QUESTIONS.items():
            cells = [lost(found[k].get(method), question) for k in found]
            asked = f"asked about {QUESTIONS[horizon]}, lost in {words}"
            rows.append([f"**{asked}**" if horizon == question else asked, *cells])
    return table(["groups at hand", *found], rows)


def frozen() -> list[str]:
    """Real data, candidates frozen: the study repeated; with one group, the next."""
    found = read("real")["frozen"]
    rows = []
    for method, words in FROZEN.items():
        rows.append([words, *(lost(found[k].get(method), "study") for k in found)])
    counts = ["data sets", *(str(found[k][BY_GROUPS]["data_sets"]) for k in found)]
    return table(["groups at hand", *found], [*rows, counts])


def scale() -> list[str]:
    """The misfit, or the spread of points, as the scale of what varies."""
    found = read("real")["frozen"]
    gaps = read("real")["misfit or spread"]
    both = ("rivals, study repeated", "law groups, spread of points as the scale")
    rows = []
    for k in found:
        if both[1] in found[k]:
            gap, spread = gaps[k]["study"]
            cells = [lost(found[k][name], "study") for name in both]
            rows.append([k, *cells, f"{gap:+.1f}±{spread:.1f}"])
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


def family_horizons() -> list[str]:
    """Our own families with groups: stated winners by horizon, each by its own question."""
    found = read("groups")["verdicts"]
    rows = [
        [words, *(horizon_cell(by["pooled"].get(method), question) for by in found.values())]
        for method, (words, question) in FAMILY_METHODS.items()
    ]
    worst = [worst_family(by, "m = G", "G") for by in found.values()]
    return table(["groups at hand", *found], [*rows, ["worst family, study repeated", *worst]])


def horizon_cell(one: dict[str, Any] | None, question: str) -> str:
    """Error ± its error by one question / stated."""
    if one is None:
        return "–"
    chosen = {key: one[key][question] for key in ("error", "error_se")}
    return cell(one | chosen)


def worst_family(by_family: dict[str, Any], method: str, question: str) -> str:
    """Of those that are pooled."""
    own = {name: one for name, one in by_family.items() if name not in NOT_A_FAMILY}
    name = max(own, key=lambda name: own[name][method]["error"][question] or 0.0)
    return f"{horizon_cell(own[name][method], question)} ({name})"


def family_questions() -> list[str]:
    """Our own families: how often the winners of each horizon lose, by all three questions."""
    found = read("groups")["verdicts"]
    rows = []
    for method in ("m = 1", "m = G", "m = ∞"):
        words = FAMILY_METHODS[method][0].strip("*")
        for n_groups in ("4", "8", "30"):
            one = found[n_groups]["pooled"][method]
            ends = [f"{one['error'][q]:.1f}±{one['error_se'][q]:.1f}" for q in ("1", "G", "∞")]
            rows.append([words, n_groups, f"{one['stated']:.1f}", *ends])
    head = ["winners of", "groups", "stated", "one new group", "study repeated", "all groups"]
    return table(head, rows)


def family_reliability() -> list[str]:
    """Our own families: P of the study repeated, and how often it comes true."""
    found = read("groups")["reliability"]
    chosen = {n_groups: found[n_groups] for n_groups in ("3", "4", "8", "20", "30")}
    bins = {(one["low"], one["high"]) for by in chosen.values() for one in by}
    rows = []
    for low, high in sorted(bins):
        line = [f"{low:g} to {high:g}"]
        for by in chosen.values():
            inside = [one for one in by if one["low"] == low]
            shown = [
                f"{one['said']:.3f} → {one['seen']:.3f}±{one['seen_se']:.3f}" for one in inside
            ]
            line.append(" ".join(shown) or "–")
        rows.append(line)
    return table(["P", *(f"G = {n_groups}" for n_groups in chosen)], rows)


def family_next_group() -> list[str]:
    """Our own families: how far P of the next group is from the truth, by both laws of it."""
    found = read("groups")["next group"]
    families = [name for name in found["30"] if "the better" in name]
    rows = []
    for name in [*families, "rare reversal", "pooled"]:
        ends = [f"{by[name]['normal']:.1f} → {by[name]['residual']:.1f}" for by in found.values()]
        rows.append([name, *ends])
    return table(["family", *(f"G = {n_groups}" for n_groups in found)], rows)


def family_margins() -> list[str]:
    """Our own families: verdicts with a margin."""
    rows = []
    for margin, by_groups in read("groups")["margins"].items():
        for event in ("better", "equivalent", "not worse"):
            cells = [cell(by["pooled"][event]) for by in by_groups.values()]
            rows.append([margin, event, *cells])
    heads = [f"G = {n_groups}" for n_groups in next(iter(read("groups")["margins"].values()))]
    return table(["margin", "verdict", *heads], rows)


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


TABLES = (
    left_out,
    every_method,
    horizons,
    frozen,
    scale,
    elsewhere,
    one_data_set,
    family_horizons,
    family_questions,
    family_reliability,
    family_next_group,
    family_margins,
    best_of_k,
)


def page(text: str) -> str:
    """The text with its tables copied anew."""
    for made in TABLES:
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
    for path in (PAGE, PAPER):
        path.write_text(page(path.read_text(encoding="utf-8")), encoding="utf-8")
