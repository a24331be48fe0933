"""Which stated winners replicate? One command, resumable, in parallel.

    python benchmarks/real/run.py [NAME ...] [--splits 2] [--workers 2] [--records FOLDER]
    python benchmarks/real/score.py

First candidates are fitted and their losses kept, a file for each data set, design and split;
then every method judges them, a line of JSON for each judgement. What is there already is not
made again. A data set whose package is not installed is named and left out. The seed is --seed.
"""

from __future__ import annotations

import argparse
import os

for _threads in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_threads, "1")  # one process for each core, so one thread for each

import json
import re
import time
import traceback
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from catalogue import CATALOGUE, DataSet
from problems import LEFT_OUT, write

from data import NotInstalled, load

HERE = Path(__file__).parent


def main() -> None:
    options = arguments()
    chosen = [one for one in CATALOGUE if not options.names or one.name in options.names]
    unknown = set(options.names) - {one.name for one in chosen}
    if unknown:
        raise SystemExit(f"no such data set in catalogue.csv: {', '.join(sorted(unknown))}")
    (options.records / "losses").mkdir(exist_ok=True, parents=True)
    with ProcessPoolExecutor(options.workers) as pool:
        jobs = []
        for split in range(options.seed, options.seed + options.splits):
            jobs += [pool.submit(fit, one, split, options.records) for one in chosen]
        for job in as_completed(jobs):
            print(job.result(), flush=True)


def arguments() -> Any:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="data sets; all without")
    parser.add_argument("--splits", type=int, default=2, help="random splits of the groups of each")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first split")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    parser.add_argument("--records", type=Path, default=HERE / "records")
    return parser.parse_args()


# ---------------------------------------------------------------- losses


def fit(data_set: DataSet, split: int, records: Path) -> str:
    """The losses of one split of a data set; a sentence about what was done.

    A failure is recorded, since failures are not missing at random.
    """
    begin = time.process_time()
    try:
        table = load(data_set)
    except NotInstalled as error:
        return f"{data_set.name}: not here, it needs {error}"
    made = 0
    failures = []
    for design, n_groups in [("frozen", 0), *(("left out", one) for one in LEFT_OUT)]:
        path = records / "losses" / f"{slug(data_set)}.{design[0]}{n_groups}.{split}.npz"
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
    seconds = time.process_time() - begin
    note = records / "losses" / f"{slug(data_set)}.{split}.json"
    if made or not note.exists():
        known = {"data": data_set.name, "split": split, "seconds": round(seconds, 1)}
        sizes = [int(rows.size) for rows in table.rows.values()]
        note.write_text(json.dumps(known | {"failures": failures, "sizes": sizes}))
    return f"{data_set.name}, split {split}: {made} files of losses, {seconds:.0f} s"


def slug(data_set: DataSet) -> str:
    return re.sub(r"[^\w.]", ".", data_set.source)


if __name__ == "__main__":
    main()
