"""Errors and stated winners on real data: `python benchmarks/real/score.py`, after run.py. Writes results/real.json and .md.

A winner is *stated* where its probability exceeds 0.95 and its mean loss at hand is the lower one. Its *error* is the part of the fresh
groups in which it has the higher mean loss; *less noise*, the same of the risks, without the sampling error of the fresh groups. All data
sets weigh the same: error is the mean over data sets of what is lost, over the mean of what is stated; ± is the jackknife over data sets.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

HERE = Path(__file__).parent
THRESHOLD = 0.95
FloatArray = npt.NDArray[np.float64]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=Path, default=HERE / "records")
    options = parser.parse_args()
    files = [json.loads(path.read_text()) for path in sorted(options.records.glob("*.json"))]
    for design in ("frozen", "left out"):
        by_data = {one["data"]: one["records"] for one in files if one["design"] == design}
        for k in sorted({record["k"] for records in by_data.values() for record in records}):
            print(f"\n{design}, {k}")
            for method, score in scores(by_data, k).items():
                print(f"{method:30s} {brief(score)}")


def scores(by_data: dict[str, list[dict[str, Any]]], k: int) -> dict[str, dict[str, Any]]:
    """Method → its score with k groups at hand."""
    at_k = {name: [record for record in records if record["k"] == k] for name, records in by_data.items()}
    methods = list(dict.fromkeys(method for records in at_k.values() for record in records for method in record["said"]))
    return {method: score({name: tally(records, method) for name, records in at_k.items()}) for method in methods}


def tally(records: list[dict[str, Any]], method: str) -> tuple[int, float, float, float] | None:
    """Of one data set: judgements, the part stated, and the parts lost, as seen and less noise; None if never asked."""
    asked = [record for record in records if method in record["said"]]
    if not asked:
        return None
    p, d, wins, risks = (np.array([get(record) for record in asked]) for get in (
        lambda r: r["said"][method], lambda r: r["difference"], lambda r: r["wins"], lambda r: r["wins of risks"]))  # fmt: skip
    first, second = p > THRESHOLD, 1.0 - p > THRESHOLD
    if method != "t prediction":
        first, second = first & (d < 0), second & (d > 0)
    stated = first | second
    lost = [np.where(first, 1.0 - won, won) * stated for won in (wins, risks)]
    return len(asked), float(stated.mean()), float(lost[0].mean()), float(lost[1].mean())


def score(tallies: dict[str, tuple[int, float, float, float] | None]) -> dict[str, Any]:
    """Of all data sets, in %."""
    found = {name: one for name, one in tallies.items() if one is not None}
    judgements, stated, lost, risks = np.array(list(found.values())).T
    error, error_se = ratio(lost, stated)
    less, less_se = ratio(risks, stated)
    return {
        "error": error,
        "error_se": error_se,
        "less_noise": less,
        "less_noise_se": less_se,
        "stated": 100 * float(stated.mean()),
        "stated_se": 100 * float(stated.std(ddof=1) / np.sqrt(stated.size)),
        "data_sets": len(found),
        "judgements": int(judgements.sum()),
        "by_data": {name: [round(x, 5) for x in one] for name, one in found.items()},
    }


def ratio(lost: FloatArray, stated: FloatArray) -> tuple[float | None, float | None]:
    """Error in %, with the jackknife over data sets."""
    if stated.sum() == 0.0:
        return None, None
    rest = (lost.sum() - lost) / np.maximum(stated.sum() - stated, 1e-12)
    spread = np.sqrt((lost.size - 1) / lost.size * np.sum((rest - rest.mean()) ** 2))
    return 100 * float(lost.sum() / stated.sum()), 100 * float(spread)


def brief(score: dict[str, Any]) -> str:
    if score["error"] is None:
        return f"none stated ({score['data_sets']} data sets)"
    return f"{score['error']:.1f} ± {score['error_se']:.1f} ({score['less_noise']:.1f} ± {score['less_noise_se']:.1f}) / {score['stated']:.1f} ± {score['stated_se']:.1f}   {score['data_sets']} {score['judgements']}"


if __name__ == "__main__":
    main()
