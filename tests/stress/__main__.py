"""`make stress`: hostile input and faults, for a bounded time, with fixed seeds; what came of it
goes to benchmarks/results.

    python tests/stress [--minutes 18] [--only PART ...] [--out benchmarks/results/stress]

Each part runs in a process of its own under a time limit, so that a part that hangs is counted and
does not stop the rest. Parts that are run by themselves replace their counts in earlier results,
which then say so.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
PAGE = ROOT / "docs" / "promises.md"
OUT = ROOT / "benchmarks" / "results" / "stress"
SEED = 15

# Module, function, and its part of the time.
PARTS = [
    ("damage", "damage_archives", 2),
    ("damage", "damage_stores", 3),
    ("damage", "edit_stores", 1),
    ("names", "try_names", 2),
    ("browser", "browse", 1),
    ("writes", "interrupt_writes", 1),
    ("writes", "try_targets", 0.5),
    ("readers", "fuzz_readers", 3),
    ("hostile", "refuse_hostile", 2),
    ("processes", "inject_faults", 4),
    ("clusters", "end_workers", 1),
    ("numbers", "fuzz_numbers", 3),
    ("labels", "fuzz_labels", 2),
    ("comparisons", "fuzz_comparisons", 2),
]
# What a part may count; all but the first two must be zero.
TRIED = {"inputs": "inputs tried", "faults": "faults injected"}
BAD = {
    "lost": "results lost",
    "hung": "hung",
    "silently_wrong": "silently wrong",
    "executed": "executed",
    "fetched": "fetched from outside",
    "raw_errors": "errors without a sentence",
}
WHAT = {
    "damage_archives": "saved comparisons, cut at every 512 bytes or with bytes and bits changed",
    "damage_stores": "stores of calibrations, likewise",
    "edit_stores": "stores whose rows were edited with SQLite",
    "try_names": "names with markup, escapes, formulas, marks of direction …, in every output",
    "browse": "the same in pages and drawings in Chromium",
    "interrupt_writes": "writers killed at random moments, and disks that are full",
    "try_targets": "targets of writers: long names, links, pipes, read-only or missing folders",
    "fuzz_readers": "tables and archives from elsewhere, mutated",
    "refuse_hostile": "files made to harm: links, other people's files, missing parts, pickles, "
    "gigabytes in kilobytes",
    "inject_faults": "workers and parents that die, hang, or are stopped",
    "end_workers": "experiments that end their process, on a Dask cluster that gives workers up",
    "fuzz_numbers": "the fast core against a plain and slow one",
    "fuzz_labels": "labels of every form, masked, missing and permuted, on every way into a "
    "comparison",
    "fuzz_comparisons": "groups, series, horizons, margins, equal models and tiny losses against "
    "plain formulas, and what must be refused",
}


def run_part(module: str, function: str, seconds: float) -> dict[str, Any]:
    """One part in a process of its own; a dictionary of counts."""
    code = (
        f"import json, sys; from stress import {module} as part\n"
        f"print('\\n' + json.dumps(part.{function}({seconds!r}, {SEED})))"
    )
    paths = [
        str(TESTS),
        str(TESTS / "calibration"),
        str(ROOT / "src"),
        os.environ.get("PYTHONPATH", ""),
    ]
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(paths),
        "MPLBACKEND": "Agg",
        "PYTHONHASHSEED": "0",
    }
    environment["PYTHONSAFEPATH"] = (
        "1"  # or `numbers`, beside a part that runs itself, would hide that of the standard library
    )
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            timeout=3 * seconds + 600,  # parts try each of their kinds, on a busy machine, too
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"hung": 1, "problems": [f"{function} did not end"]}
    try:
        counts: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    except (IndexError, ValueError):
        return {
            "raw_errors": 1,
            "problems": [f"{function} ended with {done.returncode}: {done.stderr[-800:]}"],
        }
    wrong = counts.pop("wrong", [])  # a part may list what is wrong instead of counting it
    if wrong:
        counts["problems"] = [*counts.get("problems", []), *wrong]
    return {"silently_wrong": len(wrong)} | counts


def present(module: str) -> bool:
    """Whether this part is there."""
    return (TESTS / "stress" / f"{module}.py").exists()


def total(parts: dict[str, dict[str, Any]], key: str) -> int:
    return sum(int(counts.get(key, 0)) for counts in parts.values())


def as_markdown(found: dict[str, Any]) -> str:
    """The counts as a table, and what went wrong below it."""
    columns = {**TRIED, **BAD}
    again = ""
    if found.get("again"):
        again = f" Run again by themselves, after a mend: {', '.join(found['again'])}."
    lines = [
        "# Under stress",
        "",
        f"Written by `make stress` in {found['seconds'] / 60:.0f} minutes, seed {found['seed']}, "
        f"rivals {found['rivals']}, Python {found['python']}.{again}",
        "",
        "| part | " + " | ".join(columns.values()) + " |",
        "| --- |" + " ---: |" * len(columns),
    ]
    for name, counts in found["parts"].items():
        cells = [
            f"{int(counts.get(key, 0)):,}".replace(",", " ") if key in counts else ""
            for key in columns
        ]
        lines.append(f"| {WHAT[name]} | " + " | ".join(cells) + " |")
    sums = [f"**{found[key]:,}**".replace(",", " ") for key in columns]
    lines.append("| **together** | " + " | ".join(sums) + " |")
    notes = [
        f"- {name}: {counts['skipped']}"
        for name, counts in found["parts"].items()
        if "skipped" in counts
    ]
    problems = [
        f"- {problem}"
        for counts in found["parts"].values()
        for problem in counts.get("problems", [])
    ]
    for heading, items in (("Not run", notes), ("Problems", problems[:200])):
        if items:
            lines += ["", f"## {heading}", "", *items]
    return "\n".join(lines) + "\n"


def on_the_page(text: str, results: str) -> str:
    """The page of promises with the table of these results."""
    table = "\n".join(line for line in results.splitlines() if line.startswith("|"))
    before, _, rest = text.partition("<!-- stress -->\n")
    return f"{before}<!-- stress -->\n\n{table}\n\n<!-- end -->{rest.partition('<!-- end -->')[2]}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--minutes",
        type=float,
        default=15.0,
        help="for all parts together; they may take a little longer",
    )
    parser.add_argument(
        "--only", nargs="*", metavar="PART", help="functions, such as damage_stores"
    )
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    chosen = [
        part for part in PARTS if present(part[0]) and (not options.only or part[1] in options.only)
    ]
    shares = sum(share for *_, share in chosen)
    began = time.monotonic()
    results = options.out.with_suffix(".json")
    earlier: dict[str, Any] = {"parts": {}, "again": []}
    if options.only and results.exists():
        earlier |= json.loads(results.read_text(encoding="utf-8"))
    parts = earlier["parts"]
    for module, function, share in chosen:
        parts[function] = run_part(module, function, 60 * options.minutes * share / shares)
        shown = {key: value for key, value in parts[function].items() if key != "problems"}
        print(f"{function}: {json.dumps(shown)}", flush=True)
        for problem in parts[function].get("problems", [])[:5]:
            print(f"    {problem}", flush=True)
    found = {
        "seed": SEED,
        "seconds": earlier.get("seconds", round(time.monotonic() - began, 1)),
        "again": sorted({*earlier["again"], *(options.only or [])}),
        "rivals": importlib.import_module("rivals").__version__,
        "python": platform.python_version(),
        **{key: total(parts, key) for key in (*TRIED, *BAD)},
        "parts": parts,
    }
    results.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    options.out.with_suffix(".md").write_text(as_markdown(found), encoding="utf-8")
    if options.out == OUT:
        page = on_the_page(PAGE.read_text(encoding="utf-8"), as_markdown(found))
        PAGE.write_text(page, encoding="utf-8")
    print(", ".join(f"{name} {found[key]}" for key, name in {**TRIED, **BAD}.items()))
    raise SystemExit(any(found[key] for key in BAD))


if __name__ == "__main__":
    sys.path[0] = str(
        ROOT / "src"
    )  # instead of this folder, whose `numbers` would hide that of the standard library
    main()
