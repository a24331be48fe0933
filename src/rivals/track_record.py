"""What became of named winners on real data: committed measurements, with their numbers of cases.

`benchmarks/real/track_record.py` writes `track_record.json`; nothing here is a constant of code.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from functools import lru_cache
from importlib.resources import files
from typing import Any

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
    fitting = [
        cell
        for cell in cells()
        if cell.left_out == left_out
        and cell.low < probability <= cell.high
        and cell.n_data_sets >= LEAST_DATA_SETS
    ]
    near = [cell for cell in fitting if cell.n_groups <= NEAR * n_groups]
    nearest = min(near, key=lambda cell: abs(cell.n_groups - n_groups), default=None)
    most = max((cell.n_groups for cell in fitting), default=0)
    if nearest is None or (nearest.n_groups < most and nearest.n_groups * NEAR < n_groups):
        return None
    return nearest


@lru_cache(maxsize=1)
def cells() -> tuple[Cell, ...]:
    """All that was measured."""
    return tuple(_known(Cell, plain) for plain in _read()["cells"])


@lru_cache(maxsize=1)
def one_data_set() -> OneDataSet:
    """The distribution of c on real data sets."""
    found: OneDataSet = _known(OneDataSet, _read()["one_data_set"])
    return found


def _known(kind: Any, plain: dict[str, Any]) -> Any:
    return kind(**{each.name: plain[each.name] for each in fields(kind)})


def _read() -> dict[str, Any]:
    text = files("rivals").joinpath("track_record.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
