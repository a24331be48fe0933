"""Errors and stated winners on real data: `python benchmarks/real/score.py`, after run.py. Writes results/real.json, .md and .png.

A winner is *stated* where its probability exceeds 0.95 and its mean loss at hand is the lower one; with the default settings, where
`rivals.compare` of the pair rejects the other model. Its *error* is the part of the fresh groups in which it has the higher mean loss;
*less noise*, the same of the risks, without the sampling error of the fresh groups. All data sets weigh the same: error is what is lost,
averaged over data sets, over what is stated, averaged likewise; ± is the jackknife over data sets.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import picture
import tables
from catalogue import CATALOGUE
from judge import SPREAD_C, THRESHOLD, show

HERE = Path(__file__).parent
FloatArray = npt.NDArray[np.float64]
Records = dict[str, list[dict[str, Any]]]
# What is known of the truth: in the fresh groups as seen, and of their risks.
TRUTHS = ("wins", "wins of risks", "wins of risks, own variances")
CURVE_POINTS = 60
CALIBRATED = "calibrated with replications(...)"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=Path, default=HERE / "records")
    parser.add_argument("--out", type=Path, default=HERE.parent / "results")
    options = parser.parse_args()
    files = [json.loads(path.read_text()) for path in sorted(options.records.glob("*.json"))]
    found = summary(files)
    (options.out / "real.json").write_text(compact(found) + "\n")
    (options.out / "real.md").write_text(tables.page(found))
    (options.out / "expected_error.json").write_text(
        json.dumps(expected(found), ensure_ascii=False, indent=1) + "\n"
    )
    picture.draw(found, options.out / "real.png")


def summary(files: list[dict[str, Any]]) -> dict[str, Any]:
    """All that the tables, the picture and the page say."""
    order = [data_set.name for data_set in CATALOGUE]
    files = sorted(files, key=lambda one: (order.index(one["data"]), one["split"]))
    failures = {
        name: [words for one in files if one["data"] == name for words in one["failures"]]
        for name in order
    }
    found: dict[str, Any] = {
        "data": described(files),
        "failures": {name: words for name, words in failures.items() if words},
        "splits": {
            design: splits(files, design) for design in ("frozen", "left out", "calibrated")
        },
        "seconds": round(sum(one["seconds"] for one in files)),
    }
    for design in ("frozen", "left out", "calibrated"):
        own = [one for one in files if one["design"] == design]
        records = {
            name: [r for one in own if one["data"] == name for r in one["records"] if "pair" in r]
            for name in order
        }
        sizes = sorted({record["k"] for own in records.values() for record in own})
        found[design] = {str(k): scores(at(records, k)) for k in sizes}
        found[f"{design}, curves"] = {str(k): curves(at(records, k)) for k in sizes}
    found["misfit or spread"] = {
        k: misfit_or_spread(by_method) for k, by_method in found["frozen"].items() if k != "1"
    }
    found["best"] = truly_best(
        [record for one in files for record in one["records"] if "pair" not in record]
    )
    return found


def splits(files: list[dict[str, Any]], design: str) -> list[int]:
    """The least and the largest number of splits of a data set, of those that were made."""
    names = [one["data"] for one in files if one["design"] == design]
    counts = [names.count(name) for name in set(names)]
    return [min(counts, default=0), max(counts, default=0)]


def described(files: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    sizes = {one["data"]: one["sizes"] for one in files}
    return {
        one.name: {
            "source": one.source, "unit": one.unit, "kind": one.kind, "response": one.response, "few": one.few, "all": one.all,
            "left_out": one.left_out, "least": one.least, "points": sum(sizes[one.name]), "groups": len(sizes[one.name]),
        }
        for one in CATALOGUE if one.name in sizes
    }  # fmt: skip


def at(records: Records, k: int) -> Records:
    return {
        name: own
        for name, all_k in records.items()
        if (own := [record for record in all_k if record["k"] == k])
    }


# ---------------------------------------------------------------- scores


def scores(records: Records) -> dict[str, dict[str, Any]]:
    """Method → its score."""
    methods = dict.fromkeys(
        method for own in records.values() for record in own for method in record["said"]
    )
    return {
        method: score({name: tally(own, method) for name, own in records.items()})
        for method in methods
    }


def tally(records: list[dict[str, Any]], method: str) -> list[float] | None:
    """Of one data set: judgements, the part stated, and the parts lost by each truth; None if never asked."""
    asked = [record for record in records if method in record["said"]]
    if not asked:
        return None
    sign = np.array([verdict(record, method) for record in asked])
    lost = [
        np.mean(np.where(sign > 0, 1.0 - won, won) * (sign != 0))
        for won in (np.array([r[truth] for r in asked]) for truth in TRUTHS)
    ]
    return [len(asked), float(np.mean(sign != 0)), *map(float, lost)]


def verdict(record: dict[str, Any], method: str) -> int:
    """1 if the first of the pair is stated to be better, −1 if the second is, 0 if neither."""
    if method in record["verdict"]:
        return int(record["verdict"][method])
    p, d = record["said"][method], record["difference"]
    sign = int(p > THRESHOLD) - int(1.0 - p > THRESHOLD)
    return sign if method == "t prediction" or sign * d < 0 else 0


def score(tallies: dict[str, list[float] | None]) -> dict[str, Any]:
    """Of all data sets, in %."""
    found = {name: one for name, one in tallies.items() if one is not None}
    judgements, stated, *lost = np.array(list(found.values())).T
    result: dict[str, Any] = {}
    for what, one in zip(("error", "less_noise", "less_noise_own"), lost, strict=True):
        result[what], result[f"{what}_se"] = ratio(one, stated)
    return result | {
        "stated": 100 * float(stated.mean()),
        "stated_se": 100 * float(stated.std(ddof=1) / np.sqrt(stated.size)),
        "data_sets": len(found),
        "judgements": int(judgements.sum()),
        "by_data": {name: [round(x, 4) for x in one[:4]] for name, one in found.items()},
    }


def ratio(lost: FloatArray, stated: FloatArray) -> tuple[float | None, float | None]:
    """Error in %, with the jackknife over data sets."""
    if stated.sum() == 0.0:
        return None, None
    rest = (lost.sum() - lost) / np.maximum(stated.sum() - stated, 1e-12)
    spread = np.sqrt((lost.size - 1) / lost.size * np.sum((rest - rest.mean()) ** 2))
    return 100 * float(lost.sum() / stated.sum()), 100 * float(spread)


# ---------------------------------------------------------------- more than one threshold


def curves(records: Records) -> dict[str, list[list[float]]]:
    """Method → [stated %, error %] at thresholds from high to low, all data sets with the same weight."""
    methods = dict.fromkeys(
        method for own in records.values() for record in own for method in record["said"]
    )
    return {method: curve(records, method) for method in methods if not method.startswith("spread")}


def curve(records: Records, method: str) -> list[list[float]]:
    asked = {
        name: rows
        for name, own in records.items()
        if (rows := [r for r in own if method in r["said"]])
    }
    p, won, weight = (np.concatenate(parts) for parts in zip(*(
        ([r["said"][method] for r in rows], [r["wins"] for r in rows], np.full(len(rows), 1.0 / len(rows) / len(asked))) for rows in asked.values()
    ), strict=True))  # fmt: skip
    firm, lost = np.abs(p - 0.5), np.where(p > 0.5, 1.0 - won, won)
    limits = np.unique(np.quantile(firm, np.linspace(0.0, 1.0, CURVE_POINTS), method="nearest"))[
        ::-1
    ]
    kept = [(firm >= limit) for limit in limits]
    return [
        [
            round(100 * weight[k].sum(), 2),
            round(100 * (weight * lost)[k].sum() / weight[k].sum(), 2),
        ]
        for k in kept
    ]


def misfit_or_spread(by_method: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Law "groups" by probability, and the prior by the spread of points at the c that states most nearly as much."""
    misfit = by_method["groups, c = 1/4"]
    c = min(
        SPREAD_C,
        key=lambda c: abs(
            by_method[f"spread of points, c = {show(c)}"]["stated"] - misfit["stated"]
        ),
    )
    spread = by_method[f"spread of points, c = {show(c)}"]
    keys = ("error", "error_se", "less_noise", "less_noise_own", "stated")
    lost = np.array(
        [[misfit["by_data"][name][2], spread["by_data"][name][2]] for name in misfit["by_data"]]
    )
    stated = np.array(
        [[misfit["by_data"][name][1], spread["by_data"][name][1]] for name in misfit["by_data"]]
    )
    gap = paired_gap(lost, stated)
    return {
        "misfit": {k: misfit[k] for k in keys},
        "spread": {k: spread[k] for k in keys} | {"c": c},
        "gap": gap[0],
        "gap_se": gap[1],
    }


def paired_gap(lost: FloatArray, stated: FloatArray) -> tuple[float, float]:
    """Error of the second method less that of the first, in points, with the jackknife over data sets."""

    def gap(keep: FloatArray) -> float:
        error = lost[keep].sum(axis=0) / np.maximum(stated[keep].sum(axis=0), 1e-12)
        return 100 * float(error[1] - error[0])

    everyone = np.ones(len(lost), dtype=bool)
    rest = [gap(np.arange(len(lost)) != one) for one in range(len(lost))]
    return gap(everyone), float(np.sqrt((len(lost) - 1) * np.var(rest)))


def truly_best(records: list[dict[str, Any]]) -> dict[str, Any]:
    """How often the truly best of all candidates is rejected, and how many survive, in %."""
    found: dict[str, Any] = {}
    for k in sorted({record["k"] for record in records}):
        own = [record for record in records if record["k"] == k]
        for method in ("groups", "5-fold by points, elpd ± SE"):
            kept, part = np.array([record[method] for record in own], dtype=float).T
            found.setdefault(str(k), {})[method] = {
                "rejected": 100 * float(1 - kept.mean()),
                "survivors": 100 * float(part.mean()),
                "problems": len(own),
            }
    return found


def expected(found: dict[str, Any]) -> dict[str, Any]:
    """Settings of a comparison → what became of winners stated like that: `result.expected_error` is made from it."""
    rows = []
    for design, words in (
        ("frozen", "held-out groups"),
        ("left out", "groups left out in turn"),
        ("calibrated", "held-out groups"),
    ):
        for k, by_method in found[design].items():
            for method, score in by_method.items():
                setting = setting_of(method)
                if setting is not None and score["error"] is not None:
                    keys = (
                        "error",
                        "error_se",
                        "less_noise",
                        "less_noise_own",
                        "stated",
                        "judgements",
                        "data_sets",
                    )
                    rows.append(
                        setting
                        | {"groups": int(k), "losses": words}
                        | {key: round(score[key], 2) for key in keys}
                    )
    return {
        "threshold": THRESHOLD,
        "unit": "%, of fresh groups of real data (benchmarks/real)",
        "rows": rows,
    }


def setting_of(method: str) -> dict[str, Any] | None:
    """What `rivals.compare` was asked; None for other methods, and for what is no default."""
    law, _, rest = method.partition(", ")
    known = {
        "": ("transport", "groups"),
        "no simulations": ("groups",),
        "c = 1": ("beta",),
        CALIBRATED: ("transport",),
    }
    if law not in known.get(rest, ()):
        return None
    return {"law": law, "simulations": rest != "no simulations", "calibrated": rest == CALIBRATED}


def compact(found: dict[str, Any]) -> str:
    """JSON with a line for each method, numbers to four digits."""
    text = json.dumps(found, ensure_ascii=False, indent=1, default=float)
    return "\n".join(
        line for line in joined(json.loads(text, parse_float=lambda x: round(float(x), 4)))
    )


def joined(found: dict[str, Any]) -> list[str]:
    lines = ["{"]
    for place, (key, value) in enumerate(found.items()):
        end = "," if place < len(found) - 1 else ""
        if (
            isinstance(value, dict)
            and value
            and all(isinstance(one, dict) for one in value.values())
        ):
            inner = [
                f"  {json.dumps(name, ensure_ascii=False)}: {json.dumps(one, ensure_ascii=False)}"
                for name, one in value.items()
            ]
            lines += [f" {json.dumps(key, ensure_ascii=False)}: {{", ",\n".join(inner), f" }}{end}"]
        else:
            lines.append(
                f" {json.dumps(key, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}{end}"
            )
    return [*lines, "}"]


if __name__ == "__main__":
    main()
