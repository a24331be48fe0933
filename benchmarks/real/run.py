"""Losses of all data sets, and what every method says of them: resumable, in parallel.

    python benchmarks/real/run.py [NAME ...] [--splits 1] [--workers 1] [--records FOLDER]
    python benchmarks/real/score.py

First candidates are fitted and their losses kept, a file for each data set, design and split. What
is there already is not made again: to judge anew, remove the folder `judgements`. A data set whose package is not installed is named and left out.
"""

from __future__ import annotations

import argparse
import json
import re
import time
import traceback
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

import methods
from catalogue import CATALOGUE, DataSet
from data import NotInstalled, load
from judge import line
from losses import DESIGNS, write
from problems import problems

HERE = Path(__file__).parent


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
    with ProcessPoolExecutor(options.workers, initializer=one_thread) as pool:
        jobs = []
        for split in range(options.seed, options.seed + options.splits):
            jobs += [pool.submit(work, one, split, options.records) for one in chosen]
        for job in as_completed(jobs):
            print(job.result(), flush=True)


def arguments() -> Any:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="data sets; all without")
    parser.add_argument("--splits", type=int, default=1, help="random splits of the groups of each")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first split")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--records", type=Path, default=HERE / "records")
    return parser.parse_args()


def one_thread() -> None:
    """One process for each core, so one thread for each process."""
    threadpool_limits(1)


def work(data_set: DataSet, split: int, records: Path) -> str:
    """One split of one data set; a sentence about what was done."""
    begin = time.process_time()
    try:
        made = fit(data_set, split, records)
    except NotInstalled as error:
        return f"{data_set.name}: not here, it needs {error}"
    fitted = time.process_time()
    judged = judge(data_set, split, records)
    return (
        f"{data_set.name}, split {split}: {made} files of losses, {fitted - begin:.0f} s; "
        f"{judged} problems, {time.process_time() - fitted:.0f} s"
    )


def losses_path(data_set: DataSet, design: str, split: int, records: Path) -> Path:
    name = re.sub(r"[^\w.]", ".", data_set.source)
    return records / "losses" / f"{name}.{design}.{split}.npz"


def fit(data_set: DataSet, split: int, records: Path) -> int:
    """How many files of losses were made. Failures are recorded: none is missing at random."""
    table = load(data_set)
    made = 0
    failures = []
    for design in DESIGNS:
        path = losses_path(data_set, design, split, records)
        if path.exists():
            continue
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made += write(data_set, design, split, path)
        except Exception as error:
            words = f"{design}, split {split}: {type(error).__name__}"
            failures.append(f"{words}: {str(error)[:200]}")
            traceback.print_exc()
    note = losses_path(data_set, "note", split, records).with_suffix(".json")
    if made or not note.exists():
        sizes = [int(rows.size) for rows in table.rows.values()]
        known = {"data": data_set.name, "split": split, "failures": failures, "sizes": sizes}
        note.write_text(json.dumps(known))
    return made


def judge(data_set: DataSet, split: int, records: Path) -> int:
    """How many problems were judged; those of a file that is there are not judged again."""
    judged = 0
    for plan in DESIGNS:
        losses = losses_path(data_set, plan, split, records)
        path = records / "judgements" / f"{losses.stem}.jsonl"
        if path.exists() or not losses.exists():
            continue
        design = "frozen" if plan == "frozen" else "left out"
        key = {"data": data_set.name, "design": design, "plan": plan, "split": split}
        lines = [line(problem) for problem in problems(losses, key)]
        texts = [json.dumps(one, ensure_ascii=False) + "\n" for one in lines]
        partial = path.with_suffix(".partial")
        partial.write_text("".join(texts), encoding="utf-8")
        partial.rename(path)
        judged += len(lines)
    return judged


if __name__ == "__main__":
    main()
