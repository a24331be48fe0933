"""What became of winners like these: `src/rivals/_result/track_record.json`, from committed judgements.

    python benchmarks/real/track_record.py

A cell is a design (units left out, with the fits of all folds or with losses only, or candidates
fitted to other data), a number of groups or rows, and a band of P. It says how often the favoured
model won in a study of as many fresh ones, with the jackknife error over data sets, and of how many
data sets and pairs. All losses are negative log densities. How often intervals covered
comes from intervals.py and one_data_set.py, the distribution of c on one data set from the latter.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import score
import tally
from rivals.laws.groups import RECORD

TARGET = Path(__file__).parents[2] / "src" / "rivals" / "_result" / "track_record.json"
# Design of the benchmark, method → units and training of the record.
OF_GROUPS = {
    ("frozen", "rivals"): "fitted before",
    ("left out", "rivals"): "left out",
    ("left out", "rivals, losses only"): "left out, losses only",
}
OF_ROWS = {
    ("fitted before", "rivals, fitted before"): "fitted before",
    ("left out", "rivals"): "left out",
    ("left out", "rivals, losses only"): "left out, losses only",
}
OVER = {"one new group": "one", "the study repeated": "as many", "the population mean": "all"}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--results", type=Path, default=score.RESULTS)
    parser.add_argument("--out", type=Path, default=TARGET)
    options = parser.parse_args()
    lines = score.read(options.results / "real-judgements.jsonl.gz")
    one = json.loads((options.results / "one_data_set.json").read_text())
    from_groups = json.loads((options.results / "intervals.json").read_text())
    groups = [x for x in lines if x["plan"] in score.MAIN and x["groups"] > 2]
    rows = score.read(options.results / "rows-judgements.jsonl.gz")
    of_all = [*cells(groups, "groups", OF_GROUPS), *cells(rows, "rows", OF_ROWS)]
    lists = {"cells": of_all, "intervals": [*intervals(from_groups), *of_one(one)]}
    plain = {name: ",\n  ".join(json.dumps(row) for row in rows) for name, rows in lists.items()}
    parts = [f'"{name}": [\n  {rows}\n ]' for name, rows in plain.items()]
    parts.append(f'"one_data_set": {json.dumps(one["prior"])}')
    text = "{\n " + ",\n ".join(parts) + "\n}\n"
    options.out.write_text(text, encoding="utf-8")


def cells(
    lines: list[dict[str, Any]], units: str, kinds: dict[tuple[str, str], str]
) -> list[dict[str, Any]]:
    found = []
    for (design, method), training in kinds.items():
        own = [x for x in lines if x["design"] == design]
        for n_units in sorted({x["groups"] for x in own}):
            judged = tally.judged([x for x in own if x["groups"] == n_units], method)
            won = judged.won[:, tally.QUESTIONS.index("study")]
            for low, high in tally.BANDS:
                rate = tally.rate(judged, won, (judged.p > low) & (judged.p <= high))
                if rate is None or rate.error is None:
                    continue
                found.append(
                    {
                        **recorded(units, training),
                        "n_units": n_units,
                        "low": low,
                        "high": high,
                        "won": round(rate.value, 4),
                        "standard_error": round(rate.error, 4),
                        "n_data_sets": rate.data_sets,
                        "n_pairs": rate.pairs,
                    }
                )
    return found


def intervals(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """How often nominal 90 % intervals from groups covered."""
    return [
        {
            **recorded("groups", OF_GROUPS[row["design"], "rivals"]),
            "of": row["of"],
            "over": OVER[row["over"]],
        }
        | {"n_units": row["groups"]}
        | share(*row["covered"], row["data_sets"])
        for row in rows
    ]


def of_one(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Those of one data set that are printed: a difference at c, a risk with c unknown."""
    covered = found["coverage of 90 % intervals in another group"]
    printed = {"difference": "c = 0.25", "risk": "c unknown, ten folds"}
    return [
        {"law": "transport", "units": "one data set", "training": "fitted before", "loss": ""}
        | {"of": of, "over": "another place", "n_units": 1}
        | share(*covered[of][c], found["prior"]["n_data_sets"])
        for of, c in printed.items()
    ]


def recorded(units: str, training: str) -> dict[str, str]:
    """What a result is asked for before a rate stands beside it: `Groups.recorded_as`."""
    return {"law": RECORD, "units": units, "training": training, "loss": "log"}


def share(percent: float, error: float, n_data_sets: int) -> dict[str, Any]:
    return {
        "covered": round(percent / 100.0, 4),
        "standard_error": round(error / 100.0, 4),
        "n_data_sets": n_data_sets,
    }


if __name__ == "__main__":
    main()
