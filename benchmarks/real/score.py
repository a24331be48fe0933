"""Errors of all methods: `python benchmarks/real/score.py`, after run.py.

Reads the judgements, and writes real.json, real.md, real.png, real-judgements.jsonl.gz and
expected_error.json into benchmarks/results. With `--judgements FILE` it reads those of a file that
was written before. tally.py says what counts as what.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import methods
import picture
import tables
import tally
from catalogue import CATALOGUE
from truth import QUESTIONS

HERE = Path(__file__).parent
Lines = list[dict[str, Any]]
Pairs = list[tuple[dict[str, Any], dict[str, Any]]]
KEY = ("data", "design", "groups", "split", "set")
DECIDES = "rivals, as compare decides"
MISFIT = "rivals, study repeated"
SPREAD = "law groups, spread of points as the scale"
# Methods of this library → what `compare` was asked: law, simulations, horizon.
SETTINGS = {
    "rivals, next group": ("groups", "true", "next"),
    DECIDES: ("groups", "true", "study"),
    "rivals, all groups": ("groups", "true", "all"),
    "rivals, next group, no simulations": ("groups", "false", "next"),
    "rivals, study repeated, no simulations": ("groups", "false", "study"),
    "rivals, all groups, no simulations": ("groups", "false", "all"),
    "rivals, one data set (law transport)": ("transport", "true", "next"),
    "rivals, one data set (law beta)": ("beta", "true", "next"),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=Path, default=HERE / "records")
    parser.add_argument("--judgements", type=Path, default=None)
    parser.add_argument("--out", type=Path, default=HERE.parent / "results")
    options = parser.parse_args()
    if options.judgements is None:
        lines = list(of_records(options.records))
        keep(lines, options.out / "real-judgements.jsonl.gz")
    else:
        with gzip.open(options.judgements, "rt", encoding="utf-8") as packed:
            lines = [json.loads(text) for text in packed]
    found = tally.with_digits(summary(lines))
    write(options.out / "real.json", compact(found))
    write(options.out / "expected_error.json", json.dumps(expected(found), indent=1))
    write(options.out / "real.md", tables.page(found))
    picture.draw(found, options.out / "real.png")


def write(path: Path, text: str) -> None:
    path.write_text(text.rstrip("\n") + "\n", encoding="utf-8")


def of_records(records: Path) -> Iterator[dict[str, Any]]:
    """What was noted when losses were made; then problems and judgements."""
    for path in sorted((records / "losses").glob("*.json")):
        yield json.loads(path.read_text())
    for path in sorted((records / "judgements").glob("*.jsonl")):
        for text in path.read_text(encoding="utf-8").splitlines():
            yield json.loads(text)


def keep(lines: Lines, path: Path) -> None:
    """All lines, packed; the same bytes whenever they are the same."""
    text = "\n".join(json.dumps(one, ensure_ascii=False) for one in lines)
    path.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def summary(lines: Lines) -> dict[str, Any]:
    """All that the tables, the picture and the pages say."""
    known = {one.name: one for one in methods.every()}
    notes = [one for one in lines if "sizes" in one]
    problems = {key_of(one): one for one in lines if "truth" in one}
    said: dict[str, dict[str, dict[str, Pairs]]] = {}
    failed: dict[str, list[str]] = defaultdict(list)
    seconds: dict[str, float] = defaultdict(float)
    for one in lines:
        if one.get("method") not in known:
            continue
        seconds[one["method"]] += one["seconds"]
        if "error" in one:
            failed[one["method"]].append(f"{one['data']}: {one['error']}")
            continue
        groups = said.setdefault(one["design"], {}).setdefault(str(one["groups"]), {})
        groups.setdefault(one["method"], []).append((one, problems[key_of(one)]))
    versions = {}
    for one in lines:
        versions.update(one.get("versions", {}))
    result: dict[str, Any] = {
        "versions": dict(sorted(versions.items())),
        "questions": {name: one.question for name, one in known.items()},
        "data": described(notes),
        "seconds": {
            "losses": sum(one["seconds"] for one in notes),
            "judgements": dict(seconds),
        },
        "failures": {
            "losses": [f"{one['data']}: {words}" for one in notes for words in one["failures"]],
            "judgements": {
                name: {"count": len(one), "first": one[0]} for name, one in failed.items()
            },
        },
    }
    result["misfit or spread"] = {
        k: misfit_or_spread(by_method)
        for k, by_method in sorted(said.get("frozen", {}).items())
        if SPREAD in by_method
    }
    result["chosen before and now"] = by_choice(said.get("left out", {}), result["data"])
    for design in ("left out", "frozen"):
        by_groups = said.get(design, {})
        result[design] = {
            k: {
                name: scored(method, by_groups[k][name])
                for name, method in known.items()
                if name in by_groups[k]
            }
            for k in sorted(by_groups, key=int)
        }
    return result


def by_choice(by_groups: dict[str, dict[str, Pairs]], data: dict[str, Any]) -> dict[str, Any]:
    """The default on data sets that were in use before, and on those frozen beforehand."""
    found: dict[str, Any] = {}
    for k in sorted(by_groups, key=int):
        for choice in ("first", "second"):
            own = [one for one in by_groups[k][DECIDES] if data[one[1]["data"]]["chosen"] == choice]
            if own:
                score = tally.score(tally.judged(own, methods.THRESHOLD))
                found.setdefault(choice, {})[k] = {
                    "error": score["error"]["study"],
                    "stated": score["stated"],
                    "data_sets": score["data_sets"],
                }
    return found


def misfit_or_spread(by_method: dict[str, Pairs]) -> dict[str, Any]:
    """Error of law "groups" with the spread of points as its scale, less that with the misfit."""
    both = [tally.judged(by_method[name], methods.THRESHOLD) for name in (MISFIT, SPREAD)]
    return {question: tally.gap(*both, question) for question in QUESTIONS}


def key_of(one: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(one[name] for name in KEY)


def scored(method: methods.Method, pairs: Pairs) -> dict[str, Any]:
    found = tally.judged(pairs, method.threshold)
    result = tally.score(found) | {"best": tally.best(pairs, method.threshold)}
    if method.package == "rivals" or method.name.startswith(("elpd", "paired", "corrected")):
        result["reliability"] = tally.reliability(found, method.question)
        result["curve"] = tally.curve(found, method.question)
    if method.name in ("rivals, as compare decides", "elpd ± SE of points, by points"):
        result["by_data"] = tally.own_errors(found, "study")
    return result


def described(notes: Lines) -> dict[str, dict[str, Any]]:
    sizes = {one["data"]: one["sizes"] for one in notes}
    found = {}
    for one in CATALOGUE:
        if one.name in sizes:
            own = sizes[one.name]
            found[one.name] = {"points": sum(own), "groups": len(own), "chosen": one.frozen}
    return found


def expected(found: dict[str, Any]) -> dict[str, Any]:
    """What became of winners stated by `compare`: `result.expected_error` is made from it.

    law → with simulations → horizon → groups at hand → error, its standard error, stated, in %.
    With 2, 3, 5 and 8 groups candidates were frozen; with 4, 6, 10 and 20, groups left out.
    """
    laws: dict[str, Any] = {}
    for design in ("frozen", "left out"):
        for k, by_method in found[design].items():
            for name, (law, simulations, horizon) in SETTINGS.items():
                score = by_method.get(name)
                if score is None or score["error"][horizon] is None:
                    continue
                if law != "groups" and k != "1":
                    continue
                error, standard_error = score["error"][horizon]
                by_horizon = laws.setdefault(law, {}).setdefault(simulations, {})
                by_horizon.setdefault(horizon, {})[k] = {
                    "error": round(error, 2),
                    "standard_error": round(standard_error, 2),
                    "stated": round(score["stated"], 2),
                    "data_sets": score["data_sets"],
                    "judgements": score["judgements"],
                }
    for by_simulations in laws.values():
        for by_horizon in by_simulations.values():
            for horizon, rows in by_horizon.items():
                by_horizon[horizon] = {k: rows[k] for k in sorted(rows, key=int)}
    return {
        "threshold": methods.THRESHOLD,
        "unit": "%, of fresh groups of real data (benchmarks/real)",
        "data_sets": len(found["data"]),
        "versions": found["versions"],
        "laws": laws,
    }


def compact(found: dict[str, Any]) -> str:
    """JSON with a line for each method of each number of groups."""
    heads = {name: value for name, value in found.items() if name not in ("left out", "frozen")}
    text = [
        json.dumps(name) + ": " + json.dumps(one, ensure_ascii=False) for name, one in heads.items()
    ]
    for design in ("left out", "frozen"):
        parts = []
        for k, by_method in found[design].items():
            rows = [
                f"   {json.dumps(name, ensure_ascii=False)}: {json.dumps(one, ensure_ascii=False)}"
                for name, one in by_method.items()
            ]
            parts.append(f"  {json.dumps(k)}: {{\n" + ",\n".join(rows) + "\n  }")
        text.append(f"{json.dumps(design)}: {{\n" + ",\n".join(parts) + "\n }")
    return "{\n " + ",\n ".join(text) + "\n}"


if __name__ == "__main__":
    main()
