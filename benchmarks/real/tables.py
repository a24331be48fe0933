"""The results on real data as a page of tables: `score.py` writes real.md with it."""

from __future__ import annotations

from typing import Any

from truth import QUESTIONS

WORDS = {
    "next": "the next group",
    "study": "the study repeated",
    "all": "all groups there are",
}
DESIGNS = {
    "left out": "groups left out in turn",
    "frozen": "candidates fitted to other groups",
}


def page(found: dict[str, Any]) -> str:
    """Everything in one file of Markdown."""
    parts = [
        "# Are the probabilities true, on real data?",
        f"`make evidence-real`: {found['data_sets']} development data sets with natural groups, "
        f"{found['splits']} random splits of the groups of each. README.md of benchmarks/real says "
        "what is done; tally.py, what counts as what. Rates in %, ± jackknife over data sets; in "
        "brackets the number of data sets.",
        "## P and what became of it",
        "Won less P in three bands of P; how many of the named winners failed and how often one is "
        "named, at .95 and at .90; 1000 × log score gained over a paired t test of the groups' "
        "means. Of left-out groups with the fits of all folds on all groups, and with losses only.",
        of_fits(found["fits"]),
    ]
    cells = found["cells"]
    for design, groups in sorted({(one["design"], one["groups"]) for one in cells}, reverse=True):
        own = [x for x in cells if (x["design"], x["groups"]) == (design, groups)]
        parts += [f"## {groups} observed groups, {DESIGNS[design]}", methods(own), bands(own)]
    failures = [f"- {words}: {count} times" for words, count in found["failures"].items()]
    parts += ["## Failures", "\n".join(failures) or "No judgement failed."]
    return "\n\n".join(parts) + "\n"


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in lines)


def rate(one: dict[str, Any] | None, *, sets: bool = True, unit: float = 1.0) -> str:
    """A value, its error, and of how many data sets."""
    if one is None:
        return "–"
    error = "" if one["error"] is None else f" ± {unit * one['error']:.1f}"
    return f"{unit * one['value']:.1f}{error}" + (f" ({one['data_sets']})" if sets else "")


def of_fits(rows: list[dict[str, Any]]) -> str:
    head = ["design", "groups", "method", "won − P, .50 to .70", ".70 to .95", ".95 to .99"]
    head += ["failed / named at .95", "failed / named at .90", "log score"]
    lines = []
    for one in rows:
        decided = [
            f"{rate(one['failed'][t], sets=False)} / {one['named'][t]['value']:.0f}"
            for t in ("0.95", "0.9")
        ]
        lines.append(
            [
                one["design"],
                str(one["groups"] or "all"),
                one["method"],
                *(rate(band and band["won less P with noise"]) for band in one["bands"]),
                *decided,
                rate(one["log score gained"], sets=False, unit=1000.0),
            ]
        )
    return table(head, lines)


def methods(cells: list[dict[str, Any]]) -> str:
    """Failure rates by each question, the one that a method claims to answer in bold."""
    rows = []
    for one in cells:
        failed = []
        for question in QUESTIONS:
            text = rate(one["failed"].get(question), sets=False)
            failed.append(f"**{text}**" if one["question"] == question else text)
        scores = [one.get("log score"), one.get("Brier score")]
        rows.append(
            [
                one["method"],
                rate(one["named"]),
                *failed,
                *("–" if x is None else f"{x['value']:.3f} ± {x['error']:.3f}" for x in scores),
                rate(one.get("best rejected"), sets=False),
                rate(one.get("survive"), sets=False),
            ]
        )
    head = ["method", "named", *(f"failed, {WORDS[q]}" for q in QUESTIONS)]
    return table([*head, "log score", "Brier score", "best rejected", "not rejected"], rows)


def bands(cells: list[dict[str, Any]]) -> str:
    """P → how often the favoured model won, by bands of P."""
    rows = []
    for one in cells:
        if one.get("reliability"):
            texts = [f"{band['mean P']:.0f} → {rate(band['won'])}" for band in one["reliability"]]
            rows.append([one["method"], "; ".join(texts)])
    return table(["method", "mean P → won, in %"], rows)
