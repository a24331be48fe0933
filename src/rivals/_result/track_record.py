"""What became of named winners on real data: committed measurements, with their numbers of cases.

`benchmarks/real/track_record.py` writes `track_record.json`; nothing here is a constant of code.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from importlib.resources import files
from typing import Any, TypeVar

# A cell with fewer data sets than this says nothing.
LEAST_DATA_SETS = 15
# Numbers of groups are near each other within this factor.
NEAR = 1.6


@dataclass(frozen=True)
class Cell:
    """How often models with such a P won again, from about so many groups.

    Attributes
    ----------
    left_out : bool
        Whether groups were left out in turn, or candidates fitted to other data.
    n_groups : int
    low, high : float
        The band of P.
    won, standard_error : float
        The share that won again in the repeated study, and its error over data sets.
    n_data_sets, n_pairs : int
    """

    left_out: bool
    n_groups: int
    low: float
    high: float
    won: float
    standard_error: float
    n_data_sets: int
    n_pairs: int


@dataclass(frozen=True)
class Coverage:
    """How often intervals held what they are of, in the place of 90 %.

    Attributes
    ----------
    of : str
        "difference", or "risk" of one model.
    over : str
        "one new group", "the study repeated", or "the population mean".
    left_out : bool
    n_groups : int
        1 is one data set without groups.
    covered, standard_error : float
    n_data_sets : int
    """

    of: str
    over: str
    left_out: bool
    n_groups: int
    covered: float
    standard_error: float
    n_data_sets: int


# The level that was measured.
LEVEL = 0.90


Measured = TypeVar("Measured", Cell, Coverage)


@dataclass(frozen=True)
class OneDataSet:
    """What the sensitivity c has been on real data sets: ln c is normal, of pairs and of risks."""

    median_c: float
    sd_log_c: float
    risk_median_c: float
    risk_sd_log_c: float
    n_data_sets: int


def cell_for(*, left_out: bool, n_groups: int, probability: float) -> Cell | None:
    """The cell that fits a result, if it was measured on enough data sets.

    Of the numbers of groups that were tried the nearest, as a ratio, within a factor of 1.6; of
    more groups than were tried the largest, which a sentence then says.
    """
    alike = [cell for cell in cells() if cell.left_out == left_out]
    return _nearest([cell for cell in alike if cell.low < probability <= cell.high], n_groups)


def coverage_for(*, of: str, over: str, left_out: bool, n_groups: int) -> Coverage | None:
    """How often such intervals held what they are of; the nearest number of groups likewise."""
    asked = (of, over, left_out)
    fitting = [one for one in coverage() if (one.of, one.over, one.left_out) == asked]
    return _nearest([one for one in fitting if (one.n_groups == 1) == (n_groups == 1)], n_groups)


def _nearest(measured: Sequence[Measured], n_groups: int) -> Measured | None:
    """That of the nearest number of groups; None where none is near, or data sets are few."""
    enough = [one for one in measured if one.n_data_sets >= LEAST_DATA_SETS]
    near = [one for one in enough if one.n_groups <= NEAR * n_groups]
    found = min(near, key=lambda one: abs(one.n_groups - n_groups), default=None)
    most = max((one.n_groups for one in enough), default=0)
    if found is None or (found.n_groups < most and found.n_groups * NEAR < n_groups):
        return None
    return found


@lru_cache(maxsize=1)
def cells() -> tuple[Cell, ...]:
    """All that was measured."""
    return tuple(_known(Cell, plain) for plain in _read()["cells"])


@lru_cache(maxsize=1)
def coverage() -> tuple[Coverage, ...]:
    """All that was measured of intervals."""
    return tuple(_known(Coverage, plain) for plain in _read()["intervals"])


@lru_cache(maxsize=1)
def one_data_set() -> OneDataSet:
    """The distribution of c on real data sets."""
    found: OneDataSet = _known(OneDataSet, _read()["one_data_set"])
    return found


def _known(kind: Any, plain: dict[str, Any]) -> Any:
    return kind(**{each.name: plain[each.name] for each in fields(kind)})


def _read() -> dict[str, Any]:
    text = files("rivals._result").joinpath("track_record.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
