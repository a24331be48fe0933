"""Rates of all methods: `python benchmarks/real/score.py`, after run.py.

Reads the judgements, and writes real.json, real.md, real.png, reliability.json (what pages show) and
real-judgements.jsonl.gz into benchmarks/results. With `--judgements FILE` it reads those of a file that was written before.
tally.py says what counts as what.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import methods
import picture
import tables
import tally
from tally import Judged
from truth import QUESTIONS

HERE = Path(__file__).parent
RESULTS = HERE.parent / "results"
OURS = "rivals"
LOSSES_ONLY = "rivals, losses only"
# The log score is told as what it gains over this.
PEER = "paired t, by groups"
MAIN = ("frozen", "l4", "l6", "l10", "l20")
LOW = (0.50, 0.70)
MIDDLE = (0.70, 0.95)
HIGH = (0.95, 0.99)
Lines = list[dict[str, Any]]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=Path, default=HERE / "records")
    parser.add_argument("--judgements", type=Path, default=None)
    parser.add_argument("--out", type=Path, default=RESULTS)
    options = parser.parse_args()
    if options.judgements is None:
        lines = list(of_records(options.records))
        keep(lines, options.out / "real-judgements.jsonl.gz")
    else:
        lines = read(options.judgements)
    found = summary(lines)
    (options.out / "real.json").write_text(compact(found), encoding="utf-8")
    (options.out / "reliability.json").write_text(compact(reliability(lines)), encoding="utf-8")
    (options.out / "real.md").write_text(tables.page(found), encoding="utf-8")
    picture.draw(found, options.out / "real.png")


def of_records(records: Path) -> Iterator[dict[str, Any]]:
    for path in sorted((records / "judgements").glob("*.jsonl")):
        for text in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(text)


def keep(lines: Lines, path: Path) -> None:
    """All lines, packed; the same bytes whenever they are the same."""
    for line in lines:
        line.pop("seconds", None)
    text = "\n".join(json.dumps(one, ensure_ascii=False) for one in lines)
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def read(path: Path = RESULTS / "real-judgements.jsonl.gz") -> Lines:
    with gzip.open(path, "rt", encoding="utf-8") as packed:
        return [json.loads(text) for text in packed]


def summary(lines: Lines) -> dict[str, Any]:
    """All that the tables, the picture and the pages say."""
    main_lines = [one for one in lines if one["plan"] in MAIN]
    return {
        "data_sets": len({one["data"] for one in lines}),
        "splits": len({one["split"] for one in lines}),
        "failures": failures(lines),
        "fits": with_fits(lines),
        "cells": [cell for cell in cells(main_lines) if cell],
    }


def failures(lines: Lines) -> dict[str, int]:
    found: dict[str, int] = {}
    for line in lines:
        for name, words in line["errors"].items():
            found[f"{name}: {words}"] = found.get(f"{name}: {words}", 0) + 1
    return found


def cells(lines: Lines) -> Iterator[dict[str, Any]]:
    """A cell for each method, design and number of groups."""
    kinds = sorted({(one["design"], one["groups"]) for one in lines})
    for design, groups in kinds:
        own = [one for one in lines if (one["design"], one["groups"]) == (design, groups)]
        for method in methods.every():
            if any(method.name in one["P"] for one in own):
                yield cell(own, method) | {"design": design, "groups": groups}
        yield oracle(own) | {"design": design, "groups": groups}


def cell(lines: Lines, method: methods.Method) -> dict[str, Any]:
    found = tally.judged(lines, method.name)
    log, brier = tally.scores(found, method.question)
    rows = tally.every(found)
    best = tally.best(lines, method.name, method.threshold)
    return {
        "method": method.name,
        "question": method.question,
        "named": tally.named(found, method.threshold).percent(),
        "failed": {q: percent(tally.failed(found, method.threshold, q)) for q in QUESTIONS},
        "log score": plain(tally.rate(found, log, rows)),
        "Brier score": plain(tally.rate(found, brier, rows)),
        "at equal": {
            str(part): percent(tally.at_equal(found, part, method.question)) for part in tally.EQUAL
        },
        "best rejected": best["rejected"].percent(),
        "survive": best["survive"].percent(),
        "reliability": bands(found, method.question),
    }


def oracle(lines: Lines) -> dict[str, Any]:
    """Who knows mean and spread of the fresh groups names the winner of a study."""
    known = [one | {"P": {"oracle": one["oracle"]}, "noisy": {}} for one in lines]
    found = tally.judged(known, "oracle")
    return {
        "method": "oracle",
        "question": "study",
        "named": tally.named(found, methods.THRESHOLD).percent(),
        "failed": {"study": percent(tally.failed(found, methods.THRESHOLD, "study"))},
    }


def bands(found: Judged, question: str) -> list[dict[str, Any]]:
    each = [tally.reliability(found, question, low, high) for low, high in tally.BANDS]
    return [one for one in each if one is not None]


def percent(rate: tally.Rate | None) -> dict[str, Any] | None:
    return None if rate is None else rate.percent()


def plain(rate: tally.Rate | None) -> dict[str, Any] | None:
    return None if rate is None else rate.plain()


# ---------------------------------------------------------------- what fits share


def with_fits(lines: Lines) -> list[dict[str, Any]]:
    """With the fits of all folds and with losses only, by number of groups, and pooled (0)."""
    several = [one for one in lines if one["groups"] > 2 and one["plan"] in MAIN]
    kinds = sorted({(one["design"], one["groups"]) for one in several})
    kinds += sorted({(one["design"], 0) for one in several})
    rows = []
    for design, groups in kinds:
        own = [x for x in several if x["design"] == design and groups in (0, x["groups"])]
        for method in (OURS, LOSSES_ONLY) if design == "left out" else (OURS,):
            rows.append({"design": design, "groups": groups, "method": method} | at(own, method))
    return rows


def at(lines: Lines, method: str) -> dict[str, Any]:
    found = tally.judged(lines, method)
    both = [one for one in lines if {method, PEER} <= one["P"].keys()]  # peers judge fewer sets
    own, theirs = (tally.judged(both, name) for name in (method, PEER))
    gained = tally.scores(own, "study")[0] - tally.scores(theirs, "study")[0]
    return {
        "bands": [tally.reliability(found, "study", *band) for band in (LOW, MIDDLE, HIGH)],
        "named": {str(t): tally.named(found, t).percent() for t in (0.95, 0.90)},
        "failed": {str(t): percent(tally.failed(found, t, "study")) for t in (0.95, 0.90)},
        "log score gained": plain(tally.rate(own, gained, tally.every(own))),
    }


# ---------------------------------------------------------------- what pages show


def reliability(lines: Lines) -> dict[str, Any]:
    """P and what became of it, and how often named winners fail: of this library, in few rows.

    `groups` 0 pools all numbers of groups. Rates are in %, each with its own number of data sets.
    """
    several = [one for one in lines if one["groups"] > 2 and one["plan"] in MAIN]
    kinds = sorted({(one["design"], one["groups"]) for one in several})
    kinds += sorted({(one["design"], 0) for one in several})
    bands_of, decided = [], []
    for design, groups in kinds:
        own = [x for x in several if x["design"] == design and groups in (0, x["groups"])]
        found = tally.judged(own, OURS)
        head = {"design": design, "groups": groups}
        for low, high in (*tally.BANDS, MIDDLE):
            each = tally.reliability(found, "study", low, high)
            if each is not None:
                each["won less P"] = each.pop("won less P with noise")
                bands_of.append(head | each)
        for threshold in (0.95, 0.90):
            failed = percent(tally.failed(found, threshold, "study"))
            shown = {"threshold": threshold, "failed": failed}
            decided.append(head | shown | {"named": tally.named(found, threshold).percent()})
    return {
        "data_sets": len({one["data"] for one in lines}),
        "splits": len({one["split"] for one in lines}),
        "bands": bands_of,
        "decisions": decided,
    }


def compact(found: dict[str, Any]) -> str:
    """JSON with a line for each cell."""
    text = []
    for name, value in found.items():
        if isinstance(value, list):
            rows = ",\n  ".join(json.dumps(one, ensure_ascii=False) for one in value)
            text.append(f"{json.dumps(name)}: [\n  {rows}\n ]")
        else:
            text.append(f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}")
    return "{\n " + ",\n ".join(text) + "\n}\n"


if __name__ == "__main__":
    main()
