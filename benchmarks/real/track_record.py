"""What became of winners like these: `src/rivals/track_record.json`, from committed judgements.

    python benchmarks/real/track_record.py

A cell is a design (groups left out, or candidates fitted to other data), a number of groups, and a
band of P. It says how often the favoured model won in a study of as many fresh groups, with the
jackknife error over data sets, and of how many data sets and pairs. The distribution of c on one
data set comes from one_data_set.py.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import score
import tally

TARGET = Path(__file__).parents[2] / "src" / "rivals" / "track_record.json"
METHOD = "rivals"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", type=Path, default=score.RESULTS)
    parser.add_argument("--out", type=Path, default=TARGET)
    options = parser.parse_args()
    lines = score.read(options.results / "real-judgements.jsonl.gz")
    one = json.loads((options.results / "one_data_set.json").read_text())
    rows = ",\n  ".join(json.dumps(cell) for cell in cells(lines))
    text = f'{{\n "cells": [\n  {rows}\n ],\n "one_data_set": {json.dumps(one["prior"])}\n}}\n'
    options.out.write_text(text, encoding="utf-8")


def cells(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = []
    for design in ("frozen", "left out"):
        own = [x for x in lines if x["design"] == design and x["plan"] in score.MAIN]
        for n_groups in sorted({x["groups"] for x in own} - {1}):
            judged = tally.judged([x for x in own if x["groups"] == n_groups], METHOD)
            won = judged.won[:, tally.QUESTIONS.index("study")]
            for low, high in tally.BANDS:
                rate = tally.rate(judged, won, (judged.p > low) & (judged.p <= high))
                if rate is None or rate.error is None:
                    continue
                found.append(
                    {
                        "left_out": design == "left out",
                        "n_groups": n_groups,
                        "low": low,
                        "high": high,
                        "won": round(rate.value, 4),
                        "standard_error": round(rate.error, 4),
                        "n_data_sets": rate.data_sets,
                        "n_pairs": rate.pairs,
                    }
                )
    return found


if __name__ == "__main__":
    main()
