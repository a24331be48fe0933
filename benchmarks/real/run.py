"""What becomes of stated winners in fresh groups of real data?

    python benchmarks/real/run.py [NAME ...] [--splits 4] [--records FOLDER]
    python benchmarks/real/score.py

Judges all data sets of the catalogue and keeps what was said and what came, a file for each data set, design and split; those that are there
already are not made again. Data sets whose package is not installed are named and left out.
"""

from __future__ import annotations

import argparse
import json
import re
import time
import traceback
from pathlib import Path
from typing import Any

from calibrated import calibrated
from catalogue import CATALOGUE, DataSet
from designs import frozen, left_out

from data import NotInstalled, load

HERE = Path(__file__).parent
DESIGNS = {"frozen": frozen, "left out": left_out, "calibrated": calibrated}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", help="data sets; all without")
    parser.add_argument(
        "--splits", type=int, default=4, help="random splits of the groups of each data set"
    )
    parser.add_argument("--design", choices=DESIGNS, default=None)
    parser.add_argument("--records", type=Path, default=HERE / "records")
    options = parser.parse_args()
    options.records.mkdir(exist_ok=True, parents=True)
    for data_set in CATALOGUE:
        if options.names and data_set.name not in options.names:
            continue
        for design in [options.design] if options.design else DESIGNS:
            for split in range(options.splits if design != "calibrated" else 1):
                name = re.sub(r"[^\w.]", ".", f"{data_set.source}.{design}.{split}.json")
                if not (options.records / name).exists():
                    study(data_set, design, split, options.records / name)


def study(data_set: DataSet, design: str, split: int, path: Path) -> None:
    """One split of one data set; a failure is recorded, since failures are not missing at random."""
    begin = time.process_time()
    try:
        sizes = [rows.size for rows in load(data_set).rows.values()]
    except NotInstalled as error:
        print(f"{data_set.name}: not here, it needs {error}", flush=True)
        return
    records: list[dict[str, Any]] = []
    failures = []
    try:
        records = list(DESIGNS[design](data_set, split))
    except Exception as error:
        failures.append(f"{design}, split {split}: {type(error).__name__}: {error}")
        traceback.print_exc()
    seconds = round(time.process_time() - begin, 1)
    head = {
        "data": data_set.name,
        "design": design,
        "split": split,
        "sizes": sizes,
        "failures": failures,
        "seconds": seconds,
    }
    path.write_text(json.dumps(head | {"records": records}))
    print(f"{data_set.name}, {design}, {split}: {len(records)} judgements, {seconds} s", flush=True)


if __name__ == "__main__":
    main()
