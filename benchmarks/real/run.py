"""Which stated winners replicate? One command, resumable, in parallel.

    python benchmarks/real/run.py [NAME ...] [--splits 1] [--workers 2] [--records FOLDER]
    python benchmarks/real/score.py

First candidates are fitted and their losses kept, a file for each data set, design and split;
then every method judges them, a line of JSON for each judgement. What is there already is not
made again; `--again METHOD …` judges anew by some methods. A data set whose package is not installed
is named and left out. `--seed` is the number of the first split.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import platform
import re
import subprocess
import time
import traceback
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from datetime import date
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import methods
import numpy as np
from catalogue import CATALOGUE, DataSet
from problems import LEFT_OUT, Problem, line, problems, write
from threadpoolctl import threadpool_limits

from data import NotInstalled, load

HERE = Path(__file__).parent
DIGITS = 5  # significant ones


def main() -> None:
    options = arguments()
    chosen = [one for one in CATALOGUE if not options.names or one.name in options.names]
    unknown = set(options.names) - {one.name for one in chosen}
    if unknown:
        raise SystemExit(f"no such data set in catalogue.csv: {', '.join(sorted(unknown))}")
    for words in methods.missing():
        print(words, flush=True)
    for folder in ("losses", "judgements"):
        (options.records / folder).mkdir(exist_ok=True, parents=True)
    splits = range(options.seed, options.seed + options.splits)
    with ProcessPoolExecutor(options.workers, initializer=one_thread) as pool:
        jobs = []
        for split in splits:
            for one in chosen:
                jobs.append(pool.submit(work, one, split, options.records, options.again))
        for job in as_completed(jobs):
            print(job.result(), flush=True)


def arguments() -> Any:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="data sets; all without")
    parser.add_argument("--splits", type=int, default=1, help="random splits of the groups of each")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first split")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--again", nargs="*", default=[], help="methods that judge anew")
    parser.add_argument("--records", type=Path, default=HERE / "records")
    return parser.parse_args()


def one_thread() -> None:
    """One process for each core, so one thread for each process."""
    threadpool_limits(1)


def work(data_set: DataSet, split: int, records: Path, again: list[str]) -> str:
    """One split of one data set; a sentence about what was done."""
    begin = time.process_time()
    try:
        made = fit(data_set, split, records)
    except NotInstalled as error:
        return f"{data_set.name}: not here, it needs {error}"
    fitted = time.process_time()
    judged = 0
    for design, n_groups in designs():
        path = losses_path(data_set, design, n_groups, split, records)
        if path.exists():
            key = {"data": data_set.name, "design": design, "split": split}
            judged += judge(path, key, records / "judgements" / f"{path.stem}.jsonl", again)
    return (
        f"{data_set.name}, split {split}: {made} files of losses, {fitted - begin:.0f} s; "
        f"{judged} judgements, {time.process_time() - fitted:.0f} s"
    )


def designs() -> list[tuple[str, int]]:
    return [("frozen", 0), *(("left out", n_groups) for n_groups in LEFT_OUT)]


def losses_path(data_set: DataSet, design: str, n_groups: int, split: int, records: Path) -> Path:
    name = re.sub(r"[^\w.]", ".", data_set.source)
    return records / "losses" / f"{name}.{design[0]}{n_groups}.{split}.npz"


# ---------------------------------------------------------------- losses


def fit(data_set: DataSet, split: int, records: Path) -> int:
    """How many files of losses were made. Failures are recorded: none is missing at random."""
    begin = time.process_time()
    table = load(data_set)
    made = 0
    failures = []
    for design, n_groups in designs():
        path = losses_path(data_set, design, n_groups, split, records)
        if path.exists():
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made += write(data_set, design, n_groups, split, path)
        except Exception as error:
            words = f"{design}, {n_groups} groups, split {split}: {type(error).__name__}"
            failures.append(f"{words}: {str(error)[:200]}")
            traceback.print_exc()
    note = losses_path(data_set, "note", 0, split, records).with_suffix(".json")
    if made or not note.exists():
        known = {
            "data": data_set.name,
            "split": split,
            "seconds": round(time.process_time() - begin, 1),
            "failures": failures,
            "sizes": [int(rows.size) for rows in table.rows.values()],
        }
        note.write_text(json.dumps(known))
    return made


# ---------------------------------------------------------------- judgements


def judge(losses: Path, key: dict[str, Any], path: Path, again: list[str]) -> int:
    """Lines for the methods that have none yet; how many were written."""
    known = lines(path) if path.exists() else []
    known = [one for one in known if one.get("method") not in again]
    done = {one["method"] for one in known if "method" in one}
    asked = [one for one in methods.every() if one.name not in done]
    texts = [json.dumps(one, ensure_ascii=False) for one in known]
    n_known = len(texts)
    if not asked:
        return 0
    for problem in problems(losses, key):
        if not known:
            texts.append(line(problem))
        for method in asked:
            if method.view in problem.views and method.asked(problem.key):
                texts.append(json.dumps(judgement(method, problem), ensure_ascii=False))
    if len(texts) > n_known:
        partial = path.with_suffix(".partial")
        partial.write_text("\n".join(texts) + "\n", encoding="utf-8")
        partial.rename(path)
    return len(texts) - n_known


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()]


def judgement(method: methods.Method, problem: Problem) -> dict[str, Any]:
    """What one method says of one problem: P[a, b] of pairs a < b, and Q, which is P[b, a]."""
    begin = time.process_time()
    found: dict[str, Any] = {}
    try:
        # Some print what they return, and warn of what was looked for.
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            views = problem.views[method.view]
            p = np.asarray(method.judge(views, problem.simulations, problem.order))
        found |= dict(sides(p))
    except Exception as error:
        found["error"] = f"{type(error).__name__}: {str(error)[:200]}"
    seconds = round(time.process_time() - begin, 3)
    head = problem.key | {"method": method.name, "view": method.view}
    return head | found | {"seconds": seconds, "versions": versions(method.package)}


def sides(p: Any) -> Iterator[tuple[str, list[float | None]]]:
    a, b = np.triu_indices(len(p), 1)
    yield "P", [rounded(x) for x in p[a, b]]
    yield "Q", [rounded(x) for x in p[b, a]]


def rounded(x: float) -> float | None:
    """No answer is none."""
    return None if np.isnan(x) else float(f"{x:.{DIGITS}g}")


@cache
def versions(package: str) -> dict[str, str]:
    """Of everything that decides about a judgement, and the day."""
    found = {"python": platform.python_version()}
    for name in dict.fromkeys(["rivals", "numpy", "scipy", package or "numpy"]):
        found[name] = version(name)
    command = ["git", "rev-parse", "--short", "HEAD"]
    head = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
    return found | {"commit": head.stdout.strip(), "date": date.today().isoformat()}


if __name__ == "__main__":
    main()
