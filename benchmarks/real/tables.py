"""The results on real data as a page of tables."""

from __future__ import annotations

from typing import Any

from catalogue import CATALOGUE
from truth import QUESTIONS

WORDS = {
    "next": "the next group",
    "study": "the study repeated",
    "all": "all groups to come",
}
KEY_METHODS = {
    "elpd ± SE of points, by points": "5-fold by points, elpd ± SE",
    "elpd ± SE of points, by groups": "groups left out, elpd ± SE of points",
    "paired t, by groups": "paired t over groups",
    "corrected t (Nadeau and Bengio; baycomp), by groups": "corrected t (Nadeau and Bengio)",
    "rivals, next group": "rivals, next group",
    "rivals, as compare decides": "**rivals, as `compare` decides**",
    "rivals, study repeated, no simulations": "rivals, study repeated, no simulations",
    "rivals, all groups": "rivals, all groups",
    "rivals, one data set (law transport)": "rivals, one data set (law transport)",
    "bootstrap of points": "bootstrap of points",
}


def page(found: dict[str, Any]) -> str:
    """Everything in one file of Markdown."""
    parts = ["# Which stated winners replicate?", introduction(found)]
    for design, words in (
        ("left out", "Groups left out in turn, G groups at hand"),
        ("frozen", "Frozen candidates, k groups at hand"),
    ):
        parts += [f"## {words}", over_groups(found[design])]
    parts += [
        "## All methods",
        "Error % ± jackknife over data sets by each question, the one that a method claims to "
        "answer in bold; stated %; how often the truly best candidate is rejected, and what part "
        "of the candidates survives, %.",
    ]
    for design in ("left out", "frozen"):
        for k, by_method in found[design].items():
            n = max(one["data_sets"] for one in by_method.values())
            parts.append(f"### {design}, {k} groups at hand ({n} data sets)")
            parts.append(all_methods(by_method, found["questions"]))
    parts += [
        "## At equal stated",
        "Error % when each method states its firmest judgements, the same part of all; – where it "
        "has no order of so many. Ten groups left out in turn.",
        equal(found["left out"].get("10", {})),
        "## Reliability",
        "Mean P → how often the favoured model wins, by the question that the method answers, in "
        "bins of P; ten groups left out in turn.",
        reliability(found["left out"].get("10", {})),
        "## Data set by data set",
        "Study repeated, groups left out: stated % / error % of 5-fold by points, elpd ± SE, and "
        "of `compare`.",
        by_data(found["left out"]),
        "## The data",
        described(found["data"]),
        failures(found["failures"]),
        times(found["seconds"]),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def introduction(found: dict[str, Any]) -> str:
    data = found["data"].values()
    new = sum(one["chosen"] != "first" for one in data)
    versions = ", ".join(f"{name} {one}" for name, one in found["versions"].items())
    return (
        f"`make evidence-real`: {len(data)} data sets with natural groups, "
        f"{sum(one['points'] for one in data)} points in {sum(one['groups'] for one in data)} "
        f"groups; {new} of the data sets were frozen before any method was run on them. README.md "
        f"of benchmarks/real says what is done; tally.py, what counts as what. Error % ± jackknife "
        f"over data sets / stated %; nominal 5 %. {versions}."
    )


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in lines)


def cell(score: dict[str, Any] | None, question: str) -> str:
    """Error ± its error / stated."""
    if score is None:
        return "–"
    if score["error"][question] is None:
        return "– / 0"
    error, spread = score["error"][question]
    return f"{error:.1f} ± {spread:.1f} / {score['stated']:.0f}"


def over_groups(by_groups: dict[str, Any]) -> str:
    """The main methods by number of groups, for each question."""
    parts = []
    for question in QUESTIONS:
        rows = []
        for name, words in KEY_METHODS.items():
            if not any(name in one for one in by_groups.values()):
                continue
            own = [cell(one.get(name), question) for one in by_groups.values()]
            rows.append([words, *own])
        parts += [f"Lost in {WORDS[question]}:", table(["groups at hand", *by_groups], rows)]
    return "\n\n".join(parts)


def all_methods(by_method: dict[str, Any], questions: dict[str, str]) -> str:
    rows = []
    for name, score in by_method.items():
        errors = []
        for question in QUESTIONS:
            one = score["error"][question]
            text = "–" if one is None else f"{one[0]:.1f} ± {one[1]:.1f}"
            errors.append(f"**{text}**" if questions[name] == question else text)
        best = score["best"]
        rejected = f"{best['rejected'][0]:.1f} ± {best['rejected'][1]:.1f}"
        stated = f"{score['stated']:.1f}"
        rows.append([name, *errors, stated, rejected, f"{best['survive'][0]:.0f}"])
    head = ["method", "next group", "study", "all groups", "stated", "best rejected", "survive"]
    return table(head, rows)


def equal(by_method: dict[str, Any]) -> str:
    if not by_method:
        return ""
    parts = list(next(iter(by_method.values()))["equal"])
    head = ["method", *(f"{q} at {part} %" for part in parts for q in QUESTIONS)]
    rows = []
    for name, score in by_method.items():
        row = [name]
        for part in parts:
            one = score["equal"][part]
            row += ["–" if one is None else f"{one[q][0]:.1f} ± {one[q][1]:.1f}" for q in QUESTIONS]
        rows.append(row)
    return table(head, rows)


def reliability(by_method: dict[str, Any]) -> str:
    rows = []
    for name, score in by_method.items():
        if "reliability" in score:
            bins = [f"{p:.2f} → {won:.2f}" for p, won, _ in score["reliability"]]
            rows.append([name, ", ".join(bins)])
    return table(["method", "P → won"], rows)


def by_data(by_groups: dict[str, Any]) -> str:
    ours = "rivals, as compare decides"
    usual = "elpd ± SE of points, by points"
    names = sorted({name for one in by_groups.values() for name in one[ours]["by_data"]})
    rows = []
    for name in names:
        row = [name]
        for one in by_groups.values():
            both = [one[method]["by_data"].get(name) for method in (usual, ours)]
            row.append("; ".join(own(found) for found in both) if both[0] else "too few groups")
        rows.append(row)
    return table(["data set", *(f"G = {k}" for k in by_groups)], rows)


def own(found: list[float]) -> str:
    stated, lost = found
    return f"{stated:.0f} / {100 * lost / stated:.0f}" if stated else "0 / –"


def described(data: dict[str, Any]) -> str:
    head = ["data set", "from", "group", "response", "predictors: few; all", "size", "left out"]
    rows = []
    for one in CATALOGUE:
        if one.name not in data:
            continue
        source = one.source.removeprefix("debian:")
        place = " (Debian)" if one.source.startswith("debian:") else ""
        least = f"groups below {one.least} points"
        rows.append(
            [
                one.name + (" *" if one.frozen != "first" else ""),
                source + place,
                one.unit,
                f"`{one.response}`, {one.kind}",
                f"`{one.few}`; `{one.all}`",
                f"{data[one.name]['points']}, {data[one.name]['groups']} groups",
                "; ".join(filter(None, [one.left_out, least])),
            ]
        )
    return table(head, rows) + "\n\n\\* frozen before any method was run on it."


def failures(found: dict[str, Any]) -> str:
    lines = ["## Failures", ""]
    for words in found["losses"]:
        lines.append(f"- losses of {words}")
    for name, one in found["judgements"].items():
        lines.append(f"- {name}: {one['count']} judgements, the first of {one['first']}")
    return "\n".join(lines) if len(lines) > 2 else "No fit and no judgement failed."


def times(seconds: dict[str, Any]) -> str:
    judging = seconds["judgements"]
    slowest = max(judging, key=judging.get)
    return (
        f"Losses took {seconds['losses']:.0f} s of processor time, judgements "
        f"{sum(judging.values()):.0f} s, of which {slowest} {judging[slowest]:.0f} s."
    )
